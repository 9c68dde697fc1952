"""Which pointers are null, and which are not, as candidate invariants: those on which a condition depends.

Variables and fields are tested for null, or given to what is tested, as in :mod:`.houdini` numbers meet each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from gia.analyses.proving.candidates.houdini import groups_of
from gia.analyses.proving.cells import Cell, cell_of, cells_in
from gia.cfa.expressions import Binary, Cast, Expression, IntegerConstant, Unary, atoms_of
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assume
from gia.cfa.pointer_values import is_null
from gia.cfa.types import INT, PointerType


def tested_for_null(program: Program, edges: Sequence[Edge]) -> frozenset[Cell]:
    """The pointers that are compared with null, and those whose values such pointers may have."""
    conditions = (edge.operation.condition for edge in edges if isinstance(edge.operation, Assume))
    found = dict.fromkeys(cell for condition in conditions for cell in _tested(condition))
    sources: dict[Cell, list[Cell]] = {}
    for group in (group for edge in edges for group in groups_of(program, edge) if len(group) > 1):
        target, value = cell_of(group[0]), group[1]
        if target is not None and isinstance(value.type, PointerType):
            sources.setdefault(target, []).extend(cells_in(value))
    pending = list(found)
    while pending:
        new = [cell for cell in sources.get(pending.pop(), ()) if cell not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return frozenset(found)


def _tested(condition: Expression) -> Iterator[Cell]:
    """The pointers that the parts of a condition compare with null."""
    for tested in map(_compared_with_null, atoms_of(condition)):
        cell = cell_of(tested)
        if cell is not None and isinstance(tested.type, PointerType):
            yield cell


def _compared_with_null(atom: Expression) -> Expression:
    """What an atom of a condition compares with null."""
    match atom:
        case Unary(operator="!", operand=operand):
            return operand
        case Binary(operator="==" | "!=", left=left, right=right) if is_null(right):
            return left
        case Binary(operator="==" | "!=", left=left, right=right) if is_null(left):
            return right
    return atom


def null_candidates(tested: Collection[Cell], places: Iterable[Expression]) -> Iterator[Expression]:
    """``p == 0`` and ``p != 0`` for the pointers among ``places`` on which a condition depends."""
    for place in places:
        if cell_of(place) in tested:
            null = Cast(IntegerConstant(0, INT), place.type)
            yield from (Binary(operator, place, null, INT) for operator in ("==", "!="))
