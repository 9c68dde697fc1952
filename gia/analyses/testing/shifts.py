"""When an actor works, and when it lets others have the core that it shares with them.

It keeps what it knows while it waits: to end and to begin again would cost it that.
"""

from __future__ import annotations

from time import monotonic

from gia.analyses.request import Others

FRUITLESS_SHARE = 0.3
"""Who has found nothing for this share of the time for which the core is needed need not work as long as that."""


class Shifts:
    """The shifts of one actor. All times are in seconds of its own work: those in which it waits do not count."""

    def __init__(self, others: Others) -> None:
        self._others = others
        self._start = monotonic()
        self._rested = self._begun = self._success = 0.0

    @property
    def worked(self) -> float:
        """How long it has worked."""
        return monotonic() - self._start - self._rested

    @property
    def fruitless(self) -> float:
        """How long it has worked since it found something, or since it began."""
        return self.worked - self._success

    def note_success(self) -> None:
        """Something was found."""
        self._success = self.worked

    def is_over(self) -> bool:
        """Whether somebody waits for the core whose turn it is: all have it for as long."""
        needed = self._others.waiting()
        if needed is None:
            return False
        shift = self.worked - self._begun
        return shift >= needed or min(shift, self.fruitless) >= FRUITLESS_SHARE * needed

    def rest(self, until: float) -> None:
        """Let them have it; the next shift begins when they need it no longer, or at a :func:`time.monotonic`."""
        begun = monotonic()
        self._others.give_way(until)
        self._rested += monotonic() - begun
        self._begun = self.worked
