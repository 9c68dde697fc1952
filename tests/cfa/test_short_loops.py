"""Loops that go round a small constant number of times are found by their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.short_loops import MOST_ROUNDS, short_loops
from tests.checker.programs import load_text

SHORT = {
    "for (int i = 0; i < 3; i++) n += i;": [3],
    "for (int i = -1; i <= 1; i++) n += i;": [3],
    "for (int i = 6; i != 0; i -= 2) n += i;": [3],
    "for (char c = 'a'; 'e' > c; ++c) n += c;": [4],
    "int i = 9; n = 1; while (i >= 0) { n++; i = i - 3; }": [4],
    "for (int i = 0; i < 5; i++) { if (n) continue; if (n > 7) break; n++; }": [5],
    "for (int i = 0; i < 4 && n != 17; i++) n = __VERIFIER_nondet_int();": [4],
    "for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) n++;": [2, 3],
    "for (int i = 0; i < 0; i++) n++;": [0],
    "for (int i = 0; i < 3; i++) n += leaf();": [2, 3],
    "for (int i = 0; i < 3; i++) do { if (n) break; if (n > 7) continue; n++; } while (0);": [3],
    f"for (int i = 0; i < {MOST_ROUNDS}; i++) n++;": [MOST_ROUNDS],
}
OTHERS = (
    f"for (int i = 0; i <= {MOST_ROUNDS}; i++) n++;",
    "for (int i = 0; i < n; i++) n++;",
    "for (int i = n; i < 3; i++) n++;",
    "for (int i = 0; i < 3; i += n) n++;",
    "for (int i = 0; i < 3; i--) n++;",
    "for (int i = 0; i < 3; i++) if (n) i--;",
    "for (int i = 0; i < 3;) if (n) i++;",
    "for (int i = 0; i < 3; i++) change(&i);",
    "for (int i = 0; i < 3; i++) n += caller();",
    "int i = 0; if (n) i = 1; while (i < 3) i++;",
    "for (int i = 0; i < 3; i++) while (n > 0) n--;",
    "for (int i = 0; i < 3; ) { while (n > 0) { n--; i++; } }",
    "int i = 0; do { i++; } while (i < 3);",
    "do n++; while (0);",
    "do { n--; if (n) continue; again: n++; } while (0); if (n < 5) goto again;",
)
FUNCTIONS = """static int leaf(void) { int s = 0; for (int k = 0; k < 2; k++) s += k; return s; }
static int caller(void) { return leaf(); }
static void change(int *p) { *p += 1; }
"""


def rounds_in(tmp_path: Path, text: str) -> list[int]:
    used = "".join(
        line for line in FUNCTIONS.splitlines(keepends=True) if any(f in text for f in ("leaf", "caller", "change"))
    )
    return sorted(
        short_loops(
            load_text(tmp_path, f"{used}int main(void) {{ int n = __VERIFIER_nondet_int(); {text} return n; }}").program
        ).values()
    )


@pytest.mark.parametrize(("text", "rounds"), SHORT.items())
def test_short_loops_are_found_with_their_rounds(text: str, rounds: list[int], tmp_path: Path):
    assert rounds_in(tmp_path, text) == rounds


@pytest.mark.parametrize("text", OTHERS)
def test_other_loops_are_not(text: str, tmp_path: Path):
    ours = [2] if "caller" in text or "change" in text else []
    assert rounds_in(tmp_path, text) == ours


def test_a_loop_is_not_short_if_much_is_in_it(tmp_path: Path):
    deep = "".join(f"for (int i{depth} = 0; i{depth} < 9; i{depth}++) " for depth in range(4)) + "n++;"
    assert rounds_in(tmp_path, deep) == [9]


def test_no_loop_is_short_where_all_of_them_together_are_too_large(tmp_path: Path):
    functions = "static int f0(void) { int s = 0; for (int i = 0; i < 10; i++) s += i; return s; }\n"
    for depth in range(1, 12):
        functions += f"static int f{depth}(void) {{ return f{depth - 1}() + f{depth - 1}(); }}\n"
    for calls, found in ((5, [10]), (11, [])):
        loaded = load_text(tmp_path, functions + f"int main(void) {{ return f{calls}(); }}")
        assert list(short_loops(loaded.program).values()) == found


def test_recursion_counts_once(tmp_path: Path):
    function = "static int f(int n) { for (int i = 0; i < 2; i++) n -= 2; return n < 0 ? n : f(n); }\n"
    loaded = load_text(tmp_path, function + "int main(void) { return f(9); }")
    assert list(short_loops(loaded.program).values()) == [2]
