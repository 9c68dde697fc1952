"""Why goals are open: each has a reason, and a construct is one only for what may be executed after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.operations import Call
from gia.cfa.types import DataModel
from gia.errors import Position
from gia.exchange.obstacles import Unmodelled, read_obstacles, undecided_line, unmodelled_line
from gia.frontend import load
from gia.orchestrator.records.reasons import OpenKind, open_reasons
from gia.orchestrator.records.step import StepRecord, StepState
from gia.verdict import StopKind, StopReason

PROGRAM = """extern int __VERIFIER_nondet_int(void);
static int half(int x) {
  long double y = x * 0.5L;
  if (y > 100)
    return 1;
  return (int)y;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 3)
    return 0;
  if (half(x) > 7)
    return 1;
  return 0;
}
"""
NOWHERE = StopReason(StopKind.NO_PROGRESS, 2)

names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=":"), min_size=1)
numbers = st.integers(1, 10_000)


def step(*lines: str, state: StepState = StepState.DONE) -> StepRecord:
    return StepRecord(1, "run/0", "verifier", "OA", 1, state, obstacles=read_obstacles(lines))


def reasons_of(tmp_path: Path, steps: list[StepRecord], stop: StopReason):
    path = tmp_path / "p.c"
    path.write_text(PROGRAM)
    program = load(path, data_model=DataModel.LP64).program
    return open_reasons(program, goals_of(program, Criterion.BRANCHES), steps, stop)


@given(names, numbers, numbers, names)
def test_a_line_says_what_it_was_made_of(file: str, line: int, column: int, reason: str) -> None:
    position = Position(file, line, column)
    found = read_obstacles(["a line of progress: 3 of 4", unmodelled_line(position, reason) + "\n"])
    assert found.unmodelled == (Unmodelled(position, reason),)
    goal = f"main:{line}:{column}:case 3"
    assert read_obstacles([undecided_line(goal, reason)]).undecided == {goal: reason}


def test_a_construct_is_a_reason_for_what_comes_after_it(tmp_path: Path) -> None:
    told = step(unmodelled_line(Position("/elsewhere/p.c", 3, 19), "long double arithmetic"))
    reasons = reasons_of(tmp_path, [told], NOWHERE)
    assert {goal for goal, found in reasons.items() if found[0].kind is OpenKind.UNMODELLED} == {
        "half:4:3:then",
        "half:4:3:else",
        "main:12:3:then",
        "main:12:3:else",
    }
    (reason,) = reasons["main:12:3:then"]
    assert (reason.line, reason.column, reason.by, reason.detail) == (3, 19, "verifier", "long double arithmetic")
    assert reason.file == str(tmp_path / "p.c")
    assert [found.kind for found in reasons["main:10:3:then"]] == [OpenKind.UNKNOWN]


def test_the_budget_is_a_reason_for_every_goal(tmp_path: Path) -> None:
    reasons = reasons_of(tmp_path, [step()], StopReason(StopKind.TIME, 20))
    assert all([found.kind for found in given] == [OpenKind.BUDGET] for given in reasons.values())


def test_who_gave_a_goal_up_is_named(tmp_path: Path) -> None:
    told = step(undecided_line("main:10:3:then", "the solver did not decide whether a path to it is feasible"))
    reasons = reasons_of(tmp_path, [told], NOWHERE)
    (reason,) = reasons["main:10:3:then"]
    assert reason.kind is OpenKind.UNKNOWN
    assert reason.by == "verifier"
    (other,) = reasons["main:10:3:else"]
    assert other.detail == "verifier ended without an answer"


def test_an_actor_that_failed_is_a_reason(tmp_path: Path) -> None:
    reasons = reasons_of(tmp_path, [step(state=StepState.FAILED)], NOWHERE)
    assert {found.kind for given in reasons.values() for found in given} == {OpenKind.FAILED}


def test_what_is_said_of_the_goal_itself_comes_before_what_is_executed_before_it(tmp_path: Path) -> None:
    goal = "main:12:3:then"
    told = step(unmodelled_line(Position("p.c", 3, 19), "long double"), undecided_line(goal, "the solver gave up"))
    reasons = reasons_of(tmp_path, [told], NOWHERE)
    assert [found.kind for found in reasons[goal]] == [OpenKind.UNKNOWN, OpenKind.UNMODELLED]


def test_what_is_not_modelled_in_a_model_of_the_library_names_it_once(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("#include <stdio.h>\nint main(void) { int x = getchar(); if (x > 3) return 1; return 0; }")
    program = load(path, data_model=DataModel.LP64).program
    (model,) = (found for name, found in program.functions.items() if name.endswith("getchar"))
    places = list(dict.fromkeys(edge.position for edge in model.edges))[:2]
    told = step(*(unmodelled_line(place, "something") for place in places))
    goals = goals_of(program, Criterion.BRANCHES)
    for found in open_reasons(program, goals, [told], NOWHERE).values():
        assert [reason.detail for reason in found] == ["something (in the model of getchar)"]
        assert found[0].line is None


def test_what_stands_in_a_model_for_any_result_is_called_that(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text('#include <stdio.h>\nint main(void) { return fclose(fopen("x", "r")) ? 3 : 4; }')
    program = load(path, data_model=DataModel.LP64).program
    closing = program.functions["__gia_file_fclose"]
    places = {e.position for e in closing.edges if isinstance(e.operation, Call) and e.operation.function == "strcoll"}
    told = step(*(unmodelled_line(place, "the result of strcoll is not modelled") for place in places))
    for found in open_reasons(program, goals_of(program, Criterion.BRANCHES), [told], NOWHERE).values():
        assert [reason.detail for reason in found] == ["any result is possible (in the model of file_fclose)"]


def test_a_value_that_no_input_gives_is_a_reason_where_nobody_knows_another(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("int main(void) {\n int p; if (p > 3)\n  p = 1;\n return 0;\n}\n")
    program = load(path, data_model=DataModel.LP64).program
    goals = goals_of(program, Criterion.BRANCHES)
    for found in open_reasons(program, goals, [step()], NOWHERE).values():
        (reason,) = found
        assert reason.detail == "p is used before anything is assigned to it"
        assert (reason.kind, reason.file, reason.line) == (OpenKind.UNMODELLED, str(path), 2)
    for found in open_reasons(program, goals, [step()], StopReason(StopKind.TIME, 20)).values():
        assert [reason.kind for reason in found] == [OpenKind.BUDGET]


STARTED = """#include <pthread.h>
#include <unistd.h>
static void *work(void *at) { if (at) return 0; return at; }
int main(void) {
  pthread_t thread;
  int x = getpid();
  if (x == 1) return 1;
  %s;
  if (x == 2) return 2;
  return 0;
}
"""


@pytest.mark.parametrize(
    ("call", "detail", "lines"),
    [
        ("fork()", "what the other process does is not known, so tests end here", {9}),
        (
            "pthread_create(&thread, 0, work, 0)",
            "code may run at times that the program does not show: nothing is proven, and tests end here",
            {3, 7, 9},
        ),
        ("alarm(x)", "", set()),
    ],
)
def test_what_nobody_can_find_out_comes_before_the_budget(
    tmp_path: Path, call: str, detail: str, lines: set[int]
) -> None:
    path = tmp_path / "p.c"
    path.write_text(STARTED % call)
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    reasons = open_reasons(loaded.program, goals, [step()], StopReason(StopKind.TIME, 20))
    limited = {goal.line: reasons[goal.id] for goal in goals if reasons[goal.id][0].kind is OpenKind.UNMODELLED}
    assert limited.keys() == lines
    text = f"{call.partition('(')[0]}: {detail}"
    assert all([found.detail for found in given] == [text, "time is used up (20)"] for given in limited.values())
    assert all((given[0].file, given[0].line) == (str(path), 8) for given in limited.values())
    assert [str(remark) for remark in loaded.warnings if "tests end" in str(remark)] == (
        [f"{path}:8:3: {text}"] if detail else []
    )
