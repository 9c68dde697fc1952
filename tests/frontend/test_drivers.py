"""Programs that were written for KLEE or CREST are tested and verified as they are."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.operations import Input
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load
from gia.verdict import GoalStatus
from tests.analyses.marked import prove_what_is_marked

KLEE = """
struct pair { int a; char b; };
int main(void) {
  int number; unsigned char text[4]; struct pair pair; double real; long many[3];
  volatile signed char small; void *untyped = &many[1];
  klee_make_symbolic(&number, sizeof number, "number");
  klee_make_symbolic(text, sizeof text, "text");
  klee_make_symbolic(&pair, sizeof(pair), "pair");
  klee_make_symbolic(&real, sizeof real, "real");
  klee_make_symbolic(many, sizeof many, "many");
  klee_make_symbolic(&small, 1, "small");
  klee_make_symbolic(untyped, 2, "some bytes");
  klee_assume(text[3] == 0);
  klee_check_memory_access(text, sizeof text);
  klee_prefer_cex(text, text[0] == 'a');
  klee_print_expr("number", number, 1, 2);
  int inside = klee_range(3, 10, "inside");
  if (klee_is_replay()) return 1; // never
  if (text[3]) return 1; // never
  if (inside > 9) return 1; // never
  if (number == 70000) return 2;
  if (text[0] == 'x' && pair.a == 77 && pair.b == 'q') return 3;
  if (real > 1e10 && many[2] == -12345) return 4;
  if (small == -5) klee_silent_exit(3);
  if (many[1] == 0x7778) return 5;
  if (klee_int("other") == 4) klee_abort();
  if (klee_get_value_i32(number) == 70001) return klee_is_symbolic(number) ? 6 : 7;
  klee_assert(klee_choose(7) != 6);
  return 0;
}
"""
CREST = """
int main(void) {
  int a, b; unsigned char c; short s; char t; unsigned u; unsigned short v;
  CREST_int(a); CREST_int(b); CREST_unsigned_char(c); CREST_short(s); CREST_char(t); CREST_unsigned_int(u);
  CREST_unsigned_short(v);
  if (a == 5 && b == 19) return 1;
  if (c > 255 || v > 65535) return 2; // never
  if (s == -3 && t == 'x' && u == 3000000000u) return 3;
  return 0;
}
"""
PROGRAMS = {"klee/klee.h": KLEE, "crest.h": CREST}


def program(folder: Path, header: str, text: str, model: DataModel = DataModel.LP64) -> LoadedProgram:
    """A program with the header of this package, whatever is installed."""
    (folder / "p.c").write_text(f'#include "{files("gia.frontend") / "headers" / header}"\n{text}')
    return load(folder / "p.c", data_model=model)


def decided(
    loaded: LoadedProgram, criterion: Criterion, actor: str, folder: Path, seconds: float = 20
) -> Mapping[str, GoalStatus]:
    goals = goals_of(loaded.program, criterion)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + seconds, folder)
    return goal_status(loaded.program, ACTORS[actor].load()(request), goals)


@pytest.mark.parametrize("model", DataModel)
@pytest.mark.parametrize("header", PROGRAMS)
def test_every_branch_is_covered_or_proven(tmp_path: Path, header: str, model: DataModel) -> None:
    text = PROGRAMS[header].replace("-12345)", "-123)")
    loaded = program(tmp_path, header, text, model)
    never = [number for number, line in enumerate(text.splitlines(), 2) if line.endswith("// never")]
    tested = decided(loaded, Criterion.BRANCHES, "tester", tmp_path)
    proven = decided(loaded, Criterion.BRANCHES, "verifier", tmp_path)
    excluded = [goal for goal, status in proven.items() if status is GoalStatus.UNREACHABLE]
    assert sorted({int(goal.split(":")[1]) for goal in excluded}) == never
    assert [goal for goal, status in tested.items() if status is GoalStatus.OPEN] == excluded


def test_an_assertion_that_fails_is_an_error(tmp_path: Path) -> None:
    status = decided(program(tmp_path, "klee/klee.h", KLEE), Criterion.ERROR_CALL, "tester", tmp_path)
    assert list(status.values()) == [GoalStatus.COVERED]


def test_numbers_are_read_as_numbers(tmp_path: Path) -> None:
    calls = 'klee_make_symbolic(&x, 4, "x"); klee_make_symbolic(y, 8, "y");'
    loaded = program(tmp_path, "klee/klee.h", f"int main(void) {{ int x; unsigned y[2]; {calls} return x; }}")
    read = {edge.operation.function for edge in loaded.program.edge_list if isinstance(edge.operation, Input)}
    assert {"__VERIFIER_nondet_int", "__VERIFIER_nondet_uint"} <= read


TARGET = """#include <stddef.h>
#include <stdint.h>
#include <string.h>
static int ready;
int LLVMFuzzerInitialize(int *argc, char ***argv) { ready = 3; return 0; }
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (ready != 3) return 1; // never
  if (size < 4) return 0;
  if (size > 5000) return 1; // may be
  if (size > 10 && size < 5) return 1; // never
  if (!memcmp(data, "FUZZ", 4)) if (size == 7 && data[6] == 0xff) return 1;
  return 0;
}
"""


def test_a_fuzz_target_gets_standard_input(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(TARGET)
    tested = decided(load(tmp_path / "p.c", data_model=DataModel.LP64), Criterion.BRANCHES, "tester", tmp_path, 6)
    assert {int(goal.split(":")[1]) for goal, status in tested.items() if status is GoalStatus.OPEN} == {7, 9, 10}


def test_longer_inputs_of_a_fuzz_target_are_not_excluded(tmp_path: Path) -> None:
    prove_what_is_marked(TARGET, ACTORS["verifier"].load(), tmp_path)


def test_a_program_with_a_main_is_no_fuzz_target(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(f"{TARGET}int main(void) {{ return LLVMFuzzerTestOneInput(0, 0); }}\n")
    tested = decided(load(tmp_path / "p.c", data_model=DataModel.LP64), Criterion.BRANCHES, "tester", tmp_path)
    assert {int(goal.split(":")[1]) for goal, status in tested.items() if status is GoalStatus.COVERED} == {7}


def test_own_functions_of_these_names_stay(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(
        "void klee_make_symbolic(void *x, unsigned long n, const char *s) { *(int *)x = 5; }\n"
        'int main(void) { int x; klee_make_symbolic(&x, sizeof x, "x"); if (x != 5) return 1; return 0; }\n'
    )
    status = decided(load(tmp_path / "p.c", data_model=DataModel.LP64), Criterion.BRANCHES, "verifier", tmp_path)
    assert [goal for goal, each in status.items() if each is GoalStatus.UNREACHABLE] == ["main:2:64:then"]


def test_headers_are_there_where_the_tools_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found behind those of the machine."""
    (tmp_path / "here" / "klee").mkdir(parents=True)
    (tmp_path / "here" / "klee" / "klee.h").write_text("#define FOUND 7\n")
    (tmp_path / "p.c").write_text(
        "#include <klee/klee.h>\n#include <crest.h>\n#ifndef FOUND\n#define FOUND 0\n#endif\n"
        "int main(void) { return FOUND; }\n"
    )
    assert load(tmp_path / "p.c", data_model=DataModel.LP64)
    monkeypatch.setenv("CPATH", str(tmp_path / "here"))
    assert "return 7;" in load(tmp_path / "p.c", data_model=DataModel.LP64).source.text
