"""What holds in each phase of a loop, also in those that begin after millions of rounds."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving.verifier import run
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.verdict import GoalStatus
from tests.checker.programs import branches, load_text

SECOND_FOLLOWS = """int main(void) {
  unsigned int x = 0, y = 10000000, z = 5000000;
  while (x < y) {
    if (x >= 5000000) z++;
    x++;
  }
  if (z != WANTED) return 1;
  return 0;
}
"""
STEPS_CHANGE = """int main(void) {
  int x = 0, y = 500000;
  while (x < 1000000) {
    if (x < 500000) x++;
    else if (x < 750000) { x++; y++; }
    else { x = x + STEP; y++; }
  }
  if (x != 1000000) return 1;
  return 0;
}
"""
AFTER_TEXT_IS_READ = """#include <stdio.h>
int main(void) {
  unsigned tickets, sold = 0, income = 200;
  if (scanf("%u", &tickets) != 1 || tickets > 100000) return 2;
  while (sold < tickets) {
    if (sold >= 100) income += 3;
    sold++;
  }
  if (sold > 100 && income != 200 + 3 * (sold - WANTED)) return 1;
  return 0;
}
"""


@pytest.mark.parametrize(
    ("text", "proven"),
    [
        (AFTER_TEXT_IS_READ.replace("WANTED", "100"), True),
        (AFTER_TEXT_IS_READ.replace("WANTED", "99"), False),
        (SECOND_FOLLOWS.replace("WANTED", "x"), True),
        (SECOND_FOLLOWS.replace("WANTED", "5000000"), False),
        (STEPS_CHANGE.replace("STEP", "2"), True),
        (STEPS_CHANGE.replace("STEP", "3"), False),
    ],
)
def test_later_phases_are_entered_from_what_is_known(tmp_path: Path, text: str, proven: bool):
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    request = ActorRequest(
        loaded, goals, initial_gia(loaded.program, goals), monotonic() + (20 if proven else 3), tmp_path
    )
    status = goal_status(loaded.program, run(request), goals)
    then = [status[goal.id] for goal in goals if goal.id.startswith("main:") and goal.id.endswith(":then")]
    assert (GoalStatus.UNREACHABLE in then) == proven
