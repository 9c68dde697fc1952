"""What stands before a place in the text bounds the numbers there, as the machine has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.graph import Edge, Program
from gia.cfa.local_bounds import greatest, interval_of
from gia.cfa.operations import Call
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.toolchain import data_model_options, find_compiler, run_tool

LOOKS = """#include <stdlib.h>
#include <string.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
extern int __VERIFIER_nondet_int(void);
extern void look(long long);
static char to[100], from[100];
"""
BOUNDED = {
    "if (n >= 8) return 0; memcpy(to, from, n);": 7,
    "if (n > 8) n = 8; memcpy(to, from, n);": 8,
    "if (i < 0 || i > 20) return 0; memcpy(to, from, i);": 20,
    "if ((unsigned long)i >= sizeof to) return 0; memcpy(to, from, i);": 99,
    "n = n % 13; to[n] = 1; memcpy(to, from, n + 2);": 14,
    "while (n < 10) { i = i + 1; memcpy(to, from, n); n = __VERIFIER_nondet_ulong(); }": 9,
    "switch (i) { case 3: n = 7; break; case 4: n = 9; break; default: return 0; } memcpy(to, from, n);": 9,
    "unsigned char c = n; memcpy(to, from, c);": 255,
}
UNBOUNDED = (
    "memcpy(to, from, n);",
    "if (i > 20) return 0; memcpy(to, from, i);",  # it may be negative
    "if (n < 8) n = __VERIFIER_nondet_ulong(); memcpy(to, from, n);",
    "unsigned long *p = &n; if (n > 8) return 0; *p = i; memcpy(to, from, n);",
    "static unsigned long s; if (s > 8) return 0; main(); memcpy(to, from, s);",
    "if (n > 8) return 0; while (i--) { memcpy(to, from, n); n++; }",
)


def program_of(folder: Path, body: str, model: DataModel = DataModel.LP64) -> Program:
    text = (
        "int main(void) { unsigned long n = __VERIFIER_nondet_ulong(); int i = __VERIFIER_nondet_int(); %s return 0; }"
    )
    (folder / "p.c").write_text(LOOKS + text % body)
    return load(folder / "p.c", data_model=model).program


def calls(program: Program, name: str) -> Iterator[tuple[Edge, Call]]:
    for edge in program.edge_list:
        if isinstance(edge.operation, Call) and edge.operation.function.removeprefix("__builtin_") == name:
            yield edge, edge.operation


@pytest.mark.parametrize("body", BOUNDED)
def test_a_check_before_bounds_what_is_copied(tmp_path: Path, body: str) -> None:
    program = program_of(tmp_path, body)
    ((edge, call),) = calls(program, "memcpy")
    assert greatest(program, call.arguments[2], edge.source) == BOUNDED[body]


@pytest.mark.parametrize("body", UNBOUNDED)
def test_what_may_be_changed_in_between_is_not_bounded(tmp_path: Path, body: str) -> None:
    program = program_of(tmp_path, body)
    ((edge, call),) = calls(program, "memcpy")
    assert greatest(program, call.arguments[2], edge.source) is None


class NumberProgram:
    """Random statements about a few numbers of different types, with looks at them."""

    def __init__(self, random: Random) -> None:
        self._random = random
        types = [random.choice(("int", "unsigned", "short", "unsigned char", "long long", "_Bool")) for _ in range(4)]
        self.body = " ".join(f"{type_} v{k} = {self._value(0)};" for k, type_ in enumerate(types)) + self._block(3)
        if random.random() < 0.3:
            self.body += " to[0] = &v0 != 0;"

    def _value(self, depth: int = 2) -> str:
        match self._random.randrange(8 if depth else 2):
            case 0:
                return "__VERIFIER_nondet_int()"
            case 1:
                return self._random.choice(("0", "1", "-1", "7", "200", "70000u", "-5ll"))
            case 2 | 3 | 4:
                return f"v{self._random.randrange(4)}"
            case 5:
                kind = self._random.choice(("int", "unsigned", "signed char", "unsigned long"))
                return f"({kind})({self._value(depth - 1)})"
            case 6:
                return f"-({self._value(depth - 1)})"
        operator = self._random.choice(("+", "-", "*", "&", "|", "^", "/ 3 +", "% 10 -", "<< 2 |", ">> 3 ^", "/ 5u *"))
        return f"({self._value(depth - 1)} {operator} {self._value(depth - 1)})"

    def _condition(self, depth: int = 1) -> str:
        if depth and self._random.random() < 0.4:
            return f"({self._condition(0)} {self._random.choice(('&&', '||', '&', '|'))} {self._condition(0)})"
        if self._random.random() < 0.2:
            return f"!({self._value(1)})"
        return f"({self._value(1)} {self._random.choice(('<', '<=', '>', '>=', '==', '!='))} {self._value(1)})"

    def _look(self) -> str:
        return f" look(v{self._random.randrange(4)});"

    def _block(self, depth: int) -> str:
        found = []
        for _ in range(self._random.randrange(1, 5)):
            match self._random.randrange(6 if depth else 3):
                case 0 | 1:
                    found.append(f" v{self._random.randrange(4)} = {self._value()};")
                case 2:
                    found.append(self._look())
                case 3 | 4:
                    found.append(f" if ({self._condition()}) {{{self._look()}{self._block(depth - 1)} }}")
                case _:
                    counter = f"c{depth}{len(found)}"
                    loop = f"for (int {counter} = 0; {counter} < 3 && {self._condition()}; {counter}++)"
                    found.append(f" {loop} {{{self._look()}{self._block(depth - 1)} }}")
        return "".join(found) + self._look()


NATIVE = """
#include <stdio.h>
static unsigned state;
int __VERIFIER_nondet_int(void) {
  state = state * 1103515245u + 12345u;
  return state & 0x40000 ? (int)(state >> 16) % 9 - 4 : (int)(state * 2654435761u);
}
unsigned long __VERIFIER_nondet_ulong(void) { return __VERIFIER_nondet_int(); }
#define look(v) printf("%d %lld\\n", __COUNTER__, (long long)(v))
#define main program
"""


@given(st.randoms(use_true_random=False), st.sampled_from(DataModel))
@settings(max_examples=25, deadline=None)
def test_numbers_are_what_their_bounds_say(random: Random, model: DataModel) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        program = program_of(folder, NumberProgram(random).body, model)
        looks = list(calls(program, "look"))
        for number, value in _seen(folder, model):
            edge, call = looks[number]
            low, high = interval_of(program, call.arguments[0], edge.source)
            assert low <= value <= high, f"look {number}"


def _seen(folder: Path, model: DataModel) -> Iterator[tuple[int, int]]:
    """The numbers of the looks that executions come to, with what is seen there."""
    text = (folder / "p.c").read_text()
    run = "int main(int argc, char **argv) { for (unsigned k = 0; k < 200; k++) { state = k * 77777u; program(); } }"
    (folder / "native.c").write_text(
        f"{NATIVE}{text.replace('extern void look(long long);', '')}\n#undef main\n{run}\n"
    )
    options = [*data_model_options(model), "-O0", "-w", "-fwrapv"]
    compiler = find_compiler().path
    done = run_tool([compiler, *options, str(folder / "native.c"), "-o", str(folder / "native")], timeout=120)
    assert done.returncode == 0, done.messages
    for line in run_tool([str(folder / "native")], timeout=60).stdout.decode().splitlines():
        number, value = line.split()
        yield int(number), int(value)
