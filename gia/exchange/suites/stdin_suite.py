"""Tests as what the real program reads: standard input, arguments and environment, without gia.

For each test there is a script, ``test-1.sh``, that runs a program on it: ``sh test-1.sh ./a.out``. What the program
reads from standard input is in ``test-1.stdin``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from gia.exchange.suites.real_inputs import RealInputs


def write_stdin_suite(folder: Path, tests: Sequence[tuple[RealInputs, Iterable[str]]]) -> tuple[str, ...]:
    """Write the tests, each with the goals that it covers, into ``folder``; tests from before are removed.

    What is left out is said in the answer: tests with inputs that come from nowhere outside of gia.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if re.fullmatch(r"test-\d+\.(sh|stdin)", old.name):
            old.unlink()
    notes = []
    for number, (test, goals) in enumerate(tests, 1):
        if test.others:
            names = ", ".join(sorted({value.function for value in test.others}))
            notes.append(f"test {number} is left out: what {names} returns cannot be given from outside")
            continue
        (folder / f"test-{number}.stdin").write_bytes(bytes(test.stdin or b""))
        (folder / f"test-{number}.sh").write_bytes(_script(number, test, sorted(goals)))
    return tuple(notes)


def _script(number: int, test: RealInputs, goals: Sequence[str]) -> bytes:
    """The script of a test: the program is its argument."""
    lines = ["#!/bin/sh", f"# sh test-{number}.sh PROGRAM", *(f"# {goal}" for goal in goals)]
    text = "".join(f"{line}\n" for line in lines).encode()
    environment = b""
    for name, value in test.environment.items():
        environment += b" -u " + name.encode() if value is None else b""
    for name, value in test.environment.items():
        environment += b" " + name.encode() + b"=" + _quoted(value) if value is not None else b""
    arguments = b"".join(b" " + _quoted(argument) for argument in test.arguments or ())
    command = b"exec " + (b"env" + environment + b" " if environment else b"")
    return text + command + b'"$1"' + arguments + b' < "$(dirname "$0")/' + f'test-{number}.stdin"\n'.encode()


def _quoted(value: bytes) -> bytes:
    """A word of the shell with this value."""
    return shlex.quote(value.decode("latin-1")).encode("latin-1")
