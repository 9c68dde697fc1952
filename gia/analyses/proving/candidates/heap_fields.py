r"""What holds for a field of all blocks that a program has allocated at a place: bounds and values.

As for elements of arrays (:mod:`.element_bounds`), the constants that meet a field are thought to say something of it:
those that it is set to, and with which it, or what it is set to, is compared. A block may be an exception while it is
being made, or changed: one that is written to through a variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import islice, product

from gia.analyses.proving.candidates.comparisons import compare, compare_with_constant, integer_type
from gia.analyses.proving.candidates.finite import Settings, constants_compared, settings_of
from gia.analyses.proving.candidates.heap_text import conditions_on_blocks
from gia.analyses.proving.candidates.nulls import null_candidates, tested_for_null
from gia.analyses.proving.cells import Cell, cell_of, cells_in
from gia.analyses.proving.proof import Candidates, Proof
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Dereference,
    Expression,
    IntegerConstant,
    Member,
    Subscript,
    Variable,
    VariableReference,
    pointer_under,
    variables_of,
    walk,
)
from gia.cfa.graph import Program
from gia.cfa.heap import Pool, heap_pools
from gia.cfa.library_effects import without_effect
from gia.cfa.operations import Assign, Call, Input, Operation
from gia.cfa.points_to import points_to
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.supergraph import Node
from gia.cfa.types import INT, IntegerType, PointerType, StructType, TypeTable
from gia.frontend.library import MODEL_PREFIX

_Kind = type[IntegerType | PointerType]
_MOST_FIELDS = 24
_MOST_VALUES = 8
"""A field that meets so many constants at most is thought to have one of them."""
_MOST_BOUNDS = 6
_MOST_VARIABLES = 12
_MOST_EXCEPTIONS = 4


def heap_fields(proof: Proof) -> Iterator[Candidates]:
    """The candidates at each cut point, the plainest first; nothing if all blocks are told apart."""
    pools = list(proof.program.derived(heap_pools).values())
    if not pools:
        return
    settings = settings_of(proof.program)
    compared = constants_compared(proof.program.edge_list)
    tested = tested_for_null(proof.program, proof.program.edge_list)
    types = proof.program.types
    about = [
        (
            pool,
            [
                *_conditions(types, pool, settings, compared),
                *null_candidates(tested, _fields(types, pool, PointerType)),
            ],
        )
        for pool in pools
    ]
    yield {cut: [pool.about_all(found) for pool, conditions in about for found in conditions] for cut in proof.cuts}
    excepted = [(p, conditions) for p, conditions in about if any(_exceptions(proof, p, cut) for cut in proof.cuts)]
    if excepted:
        yield {
            cut: [found for pool, conditions in excepted for found in _with_exceptions(proof, pool, conditions, cut)]
            for cut in proof.cuts
        }
    yield {cut: [found for pool in pools for found in _compared(proof, pool, cut)] for cut in proof.cuts}
    decided = [(pool, list(conditions_on_blocks(proof.program, pool))) for pool in pools]
    yield {
        cut: [f for pool, conditions in decided for f in _of_text(proof, pool, conditions, cut)] for cut in proof.cuts
    }


def _of_text(proof: Proof, pool: Pool, conditions: list[Expression], cut: Node) -> Iterator[Expression]:
    """The conditions that are about variables at a cut point only, for all blocks."""
    visible = {pool.blocks, ANY_NUMBER, *proof.variables(cut)}
    yield from (pool.about_all(condition) for condition in conditions if variables_of(condition) <= visible)


def _compared(proof: Proof, pool: Pool, cut: Node) -> Iterator[Expression]:
    """The fields of each block compared with variables of the program's own text."""
    numbers = [number for number in proof.integers(cut) if not _is_of_model(number.variable)]
    fields = _fields(proof.program.types, pool)
    for field, number, operator in product(fields, numbers[:_MOST_VARIABLES], ("<=", ">=")):
        yield pool.about_all(compare(operator, field, number))


def _is_of_model(variable: Variable) -> bool:
    return any(name.startswith(MODEL_PREFIX) for name in (variable.name, variable.function or ""))


def _with_exceptions(proof: Proof, pool: Pool, conditions: list[Expression], cut: Node) -> Iterator[Expression]:
    """The conditions for all blocks, or for all but the one that a variable leads to: the exception may end later."""
    yield from map(pool.about_all, conditions)
    block = pool.block(VariableReference(ANY_NUMBER))
    for pointer, condition in product(_exceptions(proof, pool, cut), conditions):
        same = Binary("==", AddressOf(block, pointer.type), VariableReference(pointer), INT)
        yield pool.about_all(Binary("||", same, condition, INT))


def _exceptions(proof: Proof, pool: Pool, cut: Node) -> list[Variable]:
    """The pointers to blocks of the pool through which something is written."""
    places, changing = proof.program.derived(points_to).places, proof.program.derived(_written_through)
    found = (v for v in proof.variables(cut) if v in changing and pool.first in places.get(v, {}))
    return list(islice(found, _MOST_EXCEPTIONS))


def _written_through(program: Program) -> frozenset[Variable]:
    """The pointers to what an operation writes, and those that a call is given which may write."""
    written = (pointer_under(place) for edge in program.edge_list for place in _written_by(edge.operation))
    return frozenset(variable for variable in written if variable is not None)


def _written_by(operation: Operation) -> Iterator[Expression]:
    """The places that are written, but for plain variables, and what is given to a call that may write."""
    if isinstance(operation, Assign | Input | Call) and isinstance(operation.target, Dereference | Member | Subscript):
        yield operation.target
    if isinstance(operation, Call) and not without_effect(operation):
        yield from operation.arguments


def _fields(types: TypeTable, pool: Pool, kind: _Kind = IntegerType) -> list[Expression]:
    r"""The integers, or the pointers, in the block with the number ``\any``."""
    return list(islice(_scalars_in(types, pool.block(VariableReference(ANY_NUMBER)), kind), _MOST_FIELDS))


def _scalars_in(types: TypeTable, whole: Expression, kind: _Kind) -> Iterator[Expression]:
    """The scalars of a kind in a structure that stand in no array and no union; a scalar is its only one."""
    match whole.type:
        case StructType(is_union=False, tag=tag) if tag in types.layouts:
            for field in types.layouts[tag].fields:
                yield from _scalars_in(types, Member(whole, field.name, field.type), kind)
        case kind():
            yield whole


def _conditions(
    types: TypeTable, pool: Pool, settings: Settings, compared: Mapping[Cell, frozenset[int]]
) -> Iterator[Expression]:
    """What the text says of the fields of each block."""
    for field in _fields(types, pool):
        given = [value for cell, value in settings if cell == cell_of(field)]
        met = _meeting(field, given, compared)
        constants = frozenset(value.value for value in given if isinstance(value, IntegerConstant))
        for values in dict.fromkeys((constants & met, met)):
            if 0 < len(values) <= _MOST_VALUES:
                yield _one_of(field, values)
        yield from _bounds(field, met)


def _one_of(field: Expression, values: frozenset[int]) -> Expression:
    """That a field is one of the constants that it is set to, or compared with."""
    first, *others = (compare_with_constant("==", field, value) for value in sorted(values))
    return reduce(lambda left, right: Binary("||", left, right, INT), others, first)


def _meeting(
    field: Expression, given: list[Expression | None], compared: Mapping[Cell, frozenset[int]]
) -> frozenset[int]:
    """The constants of its type that a field meets, and zero; ``given`` is what it is set to."""
    values = [value for value in given if value is not None]
    cells = {cell for cell in (cell_of(field), *(cell for value in values for cell in cells_in(value))) if cell}
    written = (part.value for value in values for part in walk(value) if isinstance(part, IntegerConstant))
    found = {0, *written, *(constant for cell in cells for constant in compared.get(cell, ()))}
    low, high = integer_type(field).bounds
    return frozenset(constant for constant in found if low <= constant <= high)


def _bounds(field: Expression, constants: frozenset[int]) -> Iterator[Expression]:
    """That a field is on one side of a constant, or of the next one: what a comparison with it lets through."""
    low, high = integer_type(field).bounds
    chosen = sorted(c for c in constants if low < c < high)
    for constant in chosen if len(chosen) <= _MOST_BOUNDS else (*chosen[:2], *chosen[2 - _MOST_BOUNDS :]):
        for operator, bound in (("<=", constant), (">=", constant), ("<=", constant - 1), (">=", constant + 1)):
            yield compare_with_constant(operator, field, bound)
