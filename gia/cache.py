"""Folders under the hash of all that they depend on: what was made once is not made again.

An entry is a folder that is renamed to its place when it is complete, so that processes may share a cache; it holds
hashes of its files, so that one that a crash has cut off is found out. Whatever fails here (a full disk, a folder of
somebody else) costs the entry, never what is to be made.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

import gia

LARGEST: Final = 50 * 1000 * 1000
"""Bytes of the largest entry that is kept."""

DAY: Final = 24 * 3600.0

OFF: Final = "GIA_NO_CACHE"
"""The environment variable that, when it is set and not empty, keeps gia and the actors that it starts from caches."""

_INDEX: Final = "entry.json"
_SELDOM: Final = "00"
"""One key in 256 begins so; when an entry with such a key is stored, the cache is made smaller if it is too large."""


def user_folder(name: str) -> Path:
    """Where a cache of this user lies."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - not all that imports this keeps something

    return user_cache_path("gia", appauthor=False) / name


class FolderCache:
    """The cache in a folder, which need not exist; ``limit`` is in bytes."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder = folder
        self._limit = limit

    def fetch_files(self, key: str) -> Mapping[str, bytes] | None:
        """The files of an entry by name; ``None`` if it is not in the cache, or not whole."""
        entry = self._entry(key)
        try:
            index = json.loads((entry / _INDEX).read_text(encoding="utf-8"))
            contents = {name: (entry / name).read_bytes() for name in index}
            if any(hashlib.sha256(content).hexdigest() != index[name] for name, content in contents.items()):
                shutil.rmtree(entry, ignore_errors=True)
                return None
        except (OSError, ValueError, TypeError):
            return None
        with suppress(OSError):  # in a container it may only be read
            os.utime(entry)
        return contents

    def store_files(self, key: str, folder: Path, files: Iterable[Path]) -> bool:
        """Keeps files of a folder under their names; whether that was possible."""
        try:
            contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
        except (OSError, ValueError):
            return False
        return self.store_contents(key, contents)

    def store_contents(self, key: str, contents: Mapping[str, bytes]) -> bool:
        """Keeps files by name; whether that was possible."""
        if sum(map(len, contents.values())) > LARGEST:
            return False
        try:
            entry = self._entry(key)
            entry.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=entry.parent, prefix=".new-") as new:
                for name, content in contents.items():
                    target = Path(new, "entry", name)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
                index = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
                Path(new, "entry", _INDEX).write_text(json.dumps(index), encoding="utf-8")
                Path(new, "entry").rename(entry)
        except (OSError, ValueError):
            return False
        if key.startswith(_SELDOM):
            self.shrink(self._limit)
        return True

    def tidy(self) -> None:
        """Shrinks the cache, at most once a day."""
        mark = self._folder / ".tidied"
        with suppress(OSError):
            if not mark.exists() or time.time() - mark.stat().st_mtime > DAY:
                self._folder.mkdir(parents=True, exist_ok=True)
                mark.touch()
                self.shrink(self._limit)

    def shrink(self, limit: int) -> None:
        """Removes what was not used for long until the cache is no larger than ``limit`` bytes."""
        entries = []
        for entry in self._folder.glob("??/*"):
            with suppress(OSError):
                size = sum(path.stat().st_size for path in entry.rglob("*") if path.is_file())
                entries.append((entry.stat().st_mtime, size, entry))
        total = sum(size for _, size, _ in entries)
        for _, size, entry in sorted(entries):
            if total <= limit:
                return
            shutil.rmtree(entry, ignore_errors=True)
            total -= size

    def _entry(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]


def user_cache(name: str, limit: int) -> FolderCache | None:
    """A cache of this user, not larger than about ``limit`` bytes; ``None`` if :data:`OFF` says so."""
    if os.environ.get(OFF):
        return None
    try:
        found = FolderCache(user_folder(name), limit)
    except RuntimeError:  # nobody knows where this user's home is
        return None
    found.tidy()
    return found


@lru_cache(maxsize=1)
def gia_version() -> str:
    """The version of gia: while somebody works on it, that is the state of its files."""
    package = str(Path(gia.__file__).parent)
    found = [gia.__version__]
    for entry in _sources(package):
        status = entry.stat()
        found.append(f"{entry.path.removeprefix(package)} {status.st_size} {status.st_mtime_ns}")
    return key_of(*found)


def _sources(folder: str) -> Iterator[os.DirEntry[str]]:
    """The sources below a folder in the order of their names; each process looks at them, so that paths would cost."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                yield from _sources(entry.path)
            elif entry.name.endswith((".py", ".c")):
                yield entry


def key_of(*parts: str) -> str:
    """A key for what depends on these texts."""
    hashed = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogateescape")
        hashed.update(len(data).to_bytes(8, "little"))
        hashed.update(data)
    return hashed.hexdigest()


def identity(path: Path) -> str:
    """Where a file is, how long it is and since when; empty if there is none."""
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{path.resolve()} {status.st_size} {status.st_mtime_ns}"
