"""Where a program crashed, as far as an execution of it can tell."""

from __future__ import annotations

from msgspec import Struct

from gia.cfa.graph import Program
from gia.errors import Position
from gia.frontend.preprocessed import ADDED
from gia.native.execution import BranchEvent, Execution


class Crash(Struct, frozen=True):
    """The signal that killed a program, and the place of the last decision before in its own source.

    ``after`` is ``None`` if there was no decision, or if not all of them were recorded.
    """

    signal: str
    after: Position | None


def crash_of(program: Program, execution: Execution) -> Crash | None:
    """How an execution crashed, if it did; all its outcomes were recorded (``Tracing.FULL``)."""
    if execution.crash is None:
        return None
    decisions = (event.edge for event in reversed(execution.events) if isinstance(event, BranchEvent))
    places = (program.edge_list[edge].position for edge in decisions)
    last = next((place for place in places if place.file != ADDED), None)
    return Crash(execution.crash, None if execution.truncated else last)
