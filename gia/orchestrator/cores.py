"""The cores of a run, which steps occupy while they run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class Cores:
    """So many cores in all, at least one."""

    def __init__(self, total: int) -> None:
        self.total = self._free = max(1, total)
        self._changed = threading.Condition()
        self._waiting: list[object] = []
        self._steps = 0
        self._notes: list[Path] = []

    @contextmanager
    def taken(self, wanted: int) -> Iterator[None]:
        """Waits for so many cores (for all, if there are fewer) and occupies them; who came first is served first."""
        number, me = min(wanted, self.total), object()
        with self._changed:
            self._waiting.append(me)
            self._write_notes()
            try:
                self._changed.wait_for(lambda: self._waiting[0] is me and self._free >= number)
                self._free -= number
                self._steps += 1
            finally:
                self._waiting.remove(me)
                self._write_notes()
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._free += number
                self._steps -= 1
                self._write_notes()
                self._changed.notify_all()

    @contextmanager
    def noted(self, note: Path) -> Iterator[None]:
        """``note`` is a file that exists while other steps run as well and none waits for a core.

        To end early helps nobody then.
        """
        with self._changed:
            self._notes.append(note)
            self._write_notes()
        try:
            yield
        finally:
            with self._changed:
                self._notes.remove(note)
                with suppress(OSError):
                    note.unlink()

    def _write_notes(self) -> None:
        """Make the notes say what is so now; where that is impossible (a full disk), actors end early as if alone."""
        for note in self._notes:
            with suppress(OSError):
                if self._steps > 1 and not self._waiting:
                    note.touch()
                else:
                    note.unlink(missing_ok=True)
