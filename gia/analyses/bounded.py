"""Bounded symbolic execution of all paths at once: one formula tells how open goals are reached within a loop bound.

Source: A. Biere, A. Cimatti, E. Clarke & Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; E. Clarke, D.
Kroening & F. Lerda, *A tool for checking ANSI-C programs*, TACAS 2004 (unwinding of C); the merging of all paths that
meet as in F. Babić & A. Hu, *Calysto*, ICSE 2008. Deviations: bounds grow until every goal is decided; iterations that
cannot leave their loop do not count against the bound; models are not believed but executed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from time import monotonic

from gia.analyses.campaign import Campaign, campaign
from gia.analyses.mutation import Inputs
from gia.analyses.relevance import Relevance
from gia.analyses.request import ActorRequest, search_deadline
from gia.automaton.model import Automaton
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node, Supergraph
from gia.native import Execution, InputValue
from gia.smt.encoder import Encoder
from gia.smt.solver import Result, Solver, make_solver
from gia.smt.state import SymbolicState, inputs_under
from gia.smt.terms import Term, disjunction
from gia.smt.unfold import Unfolding, unfold
from gia.verdict import StopKind, StopReason

QUERY_SHARE = 0.5
"""The share of the time left that one query may take."""


def bounds(start: int) -> Iterator[int]:
    """The bounds on loop iterations that are tried: Fibonacci numbers from ``start`` on, without end."""
    low, high = 1, 2
    while True:
        if low >= start:
            yield low
        low, high = high, low + high


@dataclass(frozen=True, slots=True)
class Ways:
    """How a goal is reached within a bound: under ``guard``, by the paths into one of ``states``."""

    guard: Term
    states: tuple[SymbolicState, ...]


class BoundedSearch:
    """The search for tests of the open goals of a campaign, bound by bound."""

    def __init__(self, found: Campaign) -> None:
        self._campaign = found
        self._request = found.request
        self.missed: list[Execution] = []
        """Executions of models that missed their goal: the program does something there that is not modelled."""

    def search(self, deadline: float, patience: float, start: int = 1) -> StopReason:
        """Raise the bound from ``start`` until every goal is reached, nothing lies beyond it, or the deadline passes.

        Ends also when nothing new was reached for ``patience`` seconds.
        """
        last_success = monotonic()
        for bound in bounds(start):
            if not self._campaign.open:
                break
            if monotonic() >= deadline:
                return StopReason(StopKind.TIME)
            if monotonic() - last_success > patience:
                return StopReason(StopKind.NO_PROGRESS, bound)
            tests = len(self._campaign.tests)
            complete = self._search_up_to(bound, deadline)
            if len(self._campaign.tests) > tests:
                last_success = monotonic()
            if complete:
                return StopReason(StopKind.EXHAUSTED, bound)
        return StopReason(StopKind.DECIDED)

    def _search_up_to(self, bound: int, deadline: float) -> bool:
        """Reach what can be reached within a bound; whether that was decided for all goals and for all executions."""
        program = self._request.loaded.program
        supergraph = Supergraph(program, recursion_limit=bound)
        encoder = Encoder(program)
        watch = frozenset().union(*(goal.edges for goal in self._campaign.open.values()))
        relevance = Relevance(program, watch)

        @cache
        def useful(node: Node) -> bool:
            return relevance.leads_to_goal(supergraph, node)

        unfolding = unfold(supergraph, encoder, useful=useful, bound=bound, watch=watch, deadline=deadline)
        ways = {name: _ways(unfolding, goal) for name, goal in self._campaign.open.items()}
        solver = make_solver()
        solver.add(*encoder.axioms)
        decided = self._solve(solver, {name: way for name, way in ways.items() if not way.guard.is_false}, deadline)
        self._request.report(f"bound {bound}: {len(self._campaign.open)} goals open")
        return decided and not unfolding.beyond and not supergraph.cut_calls

    def _solve(self, solver: Solver, ways: dict[str, Ways], deadline: float) -> bool:
        """Find and execute models until the ways are exhausted; whether the solver decided all of them."""
        while ways:
            answer = _ask(solver, [way.guard for way in ways.values()], deadline)
            if answer is Result.UNSAT:
                return True
            if answer is Result.UNKNOWN:
                return self._solve_each(solver, ways, deadline)
            self._execute_model(solver, ways)
        return True

    def _solve_each(self, solver: Solver, ways: dict[str, Ways], deadline: float) -> bool:
        """As :meth:`_solve`, one goal at a time: some may be easy where all together are too hard."""
        decided = True
        for name in list(ways):
            if name not in ways:  # reached on the way to another one
                continue
            answer = _ask(solver, [ways[name].guard], deadline)
            if answer is Result.SAT:
                self._execute_model(solver, ways)
            elif answer is Result.UNKNOWN:
                decided = False
            ways.pop(name, None)
        return decided

    def _execute_model(self, solver: Solver, ways: dict[str, Ways]) -> None:
        """Execute the solver's model; what it reached, and what it should have reached, leaves ``ways``."""
        hit = [name for name, way in ways.items() if solver.value(way.guard)]
        inputs = max((_inputs(solver, ways[name]) for name in hit), key=len)
        execution = self._campaign.execute(inputs)
        if any(name in self._campaign.open for name in hit):
            self.missed.append(execution)
        for name in [name for name in ways if name in hit or name not in self._campaign.open]:
            del ways[name]


def _ways(unfolding: Unfolding, goal: Goal) -> Ways:
    """All ways to a goal in an unfolding."""
    found = [way for edge in sorted(goal.edges) for way in unfolding.reached.get(edge, ())]
    return Ways(disjunction(*(guard for guard, _ in found)), tuple(state for _, state in found))


def _inputs(solver: Solver, way: Ways) -> Inputs:
    """The inputs of the execution that the solver's model stands for, up to the goal."""
    state = next(state for state in way.states if solver.value(state.guard))
    return tuple(InputValue(found.function, found.type, found.bits) for found in inputs_under(state, solver.value))


def _ask(solver: Solver, guards: list[Term], deadline: float) -> Result:
    """Whether one of the guards can hold."""
    left = deadline - monotonic()
    if left <= 0:
        return Result.UNKNOWN
    return solver.check([disjunction(*guards)], left * QUERY_SHARE)


def run(request: ActorRequest) -> Automaton:
    """The actor ``bounded`` (direction UA): bounded symbolic execution until the deadline.

    Option ``start-bound``: the bound to begin with (default 1).
    """
    with campaign(request) as found:
        if not found.finished:
            start = int(request.options.get("start-bound", "1"))
            reason = BoundedSearch(found).search(search_deadline(request), float("inf"), start)
            request.report(f"stopped: {reason}")
        return found.automaton()
