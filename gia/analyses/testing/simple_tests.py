"""An execution becomes a test: as short and as simple as a bounded search finds, and confirmed."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic

from gia.analyses.request import ActorRequest
from gia.analyses.testing.confirmation import Confirmation
from gia.analyses.testing.executions import inputs_until, reached_by, timed_out
from gia.analyses.testing.executor import BRIEF_SECONDS, EXECUTION_SECONDS, Executor
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.simplification import Attempt, simplify
from gia.analyses.testing.small_values import has_large_values, small_values
from gia.cfa.goals import Goal
from gia.native import Execution, Limits, Missing, Outcome, Tracing

BRIEF_OUTPUT = 1 << 17
"""So many bytes suffice most executions until they have reached what they reach: others may print as much as any."""

SIMPLIFICATION_SHARE = 0.2
"""The share of the time that making tests simpler may take."""

MINIMAL_SIMPLIFICATION = 1.0
"""Seconds that it may take in any case."""

SMALL_VALUES_SECONDS = 0.5
"""Seconds that the search for small numbers may take for one test."""


class TestMaker:
    """Makes tests of executions, and keeps account of the time that this takes."""

    def __init__(self, request: ActorRequest, executor: Executor, confirmation: Confirmation) -> None:
        self._request = request
        self._executor = executor
        self._confirmation = confirmation
        self._seconds = 0.0

    def make(
        self, execution: Execution, reached: Mapping[str, Goal], wanted: Mapping[str, Goal], worked: float
    ) -> tuple[Execution, dict[str, Goal]]:
        """The simplest test found for the goals that an execution reached, and the wanted ones that are certain for it.

        A test may give the program fewer inputs than it asks for if that does not end by itself, else it is complete.
        ``worked`` are the seconds that the campaign has worked: making tests simpler takes a share of them.
        """
        missing, seconds = self._way_to_run(execution, reached)
        output = self._output_needed(execution, reached, missing)

        def attempt(inputs: Inputs) -> Execution | None:
            found = self._executor.run(inputs, missing=missing, seconds=seconds, shared=True, output=output)
            return found if len(reached_by(found, reached)) == len(reached) else None

        simple = self._cut(execution, reached, attempt)
        if self._seconds <= SIMPLIFICATION_SHARE * worked + MINIMAL_SIMPLIFICATION:
            begun = monotonic()
            simple = self._simplify(simple, attempt)
            self._seconds += monotonic() - begun
        final, confirmed = self._confirmation.confirm(simple, reached, wanted)
        if len(confirmed) < len(reached):  # what is not initialised matters to the simpler one
            final, confirmed = self._confirmation.confirm(execution, reached, wanted)
        return final, confirmed

    def _way_to_run(self, execution: Execution, goals: Mapping[str, Goal]) -> tuple[Missing, float]:
        """What becomes of inputs that variants of an execution ask for beyond theirs, and the seconds they may take."""
        brief = self._executor.run_briefly(execution, goals)
        wall = BRIEF_SECONDS if brief is not None else execution.wall
        seconds = min(EXECUTION_SECONDS, max(0.05, 5 * wall))
        ends = not timed_out(execution)
        was_cut_by_steps = execution.outcome is Outcome.TIMEOUT and execution.wall < seconds
        if execution.outcome is Outcome.OUT_OF_INPUTS or was_cut_by_steps:
            ends = not timed_out(self._executor.run(execution.inputs, missing=Missing.ZERO, seconds=seconds))
        return (Missing.ZERO if ends else Missing.STOP), seconds

    def _output_needed(self, execution: Execution, goals: Mapping[str, Goal], missing: Missing) -> int:
        """Bytes that variants of an execution may print."""
        found = self._executor.run(
            execution.inputs, missing=missing, seconds=BRIEF_SECONDS, shared=True, output=BRIEF_OUTPUT
        )
        return BRIEF_OUTPUT if len(reached_by(found, goals)) == len(goals) else Limits().output

    def _cut(self, execution: Execution, goals: Mapping[str, Goal], attempt: Attempt) -> Execution:
        """The execution of the inputs that are read until the last of the goals is reached, if that is shorter."""
        if not execution.inputs:
            return execution
        needed = inputs_until(self._executor.run_again(execution, goals, tracing=Tracing.SEGMENTS), goals)
        if needed is None or needed >= len(execution.inputs):
            return execution
        short = attempt(execution.inputs[:needed])
        return short if short is not None and len(short.inputs) < len(execution.inputs) else execution

    def _simplify(self, execution: Execution, attempt: Attempt) -> Execution:
        """A simpler execution with the same effect."""
        simple = simplify(execution, attempt, self._request.deadline) or execution
        if not has_large_values(simple.inputs, self._executor.dictionary.known_integers):
            return simple
        traced = self._executor.run(simple.inputs, tracing=Tracing.BOUNDED)
        deadline = min(self._request.deadline, monotonic() + SMALL_VALUES_SECONDS)
        small = small_values(self._request.loaded.program, traced, deadline)
        found = attempt(small) if small is not None else None
        return (simplify(found, attempt, deadline) if found is not None else None) or simple
