"""Bounded symbolic execution of all paths at once: one formula tells how open goals are reached within a loop bound.

Source: A. Biere, A. Cimatti, E. Clarke & Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; E. Clarke, D.
Kroening & F. Lerda, *A tool for checking ANSI-C programs*, TACAS 2004 (unwinding of C); the merging of all paths that
meet as in D. Babić & A. Hu, *Calysto*, ICSE 2008. Deviations: bounds grow until every goal is decided; iterations that
cannot leave their loop do not count against the bound; models are not believed but executed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from time import monotonic

from msgspec import Struct

from gia.analyses.request import ActorRequest, report_unmodelled, search_deadline, whole_number
from gia.analyses.testing.campaign import Campaign, campaign
from gia.analyses.testing.mutation import Inputs
from gia.automaton.model import Automaton
from gia.cfa.goals import Goal
from gia.cfa.hiding import hidden
from gia.cfa.relevance import Relevance
from gia.cfa.supergraph import Node, Supergraph
from gia.errors import Position
from gia.native import Execution, InputValue
from gia.smt.encoding.conversions import has_bits
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState, inputs_under
from gia.smt.encoding.unfold import Unfolding, unfold
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import TRUE, SortKind, Term, conjunction, disjunction
from gia.verdict import StopKind, StopReason

QUERY_SHARE = 0.5
"""The share of the time left that a query for all open goals may take."""

QUICK_SHARE = 0.05
"""The share of it that a query for one goal may take at first."""

BOUND_SHARE = 0.6
"""The share of the time left that the solver may take within one bound."""

MINIMAL_BOUND = 0.5
"""Seconds that the solver gets at least within one bound, if the actor has so many left."""

LAST_SECONDS = 0.2
"""Seconds before the deadline of the actor in which no query begins: what surrounds it is not interrupted."""

OVERRUN_GROWTH = 2.0
"""How much longer than any query so far the next one may go on beyond its time: the solver cannot be interrupted while
it simplifies a formula, and that of the next bound is larger."""

MINIMAL_QUERY = 0.05
"""Seconds that a query gets at least."""

MOST_MISSES = 8
"""So many models in a row that miss their goals end the search within one bound: something there is not modelled."""

MOST_NODES = 200_000
"""The unfolding ends with so many nodes, to bound the memory that it takes."""

WHOLE_NODES = 10_000
"""The unfolding of all executions has so many nodes at most: programs with more are fuzzed first."""

FREE_NODES = 4000
"""Times the bound: how many nodes of the unfolding are free for iterations that certainly stay in their loop."""


MOST_BOUNDS = 40
"""So many bounds are tried; the last is far beyond what can be unfolded."""


def bounds(start: int) -> Iterator[int]:
    """The bounds on loop iterations that are tried: Fibonacci numbers from ``start`` on, without end."""
    low, high = 1, 2
    while True:
        if low >= start:
            yield low
        low, high = high, low + high


class Ways(Struct, frozen=True):
    """How a goal is reached within a bound: under ``guard``, by the paths into one of ``states``."""

    guard: Term
    states: tuple[SymbolicState, ...]


class Unfolded(Struct, frozen=True):
    """The ways to open goals within a bound, those that are reached first come first.

    ``is_complete``: no execution goes on beyond the bound, and the program shows all that may happen in one.
    """

    bound: int
    encoder: Encoder
    ways: dict[str, Ways]
    is_complete: bool


class BoundedSearch:
    """The search for tests of the open goals of a campaign, bound by bound.

    ``explore`` is called with each execution of a model that reached its goals.
    """

    def __init__(self, found: Campaign, explore: Callable[[Execution], None] | None = None) -> None:
        self._campaign = found
        self._explore = explore
        self._request = found.request
        self._pending: list[int] = []
        self._again = 0
        """The bound that the deadline came too early for; it is tried once more."""
        self._overrun = 0.0
        """The most seconds that a query has taken beyond its time."""
        self.missed: list[Execution] = []
        """Executions of models that missed their goal: the program does something there that is not modelled."""
        self.unmodelled: set[tuple[Position, str]] = set()

    def search(self, deadline: float, start: int = 1, last: float = float("inf")) -> StopReason:
        """Raise the bound from ``start`` until every goal is reached, nothing lies beyond it, or the deadline passes.

        Ends also after the bound ``last``. The next search goes on from there, with the same bound if the deadline came
        too early for it.
        """
        self._pending = self._pending or list(islice(bounds(start), MOST_BOUNDS))
        while self._campaign.open and self._pending:
            bound = self._pending[0]
            if monotonic() >= deadline:
                return StopReason(StopKind.TIME)
            if bound > last:
                return StopReason(StopKind.ROUNDS, last)
            found = self._unfold(bound, deadline)
            decided = self._solve(found, max(MINIMAL_BOUND, BOUND_SHARE * (deadline - monotonic())))
            if decided and found.is_complete:
                return StopReason(StopKind.EXHAUSTED, bound)
            if decided or monotonic() < deadline or self._again == bound:
                self._pending.pop(0)
            else:
                self._again = bound
        return StopReason(StopKind.ROUNDS, MOST_BOUNDS) if self._campaign.open else StopReason(StopKind.DECIDED)

    def search_whole(self, bound: int, deadline: float, unfolding_deadline: float) -> StopReason:
        """Reach what can be reached, if nothing happens beyond this bound, and until the solver takes too long."""
        found = self._unfold(bound, unfolding_deadline, WHOLE_NODES)
        if not found.is_complete:
            return StopReason(StopKind.ROUNDS, bound, "executions go on beyond it")
        decided = self._solve(found, deadline - monotonic(), quick=True)
        return StopReason(StopKind.EXHAUSTED, bound) if decided else StopReason(StopKind.TIME)

    @property
    def open(self) -> Collection[str]:
        """The ids of the open goals."""
        return self._campaign.open

    def write_down(self) -> None:
        """Write down what the campaign has found, before something that may take long: others may come first."""
        self._campaign.write_down()
        self._campaign.listen()

    def note_overrun(self, seconds: float) -> None:
        """Take notice that a query has taken so much longer than it should have."""
        self._overrun = max(self._overrun, seconds)

    def execute(self, inputs: Inputs, goals: Collection[str]) -> bool:
        """Execute the inputs of a model that is to reach ``goals``; whether it does."""
        execution = self._campaign.execute(inputs)
        reached = not any(name in self._campaign.open for name in goals)
        if not reached:
            self.missed.append(execution)
        elif self._explore is not None:
            self._explore(execution)
        return reached

    def _unfold(self, bound: int, deadline: float, most_nodes: int = MOST_NODES) -> Unfolded:
        """How the open goals are reached within a bound."""
        program = self._request.loaded.program
        supergraph = Supergraph(program, recursion_limit=bound)
        encoder = Encoder(program)
        watch = frozenset().union(*(goal.edges for goal in self._campaign.open.values()))
        relevance = Relevance(program, watch)

        @cache
        def useful(node: Node) -> bool:
            return relevance.leads_to_goal(supergraph, node)

        unfolding = unfold(
            supergraph,
            encoder,
            useful=useful,
            bound=bound,
            free_nodes=FREE_NODES * bound,
            most_nodes=most_nodes,
            watch=watch,
            deadline=deadline,
        )
        is_complete = not unfolding.beyond and not supergraph.cut_calls and hidden(program) is None
        return Unfolded(bound, encoder, _ways(unfolding, self._campaign.open), is_complete)

    def _solve(self, unfolded: Unfolded, seconds: float, *, quick: bool = False) -> bool:
        """Reach what can be reached in an unfolding; whether the solver decided this for all goals.

        If it is to be ``quick``, it ends when a query for one goal takes too long.
        """
        left = max(0.0, self._request.seconds_left - LAST_SECONDS - OVERRUN_GROWTH * self._overrun)
        self.unmodelled |= {(place.position, place.reason) for place in unfolded.encoder.imprecisions}
        decided = _Solving(self, unfolded.encoder, unfolded.ways, monotonic() + min(left, seconds)).run(quick)
        self._request.report(f"bound {unfolded.bound}: {len(self._campaign.open)} goals open")
        return decided


class _Solving:
    """The goals that may be reached within one bound, and the solver that is asked how.

    ``ways`` come in the order in which executions reach them. Models in which undefined values (uninitialised
    variables, results of functions that are not modelled) are zero come first: zero is what memory often holds, and a
    test must not depend on it anyway.
    """

    def __init__(self, search: BoundedSearch, encoder: Encoder, ways: dict[str, Ways], deadline: float) -> None:
        self._search = search
        self._ways = ways
        self._deadline = deadline
        self._misses = 0
        """How many of the last models in a row have missed their goals."""
        self._solver = make_solver()
        self._solver.add(*encoder.axioms)
        self._defaults = zero_defaults(encoder, *(way.guard for way in ways.values()))

    def run(self, quick: bool) -> bool:
        """Find models and execute them until no goal is left; whether the solver decided for all of them."""
        decided = self._run(self._defaults, quick)
        if self._defaults.is_true or not self._ways or (quick and not decided):
            return decided
        return self._run(TRUE, quick) and not self._search.missed

    def _run(self, assumption: Term, quick: bool) -> bool:
        """Goal by goal while that is quick, else all at once while that works; whether the solver decided for all."""
        self._misses = 0
        decided = self._run_each(assumption, QUICK_SHARE, quick=True)
        return decided or (not quick and self._run_together(assumption))

    def _run_together(self, assumption: Term) -> bool:
        """All goals at once while that works, then one at a time: some may be easy where all together are too hard."""
        while self._ways and self._misses < MOST_MISSES:
            answer = self._ask(list(self._ways), assumption, QUERY_SHARE)
            if answer is Result.UNSAT:
                return True
            if answer is Result.UNKNOWN:
                return self._run_each(assumption, min(QUERY_SHARE, 2 / len(self._ways)))
            self._execute_model(list(self._ways))
        return not self._ways

    def _run_each(self, assumption: Term, share: float, *, quick: bool = False) -> bool:
        """Goal by goal: those that are reached last come first, for others lie on the way to them.

        If it is to be ``quick``, it ends when a query takes too long.
        """
        decided = True
        for name in reversed(list(self._ways)):
            if name not in self._ways:  # reached on the way to another one
                continue
            answer = self._ask([name], assumption, share)
            if answer is Result.SAT:
                self._execute_model([name])
            decided &= answer is not Result.UNKNOWN
            if self._misses >= MOST_MISSES or (quick and not decided):
                return False
        return decided

    def _ask(self, names: Sequence[str], assumption: Term, share: float) -> Result:
        """Whether one of these goals can be reached; the query may take a share of the time left."""
        if monotonic() >= self._deadline:
            return Result.UNKNOWN
        self._search.write_down()
        begun = monotonic()
        seconds = max(MINIMAL_QUERY, share * (self._deadline - begun))
        guards = disjunction(*(self._ways[name].guard for name in names))
        answer = self._solver.check([guards, assumption], seconds)
        self._search.note_overrun(monotonic() - begun - seconds)
        return answer

    def _execute_model(self, names: Sequence[str]) -> None:
        """Execute a model that reaches some of these goals; they, and what else it reaches, are no longer asked for."""
        value = self._solver.value
        hit = [name for name in names if value(self._ways[name].guard)]
        inputs = max((_inputs(self._solver, self._ways[name]) for name in hit), key=len)
        self._misses = 0 if self._search.execute(inputs, hit) else self._misses + 1
        for name in hit:
            del self._ways[name]
        for name in [name for name in self._ways if name not in self._search.open]:
            del self._ways[name]


def _ways(unfolding: Unfolding, goals: Mapping[str, Goal]) -> dict[str, Ways]:
    """All ways to goals that are reached in an unfolding, in the order in which executions reach them."""
    order = {edge: position for position, edge in enumerate(unfolding.reached)}
    reached = {name: goal.edges & order.keys() for name, goal in goals.items()}
    first = {name: min(order[edge] for edge in edges) for name, edges in reached.items() if edges}
    found = {name: _ways_to(unfolding, goals[name]) for name in sorted(first, key=first.__getitem__)}
    return {name: way for name, way in found.items() if not way.guard.is_false}


def _ways_to(unfolding: Unfolding, goal: Goal) -> Ways:
    found = [way for edge in sorted(goal.edges) for way in unfolding.reached.get(edge, ())]
    return Ways(disjunction(*(guard for guard, _ in found)), tuple(state for _, state in found))


def _inputs(solver: Solver, way: Ways) -> Inputs:
    """The inputs of the execution that the solver's model stands for, up to the goal."""
    state = next(state for state in way.states if solver.value(state.guard))
    return tuple(InputValue(found.function, found.type, found.bits) for found in inputs_under(state, solver.value))


def zero_defaults(encoder: Encoder, *formulas: Term) -> Term:
    """Undefined values in the formulas (what is not initialised or not modelled) are zero."""
    scalars = (found for found in encoder.undefined(*formulas) if found.sort.kind is not SortKind.ARRAY)
    return conjunction(*(has_bits(variable, 0) for variable in scalars))


def run(request: ActorRequest) -> Automaton:
    """The actor ``bmc`` (direction UA): bounded symbolic execution until the deadline.

    Option ``start-bound``: the bound to begin with (default 1).
    """
    with campaign(request) as found:
        if not found.finished:
            start = whole_number(request, "start-bound", 1)
            bounded = BoundedSearch(found)
            request.report(f"stopped: {bounded.search(search_deadline(request), start)}")
            report_unmodelled(request, bounded.unmodelled)
        return found.automaton()
