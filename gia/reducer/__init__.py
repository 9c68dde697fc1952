"""Programs reduced to the part that is still to be decided."""

from gia.reducer.residual import ReducedProgram, Statistics, reduce_program
from gia.reducer.strategies import Reduction, Strategy, map_of, reduce_to_c, strategy_of

__all__ = [
    "ReducedProgram",
    "Reduction",
    "Statistics",
    "Strategy",
    "map_of",
    "reduce_program",
    "reduce_to_c",
    "strategy_of",
]
