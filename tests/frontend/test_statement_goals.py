"""Statements as goals: each has an edge with which it begins and a place in the text where that can be observed."""

from pathlib import Path

import pytest

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native import Runner, compile_instrumented

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
static int f(int x) { return x > 2 && __VERIFIER_nondet_int() ? x : -x; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int k, s = 0, t = f(x);
  int unused;
  static int zero = 0;
  if (x < 5) s = 1; else { s = 2, t = 3; }
  for (int i = 0; i < x; i++) s++;
  for (k = 3; k > 0; k--, s--) ;
  while (x > 3) { x--; if (x == 7) continue; if (x == 6) break; }
  switch (x) { case 1: s = 4; default: s = s > 1 ? s : f(s); }
  do s++; while (s < 0);
again:
  if (s == 1) goto again;
  ({ int y = s; y++; });
  return s;
}
"""
LINES = [2, 4, 5, 8, 8, 9, 11, 11, 11, 12, 12, 13, 15, 16, 16, 17]


def test_statements_are_goals_and_their_execution_is_observed(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(PROGRAM)
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.STATEMENTS)
    assert [goal.line for goal in goals] == LINES
    watch = frozenset().union(*(goal.edges for goal in goals))
    program = compile_instrumented(loaded, tmp_path, watch=watch)
    assert watch <= program.observed
    with Runner() as runner:
        execution = runner.run(program, ["0"])
    covered = [goal.line for goal in goals if goal.edges & execution.covered_edges]
    assert covered == [2, 4, 5, 8, 12, 13, 16, 16, 17]


@pytest.mark.parametrize(
    "line", ["int a = 1, b = a + 1;", "int a, b = 2;", "a = 1, b = 2;", "a = b ? 1 : 2;", "return a && b;"]
)
def test_one_goal_for_each_statement(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.c"
    before = "" if line.startswith("int") else "int a, b;"
    path.write_text(f"int main(void) {{ {before} {line} }}")
    assert len(goals_of(load(path, data_model=DataModel.LP64).program, Criterion.STATEMENTS)) == 1


def test_failing_assertions_are_observed(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    calls = "extern int __VERIFIER_nondet_int(void);"
    body = 'int n = __VERIFIER_nondet_int();\nfor (; n > 1; n--)\nassert(n != 5);\nassert(n && "not 0");\nreturn 0;'
    path.write_text(f"#include <assert.h>\n{calls} int main(void) {{ {body} }}")
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.UNREACH_CALL)
    program = compile_instrumented(loaded, tmp_path, watch=frozenset().union(*(goal.edges for goal in goals)))
    with Runner() as runner:
        runs = [runner.run(program, [literal]) for literal in ("0", "1", "7")]
    reached = [[goal.line for goal in goals if goal.edges & run.covered_edges] for run in runs]
    assert reached == [[5], [], [4]]
