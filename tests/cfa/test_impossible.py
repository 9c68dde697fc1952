"""Edges that constants exclude, and what is only behind them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.impossible import needless, never_taken
from tests.checker.programs import HEADER, load_text

HEAD = """static int inner(int x) { if (x) return 1; return 2; }
static int outer(int x) { return inner(x); }
int main(void) { int n = __VERIFIER_nondet_int(); int (*f)(int) = 0;
"""
LINES = HEADER.count("\n")
NEVER = {
    "while (1)\n if (n) break;": {"4:else"},
    "for (;;)\n if (n) break;": {"4:else"},
    "do n++; while (0);": {"4:then"},
    "if (0) {\n if (n) n = 1; }": {"4:then", "5:then", "5:else"},
    "if (n)\n if (1) n = 1; else n = 2;": {"5:else"},
    "if (sizeof n == 8) n = 1;": {"4:then"},
    "if (0) { again:\n if (n) n = 1; }\n if (n < 5) goto again;": {"4:then"},
    "while (1)\n if (n) return 0;\n if (n) n = 1;": {"4:else", "6:then", "6:else"},
    "if (0) n = outer(n);": {"4:then", "1:then", "1:else"},
    "if (0) n = outer(n);\n if (n) n = inner(n);": {"4:then"},
    "if (0) f = inner;\n if (f) n = f(n);": {"4:then"},
    "if (n) f = inner;\n if (f) n = f(n);": set(),
    "if (n == n) n = 1;": set(),
}


@pytest.mark.parametrize(("text", "expected"), NEVER.items())
def test_what_constants_exclude_is_never_taken(text: str, expected: set[str], tmp_path: Path):
    nobody_calls = set() if "inner" in text or "outer" in text else {"1:then", "1:else"}
    program = load_text(tmp_path, f"{HEAD}{text}\n return n; }}\n").program
    goals = goals_of(program, Criterion.BRANCHES)
    never = [goal for goal in goals if goal.edges <= never_taken(program)]
    found = {f"{goal.line - LINES}:{goal.id.split(':')[-1]}" for goal in never}
    assert found == expected | nobody_calls


def test_an_impossible_edge_is_needless_if_others_lead_where_it_does(tmp_path: Path):
    program = load_text(tmp_path, f"{HEAD}do n++; while (0);\n if (0) n = 7;\n return n; }}\n").program
    lines = {program.edge_list[number].reference.line - LINES for number in needless(program)}
    assert lines == {4}
