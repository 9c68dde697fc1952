"""Symbolic execution without concrete seeds: states are followed towards open goals and merged where they meet.

Sources: J. C. King, *Symbolic execution and program testing*, CACM 1976; merging of states that wait at the same place
as in V. Kuznetsov, J. Kinder, S. Bucur & G. Candea, *Efficient state merging in symbolic execution*, PLDI 2012 (dynamic
merging: a state is merged with another one only if that one has not gone on yet); what is nearest to a goal goes on
first, as in K.-K. Ma et al., *Directed symbolic execution*, SAS 2011. Deviation: models are not believed but executed.
"""

from __future__ import annotations

import heapq
from itertools import count
from time import monotonic

from gia.analyses.request import ActorRequest, report_unmodelled, search_deadline
from gia.analyses.testing.bounded import zero_defaults
from gia.analyses.testing.campaign import Campaign, campaign
from gia.analyses.testing.distances import UNREACHABLE, Distances, Nearness
from gia.automaton.model import Automaton
from gia.cfa.operations import Assume
from gia.cfa.order import UnfoldingOrder, UnfoldNode, UnfoldStep
from gia.cfa.supergraph import Supergraph
from gia.errors import Position
from gia.native import InputValue
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState, inputs_under, merge
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import TRUE, Term
from gia.verdict import StopKind, StopReason

RECURSION = 50
"""How often a function may be on the stack."""

VISIT_PENALTY = 3
"""What each visit of a location adds to the distance of the states that wait there: loops give way to what is new."""

QUERY_SECONDS = 1.0
QUERIES_OF_ONE_SOLVER = 400
"""After so many queries a new solver begins: what an old one remembers makes it slow."""


class SymbolicExecution:
    """The symbolic execution of a campaign's program."""

    def __init__(self, found: Campaign, *, merging: bool = True) -> None:
        program = found.request.loaded.program
        self.queries = self.states = self.merged = self.missed = 0
        self._campaign = found
        self._merging = merging
        self._order = UnfoldingOrder(Supergraph(program, RECURSION))
        self._encoder = Encoder(program)
        self._solver: Solver = make_solver()
        self._asked = 0
        self._distances = Distances(program)
        self._near = Nearness()
        self._near_for = 0
        self._visits: dict[int, int] = {}
        self._waiting: dict[UnfoldNode, list[SymbolicState]] = {}
        self._heap: list[tuple[int, int, UnfoldNode]] = []
        self._numbers = count()
        self._deadline = 0.0

    def search(self, deadline: float) -> StopReason:
        """Follow states until no goal is open, no state is left or the deadline passes."""
        self._deadline = deadline
        self._near = self._distances_to_open()
        self._enter(self._order.start(), self._encoder.initial_state())
        while self._heap and not self._campaign.finished:
            if monotonic() >= deadline:
                return StopReason(StopKind.TIME)
            self._campaign.listen()
            _, _, node = heapq.heappop(self._heap)
            states = self._waiting.get(node)
            if not states:
                continue
            state = states.pop()
            self.states += 1
            location = node.node.location
            self._visits[location] = self._visits.get(location, 0) + 1
            moves = self._order.successors(node)
            for move in moves:
                self._follow(node, state, move, forks=len(moves) > 1)
        if not self._campaign.open:
            return StopReason(StopKind.DECIDED)
        return StopReason(StopKind.TIME if self._heap else StopKind.EXHAUSTED)

    def _follow(self, node: UnfoldNode, state: SymbolicState, move: UnfoldStep, *, forks: bool) -> None:
        """Take one step from a state, if that is possible and can lead to an open goal."""
        edge = move.step.edge
        goals = [name for name, goal in self._campaign.open.items() if edge.number in goal.edges]
        leads_on = self._near.at(move.step.target) < UNREACHABLE
        if not goals and not leads_on:
            return
        after = self._encoder.step(state, move.step, node.node.context)
        if after.guard.is_false:
            return
        decides = forks and isinstance(edge.operation, Assume) and after.guard is not state.guard
        if goals or decides:
            answer = self._ask(after.guard)
            if answer is Result.SAT and goals:
                self._execute(after, goals)
            if answer is Result.UNSAT:
                return
        if leads_on:
            self._enter(move.target, after)

    def _enter(self, node: UnfoldNode, state: SymbolicState) -> None:
        """Let a state wait, merged with one that waits at the same place already."""
        states = self._waiting.setdefault(node, [])
        if states and self._merging:
            states[-1] = merge(states[-1], state)
            self.merged += 1
            return
        states.append(state)
        location = node.node.location
        distance = self._near.at(node.node) + VISIT_PENALTY * self._visits.get(location, 0)
        heapq.heappush(self._heap, (distance, next(self._numbers), node))

    def _ask(self, guard: Term) -> Result:
        if guard.is_true:
            return Result.SAT if self._solver.check([TRUE], QUERY_SECONDS) is Result.SAT else Result.UNKNOWN
        self.queries += 1
        self._asked += 1
        if self._asked > QUERIES_OF_ONE_SOLVER:
            self._solver, self._asked = make_solver(), 0
        seconds = max(0.05, min(QUERY_SECONDS, self._deadline - monotonic()))
        asked = [*self._encoder.axioms, guard]
        answer = self._solver.check([*asked, zero_defaults(self._encoder, guard)], seconds)
        return answer if answer is Result.SAT else self._solver.check(asked, seconds)

    def _execute(self, state: SymbolicState, goals: list[str]) -> None:
        """Execute the solver's model, which is to reach ``goals``."""
        bits = inputs_under(state, self._solver.value)
        self._campaign.execute(tuple(InputValue(found.function, found.type, found.bits) for found in bits))
        self.missed += any(name in self._campaign.open for name in goals)
        if len(self._campaign.open) <= 0.8 * self._near_for:
            self._near = self._distances_to_open()

    @property
    def unmodelled(self) -> set[tuple[Position, str]]:
        """The constructs that were not followed exactly."""
        return {(place.position, place.reason) for place in self._encoder.imprecisions}

    def _distances_to_open(self) -> Nearness:
        goals = self._campaign.open.values()
        self._near_for = len(goals)
        return self._distances.to({edge for goal in goals for edge in goal.edges})


def run(request: ActorRequest) -> Automaton:
    """The actor ``symex`` (direction UA): symbolic execution until the deadline.

    Option ``merging``: ``no`` follows every path alone.
    """
    merging = request.options.get("merging", "yes") != "no"
    with campaign(request) as found:
        if not found.finished:
            search = SymbolicExecution(found, merging=merging)
            reason = search.search(search_deadline(request))
            request.report(
                f"{len(found.open)} goals open; stopped: {reason}; {search.states} states, {search.merged} merged, "
                f"{search.queries} queries, {search.missed} models went elsewhere"
            )
            report_unmodelled(request, search.unmodelled)
        return found.automaton()
