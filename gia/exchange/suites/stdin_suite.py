"""Tests as what the real program reads: standard input, files, arguments and environment, without gia.

For each test there is a script, ``test-1.sh``, that runs a program on it: ``sh test-1.sh ./a.out``. What the program
reads from standard input is in ``test-1.stdin``. If it asks for files, it runs in a new folder with what is in
``test-1.files``.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gia.exchange.suites.real_inputs import RealFile, RealInputs

_OURS = re.compile(r"test-\d+\.(sh|stdin|files)")
_NOWHERE = "nowhere/file"
"""Where a name leads that can neither be opened nor made."""


def write_stdin_suite(folder: Path, tests: Sequence[tuple[RealInputs, Iterable[str]]]) -> tuple[str, ...]:
    """Write the tests, each with the goals that it covers, into ``folder``; tests from before are removed.

    What is left out is said in the answer: tests with inputs that come from nowhere outside of gia.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if _OURS.fullmatch(old.name) and old.is_dir():
            shutil.rmtree(old)
        elif _OURS.fullmatch(old.name):
            old.unlink()
    notes = []
    for number, (test, goals) in enumerate(tests, 1):
        if test.others:
            names = ", ".join(sorted({value.function for value in test.others}))
            notes.append(f"test {number} is left out: what {names} returns cannot be given from outside")
            continue
        impossible = _write_files(folder / f"test-{number}.files", test.files) if test.files else None
        if impossible is not None:
            notes.append(f"test {number} is left out: the file {impossible} cannot be put into a new folder")
            continue
        (folder / f"test-{number}.stdin").write_bytes(bytes(test.stdin or b""))
        (folder / f"test-{number}.sh").write_bytes(_script(number, test, sorted(goals)))
    return tuple(notes)


def _write_files(folder: Path, files: Mapping[bytes, RealFile]) -> str | None:
    """Write what files have; the name of one for which that is not possible."""
    folder.mkdir()
    for name, file in files.items():
        path = folder / os.fsdecode(name)
        try:
            if path.is_absolute() and not path.is_relative_to(folder):
                raise OSError
            if not file.is_possible:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.symlink_to(_NOWHERE)
            elif file.bytes is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.bytes)
        except (OSError, ValueError):
            shutil.rmtree(folder)
            return name.decode(errors="replace")
    return None


def _script(number: int, test: RealInputs, goals: Sequence[str]) -> bytes:
    """The script of a test: the program is its argument."""
    lines = ["#!/bin/sh", f"# sh test-{number}.sh PROGRAM", *(f"# {goal}" for goal in goals)]
    lines += _in_new_folder(number) if test.files else []
    text = "".join(f"{line}\n" for line in lines).encode()
    environment = b""
    for name, value in test.environment.items():
        environment += b" -u " + name.encode() if value is None else b""
    for name, value in test.environment.items():
        environment += b" " + name.encode() + b"=" + _quoted(value) if value is not None else b""
    arguments = b"".join(b" " + _quoted(argument) for argument in test.arguments or ())
    program, here = (b'"$program"', b"$tests") if test.files else (b'"$1"', b'$(dirname "$0")')
    command = b"" if test.files else b"exec "
    command += b"env" + environment + b" " if environment else b""
    return text + command + program + arguments + b' < "' + here + f'/test-{number}.stdin"\n'.encode()


def _in_new_folder(number: int) -> Iterator[str]:
    """What makes the script run the program in a folder with the files of the test, which is removed at the end."""
    yield 'case "$1" in /*) program=$1 ;; */*) program=$PWD/$1 ;; *) program=$1 ;; esac'
    yield 'tests=$(cd "$(dirname "$0")" && pwd)'
    yield "folder=$(mktemp -d) || exit 125"
    yield "trap 'rm -rf \"$folder\"' EXIT"
    yield f'cp -RP "$tests/test-{number}.files/." "$folder" && cd "$folder" || exit 125'


def _quoted(value: bytes) -> bytes:
    """A word of the shell with this value."""
    return shlex.quote(value.decode("latin-1")).encode("latin-1")
