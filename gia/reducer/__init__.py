"""Programs reduced to the part that is still to be decided."""

from gia.reducer.residual import ReducedProgram, Statistics, reduce_program

__all__ = ["ReducedProgram", "Statistics", "reduce_program"]
