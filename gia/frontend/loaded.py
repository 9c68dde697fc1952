"""What the front end makes of a file of C."""

from __future__ import annotations

from dataclasses import dataclass

from gia.cfa.graph import Program
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.probes import InstrumentableSource


@dataclass(frozen=True)
class LoadedProgram:
    """A program, the text in which its native execution is observed, and remarks for the user."""

    program: Program
    source: InstrumentableSource
    warnings: tuple[Diagnostic, ...]
