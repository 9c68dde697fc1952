r"""Verification witnesses as values, whatever file they come from.

Formats: Beyer, Dangl, Dietsch, Heizmann, Lemberger & Tautschnig, *Verification Witnesses*, TOSEM 2022 (GraphML 1.0);
Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl & Strejček, *Software Verification Witnesses 2.0*, SPIN 2024 (YAML).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field


class Place(Struct, frozen=True):
    """Where in the source: lines and columns count from 1, column 0 is not known, ``function`` may be empty."""

    file: str
    line: int
    column: int = 0
    function: str = ""

    def at_column(self, column: int) -> Place:
        """The place in another column of the line."""
        return Place(self.file, self.line, column, self.function)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


class WitnessTask(Struct, frozen=True):
    """What a witness says about the program that it was made for: ``hashes`` of its files, by their names."""

    files: tuple[str, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    specification: str = ""
    data_model: str = ""


class Waypoint(Struct, frozen=True):
    """One requirement on a path: ``kind`` is ``assumption``, ``branching``, ``function_enter``, ``function_return``
    or ``target``; the path must meet it (``follow``) or must not (``avoid``). ``constraint`` is a C expression."""

    kind: str
    place: Place
    constraint: str = ""
    follow: bool = True


Segment = tuple[Waypoint, ...]
"""Waypoints to avoid, and at the end one to follow."""


class Invariant(Struct, frozen=True):
    """A C expression that holds whenever control is at a place; ``kind`` is ``loop_invariant`` or
    ``location_invariant``."""

    kind: str
    place: Place
    value: str


class Witness(Struct, frozen=True):
    """What a file of witnesses says. ``segments`` is ``None`` if it describes no violation, ``invariants`` is if it
    claims no correctness. ``notes`` name what was found in the file and has no meaning here."""

    task: WitnessTask
    segments: tuple[Segment, ...] | None = None
    invariants: tuple[Invariant, ...] | None = None
    notes: tuple[str, ...] = ()
