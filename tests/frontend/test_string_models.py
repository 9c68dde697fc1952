"""The models of functions of memory and strings against the real ones."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gia.analyses.registry import ACTORS
from gia.frontend.models.strings import FUNCTIONS
from tests.analyses.marked import prove_what_is_marked
from tests.automaton.reference import FACTOR
from tests.frontend.support import load_text, outputs, with_and_without_models

HERE = Path(__file__).parent / "models"
LONGEST = 15


@pytest.fixture(scope="module")
def string_programs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The program that calls them all, as it is, and with their models."""
    shared = [HERE / "bounded.c", HERE / "operations.c"]
    text, programs = with_and_without_models(HERE / "strings.c", tmp_path_factory.mktemp("strings"), *shared)
    assert FUNCTIONS.keys() <= set(re.findall(r"\b__gia_(\w+)\((?:to|first|block)\b", text))
    return programs


_TEXTS = st.text(alphabet="abABz\x80@", max_size=LONGEST)


@settings(max_examples=100 * FACTOR, deadline=None)
@example(0, 0, "", "")
@example(3, ord("b"), "abab", "B")
@given(st.integers(0, LONGEST), st.sampled_from([0, *map(ord, "abz\x80"), 256 + ord("a")]), _TEXTS, _TEXTS)
def test_strings_are_changed_and_searched_as_the_library_does(
    string_programs: list[Path], size: int, byte: int, first: str, second: str
) -> None:
    shown = " ".join(map(str, (size, byte, *map(ord, first), 0, *map(ord, second), 0)))
    real, modelled = outputs(string_programs, shown)
    assert real == modelled


@pytest.mark.parametrize(
    ("text", "modelled"),
    [
        ("#include <strings.h>\nint main(void) { char b[2]; bzero(b, 2); return b[0]; }", True),
        ("#include <strings.h>\nint main(void) { char b[2]; void (*f)(void *, size_t) = bzero; f(b, 2); }", False),
        ("void bzero(void *p, int n) { }\nint main(void) { char b[2]; bzero(b, 2); return 0; }", False),
        ("void bzero(void *p, int n);\nint main(void) { char b[2]; bzero(b, 2); return 0; }", False),
        ("#include <strings.h>\nint main(void) { void (*bzero)(char *) = 0; bzero(0); return 0; }", False),
    ],
)
def test_they_have_models_where_they_are_the_library_s(text: str, modelled: bool, tmp_path: Path) -> None:
    assert ("__gia_bzero(" in load_text(text, tmp_path).source.text) == modelled


PROVEN = """
#include <strings.h>
int main(void) {
    char text[4] = {(char)MORE, (char)MORE, (char)MORE, 0}, copy[4], *end;
    bzero(copy, sizeof copy);
    if (copy[2]) return 1; // never
    if (stpncpy(copy, text, 4) != copy + strlen(text)) return 2; // never
    if (strtod(text, &end) == 25 && *end) return 3; // may be
    if (copy[1]) return 4; // may be
    return 0;
}
"""


def test_what_they_do_is_proven(tmp_path: Path) -> None:
    prove_what_is_marked(PROVEN, ACTORS["verifier"].load(), tmp_path)
