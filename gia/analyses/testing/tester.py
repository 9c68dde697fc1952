"""The tester: all paths of short programs at once, fuzzing, then symbolic execution and fuzzing in turns.

Each search begins with what the others found. ``benchmarks/testers.py`` measures the order and the shares: which actor
finds how many goals in which time.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import monotonic

from gia.analyses.known_tests import known_inputs
from gia.analyses.request import ActorRequest, report_unmodelled, search_deadline, whole_number
from gia.analyses.testing.bounded import BoundedSearch
from gia.analyses.testing.campaign import Campaign, campaign
from gia.analyses.testing.concolic import ConcolicSearch
from gia.analyses.testing.fuzzer import Fuzzer
from gia.analyses.testing.long_executions import execute_longer, execute_simplest
from gia.analyses.testing.orders import Search
from gia.analyses.testing.path_solver import PathSolver
from gia.analyses.testing.turns import Turns
from gia.automaton.model import Automaton
from gia.native import Execution
from gia.verdict import StopKind, StopReason

SMALL_PROGRAM = 100
"""Programs with no more edges are small: bounded symbolic execution often decides them at once."""

FIRST_BOUND = 5
"""Its last bound then; it is a bound and not a time so that the answer depends little on the machine's load."""

FIRST_SECONDS = 0.5
"""How long that may take in any case."""

UNFOLDING_SHARE = 0.05
"""The share of the time that it may take to unfold other programs once."""

WHOLE_SHARE = 0.5
"""The share of the time that bounded symbolic execution may take first where it has unfolded all executions."""

FIRST_SHARE = 0.15
"""The share of the time that the first fuzzing may take, and before it a few long executions."""

FIRST_FUZZING = 0.5
"""The seconds of fuzzing at most: symbolic execution has begun then."""

FIRST_FRUITLESS = 10_000
"""How many of its executions in a row may bring nothing new."""

NEIGHBOURS = 100
"""How many variants of an execution that the symbolic search found are executed: near to a goal are often others.

Not while a small program is looked at first: there, the next query costs less.
"""

PATIENCE_SHARE = 0.3
"""The share of the time after which a tester that finds nothing new ends, so that others can have a turn.

It goes on while others are at work at the same time.
"""

FIRST_PHASE = 3.0
"""The most seconds without a new test after which executions are longer for as long a time; then both are doubled."""

SHORT = 50
"""Tests with so many inputs are where concolic testing begins; longer ones take it too long."""

REPLAY_SHARE = 0.5
"""The share of a turn of concolic testing that may go into the paths of tests that others have found."""

_FINISHED = (StopKind.DECIDED, StopKind.EXHAUSTED, StopKind.ROUNDS)


class _Tester:
    """The searches of one request and what is left of them."""

    def __init__(self, found: Campaign, deadline: float) -> None:
        request = found.request
        self._campaign = found
        self._deadline = deadline
        self._start = whole_number(request, "start-bound", 1)
        self._random = Random(request.seed)
        self._fuzzer = Fuzzer(found, request.seed)
        self._bounded = BoundedSearch(found, self._explore)
        self._concolic: ConcolicSearch | None = None
        self._replayed = self._fed = 0
        self._complete = False
        """Whether all executions were looked at: what is open then is out of reach."""
        self._fuzzes_neighbours = False
        self._known = known_inputs(request)
        for inputs in self._known:
            self._fuzzer.learn(inputs)

    def explain(self) -> None:
        """Say what the symbolic searches did not follow exactly, and what inputs did not decide."""
        unmodelled = set(self._bounded.unmodelled)
        if self._concolic is not None:
            self._concolic.tell_uncontrolled()
            unmodelled |= self._concolic.unmodelled
        report_unmodelled(self._campaign.request, unmodelled)

    def run(self) -> None:
        """Search until every goal is reached, every search has come to its end, or the deadline passes."""
        if not self._campaign.reads_inputs:
            self._report("the only execution", self._campaign.execute_without_inputs(self._deadline))
            return
        seconds = max(0.0, self._deadline - monotonic())
        self._report("bounded symbolic execution", self._look_first(seconds))
        if self._complete or self._campaign.finished:
            return
        self._fuzzes_neighbours = True
        first = min(FIRST_FUZZING, FIRST_SHARE * seconds)
        long_ones = execute_simplest(self._campaign, monotonic() + FIRST_SHARE * seconds)
        if long_ones is not None:
            self._report("simple long executions", long_ones)
        if self._campaign.finished:
            return
        self._report("fuzzing", self._fuzzer.search(monotonic() + first, FIRST_FRUITLESS))
        self._search_in_phases(PATIENCE_SHARE * seconds)

    def _look_first(self, seconds: float) -> StopReason:
        """Bounded symbolic execution of small programs, and of those whose executions are all short."""
        begun = monotonic()
        if len(self._campaign.request.loaded.program.edge_list) <= SMALL_PROGRAM:
            return self._search_bounded(begun + FIRST_SECONDS, FIRST_BOUND)
        unfolded, end = begun + UNFOLDING_SHARE * seconds, begun + WHOLE_SHARE * seconds
        return self._learn_from_bounded(self._bounded.search_whole(self._start, end, unfolded))

    @property
    def _is_over(self) -> bool:
        """Whether there is nothing left to search for, or no time."""
        return self._complete or self._campaign.finished or monotonic() >= self._deadline

    @property
    def _has_the_time(self) -> bool:
        """Whether to end early would help nobody: others have cores of their own, or get this one by turns."""
        others = self._campaign.request.others
        return others.at_work() or others.waiting() is not None

    def _search_in_phases(self, patience: float) -> None:
        """Search with short executions and with longer ones by turns, until that was fruitless for so many seconds.

        It goes on while others are at work at the same time.
        """
        phase = min(patience, FIRST_PHASE)
        while True:
            left = self._search_in_turn(phase)
            if self._is_over:
                return
            if self._finds_more_in_longer_ones(phase):
                left |= self._search_in_turn(phase)
            fruitless = self._campaign.shifts.fruitless > patience
            if self._is_over or not left or (fruitless and not self._has_the_time):
                return
            self._campaign.shorten()
            phase *= 2

    def _search_in_turn(self, patience: float) -> bool:
        """Give the searches turns until none finds a test for so many seconds; whether one of them has not ended.

        Who shares the core with the tester has it between them.
        """
        searches: dict[str, Callable[[float], StopReason]] = {
            "concolic testing": self._search_paths,
            "bounded symbolic execution": self._search_bounded,
            "fuzzing": self._fuzz,
        }
        turns, shifts = Turns(searches), self._campaign.shifts
        started = shifts.worked
        while turns and not self._is_over:
            if turns.all_had_one and min(shifts.worked - started, shifts.fruitless) > patience:
                break
            name, seconds = turns.next()
            with self._campaign.keeping_the_core():
                open_before, begun = len(self._campaign.open), monotonic()
                reason = searches[name](min(self._deadline, begun + seconds))
                turns.ended(name, monotonic() - begun, open_before - len(self._campaign.open))
                self._report(name, reason)
            if reason.kind in _FINISHED:
                turns.leave(name)
        return bool(turns)

    def _finds_more_in_longer_ones(self, seconds: float) -> bool:
        """Let executions be longer, and say whether that is worth more than the few that are tried here.

        They are tried even if none was cut: those that end where no input is left may have been near to something.
        """
        were_cut, tests = self._campaign.was_cut, len(self._campaign.tests)
        self._campaign.lengthen()
        with self._campaign.keeping_the_core():
            reason = execute_longer(self._campaign, self._random, min(self._deadline, monotonic() + seconds))
            self._report("longer executions", reason)
        return were_cut or len(self._campaign.tests) > tests

    def _search_bounded(self, end: float, last: float = float("inf")) -> StopReason:
        """Raise the bound."""
        return self._learn_from_bounded(self._bounded.search(min(end, self._deadline), self._start, last))

    def _learn_from_bounded(self, reason: StopReason) -> StopReason:
        """What is not modelled is near to models that missed their goals."""
        self._complete = reason.kind is StopKind.EXHAUSTED and not self._bounded.missed
        for execution in self._bounded.missed:
            self._fuzzer.learn(execution.inputs)
        self._bounded.missed.clear()
        return reason

    def _search_paths(self, end: float) -> StopReason:
        """Negate decisions on new paths, and on those of the short tests so far, the known ones among them."""
        if self._concolic is None:
            request = self._campaign.request
            self._concolic = ConcolicSearch(self._campaign, Search.CFG, request.seed, PathSolver())
        begun = monotonic()
        starts = [*self._known, *(test.inputs for test in self._campaign.tests)]
        for inputs in starts[self._replayed :]:
            if self._campaign.finished or monotonic() >= begun + REPLAY_SHARE * (end - begun):
                break
            self._replayed += 1
            if len(inputs) <= SHORT:
                self._concolic.run(inputs)  # tests end where they reach their goal: what follows is of interest
        reason = self._concolic.search(end)
        self._complete |= reason.kind is StopKind.EXHAUSTED and self._concolic.is_exact
        return reason

    def _fuzz(self, end: float) -> StopReason:
        for test in self._campaign.tests[self._fed :]:
            self._fuzzer.learn(test.inputs)
        self._fed = len(self._campaign.tests)
        return self._fuzzer.search(end)

    def _explore(self, execution: Execution) -> None:
        if execution.inputs:
            self._fuzzer.learn(execution.inputs)
            if self._fuzzes_neighbours:
                self._fuzzer.search(self._deadline, NEIGHBOURS, NEIGHBOURS)

    def _report(self, name: str, reason: StopReason) -> None:
        """Write down what was found by the end of a search, and say how it ended."""
        found = self._campaign
        found.write_down()
        found.request.report(f"{name}: {len(found.tests)} tests, {len(found.open)} goals open; {reason}")


def run(request: ActorRequest) -> Automaton:
    """The actor ``tester`` (direction UA).

    Option ``start-bound``: the loop bound that symbolic execution begins with (default 1).
    """
    with campaign(request) as found:
        if not found.finished:
            tester = _Tester(found, search_deadline(request))
            tester.run()
            tester.explain()
        return found.automaton()
