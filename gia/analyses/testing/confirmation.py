"""Which goals inputs reach in any case, whatever is in the memory that is not initialised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from gia.analyses.testing.executions import inputs_until, reached_by, timed_out
from gia.analyses.testing.executor import EXECUTION_SECONDS, Executor
from gia.cfa.goals import Goal
from gia.native import Execution, Tracing

DEPENDENT = "tests reach it only with some contents of what is not initialised, or with the address of something"
"""Why a goal may stay open that an execution has reached."""


class Confirmation:
    """Confirms what executions have reached; ``tell`` is told why a goal that one reached is not certain."""

    def __init__(self, executor: Executor, tell: Callable[[Iterable[str], str], None]) -> None:
        self._executor = executor
        self._tell = tell

    def certain(
        self, execution: Execution, goals: Mapping[str, Goal], seconds: float = EXECUTION_SECONDS
    ) -> dict[str, Goal]:
        """Those of ``goals`` that an execution of the program has reached, and that its twins reach as well."""
        return self._again(execution, goals, seconds, Tracing.NONE)[0]

    def confirm(
        self, execution: Execution, reached: Mapping[str, Goal], wanted: Mapping[str, Goal]
    ) -> tuple[Execution, dict[str, Goal]]:
        """The inputs of an execution executed again and traced, and the ``wanted`` goals that they certainly reach.

        It runs for no longer than it takes to the goals that it ``reached``.

        What is not initialised may decide when they are reached. A test ends there, so that it must be the execution
        that reads most until then.
        """
        final = self._executor.run_again(execution, reached, tracing=Tracing.SEGMENTS)
        certain, others = self._again(final, wanted, EXECUTION_SECONDS, Tracing.SEGMENTS)
        return max([final, *others], key=lambda run: inputs_until(run, certain) or 0), certain

    def _again(
        self, execution: Execution, goals: Mapping[str, Goal], seconds: float, tracing: Tracing
    ) -> tuple[dict[str, Goal], list[Execution]]:
        """The goals that an execution and its like in all twins reach, and these."""
        reached = {name: goals[name] for name in reached_by(execution, goals)}
        runs: list[Execution] = []
        for twin in self._executor.twins:
            if not reached:
                break
            runs.append(self._executor.run_again(execution, reached, seconds, program=twin, tracing=tracing))
            again = reached_by(runs[-1], reached)
            if not timed_out(runs[-1]):
                self._tell((name for name in reached if name not in again), DEPENDENT)
            reached = {name: reached[name] for name in again}
        return reached, runs
