"""C source text to control-flow automata."""

from gia.frontend.diagnostics import Diagnostic
from gia.frontend.exchange_expressions import parse_expression
from gia.frontend.loading import LoadedProgram, load, load_written
from gia.frontend.probes import InstrumentableSource

__all__ = ["Diagnostic", "InstrumentableSource", "LoadedProgram", "load", "load_written", "parse_expression"]
