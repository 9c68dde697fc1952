"""The tests that a tester has found so far and the goals that are still open: what all testers share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

from gia.analyses.request import ActorRequest
from gia.analyses.testing.executions import inputs_until, reached_by, timed_out
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.shifts import Shifts
from gia.analyses.testing.simplification import Attempt, simplify
from gia.analyses.testing.small_values import has_large_values, small_values
from gia.analyses.testing.values import Dictionary
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
    Limits,
    Missing,
    Outcome,
    Runner,
    Tracing,
    compile_twins,
    crash_of,
)
from gia.verdict import GoalStatus, StopKind, StopReason

EXECUTION_SECONDS = 0.25
"""Wall time of one execution; what a program does later is not looked at before executions are lengthened."""

ONLY_SECONDS = 1.0
"""Wall time of the first execution of a program without inputs."""

LENGTHENING = 4.0
"""How many times longer the next one is if that has not ended."""

BRIEF_SECONDS = 0.02
"""What most executions that do not end need to reach what they reach: others are given the whole time."""

BRIEF_OUTPUT = 1 << 17
"""So many bytes suffice most executions until they have reached what they reach: others may print as much as any."""

SIMPLIFICATION_SHARE = 0.2
"""The share of the time that making tests simpler may take."""

SMALL_VALUES_SECONDS = 0.5
"""Seconds that the search for small numbers may take for one test."""

MINIMAL_SIMPLIFICATION = 1.0
"""Seconds that it may take in any case."""

LONGER = 20
"""How much longer executions may be once :meth:`Campaign.lengthen` was called."""

DEPENDENT = "tests reach it with some contents of what is not initialised only"
"""Why a goal may stay open that an execution has reached."""

UNCONTROLLED = "where tests came near, only what is not initialised or not modelled decides whether it is reached"
"""Why a goal may stay open that no execution has reached."""

NO_INPUTS = "the program reads no input"

MAX_INPUTS = 25_000
"""The most inputs of one execution."""

MAX_EVENTS = 200_000
"""The most events that are recorded of one execution."""

TRACED_EVENTS = 20_000
"""The length of an execution that is traced so that its path can be replayed."""

LISTENING_SECONDS = 0.5
"""Seconds between two looks at what others have decided meanwhile."""

MAX_RANDOM_INPUTS = 1_000
"""The most inputs of an execution that reads random ones."""


class Campaign:
    """The search for tests on one request.

    Invariant: a goal is in :attr:`open` (by its id, in source order) if neither the request's GIA decides it nor one
    of :attr:`tests` reached it, nor others were seen to have decided it; none is if there is a test and one goal
    suffices. Every test reached a goal that no earlier one did.
    """

    def __init__(self, request: ActorRequest, twins: Sequence[InstrumentedProgram], runner: Runner) -> None:
        self.request = request
        self.dictionary = Dictionary(request.loaded.program)
        self.tests: list[Execution] = []
        self.executions = 0
        self._endings: set[bool] = set()
        """Whether executions have crashed that were not ended for want of an input."""
        self.was_cut = False
        """Whether an execution was ended because it took too long or read too much."""
        self._longer = 1
        self._told: set[str] = set()
        self.shifts = Shifts(request.others)
        self._keeps_core = False
        self._listened = monotonic()
        self._simplifying = 0.0
        self._automata = SharedPrefixes()
        self._has_news = False
        self._program, *self._twins = twins
        self._runner = runner
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
        return bool(self._program.inputs)

    @property
    def observed(self) -> frozenset[int]:
        """The edges whose execution is noticed."""
        return self._program.observed

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
        execution = self._run(inputs, seed=seed, seconds=seconds, tracing=tracing, most=most, shared=True, steps=steps)
        self.was_cut |= timed_out(execution)
        reached = self._certainly_reached(execution)
        if reached:
            self._keep(execution, reached)
        self.publish()
        return execution

    def execute_padded(self, inputs: Inputs) -> None:
        """Run the program on inputs and then zeros, as many as it reads, and keep a test if open goals are reached.

        The tests are not made simpler, which takes many executions.
        """
        execution = self._run(inputs, missing=Missing.ZERO)
        reached = self._certainly_reached(execution)
        if reached:
            final, confirmed = self._confirm(execution, reached)
            self._keep_as_it_is(final, confirmed)
            self.publish()

    def execute_without_inputs(self, deadline: float) -> StopReason:
        """Run a program that reads no inputs, until the deadline if need be, and keep what it reaches as a test.

        All executions are the same. If one does not end, longer ones follow: what is reached soon is known soon.
        """
        seconds = ONLY_SECONDS
        while True:
            left = max(0.0, deadline - monotonic()) / (1 + len(self._twins))
            is_last = seconds > left / LENGTHENING
            if is_last:
                seconds = left
            execution = self._run((), seconds=seconds, tracing=Tracing.SEGMENTS)
            self._keep_as_it_is(execution, self._certainly_reached(execution, seconds))
            self.publish()
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

    def listen(self) -> None:
        """Leave alone what others have decided meanwhile, and let them have the core if it is their turn."""
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
        self._longer = LONGER
        self.was_cut = False

    def shorten(self) -> None:
        """Let executions take as long as at first."""
        self._longer = 1

    def fuzz(self, request: FuzzRequest) -> FuzzBatch:
        """A batch of fuzzing; what it reaches is worth nothing before it is executed by :meth:`execute`."""
        self.listen()
        return self._runner.fuzz(self._program, request)

    def tell_undecided(self, names: Iterable[str], reason: str) -> None:
        """Say once for each of these goals why it may stay open: there may be no test that reaches it in any case."""
        for name in names:
            if name not in self._told:
                self._told.add(name)
                self.request.report(undecided_line(name, reason))

    def tell_crashes(self) -> None:
        """Say so if the program has crashed in each execution that came to an end: what is open lies behind that."""
        if self._endings != {True}:
            return
        execution = self._run((), missing=Missing.ZERO, tracing=Tracing.FULL)
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
        """Add the simplest test found that reaches the same goals as ``execution``.

        A test may give the program fewer inputs than it asks for if that does not end by itself, else it is complete.
        """
        ends = not timed_out(execution)
        wall = BRIEF_SECONDS if self._briefly(execution, reached) else execution.wall
        seconds = min(EXECUTION_SECONDS, max(0.05, 5 * wall))
        was_cut_by_steps = execution.outcome is Outcome.TIMEOUT and execution.wall < seconds
        if execution.outcome is Outcome.OUT_OF_INPUTS or was_cut_by_steps:
            ends = not timed_out(self._run(execution.inputs, missing=Missing.ZERO, seconds=seconds))
        missing = Missing.ZERO if ends else Missing.STOP
        output = self._output_needed(execution, reached, missing)

        def attempt(inputs: Inputs) -> Execution | None:
            found = self._run(inputs, missing=missing, seconds=seconds, shared=True, output=output)
            return found if len(reached_by(found, reached)) == len(reached) else None

        simple = self._simplify(self._cut(execution, reached, attempt), attempt)
        final, confirmed = self._confirm(simple, reached)
        if len(confirmed) < len(reached):  # what is not initialised matters to the simpler one
            final, confirmed = self._confirm(execution, reached)
        self._keep_as_it_is(final, confirmed)

    def _keep_as_it_is(self, execution: Execution, reached: Mapping[str, Goal]) -> None:
        """Add a traced execution as a test; without goals it was not the same as before, and is worth nothing."""
        for name in self.open.copy() if reached and self.request.one_suffices else reached:
            del self.open[name]
        if reached:
            self.tests.append(execution)
            self._automata.add(test_to_gia(self.request.loaded.program, execution, reached.values()))
            self._has_news = True
            self.shifts.note_success()

    def _output_needed(self, execution: Execution, goals: Mapping[str, Goal], missing: Missing) -> int:
        """Bytes that variants of an execution may print."""
        found = self._run(execution.inputs, missing=missing, seconds=BRIEF_SECONDS, shared=True, output=BRIEF_OUTPUT)
        return BRIEF_OUTPUT if len(reached_by(found, goals)) == len(goals) else Limits().output

    def _briefly(
        self,
        execution: Execution,
        goals: Mapping[str, Goal],
        program: InstrumentedProgram | None = None,
        tracing: Tracing = Tracing.NONE,
    ) -> Execution | None:
        """The inputs of an execution executed once more, if it does not end and reaches the goals soon."""
        if not timed_out(execution):
            return None
        found = self._run(execution.inputs, program=program, tracing=tracing, seconds=BRIEF_SECONDS)
        return found if len(reached_by(found, goals)) == len(goals) else None

    def _again(
        self,
        execution: Execution,
        goals: Mapping[str, Goal],
        seconds: float = EXECUTION_SECONDS,
        program: InstrumentedProgram | None = None,
        tracing: Tracing = Tracing.NONE,
    ) -> Execution:
        """The inputs of an execution executed once more, for no longer than it takes to the goals."""
        found = self._briefly(execution, goals, program, tracing)
        return found or self._run(execution.inputs, program=program, tracing=tracing, seconds=seconds)

    def _confirm(self, execution: Execution, reached: Mapping[str, Goal]) -> tuple[Execution, Mapping[str, Goal]]:
        """The inputs of an execution executed again, and the open goals that they certainly reach.

        What is not initialised may decide when they are reached. A test ends there, so that it must be the execution
        that reads most until then.
        """
        final = self._again(execution, reached, tracing=Tracing.SEGMENTS)
        certain = self._certainly_reached(final)
        others = self._twins if certain else ()
        runs = [final, *(self._again(final, certain, program=twin, tracing=Tracing.SEGMENTS) for twin in others)]
        return max(runs, key=lambda run: inputs_until(run, certain) or 0), certain

    def _cut(self, execution: Execution, goals: Mapping[str, Goal], attempt: Attempt) -> Execution:
        """The execution of the inputs that are read until the last of the goals is reached, if that is shorter."""
        if not execution.inputs:
            return execution
        needed = inputs_until(self._again(execution, goals, tracing=Tracing.SEGMENTS), goals)
        if needed is None or needed >= len(execution.inputs):
            return execution
        short = attempt(execution.inputs[:needed])
        return short if short is not None and len(short.inputs) < len(execution.inputs) else execution

    def _simplify(self, execution: Execution, attempt: Attempt) -> Execution:
        """A simpler execution with the same effect, as long as that takes no more than its share of the time."""
        begun = monotonic()
        if self._simplifying > SIMPLIFICATION_SHARE * self.shifts.worked + MINIMAL_SIMPLIFICATION:
            return execution
        simple = simplify(execution, attempt, self.request.deadline) or execution
        if has_large_values(simple.inputs, self.dictionary.known_integers):
            traced = self._run(simple.inputs, tracing=Tracing.BOUNDED)
            deadline = min(self.request.deadline, monotonic() + SMALL_VALUES_SECONDS)
            small = small_values(self.request.loaded.program, traced, deadline)
            found = attempt(small) if small is not None else None
            simple = (simplify(found, attempt, deadline) if found is not None else None) or simple
        self._simplifying += monotonic() - begun
        return simple

    def _certainly_reached(self, execution: Execution, seconds: float = EXECUTION_SECONDS) -> dict[str, Goal]:
        """The open goals that an execution has reached, and that its inputs reach whatever is not initialised."""
        reached = {name: self.open[name] for name in reached_by(execution, self.open)}
        for twin in self._twins if reached else ():
            other = self._again(execution, reached, seconds, program=twin)
            again = reached_by(other, reached)
            if not timed_out(other):
                self.tell_undecided((name for name in reached if name not in again), DEPENDENT)
            reached = {name: reached[name] for name in again}
        return reached

    def _run(
        self,
        inputs: Inputs,
        *,
        program: InstrumentedProgram | None = None,
        seed: int | None = None,
        missing: Missing = Missing.STOP,
        tracing: Tracing = Tracing.NONE,
        seconds: float = EXECUTION_SECONDS,
        most: int = MAX_RANDOM_INPUTS,
        shared: bool = False,
        output: int = Limits().output,
        steps: int | None = None,
    ) -> Execution:
        """Run the program; ``shared`` if what it does will be confirmed before it counts."""
        self.executions += 1
        events = TRACED_EVENTS if tracing is Tracing.BOUNDED else MAX_EVENTS
        if steps is not None:
            tracing, events = Tracing.COUNTS, steps
        limit = self._longer * (MAX_INPUTS if seed is None else max(most, len(inputs)))
        execution = self._runner.run(
            program or self._program,
            inputs,
            limits=Limits(
                wall=min(seconds * self._longer, max(0.05, self.request.seconds_left)),
                output=output,
                inputs=limit,
                events=events * self._longer,
            ),
            missing=missing,
            seed=seed,
            dictionary=self.dictionary.values,
            tracing=tracing,
            shared=shared,
        )
        if execution.outcome not in (Outcome.OUT_OF_INPUTS, Outcome.ASSUMPTION_FAILED):
            self._endings.add(execution.crash is not None)
        return execution


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
