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
from gia.analyses.testing.repetition import repeated_lines, repetitions
from gia.automaton.initial import initial_gia
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import CHAR, INT, DataModel
from gia.frontend import library, load
from gia.native import InputValue
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


def text_of(content: str) -> tuple[InputValue, ...]:
    return tuple(InputValue(library.STDIN_INPUT, INT, ord(character)) for character in content)


def test_lines_are_repeated_with_their_ends_and_characters_that_count_stay_visible() -> None:
    end = InputValue(library.STDIN_INPUT, INT, 0xFFFFFFFF)
    before = (InputValue(library.ARGUMENTS_INPUT, INT, 1),)
    lines = list(repeated_lines([(*before, *text_of("put ~\nget"), end), (*before, *text_of("get\nput"))]))
    assert [line.part for line in lines] == [text_of("put ~\n"), text_of("get\n")]
    assert all(line.before == before for line in lines)
    assert lines[1].inputs(2) == (*before, *text_of("get\nget\n"))
    counted = [found.inputs(2)[1:] for found in lines[0].counted()]
    assert counted[4] == text_of('put !\nput "\n') and counted[0] == text_of("qut ~\nrut ~\n")


def test_numbers_that_count_begin_again_behind_the_greatest() -> None:
    inputs = (InputValue("f", CHAR, 254), InputValue("f", CHAR, 7))
    parts = list(repetitions(inputs))
    assert [part.part for part in parts] == [inputs[:1], inputs[1:], inputs]
    first, second = parts[2].counted()
    assert [value.bits for value in first.inputs(3)] == [254, 7, 255, 7, 0, 7, 1, 7]
    assert [value.bits for value in second.inputs(2)] == [254, 7, 254, 8, 254, 9]
