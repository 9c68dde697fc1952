"""What the front end makes of a file of C."""

from __future__ import annotations

from msgspec import Struct

from gia.cfa.graph import Program
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.probes import InstrumentableSource


class LoadedProgram(Struct, frozen=True):
    """A program, the text in which its native execution is observed, and remarks for the user."""

    program: Program
    source: InstrumentableSource
    warnings: tuple[Diagnostic, ...]
