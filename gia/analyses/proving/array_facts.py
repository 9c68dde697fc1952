r"""Candidate invariants about elements of arrays, made from the program's text.

What the program does with one element is turned into a condition about the element with an arbitrary index, ``\any``
(:mod:`gia.cfa.quantified`): an assignment ``a[i] = e`` into ``a[\any] == e`` and a comparison into itself, with
``\any`` in the place of ``i``. It is proposed for the ranges of indices that loops walk through: from a constant up to
an index variable, from there up to a limit. Which of them hold is found out by :mod:`gia.smt.induction`.

Sources: C. Flanagan & S. Qadeer, *Predicate abstraction for software verification*, POPL 2002, section 5 (quantified
invariants from Skolem constants and the program's text); D. Monniaux & L. Gonnord, *Cell morphing*, SAS 2016 (one
arbitrary cell stands for all).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from gia.analyses.proving.comparisons import NEGATED, compare, compare_with_constant
from gia.analyses.proving.proof import Candidates, Proof
from gia.cfa.expressions import (
    Binary,
    Cast,
    Dereference,
    Expression,
    FloatConstant,
    IntegerConstant,
    Storage,
    Subscript,
    Unary,
    Variable,
    VariableReference,
    rewritten,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge
from gia.cfa.operations import Assign, Assume, Call, Input, Return
from gia.cfa.quantified import ANY_NUMBER, is_any
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, LONG_LONG, IntegerType, PointerType, is_scalar

_MOST_FACTS = 40
"""How many conditions on an element are tried."""
_MOST_CANDIDATES = 600
"""How many candidates a cut point gets in one attempt."""
_MOST_ELEMENTS = 6
"""So many elements get a place in Horn clauses."""
_ROUNDS = 2
"""How often what one assignment stores is put in for what another one reads."""


@dataclass(frozen=True)
class _Access:
    """An element that an expression speaks of: ``moved`` by so much from the index variable, if there is one."""

    element: Expression
    base: Expression
    index: Expression
    variable: Variable | None
    moved: int

    def at(self, number: Expression) -> Expression:
        """The same array's element with another index."""
        if isinstance(self.element, Subscript):
            return Subscript(self.base, number, self.element.type)
        return Dereference(Binary("+", self.base, number, self.base.type), self.element.type)


def _access(expression: Expression) -> _Access | None:
    """The expression as an element of an array of scalars."""
    match expression:
        case Subscript(array=base, index=index):
            pass
        case Dereference(pointer=Binary(operator="+", left=base, right=index)) if isinstance(base.type, PointerType):
            pass
        case _:
            return None
    if not is_scalar(expression.type) or not isinstance(index.type, IntegerType):
        return None
    if any(isinstance(part, Subscript | Dereference) for part in walk(base)):
        return None
    variable, moved = _offset(index)
    return _Access(expression, base, index, variable, moved)


def _offset(index: Expression) -> tuple[Variable | None, int]:
    """An index as a variable and a constant, if it is one."""
    match index:
        case Cast(operand=operand) if isinstance(operand.type, IntegerType):
            return _offset(operand)
        case VariableReference(variable=variable):
            return variable, 0
        case Binary(operator="+" | "-" as operator, left=left, right=IntegerConstant(value=value)):
            found, moved = _offset(left)
            return found, moved + (value if operator == "+" else -value)
        case Binary(operator="+", left=IntegerConstant(value=value), right=right):
            found, moved = _offset(right)
            return found, moved + value
    return None, 0


class _Text:
    """What the program's text says about elements of arrays."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.number = VariableReference(ANY_NUMBER)
        self.definitions = _definitions(edges)
        self.facts: dict[Expression, None] = {}
        self.plain: dict[Expression, None] = {}
        """Conditions on elements with their own indices."""
        self.indices: dict[Variable, None] = {}
        self.indices_of: dict[Expression, dict[Variable, None]] = {}
        """The index variables by the array that they are an index of."""
        self.limits: dict[Expression, None] = {}
        self.conditions: dict[Expression, None] = {}
        """What the program decides about an index."""
        self.flags: dict[Expression, None] = {}
        """Comparisons of other variables with constants."""
        self._stored: dict[Expression, list[Expression]] = {}
        for edge in edges:
            for expression in _read_by(edge):
                self._note_indices(expression)
        for edge in edges:
            self._note_stores(edge)
        self._compose()
        for edge in edges:
            for expression in _read_by(edge):
                self._note_comparisons(expression)
            if isinstance(edge.operation, Assume):
                self._note_truths(edge.operation.condition)

    def _note_indices(self, expression: Expression) -> None:
        for part in walk(expression):
            access = _access(part)
            if access is not None and access.variable is not None:
                self.indices[access.variable] = None
                self.indices_of.setdefault(access.base, {})[access.variable] = None

    def _generalised(self, expression: Expression, access: _Access) -> Expression:
        r"""The expression with ``\\any`` as the index of the element, and in the place of the index variable."""
        element = access.at(self.number)
        index: Expression = self.number
        if access.moved:
            index = Binary("-", index, IntegerConstant(access.moved, LONG_LONG), LONG_LONG)

        def change(part: Expression) -> Expression | None:
            if part == access.element:
                return element
            if isinstance(part, VariableReference) and part.variable == access.variable:
                return Cast(index, part.type)
            return None

        return rewritten(expression, change)

    def _note_stores(self, edge: Edge) -> None:
        operation = edge.operation
        if not isinstance(operation, Assign):
            return
        access = _access(operation.target)
        if access is None:
            return
        for value in dict.fromkeys((operation.value, self._expanded(operation.value))):
            if not is_scalar(value.type) or value.type != access.element.type:
                continue
            same = Binary("==", access.element, value, INT)
            self.plain[same] = None
            general = self._generalised(same, access)
            assert isinstance(general, Binary)
            self._stored.setdefault(general.left, []).append(general.right)

    def _expanded(self, expression: Expression) -> Expression:
        """The expression with variables that are assigned once replaced by what they are assigned."""

        def change(part: Expression) -> Expression | None:
            if isinstance(part, VariableReference) and part.variable in self.definitions:
                value = self.definitions[part.variable]
                return value if value.type == part.type else Cast(value, part.type)
            return None

        return rewritten(expression, change)

    def _compose(self) -> None:
        """Put in what was stored before for the elements that a stored value is made of."""
        for _ in range(_ROUNDS):
            for values in list(self._stored.values()):
                for value in list(values):
                    read = [part for part in walk(value) if part in self._stored]
                    if len(read) == 1:
                        (part,) = read
                        new = [rewritten(value, {part: other}.get) for other in self._stored[part]]
                        values.extend(other for other in new if other not in values and len(values) < _MOST_FACTS)
        for element, values in self._stored.items():
            for value in values:
                if element not in walk(value):
                    self.facts[Binary("==", element, value, INT)] = None

    def _note_comparisons(self, expression: Expression) -> None:
        for part in walk(expression):
            if isinstance(part, Binary) and part.operator in NEGATED:
                for version in dict.fromkeys((part, self._expanded(part))):
                    self._note_comparison(version)

    def _note_truths(self, condition: Expression) -> None:
        """Note the numbers that a branch takes for conditions."""
        for part in _operands(condition):
            if isinstance(part.type, IntegerType) and not (isinstance(part, Binary) and part.operator in NEGATED):
                self._note_comparison(compare_with_constant("!=", part, 0))

    def _note_comparison(self, comparison: Expression) -> None:
        assert isinstance(comparison, Binary)
        accesses = [access for part in walk(comparison) if (access := _access(part)) is not None]
        opposite = Binary(NEGATED[comparison.operator], comparison.left, comparison.right, INT)
        for access in accesses:
            for kind in (comparison, opposite):
                self.facts[self._generalised(kind, access)] = None
                self.plain[kind] = None
            fixed = _Access(access.element, access.base, access.index, None, 0)
            self.facts[self._generalised(comparison, fixed)] = None
            self.facts[self._generalised(opposite, fixed)] = None
        if not accesses and isinstance(comparison.left.type, IntegerType):
            self._note_limits(comparison)

    def _note_limits(self, comparison: Binary) -> None:
        """Note what an index is compared with, the condition on it, and conditions on other variables."""
        mentioned = variables_of(comparison) & self.indices.keys()
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if variables_of(side) & self.indices.keys() and not variables_of(other) & self.indices.keys():
                limit = _stripped(other)
                if not isinstance(limit, IntegerConstant) or limit.value > 1:
                    self.limits[limit] = None
        opposite = Binary(NEGATED[comparison.operator], comparison.left, comparison.right, INT)
        if len(mentioned) == 1:
            (index,) = mentioned
            number = self.number

            def change(part: Expression) -> Expression | None:
                same = isinstance(part, VariableReference) and part.variable == index
                return Cast(number, part.type) if same else None

            self.conditions.update(dict.fromkeys(rewritten(kind, change) for kind in (comparison, opposite)))
        elif not mentioned and any(isinstance(side, IntegerConstant) for side in (comparison.left, comparison.right)):
            self.flags.update(dict.fromkeys((comparison, opposite)))


def _operands(condition: Expression) -> Iterator[Expression]:
    """What ``!``, ``&&`` and ``||`` are applied to in a condition."""
    if isinstance(condition, Unary) and condition.operator == "!":
        yield from _operands(condition.operand)
    elif isinstance(condition, Binary) and condition.operator in ("&&", "||"):
        yield from (*_operands(condition.left), *_operands(condition.right))
    else:
        yield condition


def _stripped(expression: Expression) -> Expression:
    return (
        expression.operand
        if isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType)
        else expression
    )


def _read_by(edge: Edge) -> Iterator[Expression]:
    """The expressions that an edge evaluates."""
    match edge.operation:
        case Assign(target=target, value=value):
            yield from (target, value)
        case Assume(condition=condition):
            yield condition
        case Call(target=target, arguments=arguments):
            yield from arguments
            if target is not None:
                yield target
        case Input(target=target) if target is not None:
            yield target
        case Return(value=value) if value is not None:
            yield value


def _definitions(edges: Iterable[Edge]) -> Mapping[Variable, Expression]:
    """The values of local variables that one assignment alone gives a value."""
    values: dict[Variable, list[Expression | None]] = {}
    for edge in edges:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=value):
                values.setdefault(variable, []).append(value)
            case Input(target=VariableReference(variable=variable)) | Call(target=VariableReference(variable=variable)):
                values.setdefault(variable, []).append(None)
    found = {}
    for variable, given in values.items():
        only = given[0]
        local = variable.storage in (Storage.TEMPORARY, Storage.LOCAL)
        if len(given) == 1 and local and only is not None and not isinstance(only, IntegerConstant | FloatConstant):
            found[variable] = only
    return found


class _Ranges:
    """Ranges of indices at a cut point where some variables are visible."""

    def __init__(self, text: _Text, visible: frozenset[Variable]) -> None:
        self._number = text.number
        self._text = text
        self._limits = [limit for limit in text.limits if variables_of(limit) <= visible]
        self._visible = visible
        self._made: dict[tuple[frozenset[Variable], bool], tuple[tuple[Expression, ...], ...]] = {}

    def indices_of(self, fact: Expression) -> frozenset[Variable]:
        """The visible index variables of the arrays that a fact is about; all if those are not visible."""
        used: set[Variable] = set()
        for base in _bases(fact):
            used.update(self._text.indices_of.get(base, ()))
        visible = {v for v in self._text.indices if v in self._visible and isinstance(v.type, IntegerType)}
        return frozenset(used & visible or visible)

    def of(self, fact: Expression, *, wide: bool) -> tuple[tuple[Expression, ...], ...]:
        """The ranges that a fact may hold for, each as conditions on the number; with ``wide`` the unlikely ones."""
        indices = self.indices_of(fact)
        key = indices, wide
        if key not in self._made:
            self._made[key] = tuple(self._wide(indices) if wide else self._likely(indices))
        return self._made[key]

    def _likely(self, indices: frozenset[Variable]) -> Iterator[tuple[Expression, ...]]:
        """What a loop from the first element on has left behind, what is before it, and all elements."""
        low = compare_with_constant(">=", self._number, 0)
        references = self._references(indices)
        for high in (*references, *self._limits):
            yield low, self._against("<", high)
        for index in references:
            for high in self._limits:
                yield self._against(">=", index), self._against("<", high)
        yield ()

    def _wide(self, indices: frozenset[Variable]) -> Iterator[tuple[Expression, ...]]:
        """Loops that begin at the second element, go downwards, or deal with the element at the index first."""
        zero, one = (compare_with_constant(">=", self._number, value) for value in (0, 1))
        references = self._references(indices)
        for index in references:
            yield zero, self._against("<=", index)
            yield one, self._against("<", index)
            yield one, self._against("<=", index)
            for high in self._limits:
                yield self._against(">", index), self._against("<", high)
                yield self._against(">", index), self._against("<=", high)
            for high in references:
                if high != index:
                    yield self._against(">=", index), self._against("<", high)
        for high in self._limits:
            yield one, self._against("<", high)
            yield zero, self._against("<=", high)

    def _references(self, indices: frozenset[Variable]) -> list[VariableReference]:
        return [VariableReference(variable) for variable in self._text.indices if variable in indices]

    def _against(self, operator: str, other: Expression) -> Expression:
        return compare(operator, self._number, other)

    def bounds(self) -> Iterator[Expression]:
        """What ranges need to be worth anything: where the index variables are."""
        for variable in self._text.indices:
            if variable in self._visible and isinstance(variable.type, IntegerType):
                index = VariableReference(variable)
                yield compare_with_constant(">=", index, 0)
                for limit in self._limits:
                    if limit != index:
                        yield from (compare(operator, index, limit) for operator in ("<=", "<", "==", ">="))


def _bases(fact: Expression) -> Iterator[Expression]:
    for part in walk(fact):
        access = _access(part)
        if access is not None:
            yield access.base


def _implied(premises: Iterable[Expression], conclusion: Expression) -> Expression:
    """``!p || … || conclusion``."""
    found = conclusion
    for premise in reversed(tuple(premises)):
        found = Binary("||", Unary("!", premise, INT), found, INT)
    return found


def array_facts(proof: Proof) -> Iterator[Candidates]:
    """The stage: elements with their own indices and, in ranges, with all indices."""
    edges = {arc.edge.number: arc.edge for leaving in proof.shape.arcs.values() for arc in leaving}
    text = _Text([edges[number] for number in sorted(edges)])
    if not text.facts:
        return
    at = {cut: _AtCut(text, frozenset(proof.variables(cut))) for cut in proof.invariants}
    for attempt in (_AtCut.likely, _AtCut.unlikely, _AtCut.conditional):
        yield {cut: tuple(dict.fromkeys(attempt(found)))[:_MOST_CANDIDATES] for cut, found in at.items()}


def elements_at(proof: Proof) -> Mapping[Node, tuple[Expression, ...]]:
    r"""The integers in arrays that the program deals with: at constant indices, and at ``\any``."""
    edges = {arc.edge.number: arc.edge for leaving in proof.shape.arcs.values() for arc in leaving}
    found: dict[Expression, None] = {}
    number = VariableReference(ANY_NUMBER)
    for edge in (edges[number] for number in sorted(edges)):
        for part in (part for expression in _read_by(edge) for part in walk(expression)):
            access = _access(part)
            if access is None or not isinstance(part.type, IntegerType):
                continue
            if not variables_of(access.index):
                found[part] = None
            elif access.variable is not None:
                found[access.at(number)] = None
    at = {}
    for cut in proof.invariants:
        visible = frozenset(proof.variables(cut))
        seen = (e for e in found if all(v in visible or is_any(v) for v in variables_of(e)))
        at[cut] = tuple(islice(seen, _MOST_ELEMENTS))
    return at


class _AtCut:
    """The candidates at a cut point where some variables are visible."""

    def __init__(self, text: _Text, visible: frozenset[Variable]) -> None:
        self._text = text
        self._visible = visible
        self._ranges = _Ranges(text, visible)
        self._facts = self._seen(text.facts)

    def _seen(self, expressions: Iterable[Expression]) -> list[Expression]:
        """The first ones that have a meaning here."""
        found = (e for e in expressions if all(v in self._visible or is_any(v) for v in variables_of(e)))
        return list(islice(found, _MOST_FACTS))

    def likely(self) -> Iterator[Expression]:
        """Bounds of indices, elements with their own indices, and the facts for what a usual loop has left behind."""
        yield from self._ranges.bounds()
        yield from self._seen(self._text.plain)
        yield from self._in_ranges((), wide=False)

    def unlikely(self) -> Iterator[Expression]:
        """The facts for other ranges."""
        yield from self._in_ranges((), wide=True)

    def conditional(self) -> Iterator[Expression]:
        """The facts for elements for whose indices some condition of the program holds, or while some flag is set."""
        for condition in self._seen((*self._text.conditions, *self._text.flags)):
            yield from self._in_ranges((condition,), wide=False)

    def _in_ranges(self, conditions: tuple[Expression, ...], *, wide: bool) -> Iterator[Expression]:
        for fact in self._facts:
            for one in self._ranges.of(fact, wide=wide):
                if all(v in self._visible or is_any(v) for part in one for v in variables_of(part)):
                    yield _implied((*conditions, *one), fact)
