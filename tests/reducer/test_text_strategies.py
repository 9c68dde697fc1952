"""Theorem 1 for the strategies that keep the text, on all executions of drawn programs up to a bound."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance
from gia.automaton.wellformed import violations
from gia.cfa.goals import Criterion, goals_of
from gia.frontend import parse_expression
from gia.reducer import Strategy, reduce_program, reduce_to_c
from gia.reducer.text import reduce_text
from tests.cfa.graphs import law
from tests.reducer.text_programs import Covering, automata, executions, loaded, sources


@pytest.mark.parametrize("prune", [False, True], ids=["monitor", "prune"])
@given(st.data())
@law(15)
def test_needed_paths_stay_and_no_others_come(prune: bool, data: st.DataObject) -> None:
    text = data.draw(sources())
    with TemporaryDirectory() as folder:
        original = loaded(Path(folder), "p.c", text)
        runs = list(executions(original.program, text))
        automaton = data.draw(automata(original.program, [run for run in runs if run.moments] or runs))
        assert not violations(automaton)
        wrt = data.draw(st.sampled_from([Acceptance.UT, Acceptance.RT]))
        reduced = reduce_text(original, automaton, wrt, parse_expression, prune=prune)
        note(reduced.text)
        left = {run.shown for run in executions(loaded(Path(folder), "r.c", reduced.text).program, text)}
    assert left <= {run.shown for run in runs}
    covering = Covering(original.program, automaton)
    for run in runs:
        if run.shown not in left:
            assert not covering.is_needed(wrt, run.moments), run.moments


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
