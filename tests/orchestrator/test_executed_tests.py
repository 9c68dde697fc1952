"""Tests that actors propose are executed; in a cycle the same ones come again and again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from msgspec.structs import replace

from gia.cfa.operations import Input
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.testcase import TestCase
from gia.exchange.suites.tests_gia import test_to_gia
from gia.native import Execution, Limits, Missing, Runner, compile_instrumented
from gia.orchestrator.facts import replay
from gia.orchestrator.facts.examination import suite_of
from gia.orchestrator.facts.replay import LONGEST, NO_PROMISES, Replayer
from gia.orchestrator.facts.task import TaskRequest, load_task

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  if (__VERIFIER_nondet_int() == 7) { reach_error(); }
  return 0;
}
"""


def test_what_reaches_nothing_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    replayer = Replayer(load_task(TaskRequest(tmp_path / "p.c", "unreach-call")), tmp_path)
    tests = [TestCase((("int", value),)) for value in ("7", "8")]
    good, fruitless = replayer.replay(tests, tmp_path / "first", "one")
    assert good.reached
    assert not fruitless.reached
    asked = []
    run = Runner.run

    def counted(runner: Runner, program: Any, values: Sequence[str], **options: Any) -> Execution:
        asked.append(list(values))
        return run(runner, program, values, **options)

    monkeypatch.setattr(Runner, "run", counted)
    again = replayer.replay(tests, tmp_path / "second", "two")
    assert again == (replace(good, actor="two"), replace(fruitless, actor="two"))
    assert asked
    assert all(values == ["7"] for values in asked)


SLEEPER = """\
#include <unistd.h>
extern void reach_error(void);
int main(void) { usleep(700000); reach_error(); }
"""


USUAL = 0.4
"""Seconds; the tests wait for these, so that they are fewer than in earnest."""


def test_who_was_promised_something_waits_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "USUAL", USUAL)
    (tmp_path / "p.c").write_text(SLEEPER)
    task = load_task(TaskRequest(tmp_path / "p.c", "unreach-call"))
    replayer = Replayer(task, tmp_path)
    promises = {(): frozenset(goal.id for goal in task.goals)}
    for given, longest, reached in ((NO_PROMISES, 9.0, False), (promises, USUAL, False), (promises, 9.0, True)):
        folder = tmp_path / f"{bool(given)}-{longest}"
        (test,) = replayer.replay([TestCase(())], folder, "one", promises=given, longest=longest)
        assert bool(test.reached) == reached


ENDLESS_READER = """\
extern int __VERIFIER_nondet_int(void);
int main(void) { volatile int x = 0; for (;;) { if (x == 0) x = __VERIFIER_nondet_int(); } }
"""


def test_an_input_is_a_promise_as_well(tmp_path: Path) -> None:
    """The edge on which an input is read is seen in the inputs, not by a probe."""
    (tmp_path / "p.c").write_text(ENDLESS_READER)
    program = load_task(TaskRequest(tmp_path / "p.c", "branches")).loaded
    compiled = compile_instrumented(program, tmp_path)
    (reading,) = (edge.number for edge in program.program.edge_list if isinstance(edge.operation, Input))
    with Runner() as runner:
        soon = runner.run(compiled, ["7"], limits=Limits(wall=60), goals=[frozenset({reading})])
        never = runner.run(compiled, ["7"], limits=Limits(wall=1), goals=[frozenset({reading}), frozenset({-1})])
    assert reading in soon.covered_edges & never.covered_edges
    assert soon.wall < 30
    assert never.wall >= 1


SLOW_READER = """\
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = __VERIFIER_nondet_int();
  usleep(700000);
  for (int i = 0; i < 20000; i++) { sum += __VERIFIER_nondet_int(); }
  if (sum == 7) { reach_error(); }
}
"""


def test_zeros_at_the_end_are_waited_for_as_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "USUAL", USUAL)
    (tmp_path / "p.c").write_text(SLOW_READER)
    task = load_task(TaskRequest(tmp_path / "p.c", "unreach-call"))
    case = TestCase((("int", "7"),), then_zeros=True)
    promises = {case.inputs: frozenset(goal.id for goal in task.goals)}
    (test,) = Replayer(task, tmp_path).replay([case], tmp_path / "t", "one", promises=promises, longest=9.0)
    assert test.reached
    assert len(test.case.inputs) == 20_001


ENDLESS = """\
extern int __VERIFIER_nondet_int(void);
int main(void) { volatile int x = __VERIFIER_nondet_int(); if (x == 7) x = 0; for (;;) x = 1; }
"""


def test_an_execution_that_has_kept_its_promise_need_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "p.c").write_text(ENDLESS)
    task = load_task(TaskRequest(tmp_path / "p.c", "branches"))
    then = next(goal.id for goal in task.goals if goal.id.endswith("then"))
    run, walls = Runner.run, []

    def noted(runner: Runner, program: Any, values: Sequence[str], **options: Any) -> Execution:
        execution = run(runner, program, values, **options)
        walls.append(execution.wall)
        return execution

    monkeypatch.setattr(Runner, "run", noted)
    case = TestCase((("int", "7"),))
    (test,) = Replayer(task, tmp_path).replay([case], tmp_path / "t", "one", promises={case.inputs: frozenset({then})})
    assert then in test.reached
    assert max(walls) < LONGEST / 2


READER = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int sum = 0;
  for (int i = 0; i < 20000; i++) { sum += __VERIFIER_nondet_int(); }
  if (sum == 20000) { reach_error(); }
}
"""


def test_zeros_that_a_gia_does_not_spell_out_are_in_the_suite(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(READER.replace("sum == 20000", "sum == 3"))
    task = load_task(TaskRequest(tmp_path / "p.c", "unreach-call"))
    program = compile_instrumented(task.loaded, tmp_path)
    with Runner() as runner:
        execution = runner.run(program, ["1", "2"], missing=Missing.ZERO)
    automaton = test_to_gia(task.program, execution, task.goals)
    assert len(automaton.states) == 4
    (test,) = suite_of(task, automaton)
    assert test.reached
    assert test.case.literals == ("1", "2", *["0"] * 19_998)
    assert tests_of(test.automaton, task.program) == tests_of(automaton, task.program)


def test_a_test_may_have_many_inputs(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(READER)
    replayer = Replayer(load_task(TaskRequest(tmp_path / "p.c", "unreach-call")), tmp_path)
    (test,) = replayer.replay([TestCase((("int", "1"),) * 20_000)], tmp_path / "tests", "one")
    assert test.reached


CRASHING = """\
#include <stdio.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void) {
  int *nothing = NULL, letter = getchar();
  if (letter == EOF)
    abort();
  if (letter > '3')
    *nothing = getchar();
  return 10 / (letter - '0');
}
"""


@pytest.mark.parametrize(
    ("text", "signal", "line"), [("4", "SIGSEGV", 8), ("0", "SIGFPE", 8), ("1", "", 0), ("", "", 0)]
)
def test_a_crash_is_noticed_and_an_abort_is_none(text: str, signal: str, line: int, tmp_path: Path) -> None:
    """The place is that of the last decision in the program itself, not in the model of ``getchar``."""
    (tmp_path / "p.c").write_text(CRASHING)
    replayer = Replayer(load_task(TaskRequest(tmp_path / "p.c", "branches")), tmp_path)
    values = (*(("int", str(ord(letter))) for letter in text), ("int", "-1"))
    (test,) = replayer.replay([TestCase(values)], tmp_path / "suite", "one")
    assert test.reached
    if not signal:
        assert test.crash is None
    else:
        assert test.crash is not None
        assert (test.crash.signal, test.crash.after and test.crash.after.line) == (signal, line)


LOOPING = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int one = 1, *places[4] = {&one, &one, &one, 0}, sum = 0, most = __VERIFIER_nondet_int();
  for (int i = 0; i < most; i++) {
    sum += *places[i & 3];
    if (sum > 10)
      return 1;
  }
  return sum;
}
"""


def test_the_last_decision_before_a_crash_is_not_the_last_new_one(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(LOOPING)
    replayer = Replayer(load_task(TaskRequest(tmp_path / "p.c", "branches")), tmp_path)
    (test,) = replayer.replay([TestCase((("int", "9"),))], tmp_path / "suite", "one")
    assert test.crash is not None
    assert (test.crash.signal, test.crash.after and test.crash.after.line) == ("SIGSEGV", 4)


SLOW = """\
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) { usleep(100000); if (__VERIFIER_nondet_int() == 7) reach_error(); }
"""


@pytest.mark.parametrize("cancelled", [False, True])
def test_without_time_tests_are_executed_as_long_as_they_bring_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cancelled: bool
) -> None:
    monkeypatch.setattr(replay, "PATIENCE_WHEN_CANCELLED" if cancelled else "PATIENCE", 0.5)
    (tmp_path / "p.c").write_text(SLOW)
    task = load_task(TaskRequest(tmp_path / "p.c", "unreach-call"))
    values = ("1", "2", "7", *map(str, range(10, 60)))
    cases = [TestCase((("int", value),)) for value in values]
    deadline = {} if cancelled else {"deadline": monotonic()}
    done = Replayer(task, tmp_path, lambda: cancelled).replay(cases, tmp_path / "tests", "one", **deadline)
    assert [test.case.literals for test in done] == [(value,) for value in values[: len(done)]]
    assert [test.case.literals for test in done if test.reached] == [("7",)]
    assert 4 <= len(done) <= 12
