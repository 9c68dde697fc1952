"""C source text to control-flow automata."""

from gia.frontend.diagnostics import Diagnostic
from gia.frontend.load import LoadedProgram, load
from gia.frontend.probes import InstrumentableSource

__all__ = ["Diagnostic", "InstrumentableSource", "LoadedProgram", "load"]
