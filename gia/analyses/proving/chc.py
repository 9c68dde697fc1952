"""The program as constrained Horn clauses over its cut points, solved for invariants.

Source: N. Bjørner, A. Gurfinkel, K. McMillan & A. Rybalchenko, *Horn clause solvers for program verification*, 2015;
one clause for each pair of cut points with a block between them (large-block encoding). A cut point's predicate speaks
about the integer variables that exist there and have an influence on the goals. What is not linear arithmetic on
integers (memory, floating point) is replaced by arbitrary values, and the integers may be unbounded in a first attempt:
a solution is only a source of candidates for :mod:`gia.smt.induction`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import monotonic

from gia.analyses.proving.points import Flattening, Point, conjuncts, point_at
from gia.cfa.expressions import Expression
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import IntegerType
from gia.smt.blocks import Block
from gia.smt.control_graph import ArcKey
from gia.smt.horn import Arithmetic, Clause, Predicate, Strategy, solve
from gia.smt.induction import Induction
from gia.smt.terms import Term, conjunction, negation, variables_of
from gia.smt.to_expression import to_expression


class HornSystem:
    """The clauses of one skeleton, under invariants and excluded arcs that are known."""

    def __init__(
        self,
        induction: Induction[Node],
        supergraph: Supergraph,
        invariants: Mapping[Node, Sequence[Expression]],
        excluded: Iterable[ArcKey[Node]],
        deadline: float,
    ) -> None:
        self.induction = induction
        self.supergraph = supergraph
        self.invariants = invariants
        self.excluded = frozenset(excluded)
        self.deadline = deadline
        self.flat = Flattening()
        self.blocks = [induction.block(start, deadline) for start in (None, *invariants)]
        self.points = {cut: point_at(induction, supergraph, cut, deadline) for cut in invariants}

    def candidates(self, claims: Iterable[ArcKey[Node]], strategy: Strategy, seconds: float) -> _Candidates | None:
        """Invariants that exclude the claims as far as the clauses tell; ``None`` if the solver found none."""
        wanted = frozenset(claims)
        kept = self._influential(wanted)
        points = {cut: point.restricted(kept[cut]) for cut, point in self.points.items()}
        predicates = {cut: as_predicate(f"cut{number}", point) for number, (cut, point) in enumerate(points.items())}
        clauses = [clause for block in self.blocks for clause in self._clauses(block, points, predicates, wanted)]
        solution = solve(clauses, strategy, seconds)
        if solution is None:
            return None
        found: _Candidates = {}
        for cut, point in points.items():
            formula = solution.get(predicates[cut].name)
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
        known += [negation(guard) for claim, guard in block.guards.items() if claim in self.excluded]
        for claim, guard in block.guards.items():
            if claim in claims:
                yield Clause(body, self.flat(conjunction(guard, *known)), None, ())
        for cut, state in block.exits.items():
            if cut in points:
                point = points[cut]
                values = [
                    self.flat(self.induction.encoder.evaluate(reference, state, cut.context))
                    for reference in point.references
                ]
                yield Clause(body, self.flat(conjunction(state.guard, *known)), predicates[cut], tuple(values))

    def _known(self, block: Block[Node], start: Node) -> list[Term]:
        encoder = self.induction.encoder
        return [encoder.condition(known, block.initial, start.context) for known in self.invariants[start]]

    def _influential(self, claims: frozenset[ArcKey[Node]]) -> dict[Node, frozenset[Term]]:
        """For each cut point the variables that the claims or the control flow depend on, directly or later on."""
        kept: dict[Node, frozenset[Term]] = dict.fromkeys(self.points, frozenset())
        changed = True
        while changed:
            changed = False
            for block in self.blocks:
                if block.start is None:
                    continue
                needed = [guard for claim, guard in block.guards.items() if claim in claims]
                for cut, state in block.exits.items():
                    if cut not in self.points:
                        continue
                    needed.append(state.guard)
                    for reference, term in zip(self.points[cut].references, self.points[cut].terms, strict=True):
                        if term in kept[cut]:
                            needed.append(self.induction.encoder.evaluate(reference, state, cut.context))
                mine = frozenset(variables_of(*(self.flat(term) for term in needed)))
                mine &= frozenset(self.points[block.start].terms)
                if not mine <= kept[block.start]:
                    kept[block.start] |= mine
                    changed = True
        return kept


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
