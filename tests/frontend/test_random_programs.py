"""Random programs: the graph computes what the compiler's code does, for operands of all types and deep expressions."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.cfa.writer import write_c
from gia.frontend import load
from tests.frontend.support import compile_c, run

TYPES = (
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "_Bool",
)
CONSTANTS = ("0", "1", "-1", "255", "0x7fffffff", "0xffffffffu", "3000000000", "(1ull << 40)", "-128", "'a'", "'\\377'")
FIELDS = "unsigned a : 3; int b : 7; unsigned c : 32; long long d : 20; _Bool e : 1; unsigned char f : 5;"


class Generator:
    """Makes programs without undefined or unspecified behaviour (signed overflow wraps)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self, statements: int) -> str:
        """A program that prints many values."""
        lines = [f"{type_} v{i} = ({type_})__VERIFIER_nondet_int();" for i, type_ in enumerate(TYPES)]
        lines += [f"bits.{field} = v{i};" for i, field in enumerate("abcdef")]
        lines += [self.statement() for _ in range(statements)]
        head = f"#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);\nstruct {{ {FIELDS} }} bits;\n"
        return head + "int array[8], global = 3, *pointer = &global;\nint main(void) {\n" + "\n".join(lines) + "\n}\n"

    def statement(self) -> str:
        """A statement."""
        variable = f"v{self.random.randrange(len(TYPES))}"
        operator = self.random.choice(["=", "+=", "-=", "*=", "^=", "|=", "&="])
        match self.random.randrange(5):
            case 0:
                return f"{variable} {operator} {self.expression(4)};"
            case 1:
                return f"bits.{self.random.choice('abcdef')} {operator} {self.expression(3)};"
            case 2:
                other = f"array[{self.expression(2)} & 7] = {self.expression(3)};"
                return f"if ({self.expression(4)}) {variable}++; else {other}"
            case _:
                return f'printf("%lld\\n", (long long)({self.expression(5)}));'

    def expression(self, depth: int) -> str:
        """An expression in parentheses where it needs them."""
        choice, inner = self.random.choice, lambda: self.expression(depth - 1)
        if depth == 0 or self.random.random() < 0.1:
            variable, field = f"v{self.random.randrange(len(TYPES))}", f"bits.{choice('abcdef')}"
            return choice(
                [variable, variable, choice(CONSTANTS), field, f"array[{self.random.randrange(8)}]", "*pointer"]
            )
        match self.random.randrange(10):
            case 0 | 1 | 2:
                return f"({inner()} {choice('+-*&|^')} {inner()})"
            case 3:
                return f"({inner()} {choice(['<', '>', '<=', '>=', '==', '!='])} {inner()})"
            case 4:
                return f"({inner()} {choice(['<<', '>>'])} ({inner()} & 7))"
            case 5:
                return f"({inner()} {choice('/%')} (({inner()} & 7) + 1))"
            case 6:
                return f"{choice('-~!+')}({inner()})"
            case 7:
                return f"({choice(TYPES)})({inner()})"
            case 8:
                return f"({inner()} ? {inner()} : {inner()})"
            case _:
                return f"({inner()} {choice(['&&', '||', ','])} {inner()})"


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_compute_the_same(seed: int, tmp_path: Path) -> None:
    model, atomic = ((DataModel.LP64, False), (DataModel.ILP32, True))[seed % 2]
    path, written = tmp_path / "random.c", tmp_path / "written.c"
    path.write_text(Generator(seed).program(40))
    written.write_text(write_c(load(path, data_model=model, atomic=atomic).program))
    compile_c(path, tmp_path / "original", model)
    compile_c(written, tmp_path / "graph", model)
    for inputs in range(8):
        assert run(tmp_path / "graph", inputs) == run(tmp_path / "original", inputs)
