r"""What holds for a field of all blocks that a program has allocated at a place: bounds and values.

As for elements of arrays (:mod:`.element_bounds`), the constants that meet a field are thought to say something of it:
those that it is set to, and with which it, or what it is set to, is compared. Blocks to which variables lead may be
exceptions: they are being made, or were looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

from gia.analyses.proving.candidates.comparisons import bounds, compare, compare_with_constant, integer_type
from gia.analyses.proving.candidates.finite import Settings, constants_compared, settings_of
from gia.analyses.proving.cells import Cell, cell_of, cells_in
from gia.analyses.proving.proof import Candidates, Proof
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Expression,
    IntegerConstant,
    Member,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.heap import Pool, heap_pools
from gia.cfa.points_to import points_to
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, IntegerType, PointerType, StructType, TypeTable

_MOST_FIELDS = 24
_MOST_VALUES = 8
"""A field that is set to so many constants at most, and to nothing else, is thought to have one of them."""
_MOST_BOUNDS = 6
_MOST_VARIABLES = 12
_MOST_EXCEPTIONS = 4


def heap_fields(proof: Proof) -> Iterator[Candidates]:
    """The candidates at each cut point; nothing if all blocks are told apart."""
    pools = proof.program.derived(heap_pools).values()
    if not pools:
        return
    settings = settings_of(proof.program)
    compared = constants_compared(proof.program.edge_list)
    plain = {pool.blocks: list(_conditions(proof.program.types, pool, settings, compared)) for pool in pools}
    yield {cut: [found for pool in pools for found in _at(proof, pool, plain[pool.blocks], cut)] for cut in proof.cuts}


def _at(proof: Proof, pool: Pool, plain: list[Expression], cut: Node) -> Iterator[Expression]:
    variables = proof.variables(cut)
    block = pool.block(VariableReference(ANY_NUMBER))
    numbers = [VariableReference(v) for v in variables if isinstance(v.type, IntegerType)][:_MOST_VARIABLES]
    fields = [field for field in fields_of(proof.program.types, block) if isinstance(field.type, IntegerType)]
    related = (compare(operator, field, number) for field in fields for number in numbers for operator in ("<=", ">="))
    exceptions = list(islice(_leading_there(proof, pool, variables), _MOST_EXCEPTIONS))
    yield from map(pool.about_all, chain(plain, related))
    for condition in plain:
        for pointer in exceptions:
            same = Binary("==", AddressOf(block, pointer.type), VariableReference(pointer), INT)
            yield pool.about_all(Binary("||", same, condition, INT))


def _leading_there(proof: Proof, pool: Pool, variables: Iterable[Variable]) -> Iterator[Variable]:
    """The pointers to blocks of the pool."""
    places = proof.program.derived(points_to).places
    for variable in variables:
        if pool.first in places.get(variable, {}) and isinstance(variable.type, PointerType):
            yield variable


def fields_of(types: TypeTable, whole: Expression) -> Iterator[Expression]:
    """The scalars in a structure that stand in no array and no union; what is no structure is its only one."""
    if not isinstance(whole.type, StructType):
        yield whole
    elif not whole.type.is_union and whole.type.tag in types.layouts:
        for field in types.layouts[whole.type.tag].fields:
            if isinstance(field.type, IntegerType | PointerType | StructType):
                yield from fields_of(types, Member(whole, field.name, field.type))


def _conditions(
    types: TypeTable, pool: Pool, settings: Settings, compared: Mapping[Cell, frozenset[int]]
) -> Iterator[Expression]:
    for field in islice(fields_of(types, pool.block(VariableReference(ANY_NUMBER))), _MOST_FIELDS):
        if isinstance(field.type, PointerType):
            continue
        given = [value for cell, value in settings if cell == cell_of(field)]
        yield from _values(field, given)
        yield from _bounds(field, _meeting(field, given, compared))


def _values(field: Expression, given: list[Expression | None]) -> Iterator[Expression]:
    """That a field is one of the constants that it is set to."""
    constants = sorted({value.value for value in given if isinstance(value, IntegerConstant)})
    if 0 < len(constants) <= _MOST_VALUES:
        found: Expression | None = None
        for constant in constants:
            one = compare_with_constant("==", field, constant)
            found = one if found is None else Binary("||", found, one, INT)
        assert found is not None
        yield found


def _meeting(
    field: Expression, given: list[Expression | None], compared: Mapping[Cell, frozenset[int]]
) -> frozenset[int]:
    values = [value for value in given if value is not None]
    cells = {cell for cell in (cell_of(field), *(cell for value in values for cell in cells_in(value))) if cell}
    constants = (part.value for value in values for part in walk(value) if isinstance(part, IntegerConstant))
    return frozenset((0, *constants, *(constant for cell in cells for constant in compared.get(cell, ()))))


def _bounds(field: Expression, constants: frozenset[int]) -> Iterator[Expression]:
    """That a field is at most, or at least, a constant or its neighbour."""
    low, high = bounds(integer_type(field))
    near = sorted({c + step for c in constants for step in (-1, 0, 1) if low < c + step < high})
    chosen = near if len(near) <= 3 * _MOST_BOUNDS else [*near[: 2 * _MOST_BOUNDS], *near[-_MOST_BOUNDS:]]
    for constant in chosen:
        yield compare_with_constant("<=", field, constant)
        yield compare_with_constant(">=", field, constant)
