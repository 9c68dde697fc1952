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
from typing import Final

from msgspec import Struct

from gia.cfa import heap
from gia.cfa.graph import Program
from gia.cfa.places import NOWHERE, Blocks
from gia.cfa.points_to import points_to
from gia.cfa.types import ArrayType, CType, StructType, TypeTable
from gia.smt.encoding.layout import pieces_of, size_of
from gia.smt.encoding.state import Instance
from gia.smt.terms import Sort, Term, array_sort, bv_sort, variable

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


def pools_in(program: Program) -> Mapping[Blocks, Pool]:
    """The pool of each allocation of a program that belongs to one."""
    sort = array_sort(NUMBER_WIDTH, bv_sort(program.types.data_model.pointer_width))
    of_program = program.derived(heap.heap_pools)
    addresses = {first: variable(f"&{pool.blocks.name}", sort) for first, pool in of_program.items()}
    found: dict[Blocks, Pool] = {}
    for first, pool in of_program.items():
        size = size_of(pool.element, program.types) or 1
        found[first] = Pool(addresses[first], ((), pool.count.name), size, tuple(_columns(program, pool, addresses)))
    return {site: found[first] for site, first in program.derived(points_to).pools.items()}


def _columns(program: Program, pool: heap.Pool, addresses: Mapping[Blocks, Term]) -> Iterator[Column]:
    large = list(_large_arrays(pool.element, 0, program.types))
    pieces = [p for p in pieces_of(pool.element, program.types) or [] if not any(p[0] in array for array in large)]
    held = program.derived(points_to).held.get(pool.first, {})
    for offset, size in pieces if len(pieces) <= MOST_COLUMNS else []:
        instance = ((), f"{pool.blocks.name}.{offset}")
        places = held.get(offset, {}) if 8 * size == program.types.data_model.pointer_width else {}
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
