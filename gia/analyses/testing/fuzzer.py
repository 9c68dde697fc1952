"""Coverage-guided fuzzing: thousands of executions per second of inputs that change a little.

The loop itself runs in the process of the program (:mod:`gia.native.fuzzing`, which names the sources). Here: where it
begins (tests that are known, constants of the program), what becomes of the inputs that it finds, and when it ends.
"""

from __future__ import annotations

from time import monotonic
from typing import NamedTuple

from gia.analyses.known_tests import known_inputs
from gia.analyses.request import ActorRequest, search_deadline, whole_number
from gia.analyses.testing.campaign import NO_INPUTS, Campaign, campaign
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.simple_tests import BRIEF_OUTPUT
from gia.automaton.model import Automaton
from gia.native import FuzzRequest, Limits
from gia.verdict import StopKind, StopReason

BATCH = 500
"""Executions between two looks at what was found; more, the longer nothing is found."""

LARGEST_BATCH = 8_000

LENGTHS = (
    Limits(events=10_000, wall=0.2, inputs=1_500, output=BRIEF_OUTPUT),
    Limits(events=100_000, wall=0.2, inputs=1_500),
    Limits(events=1_000_000, wall=2.0, inputs=10_000),
)
"""How long executions may be: ``events`` are outcomes of conditions, ``wall`` is for programs that wait or compute
without conditions, ``output`` for menus that go on where the input ends. They become longer when nothing new has come
for long."""

PATIENCE = 30_000
"""So many executions without success, and they become longer."""

CUT_SHARE, PATIENCE_IF_CUT = 0.95, 5_000
"""So many executions without success are enough for that if this share of them was cut."""

FRUITLESS = 1_000_000
"""How many executions in a row may bring nothing new before the actor ends."""


class _Batch(NamedTuple):
    """How many executions a batch had, whether one of them did anything new, and how many were cut."""

    executions: int
    brought_news: bool
    cut: int


class Fuzzer:
    """The fuzzing of a campaign's program. What it has found stays when a search ends, and the next goes on there."""

    def __init__(self, found: Campaign, seed: int) -> None:
        self.executions = 0
        self._campaign = found
        self._seed = seed
        self._seeds: list[Inputs] = []
        self._fresh = True
        self._corpus = 0
        self._length = 0

    def learn(self, inputs: Inputs) -> None:
        """Begin the next search with these inputs, too."""
        if inputs:
            self._seeds.append(inputs)

    def search(self, deadline: float, fruitless: int = FRUITLESS, executions: int | None = None) -> StopReason:
        """Execute until no goal is open, the deadline passes, or ``fruitless`` executions in a row bring nothing new.

        At most ``executions`` in this search: what it does then depends on the seed only, not on the time it takes.
        """
        begun, idle = self.executions, 0
        while not self._campaign.finished:
            seconds = deadline - monotonic()
            done = self.executions - begun
            if seconds <= 0.0:
                return StopReason(StopKind.TIME)
            if executions is not None and done >= executions:
                return StopReason(StopKind.ROUNDS, done)
            if idle >= fruitless:
                return StopReason(StopKind.NO_PROGRESS, idle)
            size = min(max(BATCH, idle), LARGEST_BATCH, fruitless - idle)
            if executions is not None:
                size = min(size, executions - done)
            ran = self._batch(size, seconds)
            idle = 0 if ran.brought_news else idle + ran.executions
            if self._corpus == 0:
                return StopReason(StopKind.EXHAUSTED, detail=NO_INPUTS)
            patience = PATIENCE_IF_CUT if ran.cut > CUT_SHARE * ran.executions else PATIENCE
            if idle >= patience * (1 + self._length):
                self._length = min(self._length + 1, len(LENGTHS) - 1)
        return StopReason(StopKind.TIME if self._campaign.open else StopKind.DECIDED)

    def _batch(self, size: int, seconds: float) -> _Batch:
        """Run the program ``size`` times, and execute what reached something new on its own."""
        limits = LENGTHS[self._length]
        seeds, self._seeds = self._seeds, []
        request = FuzzRequest(
            executions=size,
            seconds=seconds,
            limits=limits,
            seeds=seeds,
            fresh=self._fresh,
            seed=self._seed,
            dictionary=self._campaign.executor.dictionary.values,
            wanted=self._campaign.open_edges,
        )
        done = self._campaign.fuzz(request)
        self._fresh = False
        self.executions += done.executions
        news = done.corpus > self._corpus
        self._corpus = done.corpus
        tests = len(self._campaign.tests)
        for inputs in done.reaching:
            if self._campaign.finished:
                break
            self._campaign.execute(inputs, seconds=limits.wall, steps=limits.events)
        return _Batch(done.executions, news or len(self._campaign.tests) > tests, done.cut)


def run(request: ActorRequest) -> Automaton:
    """The actor ``fuzz`` (direction UA): fuzzing until the deadline, or until nothing new turns up.

    Options: ``fruitless`` is the number of executions in a row that may bring nothing new, ``executions`` (0: without
    limit) that of all.
    """
    fruitless = whole_number(request, "fruitless", FRUITLESS)
    unlimited = request.options.get("executions", "0") == "0"
    most = None if unlimited else whole_number(request, "executions", 1)
    with campaign(request) as found:
        fuzzer = Fuzzer(found, request.seed)
        for inputs in known_inputs(request):
            fuzzer.learn(inputs)
        if found.reads_inputs:
            reason = fuzzer.search(search_deadline(request), fruitless, most)
        else:
            reason = found.execute_without_inputs(search_deadline(request))
        request.report(f"{fuzzer.executions} executions, {len(found.open)} goals open; stopped: {reason}")
        return found.automaton()
