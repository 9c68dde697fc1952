"""Whether signed arithmetic overflows before something is reached, which C leaves undefined."""

from pathlib import Path
from time import monotonic

import pytest

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.native.overflow import overflow_before

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), three = 3;
  unsigned wrapping = 4294967295u;
  short narrow;
  if (x < 0)
    return 0;
  wrapping += x;
  narrow = (short)x;
  if (x == 7 || x OPERATION < 0)
    reach_error();
  return 2 * x + narrow + wrapping;
}
"""
LINE = 7
"""That of the last decision before the overflow."""

CASES = {"+ three": (2**31 - 3, LINE), "* 3": (10**9, None), "- three - 2147483645": (0, 0)}
"""For each operation an input with which it is negative, and behind which line it overflows: gcc leaves out the second
one before a comparison with 0, and the third one gives the least number."""


@pytest.mark.parametrize("model", DataModel)
@pytest.mark.parametrize("operation", CASES)
def test_an_overflow_before_the_error_is_found(operation: str, model: DataModel, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(PROGRAM.replace("OPERATION", operation))
    loaded = load(path, data_model=model)
    goals = [edge for goal in goals_of(loaded.program, Criterion.UNREACH_CALL) for edge in goal.edges]
    (tmp_path / "seven").mkdir()
    (tmp_path / "other").mkdir()
    seconds = monotonic() + 60.0
    assert overflow_before(goals, loaded, ["7"], tmp_path / "seven", deadline=seconds) is None
    value, line = CASES[operation]
    found = overflow_before(goals, loaded, [str(value)], tmp_path / "other", deadline=seconds)
    if line == 0:
        assert found is None
    else:
        assert found is not None
        assert (found.after and found.after.line) == line
