"""The same step on the same inputs is not run twice: its products are kept under the hash of all that went in.

Only steps that ended by themselves, before their time was up, are kept: what an actor finds within a time depends on
the machine. What is taken from the cache is examined like what a process has written.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from gia.cache import LARGEST, FolderCache, gia_version, identity, key_of, user_folder
from gia.orchestrator.store import files_of

BYTES: Final = 1000 * 1000 * 1000
"""How large the cache may become: entries that were not used for long go first."""


SCRIPTS: Final = frozenset([".py", ".sh", ".pl", ".rb", ".js", ".lua", ".jar"])
"""How files end that use others beside them."""
MOST_COMPANIONS: Final = 1000


def default_folder() -> Path:
    """Where the cache of this user lies."""
    return user_folder("steps")


class StepCache(FolderCache):
    """The cache in a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, BYTES)

    def key(self, argv: Sequence[str], folder: Path, *others: str) -> str:
        """The hash of a step: its command line, the content of each file that it names, the version of gia.

        Of a script, what lies beside it counts as well: it may import that.

        ``folder`` is the step's own: where it lies does not count. ``others`` are further things that do.
        """
        parts = [gia_version(), *others]
        for index, argument in enumerate(argv):
            parts.append(argument.replace(str(folder), "{step}"))
            if index == 0:
                parts.append(identity(Path(shutil.which(argument) or argument)))
            elif len(argument) < 4096:
                path = Path(argument)
                parts.append(_content(path))
                parts += [f"{file.name} {_content(file)}" for file in _companions(path)]
        return key_of(*parts)

    def fetch(self, key: str, folder: Path) -> bool:
        """Puts the products of a step into its folder; whether it is in the cache, and whole."""
        contents = self.fetch_files(key)
        if contents is None:
            return False
        try:
            for name, content in contents.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
        except OSError:
            return False
        return True

    def store(self, key: str, folder: Path, products: Iterable[str]) -> bool:
        """Keeps the files of a step; whether that was possible."""
        files = files_of(folder, products)
        if sum(path.stat().st_size for path in files) > LARGEST:
            return False
        return self.store_files(key, folder, files)


def _companions(script: Path) -> list[Path]:
    """The files of its kind beside a script and in the folders below that hold some, which are packages."""
    if script.suffix not in SCRIPTS or not script.is_file():
        return []
    found: list[Path] = []
    pending = [script.parent]
    while pending and len(found) < MOST_COMPANIONS:
        folder = pending.pop()
        try:
            entries = sorted(folder.iterdir())
        except OSError:
            continue
        files = [entry for entry in entries if entry.suffix == script.suffix and entry.is_file()]
        found += files
        if files:
            pending += [entry for entry in reversed(entries) if entry.is_dir() and not entry.is_symlink()]
    return found[:MOST_COMPANIONS]


def _content(path: Path) -> str:
    """What stands for the content of a file: its hash, or, of a large one, its identity; empty if there is none."""
    try:
        if not path.is_file():
            return ""
        if path.stat().st_size > LARGEST:
            return identity(path)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
