"""The tester on small programs, from C text to a GIA: what is covered is known, and nothing else may be claimed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest, Others
from gia.analyses.testing import campaign as campaigns
from gia.analyses.testing import concolic, tester, turns
from gia.analyses.testing.campaign import campaign
from gia.analyses.testing.executions import inputs_until
from gia.analyses.testing.executor import BRIEF_SECONDS, EXECUTION_SECONDS
from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance, Automaton
from gia.automaton.status import goal_status
from gia.automaton.wellformed import violations
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import INT, DataModel
from gia.errors import InputError
from gia.exchange.obstacles import read_obstacles
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.tests_gia import test_to_gia
from gia.frontend import load
from gia.native import (
    Execution,
    InputValue,
    InstrumentedProgram,
    Limits,
    Missing,
    Outcome,
    Runner,
    Tracing,
    compile_instrumented,
    compile_twins,
)
from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term
from gia.verdict import GoalStatus
from tests.shared import SHARED, needs_shared

EXAMPLES = Path(__file__).parents[2] / "examples"
LATE = 6.0
"""Seconds after its deadline that count as a hang: the machine may be busy; `benchmarks/verdicts.py` is stricter."""

HEADER = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n"


def run_actor(
    name: str, path: Path, directory: Path, seconds: float, gia: Automaton | None = None, **rest
) -> tuple[Automaton, dict[str, GoalStatus]]:
    """The answer of a built-in actor for the branches of a program (the ``wanted`` ones), and what it decides."""
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, rest.pop("criterion", Criterion.BRANCHES))
    goals = tuple(filter(rest.pop("wanted", None), goals))
    known = gia or initial_gia(loaded.program, goals)
    request = ActorRequest(loaded, goals, known, time.monotonic() + seconds, directory, **rest)
    found = ACTORS[name].load()(request)
    return found, dict(goal_status(loaded.program, found, goals))


UNIT = """
struct node { int value; const struct node *next; };
typedef struct { const char *name; struct node *list; int (*weigh)(struct node *); } item;
int mode;
int second(const struct node *n) { return n && n->next && n->next != n && n->next->value == 42; }
int named(const item *it) { if (!it || !it->name) return 0; if (it->name[0] == 'q') return 1; return 2; }
int weighs(item it) { if (it.weigh(it.list) == 77 && mode == 5) return 1; return 0; }
int same(int *a, int *b) { if (!a || !b) return 0; *a = 1; *b = 2; if (*a == 2) return 1; return 2; }
int main(void) { return 0; }
"""


def test_a_program_without_inputs_is_executed_once_and_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns, "ONLY_SECONDS", 5.0)
    path = tmp_path / "program.c"
    path.write_text("#include <unistd.h>\nint main(void) { int x = 1; usleep(700000); if (x) return 1; return 0; }")
    runs = []
    run = Runner.run
    monkeypatch.setattr(Runner, "run", lambda *given, **options: runs.append(given) or run(*given, **options))
    found, status = run_actor("tester", path, tmp_path, 20.0)
    assert sorted(status.values()) == [GoalStatus.COVERED, GoalStatus.OPEN]
    assert len(runs) == 1
    (test,) = tests_of(found, load(path, data_model=DataModel.LP64).program)
    assert not test.inputs


def test_what_a_program_without_inputs_does_soon_is_known_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It never ends: it is executed for longer and longer, as long as a goal is open that nobody else has decided."""
    monkeypatch.setattr(campaigns, "ONLY_SECONDS", 0.1)
    monkeypatch.setattr(campaigns, "LENGTHENING", 2.0)
    monkeypatch.setattr(campaigns, "LISTENING_SECONDS", 0.0)
    path = tmp_path / "program.c"
    path.write_text(
        "#include <unistd.h>\nint main(void) { int x = 0; top: if (x == 1) x = 2;\n"
        "if (x == 9) return 1; if (!x) { usleep(500000); x = 1; } goto top; }"
    )
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    published: list[Automaton] = []

    class Prover(Others):
        def decided(self) -> frozenset[str]:
            found = {goal for gia in published for goal, status in decided_by(gia).items() if status}
            return frozenset({"main:3:1:then"} if len(found) == 5 else ())

    def decided_by(gia: Automaton) -> dict[str, bool]:
        return {goal: s is not GoalStatus.OPEN for goal, s in goal_status(loaded.program, gia, goals).items()}

    def publish(found: Callable[[], Automaton]) -> bool:
        published.append(found())
        return True

    _, status = run_actor("tester", path, tmp_path, 300, publish=publish, others=Prover())
    assert [goal for goal, s in status.items() if s is GoalStatus.OPEN] == ["main:3:1:then"]
    assert [sum(decided_by(gia).values()) for gia in (published[0], published[-1])] == [3, 5]


@pytest.mark.parametrize("entry", ["second", "named", "weighs", "same"])
def test_the_pointers_of_a_unit_lead_to_objects_to_nothing_and_to_each_other(entry: str, tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text(UNIT)
    loaded = load(path, data_model=DataModel.LP64, entry=entry)
    goals = tuple(goal for goal in goals_of(loaded.program, Criterion.ATOMIC) if goal.function == entry)
    deadline = time.monotonic() + 60.0
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), deadline, tmp_path)
    found = ACTORS["bmc"].load()(request)
    assert not open_goals(dict(goal_status(loaded.program, found, goals)))


def test_calls_through_null_are_no_way_to_a_goal(tmp_path: Path) -> None:
    """Nothing is executed behind them, so that nobody looks there for what an unknown function might return."""
    text = """static int answer(int n) { return n + __VERIFIER_nondet_int(); }
    int main(void) {
      int (*choices[])(int) = { answer, 0 };
      if (choices[__VERIFIER_nondet_int() & 1](1) == 77) return 1;
      return 0; }"""
    _, status = run_actor("bmc", program(tmp_path, text), tmp_path, 20.0)
    assert not open_goals(status)


@pytest.mark.parametrize("actor", ["tester", "fuzz", "concolic", "bmc", "symex"])
def test_one_error_that_is_reached_ends_the_search_for_others(actor: str, tmp_path: Path) -> None:
    text = """void reach_error(void);
    int main(void) {
      unsigned s = 1;
      while (__VERIFIER_nondet_int()) { s = s * s * 3 + 7; if (s % 1021 == 77 && s * s * s == 12345) reach_error(); }
      if (__VERIFIER_nondet_int() > 7) reach_error();
      return 0; }"""
    begun = time.monotonic()
    path, criterion = program(tmp_path, text), Criterion.UNREACH_CALL
    _, status = run_actor(actor, path, tmp_path, 60.0, criterion=criterion, one_suffices=True)
    assert sorted(status.values()) == [GoalStatus.COVERED, GoalStatus.OPEN]
    assert time.monotonic() - begun < 30.0


def open_goals(status: dict[str, GoalStatus]) -> list[str]:
    return [name for name, state in status.items() if state is not GoalStatus.COVERED]


def program(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.c"
    path.write_text(HEADER + text)
    return path


@pytest.mark.parametrize(
    ("text", "unreachable"),
    [
        ("int main(void) { return 0; }", 0),
        ("int main(void) { int x = __VERIFIER_nondet_int(); if (x == 123456789) return 1; return 0; }", 0),
        ("int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3) if (x < 2) return 1; return 0; }", 1),
        (
            """int main(void) {
                 int n = __VERIFIER_nondet_int(), c = 0;
                 for (int i = 0; i < 20; i++) if (__VERIFIER_nondet_int() == i * i) c++;
                 if (c == 19) return 1;
                 if (c > 20) return 2;
                 return n / 2 == 1000;
               }""",
            1,
        ),
        (
            """int square(int x) { return x * x; }
               int main(void) {
                 int a[8];
                 for (int i = 0; i < 8; i++) a[i] = __VERIFIER_nondet_uchar();
                 int index = __VERIFIER_nondet_uchar() & 7;
                 if (a[index] == 77 && a[7 - index] == square(6)) return 1;
                 return 0;
               }""",
            0,
        ),
        (
            """int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
               int main(void) {
                 int n = __VERIFIER_nondet_int();
                 if (n > 6) return 0;
                 if (fib(n) == 5) return 1;
                 return 2;
               }""",
            0,
        ),
        (
            """enum color { RED, GREEN = 5, BLUE };
               int main(void) {
                 switch (__VERIFIER_nondet_int()) {
                   case RED: case GREEN: return 1;
                   case BLUE: break;
                   default: return 2;
                 }
                 return 0;
               }""",
            0,
        ),
    ],
)
def test_everything_reachable_is_covered(tmp_path: Path, text: str, unreachable: int) -> None:
    found, status = run_actor("tester", program(tmp_path, text), tmp_path, 20.0)
    assert len(open_goals(status)) == unreachable
    assert not violations(found)
    assert not found.accepting(Acceptance.UT)


def test_bounded_search_alone_goes_through_a_long_loop(tmp_path: Path) -> None:
    text = """int main(void) {
                int i = 0;
                while (i < 300) i++;
                if (__VERIFIER_nondet_int() + i == 305) return 1;
                return 0;
              }"""
    _, status = run_actor("bmc", program(tmp_path, text), tmp_path, 10.0)
    assert open_goals(status) == []


def test_random_testing_alone_finds_easy_goals(tmp_path: Path) -> None:
    text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0) { if (x == 4711) return 1; } return 0; }"
    _, status = run_actor("random", program(tmp_path, text), tmp_path, 5.0, seed=3)
    assert open_goals(status) == []


def test_same_seed_same_answer(tmp_path: Path) -> None:
    path = EXAMPLES / "combination_lock.c"
    answers = []
    for number in range(2):
        directory = tmp_path / str(number)
        directory.mkdir()
        answers.append(run_actor("tester", path, directory, 30.0, seed=7)[0])
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("branches", "loop", "searches"),
    [
        (2, "", ["bounded symbolic execution"]),
        (tester.SMALL_PROGRAM, "", ["bounded symbolic execution"]),
        (tester.SMALL_PROGRAM, "while (__VERIFIER_nondet_int());", ["bounded symbolic execution", "fuzzing"]),
    ],
)
def test_programs_with_few_executions_are_looked_at_as_a_whole(
    branches: int, loop: str, searches: list[str], tmp_path: Path
) -> None:
    """There is nothing to fuzz then. Other large ones are fuzzed soon, since many of their goals are easy."""
    more = "".join(f"if (y == {number}) return {number};" for number in range(branches))
    text = f"int main(void) {{ int y = __VERIFIER_nondet_int(); {loop} {more} if (y != y) return -1; return 0; }}"
    said: list[str] = []
    _, status = run_actor("tester", program(tmp_path, text), tmp_path, 8.0, report=said.append)
    assert len(open_goals(status)) == 1
    assert [line.partition(":")[0] for line in said if not line.startswith("bound ")][:2] == searches


def test_decided_goals_are_no_work(tmp_path: Path) -> None:
    path = program(tmp_path, "int main(void) { if (__VERIFIER_nondet_int()) return 1; return 0; }")
    found, status = run_actor("tester", path, tmp_path, 5.0)
    assert open_goals(status) == []
    again, _ = run_actor("tester", path, tmp_path, 5.0, gia=found)
    assert not again.accepting(Acceptance.RT)


def test_deadline_is_kept(tmp_path: Path) -> None:
    text = """int main(void) {
                unsigned long x = 1;
                for (;;) {
                  int y = __VERIFIER_nondet_int();
                  x = x * 6364136223846793005ul + (unsigned)y;
                  if (x % 1000003 == 17 && (x >> 40) == 99 && y % 8191 == 77) return 1;
                }
              }"""
    start = time.monotonic()
    run_actor("tester", program(tmp_path, text), tmp_path, 3.0)
    assert time.monotonic() - start < 3.0 + LATE


@pytest.mark.parametrize(
    "text",
    [
        "int main(void) { for (;;) ; }",
        "#include <stdlib.h>\nint main(void) { abort(); }",
        "int main(void) { int *p = 0; if (__VERIFIER_nondet_int()) *p = 1; return 0; }",
        '#include <stdio.h>\nint main(void) { for (;;) puts("flood"); }',
        "int f(int n) { return f(n + 1) + 1; } int main(void) { return f(0); }",
    ],
)
def test_programs_that_misbehave(tmp_path: Path, text: str) -> None:
    start = time.monotonic()
    found, _ = run_actor("tester", program(tmp_path, text), tmp_path, 4.0)
    assert not violations(found)
    assert time.monotonic() - start < 4.0 + LATE


def test_the_error_call_is_a_goal(tmp_path: Path) -> None:
    text = """extern void reach_error(void);
              int main(void) { int x = __VERIFIER_nondet_int(); if (x * 3 == 21) { reach_error(); } return 0; }"""
    _, status = run_actor("tester", program(tmp_path, text), tmp_path, 5.0, criterion=Criterion.ERROR_CALL)
    assert len(status) == 1
    assert open_goals(status) == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.c")), ids=lambda path: path.stem)
def test_examples(tmp_path: Path, path: Path) -> None:
    """All goals of the examples are covered but those that their comment names."""
    unreachable = re.search(r"// Unreachable:(.*)", path.read_text())
    assert unreachable is not None
    named = unreachable[1].split()
    _, status = run_actor("tester", path, tmp_path, 60.0, wanted=lambda goal: goal.id not in named)
    assert open_goals(status) == []
    _, status = run_actor("tester", path, tmp_path, 1.5, wanted=lambda goal: goal.id in named)
    assert open_goals(status) == named


@needs_shared
@pytest.mark.parametrize(
    ("name", "unreachable"), [("gia_fig2", 1), ("crabs_branches", 0), ("bite_valves", 1), ("coveritest_foo", 1)]
)
def test_programs_of_the_papers(tmp_path: Path, name: str, unreachable: int) -> None:
    still_open: list[str] = []
    for seconds in (8.0, 40.0):  # the second time for a machine that is busy with other work
        _, status = run_actor("tester", SHARED / "benchmarks" / "papers" / f"{name}.c", tmp_path, seconds)
        still_open = open_goals(status)
        if len(still_open) <= unreachable:
            break
    assert len(still_open) == unreachable


def test_long_runs_are_cut_to_what_matters(tmp_path: Path) -> None:
    """A program that reads inputs for ever gets a test that ends with the goal."""
    text = """int main(void) {
                int sum = 0;
                while (1) { int x = __VERIFIER_nondet_int(); if (x > 0) sum++; if (sum == 3) sum = 0; }
              }"""
    found, status = run_actor("tester", program(tmp_path, text), tmp_path, 5.0)
    assert open_goals(status) == ["main:4:17:else"]  # of while (1)
    assert len(found.states) < 40


REACTIVE = """int main(void) { int state = 0;
  again: {
    int input = __VERIFIER_nondet_uchar() & 3;
    if (input == 3) { state = 0; goto again; }
    switch (state) {
      case 0: state = input; break;
      case 1: if (input == 2) state = 2; break;
      case 2: state = 3 - input;
    }
    goto again;
  } }"""


@pytest.mark.parametrize("actor", ["fuzz", "tester"])
def test_tests_of_a_program_that_never_ends_end_where_their_last_goal_is_reached(actor: str, tmp_path: Path) -> None:
    path = program(tmp_path, REACTIVE)
    found, status = run_actor(actor, path, tmp_path, 40.0)
    assert not open_goals(status)
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    built = compile_instrumented(loaded, tmp_path, watch=frozenset().union(*(goal.edges for goal in goals)))
    reached: set[int] = set()
    with Runner() as runner:
        for test in sorted(tests_of(found, loaded.program), key=lambda test: len(test.inputs)):
            whole = runner.run(built, test.inputs)
            assert whole.inputs == test.inputs
            assert len(test.inputs) < 100
            assert not whole.covered_edges <= reached | runner.run(built, test.inputs[:-1]).covered_edges
            reached |= whole.covered_edges


def test_where_the_last_goal_is_reached(tmp_path: Path) -> None:
    """With so many inputs an execution reaches the goals, with one less it does not."""
    loaded = load(program(tmp_path, REACTIVE), data_model=DataModel.LP64)
    all_goals = {goal.id: goal for goal in goals_of(loaded.program, Criterion.BRANCHES)}
    built = compile_instrumented(loaded, tmp_path)
    with Runner() as runner:
        for seed in range(10):
            limits = Limits(inputs=200)
            execution = runner.run(built, seed=seed, limits=limits, tracing=Tracing.SEGMENTS)
            reached = {name: goal for name, goal in all_goals.items() if goal.edges & execution.covered_edges}
            nowhere = Goal("nowhere", "program.c", "main", 1, 1, "then", frozenset())
            assert inputs_until(execution, all_goals | {"nowhere": nowhere}) is None
            for goals in ({name: goal} for name, goal in reached.items()):
                assert needs_exactly(runner, built, execution, goals)
            assert needs_exactly(runner, built, execution, reached)


def needs_exactly(runner: Runner, built: InstrumentedProgram, execution: Execution, goals: Mapping[str, Goal]) -> bool:
    count = inputs_until(execution, goals)
    assert count is not None
    enough, less = (runner.run(built, execution.inputs[:many]) for many in (count, max(0, count - 1)))
    missed = [goal for goal in goals.values() if not goal.edges & less.covered_edges]
    return all(goal.edges & enough.covered_edges for goal in goals.values()) and (count == 0 or bool(missed))


def test_undefined_values_are_tried_as_zero(tmp_path: Path) -> None:
    """What no input decides must not keep the symbolic search from what inputs do decide."""
    text = """#include <stdlib.h>
              int main(void) {
                int *p = calloc(4, sizeof *p), *q = malloc(16);
                if (p[1] == 0 && __VERIFIER_nondet_int() == 123456 && q != 0) return 1;
                return 0;
              }"""
    _, status = run_actor("tester", program(tmp_path, text), tmp_path, 8.0)
    assert open_goals(status) == []


@pytest.mark.parametrize(
    "text",
    [
        """int main(void) { unsigned s = 0; for (unsigned i = 0; i < 30000000u; i++) s += i & 3;
             if (__VERIFIER_nondet_int() > 5) return 1; return s == 0; }""",
        """int main(void) { int s = 0; for (int i = 0; i < 15000; i++) if (__VERIFIER_nondet_int() > 0) s++;
             if (s > 2) return 1; return 0; }""",
    ],
    ids=["time", "inputs"],
)
def test_executions_become_longer_when_goals_stay_open(text: str, tmp_path: Path) -> None:
    loaded = load(program(tmp_path, text), data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 60.0, tmp_path)
    with campaign(request) as found:
        found.execute((), seed=1, seconds=0.02)
        assert found.was_cut
        before = len(found.open)
        found.lengthen()
        found.execute((), seed=1)
        assert not found.was_cut
        assert len(found.open) < before


def test_a_test_goes_on_to_where_it_reaches_its_goals_whatever_is_not_initialised(tmp_path: Path) -> None:
    """With zeros, the goal is reached before the second input is read."""
    text = """int main(void) { int x, n = 0;
      for (int i = 0; i < 3; i++) {
        if (__VERIFIER_nondet_int() == 7) x = __VERIFIER_nondet_int();
        if (x >= 0) n++;
      }
      return n; }"""
    loaded = load(program(tmp_path, text), data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 60.0, tmp_path)
    with campaign(request) as found:
        for values in ((1, 1, 1), (1, 1, 7, -5), (1, 7, 5, 1)):
            found.execute(tuple(InputValue("__VERIFIER_nondet_int", INT, value & 0xFFFFFFFF) for value in values))
        assert not found.open
        tests = tests_of(found.automaton(), loaded.program)
    with Runner() as runner:
        for twin in compile_twins(loaded, tmp_path):
            runs = [runner.run(twin, test.inputs, missing=Missing.ZERO) for test in tests]
            covered = frozenset().union(*(run.covered_edges for run in runs))
            assert not [goal.id for goal in goals if not goal.edges & covered]
    assert [len(test.inputs) for test in tests] == [3, 4, 3]


def test_what_reads_very_many_inputs_is_given_zeros(tmp_path: Path) -> None:
    text = """int main(void) { static int a[50000]; int n = __VERIFIER_nondet_int(), found = 0;
      for (int i = 0; i < 50000; i++) a[i] = __VERIFIER_nondet_int();
      for (int i = 0; i < 50000; i++) if (a[i] == n) found++;
      if (found == 50000) return 1;
      return 0; }"""
    loaded = load(program(tmp_path, text), data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 60.0, tmp_path)
    with campaign(request) as found:
        first = found.execute((), seed=1).inputs[0]
        found.lengthen()
        found.execute_padded(())
        assert len(found.open) == 2
        found.execute_padded((replace(first, bits=5),))
        assert not found.open
        automaton = found.automaton()
        for test in tests_of(automaton, loaded.program):
            covered = found.executor.run(test.inputs, missing=Missing.ZERO).covered_edges
            assert frozenset(test.goals) <= {loaded.program.edge_list[number].reference for number in covered}
    assert len(automaton.states) < 10
    padded = [test for test in tests_of(automaton, loaded.program) if test.then_zeros]
    assert len(padded) == 2 and all(len(test.inputs) <= 2 for test in padded)


def test_what_never_ends_is_executed_again_only_as_long_as_its_goals_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """int main(void) { int u, x = __VERIFIER_nondet_int(), n = 0;
      if (x > 1000) n = 1;
      for (;;) { if (u == 77) n += 2; } }"""
    loaded = load(program(tmp_path, text), data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 60.0, tmp_path)
    walls: list[float] = []
    run = Runner.run

    def watched(self: Runner, *arguments: object, limits: Limits, **options: object) -> Execution:
        execution = run(self, *arguments, limits=limits, **options)  # type: ignore[arg-type]
        if execution.outcome is Outcome.TIMEOUT:
            walls.append(limits.wall)
        return execution

    monkeypatch.setattr(Runner, "run", watched)
    with campaign(request) as found:
        found.execute((), seed=1)
        assert found.tests
    first, *others = walls
    assert first == EXECUTION_SECONDS
    assert others and min(others) == BRIEF_SECONDS  # on a busy machine that may not be enough


def test_zeros_are_tried_where_no_execution_was_cut(tmp_path: Path) -> None:
    """Random inputs fail the assumption soon, and what the searches make ends where no input is left."""
    text = """void __VERIFIER_assume(int);
      int main(void) { for (int i = 0; i < 15000; i++) {
          int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > -1000 && x < 1000); }
        return 0; }"""
    _, status = run_actor("tester", program(tmp_path, text), tmp_path, 12.0)
    assert open_goals(status) == []


def test_wrong_options_are_refused(tmp_path: Path) -> None:
    path = program(tmp_path, "int main(void) { if (__VERIFIER_nondet_int() == 4711) return 1; return 0; }")
    with pytest.raises(InputError, match="start-bound"):
        run_actor("bmc", path, tmp_path, 5.0, options={"start-bound": "much"})


@pytest.mark.parametrize("actor", ["bmc", "concolic"])
def test_what_was_found_is_written_down_before_the_solver_is_asked(
    actor: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver may not listen when the time is up: what is only held back then is lost."""
    path = program(
        tmp_path,
        """int main(void) {
             int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
             if (x == 1234) if (y == x + 5678) if (__VERIFIER_nondet_int() == 91011) return 1;
             return 0;
           }""",
    )
    held: list[Callable[[], Automaton]] = []
    lost: list[int] = []

    def publish(found: Callable[[], Automaton]) -> bool:
        held.append(found)
        return False

    def check(self: BitwuzlaSolver, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        lost.append(len(held))
        return ask(self, assumptions, timeout)

    ask = BitwuzlaSolver.check
    monkeypatch.setattr(BitwuzlaSolver, "check", check)
    monkeypatch.setattr(concolic, "LAST_SECONDS", 1000.0)
    _, status = run_actor(actor, path, tmp_path, 60.0, publish=publish, flush=held.clear)
    assert not open_goals(status)
    assert len(lost) >= 2
    assert set(lost) == {0}


def test_concolic_testing_begins_with_the_tests_that_are_known(tmp_path: Path) -> None:
    text = """int main(void) { int a = __VERIFIER_nondet_int();
      if (a == 123456) { int b = __VERIFIER_nondet_int(); if (b == 654321) return 1; }
      return 0; }"""
    path = program(tmp_path, text)
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    first = goals[0]
    built = compile_instrumented(loaded, tmp_path, watch=first.edges)
    with Runner() as runner:
        known = test_to_gia(loaded.program, runner.run(built, ["123456", "7"]), [first])
    request = ActorRequest(loaded, goals, known, time.monotonic() + 100.0, tmp_path)
    with campaign(request) as found:
        assert first.id not in found.open
        searching = tester._Tester(found, request.deadline)
        searching._search_paths(time.monotonic() + 50.0)
        assert not found.open
        assert searching._concolic is not None
        assert searching._concolic.runs <= 6
        assert [test.inputs[0].bits for test in found.tests].count(123456) == 2  # with 7, and with 654321


def test_what_is_reached_by_chance_only_is_named(tmp_path: Path) -> None:
    """The variable is not initialised; no input decides what it holds."""
    path = tmp_path / "p.c"
    path.write_text(
        HEADER + "int main(void) { int u; int x = __VERIFIER_nondet_int(); if (u + 2 * x == 8) return 1; return 0; }"
    )
    lines: list[str] = []
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(
        loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 10, tmp_path, report=lines.append
    )
    found = ACTORS["tester"].load()(request)
    open_goals = {name for name, known in goal_status(loaded.program, found, goals).items() if known is GoalStatus.OPEN}
    assert set(read_obstacles(lines).undecided) & open_goals == {"main:2:58:then"}


def test_it_is_said_if_each_execution_crashes(tmp_path: Path) -> None:
    """A common mistake: a pointer that was never set."""
    path = tmp_path / "p.c"
    path.write_text(
        "#include <stdio.h>\nstruct list { int size; };\nint main(void) {\n"
        '  struct list *all; int x;\n  if (scanf("%d", &x) != 1) x = 1;\n'
        "  all->size = x;\n  if (all->size > 3) return 1;\n  return 0;\n}\n"
    )
    lines: list[str] = []
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(
        loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 3, tmp_path, report=lines.append
    )
    ACTORS["tester"].load()(request)
    told = read_obstacles(lines).undecided
    assert {name: reason for name, reason in told.items() if "crash" in reason} == dict.fromkeys(
        ("main:7:3:then", "main:7:3:else"), "each execution crashes, with zeros as inputs after line 5 (SIGSEGV)"
    )


ROUNDED = """#include <fenv.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  volatile double one = 1.0, ten = 10.0;
  int x = __VERIFIER_nondet_int();
  fesetround(FE_DOWNWARD);
  double q = one / ten;
  if (q < 0.1 && x == 77777)
    return 1;
  return 0;
}
"""


def test_an_unfolding_of_what_the_program_hides_is_not_the_end_of_the_search(tmp_path: Path) -> None:
    path = tmp_path / "rounded.c"
    path.write_text(ROUNDED)
    _, status = run_actor("tester", path, tmp_path, 20)
    assert status == {"main:8:3:then": GoalStatus.COVERED, "main:8:3:else": GoalStatus.COVERED}


def test_longer_executions_do_not_wait_for_patience_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tester, "FIRST_PHASE", 0.3)
    monkeypatch.setattr(tester, "PATIENCE_SHARE", 1.0)
    path = tmp_path / "program.c"
    path.write_text(
        "#include <unistd.h>\n" + HEADER + "int main(void) { int s = 0;\n"
        "for (int i = 0; i < 30; i++) { if (__VERIFIER_nondet_int() > 0) s++; usleep(9500); }\n"
        "if (s > 2) return 1; return 0; }"
    )
    _, status = run_actor("tester", path, tmp_path, 60)
    assert set(status.values()) == {GoalStatus.COVERED}


def test_long_executions_on_simple_inputs_are_tried_early_if_they_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tester, "FIRST_PHASE", 1000.0)
    monkeypatch.setattr(tester, "PATIENCE_SHARE", 1.0)
    path = program(
        tmp_path,
        """int main(void) {
             static int a[30000], b[30000];
             for (int i = 0; i < 30000; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }
             for (int i = 0; i < 30000; i++) if (a[i] != b[i]) return 1;
             return 0;
           }""",
    )
    _, status = run_actor("tester", path, tmp_path, 30)
    assert open_goals(status) == []


@pytest.mark.parametrize("answers", [0, 2])
def test_the_tester_goes_on_while_others_are_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: int
) -> None:
    """A goal that is never reached: alone, the tester ends soon; beside others it asks again and again."""
    monkeypatch.setattr(tester, "PATIENCE_SHARE", 0.001)
    monkeypatch.setattr(turns, "FIRST_SLICE", 0.05)
    monkeypatch.setattr(turns, "GROWTH", 1.0)
    path = tmp_path / "p.c"
    path.write_text(
        HEADER + "int main(void) { int x, y = 0;\n"
        "while ((x = __VERIFIER_nondet_int())) { y += x; if (y * y + y == 7) return 1; } return 0; }"
    )
    asked = 0

    class Busy(Others):
        def at_work(self) -> bool:
            nonlocal asked
            asked += 1
            return asked <= answers

    _, status = run_actor("tester", path, tmp_path, 300, others=Busy())
    assert GoalStatus.OPEN in status.values()
    assert asked == answers + 1
