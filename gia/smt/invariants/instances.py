"""The numbers for which a quantified condition is looked at: the elements of arrays that a block deals with.

A condition about every number (:mod:`gia.cfa.quantified`) is proven for one of which nothing is known, and used for
that one and for the indices at which the block reads and writes arrays. So no solver has to know of quantifiers: what
is left out of a known condition only makes it weaker. Source: A. R. Bradley, Z. Manna & H. B. Sipma, *What's decidable
about arrays?*, VMCAI 2006, section 3 (instances at the indices of reads are enough for a fragment of such conditions).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from gia.cfa.quantified import ANY
from gia.smt.encoding.state import SymbolicState
from gia.smt.invariants.blocks import Block
from gia.smt.terms import Kind, Term, bv_const, bv_variable, postorder, resize

WIDTH: Final = 64
"""The bits of a number."""
NUMBER: Final = bv_variable(ANY, WIDTH)
"""A number of which nothing is known."""
_MOST_CONSTANTS: Final = 4
MOST_INDICES: Final = 24
"""A condition is not used for more indices than that."""


def with_number(state: SymbolicState, number: Term) -> SymbolicState:
    r"""The state in which ``\\any`` is a number."""
    return state.with_value(((), ANY), number)


def indices_of(blocks: Sequence[Block[Any]]) -> tuple[Term, ...]:
    """The indices at which blocks read and write arrays; small arrays are made of elements, not of one term.

    If these are structures, their indices are among the smaller numbers, which come last.
    """
    found = dict.fromkeys(indices_in(root for block in blocks for root in _roots(block)))
    largest = 0
    for block in blocks:
        used = {child for part in postorder(_roots(block)) for child in part.children}
        cells = (item for content in block.initial.objects.values() for item in content.cells.items())
        numbers = tuple(_of_cells((offset, cell) for offset, cell in cells if cell in used))
        found.update(dict.fromkeys(bv_const(number, WIDTH) for number in numbers))
        largest = max((largest, *numbers))
    found.update(dict.fromkeys(bv_const(number, WIDTH) for number in range(min(largest, MOST_INDICES))))
    return tuple(found)[:MOST_INDICES]


def indices_in(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The indices at which terms read and write arrays, as numbers."""
    found: dict[Term, None] = {}
    for part in postorder(terms):
        if part.kind in (Kind.SELECT, Kind.STORE):
            found.update(dict.fromkeys(_numbers(part.children[1])))
    return tuple(found)[:MOST_INDICES]


def written_indices(state: SymbolicState) -> tuple[Term, ...]:
    """The indices at which the objects of a state were written, as numbers; of those that are constants, the first."""
    bases = (content.base for content in state.objects.values() if content.base is not None)
    found: dict[Term, None] = {}
    for part in postorder(bases):
        if part.kind is Kind.STORE:
            found.update(dict.fromkeys(_numbers(part.children[1])))
    cells = ((offset, cell) for content in state.objects.values() for offset, cell in sorted(content.cells.items()))
    found.update(dict.fromkeys(bv_const(number, WIDTH) for number in islice(_of_cells(cells), _MOST_CONSTANTS)))
    return tuple(found)[:MOST_INDICES]


def _of_cells(cells: Iterable[tuple[int, Term]]) -> Iterator[int]:
    """The numbers of elements, if they are as large as a cell, of which the offsets are known."""
    yield from dict.fromkeys(offset * 8 // cell.width for offset, cell in cells)


def _numbers(index: Term) -> Iterator[Term]:
    """The likely numbers that an index is made of: those of which it has the low bits, or a multiple."""
    inner = index.children[0] if index.kind is Kind.EXTRACT and index.data == (index.width - 1, 0) else index
    yield from dict.fromkeys((resize(inner, WIDTH, True), resize(inner, WIDTH, False)))
    if inner.kind is Kind.BV_ADD and inner.children[-1].value is not None:
        inner = inner.children[0]
    if inner.kind is Kind.BV_MUL and inner.children[1].value is not None:
        yield from _numbers(inner.children[0])


def _roots(block: Block[Any]) -> Iterator[Term]:
    """The terms of a block: what it decides on, and what holds at its exits."""
    yield from block.guards.values()
    for state in (*block.exits.values(), *(use.end for use in block.uses)):
        yield state.guard
        yield from state.values.values()
        for content in state.objects.values():
            yield from content.cells.values()
            if content.base is not None:
                yield content.base
