"""A test suite as a table for people: the inputs of each test and the goals that it covers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from gia.exchange.suites.real_inputs import RealInputs
from gia.exchange.suites.testcomp_suite import TestCase

WIDTH = 120
"""Columns of the table."""


_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def suite_table(tests: Sequence[tuple[RealInputs, Iterable[str]]]) -> str:
    """The table of tests: for each what the program reads, and the goals that it covers."""
    table = Table("test", "inputs", "covers", box=SIMPLE_HEAD, show_lines=False, pad_edge=False)
    for number, (inputs, goals) in enumerate(tests, start=1):
        table.add_row(str(number), shown_inputs(inputs) or "none", ", ".join(sorted(goals)) or "nothing")
    text = StringIO()
    Console(file=text, width=WIDTH, color_system=None, highlight=False, markup=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip()) + "\n"


def shown_inputs(inputs: RealInputs) -> str:
    """Inputs in one line: arguments, environment and standard input as text, then what is read by input functions."""
    pieces: list[str] = []
    if inputs.arguments is not None:
        pieces.append(" ".join(["arguments", *map(_quoted, inputs.arguments)]) if inputs.arguments else "no arguments")
    for name, value in inputs.environment.items():
        pieces.append(f"no {name}" if value is None else f"{name}={_quoted(value)}")
    if inputs.stdin is not None:
        pieces.append(f"stdin {_quoted(bytes(inputs.stdin))}")
    return ", ".join([*pieces, *_values(TestCase.of(inputs.others).inputs)])


def _quoted(text: bytes) -> str:
    """A text as C would write it."""
    shown = [_ESCAPES.get(chr(byte)) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in text]
    return f'"{"".join(shown)}"'


def _values(inputs: Sequence[tuple[str, str]]) -> list[str]:
    """Types and literals: what repeats is counted, and a type is written where it changes."""
    pieces: list[str] = []
    before = ""
    for (type_, literal), group in groupby(inputs):
        count = len(list(group))
        spelled = f"{type_} {literal}" if type_ != before else literal
        pieces.append(spelled if count == 1 else f"{spelled} ({count} times)")
        before = type_
    return pieces
