"""Blocks of pools in one state: allocating, reading and writing them (:mod:`.pools`)."""

from __future__ import annotations

from gia.smt.encoding.pointers import Target
from gia.smt.encoding.pools import NUMBER_WIDTH, Column, Pool
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import (
    TRUE,
    Term,
    bv_add,
    bv_const,
    bv_sort,
    bv_sub,
    concat,
    conjunction,
    equal,
    extract,
    implication,
    ite,
    select,
    sle,
    slt,
    store,
    ult,
    variable,
)


def without_blocks(world: World, state: SymbolicState) -> SymbolicState:
    """The state in which no block was allocated yet."""
    values = dict(state.values)
    for pool in world.all_pools:
        values.update((instance, variable(instance[1], sort)) for instance, sort in pool.content())
        values[pool.count] = bv_const(0, NUMBER_WIDTH)
    return state.with_values(values)


def with_any_blocks(world: World, state: SymbolicState) -> SymbolicState:
    """The state with any number of blocks, which hold anything."""
    values = dict(state.values)
    guard = state.guard
    for pool in world.all_pools:
        values.update((instance, variable(instance[1], sort)) for instance, sort in pool.content())
        guard = conjunction(guard, sle(bv_const(0, NUMBER_WIDTH), values[pool.count]))
    return state.with_values(values).with_guard(guard)


def havocked_pools(world: World, state: SymbolicState) -> SymbolicState:
    """The state after anything was written to blocks, and others may have been allocated."""
    values = dict(state.values)
    guard = state.guard
    for pool in world.all_pools:
        values.update((instance, world.names.fresh(instance[1], sort)) for instance, sort in pool.content())
        guard = conjunction(guard, sle(state.values[pool.count], values[pool.count]))
    return state.with_values(values).with_guard(guard)


def any_block(state: SymbolicState, pool: Pool, name: str) -> tuple[Term, Term]:
    """The address of any block that is allocated; its number has a name, and what holds for it comes second."""
    number = variable(name, bv_sort(NUMBER_WIDTH))
    is_block = conjunction(slt(bv_const(0, NUMBER_WIDTH), number), sle(number, state.values[pool.count]))
    return select(pool.addresses, number), is_block


def _pointer_to(world: World, addresses: Term, number: Term, distance: int) -> Term:
    return bv_add(select(addresses, number), bv_const(distance, world.pointer_width))


def allocate(world: World, state: SymbolicState, pool: Pool, *, zeroed: bool) -> tuple[SymbolicState, Term]:
    """The state with one more block, and a pointer to it."""
    number = bv_add(state.values[pool.count], bv_const(1, NUMBER_WIDTH))
    values = dict(state.values)
    values[pool.count] = number
    for column in pool.columns:
        value = bv_const(0, column.width) if zeroed else _anything(world, column)
        values[column.instance] = store(values[column.instance], number, value)
    guard = conjunction(state.guard, slt(bv_const(0, NUMBER_WIDTH), number))
    return state.with_values(values).with_guard(guard), select(pool.addresses, number)


def _anything(world: World, column: Column) -> Term:
    """An element of which nothing is known."""
    return world.names.fresh(column.instance[1], bv_sort(column.width))


def read_block(world: World, state: SymbolicState, target: Target, size: int) -> Term | None:
    """The bytes at a place of a block; ``None`` if nothing is known of them."""
    assert target.block is not None
    pool = world.pool_at(target.block.addresses)
    tiles = None if target.offset.value is None else pool.tiles(target.offset.value, size)
    if not tiles:
        return None
    result: Term | None = None
    for column in tiles:
        element = select(state.values[column.instance], target.block.number)
        bits = element if column.leads_to is None else _followed(world, column, element)
        result = bits if result is None else concat(bits, result)
    return result


def _followed(world: World, column: Column, number: Term) -> Term:
    """The pointer that is an element of a column."""
    assert column.leads_to is not None
    pointer = _pointer_to(world, column.leads_to, number, column.distance)
    null = bv_const(0, world.pointer_width)
    return pointer if column.distance == 0 else ite(equal(number, bv_const(0, NUMBER_WIDTH)), null, pointer)


def write_block(world: World, state: SymbolicState, target: Target, value: Term, guard: Term) -> SymbolicState:
    """The state in which the bytes at a place of a block have a value if ``guard`` holds."""
    assert target.block is not None
    pool, offset, size = world.pool_at(target.block.addresses), target.offset.value, value.width // 8
    tiles = None if offset is None else pool.tiles(offset, size)
    if tiles is None or offset is None:
        return havoc_block(world, state, target, size, guard)
    required = TRUE
    for column in tiles:
        first = 8 * (column.offset - offset)
        element, holds = extract(value, first + 8 * column.size - 1, first), TRUE
        if column.leads_to is not None:
            element, holds = _number_of(world, state, column, element)
        state = _store(state, target, column, element, guard)
        required = conjunction(required, implication(guard, holds))
    return state.with_guard(conjunction(state.guard, required))


def havoc_block(world: World, state: SymbolicState, target: Target, size: int | None, guard: Term) -> SymbolicState:
    """The state after so many bytes at most (``None``: any number) were written from a place of a block on, if
    ``guard`` holds."""
    assert target.block is not None
    for column in world.pool_at(target.block.addresses).columns:
        touched = conjunction(guard, _overlaps(column, target.offset, size))
        if not touched.is_false:
            state = _store(state, target, column, _anything(world, column), touched)
    return state


def _store(state: SymbolicState, target: Target, column: Column, element: Term, guard: Term) -> SymbolicState:
    """The state in which a block has another element in a column if ``guard`` holds."""
    assert target.block is not None
    array, number = state.values[column.instance], target.block.number
    return state.with_value(column.instance, store(array, number, ite(guard, element, select(array, number))))


def _overlaps(column: Column, offset: Term, size: int | None) -> Term:
    """Whether so many bytes from an offset on (``None``: any number) share some with a column."""
    if size is None or size >= 1 << (offset.width - 1):  # to the end of every block, without wrapping around
        return slt(offset, bv_const(column.offset + column.size, offset.width))
    least = bv_const(column.offset - size + 1, offset.width)
    return ult(bv_sub(offset, least), bv_const(column.size + size - 1, offset.width))


def _number_of(world: World, state: SymbolicState, column: Column, pointer: Term) -> tuple[Term, Term]:
    """The element of a column that stands for a pointer, and what holds for it.

    A pointer of which the term tells too little leads into the pool or nowhere: nothing else is ever written there.
    """
    assert column.leads_to is not None
    zero = bv_const(0, NUMBER_WIDTH)
    number: Term | None = None
    required = TRUE
    for target in world.addresses.targets(pointer):
        if target.is_null:
            found = zero
        elif target.block is not None and _fits(column, target):
            found = target.block.number
        else:
            found = world.names.fresh(f"{column.instance[1]} to", bv_sort(NUMBER_WIDTH))
            same = equal(_pointer_to(world, column.leads_to, found, column.distance), pointer)
            holds = conjunction(same, _is_given(world, state, column.leads_to, found))
            required = conjunction(required, implication(target.guard, holds))
        number = found if number is None else ite(target.guard, found, number)
    assert number is not None
    return number, required


def _fits(column: Column, target: Target) -> bool:
    assert target.block is not None
    return target.block.addresses is column.leads_to and target.offset.value == column.distance


def _is_given(world: World, state: SymbolicState, addresses: Term, number: Term) -> Term:
    """That a number is not that of a block which is allocated later."""
    return sle(number, state.values[world.pool_at(addresses).count])


def allocated(world: World, state: SymbolicState, pointer: Term) -> Term:
    """What holds for a pointer that was read: the block that it leads to was allocated."""
    return conjunction(
        *(
            implication(target.guard, _is_given(world, state, *target.block))
            for target in world.addresses.targets(pointer)
            if target.block is not None
        )
    )
