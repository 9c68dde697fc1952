"""C source text to control-flow automata.

Reading C itself (:mod:`gia.frontend.reading`) and expressions of it (:mod:`gia.frontend.exchange_expressions`) need a
parser; whoever finds a program in the cache does not, so that these modules are not imported here.
"""

from gia.frontend.diagnostics import Diagnostic
from gia.frontend.loaded import LoadedProgram
from gia.frontend.loading import load
from gia.frontend.probes import InstrumentableSource

__all__ = ["Diagnostic", "InstrumentableSource", "LoadedProgram", "load"]
