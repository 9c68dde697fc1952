"""What formulas at a cut point can speak about: the integer variables whose values are plain variables there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from gia.cfa.expressions import Expression, VariableReference
from gia.cfa.quantified import ANY_NUMBER, is_quantified
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import IntegerType
from gia.smt.invariants.control_graph import visible_variables
from gia.smt.invariants.induction import Induction
from gia.smt.invariants.instances import NUMBER, with_number
from gia.smt.terms import Kind, SortKind, Term, equal, ite, rebuild, select, variable


class Point(Struct, frozen=True):
    r"""The integer variables of a cut point, and their terms in the arbitrary state there, in the same order.

    There may be elements of arrays among them, also with the index ``\any``, which is one of the variables then.
    """

    terms: tuple[Term, ...]
    references: tuple[Expression, ...]

    @property
    def leaves(self) -> Mapping[Term, Expression]:
        """What the terms stand for."""
        return dict(zip(self.terms, self.references, strict=True))

    def restricted(self, kept: Collection[Term]) -> Point:
        """The point with a part of its variables."""
        pairs = [pair for pair in zip(self.terms, self.references, strict=True) if pair[0] in kept]
        return Point(tuple(term for term, _ in pairs), tuple(reference for _, reference in pairs))


def point_at(induction: Induction[Node], supergraph: Supergraph, cut: Node, deadline: float) -> Point:
    """The point of a cut point; the variables in the order of :func:`visible_variables`."""
    block = induction.block(cut, deadline)
    found: dict[Term, VariableReference] = {}
    for visible in visible_variables(supergraph, cut):
        if isinstance(visible.type, IntegerType):
            reference = VariableReference(visible)
            term = induction.encoder.evaluate(reference, block.initial, cut.context)
            if term.kind is Kind.VARIABLE:
                found.setdefault(term, reference)
    return Point(tuple(found), tuple(found.values()))


def conjuncts(formula: Term) -> tuple[Term, ...]:
    """The parts of a conjunction."""
    return formula.children if formula.kind is Kind.AND else (formula,)


class Flattening:
    """Terms with everything that is no Boolean or bit-vector operation replaced by fresh variables."""

    def __init__(self) -> None:
        self._found: dict[Term, Term] = {}

    def __call__(self, term: Term) -> Term:
        """The term over Booleans and bit-vectors; equal parts are replaced by the same variable."""
        pending = [term]
        while pending:
            part = pending[-1]
            sources = (_read_before(part),) if _reads_written(part) else part.children
            missing = [source for source in sources if source not in self._found]
            pending.extend(missing)
            if not missing:
                self._found[pending.pop()] = self._replaced(part, [self._found[source] for source in sources])
        return self._found[term]

    def _replaced(self, part: Term, sources: Sequence[Term]) -> Term:
        if not part.children:
            return part
        if _reads_written(part):
            return sources[0]
        plain = (SortKind.BOOL, SortKind.BV)
        if part.sort.kind in plain and all(child.sort.kind in plain for child in part.children):
            return rebuild(part, sources)
        return variable(f"abstracted{part.number}", part.sort)


def _reads_written(term: Term) -> bool:
    return term.kind is Kind.SELECT and term.children[0].kind in (Kind.STORE, Kind.ITE)


def _read_before(read: Term) -> Term:
    """An element of an array that was written, or is one of two, by those of the arrays it is made of."""
    array, index = read.children
    if array.kind is Kind.STORE:
        inner, place, value = array.children
        return ite(equal(index, place), value, select(inner, index))
    condition, then, other = array.children
    return ite(condition, select(then, index), select(other, index))


def with_elements(
    point: Point, elements: Iterable[Expression], induction: Induction[Node], cut: Node, flat: Flattening
) -> Point:
    r"""The point with integers in memory, as far as ``flat`` makes variables of them in the arbitrary state.

    ``elements`` may have the index ``\any``: they are those of the arbitrary number.
    """
    initial = with_number(induction.block(cut).initial, NUMBER)
    found: dict[Term, Expression] = dict(zip(point.terms, point.references, strict=True))
    before = len(found)
    quantified = False
    for element in elements:
        term = flat(induction.encoder.evaluate(element, initial, cut.context))
        if term.kind is Kind.VARIABLE and term not in found:
            found[term] = element
            quantified |= is_quantified(element)
    if quantified:
        found[NUMBER] = VariableReference(ANY_NUMBER)
    return Point(tuple(found), tuple(found.values())) if len(found) > before else point
