"""A test suite as a table for people: the inputs of each test and the goals that it covers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

WIDTH = 120
"""Columns of the table."""


def test_table(tests: Sequence[tuple[Sequence[tuple[str, str]], Iterable[str]]]) -> str:
    """The table of tests: for each the types and literals of its inputs, and the goals that it covers."""
    table = Table("test", "inputs", "covers", box=SIMPLE_HEAD, show_lines=False, pad_edge=False)
    for number, (inputs, goals) in enumerate(tests, start=1):
        table.add_row(str(number), shown_inputs(inputs) or "none", ", ".join(sorted(goals)) or "nothing")
    text = StringIO()
    Console(file=text, width=WIDTH, color_system=None, highlight=False, markup=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip()) + "\n"


test_table.__test__ = False  # type: ignore[attr-defined]


def shown_inputs(inputs: Sequence[tuple[str, str]]) -> str:
    """Inputs in one line: what repeats is counted, and a type is written where it changes."""
    pieces: list[str] = []
    before = ""
    for (type_, literal), group in groupby(inputs):
        count = len(list(group))
        spelled = f"{type_} {literal}" if type_ != before else literal
        pieces.append(spelled if count == 1 else f"{spelled} ({count} times)")
        before = type_
    return ", ".join(pieces)
