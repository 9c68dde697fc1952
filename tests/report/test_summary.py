"""What a run says at its end: few lines, the ones that a person needs first."""

from pathlib import Path

import pytest

from gia.orchestrator.facts.knowledge import CALL_GRAPH
from gia.orchestrator.records.reasons import OpenKind, OpenReason
from gia.orchestrator.records.result import CrashResult, GoalResult, Resources, Result, Stop, Summary
from gia.report.summary import MOST, cells, closing_lines, common_folder, obstacle, rows
from gia.verdict import GoalStatus, StopKind, Verdict


def goal(line: int, status: GoalStatus, by: str | None = None) -> GoalResult:
    return GoalResult(
        id=f"f:{line}:1:then", file="p.c", function="f", line=line, column=1, status=status, by=by, certified=True
    )


def result(goals: list[GoalResult]) -> Result:
    counts = {status: sum(goal.status is status for goal in goals) for status in GoalStatus}
    summary = Summary(
        goals=len(goals),
        covered=counts[GoalStatus.COVERED],
        unreachable=counts[GoalStatus.UNREACHABLE],
        open=counts[GoalStatus.OPEN],
        cov_b=0,
        cov_f=0,
        tests=1,
    )
    return Result.model_construct(
        goals=goals,
        summary=summary,
        verdict=Verdict.INCOMPLETE,
        resources=Resources(wall=1, cpu=1, memory=1),
        stop=Stop(reason=StopKind.TIME),
    )


def test_of_many_goals_the_open_ones_come_first_and_those_never_called_are_only_counted() -> None:
    unreachable = GoalStatus.UNREACHABLE
    uncalled = [goal(line, unreachable, CALL_GRAPH) for line in range(1, MOST + 1)]
    proven = goal(MOST + 1, unreachable, "verifier")
    covered = goal(MOST + 2, GoalStatus.COVERED, "tester")
    left = goal(MOST + 3, GoalStatus.OPEN)
    found = result([*uncalled, proven, covered, left])
    assert rows(found) == [left, proven]
    said = "\n".join(closing_lines(found, Path("out")))
    assert f"1 covered, {MOST + 1} unreachable ({MOST} in functions that are never called), 1 open" in said
    assert f"(and {MOST + 1} more in result.json)" in said


def test_few_goals_are_all_listed() -> None:
    goals = [goal(1, GoalStatus.UNREACHABLE, CALL_GRAPH), goal(2, GoalStatus.COVERED, "tester")]
    assert rows(result(goals)) == goals


def test_tests_that_crash_are_named_the_first_of_many_only() -> None:
    here = [CrashResult(test=f"testcase-{n}.xml", signal="SIGFPE", file="p.c", line=n, column=1) for n in (1, 2)]
    early = CrashResult(test="testcase-3.xml", signal="SIGSEGV")
    found = result([goal(1, GoalStatus.COVERED)])
    assert not any("crash" in line for line in closing_lines(found, Path("out")))
    found = found.model_copy(update={"crashes": [*here, early, *here]})
    assert (
        "the program crashes in 5 tests: "
        "testcase-1.xml (SIGFPE after p.c:1), testcase-2.xml (SIGFPE after p.c:2), testcase-3.xml (SIGSEGV), …"
    ) in closing_lines(found, Path("out"))


TIME = OpenReason(kind=OpenKind.BUDGET, detail="time is used up (20)")
IN_MODEL = OpenReason(kind=OpenKind.UNMODELLED, detail="a long number (in the model of strtol)", by="tester")
IN_PROGRAM = OpenReason(kind=OpenKind.UNMODELLED, detail="a long double", by="tester", file="p.c", line=3, column=1)
GIVEN_UP = OpenReason(kind=OpenKind.UNKNOWN, detail="the solver gave up", by="verifier")


@pytest.mark.parametrize(
    ("reasons", "said"),
    [
        ([TIME], "time is used up (20)"),
        ([TIME, IN_MODEL], "time is used up (20)"),
        ([TIME, IN_MODEL, IN_PROGRAM], "time is used up (20); line 3: a long double"),
        ([TIME, GIVEN_UP, IN_PROGRAM], "time is used up (20); verifier: the solver gave up"),
        ([IN_MODEL], "tester: a long number (in the model of strtol)"),
        ([IN_MODEL, GIVEN_UP], "verifier: the solver gave up"),
    ],
)
def test_beside_an_open_goal_stands_what_is_used_up_and_what_is_said_of_its_program(
    reasons: list[OpenReason], said: str
) -> None:
    assert obstacle(reasons) == said


MACHINE = "/home/somebody/work/on/another/machine/with/long/names/of/folders"


def in_files(*files: str) -> list[GoalResult]:
    return [goal(line, GoalStatus.COVERED).model_copy(update={"file": file}) for line, file in enumerate(files, 1)]


@pytest.mark.parametrize(
    ("files", "folder", "shown"),
    [
        ([], "", []),
        (["p.c", "q.c"], "", ["p.c", "q.c"]),
        ([f"{MACHINE}/a.c", "p.c"], "", [f"{MACHINE}/a.c", "p.c"]),
        (["/short/a.c", "/short/b.c"], "", ["/short/a.c", "/short/b.c"]),
        ([f"{MACHINE}/a.c", f"{MACHINE}/a.c"], f"{MACHINE}/", ["…/a.c", "…/a.c"]),
        ([f"{MACHINE}/x/a.c", f"{MACHINE}/xy/b.c"], f"{MACHINE}/", ["…/x/a.c", "…/xy/b.c"]),
    ],
)
def test_a_long_folder_of_all_files_is_named_once(files: list[str], folder: str, shown: list[str]) -> None:
    goals = in_files(*files)
    assert common_folder(goals) == folder
    assert [cells(one, folder)[0] for one in goals] == [f"{name}:{line}:1" for line, name in enumerate(shown, 1)]
    assert [line for line in closing_lines(result(goals), Path("out")) if "…" in line] == (
        [f"(…/ is {folder})"] if folder else []
    )
