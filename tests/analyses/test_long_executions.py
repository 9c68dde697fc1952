"""Executions that take long: what only very many rounds of a loop reach is reached."""

from __future__ import annotations

import time
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from gia.analyses.request import ActorRequest
from gia.analyses.testing.campaign import campaign
from gia.analyses.testing.long_executions import execute_longer
from gia.automaton.initial import initial_gia
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.verdict import StopKind

HEADER = "extern int __VERIFIER_nondet_int(void); extern short __VERIFIER_nondet_short(void);\n"
OVERFLOWING = """int main(void) {
  int from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int(), sum = 0;
  if (from != 3) return 0;
  for (int i = 0; i < to; i++) sum += i;
  return sum < 0 ? 1 : 2;
}"""
NARROW = """int main(void) {
  short n = __VERIFIER_nondet_short(); int rounds = 0;
  while (rounds < n) rounds++;
  if (rounds / 100 > 200) return 1;
  if (rounds / 100 > 327) return 2;
  return 0;
}"""


FULL = """int main(void) {
  int queued = 0;
  while (1) {
    int event = __VERIFIER_nondet_int();
    if (event == 1) { if (++queued > 3000) return 1; }
    else if (event == 2) { if (queued > 0) queued--; }
    else return queued > 3000 ? 2 : 0;
  }
}"""
WORDS = """int main(void) {
  int c, words = 0, before = ' ';
  while ((c = __VERIFIER_nondet_int()) != 0) {
    if (c == ' ' && before != ' ') { if (++words == 1500) return 1; }
    before = c;
  }
  return 0;
}"""
TABLE = """int main(void) {
  int table[20], entries = 0;
  while (__VERIFIER_nondet_int() == 3) {
    int key = __VERIFIER_nondet_int(), i = 0;
    while (i < entries && table[i] != key) i++;
    if (entries == 20) return 1;
    if (i == entries) table[entries++] = key;
  }
  return 0;
}"""
EXAMPLES = {
    "overflowing": (OVERFLOWING, 0),
    "narrow": (NARROW, 1),
    "full": (FULL, 2),
    "words": (WORDS, 0),
    "table": (TABLE, 0),
}


@pytest.mark.parametrize(("text", "open_at_the_end"), EXAMPLES.values(), ids=EXAMPLES)
def test_what_very_many_rounds_reach_is_reached(text: str, open_at_the_end: int, tmp_path: Path) -> None:
    """Known are the goals that a few rounds reach; what is open at the end is unreachable."""
    (tmp_path / "p.c").write_text(HEADER + text)
    loaded = load(tmp_path / "p.c", data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), time.monotonic() + 120.0, tmp_path)
    with campaign(request) as found:
        zeros = found.execute((), seed=1).inputs
        for bits in (0, 1, 3):
            found.execute(tuple(replace(value, bits=bits) for value in zeros), seed=1)
        before = len(found.open)
        found.lengthen()
        reason = execute_longer(found, Random(1), request.deadline)
        assert before > len(found.open) == open_at_the_end
    assert reason.kind is (StopKind.ROUNDS if open_at_the_end else StopKind.DECIDED)
