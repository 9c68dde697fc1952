"""Pools of blocks on the heap in one state: what an allocation gives that an execution may come to many times.

The blocks of a pool (:mod:`gia.cfa.pools`) are numbered in the order in which they are allocated, from 1; numbers are
never used again. Each scalar of a block, a *column*, is an array over these numbers (R. M. Burstall, *Some techniques
for proving correctness of programs which alter data structures*, Machine Intelligence 7, 1972). A column of pointers
into a pool holds numbers as well: 0 stands for a null pointer, a negative number for one that leads nowhere else, such
as one that has no value yet. What the blocks' addresses are is left open: an array from numbers to addresses.

States have the columns and the numbers of blocks allocated so far among their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from gia.cfa import heap
from gia.cfa.places import NOWHERE, Blocks
from gia.cfa.types import ArrayType, CType, StructType, TypeTable
from gia.smt.encoding.pointers import Target
from gia.smt.encoding.state import Instance, SymbolicState
from gia.smt.terms import (
    TRUE,
    Sort,
    Term,
    array_sort,
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

if TYPE_CHECKING:
    from gia.smt.encoding.world import World

NUMBER_WIDTH: Final = 64
"""The bits of the number of a block."""
MOST_COLUMNS: Final = 64
"""Of blocks of more scalars nothing is known."""
MOST_ELEMENTS: Final = 8
"""Arrays of more elements are no columns: nothing is known of what they hold."""


class Column(Struct, frozen=True):
    """A scalar of ``size`` bytes at an ``offset`` of every block of a pool.

    ``leads_to``: if each pointer there leads nowhere or into the pool with these addresses, ``distance`` bytes from a
    block's begin; the column then holds the numbers of blocks.
    """

    offset: int
    size: int
    instance: Instance
    leads_to: Term | None = None
    distance: int = 0

    @property
    def width(self) -> int:
        """The bits of an element."""
        return 8 * self.size if self.leads_to is None else NUMBER_WIDTH

    @property
    def sort(self) -> Sort:
        """The array that the column is."""
        return array_sort(NUMBER_WIDTH, bv_sort(self.width))


class Pool(Struct, frozen=True):
    """A pool: ``addresses`` is the array of the addresses of its blocks, ``count`` says how many there are so far.

    ``size``: the bytes of what pointers to the begin of a block point to.
    """

    addresses: Term
    count: Instance
    size: int
    columns: tuple[Column, ...]

    def overlapping(self, offset: int, size: int) -> list[Column]:
        """The columns that share bytes with a range, by their offsets."""
        return [c for c in self.columns if c.offset < offset + size and offset < c.offset + c.size]

    def tiles(self, offset: int, size: int) -> list[Column] | None:
        """The columns that make up a range; ``None`` if others do, too, or some bytes are in none."""
        found = self.overlapping(offset, size)
        ends = [offset, *(c.offset + c.size for c in found)]
        starts = [*(c.offset for c in found), offset + size]
        return found if ends == starts else None

    def pieces(self, offset: int, size: int) -> list[tuple[int, int]]:
        """Pairs ``(offset, size)`` that tile a range: the columns that lie in it, and single bytes between them."""
        found: list[tuple[int, int]] = []
        place = offset
        for column in self.overlapping(offset, size):
            if column.offset >= place and column.offset + column.size <= offset + size:
                found += [(byte, 1) for byte in range(place, column.offset)]
                found.append((column.offset, column.size))
                place = column.offset + column.size
        return [*found, *((byte, 1) for byte in range(place, offset + size))]

    def content(self) -> Iterator[tuple[Instance, Sort]]:
        """What a state has of the pool: instances and their sorts."""
        yield self.count, bv_sort(NUMBER_WIDTH)
        yield from ((column.instance, column.sort) for column in self.columns)


def pools_in(world: World) -> Mapping[Blocks, Pool]:
    """The pool of each allocation that belongs to one."""
    sort = array_sort(NUMBER_WIDTH, bv_sort(world.pointer_width))
    of_program = world.program.derived(heap.heap_pools)
    addresses = {first: variable(f"&{pool.blocks.name}", sort) for first, pool in of_program.items()}
    found: dict[Blocks, Pool] = {}
    for first, pool in of_program.items():
        columns = tuple(_columns(world, pool, addresses))
        size = world.layout(pool.element).size or 0
        found[first] = Pool(addresses[first], ((), pool.count.name), size, columns)
        world.addresses.add_pool(addresses[first])
    return {site: found[first] for site, first in world.points_to.pools.items() if first in found}


def _columns(world: World, pool: heap.Pool, addresses: Mapping[Blocks, Term]) -> Iterator[Column]:
    large = list(_large_arrays(pool.element, 0, world.types))
    pieces = [p for p in world.layout(pool.element).pieces or [] if not any(p[0] in array for array in large)]
    held = world.points_to.held.get(pool.first, {})
    for offset, size in pieces if len(pieces) <= MOST_COLUMNS else []:
        instance = ((), f"{pool.blocks.name}.{offset}")
        places = held.get(offset, {}) if 8 * size == world.pointer_width else {}
        match [(place, distance) for place, distance in places.items() if place is not NOWHERE]:
            case [(Blocks() as other, distance)] if other in addresses and not distance.modulus:
                yield Column(offset, size, instance, addresses[other], distance.rest)
            case _:
                yield Column(offset, size, instance)


def _large_arrays(type_: CType, begin: int, types: TypeTable) -> Iterator[range]:
    """The bytes of the arrays in a type that have more than :data:`MOST_ELEMENTS`."""
    match type_:
        case ArrayType(element=element, length=int() as length) if length > MOST_ELEMENTS:
            yield range(begin, begin + length * types.size_of(element))
        case ArrayType(element=element, length=int() as length):
            for number in range(length):
                yield from _large_arrays(element, begin + number * types.size_of(element), types)
        case StructType(tag=tag) if tag in types.layouts:
            for field in types.layouts[tag].fields:
                yield from _large_arrays(field.type, begin + field.offset, types)


# ---- states


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
    pool, size = world.pool_at(target.block.addresses), value.width // 8
    offset = target.offset.value
    tiles = None if offset is None else pool.tiles(offset, size)
    values = dict(state.values)
    required = TRUE
    written = pool.columns if offset is None else pool.overlapping(offset, size)
    for column in written:
        array = values[column.instance]
        element, holds = _anything(world, column), TRUE
        if tiles is not None and offset is not None:
            first = 8 * (column.offset - offset)
            element = extract(value, first + 8 * column.size - 1, first)
            if column.leads_to is not None:
                element, holds = _number_of(world, state, column, element)
        touched = guard if offset is not None else conjunction(guard, _overlaps(column, target.offset, size))
        old = select(array, target.block.number)
        values[column.instance] = store(array, target.block.number, ite(touched, element, old))
        required = conjunction(required, implication(guard, holds))
    return state.with_values(values).with_guard(conjunction(state.guard, required))


def havoc_block(world: World, state: SymbolicState, target: Target, size: int | None) -> SymbolicState:
    """The state after so many bytes at most (``None``: any number) were written from a place of a block on."""
    assert target.block is not None
    pool, begin = world.pool_at(target.block.addresses), target.offset.value
    columns = pool.columns
    if begin is not None:
        columns = tuple(c for c in columns if begin < c.offset + c.size and (size is None or c.offset < begin + size))
    values = dict(state.values)
    for column in columns:
        array, number = values[column.instance], target.block.number
        element = ite(target.guard, _anything(world, column), select(array, number))
        values[column.instance] = store(array, number, element)
    return state.with_values(values)


def _overlaps(column: Column, offset: Term, size: int) -> Term:
    """Whether so many bytes from an offset on share some with a column."""
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
