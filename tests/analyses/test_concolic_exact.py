"""Concolic testing that says it is exact has found what can be reached, and says so only where nothing is left out."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from tests.analyses.test_concolic import search_and_open, searched
from tests.analyses.test_tester import open_goals, program, run_actor

RANGE = range(8)
"""What each of the two inputs can be."""

CONDITIONS = st.builds(
    "(x * {} + y * {} + n) % {} {} {}".format,
    *(st.integers(0, 5),) * 2,
    st.integers(2, 9),
    st.sampled_from(["<", "==", "!="]),
    st.integers(0, 9),
)
"""They mean the same in C and in Python: no operand is negative."""

BODIES = st.recursive(
    st.builds(lambda step: [f"n += {step};"], st.integers(1, 3)),
    lambda inner: st.builds(
        lambda kind, condition, first, second: [
            f"{kind} ({condition}) {{",
            *first,
            *(["n = n + 1;", "if (n > 12) return 0;", "}"] if kind == "while" else ["} else {", *second, "}"]),
        ],
        st.sampled_from(["if", "if", "while"]),
        CONDITIONS,
        inner,
        inner,
    ),
    max_leaves=5,
)


def in_python(lines: list[str]) -> str:
    """The function of x and y that notes the outcomes of conditions: ``f(x, y, note)``."""
    text, depth = ["def f(x, y, note):", " n = 0"], 1
    for number, line in enumerate(lines, 3):
        depth -= line.startswith("}")
        code = line.rstrip("{; ").replace("} ", "")
        if line.startswith("if (n"):
            text.append(f"{' ' * depth}if note({number}, n > 12): return")
        elif line.startswith(("if", "while")):
            kind, condition = code.split(" ", 1)
            text.append(f"{' ' * depth}{kind} note({number}, {condition}):")
        elif line != "}":
            text.append(" " * depth + code + (":" if line.endswith("{") else ""))
        depth += line.endswith("{")
    return "\n".join(text)


def reached(lines: list[str]) -> set[tuple[int, bool]]:
    """The outcomes of conditions, by line, over all inputs."""
    scope: dict[str, object] = {}
    exec(in_python(lines), scope)
    found = set()

    def note(line: int, outcome: bool) -> bool:
        found.add((line, outcome))
        return outcome

    for x, y in product(RANGE, RANGE):
        scope["f"](x, y, note)  # type: ignore[operator]
    return found


@example(["while ((x * 3 + y * 0 + n) % 4 != 0) {", "n += 1;", "n = n + 1;", "if (n > 12) return 0;", "}"])
@given(st.lists(BODIES, min_size=1, max_size=3).map(lambda bodies: [line for body in bodies for line in body]))
@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_exact_search_has_reached_what_can_be_reached(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "p.c"
    first = "extern unsigned __VERIFIER_nondet_uint(void); int main(void) { int n = 0;"
    second = "unsigned x = __VERIFIER_nondet_uint() % 8, y = __VERIFIER_nondet_uint() % 8;"
    path.write_text("\n".join([first, second, *lines, "return 0; }"]))
    search, unreached = search_and_open(path, tmp_path)
    assert search.is_exact
    goals = goals_of(load(path, data_model=DataModel.LP64).program, Criterion.BRANCHES)
    assert {as_outcome(goal.id) for goal in goals if goal.id not in unreached} == reached(lines)


def as_outcome(goal: str) -> tuple[int, bool]:
    """The line and the outcome of a goal like ``main:3:1:then``."""
    _, line, _, branch = goal.split(":")
    return int(line), branch == "then"


@pytest.mark.parametrize(
    "body",
    [
        "double d = sin(x); if (d > 2) return 1;",
        "int unset; if (unset == 12345) return 1;",
        "if (x > 5) for (;;) n++; if (n) return 1;",
        "for (int i = 0; i < 40; i++) n ^= __VERIFIER_nondet_int(); if (n * n == 2) return 1;",
        "int *p = x > 5 ? &n : 0; *p = x; if (n == 6) return 1;",
    ],
    ids=["no model", "not initialised", "no end", "cut", "crashes"],
)
def test_where_something_is_left_out_it_is_not_exact(tmp_path: Path, body: str) -> None:
    text = f"extern double sin(double); int main(void) {{ int n = 0, x = __VERIFIER_nondet_int(); {body} return 0; }}"
    assert not searched(program(tmp_path, text), tmp_path).is_exact


BUFFERS = {
    "before": "struct buffer { char data[32]; unsigned n; int *where; };",
    "behind": "struct buffer { int *where; unsigned n; char data[32]; };",
}


@pytest.mark.parametrize("actor", ["concolic", "bmc", "symex"])
@pytest.mark.parametrize("place", BUFFERS)
def test_a_pointer_beside_a_buffer_stays_known(tmp_path: Path, place: str, actor: str) -> None:
    text = f"""{BUFFERS[place]}
    int main(void) {{
      int x = 3; struct buffer b = {{0}}; b.where = &x;
      for (int k = 0; k < 3; k++) {{ b.n = __VERIFIER_nondet_int(); if (b.n < 32) b.data[b.n] = k + 1; }}
      *b.where = __VERIFIER_nondet_int();
      if (x == 77 && b.n == 25 && b.data[25] == 3 && b.data[26] == 1) return 1;
      return 0;
    }}"""
    _, status = run_actor(actor, program(tmp_path, text), tmp_path, 20)
    assert open_goals(status) == []


def test_what_is_written_to_a_stream_stays_known(tmp_path: Path) -> None:
    text = """#include <stdio.h>
    #include <stdlib.h>
    struct line { char *data; size_t length; };
    int main(void) {
      static struct line line; static size_t size; struct line rest; long length;
      setvbuf(stdout, NULL, _IONBF, 0);
      while ((length = getline(&line.data, &size, stdin)) > 0) {
        line.length = length; rest = line;
        if (rest.length < 4) continue;
        rest.data += 3; rest.length -= 3;
        if (fwrite(line.data, 1, 3, stdout) == 3 && rest.data[0] == 'x' && rest.length == 2) break;
      }
      return fclose(stdout) != 0; }"""
    _, status = run_actor("concolic", program(tmp_path, text), tmp_path, 20)
    assert open_goals(status) == []


def test_the_tester_ends_when_concolic_testing_has_seen_everything(tmp_path: Path) -> None:
    """Bounded search does not come to the end of the loop, and fuzzing never does."""
    lines: list[str] = []
    text = """int main(void) { int n = 0, x = __VERIFIER_nondet_uchar() & 31;
      while (x > 0) { x--; n += 2; } if (n == 1) return 1; return 0; }"""
    _, status = run_actor("tester", program(tmp_path, text), tmp_path, 25, report=lines.append)
    assert open_goals(status) == ["main:3:38:then"]
    assert lines[-1].startswith("concolic testing")
    assert "nothing is left to explore" in lines[-1]
