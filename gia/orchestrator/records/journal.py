"""The journal of a run: one JSON object a line, only ever appended to, on the disk before anything relies on it.

A line that is cut off (the machine lost power while it was written) ends the journal; everything before it counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from gia.errors import DocumentError, Position
from gia.orchestrator.store import explained

Entry = Mapping[str, Any]


class Journal:
    """An open journal. ``append`` returns when the entry is on the disk, or raises :class:`~gia.errors.GiaError`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with explained(path):
            self._file = path.open("ab", buffering=0)
            if self._file.tell() and not _ends_with_newline(path):
                self._file.truncate(_complete_length(path))

    def append(self, event: str, values: Entry, *, durable: bool = True) -> None:
        """Adds one entry: what happened, and values that JSON can carry.

        One that is not ``durable`` may be lost with the machine's power, together with what was appended after it.
        """
        line = json.dumps({"event": event} | dict(values), sort_keys=True, ensure_ascii=False).encode() + b"\n"
        end = self._file.tell()
        with explained(self._path):
            try:
                left = memoryview(line)
                while left:
                    left = left[self._file.write(left) :]
                if durable:
                    os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(end)  # no half line: what is appended later must be readable
                raise

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_journal(path: Path) -> tuple[Entry, ...]:
    """The complete entries of a journal. Raises :class:`DocumentError` if one before the last cannot be read."""
    if not path.exists():
        return ()
    lines = path.read_bytes()[: _complete_length(path)].splitlines()
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or not isinstance(entry.get("event"), str):
            hint = "it was changed from outside; begin again without --resume"
            raise DocumentError("this is no journal of a run", Position(str(path), number), hint)
        entries.append(entry)
    return tuple(entries)


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _complete_length(path: Path) -> int:
    """The bytes up to the end of the last complete line."""
    return path.read_bytes().rfind(b"\n") + 1
