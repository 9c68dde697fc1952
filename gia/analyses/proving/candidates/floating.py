"""Comparisons of floating-point variables and fields with the constants that they meet, as candidate invariants.

As for integers (:mod:`.houdini`), but fewer, since solvers take long for questions about floating-point numbers: one is
thought to be at least, at most, or exactly what it is set to or compared with, or zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from gia.analyses.proving.candidates.comparisons import compare_floating
from gia.analyses.proving.candidates.houdini import groups_of
from gia.analyses.proving.cells import Cell, cell_of
from gia.cfa.expressions import Cast, Expression, FloatConstant, IntegerConstant, Unary, walk
from gia.cfa.graph import Edge, Program
from gia.cfa.types import INT, FloatType

_MOST_CONSTANTS = 6
"""So many constants are tried for each number."""

Constants = Mapping[Cell, Sequence[Expression]]


def constants_met(program: Program, edges: Iterable[Edge]) -> Constants:
    """The constants that each floating-point variable or field is brought together with on some edges, zero first."""
    found: dict[Cell, dict[Expression, None]] = {}
    for group in (group for edge in edges for group in groups_of(program, edge)):
        parts = [part for expression in group for part in walk(expression) if isinstance(part.type, FloatType)]
        constants = [part for part in parts if _is_constant(part)]
        for part in parts:
            cell, zero = cell_of(part), Cast(IntegerConstant(0, INT), part.type)
            if cell is not None:
                found.setdefault(cell, {zero: None}).update(dict.fromkeys(constants))
    return {cell: tuple(constants)[:_MOST_CONSTANTS] for cell, constants in found.items()}


def floating_candidates(constants: Constants, places: Iterable[Expression], limit: int) -> tuple[Expression, ...]:
    """At most ``limit`` comparisons of floating-point ``places``."""
    return tuple(islice(_comparisons(constants, places), limit))


def _comparisons(constants: Constants, places: Iterable[Expression]) -> Iterator[Expression]:
    for place in places:
        cell = cell_of(place)
        for constant in constants.get(cell, ()) if cell is not None else ():
            yield from (compare_floating(operator, place, constant) for operator in ("==", ">=", "<="))


def _is_constant(expression: Expression) -> bool:
    match expression:
        case FloatConstant():
            return True
        case Cast(operand=operand):
            return isinstance(operand, IntegerConstant)
        case Unary(operator="-", operand=operand):
            return _is_constant(operand)
    return False
