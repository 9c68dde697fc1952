"""What an over-approximating actor has proven so far: inductive invariants at cut points, and the arcs they exclude.

Sources of candidates (:mod:`.stages`) only propose; :mod:`gia.smt.invariants.induction` keeps what is inductive,
bit-precisely. So every stage is sound by itself, and the order of the stages decides about time only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from time import monotonic

from msgspec import Struct
from msgspec.structs import replace

from gia.analyses.known_tests import known_inputs
from gia.analyses.proving.executions import Inputs
from gia.analyses.proving.regions import region_automaton
from gia.analyses.proving.samples import Samples
from gia.analyses.proving.unrolling import Unrolling, unrolled_automaton
from gia.analyses.request import ActorRequest, report_unmodelled
from gia.automaton.model import Automaton, State
from gia.automaton.status import goal_status
from gia.automaton.union import union
from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import IntegerType
from gia.errors import Position
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.invariants.blocks import Skeleton, skeleton
from gia.smt.invariants.control_graph import ArcKey, InlinedGraph, OutOfTimeError, TooLargeError, visible_variables
from gia.smt.invariants.cores import needed_invariants
from gia.smt.invariants.fixpoint import Fixpoint
from gia.smt.invariants.induction import Induction
from gia.smt.invariants.rounds import Rounds
from gia.smt.solvers import make_solver
from gia.verdict import GoalStatus

NOTHING = Automaton((State(),), ())
"""The answer if nothing was proven."""

NODE_LIMIT = 100_000
"""Inlined programs with more nodes are not looked at."""
_RESERVE = 0.1
"""The share of the time that is kept for making the evidence small."""
_REDUCING = 2.0
"""The seconds in which it may be looked up what a proof needs in any case; else no longer than the search took."""
_ONE_BY_ONE = 0.5
"""The seconds in which single invariants are left out then: enough for a proof that somebody reads."""

Candidates = Mapping[Node, Sequence[Expression]]
"""Proposed invariants of cut points."""


class Proof:
    """What has been proven so far: inductive invariants at cut points, and the arcs that they exclude.

    The union of two inductive sets with the claims that each excludes is inductive again, so that what one stage has
    proven is kept and helps the next one.
    """

    def __init__(self, request: ActorRequest, goals: Sequence[Goal], contracts: bool) -> None:
        self.request = request
        self.program = request.loaded.program
        self.goals = goals
        self.supergraph = Supergraph(self.program)
        edges = frozenset(number for goal in goals for number in goal.edges)
        graph = InlinedGraph(self.supergraph, contracts, Rounds.of(self.supergraph))
        self.shape: Skeleton[Node] = skeleton(self.program, graph, edges, limit=NODE_LIMIT, deadline=request.deadline)
        self.induction = Induction(self.shape, Encoder(self.program, Mode.OVER, with_pools=True), make_solver)
        self.invariants: dict[Node, tuple[Expression, ...]] = {}
        self.excluded = frozenset[ArcKey[Node]]()
        self.reached: set[ArcKey[Node]] = set()
        """Claims for which there is a model: nobody will prove them."""
        self.unrolling: Unrolling | None = None
        self.encoders = [self.induction.encoder]
        """Those whose formulas the proof depends on; the first one starts from any state."""
        self.samples = Samples()
        self.linear: Candidates = {}
        """Linear equations and congruences that hold in the samples."""
        self._interrupted = True
        """Whether what is known now may prove more claims: there was no time for all, or they were never looked at."""
        self.unfinished: dict[Hashable, object] = {}
        """What stages keep from which they go on when they are run again."""
        self._published = 0
        self._reported: set[tuple[Position, str]] = set()
        self._started = monotonic()
        self.deadline = request.deadline - _RESERVE * max(0.0, request.deadline - self._started)

    @property
    def open_goals(self) -> list[Goal]:
        """The goals that are not proven yet and not hopeless, and that others have not decided meanwhile."""
        decided = self.request.others.decided()
        left = [goal for goal in self.goals if goal.id not in decided]
        return [goal for goal in left if not self.is_proven(goal) and not self._is_hopeless(goal)]

    @property
    def cuts(self) -> tuple[Node, ...]:
        """The cut points that executions may reach, as far as is known: all of them until a fixpoint was found."""
        return tuple(self.invariants) or self.shape.cuts

    def is_proven(self, goal: Goal) -> bool:
        """Whether no execution reaches the goal."""
        return self.by_invariants(goal) or self._by_unrolling(goal)

    def by_invariants(self, goal: Goal) -> bool:
        """Whether the invariants exclude the goal."""
        return not goal.edges & self.shape.beyond and self.excluded.issuperset(self.claims_of(goal))

    def _by_unrolling(self, goal: Goal) -> bool:
        return self.unrolling is not None and goal.edges <= self.unrolling.excluded

    def _is_hopeless(self, goal: Goal) -> bool:
        """Whether no invariant can help: the goal is reached inside an unknown call, or before any cut point."""
        if goal.edges & self.shape.beyond:
            return True
        return any(claim in self.reached or claim in self.induction.certain for claim in self.claims_of(goal))

    def claims_of(self, goal: Goal) -> list[ArcKey[Node]]:
        """The arcs that reach a goal, in a fixed order."""
        return [claim for edge in sorted(goal.edges) for claim in self.shape.claims_on.get(edge, ())]

    def variables(self, node: Node) -> tuple[Variable, ...]:
        """The variables that invariants at a node may speak about."""
        return visible_variables(self.supergraph, node)

    def integers(self, node: Node) -> tuple[VariableReference, ...]:
        """Those of them that are integers."""
        return tuple(VariableReference(v) for v in self.variables(node) if isinstance(v.type, IntegerType))

    @cached_property
    def tests(self) -> tuple[Inputs, ...]:
        """What the tests that the GIA holds read."""
        return tuple([value.bits for value in inputs] for inputs in known_inputs(self.request))

    def report(self, stage: str) -> None:
        """Say how far the proof is."""
        proven = sum(self.is_proven(goal) for goal in self.goals)
        self.request.report(f"{stage}: {proven} of {len(self.goals)} open goals are unreachable")

    def search(self, stages: Sequence[Stage], share: float = 1.0) -> None:
        """Run the stages until every goal is proven or that share of the time is used up.

        Each has a part of the time that is left, by its weight among those that follow. What it does not need is left
        to them; those that needed more are run again after the last one.
        """
        whole, started = self.deadline, monotonic()
        end = started + share * max(0.0, whole - started)
        left = list(stages)
        try:
            while left and self.open_goals and monotonic() < end:
                left = self._round(left, end)
        finally:
            self.deadline = whole

    def _round(self, stages: Sequence[Stage], end: float) -> list[Stage]:
        """Run each stage once; those that ran out of their time."""
        interrupted = []
        for number, stage in enumerate(stages):
            now = monotonic()
            if now >= end or not self.open_goals:
                break
            weights = sum(following.weight for following in stages[number:])
            self.deadline = now + (end - now) * stage.weight / weights
            if not self._finishes(stage):
                interrupted.append(stage)
        return interrupted

    def _finishes(self, stage: Stage) -> bool:
        """Run a stage; whether its time was enough."""
        try:
            for candidates in stage.source(self):
                if self.open_goals:  # a stage may have decided them itself
                    self.add(candidates)
                self.report(stage.name)
                self._publish()
                if not self.open_goals:
                    return True
        except OutOfTimeError:
            self.report(f"{stage.name}: out of time")
            return monotonic() < self.deadline
        finally:
            self._report_unmodelled()
        return True

    def _report_unmodelled(self) -> None:
        """Say what the formulas leave out, as soon as it is known.

        What the induction does not know of pointers is of interest only while it leaves goals open.
        """
        found = {
            (place.position, f"{place.reason}: where it leads is not known in loops" if induced else place.reason)
            for encoder in self.encoders
            for place in encoder.imprecisions
            if not (induced := place.by_state and encoder is self.induction.encoder) or self.open_goals
        }
        report_unmodelled(self.request, found - self._reported)
        self._reported |= found

    def _publish(self) -> None:
        """Write down the evidence for what was proven since the last time."""
        proven = sum(self.is_proven(goal) for goal in self.goals)
        if proven > self._published and self.request.publish(self._evidence):
            self._published = proven

    def add(self, candidates: Candidates) -> None:
        """Add what is inductive of the candidates to what is known, together with the claims that it excludes.

        Raises :class:`OutOfTimeError`; what was known stays known then, and what was proven in time is.
        """
        known = {cut: frozenset(kept) for cut, kept in self.invariants.items()}
        new = {cut: [e for e in found if e not in known.get(cut, ())] for cut, found in candidates.items()}
        if not self._interrupted and not any(new.values()):
            return
        claims = [claim for goal in self.open_goals for claim in self.claims_of(goal)]
        given = replace(Fixpoint[Node].nothing(), invariants=self.invariants, proven=self.excluded)
        self._interrupted = True
        found = self.induction.fixpoint(new, dict.fromkeys(claims), self.deadline, given)
        self._keep(found)
        self._interrupted = found.interrupted
        if found.interrupted:
            raise OutOfTimeError

    def adopt(self, fixpoint: Fixpoint[Node], cuts: Container[Node], goals: Iterable[Goal]) -> None:
        """Add invariants under which ``goals`` are infeasible, and which are inductive where these are not executed.

        They are about ``cuts``; nothing new is known of other cut points.
        """
        known, found = self.invariants, fixpoint.invariants
        reached = [cut for cut in self.cuts if cut in found or cut not in cuts]
        self.invariants = {cut: tuple(dict.fromkeys((*known.get(cut, ()), *found.get(cut, ())))) for cut in reached}
        self.excluded |= {claim for goal in goals for claim in self.claims_of(goal)}

    def _keep(self, fixpoint: Fixpoint[Node]) -> None:
        self.invariants = dict(fixpoint.invariants)
        self.excluded = fixpoint.proven

    # ---- evidence

    def automaton(self) -> Automaton:
        """The evidence for what is proven, with as few invariants as it needs."""
        invariant = self._invariant_edges()
        if invariant:
            self._reduce([claim for claim in self.shape.claims if claim.edge in invariant])
        return self._evidence()

    def automaton_with_open(self) -> Automaton:
        """The evidence with all invariants; the goals that are open are candidates behind them."""
        return self._evidence(frozenset(number for goal in self.goals for number in goal.edges))

    def _invariant_edges(self) -> frozenset[int]:
        """The edges of the goals that invariants exclude."""
        return frozenset(number for goal in self.goals if self.by_invariants(goal) for number in goal.edges)

    def _evidence(self, candidates: frozenset[int] = frozenset()) -> Automaton:
        """A region automaton of all invariants, and an unrolled one for the goals that need it."""
        found = []
        invariant = self._invariant_edges()
        left = candidates - invariant
        if invariant or (left and any(self.invariants.values())):
            found.append(region_automaton(self.program, self.shape, self.invariants, invariant, left))
        others = [goal for goal in self.goals if self._by_unrolling(goal) and not goal.edges <= invariant]
        if others and self.unrolling is not None:
            edges = {self.program.edge_list[number].reference for goal in others for number in goal.edges}
            found.append(unrolled_automaton(self.unrolling, edges))
        return union(found) if found else NOTHING

    def _reduce(self, claims: Collection[ArcKey[Node]]) -> None:
        """Drop invariants that the claims do not need: those of which no step of the proof speaks, then one by one,
        those found last first.

        What is left is proven with solvers of its own, as a checker has: they do not know elements of arrays of which
        only other candidates spoke.
        """
        now = monotonic()
        latest = (self.deadline + self.request.deadline) / 2  # the rest is for writing the evidence
        try:
            end = min(latest, now + max(_REDUCING, now - self._started))
            needed = needed_invariants(self.induction, self.invariants, claims, end)
            found = self.induction.with_solvers(make_solver).fixpoint(needed, claims, end)
            if found.proven.issuperset(claims):
                self._keep(found)
            self._reduce_one_by_one(claims, min(latest, monotonic() + _ONE_BY_ONE))
        except OutOfTimeError:
            return

    def _reduce_one_by_one(self, claims: Collection[ArcKey[Node]], deadline: float) -> None:
        """Drop each invariant without which the others are still a proof."""
        for cut, expression in [(cut, each) for cut, kept in self.invariants.items() for each in reversed(kept)]:
            if cut in self.invariants:
                fewer = tuple(each for each in self.invariants[cut] if each is not expression)
                solvers = self.induction.with_solvers(make_solver)
                found = solvers.fixpoint_of_all({**self.invariants, cut: fewer}, claims, deadline)
                if found is not None:
                    self._keep(found)


class Stage(Struct, frozen=True):
    """A source of candidates, which may raise :class:`OutOfTimeError`, and its weight when time is shared out."""

    name: str
    source: Callable[[Proof], Iterator[Candidates]]
    weight: float = 1.0


def begin(request: ActorRequest, *, contracts: bool = False) -> Proof | None:
    """The proof of the goals that the request's GIA leaves open; ``None`` if there is none or it is out of reach.

    With ``contracts`` recursive functions are looked at once for all calls; else nothing is known of such calls.
    """
    status = goal_status(request.loaded.program, request.gia, request.goals)
    goals = [goal for goal in request.goals if status[goal.id] is GoalStatus.OPEN]
    if not goals:
        return None
    try:
        return Proof(request, goals, contracts)
    except OutOfTimeError:
        return None
    except TooLargeError:
        request.report(f"the inlined program has more than {NODE_LIMIT} nodes")
        return None


def prove(request: ActorRequest, stages: Sequence[Stage]) -> Automaton:
    """Prove as many open goals unreachable as the stages and the time allow; the evidence."""
    proof = begin(request, contracts=True)
    if proof is None:
        return NOTHING
    proof.search(stages)
    return proof.automaton()
