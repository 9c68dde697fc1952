"""What clocks, the process and its user tell, and what is drawn, are inputs, of exactly what they may be."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.request import ActorRequest
from gia.analyses.testing import tester
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.types import DataModel
from gia.checker import check_claims
from gia.frontend import load
from gia.verdict import GoalStatus
from tests.checker.programs import branches, verify

TOLD = """#include <stdlib.h>
#include <time.h>
#include <sys/time.h>
int main(void) {
  time_t stored, told = time(&stored);
  double drawn = drand48();
  long small = lrand48(), number = mrand48();
  struct timeval now;
  struct timespec first, second;
  srand((unsigned)time(NULL));
  if (told < 0 || told != stored) return 1;
  if (drawn < 0.0 || drawn >= 1.0) return 2;
  if (small < 0 || small > 0x7fffffff || number > 0x7fffffff || number < -0x7fffffff - 1) return 3;
  if (clock() < -1) return 4;
  if (gettimeofday(&now, NULL) != 0 || now.tv_sec < 0 || now.tv_usec < 0 || now.tv_usec > 999999) return 5;
  if (told > 1000000000) if (drawn == 0.5) if (small == 77) if (number < 0) if (clock() == -1) return 6;
  if (now.tv_sec == 1700000000) if (now.tv_usec == 999999) return 7;
  if (clock_gettime(CLOCK_MONOTONIC, &first) || clock_gettime(CLOCK_MONOTONIC, &second)) return 8;
  if (second.tv_sec < first.tv_sec || (second.tv_sec == first.tv_sec && second.tv_nsec < first.tv_nsec)) return 9;
  if (second.tv_sec == first.tv_sec && second.tv_nsec == first.tv_nsec + 5) return 10;
  if (clock_gettime(CLOCK_REALTIME, &first) || gettimeofday(NULL, NULL)) return 11;
  if (first.tv_sec == 4 && first.tv_nsec == 5) if (clock_gettime(0, &second) == 0 && second.tv_sec == 3) return 12;
  return time(0) < told ? 13 : 14;
}
"""
NEVER = {f"main:{line}:3:then" for line in (11, 12, 13, 14, 15, 18, 19, 21)}


@pytest.mark.parametrize("model", list(DataModel))
def test_all_that_clocks_may_tell_is_told_and_nothing_else(model: DataModel, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(TOLD)
    loaded = load(tmp_path / "p.c", data_model=model)
    goals = branches(loaded)
    tests = tester.run(ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 60, tmp_path))
    status = goal_status(loaded.program, tests, goals)
    assert {name for name, known in status.items() if known is not GoalStatus.COVERED} == NEVER
    proofs = verify(loaded, goals, tmp_path, seconds=20)
    assert check_claims(loaded.program, proofs, goals, deadline=monotonic() + 20).certified == NEVER


IDENTITIES = """#include <unistd.h>
int main(void) {
  if (getpid() < 1) return 1;
  if (getpid() == 4711) if (getuid() == 0) if (geteuid() == 1000) return 2;
  if (getuid() != getuid()) return 3;
  if (getgid() == 5 && getegid() == 6) return 4;
  if (getpid() != getpid()) return 5;
  return 0;
}
"""


def test_the_process_and_its_user_are_inputs_that_stay_the_same(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(IDENTITIES)
    loaded = load(tmp_path / "p.c", data_model=DataModel.LP64)
    goals, never = branches(loaded), {f"main:{line}:3:then" for line in (3, 5, 7)}
    tests = tester.run(ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 60, tmp_path))
    status = goal_status(loaded.program, tests, goals)
    assert {name for name, known in status.items() if known is not GoalStatus.COVERED} == never
    proofs = verify(loaded, goals, tmp_path, seconds=20)
    assert check_claims(loaded.program, proofs, goals, deadline=monotonic() + 20).certified == never


OTHERS = {
    "a process that makes others": "#include <unistd.h>\nint main(void) { return fork() ? getpid() == 5 : 0; }",
    "a user that changes": "#include <unistd.h>\nint main(void) { return setuid(5) || getuid() == 5; }",
    "a function of the program": "long clock(void) { return 5; } int main(void) { return clock() == 5; }",
    "a variable": "int main(void) { int time = 5; return time == 5; }",
    "a value": "#include <time.h>\nint main(void) { long (*look)(void) = clock; return look() == 5; }",
    "a seed": "#include <time.h>\n#include <stdlib.h>\nint main(void) { srandom(clock() ^ time(0)); return 0; }",
    "a function of the program that headers declare, too": "#include <stdlib.h>\nlong lrand48(void) { return 5; } "
    "int main(void) { return lrand48() == 5; }",
    "a prototype of its own": "int clock(void); int main(void) { return clock() == 5; }",
    "not declared": "int main(void) { return time(0) == 5; }",
    "a clock that is not known": "#include <time.h>\nint main(void) { struct timespec t; clock_gettime(9, &t); }",
    "a time zone": "#include <sys/time.h>\nint main(void) { struct timezone z; return gettimeofday(0, &z); }",
}


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_uses_have_no_model(text: str, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(text)
    assert "__gia_" not in load(tmp_path / "p.c", data_model=DataModel.LP64).source.text


def test_what_seeds_a_generator_of_the_program_is_an_input(tmp_path: Path) -> None:
    text = (
        "static int seed; void srand(unsigned s) { seed = s; } int main(void) { srand(time(NULL)); return seed == 5; }"
    )
    (tmp_path / "p.c").write_text(f"#include <stdlib.h>\n#include <time.h>\n{text}")
    assert "srand(__gia_time(" in load(tmp_path / "p.c", data_model=DataModel.LP64).source.text
