r"""Candidate invariants about all elements of arrays, for the ranges of indices that loops walk through.

What the text says about one element (:mod:`.array_text`) is proposed for ranges: from a constant up to an index
variable, from there up to a limit. Which of them hold is found out by :mod:`gia.smt.invariants.induction`.

Sources: C. Flanagan & S. Qadeer, *Predicate abstraction for software verification*, POPL 2002, section 5 (quantified
invariants from Skolem constants and the program's text); D. Monniaux & L. Gonnord, *Cell morphing*, SAS 2016 (one
arbitrary cell stands for all).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from gia.analyses.proving.candidates.array_accesses import access_of
from gia.analyses.proving.candidates.array_indices import Front
from gia.analyses.proving.candidates.array_text import MOST_FACTS, ArrayText
from gia.analyses.proving.candidates.comparisons import compare, compare_with_constant
from gia.analyses.proving.proof import Candidates, Proof
from gia.cfa.expressions import Binary, Expression, Unary, Variable, VariableReference, variables_of, walk
from gia.cfa.operations import operands_of
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, IntegerType

_MOST_CANDIDATES = 600
"""How many candidates a cut point gets in one attempt."""
_MOST_ELEMENTS = 6
"""So many elements get a place in Horn clauses."""


class _Ranges:
    """Ranges of indices at a cut point where some variables are visible."""

    def __init__(self, text: ArrayText, visible: frozenset[Variable]) -> None:
        self._number = text.number
        self._text = text
        self._limits = [limit for limit in text.limits if variables_of(limit) <= visible]
        fronts = {
            (front.index, front.variable, front.grows): front for found in text.fronts.values() for front in found
        }
        self._fronts = [front for front in fronts.values() if variables_of(front.index) <= visible]
        self._visible = visible
        self._made: dict[tuple[frozenset[Variable], bool], tuple[tuple[Expression, ...], ...]] = {}

    def indices_of(self, fact: Expression) -> frozenset[Variable]:
        """The visible index variables of the arrays that a fact is about; all if those are not visible."""
        visible = frozenset(v for v in self._text.indices if v in self._visible and isinstance(v.type, IntegerType))
        return self._text.indices_of(fact) & visible or visible

    def of(self, fact: Expression, *, wide: bool) -> tuple[tuple[Expression, ...], ...]:
        """The ranges that a fact may hold for, each as conditions on the number; with ``wide`` the unlikely ones."""
        indices = self.indices_of(fact)
        key = indices, wide
        if key not in self._made:
            self._made[key] = tuple(self._wide(indices) if wide else self._likely(indices))
        return self._made[key]

    def _likely(self, indices: frozenset[Variable]) -> Iterator[tuple[Expression, ...]]:
        """What a loop from the first element on has left behind, what is before it, and all elements."""
        references = self._references(indices)
        for begin in self._text.begins:
            for high in (*references, *self._limits):
                yield compare_with_constant(">=", self._number, begin), self._against("<", high)
        for index in references:
            for high in self._limits:
                yield self._against(">=", index), self._against("<", high)
        for front in self._fronts:
            if front.variable in indices:
                yield from self._up_to(front)
        yield ()

    def _up_to(self, front: Front) -> Iterator[tuple[Expression, ...]]:
        """What a loop has left behind that deals with several elements in a round, or begins at the last one."""
        if front.grows > 0:
            for begin in self._text.begins:
                yield compare_with_constant(">=", self._number, begin), self._against("<", front.index)
        else:
            for high in self._limits:
                yield self._against(">", front.index), self._against("<", high)

    def _wide(self, indices: frozenset[Variable]) -> Iterator[tuple[Expression, ...]]:
        """Loops that go downwards, or deal with the element at the index first."""
        lows = [compare_with_constant(">=", self._number, begin) for begin in self._text.begins]
        references = self._references(indices)
        for index in references:
            for low in lows:
                yield low, self._against("<=", index)
            for high in self._limits:
                yield self._against(">", index), self._against("<", high)
                yield self._against(">", index), self._against("<=", high)
            for high in references:
                if high != index:
                    yield self._against(">=", index), self._against("<", high)
        for high in self._limits:
            for low in lows:
                yield low, self._against("<=", high)

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


def _implied(premises: Iterable[Expression], conclusion: Expression) -> Expression:
    """``!p || … || conclusion``."""
    found = conclusion
    for premise in reversed(tuple(premises)):
        found = Binary("||", Unary("!", premise, INT), found, INT)
    return found


def array_facts(proof: Proof) -> Iterator[Candidates]:
    """The stage: elements with their own indices and, in ranges, with all indices."""
    text = ArrayText(proof.program, proof.shape.edges)
    if not (text.facts or text.bounds):
        return
    at = {cut: _AtCut(text, frozenset(proof.variables(cut))) for cut in proof.cuts}
    for attempt in (
        _AtCut.of_constants,
        _AtCut.likely,
        _AtCut.grown_or_in_states,
        _AtCut.of_strides,
        _AtCut.unlikely,
        _AtCut.conditional,
    ):
        yield {cut: tuple(dict.fromkeys(attempt(found)))[:_MOST_CANDIDATES] for cut, found in at.items()}


def elements_at(proof: Proof) -> Mapping[Node, tuple[Expression, ...]]:
    r"""The integers in arrays that the program deals with: at constant indices, and at ``\any``."""
    found: dict[Expression, None] = {}
    number = VariableReference(ANY_NUMBER)
    for edge in proof.shape.edges:
        for part in (part for expression in operands_of(edge.operation) for part in walk(expression)):
            access = access_of(part)
            if access is None or not isinstance(part.type, IntegerType):
                continue
            if not variables_of(access.index):
                found[part] = None
            elif access.variable is not None:
                found[access.at(number)] = None
    at = {}
    for cut in proof.cuts:
        visible = frozenset(proof.variables(cut))
        at[cut] = tuple(islice((e for e in found if _has_meaning(e, visible)), _MOST_ELEMENTS))
    return at


def _has_meaning(expression: Expression, visible: frozenset[Variable]) -> bool:
    """Whether an expression speaks only of visible variables and of the arbitrary index."""
    return all(variable in visible or variable.is_of_no_frame for variable in variables_of(expression))


class _AtCut:
    """The candidates at a cut point where some variables are visible."""

    def __init__(self, text: ArrayText, visible: frozenset[Variable]) -> None:
        self._text = text
        self._visible = visible
        self._ranges = _Ranges(text, visible)
        self._facts = list(dict.fromkeys((*self._seen(text.bounds), *self._seen(text.facts))))

    def _seen(self, expressions: Iterable[Expression]) -> list[Expression]:
        """The first ones that have a meaning here."""
        return list(islice((e for e in expressions if _has_meaning(e, self._visible)), MOST_FACTS))

    def of_constants(self) -> Iterator[Expression]:
        """Bounds of indices, of elements, and of their sums."""
        yield from self._ranges.bounds()
        for fact in self._seen(self._text.bounds):
            yield from self._for_ranges(fact, (), wide=False)
        yield from self._seen(self._text.sums)

    def likely(self) -> Iterator[Expression]:
        """Bounds of indices, elements with their own indices, and the facts for what a usual loop has left behind."""
        yield from self._ranges.bounds()
        yield from self._seen(self._text.plain)
        yield from self._seen(self._text.so_far)
        yield from self._seen(self._text.sums)
        yield from self._in_ranges((), wide=False)

    def grown_or_in_states(self) -> Iterator[Expression]:
        """What elements have grown to so far, and bounds of fields of elements that are in a certain state."""
        for fact in (*self._seen(self._text.elements_so_far), *self._seen(self._text.by_state)):
            yield from self._for_ranges(fact, (), wide=False)

    def of_strides(self) -> Iterator[Expression]:
        """The facts for each of the elements that a loop with a stride deals with in a round, where it does so."""
        for residue in self._text.residues:
            yield from self._in_ranges((residue,), wide=False)

    def unlikely(self) -> Iterator[Expression]:
        """The facts for other ranges."""
        yield from self._in_ranges((), wide=True)

    def conditional(self) -> Iterator[Expression]:
        """The facts for elements for whose indices some condition of the program holds, or while some flag is set."""
        for condition in self._seen((*self._text.flags, *self._text.conditions)):
            yield from self._in_ranges((condition,), wide=False)

    def _in_ranges(self, conditions: tuple[Expression, ...], *, wide: bool) -> Iterator[Expression]:
        for fact in self._facts:
            yield from self._for_ranges(fact, conditions, wide=wide)

    def _for_ranges(self, fact: Expression, conditions: tuple[Expression, ...], *, wide: bool) -> Iterator[Expression]:
        for one in self._ranges.of(fact, wide=wide):
            if all(_has_meaning(part, self._visible) for part in one):
                yield _implied((*conditions, *one), fact)
