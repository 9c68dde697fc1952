"""Where objects end, others may take their place: what a compiled program does there is not excluded."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.verdict import GoalStatus

ENDED = """
#include <stdlib.h>
static int *keep;
static void put(void) { int x = 3; keep = &x; }
static int same(void) { int here = 0; static int *last; int found = last == &here; last = &here; return found; }
int main(void) {
  put(); int *first = keep; put();
  if (keep == first) return 1; // taken
  same();
  if (same()) return 2; // taken
  int *p = malloc(16); free(p); int *q = malloc(16);
  if (p == q) return 3; // taken
  char *small = malloc(10), *grown = realloc(small, 12);
  if (small == grown) return 4; // taken
  if (realloc(malloc(4), 0) == NULL) return 5; // taken
  { char one[64]; keep = (int *)one; one[0] = 1; }
  { char two[64]; two[0] = 2; if (keep == (int *)two) return 6; } // taken
  for (int i = 0; i < 2; i++) {
    int before[i + 3]; before[0] = i;
    if (i && keep == before) return 9; // taken
    keep = before;
  }
  static int lasting;
  if (&lasting == q) return 7; // never
  if (grown == 0) return 8; // never
  return 0;
}
"""
LIVING = """
#include <stdlib.h>
static int other(int *outer) { int inner = 1; return outer == &inner; }
int main(void) {
  int one, two;
  int *p = malloc(16), *q = malloc(16);
  if (p == q) return 1; // never
  if (&one == &two) return 2; // never
  if (other(&one)) return 3; // never
  return 0;
}
"""
KEPT = """
extern int __VERIFIER_nondet_int(void);
static int other, *keep = &other;
static int put(void) {
  int x = 0;
  while (__VERIFIER_nondet_int()) x++;
  if (&other == &x) return 1; // never
  if (keep != &other && keep != &x) return 2; // taken
  keep = &x;
  return 0;
}
static int put_deeper(void) { int further[20]; further[0] = 1; return put(); }
int main(void) { put(); return put_deeper(); }
"""
FLOATS = """
#include <float.h>
int main(void) {
  if (FLT_EVAL_METHOD == 0) return 1; // taken
  return 0;
}
"""


@pytest.mark.parametrize("model", DataModel)
@pytest.mark.parametrize("text", [ENDED, LIVING, KEPT, FLOATS], ids=["ended", "living", "kept", "floats"])
def test_places_are_used_again(tmp_path: Path, text: str, model: DataModel) -> None:
    path = tmp_path / "p.c"
    path.write_text(text)
    loaded = load(path, data_model=model)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 20, tmp_path)
    status = goal_status(loaded.program, ACTORS["bmc-proofs"].load()(request), goals)
    lines = text.splitlines()
    found = {
        number: status[goal.id]
        for number, line in enumerate(lines, 1)
        if "//" in line
        for goal in goals
        if goal.line == number and goal.id.endswith(":then")
    }
    wanted = {number: GoalStatus.UNREACHABLE if "never" in lines[number - 1] else GoalStatus.OPEN for number in found}
    assert found == wanted
    assert len(found) == sum("//" in line for line in lines)
