"""The executions of a campaign's program: how long they may take, and what they may read and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gia.analyses.request import ActorRequest
from gia.analyses.testing.executions import reached_by, timed_out
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.values import Dictionary
from gia.cfa.goals import Goal
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
)

EXECUTION_SECONDS = 0.25
"""Wall time of one execution; what a program does later is not looked at before executions are lengthened."""

BRIEF_SECONDS = 0.02
"""What most executions that do not end need to reach what they reach: others are given the whole time."""

LONGER = 20
"""How much longer executions may be once :meth:`Executor.lengthen` was called."""

MAX_INPUTS = 25_000
"""The most inputs of one execution."""

MAX_RANDOM_INPUTS = 1_000
"""The most inputs of an execution that reads random ones."""

MAX_EVENTS = 200_000
"""The most events that are recorded of one execution."""

TRACED_EVENTS = 20_000
"""The length of an execution that is traced so that its path can be replayed."""


class Executor:
    """Executes one program, and its twins, which differ in what is not initialised."""

    def __init__(self, request: ActorRequest, twins: Sequence[InstrumentedProgram], runner: Runner) -> None:
        self.program, *self.twins = twins
        self.dictionary = Dictionary(request.loaded.program)
        self.always_crashed = False
        """Whether executions have crashed, and each did that was not ended for want of an input."""
        self._ended = False
        self._longer = 1
        self._request = request
        self._runner = runner

    def run(
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
        """Run the program, or one of its twins, for at most ``seconds``.

        Inputs that are missing are random with a ``seed``, up to ``most`` in all; else ``missing`` says what becomes of
        them. It ends after ``output`` bytes and so many ``steps``, too, which are outcomes of conditions (then without
        ``tracing``). ``shared`` if what it does will be confirmed before it counts.
        """
        events = TRACED_EVENTS if tracing is Tracing.BOUNDED else MAX_EVENTS
        if steps is not None:
            tracing, events = Tracing.COUNTS, steps
        limit = self._longer * (MAX_INPUTS if seed is None else max(most, len(inputs)))
        execution = self._runner.run(
            program or self.program,
            inputs,
            limits=Limits(
                wall=min(seconds * self._longer, max(0.05, self._request.seconds_left)),
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
            crashed = execution.crash is not None
            self.always_crashed = crashed and (self.always_crashed or not self._ended)
            self._ended = True
        return execution

    def run_briefly(
        self,
        execution: Execution,
        goals: Mapping[str, Goal],
        program: InstrumentedProgram | None = None,
        tracing: Tracing = Tracing.NONE,
    ) -> Execution | None:
        """The inputs of an execution executed once more, if it does not end and reaches the goals soon."""
        if not timed_out(execution):
            return None
        found = self.run(execution.inputs, program=program, tracing=tracing, seconds=BRIEF_SECONDS)
        return found if len(reached_by(found, goals)) == len(goals) else None

    def run_again(
        self,
        execution: Execution,
        goals: Mapping[str, Goal],
        seconds: float = EXECUTION_SECONDS,
        program: InstrumentedProgram | None = None,
        tracing: Tracing = Tracing.NONE,
    ) -> Execution:
        """The inputs of an execution executed once more, for no longer than it takes to the goals."""
        found = self.run_briefly(execution, goals, program, tracing)
        return found or self.run(execution.inputs, program=program, tracing=tracing, seconds=seconds)

    def fuzz(self, request: FuzzRequest) -> FuzzBatch:
        """A batch of fuzzing; what it reaches is worth nothing before it is executed by :meth:`run`."""
        return self._runner.fuzz(self.program, request)

    def lengthen(self) -> None:
        """Let executions take much longer and read much more from now on."""
        self._longer = LONGER

    def shorten(self) -> None:
        """Let executions take as long as at first."""
        self._longer = 1
