"""The directory that a run leaves (DESIGN §7): each file is whole at any moment, and one run writes at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gia.errors import GiaError, InputError, Position
from gia.exchange.patterns import matching

JOURNAL: Final = "journal.jsonl"
RESULT: Final = "result.json"
GIA: Final = "gia.xml"
SUITE: Final = "test-suite"
WITNESS: Final = "witness.yml"
STEPS: Final = "steps"
_LOCK: Final = ".lock"
_OURS: Final = (RESULT, GIA, SUITE, WITNESS, STEPS, JOURNAL)


class RunDirectory:
    """An open run directory. Made by :func:`open_run_directory`, which holds its lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def file(self, name: str) -> Path:
        """The path of one of its files or folders."""
        return self.path / name

    def step_folder(self, name: str) -> Path:
        """The folder of a step, empty."""
        folder = self.path / STEPS / name
        with explained(folder):
            if folder.exists():
                shutil.rmtree(folder)
            folder.mkdir(parents=True)
        return folder

    def write(self, name: str, content: bytes) -> None:
        """Replaces a file as a whole: whenever this process dies, there is the old one or the new one."""
        target = self.path / name
        with explained(target):
            if target.is_file() and target.read_bytes() == content:
                return
            target.parent.mkdir(exist_ok=True)
            write_whole(target, content)

    def keep_only(self, folder: str, names: set[str]) -> None:
        """Removes the files of a folder that are not among ``names``."""
        directory = self.path / folder
        with explained(directory):
            for found in directory.iterdir() if directory.is_dir() else ():
                if found.name not in names:
                    found.unlink()

    def clear(self) -> None:
        """Removes what an earlier run has left; the journal goes last, because it says that the rest is ours."""
        for name in _OURS:
            found = self.path / name
            with explained(found):
                if found.is_dir() and not found.is_symlink():
                    shutil.rmtree(found)
                else:
                    found.unlink(missing_ok=True)


def write_whole(target: Path, content: bytes) -> None:
    """Replaces a file when the new one is complete; a link, a device or a pipe is written to."""
    if target.is_symlink() or (target.exists() and not target.is_file()):
        target.write_bytes(content)
        return
    partial = target.with_name(f".{target.name}.partial")
    try:
        partial.write_bytes(content)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def files_of(folder: Path, names: Iterable[str]) -> list[Path]:
    """The files of those names or patterns that are in a folder, and all files in and below folders of those names."""
    found = []
    for name in names:
        for path in matching(folder, name):
            found += sorted(path.rglob("*")) if path.is_dir() else [path]
    return [path for path in dict.fromkeys(found) if path.is_file()]


def make_durable(folder: Path, names: Iterable[str]) -> None:
    """Brings the files of those names (see :func:`files_of`) to the disk: they outlast a loss of power."""
    with explained(folder):
        for path in files_of(folder, names):
            with path.open("rb") as file:
                os.fsync(file.fileno())


@contextmanager
def explained(path: Path, otherwise: str = "choose another place") -> Iterator[None]:
    """Turns failures of the file system into an error that says what to do: to make room, or ``otherwise``."""
    try:
        yield
    except OSError as error:
        hint = f"make room, or {otherwise}" if error.errno in _FULL else otherwise
        raise GiaError(f"cannot be written: {error.strerror}", Position(str(path)), hint) from error


_OTHER_PLACE = "choose another place with --out"
_FULL = (errno.ENOSPC, errno.EDQUOT)


def check_run_directory(path: Path, *, resume: bool) -> None:
    """Whether a run may use it, as far as can be said without changing anything: it may not be there yet.

    Raises the errors of :func:`open_run_directory`, so that nobody waits for a program to be read in vain.
    """
    if resume and not (path / JOURNAL).is_file():
        raise InputError("there is no run to resume: no journal.jsonl in it", Position(str(path)))
    with explained(path, _OTHER_PLACE):
        present = sorted(entry.name for entry in path.iterdir()) if path.exists() else []
        foreign = [name for name in present if name not in (_LOCK, *_OURS)]
        if foreign and not (path / JOURNAL).exists():
            hint = "give an empty or a new directory with --out"
            raise InputError(f"the directory holds other files ({foreign[0]}, …)", Position(str(path)), hint)


@contextmanager
def open_run_directory(path: Path, *, resume: bool) -> Iterator[RunDirectory]:
    """The directory, made if it is not there, empty unless ``resume``, and locked against other runs.

    Raises :class:`InputError` for a directory that is not empty and not ours, or with nothing to resume from, and
    :class:`GiaError` if it cannot be written or another run is using it.
    """
    check_run_directory(path, resume=resume)
    with explained(path, _OTHER_PLACE):
        path.mkdir(parents=True, exist_ok=True)
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            hint = "wait for it, or give another directory with --out"
            raise GiaError("another run is using this directory", Position(str(path)), hint) from None
        directory = RunDirectory(path)
        if not resume:
            directory.clear()
        yield directory
    finally:
        os.close(lock)
