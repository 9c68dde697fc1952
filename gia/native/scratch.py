"""The directory in which a program runs: fresh for each run, whatever the program left there."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress


def make_fresh(directory: str) -> None:
    """Make ``directory`` exist and be empty; if possible it remains the same one, for a process may be in it."""
    if _is_fresh(directory):
        return
    with suppress(OSError):
        os.chmod(directory, 0o700)
        with os.scandir(directory) as entries:
            for entry in entries:
                _remove_entry(entry)
    if not _is_fresh(directory):
        remove(directory)
        os.mkdir(directory, mode=0o700)


def _remove_entry(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        remove(entry.path)
    else:
        os.unlink(entry.path)


def _is_fresh(directory: str) -> bool:
    """Whether there is nothing to do: it is cheaper to look than to make a directory for each run."""
    try:
        with os.scandir(directory) as entries:
            return next(entries, None) is None and stat.S_IMODE(os.stat(directory).st_mode) == 0o700
    except OSError:
        return False


def remove(directory: str) -> None:
    """Remove ``directory`` and what is in it, if it is there, whatever permissions a program has set."""
    with suppress(OSError):
        os.chmod(directory, 0o700)
    for folder, names, _ in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
    shutil.rmtree(directory, ignore_errors=True)


def bytes_below(directory: str) -> int:
    """The size of all files below ``directory``; what vanishes meanwhile does not count."""
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue
    return total
