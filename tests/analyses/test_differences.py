"""Bounds of differences and sums: what the verifier proves with them, and what it must not."""

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

GOING_ON = """int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  if (x < 0 || x > 10 || y < 0 || y > 10) return 0;
  while (__VERIFIER_nondet_int()) {
    x += 10;
    y OP 10;
  }
  if (x == 20 && y == WANTED) return 1;
  return 0;
}
"""


@pytest.mark.parametrize(("operator", "wanted", "expected"), [("+=", 0, 1), ("+=", 10, 0), ("-=", 1, 1), ("-=", -5, 0)])
def test_differences_and_sums_that_stay_the_same_are_bounded(tmp_path: Path, operator: str, wanted: int, expected: int):
    """``x - y`` (or the sum) lies between -10 and 10 (0 and 20), also where both have wrapped around."""
    loaded = load_text(tmp_path, GOING_ON.replace("OP", operator).replace("WANTED", f"{wanted}"))
    goals = branches(loaded)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 5, tmp_path)
    status = goal_status(loaded.program, run(request), goals)
    assert list(status.values()).count(GoalStatus.UNREACHABLE) == expected
