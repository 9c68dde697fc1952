"""What stands in the way of a decision, as actors say it: lines of their output that others may read.

A line ``not modelled: FILE:LINE:COLUMN: REASON`` names a construct that an actor did not follow exactly; a line
``undecided: GOAL: REASON`` says why it gave up a goal. Any actor may write them; they explain, and decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct, field

from gia.errors import Position

_NOT_MODELLED: Final = "not modelled"
_UNDECIDED: Final = "undecided"
_PLACE: Final = re.compile(rf"{_NOT_MODELLED}: (.+?):(\d+)(?::(\d+))?: (.+)")
_GOAL: Final = re.compile(rf"{_UNDECIDED}: ([^\s:]+:\d+:\d+:.+?): (.+)")
MOST: Final = 1000
"""So many lines of each kind are read from one output."""


class Unmodelled(Struct, frozen=True, order=True):
    """A construct that was not followed exactly."""

    position: Position
    reason: str

    def __str__(self) -> str:
        return f"{self.position}: {self.reason}"


class Obstacles(Struct, frozen=True):
    """All that an output names; ``undecided`` has the reason of each goal by its id."""

    unmodelled: tuple[Unmodelled, ...] = ()
    undecided: Mapping[str, str] = field(default_factory=dict)


def unmodelled_line(position: Position, reason: str) -> str:
    """The line that names a construct."""
    return f"{_NOT_MODELLED}: {position}: {reason}"


def undecided_line(goal: str, reason: str) -> str:
    """The line that says why a goal was given up."""
    return f"{_UNDECIDED}: {goal}: {reason}"


def read_obstacles(lines: Iterable[str]) -> Obstacles:
    """What the lines of an output name; other lines mean nothing here."""
    unmodelled: dict[Unmodelled, None] = {}
    undecided: dict[str, str] = {}
    for line in lines:
        text = line.strip()
        place = _PLACE.fullmatch(text)
        if place is not None and len(unmodelled) < MOST:
            position = Position(place[1], int(place[2]), int(place[3] or 0))
            unmodelled[Unmodelled(position, place[4])] = None
        goal = _GOAL.fullmatch(text)
        if goal is not None and len(undecided) < MOST:
            undecided[goal[1]] = goal[2]
    return Obstacles(tuple(sorted(unmodelled)), undecided)
