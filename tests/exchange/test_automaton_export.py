"""GIAs in CPAchecker's language: read back, they claim the same, and never more."""

from pathlib import Path

import pytest

from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion
from gia.exchange.cpachecker.automaton_export import export_condition, export_gia
from gia.exchange.cpachecker.automaton_text import automaton_text
from gia.exchange.gia_xml import read_gia
from gia.exchange.suites.reading_tests import tests_of
from gia.verdict import GoalStatus
from tests.cli.harness import gia
from tests.exchange.importing import PRELUDE, loaded

CLEAR = """\
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned i = 0;
  while (i < 10) { i++; }
  if (i == 11) { x = 5; }
  if (x > 100) {
    if (x == 42) { x = 7; }
    x = 8;
  }
  return x;
}
"""
AMBIGUOUS = """\
int f(int a) { if (a > 3) return 1; return 0; }
int main(void) {
  unsigned char c = __VERIFIER_nondet_int();
  int x = c, y = f(x);
  if (x > 3) y++;
  if (x > 3) y++;
  if (x > 300) y++;
  if (x > 3 && y == 0) y--;
  return y;
}
"""


@pytest.mark.parametrize(("text", "is_exact"), [(CLEAR, True), (AMBIGUOUS, False)])
def test_there_and_back(tmp_path: Path, text: str, is_exact: bool) -> None:
    (tmp_path / "p.c").write_text(PRELUDE + text)
    ran = gia("test", "p.c", "--out", "out", "--data-model", "ILP32", "--json", cwd=tmp_path)
    assert ran.status == 0, ran.err
    tested = loaded(tmp_path / "p.c", Criterion.BRANCHES)
    automaton = read_gia(tmp_path / "out" / "gia.xml")
    before = goal_status(tested.program, automaton, tested.goals)
    unreachable = {goal for goal, status in before.items() if status is GoalStatus.UNREACHABLE}
    assert unreachable
    for export in (export_gia, export_condition):
        written, notes = export(automaton, tested.program)
        found = tested.imported("condition", automaton_text(written))
        after = goal_status(tested.program, found.automaton, tested.goals)
        claimed = {goal for goal, status in after.items() if status is GoalStatus.UNREACHABLE}
        assert claimed <= unreachable
        if is_exact:
            assert claimed == unreachable
        else:
            assert any("cannot be told apart" in note for note in notes)
        if export is export_gia and is_exact:
            assert found.tests[0].inputs in {test.case.inputs for test in tests_of(automaton, tested.program)}
            assert tested.certified(found) >= unreachable
