"""Small numbers that take the same path: 7 tells a person more than 2147483641, whose square wraps to the same.

A path is replayed symbolically, and the solver is asked for inputs within bounds that take it. Bounds that leave the
same path open are found greedily: for all numbers at once, then for one after the other.
"""

from __future__ import annotations

from collections.abc import Container
from time import monotonic

from msgspec.structs import replace

from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.replay import Replayer
from gia.analyses.testing.symbolic_path import SymbolicPath
from gia.cfa.graph import Program
from gia.cfa.types import IntegerType
from gia.native import Execution, InputValue
from gia.smt.encoding.conversions import has_bits
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result
from gia.smt.terms import TRUE, Term, bv_const, conjunction, sle, ule

BOUNDS = (9, 99, 9999)
"""How large a number may be, the best bound first; what is larger than the last one is large."""

QUERY_SECONDS = 0.1
"""Seconds that one query may take."""

MOST_EDGES = 10_000
"""Longer paths are left as they are: nobody reads them number by number."""


def has_large_values(inputs: Inputs, expected: Container[int] = ()) -> bool:
    """Whether there is anything to do for :func:`small_values`, but for the numbers that a reader expects."""
    return any(_is_large(value) and value.number not in expected for value in inputs)


def small_values(program: Program, execution: Execution, deadline: float) -> Inputs | None:
    """Inputs that take the same path as an execution that was traced in full, and some of them are smaller.

    ``None`` if there are none, or none were found before the deadline. They are a proposal: what the formulas do not
    describe may lead another execution elsewhere.
    """
    if len(execution.events) > MOST_EDGES:  # there is an edge for each of them, and more
        return None
    path = Replayer(program, execution.observed).replay(execution, deadline=deadline)
    if path.edges > MOST_EDGES or path.diverged is not None:
        return None
    return _Search(path, deadline).run()


class _Search:
    """The bounds of the inputs of one path so far, and the inputs within them."""

    def __init__(self, path: SymbolicPath, deadline: float) -> None:
        self._deadline = deadline
        self._inputs = list(path.execution.inputs)
        self._variables = {
            index: variable for index, variable in enumerate(path.variables) if _is_number(self._inputs[index])
        }
        self._solver = make_solver()
        self._solver.add(*path.encoder.axioms, *(decision.condition for decision in path.decisions))
        self._solver.add(*(self._within(index, abs(self._inputs[index].number)) for index in self._variables))
        others = (index for index in range(len(path.variables)) if index not in self._variables)
        self._solver.add(*(has_bits(path.variables[index], self._inputs[index].bits) for index in others))

    def run(self) -> Inputs | None:
        """Lower the bounds."""
        large = [index for index in self._variables if _is_large(self._inputs[index])]
        lowered = large if self._lower(large) else [index for index in large if self._lower([index])]
        return tuple(self._inputs) if lowered else None

    def _lower(self, indices: list[int]) -> bool:
        """Give these inputs the smallest bound that leaves a solution; whether there is one."""
        return any(self._solve(indices, bound) for bound in BOUNDS)

    def _solve(self, indices: list[int], bound: int) -> bool:
        """Solutions where these inputs are within the bound become the only ones; whether there are any."""
        seconds = min(QUERY_SECONDS, self._deadline - monotonic())
        if seconds <= 0:
            return False
        smaller = conjunction(*(self._within(index, bound) for index in indices))
        if self._solver.check([smaller], seconds) is not Result.SAT:
            return False
        for index, variable in self._variables.items():
            self._inputs[index] = replace(self._inputs[index], bits=self._solver.value(variable))
        self._solver.add(smaller)
        return True

    def _within(self, index: int, bound: int) -> Term:
        """The absolute value of an input is at most ``bound``."""
        return _within(self._variables[index], self._inputs[index], bound)


def _is_number(value: InputValue) -> bool:
    return isinstance(value.type, IntegerType)


def _is_large(value: InputValue) -> bool:
    return _is_number(value) and abs(value.number) > BOUNDS[-1]


def _is_signed(value: InputValue) -> bool:
    return isinstance(value.type, IntegerType) and value.type.signed


def _within(variable: Term, value: InputValue, bound: int) -> Term:
    """The absolute value of an input is at most ``bound``."""
    width = variable.width
    if not _is_signed(value):
        return ule(variable, bv_const(min(bound, (1 << width) - 1), width))
    if bound >> (width - 1):  # all of them are
        return TRUE
    return conjunction(sle(bv_const(-bound, width), variable), sle(variable, bv_const(bound, width)))
