"""The same step on the same inputs is not run twice: its products are kept under the hash of all that went in.

Only steps that ended by themselves, before their time was up, are kept: what an actor finds within a time depends on
the machine. An entry is a folder that is renamed to its place when it is complete, so that runs may share the cache;
it holds hashes of its files, so that one that a crash has cut off is found out. Whatever fails here (a full disk, a
folder of somebody else) costs the entry, never the step. What is taken from the cache is examined like what a process
has written.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final

import gia
from gia.orchestrator.store import files_of

BYTES: Final = 1000 * 1000 * 1000
"""How large the cache may become: entries that were not used for long go first."""

LARGEST: Final = 50 * 1000 * 1000
"""Bytes of the largest step that is kept."""

DAY: Final = 24 * 3600.0

_INDEX: Final = "entry.json"


def default_folder() -> Path:
    """Where the cache of this user lies."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - only a run needs it

    return user_cache_path("gia", appauthor=False) / "steps"


class StepCache:
    """The cache in a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def key(self, argv: Sequence[str], folder: Path, *others: str) -> str:
        """The hash of a step: its command line, the content of each file that it names, the version of gia.

        ``folder`` is the step's own: where it lies does not count. ``others`` are further things that do.
        """
        parts = [self._version, *others]
        for index, argument in enumerate(argv):
            parts.append(argument.replace(str(folder), "{step}"))
            if index == 0:
                parts.append(_identity(Path(shutil.which(argument) or argument)))
            elif len(argument) < 4096:
                parts.append(_content(Path(argument)))
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()

    def fetch(self, key: str, folder: Path) -> bool:
        """Puts the products of a step into its folder; whether it is in the cache, and whole."""
        entry = self._entry(key)
        try:
            index = json.loads((entry / _INDEX).read_text(encoding="utf-8"))
            contents = {name: (entry / name).read_bytes() for name in index}
            if any(hashlib.sha256(content).hexdigest() != index[name] for name, content in contents.items()):
                shutil.rmtree(entry, ignore_errors=True)
                return False
            for name, content in contents.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            os.utime(entry)
        except (OSError, ValueError, TypeError):
            return False
        return True

    def store(self, key: str, folder: Path, products: Iterable[str]) -> bool:
        """Keeps the files of a step; whether that was possible."""
        try:
            files = files_of(folder, products)
            if sum(path.stat().st_size for path in files) > LARGEST:
                return False
            entry = self._entry(key)
            entry.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=entry.parent, prefix=".new-") as new:
                index = {}
                for path in files:
                    name = path.relative_to(folder).as_posix()
                    content = path.read_bytes()
                    index[name] = hashlib.sha256(content).hexdigest()
                    target = Path(new, "entry", name)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
                Path(new, "entry", _INDEX).write_text(json.dumps(index), encoding="utf-8")
                Path(new, "entry").rename(entry)
        except (OSError, ValueError):
            return False
        return True

    def tidy(self) -> None:
        """Shrinks the cache, at most once a day."""
        mark = self._folder / ".tidied"
        with suppress(OSError):
            if not mark.exists() or time.time() - mark.stat().st_mtime > DAY:
                self._folder.mkdir(parents=True, exist_ok=True)
                mark.touch()
                self.shrink()

    def shrink(self, limit: int = BYTES) -> None:
        """Removes what was not used for long until the cache is no larger than ``limit`` bytes."""
        entries = []
        for entry in self._folder.glob("??/*"):
            with suppress(OSError):
                size = sum(path.stat().st_size for path in files_of(entry.parent, [entry.name]))
                entries.append((entry.stat().st_mtime, size, entry))
        total = sum(size for _, size, _ in entries)
        for _, size, entry in sorted(entries):
            if total <= limit:
                return
            shutil.rmtree(entry, ignore_errors=True)
            total -= size

    def _entry(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    @cached_property
    def _version(self) -> str:
        """The version of gia: while somebody works on it, that is the state of its files."""
        package = Path(gia.__file__).parent
        found = [gia.__version__]
        for path in sorted(package.rglob("*")):
            if path.suffix in (".py", ".c"):
                status = path.stat()
                found.append(f"{path.relative_to(package)} {status.st_size} {status.st_mtime_ns}")
        return hashlib.sha256("\n".join(found).encode()).hexdigest()


def _content(path: Path) -> str:
    """What stands for the content of a file: its hash, or, of a large one, its identity; empty if there is none."""
    try:
        if not path.is_file():
            return ""
        if path.stat().st_size > LARGEST:
            return _identity(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _identity(path: Path) -> str:
    """Where a file is, how long it is and since when; empty if there is none."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{path.resolve()} {status.st_size} {status.st_mtime_ns}"
