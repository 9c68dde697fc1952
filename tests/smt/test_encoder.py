"""The encoder against the machine: the same programs, compiled by gcc and run, and executed on terms."""

import re
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.smt.encoding.encoder import Encoder
from tests.smt.native import compare, load_text
from tests.smt.random_programs import RandomProgram
from tests.smt.random_texts import RandomTexts

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
MODELS = list(DataModel)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_compute_what_the_machine_computes(path: Path, model: DataModel) -> None:
    text = path.read_text()
    described = re.match(r"/\* inputs: ([-\d ]+)", text)
    assert described
    found = compare(text, [int(value) % (1 << 64) for value in described[1].split()], model)
    assert found.wrong == {}
    unknown = re.search(r"/\* unknown bytes: (\d+)", text)
    assert found.unknown <= (int(unknown[1]) if unknown else 0)
    assert not found.imprecise


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_compute_what_the_machine_computes(seed: int) -> None:
    program = RandomProgram(seed)
    found = compare(program.text, program.inputs, MODELS[seed % 2])
    assert found.wrong == {}
    assert found.unknown == 0
    assert not found.imprecise


@pytest.mark.parametrize("seed", range(6))
def test_texts_are_what_they_are_on_the_machine(seed: int) -> None:
    program = RandomTexts(seed)
    found = compare(program.text, program.inputs, MODELS[seed % 2])
    assert found.wrong == {}
    assert found.unknown == 0


STORING = """#include <stdio.h>
int stored, kept = 3;
char text[8], other[4] = "abc";
int main(void) {
  const char *format = __VERIFIER_nondet_int() ? "%s%n" : "%s";
  printf(format, "12345", &stored);
  sprintf(text, "%.1f", 1.0 * kept);
  return 0;
}
"""


def test_printing_changes_what_the_format_says() -> None:
    found = compare(STORING, [1], DataModel.LP64)
    assert found.wrong == {}
    assert found.encoder["stored"] == "????????"
    assert "?" not in found.encoder["kept"] + found.encoder["other"]
    assert "?" in found.encoder["text"]


SETTING = """#include <stdlib.h>
{declaration}
int main(void) {{
  static struct option options[] = {{{{"long", 0, 0, 0}}, {{0}}}};
  char *arguments[] = {{"p", "--long", "rest", 0}};
  first = optind;
  optind = 1;
  kept = optind;
  getopt_long_only(3, arguments, "x", options, 0);
  set = optind;
  timezone = 5;
  setenv("TZ", "XYZ3", 1);
  tzset();
  hours = timezone;
  return 0;
}}
"""
DECLARED = """struct option { const char *name; int has_arg; int *flag; int val; };
extern int optind, getopt_long_only(int, char **, const char *, const struct option *, int *);
extern long timezone; extern void tzset(void);
"""


@pytest.mark.parametrize("declaration", ["#include <getopt.h>\n#include <time.h>", DECLARED])
def test_the_library_changes_its_variables(declaration: str) -> None:
    found = compare(SETTING.format(declaration=f"{declaration}\nint first, kept, set; long hours;"))
    assert found.wrong == {}
    assert found.encoder["kept"] == "00000001"
    assert "?" in found.encoder["first"] and "?" in found.encoder["set"] and "?" in found.encoder["hours"]


NOT_NUMBERS = """
int zero;
double kept[3];
int main(void) {
  double none = zero / (double) zero;
  unsigned long long signalling = 0x7ff0000000000001;
  kept[0] = none, kept[1] = -none, kept[2] = *(double *) &signalling;
  return 0;
}
"""


def test_the_bits_of_what_is_no_number_are_not_known() -> None:
    found = compare(NOT_NUMBERS)
    assert found.wrong == {}
    assert found.encoder["kept"].count("?") >= 3 * 13


UNIONS = """#include <string.h>
union bits { unsigned low : 21; unsigned whole; };
union member { struct { char letter; int number; } parts; unsigned whole[2]; };
union first { char letter; unsigned whole[2]; };
union bits bits; union member member; union first first;
void fill(void) { volatile unsigned char dirt[256]; for (int i = 0; i < 256; i++) dirt[i] = 0xff; }
void initialise(void) {
  union bits some = {1};
  union member one = {{'x', 2}};
  union first other = {'x'};
  bits = some, member = one, first = other;
}
int main(void) { fill(); initialise(); return 0; }
"""


def test_padding_of_a_member_of_a_union_is_not_initialised() -> None:
    found = compare(UNIONS)
    assert found.wrong == {}
    assert "?" in found.encoder["member"]
    assert "?" not in found.encoder["first"]


ERROR_NUMBER = """#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int first, set, opened, read, kept = 3;
int main(void) {
  errno = 5;
  first = errno + (int) strlen("abc") + abs(-1);
  *&errno = 7;
  set = errno;
  tmpfile();
  opened = errno;
  errno = 8;
  __VERIFIER_nondet_int();
  read = errno;
  return 0;
}
"""


def test_the_error_number_is_known_until_the_library_may_change_it() -> None:
    found = compare(ERROR_NUMBER, [1])
    assert found.wrong == {}
    assert "?" not in "".join(found.encoder[name] for name in ("first", "set", "kept"))
    assert found.encoder["opened"] == found.encoder["read"] == "????????"


def test_all_encoders_of_a_program_share_what_was_found_out_about_its_pointers() -> None:
    program = load_text("int main(void) { int x, *p = &x; return *p; }", DataModel.LP64)
    assert Encoder(program).world.points_to is Encoder(program).world.points_to
