"""Concolic testing: executions whose decisions are negated one at a time, towards the goals that are open.

Source: algorithm 1 of P. Daca, A. Gupta & T. A. Henzinger, *Abstraction-driven concolic testing*, VMCAI 2016 (concolic
testing after CUTE and CREST), on the product with what is known (section 5). Deviations: goals are read off a GIA; a
decision is negated only if an open goal can be reached from there; the order is an option (:mod:`.orders`).
"""

from __future__ import annotations

from random import Random
from time import monotonic

from msgspec.structs import replace

from gia.analyses.known_tests import known_inputs
from gia.analyses.request import ActorRequest, report_unmodelled, search_deadline, whole_number
from gia.analyses.testing.campaign import UNCONTROLLED, Campaign, campaign
from gia.analyses.testing.distances import UNREACHABLE, Distances, Nearness
from gia.analyses.testing.executor import MAX_RANDOM_INPUTS
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.orders import Candidate, Order, Search, make_order
from gia.analyses.testing.path_solver import Model, PathSolver
from gia.analyses.testing.replay import Replayer
from gia.analyses.testing.symbolic_path import SymbolicPath
from gia.automaton.model import Automaton
from gia.errors import InputError, Position
from gia.native import Execution, Outcome, Tracing
from gia.verdict import StopKind, StopReason

RESTARTS = 20
"""How often the search begins anew with random inputs when no decision is left to negate."""

DEPTH = 1_000
"""The bound of depth-first search."""

MORE_INPUTS = 30
"""How many random inputs an execution may read after those that are given: long paths are explored piece by piece."""

MORE_GROWTH = 4
"""How many times more they are when nothing is left to negate on the paths that were cut there."""

LAST_SECONDS = 2.0
"""So near to the deadline, what was found is written down before each query: a solver may not listen then."""

STALE_SHARE = 0.8
"""Distances are computed again when only this share of the goals that they lead to is still open."""


class ConcolicSearch:
    """The concolic testing of a campaign's program."""

    def __init__(self, found: Campaign, search: Search, seed: int, solver: PathSolver, bound: int = DEPTH) -> None:
        request = found.request
        self.solver = solver
        self.replayer = Replayer(request.loaded.program, found.observed, request.gia)
        self.runs = self.diverged = self.missed = self.pruned = self.uncontrolled = self.broken_off = 0
        self.unmodelled: set[tuple[Position, str]] = set()
        self._campaign = found
        self._order: Order = make_order(search, seed, bound)
        self._is_bounded = search is Search.DFS
        self._random = Random(seed)
        self._begun = self._was_cut = False
        self._more = MORE_INPUTS
        self._met: set[tuple[int, int]] = set()
        self.covered: set[int] = set()
        self._controlled: set[int] = set()
        """Edges that were alternatives of decisions about inputs."""
        self._uncontrolled: set[int] = set()
        """Edges that were alternatives of other decisions."""
        self._distances = Distances(request.loaded.program)
        self._near = Nearness()
        self._near_for = self._distances_for = 0
        """So many goals were open when these were computed."""

    def run(self, inputs: Inputs, origin: Candidate | None = None, *, complete: bool = True) -> SymbolicPath:
        """Execute inputs (with random ones after them if ``complete``), replay the path, note what could be negated."""
        seed = self._random.getrandbits(32) if complete else None
        most = len(inputs) + self._more
        execution = self._campaign.execute(inputs, seed, tracing=Tracing.BOUNDED, most=most)
        self._was_cut |= execution.outcome is Outcome.INPUT_LIMIT
        return self.learn(execution, origin)

    def learn(self, execution: Execution, origin: Candidate | None = None) -> SymbolicPath:
        """Replay an execution that was traced in full, and that was made to take ``origin``."""
        self.runs += 1
        news = len(execution.covered_edges - self.covered)
        self.covered |= execution.covered_edges
        like = (origin.path, origin.position) if origin is not None else None
        path = self.replayer.replay(execution, like, self._campaign.request.deadline)
        self.diverged += path.diverged is not None
        self.broken_off += not path.is_whole
        self.pruned += path.pruned
        self.unmodelled.update((found.position, found.reason) for found in path.encoder.imprecisions)
        for decision in path.decisions:
            self._met.add((decision.key, decision.taken))
        candidates = []
        inputs = set(path.variables)
        for position, decision in enumerate(path.decisions):
            if inputs.isdisjoint(decision.variables):  # what is not initialised or not modelled decides: no input helps
                self.uncontrolled += bool(decision.others)
                self._uncontrolled.update(alternative.edge for alternative in decision.others)
                continue
            self._controlled.update(alternative.edge for alternative in decision.others)
            for alternative in decision.others:
                if (decision.key, alternative.edge) not in self._met:
                    self._met.add((decision.key, alternative.edge))
                    candidates.append(Candidate(path, position, alternative))
        self._order.add(candidates, news, self._nearness())
        return path

    @property
    def is_exact(self) -> bool:
        """Whether nothing stands in the way of saying that what is not found when nothing is left to negate is nowhere.

        That holds for executions with defined behaviour.
        """
        inexact = self.broken_off + self.diverged + self.missed + self.uncontrolled + self.solver.statistics.unknown
        return not (self._is_bounded or inexact or self.unmodelled)

    def search(self, deadline: float, patience: int | None = None) -> StopReason:
        """Negate decisions until no goal is open, the deadline passes, or nothing is left to negate.

        Ends also after ``patience`` runs in a row that reach no open goal.
        """
        restarts = idle = 0
        self._begin()
        while not self._campaign.finished:
            if monotonic() >= deadline:
                return StopReason(StopKind.TIME)
            if patience is not None and idle >= patience:
                return StopReason(StopKind.NO_PROGRESS, idle)
            candidate = self._order.next(self._nearness())
            if candidate is None:
                if not self._allow_more():
                    if restarts >= RESTARTS or self.is_exact:
                        return StopReason(StopKind.EXHAUSTED, self.runs)
                    restarts += 1
                self.run(())
                continue
            before = len(self._campaign.open)
            if self._negate(candidate, deadline):
                idle = 0 if len(self._campaign.open) < before else idle + 1
        return StopReason(StopKind.TIME if self._campaign.open else StopKind.DECIDED)

    def _begin(self) -> None:
        """The first executions: without inputs, then with random ones."""
        if not self._begun:
            self._begun = True
            first = self.run((), complete=False)
            self.broken_off -= not first.is_whole  # the next one goes on where this one had no input
            self.run(())

    def _allow_more(self) -> bool:
        """Whether executions were cut where they read many random inputs, and may read more from now on."""
        if not self._was_cut or self._more >= MAX_RANDOM_INPUTS:
            return False
        self._was_cut = False
        self._more *= MORE_GROWTH
        return True

    def _negate(self, candidate: Candidate, deadline: float) -> bool:
        """Execute the program with inputs for an alternative, if it leads to an open goal; whether there are some."""
        if self._nearness().of(candidate.alternative.edge, candidate.alternative.target) == UNREACHABLE:
            self.pruned += 1
            return False
        if self._campaign.request.seconds_left < LAST_SECONDS:
            self._campaign.write_down()
        model = self.solver.solve(candidate.path, candidate.position, candidate.alternative, deadline)
        if model is None:
            return False
        path = self.run(_changed(candidate, model), candidate)
        self.missed += not _took(path, candidate)
        return True

    def tell_uncontrolled(self) -> None:
        """Say which open goals were near, but for what inputs do not decide."""
        beyond = self._uncontrolled - self._controlled
        goals = self._campaign.open.values()
        self._campaign.tell_undecided((goal.id for goal in goals if not beyond.isdisjoint(goal.edges)), UNCONTROLLED)

    def summary(self) -> str:
        """One line for people."""
        used = self.solver.statistics
        speed = self.replayer.edges / self.replayer.seconds if self.replayer.seconds else 0.0
        return (
            f"{self.runs} runs, {used.queries} queries ({used.cached} from the cache, {used.unknown} unknown, "
            f"{used.seconds:.1f} s, {used.conditions} of {used.unsliced} conditions), {speed:.0f} edges/s replayed, "
            f"{self.pruned} decisions pruned, {self.uncontrolled} beyond control, {self.missed} runs went elsewhere, "
            f"{self.diverged} replays ended early"
        )

    def _nearness(self) -> Nearness:
        """How far the open goals are; distances are computed again when many goals were reached."""
        left = len(self._campaign.open)
        if left != self._near_for:
            self._near_for, goals = left, self._campaign.open_edges
            if not self._distances_for or left <= STALE_SHARE * self._distances_for:
                self._distances_for = left
                self._near = self._distances.to(goals)
            else:
                self._near = replace(self._near, goals=goals)
        return self._near


def _changed(candidate: Candidate, model: Model) -> Inputs:
    """The inputs of the path, with the values of the model; what the model does not say stays."""
    path = candidate.path
    inputs = list(path.execution.inputs)
    for index, variable in enumerate(path.variables):
        bits = model.get(variable)
        if bits is not None and bits != inputs[index].bits:
            inputs[index] = type(inputs[index])(inputs[index].function, inputs[index].type, bits)
    return tuple(inputs)


def _took(path: SymbolicPath, candidate: Candidate) -> bool:
    """Whether a path takes the alternative that it was made for."""
    position = candidate.position
    if position >= len(path.decisions):
        return False
    return path.decisions[position].taken == candidate.alternative.edge


def run(request: ActorRequest) -> Automaton:
    """The actor ``concolic`` (direction UA): concolic testing until the deadline.

    Options: ``search`` is the order (:class:`Search`), ``depth`` the bound of ``dfs``; ``slicing``, ``caching`` and
    ``incremental`` switch off (``no``) what makes queries fast.
    """
    name = request.options.get("search", Search.CFG)
    if name not in set(Search):
        raise InputError(f"the option search must be one of {', '.join(Search)}, not {name!r}")
    switches = {option: request.options.get(option, "yes") != "no" for option in ("slicing", "caching", "incremental")}
    depth = whole_number(request, "depth", DEPTH)
    with campaign(request) as found:
        search = ConcolicSearch(found, Search(name), request.seed, PathSolver(**switches), depth)
        for inputs in known_inputs(request):
            if not found.finished:
                search.run(inputs)  # they end where they reach their goals: what follows is of interest
        reason = search.search(search_deadline(request))
        request.report(f"{len(found.open)} goals open; stopped: {reason}; {search.summary()}")
        search.tell_uncontrolled()
        report_unmodelled(request, search.unmodelled)
        return found.automaton()
