"""What the front end makes of a file of C."""

from __future__ import annotations

from msgspec import Struct

from gia.cfa.graph import Program
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.probes import InstrumentableSource


class InputPlace(Struct, frozen=True):
    """What an input of a function that is tested alone is: the part of a parameter or variable, as C would write it.

    Where it decides what a pointer leads to, ``choices`` are what there is: it is the remainder by their number that
    counts, and the first one may be the object ``new``. If ``modulus`` is not 0, it is the remainder by that.
    ``within`` are the objects in which the place lies.
    """

    place: str
    within: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    new: str = ""
    modulus: int = 0


class LoadedProgram(Struct, frozen=True):
    """A program, the text in which its native execution is observed, and remarks for the user.

    ``places`` are what the first inputs of each execution are, if a function is tested alone.
    """

    program: Program
    source: InstrumentableSource
    warnings: tuple[Diagnostic, ...]
    places: tuple[InputPlace, ...] = ()
