"""The tests that a tester has found so far and the goals that are still open: what all testers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

from gia.analyses.request import ActorRequest
from gia.analyses.testing.confirmation import Confirmation
from gia.analyses.testing.executions import timed_out
from gia.analyses.testing.executor import EXECUTION_SECONDS, MAX_RANDOM_INPUTS, Executor
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.shifts import Shifts
from gia.analyses.testing.simple_tests import TestMaker
from gia.automaton.model import Automaton
from gia.automaton.prefixes import SharedPrefixes
from gia.automaton.status import goal_status
from gia.cfa.goals import Goal
from gia.exchange.obstacles import undecided_line
from gia.exchange.suites.tests_gia import test_to_gia
from gia.native import (
    Execution,
    FuzzBatch,
    FuzzRequest,
    InstrumentedProgram,
    Missing,
    Runner,
    Tracing,
    compile_twins,
    crash_of,
)
from gia.verdict import GoalStatus, StopKind, StopReason

ONLY_SECONDS = 0.1
"""Wall time of the first execution of a program without inputs."""

LENGTHENING = 4.0
"""How many times longer the next one is if that has not ended."""

UNCONTROLLED = "where tests came near, only what is not initialised or not modelled decides whether it is reached"
"""Why a goal may stay open that no execution has reached."""

NO_INPUTS = "the program reads no input"

LISTENING_SECONDS = 0.5
"""Seconds between two looks at what others have decided meanwhile."""


class Campaign:
    """The search for tests on one request.

    Invariant: a goal is in :attr:`open` (by its id, in source order) if neither the request's GIA decides it nor one
    of :attr:`tests` reached it, nor others were seen to have decided it; none is if there is a test and one goal
    suffices. Every test reached a goal that no earlier one did.
    """

    def __init__(self, request: ActorRequest, twins: Sequence[InstrumentedProgram], runner: Runner) -> None:
        self.request = request
        self.executor = Executor(request, twins, runner)
        self.tests: list[Execution] = []
        self.was_cut = False
        """Whether an execution was ended because it took too long or read too much."""
        self.shifts = Shifts(request.others)
        self._confirmation = Confirmation(self.executor, self.tell_undecided)
        self._maker = TestMaker(request, self.executor, self._confirmation)
        self._automata = SharedPrefixes()
        self._told: set[str] = set()
        self._keeps_core = False
        self._listened = monotonic()
        self._has_news = False
        status = goal_status(request.loaded.program, request.gia, request.goals)
        self.open: dict[str, Goal] = {
            goal.id: goal for goal in request.goals if goal.edges and status[goal.id] is GoalStatus.OPEN
        }

    @property
    def finished(self) -> bool:
        """Whether no goal is open or no time is left."""
        return not self.open or self.request.seconds_left <= 0.0

    @property
    def reads_inputs(self) -> bool:
        """Whether the program may read an input; if not, it has one execution only."""
        return bool(self.executor.program.inputs)

    @property
    def observed(self) -> frozenset[int]:
        """The edges whose execution is noticed."""
        return self.executor.program.observed

    @property
    def open_edges(self) -> frozenset[int]:
        """The edges that reach open goals."""
        return frozenset().union(*(goal.edges for goal in self.open.values()))

    def execute(
        self,
        inputs: Inputs,
        seed: int | None = None,
        seconds: float = EXECUTION_SECONDS,
        *,
        tracing: Tracing = Tracing.NONE,
        most: int = MAX_RANDOM_INPUTS,
        steps: int | None = None,
    ) -> Execution:
        """Run the program for at most ``seconds``, and keep a test if open goals are reached: these are open no longer.

        Inputs that are missing are random with a ``seed``, up to ``most`` in all; else the run ends at the first. It
        ends after so many ``steps``, too, which are outcomes of conditions (then without ``tracing``).
        """
        self.listen()
        execution = self.executor.run(
            inputs, seed=seed, seconds=seconds, tracing=tracing, most=most, shared=True, steps=steps
        )
        self.was_cut |= timed_out(execution)
        reached = self._confirmation.certain(execution, self.open)
        if reached:
            self._keep(*self._maker.make(execution, reached, self.open, self.shifts.worked))
        self.publish()
        return execution

    def execute_padded(self, inputs: Inputs, seconds: float = EXECUTION_SECONDS) -> Execution:
        """Run the program on inputs and then zeros, as many as it reads, and keep a test if open goals are reached.

        The tests are not made simpler, which takes many executions.
        """
        execution = self.executor.run(inputs, missing=Missing.ZERO, seconds=seconds)
        reached = self._confirmation.certain(execution, self.open)
        if reached:
            self._keep(*self._confirmation.confirm(execution, reached, self.open))
            self.publish()
        return execution

    def execute_without_inputs(self, deadline: float) -> StopReason:
        """Run a program that reads no inputs, until the deadline if need be, and keep what it reaches as a test.

        All executions are the same. If one does not end, longer ones follow: what is reached soon is known soon.
        """
        seconds = ONLY_SECONDS
        while True:
            left = max(0.0, deadline - monotonic()) / (1 + len(self.executor.twins))
            is_last = seconds > left / LENGTHENING
            if is_last:
                seconds = left
            execution = self.executor.run((), seconds=seconds, tracing=Tracing.SEGMENTS)
            self._keep(execution, self._confirmation.certain(execution, self.open, seconds))
            self.listen()
            if is_last or not self.open or not timed_out(execution):
                return StopReason(StopKind.TIME if timed_out(execution) else StopKind.EXHAUSTED, detail=NO_INPUTS)
            seconds *= LENGTHENING

    def publish(self) -> None:
        """Write down what was found since the last time, unless that was only just now."""
        if self._has_news:
            self._has_news = not self.request.publish(self.automaton)

    def write_down(self) -> None:
        """Write down what was found, before something that may take long and cannot be interrupted."""
        self.publish()
        self.request.flush()
        self._has_news = False

    def listen(self) -> None:
        """Tell others what is new, leave what they have decided meanwhile, and let them have the core in their turn."""
        self.publish()
        if monotonic() < self._listened + LISTENING_SECONDS:
            return
        if not self._keeps_core:
            self._give_way()
        self._listened = monotonic()
        for name in self.request.others.decided() & self.open.keys():
            del self.open[name]

    @contextmanager
    def keeping_the_core(self) -> Iterator[None]:
        """Something that has a time of its own: others have their turn after it."""
        self._keeps_core = True
        try:
            yield
        finally:
            self._keeps_core = False
        self._give_way()

    def lengthen(self) -> None:
        """Let executions take much longer and read much more from now on; what was cut before is forgotten."""
        self.executor.lengthen()
        self.was_cut = False

    def shorten(self) -> None:
        """Let executions take as long as at first."""
        self.executor.shorten()

    def fuzz(self, request: FuzzRequest) -> FuzzBatch:
        """A batch of fuzzing; what it reaches is worth nothing before it is executed by :meth:`execute`."""
        self.listen()
        return self.executor.fuzz(request)

    def tell_undecided(self, names: Iterable[str], reason: str) -> None:
        """Say once for each of these goals why it may stay open: there may be no test that reaches it in any case."""
        for name in names:
            if name not in self._told:
                self._told.add(name)
                self.request.report(undecided_line(name, reason))

    def tell_crashes(self) -> None:
        """Say so if the program has crashed in each execution that came to an end: what is open lies behind that."""
        if not self.executor.always_crashed:
            return
        execution = self.executor.run((), missing=Missing.ZERO, tracing=Tracing.FULL)
        crash = crash_of(self.request.loaded.program, execution)
        if crash is not None:
            place = f" after line {crash.after.line}" if crash.after else ""
            self.tell_undecided(self.open, f"each execution crashes, with zeros as inputs{place} ({crash.signal})")

    def automaton(self) -> Automaton:
        """All tests as one GIA."""
        return self._automata.automaton()

    def _give_way(self) -> None:
        if self.shifts.is_over():
            self.write_down()
            self.shifts.rest(self.request.deadline)

    def _keep(self, execution: Execution, reached: Mapping[str, Goal]) -> None:
        """Add a traced execution as a test; without goals it was not the same as before, and is worth nothing."""
        for name in self.open.copy() if reached and self.request.one_suffices else reached:
            del self.open[name]
        if reached:
            self.tests.append(execution)
            self._automata.add(test_to_gia(self.request.loaded.program, execution, reached.values()))
            self._has_news = True
            self.shifts.note_success()


@contextmanager
def campaign(request: ActorRequest) -> Iterator[Campaign]:
    """Compile the program and begin a campaign; the processes that run it end with the context.

    :class:`~gia.errors.ToolError` also if the time of the request is over before the program is compiled.
    """
    watch = frozenset().union(*(goal.edges for goal in request.goals))
    left = request.seconds_left
    twins = compile_twins(request.loaded, request.directory, watch=watch, cache=request.builds, seconds=left)
    with Runner() as runner:
        found = Campaign(request, twins, runner)
        yield found
        found.tell_crashes()
