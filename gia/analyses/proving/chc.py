"""The program as constrained Horn clauses over its cut points, solved for invariants.

Source: N. Bjørner, A. Gurfinkel, K. McMillan & A. Rybalchenko, *Horn clause solvers for program verification*, 2015;
one clause for each pair of cut points with a block between them (large-block encoding). A cut point's predicate speaks
about the integer variables that exist there and have an influence on the goals. What is not linear arithmetic on
integers (memory, floating point) is replaced by arbitrary values, and the integers may be unbounded in a first attempt:
a solution is only a source of candidates for :mod:`gia.smt.invariants.induction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic
from types import MappingProxyType

from gia.analyses.proving.points import Flattening, Point, conjuncts, point_at, with_elements
from gia.cfa.expressions import Expression
from gia.cfa.goals import Goal
from gia.cfa.quantified import is_quantified
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import IntegerType
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.to_expression import to_expression
from gia.smt.invariants.blocks import Block
from gia.smt.invariants.control_graph import ArcKey
from gia.smt.invariants.induction import Induction
from gia.smt.invariants.instances import NUMBER, indices_of, with_number
from gia.smt.solvers.horn import Arithmetic, Clause, Predicate, Strategy, solve
from gia.smt.terms import (
    TRUE,
    Term,
    bv_const,
    bv_sort,
    conjunction,
    implication,
    ite,
    negation,
    substitute,
    variable,
    variables_of,
)

_MOST_INDICES = 6
"""At so many indices the relation at the start of a block is used."""
RETURNED = variable("returned", bv_sort(8))
"""The first parameter of the relation at the end of a function: whether there was a call at all."""
YES, NO = bv_const(1, 8), bv_const(0, 8)


class HornSystem:
    """The clauses of one skeleton, under invariants and excluded arcs that are known."""

    def __init__(
        self,
        induction: Induction[Node],
        supergraph: Supergraph,
        invariants: Mapping[Node, Sequence[Expression]],
        excluded: Iterable[ArcKey[Node]],
        deadline: float,
        *,
        elements: Mapping[Node, Sequence[Expression]] = MappingProxyType({}),
    ) -> None:
        self.induction = induction
        self.supergraph = supergraph
        self.invariants = invariants
        self.excluded = frozenset(excluded)
        self.deadline = deadline
        self.flat = Flattening()
        self._read: dict[Node | None, tuple[Term, ...]] = {}
        self.blocks = [induction.block(start, deadline) for start in (None, *invariants)]
        self.contracts = frozenset(use.contract for block in self.blocks for use in block.uses)
        self.points = {cut: self._point(cut, elements.get(cut, ())) for cut in invariants}

    def _point(self, cut: Node, elements: Sequence[Expression]) -> Point:
        point = point_at(self.induction, self.supergraph, cut, self.deadline)
        if cut in self.induction.shape.borders:
            return point
        return with_elements(point, elements, self.induction, cut, self.flat)

    def candidates(self, claims: Iterable[ArcKey[Node]], strategy: Strategy, seconds: float) -> _Candidates | None:
        """Invariants that exclude the claims as far as the clauses tell; ``None`` if the solver found none."""
        wanted = frozenset(claims)
        kept = self._influential(wanted)
        points = {cut: point.restricted(kept[cut]) for cut, point in self.points.items()}
        predicates = {cut: as_predicate(f"cut{number}", point) for number, (cut, point) in enumerate(points.items())}
        not_called = []
        for cut in self.contracts & points.keys():
            plain = predicates[cut]
            predicates[cut] = Predicate(plain.name, (RETURNED, *plain.parameters), (True, *plain.signed))
            not_called.append(Clause(None, TRUE, predicates[cut], (NO, *points[cut].terms)))
        clauses = [clause for block in self.blocks for clause in self._clauses(block, points, predicates, wanted)]
        clauses += not_called
        solution = solve(clauses, strategy, seconds)
        if solution is None:
            return None
        found: _Candidates = {}
        for cut, point in points.items():
            formula = solution.get(predicates[cut].name)
            if formula is not None and cut in self.contracts:
                formula = substitute(formula, {RETURNED: YES})
            expressions = [to_expression(part, point.leaves) for part in conjuncts(formula)] if formula else []
            found[cut] = tuple(expression for expression in expressions if expression is not None)
        return found

    def _clauses(
        self,
        block: Block[Node],
        points: Mapping[Node, Point],
        predicates: Mapping[Node, Predicate],
        claims: frozenset[ArcKey[Node]],
    ) -> Iterator[Clause]:
        """The clauses whose body is the block's start."""
        body = None if block.start is None else predicates[block.start]
        known = [] if block.start is None else self._known(block, block.start)
        known += self._known_of_calls(block)
        known += [negation(guard) for claim, guard in block.guards.items() if claim in self.excluded]
        for claim, guard in block.guards.items():
            if claim in claims:
                constraint = self.flat(conjunction(guard, *known))
                yield Clause(body, constraint, None, (), self._uses(block, points, predicates, [constraint]))
        for cut, state in block.exits.items():
            if cut in points:
                values = self._values(points[cut], state, cut)
                if cut in self.contracts:
                    values = (YES, *values)
                constraint = self.flat(conjunction(state.guard, *known))
                uses = self._uses(block, points, predicates, [constraint, *values])
                yield Clause(body, constraint, predicates[cut], values, uses)

    def _values(self, point: Point, state: SymbolicState, cut: Node, number: Term = NUMBER) -> tuple[Term, ...]:
        """The values of a cut point's variables in a state, with a number as the arbitrary index."""
        evaluate = self.induction.encoder.evaluate
        if NUMBER in self.points[cut].terms:
            state = with_number(state, number)
        return tuple(self.flat(evaluate(reference, state, cut.context)) for reference in point.references)

    def _uses(
        self,
        block: Block[Node],
        points: Mapping[Node, Point],
        predicates: Mapping[Node, Predicate],
        terms: Sequence[Term],
    ) -> tuple[tuple[Predicate, tuple[Term, ...]], ...]:
        """The contracts of the calls in a block; each says nothing where its call has not returned.

        What holds at the block's start does for the elements of arrays that a clause's ``terms`` mention, too.
        """
        start = block.start
        found = []
        if start is not None and any(is_quantified(reference) for reference in points[start].references):
            mentioned = frozenset(variables_of(*terms))
            for number in self._indices(block):
                values = self._values(points[start], block.initial, start, number)
                if not mentioned.isdisjoint(frozenset(values) - frozenset(points[start].terms)):
                    found.append((predicates[start], values))
        for use in block.uses:
            if use.contract in points:
                returned = ite(use.returned, YES, NO)
                values = self._values(points[use.contract], use.end, use.contract)
                found.append((predicates[use.contract], (self.flat(returned), *values)))
        return tuple(found)

    def _known(self, block: Block[Node], start: Node) -> list[Term]:
        encoder = self.induction.encoder
        found = []
        for known in self.invariants[start]:
            numbers = (NUMBER, *self._indices(block)) if is_quantified(known) else ()
            states = [with_number(block.initial, number) for number in numbers] or [block.initial]
            found += [encoder.condition(known, state, start.context) for state in states]
        return found

    def _indices(self, block: Block[Node]) -> tuple[Term, ...]:
        """The indices at which a block reads and writes arrays."""
        if block.start not in self._read:
            self._read[block.start] = indices_of([block])[:_MOST_INDICES]
        return self._read[block.start]

    def _known_of_calls(self, block: Block[Node]) -> Iterator[Term]:
        """What is known where the calls of a block end; one whose end nobody reaches does not return."""
        for use in block.uses:
            known = self.invariants.get(use.contract)
            if known is None:
                yield negation(use.returned)
            for expression in known or ():
                condition = self.induction.encoder.condition(expression, use.end, use.contract.context)
                yield implication(use.returned, condition)

    def _influential(self, claims: frozenset[ArcKey[Node]]) -> dict[Node, frozenset[Term]]:
        """For each cut point the variables that the claims or the control flow depend on, directly or later on."""
        kept = {cut: frozenset(p.terms if cut in self.contracts else ()) for cut, p in self.points.items()}
        changed = True
        while changed:
            changed = False
            for block in self.blocks:
                if block.start is None:
                    continue
                needed = [guard for claim, guard in block.guards.items() if claim in claims]
                ends = [(use.contract, use.end) for use in block.uses]
                for cut, state in (*block.exits.items(), *ends):
                    if cut not in self.points:
                        continue
                    needed.append(state.guard)
                    needed += self._values(self.points[cut].restricted(kept[cut]), state, cut)
                mine = frozenset(variables_of(*(self.flat(term) for term in needed)))
                mine = self._as_elements(block, mine) & frozenset(self.points[block.start].terms)
                if not mine <= kept[block.start]:
                    kept[block.start] |= mine
                    changed = True
        return kept

    def _as_elements(self, block: Block[Node], variables: frozenset[Term]) -> frozenset[Term]:
        """The variables with those that stand for the same array's arbitrary element."""
        start = block.start
        if start is None or NUMBER not in self.points[start].terms:
            return variables
        found = set(variables)
        point = self.points[start]
        for number in self._indices(block):
            values = self._values(point, block.initial, start, number)
            read = {t for t, value in zip(point.terms, values, strict=True) if value in variables and value is not t}
            found |= read | ({NUMBER} if read else set())
        return frozenset(found)


_STRATEGIES = (
    Strategy(Arithmetic.INTEGERS),
    Strategy(Arithmetic.INTEGERS, guided=True),
    Strategy(Arithmetic.BOUNDED_INTEGERS, guided=True),
    Strategy(Arithmetic.BOUNDED_INTEGERS),
    Strategy(Arithmetic.BIT_VECTORS),
)
"""From fast to exact."""
_FIRST_SLICE = 1.0
"""The seconds that each has in the first round."""

_Candidates = dict[Node, tuple[Expression, ...]]


def as_predicate(name: str, point: Point) -> Predicate:
    """The unknown relation between the variables of a cut point."""
    signed = tuple(isinstance(r.type, IntegerType) and r.type.signed for r in point.references)
    return Predicate(name, point.terms, signed)


def horn_candidates(
    system: HornSystem, claims_of: Mapping[Goal, Sequence[ArcKey[Node]]], deadline: float
) -> Iterator[_Candidates]:
    """Candidates for all goals together, then for each goal alone, in rounds of growing length.

    What ends before its time is not repeated: the same question has the same answer.
    """
    together = [claim for claims in claims_of.values() for claim in claims]
    groups = [together] + ([list(claims) for claims in claims_of.values()] if len(claims_of) > 1 else [])
    pending = [(strategy, group) for group in groups for strategy in _STRATEGIES]
    seconds = _FIRST_SLICE
    while pending:
        unfinished = []
        for strategy, group in pending:
            left = deadline - monotonic()
            if left <= 0:
                return
            started = monotonic()
            found = system.candidates(group, strategy, min(seconds, left))
            if found is not None:
                yield found
            elif monotonic() - started >= seconds:
                unfinished.append((strategy, group))
        pending = unfinished
        seconds *= 2
