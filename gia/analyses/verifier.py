"""The built-in verifier: proves goals unreachable by inductive invariants at cut points.

It tries sources of invariants from cheap to expensive: none at all, intervals, comparisons of variables (Houdini),
constrained Horn clauses (Spacer). Whatever a source proposes is only a candidate: :mod:`gia.smt.induction` keeps what
is inductive, bit-precisely. Programs that end soon are unrolled instead. Direction OA: the result has ``ut`` states
only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import monotonic

from gia.analyses.equations import equations
from gia.analyses.houdini import Vocabulary, candidates_at
from gia.analyses.intervals import interval_candidates
from gia.analyses.regions import region_automaton
from gia.analyses.request import ActorRequest
from gia.analyses.sampling import Samples, consistent, draw_samples
from gia.analyses.unrolling import Unrolling, unroll, unrolled_automaton
from gia.automaton.model import Automaton, State
from gia.automaton.status import goal_status
from gia.automaton.union import union
from gia.cfa.expressions import Expression, Variable
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import IntegerType
from gia.smt.blocks import Skeleton, skeleton
from gia.smt.control_graph import ArcKey, InlinedGraph, OutOfTimeError, TooLargeError, visible_variables
from gia.smt.encoder import Encoder, Mode
from gia.smt.induction import Fixpoint, Induction
from gia.smt.solvers import make_solver
from gia.verdict import GoalStatus

NOTHING = Automaton((State(),), ())
"""The answer if nothing was proven."""

_NODE_LIMIT = 100_000
_CANDIDATES = 1_500
"""How many candidates a cut point gets in the Houdini stage."""
_SAMPLES = 60
"""How many samples are drawn for each cut point."""
_SAMPLING = 0.1
"""The share of the time that drawing them may take."""
_UNROLLING = 0.2
"""The share of the time that complete unrolling may take."""
_RESERVE = 0.1
"""The share of the time that is kept for making the evidence small."""

Candidates = Mapping[Node, Sequence[Expression]]


def run(request: ActorRequest) -> Automaton:
    """Prove as many open goals unreachable as the time allows; the region automaton of what was proven."""
    program = request.loaded.program
    status = goal_status(program, request.gia, request.goals)
    goals = [goal for goal in request.goals if status[goal.id] is GoalStatus.OPEN]
    if not goals:
        return NOTHING
    try:
        proof = Proof(request, goals)
    except OutOfTimeError:
        return NOTHING
    except TooLargeError:
        request.report(f"the inlined program has more than {_NODE_LIMIT} nodes")
        return NOTHING
    proof.search()
    return proof.automaton()


class Proof:
    """What has been proven so far: inductive invariants at cut points, and the arcs that they exclude.

    The union of two inductive sets with the claims that each excludes is inductive again, so that what one stage has
    proven is kept and helps the next one.
    """

    def __init__(self, request: ActorRequest, goals: Sequence[Goal]) -> None:
        self.request = request
        self.program = request.loaded.program
        self.goals = goals
        self.supergraph = Supergraph(self.program)
        edges = frozenset(number for goal in goals for number in goal.edges)
        graph = InlinedGraph(self.supergraph)
        self.shape: Skeleton[Node] = skeleton(self.program, graph, edges, limit=_NODE_LIMIT, deadline=request.deadline)
        self.induction = Induction(self.shape, Encoder(self.program, Mode.OVER), make_solver)
        self.invariants: dict[Node, tuple[Expression, ...]] = {}
        self.excluded: frozenset[ArcKey[Node]] = frozenset()
        self.reached: set[ArcKey[Node]] = set()
        self.unrolling: Unrolling | None = None
        self.samples = Samples()
        self._published = 0
        started = monotonic()
        self.deadline = request.deadline - _RESERVE * max(0.0, request.deadline - started)

    @property
    def open_goals(self) -> list[Goal]:
        """The goals that are not proven yet and not hopeless."""
        return [goal for goal in self.goals if not self._is_proven(goal) and not self._is_hopeless(goal)]

    def _is_proven(self, goal: Goal) -> bool:
        return self._by_invariants(goal) or self._by_unrolling(goal)

    def _by_invariants(self, goal: Goal) -> bool:
        return not goal.edges & self.shape.beyond and self.excluded.issuperset(self._claims(goal))

    def _by_unrolling(self, goal: Goal) -> bool:
        return self.unrolling is not None and not goal.edges & self.unrolling.feasible

    def _is_hopeless(self, goal: Goal) -> bool:
        """Whether no invariant can help: the goal is reached inside an unknown call, or before any cut point."""
        if goal.edges & self.shape.beyond:
            return True
        return any(claim in self.reached or claim in self.induction.certain for claim in self._claims(goal))

    def _claims(self, goal: Goal) -> list[ArcKey[Node]]:
        """The arcs that reach a goal, in a fixed order."""
        return [claim for edge in sorted(goal.edges) for claim in self.shape.claims_on.get(edge, ())]

    def search(self) -> None:
        """Run the stages until every goal is proven or the time is used up."""
        stages: tuple[tuple[str, Callable[[], Iterator[Candidates]]], ...] = (
            ("no invariants", self._no_candidates),
            ("intervals", self._intervals),
            ("complete unrolling", self._unrolling),
            ("equations in samples", self._equations),
            ("comparisons of variables", self._comparisons),
            ("Horn clauses", self._horn_clauses),
        )
        for name, stage in stages:
            if not self.open_goals:
                return
            try:
                for candidates in stage():
                    self._try(candidates)
                    self._report(name)
                    self._publish()
                    if not self.open_goals:
                        return
            except OutOfTimeError:
                self._report(f"{name}: out of time")
                if monotonic() >= self.deadline:
                    return

    def _report(self, stage: str) -> None:
        proven = sum(self._is_proven(goal) for goal in self.goals)
        self.request.report(f"{stage}: {proven} of {len(self.goals)} open goals are unreachable")

    def _publish(self) -> None:
        """Write down the evidence for what was proven since the last time."""
        proven = sum(self._is_proven(goal) for goal in self.goals)
        if proven > self._published and self.request.publish(self._evidence):
            self._published = proven

    def _try(self, candidates: Candidates) -> None:
        """Add what is inductive of the candidates to what is known, together with the claims that it excludes."""
        together = {cut: (*self.invariants.get(cut, ()), *candidates.get(cut, ())) for cut in self.shape.cuts}
        claims = [*self.excluded, *(claim for goal in self.open_goals for claim in self._claims(goal))]
        self._keep(self.induction.fixpoint(together, dict.fromkeys(claims), self.deadline))

    def _keep(self, fixpoint: Fixpoint[Node]) -> None:
        self.invariants = dict(fixpoint.invariants)
        self.excluded = fixpoint.proven

    # ---- stages

    def _no_candidates(self) -> Iterator[Candidates]:
        yield {}

    def _intervals(self) -> Iterator[Candidates]:
        yield interval_candidates(self.program, self.supergraph, self.shape, self.deadline)

    def _unrolling(self) -> Iterator[Candidates]:
        started = monotonic()
        deadline = started + _UNROLLING * max(0.0, self.deadline - started)
        encoder = Encoder(self.program, Mode.OVER)
        self.unrolling = unroll(self.supergraph, self.shape, encoder, make_solver(), deadline)
        if self.unrolling is not None:
            reached = self.unrolling.reached
            self.reached |= {claim for claim in self.shape.claims if claim.edge in reached}
        yield {}

    def _equations(self) -> Iterator[Candidates]:
        started = monotonic()
        deadline = started + _SAMPLING * max(0.0, self.deadline - started)
        variables = {
            cut: tuple(v for v in self._variables(cut) if isinstance(v.type, IntegerType)) for cut in self.invariants
        }
        self.samples = draw_samples(self.induction, variables, seed=self.request.seed, most=_SAMPLES, deadline=deadline)
        seen = self.samples.values
        yield {cut: tuple(equations(variables[cut], list(found))) for cut, found in seen.items()}

    def _comparisons(self) -> Iterator[Candidates]:
        edges = {arc.edge.number: arc.edge for leaving in self.shape.arcs.values() for arc in leaving}
        vocabulary = Vocabulary.of(self.program, [edges[number] for number in sorted(edges)])
        for limit in (_CANDIDATES // 10, _CANDIDATES):
            found = {cut: candidates_at(vocabulary, self._variables(cut), limit) for cut in self.invariants}
            yield {
                cut: consistent(self.induction, self.samples, cut, candidates, self.deadline)
                for cut, candidates in found.items()
            }

    def _horn_clauses(self) -> Iterator[Candidates]:
        from gia.analyses.chc import HornSystem, horn_candidates  # noqa: PLC0415 - Z3 takes time to load

        system = HornSystem(self.induction, self.supergraph, self.invariants, self.excluded, self.deadline)
        claims_of = {goal: self._claims(goal) for goal in self.open_goals}
        yield from horn_candidates(system, claims_of, self.deadline)

    def _variables(self, node: Node) -> tuple[Variable, ...]:
        return visible_variables(self.supergraph, node)

    # ---- evidence

    def automaton(self) -> Automaton:
        """The evidence for what is proven, with as few invariants as it needs."""
        invariant = self._invariant_edges()
        if invariant:
            self._reduce([claim for claim in self.shape.claims if claim.edge in invariant])
        return self._evidence()

    def _invariant_edges(self) -> frozenset[int]:
        """The edges of the goals that invariants exclude."""
        return frozenset(number for goal in self.goals if self._by_invariants(goal) for number in goal.edges)

    def _evidence(self) -> Automaton:
        """A region automaton of all invariants, and an unrolled one for the goals that need it."""
        found = []
        invariant = self._invariant_edges()
        if invariant:
            found.append(region_automaton(self.program, self.shape, self.invariants, invariant))
        others = [goal for goal in self.goals if self._by_unrolling(goal) and not goal.edges <= invariant]
        if others and self.unrolling is not None:
            edges = {self.program.edge_list[number].reference for goal in others for number in goal.edges}
            found.append(unrolled_automaton(self.unrolling, edges))
        return union(found) if found else NOTHING

    def _reduce(self, claims: Sequence[ArcKey[Node]]) -> None:
        """Drop invariants that the claims do not need: by halves, then one by one, those found last first."""
        items = [(cut, expression) for cut, kept in self.invariants.items() for expression in reversed(kept)]
        size = max(1, len(items))
        deadline = (self.deadline + self.request.deadline) / 2  # the rest is for writing the evidence
        while size >= 1 and items:
            position = 0
            while position < len(items):
                fewer = items[:position] + items[position + size :]
                candidates: dict[Node, list[Expression]] = {}
                for cut, expression in fewer:
                    candidates.setdefault(cut, []).insert(0, expression)
                try:
                    found = self.induction.fixpoint(candidates, claims, deadline)
                except OutOfTimeError:
                    return
                if found.proven.issuperset(claims):
                    self._keep(found)
                    items = [(cut, e) for cut, left in found.invariants.items() for e in reversed(left)]
                else:
                    position += size
            size //= 2
