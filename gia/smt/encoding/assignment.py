"""Assignments: of scalars to variables, memory and bit-fields; of structs and blocks of memory."""

from __future__ import annotations

from gia.cfa.expressions import Expression, Member, Variable, VariableReference
from gia.cfa.types import CType, PointerType, is_scalar
from gia.smt.encoding.access import Within, content_at, havoc_targets, in_bounds, leads_somewhere, read, write
from gia.smt.encoding.conversions import scalar_sort, to_bits
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.heap_blocks import given_pointer
from gia.smt.encoding.layout import size_of
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import Mode
from gia.smt.terms import Term, bv_add, bv_const, concat, conjunction, equal, extract

_MOST_BYTES = 1 << 16
"""Larger blocks are not copied piece by piece."""


def assign(evaluator: Evaluator, target: Expression, value: Term) -> SymbolicState:
    """The evaluator's state after storing a scalar in an lvalue."""
    world, state = evaluator.world, evaluator.state
    if isinstance(target, VariableReference):
        if world.facts(target.variable).sort is not None:
            state, value = _led(evaluator, target.variable, value)
            return state.with_value(world.instance(target.variable, evaluator.context), value)
    elif isinstance(target, Member):
        field = world.types.field(target.struct, target.field)
        if field.bit_width is not None:
            return _assign_bits(evaluator, target, value, field.bit_offset, field.bit_width)
    size = size_of(target.type, world.types)
    if size is None:
        return havoc_lvalue(evaluator, target, "an lvalue of an incomplete type is written")
    pointer = evaluator.place(target)
    within = evaluator.within(target, pointer, 0, size)
    return store_at(evaluator, pointer, to_bits(value, size, world.names), within)


def _led(evaluator: Evaluator, target: Variable, value: Term) -> tuple[SymbolicState, Term]:
    """The value for a variable; where its term does not tell where a pointer leads, it leads where this one may."""
    world, state = evaluator.world, evaluator.state
    if world.mode is Mode.UNDER or not isinstance(target.type, PointerType):
        return state, value
    if all(place.is_known or place.is_nowhere for place in world.addresses.targets(value)):
        return state, value
    found = given_pointer(world, state, target, world.names.fresh(target.name, value.sort).name)
    if found is None:
        return state, value
    known, required = found
    return state.with_guard(conjunction(state.guard, required, equal(known, value))), known


def _assign_bits(evaluator: Evaluator, target: Member, value: Term, offset: int, width: int) -> SymbolicState:
    """Store the low ``width`` bits of a value in a bit-field; the other bits of its bytes stay."""
    first, last = offset // 8, (offset + width - 1) // 8
    pointer = bv_add(evaluator.place(target), bv_const(first, evaluator.world.pointer_width))
    old = read(evaluator.world, evaluator.state, pointer, last - first + 1, evaluator.edge)
    low = offset - 8 * first
    new = extract(value, width - 1, 0)
    if low:
        new = concat(new, extract(old, low - 1, 0))
    if new.width < old.width:
        new = concat(extract(old, old.width - 1, new.width), new)
    return store_at(evaluator, pointer, new)


def store_at(evaluator: Evaluator, pointer: Term, bits: Term, within: Within | None = None) -> SymbolicState:
    """The evaluator's state after writing whole bytes."""
    if evaluator.world.mode is Mode.UNDER:
        evaluator.require(in_bounds(evaluator.world, pointer, bits.width // 8))
    return write(evaluator.world, evaluator.state, pointer, bits, evaluator.edge, within=within)


def copy(evaluator: Evaluator, target: Term, source: Term, type_: CType) -> SymbolicState:
    """The evaluator's state after copying a value of a struct, union or array type between addresses."""
    pieces = evaluator.world.layout(type_).pieces
    if pieces is None:
        return havoc_targets(evaluator.world, evaluator.state, target, evaluator.edge, "a large object is copied")
    return copy_pieces(evaluator, target, source, pieces)


def copy_block(evaluator: Evaluator, target: Term, source: Term, size: int) -> SymbolicState:
    """The evaluator's state after ``memcpy`` or ``memmove`` of a constant number of bytes."""
    world = evaluator.world
    if size > _MOST_BYTES:
        return havoc_targets(world, evaluator.state, target, evaluator.edge, "a large block is copied")
    return copy_pieces(evaluator, target, source, block_pieces(evaluator, source, size))


def block_pieces(evaluator: Evaluator, pointer: Term, size: int) -> list[tuple[int, int]]:
    """A division of a block that fits the object it lies in."""
    places = evaluator.world.addresses.targets(pointer)
    content = content_at(evaluator.world, evaluator.state, places[0].address) if len(places) == 1 else None
    for place in places:
        begin = place.offset.value
        if place.block is not None and begin is not None:
            pieces = evaluator.world.pool_at(place.block.addresses).pieces(begin, size)
            return [(offset - begin, length) for offset, length in pieces]
    if content is not None and places[0].offset.value is not None:
        start = places[0].offset.value
        return [(offset - start, length) for offset, length in content.pieces(start, size)]
    unit = content.unit if content is not None and content.unit and size % content.unit == 0 else 1
    return [(offset, unit) for offset in range(0, size, unit)]


def copy_pieces(evaluator: Evaluator, target: Term, source: Term, pieces: list[tuple[int, int]]) -> SymbolicState:
    """The evaluator's state after copying pieces; everything is read before anything is written."""
    world, state = evaluator.world, evaluator.state
    if world.mode is Mode.UNDER and pieces:
        size = max(offset + length for offset, length in pieces)
        evaluator.require(in_bounds(world, source, size))
        evaluator.require(in_bounds(world, target, size))
    width = world.pointer_width
    contents = [
        (offset, read(world, state, bv_add(source, bv_const(offset, width)), length, evaluator.edge))
        for offset, length in pieces
    ]
    if pieces:
        state = state.with_guard(conjunction(state.guard, leads_somewhere(world, source)))
    for offset, bits in contents:
        state = write(world, state, bv_add(target, bv_const(offset, width)), bits, evaluator.edge)
    return state


def havoc_lvalue(evaluator: Evaluator, target: Expression, reason: str) -> SymbolicState:
    """The evaluator's state in which an lvalue may hold anything."""
    world, state = evaluator.world, evaluator.state
    world.imprecise(evaluator.edge, reason)
    if is_scalar(target.type):
        return assign(evaluator, target, world.names.fresh("unknown", scalar_sort(target.type, world.types)))
    pointer = evaluator.place(target)
    places = world.addresses.targets(pointer)
    content = content_at(world, state, places[0].address) if len(places) == 1 else None
    if content is None or places[0].address is None:
        return havoc_targets(world, state, pointer, evaluator.edge, reason)
    return state.with_objects({**state.objects, places[0].address: world.havocked(content)})
