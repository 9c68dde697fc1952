"""Which of several searches has the next turn, and how long it is: by what they have reached in their last turns.

A bandit with costs (P. Auer, N. Cesa-Bianchi & P. Fischer, *Finite-time analysis of the multiarmed bandit problem*,
Machine Learning 47, 2002: greedy, with a share for exploration). Deviations: what a search reaches changes with time,
so only its last turn counts; and who reaches nothing needs longer turns, not only more of them.
"""

from __future__ import annotations

from collections.abc import Iterable

FIRST_SLICE = 0.5
"""Seconds of the first turn of each search."""

GROWTH = 2.0
"""How many times longer the next turn of a search is that has reached nothing in one."""

LEAST_SHARE = 0.1
"""The share of the time of all that each search has at least."""

SHORTEST = 0.05
"""Seconds that a turn took at least when its goals per second are counted."""


class Turns:
    """The searches by name that still have something to do; of equal ones, the first comes first."""

    def __init__(self, names: Iterable[str]) -> None:
        self._slices = dict.fromkeys(names, FIRST_SLICE)
        self._used = dict.fromkeys(self._slices, 0.0)
        self._rates: dict[str, float] = {}

    def __bool__(self) -> bool:
        """Whether there is a search left."""
        return bool(self._slices)

    @property
    def all_had_one(self) -> bool:
        """Whether each search that is left had a turn."""
        return all(name in self._rates for name in self._slices)

    def next(self) -> tuple[str, float]:
        """The search whose turn it is, and its seconds.

        Who had none yet; then who had less than the least share; then who reaches most goals per second; and when
        nobody reaches any, who had least time.
        """
        for name in self._slices:
            if name not in self._rates:
                return name, self._slices[name]
        least = min(self._slices, key=self._used.__getitem__)
        best = max(self._slices, key=self._rates.__getitem__)
        neglected = self._used[least] < LEAST_SHARE * sum(self._used.values())
        chosen = least if neglected or not self._rates[best] else best
        return chosen, self._slices[chosen]

    def ended(self, name: str, seconds: float, reached: int) -> None:
        """A turn took so many seconds, and so many goals were reached in it."""
        self._used[name] += max(seconds, SHORTEST)
        self._rates[name] = reached / max(seconds, SHORTEST)
        if not reached:
            self._slices[name] *= GROWTH

    def leave(self, name: str) -> None:
        """A search has come to its end."""
        for known in (self._slices, self._used, self._rates):
            known.pop(name, None)
