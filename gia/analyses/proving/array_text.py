r"""What a program's text says about elements of arrays: the conditions that invariants are made of.

What the program does with one element is turned into a condition about the element with an arbitrary index, ``\any``
(:mod:`gia.cfa.quantified`): an assignment ``a[i] = e`` into ``a[\any] == e`` and a comparison into itself, with
``\any`` in the place of ``i``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct

from gia.analyses.proving.comparisons import NEGATED, compare, compare_with_constant
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FloatConstant,
    IntegerConstant,
    Member,
    Storage,
    Subscript,
    Unary,
    Variable,
    VariableReference,
    rewritten,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Input, operands_of
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.types import INT, LONG_LONG, IntegerType, PointerType, is_scalar

MOST_FACTS = 40
"""How many conditions on an element are tried."""
_ROUNDS = 2
"""How often what one assignment stores is put in for what another one reads."""
_MOST_BEGINS = 3
"""With so many constants loops are thought to begin."""


class Access(Struct, frozen=True):
    """An element that an expression speaks of: ``moved`` by so much from the index variable, if there is one.

    ``place`` is the element of the array, of which ``element`` may be a field.
    """

    element: Expression
    place: Subscript | Dereference
    base: Expression
    index: Expression
    variable: Variable | None
    moved: int

    def at(self, number: Expression) -> Expression:
        """The same array's element with another index."""
        if isinstance(self.place, Subscript):
            other: Expression = Subscript(self.base, number, self.place.type)
        else:
            other = Dereference(Binary("+", self.base, number, self.base.type), self.place.type)
        return rewritten(self.element, lambda part: other if part == self.place else None)


def access_of(expression: Expression) -> Access | None:
    """The expression as a scalar in an element of an array."""
    place = expression
    while isinstance(place, Member):
        place = place.base
    match place:
        case Subscript(array=base, index=index):
            pass
        case Dereference(pointer=Binary(operator="+", left=base, right=index)) if isinstance(base.type, PointerType):
            pass
        case _:
            return None
    if not is_scalar(expression.type) or not isinstance(index.type, IntegerType):
        return None
    if any(isinstance(part, Subscript) or _is_element(part) for part in walk(base)):
        return None
    assert isinstance(place, Subscript | Dereference)
    variable, moved = _offset(index)
    return Access(expression, place, base, index, variable, moved)


def _is_element(part: Expression) -> bool:
    return isinstance(part, Dereference) and not isinstance(part.pointer, VariableReference)


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


class ArrayText:
    """What the program's text says about elements of arrays."""

    def __init__(self, program: Program, edges: Sequence[Edge]) -> None:
        self.number = VariableReference(ANY_NUMBER)
        self._program = program
        self.definitions = _definitions(edges)
        self.facts: dict[Expression, None] = {}
        self.plain: dict[Expression, None] = {}
        """Conditions on elements with their own indices, and which parameters are what arguments were."""
        self.indices: dict[Variable, None] = {}
        self.begins: dict[int, None] = {0: None}
        """The constants that index variables begin with."""
        self._indices_of: dict[Variable, dict[Variable, None]] = {}
        self._aliases = _Classes()
        self.limits: dict[Expression, None] = {}
        self.conditions: dict[Expression, None] = {}
        """What the program decides about an index."""
        self.flags: dict[Expression, None] = {}
        """Comparisons of other variables with constants."""
        self._comparisons: dict[Expression, None] = {}
        self._stored: dict[Expression, list[Expression]] = {}
        for edge in edges:
            for expression in operands_of(edge.operation):
                self._note_indices(expression)
            self._note_aliases(edge)
        for edge in edges:
            self._note_begin(edge)
            self._note_stores(edge)
        self._compose()
        for edge in edges:
            for expression in operands_of(edge.operation):
                self._note_comparisons(expression)
            if isinstance(edge.operation, Assume):
                self._note_truths(edge.operation.condition)
        self.so_far = tuple(self._so_far())
        """What is compared with a limit behind a loop, said of the index inside it."""

    def _note_indices(self, expression: Expression) -> None:
        for part in walk(expression):
            access = access_of(part)
            if access is not None and access.variable is not None:
                self.indices[access.variable] = None
                for owner in variables_of(access.base):
                    self._indices_of.setdefault(owner, {})[access.variable] = None

    def _note_begin(self, edge: Edge) -> None:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=IntegerConstant(value=value)):
                if variable in self.indices and len(self.begins) < _MOST_BEGINS:
                    self.begins[value] = None

    def _note_aliases(self, edge: Edge) -> None:
        """Note which pointers may lead to the same array."""
        match edge.operation:
            case Assign(target=VariableReference(variable=variable, type=PointerType()), value=value):
                self._aliases.join(variable, value)
            case Call(function=name, arguments=arguments) if name in self._program.functions:
                for parameter, argument in zip(self._program.functions[name].parameters, arguments, strict=False):
                    if isinstance(parameter.type, PointerType):
                        self._aliases.join(parameter, argument)
                    elif isinstance(parameter.type, IntegerType) and isinstance(argument.type, IntegerType):
                        self.plain[compare("==", VariableReference(parameter), argument)] = None

    def indices_of(self, fact: Expression) -> frozenset[Variable]:
        """The index variables of the arrays that a fact is about."""
        found: set[Variable] = set()
        for part in walk(fact):
            access = access_of(part)
            for owner in variables_of(access.base) if access is not None else ():
                for other, indices in self._indices_of.items():
                    if self._aliases.same(owner, other):
                        found.update(indices)
        return frozenset(found)

    def _generalised(self, expression: Expression, access: Access) -> Expression:
        r"""The expression with ``\any`` as the index of the element, and in the place of the index variable."""
        element = access.at(self.number)
        index: Expression = self.number
        if access.moved:
            index = Binary("-", index, IntegerConstant(access.moved, LONG_LONG), LONG_LONG)

        def change(part: Expression) -> Expression | None:
            return element if part == access.element else _with_index(part, access.variable, index)

        return rewritten(expression, change)

    def _by_variable(self, expression: Expression, access: Access) -> Expression:
        r"""The expression with ``\any`` in the place of the index variable alone."""
        return rewritten(expression, lambda part: _with_index(part, access.variable, self.number))

    def _note_stores(self, edge: Edge) -> None:
        operation = edge.operation
        if not isinstance(operation, Assign):
            return
        access = access_of(operation.target)
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
            if access.moved:
                self.facts[self._by_variable(same, access)] = None

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
                        values.extend(other for other in new if other not in values and len(values) < MOST_FACTS)
        for element, values in self._stored.items():
            for value in values:
                if element not in walk(value):
                    self.facts[Binary("==", element, value, INT)] = None

    def _so_far(self) -> Iterator[Expression]:
        limits = [limit.variable for limit in self.limits if isinstance(limit, VariableReference)]
        for comparison, limit in product(self._comparisons, limits):
            if limit not in variables_of(comparison) or variables_of(comparison) & self.indices.keys():
                continue
            for index in self.indices:
                begun = Binary("!=", VariableReference(index), IntegerConstant(0, INT), INT)
                said = rewritten(comparison, lambda part: _with_index(part, limit, VariableReference(index)))  # noqa: B023 - used at once
                yield said
                if index.type == INT:
                    yield Binary("||", Unary("!", begun, INT), said, INT)

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
        opposite = Binary(NEGATED[comparison.operator], comparison.left, comparison.right, INT)
        self._comparisons.update(dict.fromkeys((comparison, opposite)))
        accesses = [access for part in walk(comparison) if (access := access_of(part)) is not None]
        for access in accesses:
            for kind in (comparison, opposite):
                self.facts[self._generalised(kind, access)] = None
                if access.moved:
                    self.facts[self._by_variable(kind, access)] = None
                self.plain[kind] = None
            fixed = Access(access.element, access.place, access.base, access.index, None, 0)
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
            if comparison.operator in ("==", "!=") or not _is_plain(comparison):
                self.conditions.update(dict.fromkeys(_of_number(kind, index) for kind in (comparison, opposite)))
        elif not mentioned and any(isinstance(side, IntegerConstant) for side in (comparison.left, comparison.right)):
            self.flags.update(dict.fromkeys((comparison, opposite)))


def _with_index(part: Expression, variable: Variable | None, index: Expression) -> Expression | None:
    same = isinstance(part, VariableReference) and part.variable == variable
    return Cast(index, part.type) if same else None


def _of_number(condition: Expression, index: Variable) -> Expression:
    r"""A condition on an index as one on ``\any``."""
    return rewritten(condition, lambda part: _with_index(part, index, VariableReference(ANY_NUMBER)))


class _Classes:
    """Variables that were assigned to each other."""

    def __init__(self) -> None:
        self._leaders: dict[Variable, Variable] = {}

    def join(self, variable: Variable, value: Expression) -> None:
        """Put a pointer into one class with what its value is made of."""
        for part in walk(value):
            pointed = part.operand if isinstance(part, AddressOf) else part
            if isinstance(pointed, VariableReference) and not isinstance(pointed.type, IntegerType):
                self._leaders[self._leader(pointed.variable)] = self._leader(variable)

    def same(self, left: Variable, right: Variable) -> bool:
        """Whether two variables are in one class."""
        return self._leader(left) == self._leader(right)

    def _leader(self, variable: Variable) -> Variable:
        while self._leaders.get(variable, variable) != variable:
            variable = self._leaders[variable]
        return variable


def _operands(condition: Expression) -> Iterator[Expression]:
    """What ``!``, ``&&`` and ``||`` are applied to in a condition."""
    if isinstance(condition, Unary) and condition.operator == "!":
        yield from _operands(condition.operand)
    elif isinstance(condition, Binary) and condition.operator in ("&&", "||"):
        yield from (*_operands(condition.left), *_operands(condition.right))
    else:
        yield condition


def _is_plain(comparison: Binary) -> bool:
    """Whether variables and constants are compared as they are: what ranges are made of."""
    sides = (_stripped(side) for side in (comparison.left, comparison.right))
    return all(isinstance(side, VariableReference | IntegerConstant) for side in sides)


def _stripped(expression: Expression) -> Expression:
    return (
        expression.operand
        if isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType)
        else expression
    )


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
        simple = isinstance(variable.type, PointerType) or isinstance(only, IntegerConstant | FloatConstant)
        if len(given) == 1 and local and only is not None and not simple:
            found[variable] = only
    return found
