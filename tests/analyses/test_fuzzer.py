"""The actor ``fuzz``: what it finds is really reached, it begins with what is known, and it ends by itself."""

import time
from pathlib import Path

import pytest

from gia.analyses.request import ActorRequest
from gia.analyses.testing.campaign import campaign
from gia.analyses.testing.fuzzer import Fuzzer
from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import INT, UNSIGNED_CHAR, DataModel
from gia.combiner import combine
from gia.errors import InputError
from gia.exchange.suites.tests_gia import test_to_gia
from gia.frontend import load
from gia.native import InputValue, Runner, compile_instrumented
from gia.verdict import GoalStatus
from tests.analyses.test_tester import open_goals, program, run_actor

WORD = """
int main(void) {
  int matched = 0;
  for (int i = 0; i < 5; i++) { if (__VERIFIER_nondet_uchar() == "magic"[i]) matched++; else break; }
  if (matched == 5) { if (__VERIFIER_nondet_int() == -77123) return 2; return 1; }
  return 0;
}"""


def test_constants_and_progress_lead_to_goals(tmp_path: Path) -> None:
    found, status = run_actor("fuzz", program(tmp_path, WORD), tmp_path, 60, options={"executions": "2500"})
    assert not found.accepting(Acceptance.UT)
    assert open_goals(status) == []


def test_it_goes_on_from_the_tests_that_are_known(tmp_path: Path) -> None:
    path = program(tmp_path, WORD)
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    hard = next(goal for goal in goals if goal.id.startswith("main:6:") and goal.id.endswith("then"))
    word = [InputValue("__VERIFIER_nondet_uchar", UNSIGNED_CHAR, ord(letter)) for letter in "magic"]
    with Runner() as runner:
        built = compile_instrumented(loaded, tmp_path)
        execution = runner.run(built, [*word, InputValue("__VERIFIER_nondet_int", INT, 5)])
    known = combine([initial_gia(loaded.program, goals), test_to_gia(loaded.program, execution, [hard])])
    _, status = run_actor("fuzz", path, tmp_path, 60, known, options={"executions": "1500"})
    assert status[hard.id.replace("6:3", "6:23")] is GoalStatus.COVERED


def test_the_same_seed_gives_the_same_tests(tmp_path: Path) -> None:
    path = program(tmp_path, WORD)
    options = {"executions": "2500"}
    first, _ = run_actor("fuzz", path, tmp_path, 60, options=options, seed=5)
    again, _ = run_actor("fuzz", path, tmp_path, 60, options=options, seed=5)
    assert first == again


QUEUE = """#include <stdio.h>
int main(void) {
  int queue[7], first = 0, count = 0, choice;
  while (scanf("%d", &choice) == 1) {
    if (choice == 1) {
      if (count == 7) puts("full");
      else if (scanf("%d", &queue[(first + count) % 7]) == 1) count++;
    } else if (choice == 2) {
      if (count == 0) puts("empty");
      else { first = (first + 1) % 7; count--; }
    } else if (choice == 0) break;
  }
  return 0;
}"""


def test_what_comparisons_suggest_leaves_time_for_longer_inputs(tmp_path: Path) -> None:
    _, status = run_actor("fuzz", program(tmp_path, QUEUE), tmp_path, 60, options={"executions": "2500"})
    assert open_goals(status) == []


DIALOGUE = """#include <stdio.h>
#include <string.h>
#include <strings.h>
int main(void) {
  char line[60], section[20] = "";
  while (fgets(line, sizeof line, stdin)) {
    if (strcasecmp(line, "stop right here\\n") == 0) return 1;
    if (sscanf(line, "[%19[a-z]]", section) == 1) continue;
    if (strcmp(section, "nameserver") == 0) {
      if (strstr(line, "timestamps")) return 2;
      if (strncmp(line, "resolution=", 11) == 0 && line[11] && strchr("^~", line[11])) return 3;
    }
  }
  return 0;
}"""
"""None of its texts but the last is a word of at most eight characters, which random texts are made of."""


def test_texts_that_the_library_compares_lead_to_goals(tmp_path: Path) -> None:
    _, status = run_actor("fuzz", program(tmp_path, DIALOGUE), tmp_path, 60, options={"executions": "15000"})
    assert open_goals(status) == []


GUESTS = """#include <stdio.h>
#include <string.h>
static char guests[3][8];
static int present;
static int find(const char *name) {
  for (int i = 0; i < present; i++) if (strcmp(guests[i], name) == 0) return i;
  return -1;
}
int main(void) {
  char line[64], name[8];
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "arrive %7s", name) == 1) {
      if (find(name) >= 0) { puts("here already"); continue; }
      if (present == 3) { puts("full"); continue; }
      strcpy(guests[present++], name);
    } else if (sscanf(line, "leave %7s", name) == 1) {
      int i = find(name);
      if (i < 0) { puts("not here"); continue; }
      memmove(guests[i], guests[--present], sizeof *guests);
    } else puts("what?");
  }
  return 0;
}"""
"""Its lines have to fit each other: who leaves must have arrived, and the fourth must be another one."""


@pytest.mark.parametrize("seed", range(2))
def test_lines_that_fit_each_other_lead_to_goals(seed: int, tmp_path: Path) -> None:
    options = {"executions": "12000"}
    _, status = run_actor("fuzz", program(tmp_path, GUESTS), tmp_path, 60, options=options, seed=seed)
    assert open_goals(status) == []


SETTINGS = """#include <ctype.h>
#include <stdio.h>
#include <string.h>
static int version, mail;
static int handle(const char *section, const char *name) {
  if (strcmp(section, "protocol") == 0 && strcmp(name, "version") == 0) version++;
  else if (strcmp(section, "user") == 0 && strcmp(name, "mail") == 0) mail++;
  else return 0;
  return 1;
}
int main(void) {
  char line[200], section[50] = "";
  FILE *in = IN;
  while (in && fgets(line, sizeof line, in)) {
    char *begin = line, *end = line + strlen(line);
    while (end > begin && isspace((unsigned char)end[-1])) *--end = 0;
    if (*begin == '[') {
      end = strchr(begin, ']');
      if (end) { *end = 0; strncpy(section, begin + 1, sizeof section - 1); }
    } else if (*begin) {
      end = strchr(begin, '=');
      if (end) { *end = 0; handle(section, begin); }
    }
  }
  return version + mail;
}"""
"""A line prepares what another one does, without anything to be seen in between."""


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("source", ["stdin", 'fopen("settings.ini", "r")'])
def test_lines_that_prepare_others_lead_to_goals(source: str, seed: int, tmp_path: Path) -> None:
    path = program(tmp_path, SETTINGS.replace("IN;", f"{source};"))
    _, status = run_actor("fuzz", path, tmp_path, 60, options={"executions": "25000"}, seed=seed)
    assert open_goals(status) == []


def test_bytes_of_a_number_lead_to_goals(tmp_path: Path) -> None:
    text = """
int main(void) {
  unsigned char b[8];
  for (int i = 0; i < 8; i++) b[i] = __VERIFIER_nondet_uchar();
  if ((b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3]) == 0x47504733) return 1;
  if ((b[4] | b[5] << 8) == 0xC0DE) return 2;
  return 0;
}"""
    _, status = run_actor("fuzz", program(tmp_path, text), tmp_path, 60, options={"executions": "2500"})
    assert open_goals(status) == []


def test_numbers_in_texts_are_moved_into_the_range_that_is_asked_for(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
int main(int argc, char **argv) {
  if (argc != 2) return 1;
  int year = atoi(argv[1]);
  if (year > 48611 && year < 48650) return 2;
  return 0;
}"""
    _, status = run_actor("fuzz", program(tmp_path, text), tmp_path, 60, options={"executions": "1500"})
    assert open_goals(status) == []


NUMBERS = """#include <stdio.h>
int main(void) {
  float table[400];
  int choice, n = 0;
  for (int i = 0; i < 400; i++) n += scanf("%f", &table[i]);
  if (n < 400 || scanf("%d", &choice) != 1) return 0;
  if (choice == 3) return 3;
  return 4;
}"""

LONG_LINE = """#include <stdio.h>
int main(void) {
  char line[1000];
  int c, n = 0;
  while (n < 999 && (c = getchar()) != EOF && c != '\\n') line[n++] = c;
  if (n == 999) { while ((c = getchar()) != EOF && c != '\\n') ; if (c == '\\n') return 2; return 1; }
  return 0;
}"""


@pytest.mark.parametrize("seed", ["0", "1", "2"])
@pytest.mark.parametrize(("text", "executions"), [(NUMBERS, "5000"), (LONG_LINE, "3000")], ids=["numbers", "line"])
def test_hundreds_of_numbers_and_lines_that_are_too_long_are_read(
    text: str, executions: str, seed: str, tmp_path: Path
) -> None:
    options = {"executions": executions, "seed": seed}
    _, status = run_actor("fuzz", program(tmp_path, text), tmp_path, 60, options=options)
    assert open_goals(status) == []


def test_random_numbers_are_those_that_the_library_has(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
extern int mine(void);
int main(void) {
  int n = rand(); long l = random();
  if (n < 0 || l < 0) return 1;
  if (l > 2147483647) return 2;
  if (mine() < 0) return 3;
  return n % 6 + 1 < 1;
}"""
    path = program(tmp_path, text)
    _, status = run_actor("fuzz", path, tmp_path, 60, options={"executions": "2500"})
    assert len(open_goals(status)) == 2
    _, status = run_actor("verifier", path, tmp_path, 60)
    assert sum(known is GoalStatus.UNREACHABLE for known in status.values()) == 2


def test_it_ends_when_nothing_new_turns_up(tmp_path: Path) -> None:
    lines: list[str] = []
    text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 3 && x < 2) return 1; return 0; }"
    run_actor("fuzz", program(tmp_path, text), tmp_path, 60, options={"fruitless": "500"}, report=lines.append)
    assert "nothing new" in lines[-1]


@pytest.mark.parametrize("option", ["fruitless", "executions"])
def test_options_are_checked(option: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=option):
        run_actor("fuzz", program(tmp_path, WORD), tmp_path, 5, options={option: "many"})


def test_tests_of_programs_that_end_after_many_steps_are_complete(tmp_path: Path) -> None:
    """The fuzzer ends such executions earlier; the test gives the program all that it reads."""
    text = """int main(void) {
      int x = __VERIFIER_nondet_int(), n = 0;
      if (x == 5) n = 1;
      for (int i = 0; i < 20000; i++) { if (i % 3 == x % 2) n += 2; }
      return n + __VERIFIER_nondet_int();
    }"""
    loaded = load(program(tmp_path, text), data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    gia = initial_gia(loaded.program, goals)
    with campaign(ActorRequest(loaded, goals, gia, time.monotonic() + 60, tmp_path)) as found:
        Fuzzer(found, 0).search(time.monotonic() + 60)
        assert not found.open
        assert {len(test.inputs) for test in found.tests} == {2}
