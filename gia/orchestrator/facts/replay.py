"""Only executed tests count (DESIGN §8): each is written as a Test-Comp file, read back, and run on the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.model import Automaton
from gia.cfa.goals import Criterion
from gia.exchange.suites.reading_tests import GiaTest
from gia.exchange.suites.testcase import TestCase
from gia.exchange.suites.testcomp_suite import SuiteMetadata, read_suite, write_suite
from gia.exchange.suites.tests_gia import run_to_gia, test_to_gia
from gia.native import (
    Crash,
    Execution,
    InputEvent,
    InstrumentedProgram,
    Limits,
    Missing,
    Runner,
    Tracing,
    compile_twins,
    crash_of,
)
from gia.orchestrator.facts.knowledge import ExecutedTest
from gia.orchestrator.facts.task import Task, kept_builds

ERROR_CRITERIA: Final = frozenset({Criterion.ERROR_CALL, Criterion.UNREACH_CALL})
"""A test that reaches a goal of these covers an error, which its file says."""


Promises = Mapping[tuple[tuple[str, str], ...], frozenset[str]]
"""The goals that tests, by their inputs, are said to reach."""

NO_PROMISES: Final[Promises] = MappingProxyType({})

USUAL: Final = Limits().wall
"""Seconds of wall time for an execution of which nothing was promised."""

LONGEST: Final = 100.0
"""Seconds of wall time for an execution that has not reached yet what it was said to reach."""

PATIENCE: Final = 10.0
"""Seconds after the last new goal in which tests are executed even though there is no time left."""

PATIENCE_WHEN_CANCELLED: Final = 1.0
"""The same when somebody wants the run to end."""

MOST_REMEMBERED: Final = 50
"""So many executions that reach no goal are remembered."""


def suite_metadata(task: Task, created: str = "") -> SuiteMetadata:
    """What ``metadata.xml`` says about a suite for this task."""
    program = task.program
    return SuiteMetadata(
        specification=task.own_specification,
        program=program.main_file,
        sha256=program.sha256,
        entry=task.entry,
        data_model=task.data_model,
        created=created,
    )


def goals_promised(task: Task, test: GiaTest) -> frozenset[str]:
    """The goals that a test is claimed to reach."""
    return frozenset(task.goal_of_edge[edge] for edge in test.goals if edge in task.goal_of_edge)


def promises_of(task: Task, tests: Iterable[GiaTest]) -> Promises:
    """The goals that each of these tests is claimed to reach."""
    found: dict[tuple[tuple[str, str], ...], frozenset[str]] = {}
    for test in tests:
        inputs = test.case.inputs
        found[inputs] = found.get(inputs, frozenset()) | goals_promised(task, test)
    return found


class Replayer:
    """Runs tests natively. The program is compiled when the first test comes; ``directory`` is its own.

    What reaches no goal is not run again: in a cycle, candidates are proposed in each round. Not for several threads
    at a time. ``is_cancelled`` says whether somebody wants the run to end.
    """

    def __init__(self, task: Task, directory: Path, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        self._task = task
        self._directory = directory
        self._is_cancelled = is_cancelled
        self._twins: tuple[InstrumentedProgram, ...] = ()
        self._fruitless: dict[tuple[TestCase, bool, float], tuple[ExecutedTest, Execution]] = {}

    def replay(
        self,
        cases: Sequence[TestCase],
        folder: Path,
        actor: str,
        *,
        as_read: bool = False,
        promises: Promises = NO_PROMISES,
        longest: float = LONGEST,
        deadline: float = inf,
    ) -> tuple[ExecutedTest, ...]:
        """Writes the tests to ``folder``, reads them from there, runs each and says what it reached.

        A test that reaches no goal is in the answer as well, with nothing reached. With ``as_read`` the inputs of each
        become those that the program has read, with their types, which other tools often leave open. An execution that
        does not reach in the usual time what it was promised to reach has up to ``longest`` seconds.

        When the ``deadline`` has passed or the run is cancelled, tests are executed as long as they bring something:
        behind the last of them, the answer ends. There may be thousands, and each may take its time.
        """
        executed = self._executed(cases, folder, actor, as_read, promises=promises, longest=longest)
        found: list[ExecutedTest] = []
        reached, latest = frozenset[str](), monotonic()
        for test, _ in executed:
            found.append(test)
            now = monotonic()
            if not test.reached <= reached:
                reached, latest = reached | test.reached, now
            cancelled = self._is_cancelled()
            patience = PATIENCE_WHEN_CANCELLED if cancelled else PATIENCE
            if (cancelled or now >= deadline) and now > latest + patience:
                break
        return tuple(found)

    def follow(
        self, cases: Sequence[TestCase], folder: Path, promises: Promises = NO_PROMISES
    ) -> tuple[tuple[ExecutedTest, Automaton], ...]:
        """As :meth:`replay`, each test with all of its execution (:func:`run_to_gia`)."""
        found = self._executed(cases, folder, "", as_read=False, promises=promises, longest=LONGEST)
        return tuple((test, run_to_gia(self._task.program, execution)) for test, execution in found)

    def _executed(
        self, cases: Sequence[TestCase], folder: Path, actor: str, as_read: bool, *, promises: Promises, longest: float
    ) -> Iterator[tuple[ExecutedTest, Execution]]:
        with Runner() as runner:
            promised = [promises.get(case.inputs, frozenset()) for case in cases]
            tests = [_Promised(runner, self._task, goals, longest) for goals in promised]
            complete = [self._completed(test, case) for test, case in zip(tests, cases, strict=True)]
            write_suite(folder, complete, suite_metadata(self._task))
            for case, test in zip(read_suite(folder), tests, strict=True):
                yield self._run(test, case, actor, as_read)

    def _completed(self, runner: _Promised, case: TestCase) -> TestCase:
        """The test with all inputs that the program reads, if it leaves out zeros at its end."""
        if not case.then_zeros:
            return case
        values = [value for _, value in case.inputs]
        return TestCase.of(runner.execute(self.programs()[0], values, Missing.ZERO).inputs)

    def programs(self) -> tuple[InstrumentedProgram, ...]:
        """The program, compiled for each content of memory that it has not written."""
        if not self._twins:
            goals = frozenset(number for goal in self._task.goals for number in goal.edges)
            self._twins = compile_twins(self._task.loaded, self._directory, watch=goals, cache=kept_builds())
        return self._twins

    def _run(self, runner: _Promised, case: TestCase, actor: str, as_read: bool) -> tuple[ExecutedTest, Execution]:
        """Runs a test; reached is what it reaches whatever memory holds that the program has not written."""
        asked = (case, as_read, runner.longest if runner.promised else 0.0)
        if asked in self._fruitless:
            executed, execution = self._fruitless[asked]
            return replace(executed, actor=actor), execution
        values = [value for _, value in case.inputs]
        program, *twins = self.programs()
        execution = runner.execute(program, values)
        goals = [goal for goal in self._task.goals if goal.edges & execution.covered_edges]
        for twin in twins if goals else ():
            covered = runner.execute(twin, values).covered_edges
            goals = [goal for goal in goals if goal.edges & covered]
        reached = frozenset(goal.id for goal in goals)
        automaton = test_to_gia(self._task.program, execution, goals)
        if as_read:
            case = TestCase.of(execution.inputs)
        if self._task.criterion in ERROR_CRITERIA:
            case = replace(case, covers_error=bool(reached))
        crash = self._crash(runner.runner, values) if execution.crash else None
        executed = ExecutedTest(case, reached, automaton, actor, self._reads(execution), execution.inputs, crash)
        if not reached and len(self._fruitless) < MOST_REMEMBERED:
            self._fruitless[asked] = (executed, execution)
        return executed, execution

    def _crash(self, runner: Runner, values: Sequence[str]) -> Crash | None:
        """How the program crashes, from an execution in which each decision is recorded."""
        return crash_of(self._task.program, runner.run(self.programs()[0], values, tracing=Tracing.FULL))

    def _reads(self, execution: Execution) -> tuple[int | None, ...]:
        """The edges on which the inputs were read before the first goal was reached, in this order."""
        goals = frozenset(number for goal in self._task.goals for number in goal.edges)
        reads = []
        for event in execution.events:
            if event.edge in goals:
                break
            if isinstance(event, InputEvent):
                reads.append(event.edge)
        return tuple(reads)


class _Promised(Struct, frozen=True):
    """How one test is run: until it has reached what was promised, or it ends, or the time is over."""

    runner: Runner
    task: Task
    promised: frozenset[str]
    longest: float

    def execute(
        self, program: InstrumentedProgram, values: Sequence[str], missing: Missing = Missing.STOP
    ) -> Execution:
        """One execution."""
        goals = [goal.edges for goal in self.task.goals if goal.id in self.promised]
        limits = Limits(wall=max(USUAL, self.longest) if goals else USUAL)
        return self.runner.run(program, values, limits=limits, missing=missing, goals=goals)
