"""A test suite as a table for people: the inputs of each test and the goals that it covers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from gia.exchange.suites.real_inputs import RealInputs, real_inputs
from gia.exchange.suites.testcomp_suite import TestCase
from gia.frontend.loaded import InputPlace
from gia.native.execution import InputValue
from gia.report.unit_inputs import quoted, unit_inputs

WIDTH = 120
"""Columns of the table."""


def suite_table(tests: Sequence[tuple[str, Iterable[str]]]) -> str:
    """The table of tests: for each what the program reads (:func:`shown_inputs`), and the goals that it covers."""
    table = Table("test", "inputs", "covers", box=SIMPLE_HEAD, show_lines=False, pad_edge=False)
    for number, (inputs, goals) in enumerate(tests, start=1):
        table.add_row(str(number), inputs or "none", ", ".join(sorted(goals)) or "nothing")
    text = StringIO()
    Console(file=text, width=WIDTH, color_system=None, highlight=False, markup=False).print(table)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines() if line.strip()) + "\n"


def shown_inputs(inputs: Sequence[InputValue], places: Sequence[InputPlace] = ()) -> str:
    """Inputs in one line: what a function is called with, if ``places`` say what the first ones are, and the others."""
    return ", ".join([*unit_inputs(places, inputs), *others(real_inputs(inputs[len(places) :]))])


def others(inputs: RealInputs) -> list[str]:
    """Arguments, environment and standard input as text, then what is read by input functions."""
    pieces: list[str] = []
    if inputs.arguments is not None:
        pieces.append(" ".join(["arguments", *map(quoted, inputs.arguments)]) if inputs.arguments else "no arguments")
    for name, value in inputs.environment.items():
        pieces.append(f"no {name}" if value is None else f"{name}={quoted(value)}")
    if inputs.stdin is not None:
        pieces.append(f"stdin {quoted(bytes(inputs.stdin))}")
    return [*pieces, *_values(TestCase.of(inputs.others).inputs)]


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
