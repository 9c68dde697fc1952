"""The cores of a run, which steps occupy while they run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gia.orchestrator.beside import LOOK, Beside
from gia.orchestrator.store import write_whole


class Lender:
    """A running step that gives way to others when it is asked to, and goes on where it was.

    It has given way when it answers with the number of the request, and goes on when that is withdrawn.
    """

    def __init__(self, cores: int, beside: Beside) -> None:
        self.cores = cores
        self.is_asked = self.has_given = False
        self._beside = beside
        self._number = 0

    def ask(self, seconds: float) -> None:
        """Ask it, once. Where that is impossible (a full disk), others wait until it has ended."""
        if not self.is_asked:
            self.is_asked = True
            self._number += 1
            with suppress(OSError):
                write_whole(self._beside.core_wanted, f"{self._number} {seconds:g}".encode())

    def has_answered(self) -> bool:
        """Whether it has stopped working since it was asked."""
        if not self.is_asked or self.has_given:
            return False
        with suppress(OSError):
            return self._beside.core_given.read_text(encoding="utf-8") == str(self._number)
        return False

    def go_on(self) -> None:
        """Nobody needs its cores any more."""
        self.is_asked = self.has_given = False
        with suppress(OSError):
            self._beside.core_wanted.unlink(missing_ok=True)

    def end(self) -> None:
        """It has ended, and answers nothing any more."""
        self.go_on()
        with suppress(OSError):
            self._beside.core_given.unlink(missing_ok=True)


class Cores:
    """So many cores in all, at least one. Who came first is served first."""

    def __init__(self, total: int) -> None:
        self.total = self._free = max(1, total)
        self._changed = threading.Condition()
        self._waiting: list[object] = []
        self._steps = 0
        self._notes: list[Path] = []
        self._lenders: list[Lender] = []

    @contextmanager
    def taken(self, wanted: int, seconds: float = float("inf")) -> Iterator[int]:
        """Waits for so many cores (for all, if there are fewer) and occupies them: as many as it returns.

        If they are needed for so many ``seconds``, running steps that give way do so after as long a time.
        """
        number, me = min(wanted, self.total), object()
        with self._changed:
            self._waiting.append(me)
            self._write_notes()
            try:
                while self._waiting[0] is not me or self._free < number:
                    if self._waiting[0] is me:
                        for lender in self._lenders:
                            lender.ask(seconds)
                    self._changed.wait(LOOK if self._lenders else None)
                    self._take_answers()
                self._free -= number
                self._steps += 1
            finally:
                self._waiting.remove(me)
                self._stop_asking()
                self._serve()
        try:
            yield number
        finally:
            with self._changed:
                self._free += number
                self._steps -= 1
                self._serve()

    @contextmanager
    def lent(self, number: int, beside: Beside) -> Iterator[None]:
        """While a step runs that occupies so many cores and gives way to others, it is asked to when they wait."""
        lender = Lender(number, beside)
        with self._changed:
            self._lenders.append(lender)
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._lenders.remove(lender)
                if lender.has_given:  # who has them gives them back, and so does this step, which still occupies them
                    self._waiting.remove(lender)
                    self._free -= number
                lender.end()
                self._serve()

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

    def _take_answers(self) -> None:
        """The cores of steps that have given way are free; these steps wait for them like others."""
        for lender in self._lenders:
            if lender.has_answered():
                lender.has_given = True
                self._free += lender.cores
                self._waiting.append(lender)
                self._serve()

    def _stop_asking(self) -> None:
        """Who was asked and has not answered need not give way any more; the next one who waits asks again."""
        for lender in self._lenders:
            if lender.is_asked and not lender.has_given:
                lender.go_on()

    def _serve(self) -> None:
        """Let steps that have given way go on if it is their turn, and others see what has changed."""
        while self._waiting and isinstance(first := self._waiting[0], Lender) and self._free >= first.cores:
            self._waiting.pop(0)
            self._free -= first.cores
            first.go_on()
        self._write_notes()
        self._changed.notify_all()

    def _write_notes(self) -> None:
        """Make the notes say what is so now; where that is impossible (a full disk), actors end early as if alone."""
        for note in self._notes:
            with suppress(OSError):
                if self._steps > 1 and not self._waiting:
                    note.touch()
                else:
                    note.unlink(missing_ok=True)
