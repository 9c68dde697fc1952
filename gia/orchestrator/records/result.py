"""``result.json``: what a run leaves for scripts (DESIGN §7). The JSON schema is generated from these models."""

from __future__ import annotations

import resource
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel, ConfigDict, Field

from gia.cfa.goals import Goal
from gia.orchestrator.facts.knowledge import Decision, ExecutedTest, Knowledge
from gia.orchestrator.facts.verdicts import verdict_of
from gia.orchestrator.records.reasons import OpenReason, open_reasons
from gia.orchestrator.records.step import StepRecord, StepState
from gia.verdict import GoalStatus, StopKind, StopReason, Trust, Verdict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GoalResult(_Part):
    """One goal. ``by`` decided it; ``test`` is there if it is covered, ``certified`` if it is unreachable.

    ``reasons`` are there if it is open, and only then.
    """

    id: str
    file: str
    function: str
    line: int
    column: int
    status: GoalStatus
    by: str | None = None
    test: str | None = Field(None, description="the first test that reaches it, in test-suite/")
    certified: bool | None = Field(None, description="whether the evidence was checked")
    reasons: list[OpenReason] | None = Field(None, description="why it is open")


class Summary(_Part):
    """Numbers of goals; ``cov_b`` = covered / goals, ``cov_f`` = covered / (goals - unreachable), 1 if that is 0."""

    goals: int
    covered: int
    unreachable: int
    open: int
    cov_b: float
    cov_f: float
    tests: int


class Resources(_Part):
    """Seconds of wall and CPU time of the run and all of its actors; bytes of the largest process."""

    wall: float
    cpu: float
    memory: int


class StepResult(_Part):
    """One step; ``new_rt`` and ``new_ut`` are the goals that it decided."""

    actor: str
    round: int
    wall: float
    cpu: float
    memory: int
    status: StepState
    new_rt: int
    new_ut: int
    folder: str
    cached: bool = Field(False, description="it was not run: the same step on the same inputs had been before")
    isolation: str | None = Field(None, description="how its processes were limited: plain, benchexec")
    remarks: list[str] = []


class Stop(_Part):
    """Why the run stopped, with the number that tripped it (seconds, rounds)."""

    reason: StopKind
    value: float | None = None
    detail: str = ""


class CrashResult(_Part):
    """A test in test-suite/ that makes the program crash; the place is that of the last decision before."""

    test: str
    signal: str = Field(description="SIGBUS, SIGFPE, SIGILL, SIGSEGV")
    file: str | None = None
    line: int | None = None
    column: int | None = None


class Result(_Part):
    """A whole run."""

    program: str
    sha256: str
    specification: str
    composition: str
    executor: str = Field(description="where the actors ran: local, dask")
    isolation: str = Field(description="how they were limited: plain, benchexec, mixed (the steps say which), none ran")
    verdict: Verdict
    goals: list[GoalResult]
    summary: Summary
    resources: Resources
    steps: list[StepResult]
    stop: Stop
    crashes: list[CrashResult] = []
    warnings: list[str] = []

    def as_json(self) -> str:
        """The content of ``result.json``."""
        return self.model_dump_json(indent=1, exclude_none=True) + "\n"


def test_name(index: int) -> str:
    """The file name of the test with that index."""
    return f"testcase-{index + 1}.xml"


def result_of(
    knowledge: Knowledge,
    composition: str,
    steps: Sequence[StepRecord],
    stop: StopReason,
    *,
    wall: float,
    executor: str = "local",
    warnings: Sequence[str] = (),
) -> Result:
    """The result of a run that has come so far."""
    task = knowledge.task
    covered, unreachable = knowledge.count(GoalStatus.COVERED), knowledge.count(GoalStatus.UNREACHABLE)
    goals = len(task.goals)
    reasons = open_reasons(task.program, knowledge.open_goals, steps, stop)
    reachable = goals - unreachable
    return Result(
        program=task.program.main_file,
        sha256=task.program.sha256,
        specification=task.criterion.value,
        composition=composition,
        executor=executor,
        isolation=_isolation(steps),
        verdict=verdict_of(knowledge),
        goals=[_goal(goal, knowledge.decisions[goal.id], reasons.get(goal.id)) for goal in task.goals],
        summary=Summary(
            goals=goals,
            covered=covered,
            unreachable=unreachable,
            open=goals - covered - unreachable,
            cov_b=round(covered / goals, 4) if goals else 1.0,
            cov_f=round(covered / reachable, 4) if reachable else 1.0,
            tests=len(knowledge.suite),
        ),
        resources=_resources(steps, wall),
        steps=[_step(step) for step in steps],
        stop=Stop(reason=stop.kind, value=stop.value, detail=stop.detail),
        crashes=list(_crashes(knowledge.suite)),
        warnings=[*warnings, *map(str, knowledge.conflicts)],
    )


def _goal(goal: Goal, decision: Decision, reasons: list[OpenReason] | None) -> GoalResult:
    covered = decision.status is GoalStatus.COVERED
    unreachable = decision.status is GoalStatus.UNREACHABLE
    return GoalResult(
        id=goal.id,
        file=goal.file,
        function=goal.function,
        line=goal.line,
        column=goal.column,
        status=decision.status,
        by=decision.by,
        test=test_name(decision.test) if covered and decision.test is not None else None,
        certified=decision.trust is Trust.CERTIFIED if unreachable else None,
        reasons=reasons,
    )


def _crashes(suite: Iterable[ExecutedTest]) -> Iterator[CrashResult]:
    for index, test in enumerate(suite):
        if test.crash is not None:
            place = test.crash.after
            yield CrashResult(
                test=test_name(index),
                signal=test.crash.signal,
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
            )


def _isolation(steps: Sequence[StepRecord]) -> str:
    used = {step.isolation for step in steps if step.isolation}
    return "mixed" if len(used) > 1 else next(iter(used), "none ran")


def _step(step: StepRecord) -> StepResult:
    return StepResult(
        actor=step.actor,
        round=step.round,
        wall=round(step.wall, 3),
        cpu=round(step.cpu, 3),
        memory=step.memory,
        status=step.state,
        new_rt=step.new_rt,
        new_ut=step.new_ut,
        folder=f"steps/{step.folder}",
        cached=step.cached,
        isolation=step.isolation or None,
        remarks=list(step.remarks),
    )


def _resources(steps: Sequence[StepRecord], wall: float) -> Resources:
    """Actors' usage is in the steps; ``RUSAGE_SELF`` is the engine, with its replays and checks."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    cpu = own.ru_utime + own.ru_stime + sum(step.cpu for step in steps)
    memory = max([own.ru_maxrss * 1024, *(step.memory for step in steps)])
    return Resources(wall=round(wall, 3), cpu=round(cpu, 3), memory=memory)
