"""A test suite as a table for people: the inputs of each test and the goals that it covers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import groupby

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from gia.cfa.types import CHAR, SIGNED_CHAR, UNSIGNED_CHAR
from gia.exchange.suites.real_inputs import RealFile, RealInputs, real_inputs
from gia.exchange.suites.testcase import type_name
from gia.frontend.library import INPUT_PREFIX
from gia.frontend.loaded import InputPlace
from gia.native.execution import InputValue
from gia.report.unit_inputs import quoted, unit_inputs

_BYTES = (CHAR, SIGNED_CHAR, UNSIGNED_CHAR)

_RUN = re.compile(rb"(?s:(.)\1{19,})")
"""A character that repeats."""

_PLAIN = re.compile(rb"[\w./-]+")
"""A name that needs no quotes."""

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
    """Arguments, environment, files and standard input as text, then what is read by input functions."""
    pieces: list[str] = []
    if inputs.arguments is not None:
        pieces.append(" ".join(["arguments", *map(quoted, inputs.arguments)]) if inputs.arguments else "no arguments")
    for name, value in inputs.environment.items():
        pieces.append(f"no {name}" if value is None else f"{name}={quoted(value)}")
    pieces += [_file(name, file) for name, file in inputs.files.items()]
    if inputs.stdin is not None:
        pieces.append(f"stdin {_with_runs(bytes(inputs.stdin))}")
    return [*pieces, *_values(inputs.others)]


def _file(name: bytes, file: RealFile) -> str:
    """A file, and what it has."""
    shown = name.decode() if _PLAIN.fullmatch(name) else quoted(name)
    if not file.is_possible:
        return f"file {shown} impossible"
    return f"no file {shown}" if file.bytes is None else f"file {shown} {_with_runs(bytes(file.bytes))}"


def _with_runs(text: bytes) -> str:
    """A text as C would write it; what repeats very often is counted: ``"ab" 990 * " " "c"``."""
    pieces: list[str] = []
    end = 0
    for run in _RUN.finditer(text):
        pieces += [quoted(text[end : run.start()])] if end < run.start() else []
        pieces.append(f"{len(run[0])} * {quoted(run[1])}")
        end = run.end()
    return " ".join([*pieces, *([quoted(text[end:])] if end < len(text) or not text else [])])


def _values(inputs: Sequence[InputValue]) -> list[str]:
    """Literals behind what they are, where that changes; what repeats is counted, and named bytes are a text."""
    pieces: list[str] = []
    for label, group in groupby(inputs, _label):
        values = list(group)
        if len(values) > 1 and label.endswith("=") and values[0].type in _BYTES:
            text = bytes(value.bits & 255 for value in values).rstrip(b"\0")
            pieces.append(f"{label} {quoted(text)}")
            continue
        literals = [(literal, len(list(same))) for literal, same in groupby(value.literal for value in values)]
        shown = [literal if count == 1 else f"{literal} ({count} times)" for literal, count in literals]
        pieces += [f"{label} {shown[0]}", *shown[1:]]
    return pieces


def _label(value: InputValue) -> str:
    """What an input is: a name if its function says more than a type, else the type."""
    name = value.function.removeprefix(INPUT_PREFIX)
    if name != value.function and "_" not in name:
        return type_name(value)
    return f"{name} ="
