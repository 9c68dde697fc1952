"""Theorem 1 for the strategies that keep the text, on all executions of drawn programs up to a bound."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from gia.automaton.initial import initial_gia
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.wellformed import violations
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.graph import EdgeReference, Program
from gia.frontend import LoadedProgram
from gia.frontend.exchange_expressions import parse_expression
from gia.native import Runner, compile_instrumented
from gia.reducer import Strategy, reduce_program, reduce_to_c
from gia.reducer.text import reduce_text
from tests.automaton.reference import FACTOR
from tests.cfa.graphs import law
from tests.reducer.text_programs import (
    LENGTH,
    Covering,
    Execution,
    Shown,
    automata,
    clashing,
    executions,
    loaded,
    recursive_sources,
    sources,
)


def assert_needed_stay(
    original: LoadedProgram, automaton: Automaton, wrt: Acceptance, runs: list[Execution], left: set[Shown]
) -> None:
    covering = Covering(original.program, automaton)
    for run in runs:
        if run.shown not in left:
            assert not covering.is_needed(wrt, run.moments), run.moments


@pytest.mark.parametrize("prune", [False, True], ids=["monitor", "prune"])
@given(st.data())
@law(25 * FACTOR)
def test_needed_paths_stay_and_no_others_come(prune: bool, data: st.DataObject) -> None:
    text = data.draw(sources())
    with TemporaryDirectory() as folder:
        original = loaded(Path(folder), "p.c", text)
        runs = list(executions(original.program, text))
        wrt = data.draw(st.sampled_from([Acceptance.UT, Acceptance.RT]))
        automaton = data.draw(automata(original.program, [run for run in runs if run.moments] or runs, wrt))
        assert not violations(automaton)
        reduced = reduce_text(original, automaton, wrt, parse_expression, prune=prune)
        note(reduced.text)
        left = {run.shown for run in executions(loaded(Path(folder), "r.c", reduced.text).program, text)}
    assert left <= {run.shown for run in runs}
    assert_needed_stay(original, automaton, wrt, runs, left)


@given(st.data())
@law(20 * FACTOR)
def test_conditions_are_about_the_place_where_they_stand(data: st.DataObject) -> None:
    recursive = data.draw(st.sampled_from([True, True, False]))
    text, length = (data.draw(recursive_sources()), 14) if recursive else (data.draw(sources()), LENGTH)
    with TemporaryDirectory() as folder:
        original = loaded(Path(folder), "p.c", text)
        program = original.program
        runs = list(executions(program, text, length))
        long = [run for run in runs if len(run.shown) > 3] or runs
        wrt = data.draw(st.sampled_from([Acceptance.UT, Acceptance.RT]))
        for _ in range(3):
            automaton = data.draw(clashing(program, long, wrt))
            if automaton is not None:
                reduced = reduce_text(original, automaton, wrt, parse_expression)
                note(reduced.text)
                again = loaded(Path(folder), "r.c", reduced.text).program
                left = {run.shown for run in executions(again, text, length)}
                assert_needed_stay(original, automaton, wrt, runs, left)


JUMPS = """\
#include <setjmp.h>
extern int __VERIFIER_nondet_int(void);
jmp_buf back;
static void leave(void) { longjmp(back, 1); }
int main(void) {
  if (setjmp(back)) return 1;
  if (__VERIFIER_nondet_int() > 3) leave();
  return 0;
}
"""

THREADS = """\
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int x;
static void *other(void *p) { x = 1; return p; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  if (__VERIFIER_nondet_int() > 3) return 1;
  if (x) return 2;
  return 0;
}
"""


@pytest.mark.parametrize("text", [JUMPS, THREADS], ids=["longjmp", "threads"])
def test_what_cannot_be_followed_is_left_alone(text: str, tmp_path: Path) -> None:
    program = loaded(tmp_path, "p.c", text)
    last = goals_of(program.program, Criterion.BRANCHES)[-1:]
    automaton = initial_gia(program.program, last)
    for strategy in (Strategy.MONITOR, Strategy.PRUNE):
        reduction = reduce_to_c(strategy, program, last, automaton, Acceptance.UT)
        assert reduction.text == f'#line 1 "{tmp_path}/p.c"\n{text}'
        assert reduction.statistics.gave_up
    assert reduce_program(program.program, automaton, Acceptance.UT, parse_expression).statistics.gave_up


MACROS = """\
extern int __VERIFIER_nondet_int(void);
#define TWICE(s) s s
#define BOTH(a, b) a && b
#define CHECK(c) if (c) return 1
int g;
int main(void) {
  int x = __VERIFIER_nondet_int();
  TWICE(x = x + 1;)
  if (BOTH(x > 3, x < 9)) { g = 1; }
  CHECK(x == 7);
  if (g == 2) { g = 3; } /* the candidate */
  return 0;
}
"""


def test_text_out_of_macros_is_not_touched(tmp_path: Path) -> None:
    """An argument that is repeated cannot be observed, nor a condition of which a macro makes a part."""
    program = loaded(tmp_path, "p.c", MACROS)
    goals = goals_of(program.program, Criterion.BRANCHES)
    candidate = [goal for goal in goals if goal.line == 11 and goal.outcome == "then"]
    reduction = reduce_to_c(Strategy.MONITOR, program, goals, initial_gia(program.program, candidate), Acceptance.UT)
    for line in MACROS.split("\n")[:10]:
        if "CHECK(x" not in line:
            assert line in reduction.text
    assert "/* the candidate */" in reduction.text
    assert reduction.statistics.cuts > 0
    assert loaded(tmp_path, "r.c", reduction.text)


UNOBSERVED_WRITE = """\
extern int __VERIFIER_nondet_int(void);
int g;
int main(void) {
int x = 0;
g = 0, x = 1;
g = 2;
return x;
}
"""

HIDDEN_NAME = """\
extern int __VERIFIER_nondet_int(void);
int g;
int main(void) {
int x = __VERIFIER_nondet_int();
{
int x = 1;
g = 0;
g = 2;
}
return x;
}
"""

RANGE = """\
extern int __VERIFIER_nondet_int(void);
int g;
int main(void) {
g = __VERIFIER_nondet_int();
switch (g) {
case 0 ... 1:
g = 5;
}
return g;
}
"""

UNOBSERVED_BRANCH = """\
extern int __VERIFIER_nondet_int(void);
#define HIDDEN(v) if (v > 0) v = 0; else { v = 1; }
int g;
int main(void) {
g = __VERIFIER_nondet_int();
HIDDEN(g)
g = 5;
g = 6;
return g;
}
"""


def edges_at(program: Program, line: int, text: str) -> frozenset[EdgeReference]:
    """The edges of a line whose text contains ``text``."""
    found = frozenset(e.reference for e in program.edges() if e.reference.line == line and text in e.text)
    assert found
    return found


@pytest.mark.parametrize(
    ("text", "first", "assumption", "second"),
    [
        (UNOBSERVED_WRITE, (5, "g = 0"), Condition("x == 1", "main"), (5, "x = 1")),
        (HIDDEN_NAME, (7, "g = 0"), Condition("x == 1", "main"), (8, "g = 2")),
        (RANGE, (4, "nondet"), None, (5, "no other")),
        (UNOBSERVED_BRANCH, (6, "!("), None, (7, "g = 5")),
    ],
    ids=["a value that is changed", "a name that is hidden", "a range", "a branch that cannot be seen"],
)
def test_what_happens_between_two_places_is_not_guessed(
    text: str, first: tuple[int, str], assumption: Condition | None, second: tuple[int, str], tmp_path: Path
) -> None:
    original = loaded(tmp_path, "p.c", text)
    program = original.program
    states = (State(), State(), State(None, Acceptance.UT))
    transitions = (
        Transition(0, 0, ANY),
        Transition(0, 1, edges_at(program, *first), assumption),
        Transition(1, 1, ANY),
        Transition(1, 2, edges_at(program, *second)),
        Transition(2, 2, ANY),
    )
    automaton = Automaton(states, transitions)
    reduced = reduce_text(original, automaton, Acceptance.UT, parse_expression)
    runs = list(executions(program, text))
    left = {run.shown for run in executions(loaded(tmp_path, "r.c", reduced.text).program, text)}
    assert any(Covering(program, automaton).is_needed(Acceptance.UT, run.moments) for run in runs if run.shown)
    assert left <= {run.shown for run in runs}
    assert_needed_stay(original, automaton, Acceptance.UT, runs, left)


PASSED = """\
extern int __VERIFIER_nondet_int(void);
int g;
int main(void) {
int x = 0;
x = 2, g = 1;
if (x == 2)
return 1;
g = __VERIFIER_nondet_int();
return 0;
}
"""


def test_what_a_path_passes_before_it_is_cut_is_executed(tmp_path: Path) -> None:
    """The whole path is covered in the middle of line 5, and can only be cut behind the condition of line 6."""
    original = loaded(tmp_path, "p.c", PASSED)
    program = original.program
    transitions = (Transition(0, 0, ANY), Transition(0, 1, edges_at(program, 5, "x = 2")), Transition(1, 1, ANY))
    automaton = Automaton((State(), State(None, Acceptance.UT)), transitions)
    reduced = reduce_text(original, automaton, Acceptance.UT, parse_expression, prune=True)
    assert "x = 2, g = 1;" in reduced.text
    assert "g = __VERIFIER_nondet_int()" not in reduced.text
    runs = {run.shown for run in executions(program, PASSED)}
    assert {run.shown for run in executions(loaded(tmp_path, "r.c", reduced.text).program, PASSED)} <= runs


SWITCH = """\
extern int __VERIFIER_nondet_int(void);
int g;
int main(void) {
g = __VERIFIER_nondet_int();
switch (g) {
case 0:
g = 4;
}
return g;
}
"""


@pytest.mark.parametrize("value", [0, 1])
def test_what_an_input_returned_can_be_tested_at_a_switch(value: int, tmp_path: Path) -> None:
    original = loaded(tmp_path, "p.c", SWITCH)
    read = Transition(0, 1, edges_at(original.program, 4, "nondet"), Condition(rf"\result == {value}", "main"))
    automaton = Automaton((State(), State(None, Acceptance.UT)), (read, Transition(1, 1, ANY)))
    reduced = reduce_text(original, automaton, Acceptance.UT, parse_expression)
    left = {run.shown for run in executions(loaded(tmp_path, "r.c", reduced.text).program, SWITCH)}
    runs = list(executions(original.program, SWITCH))
    assert left <= {run.shown for run in runs}
    assert_needed_stay(original, automaton, Acceptance.UT, runs, left)
    ends = {value_of_g for run in left for *place, value_of_g, _ in run[-1:] if place[2] == "return"}
    assert ends == {((("g", 1),) if value == 0 else (("g", 4),))}


CONSTANT_SWITCH = """\
int g;
int main(void) {
switch (4294967304ul) {
case 8: g = 1; break;
case 1: __asm__ ("movq %0, %0" : "+r" (g)); break;
default: g = 3;
}
return g;
}
"""


def test_a_constant_decides_as_it_does_in_the_program(tmp_path: Path) -> None:
    """It is wider than an int, and the compiler must see that it is one: an int is no operand of ``movq``."""
    original = loaded(tmp_path, "p.c", CONSTANT_SWITCH)
    taken = Transition(0, 1, edges_at(original.program, 3, "== 8"))
    automaton = Automaton((State(), State(None, Acceptance.UT)), (taken, Transition(1, 1, ANY)))
    reduced = reduce_text(original, automaton, Acceptance.UT, parse_expression)
    with Runner() as runner:
        program = compile_instrumented(loaded(tmp_path, "r.c", reduced.text), tmp_path)
        assert runner.run(program, []).exit_code == 3
