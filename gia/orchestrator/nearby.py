"""What a running actor of gia knows of those that run beside it (:mod:`.beside`)."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic, sleep

from gia.analyses.request import Others
from gia.orchestrator.beside import LOOK, Beside
from gia.orchestrator.store import write_whole


class OthersNearby(Others):
    """Those of whom files tell."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside
        self._read: tuple[int, frozenset[str]] = (0, frozenset())

    def at_work(self) -> bool:
        """Whether the file exists."""
        return self._beside.at_work.exists()

    def decided(self) -> frozenset[str]:
        """What was decided when the file was seen last."""
        with suppress(OSError):
            changed = self._beside.decided.stat().st_mtime_ns
            if changed != self._read[0]:
                self._read = changed, frozenset(self._beside.decided.read_text(encoding="utf-8").splitlines())
        return self._read[1]

    def waiting(self) -> float | None:
        """What the file says."""
        request = self._request()
        return request[1] if request is not None else None

    def give_way(self, until: float) -> None:
        """Answer the request, and look until it is withdrawn."""
        request = self._request()
        if request is None:
            return
        number = request[0]
        with suppress(OSError):
            write_whole(self._beside.core_given, number.encode())
            while monotonic() < until and (now := self._request()) is not None and now[0] == number:
                sleep(LOOK)
        with suppress(OSError):
            self._beside.core_given.unlink(missing_ok=True)

    def _request(self) -> tuple[str, float] | None:
        """The number of the request for the core, and the seconds for which it is needed."""
        with suppress(OSError, ValueError):
            number, seconds = self._beside.core_wanted.read_text(encoding="utf-8").split()
            return number, float(seconds)
        return None
