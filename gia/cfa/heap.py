r"""What invariants call the blocks of a pool: ``\blocks_12[1]``, ``\blocks_12[2]`` and so on are those that were
allocated so far, ``\count_12`` is their number.

A pool (:mod:`gia.cfa.pools`) has the line of its first allocation in its names. Its blocks are numbered in the order in
which they were allocated, also after they were freed; what a number stands for that was not given yet is left open.
``!(0 < \any && \any <= \count_12) || \blocks_12[\any].key > 0`` says that all keys are positive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from gia.cfa.expressions import (
    Binary,
    Expression,
    IntegerConstant,
    Storage,
    Subscript,
    Unary,
    Variable,
    VariableReference,
)
from gia.cfa.graph import Program
from gia.cfa.places import BEGIN, Blocks
from gia.cfa.pointer_values import size_of
from gia.cfa.points_to import PointsTo, points_to
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.types import CHAR, INT, LONG_LONG, ArrayType, CType, PointerType, TypeTable


class Pool(Struct, frozen=True):
    """A pool: what its blocks are, as far as pointers to them tell, and the ghosts for them and for their number."""

    first: Blocks
    element: CType
    blocks: Variable
    count: Variable

    def block(self, number: Expression) -> Expression:
        """The block with a number."""
        return Subscript(VariableReference(self.blocks), number, self.element)

    def is_allocated(self, number: Expression) -> Expression:
        """Whether a number is that of a block."""
        begins = Binary("<", IntegerConstant(0, LONG_LONG), number, INT)
        return Binary("&&", begins, Binary("<=", number, VariableReference(self.count), INT), INT)

    def about_all(self, condition: Expression) -> Expression:
        r"""That a condition holds for each block; in it, that has the number ``\any``."""
        other = Unary("!", self.is_allocated(VariableReference(ANY_NUMBER)), INT)
        return Binary("||", other, condition, INT)


def heap_pools(program: Program) -> Mapping[Blocks, Pool]:
    """The pools of a program, by the first allocation of each.

    Blocks are the largest of what pointers to their begin point to; if none tells, characters.
    """
    known = program.derived(points_to)
    found: dict[Blocks, Pool] = {}
    names: set[str] = set()
    for first in sorted(dict.fromkeys(known.pools.values()), key=lambda site: site.edge):
        element = max(_types(known, first, program.types), key=program.types.size_of, default=CHAR)
        line = program.edge_list[first.edge].reference.line
        name = next(n for n in _names(line) if n not in names)
        names.add(name)
        blocks = Variable(rf"\blocks_{name}", ArrayType(element, None), Storage.GHOST)
        found[first] = Pool(first, element, blocks, Variable(rf"\count_{name}", LONG_LONG, Storage.GHOST))
    return found


def pool_ghosts(program: Program) -> Mapping[str, Variable]:
    """The ghosts of all pools by their names."""
    pools = program.derived(heap_pools).values()
    return {ghost.name: ghost for pool in pools for ghost in (pool.blocks, pool.count)}


def _names(line: int) -> Iterator[str]:
    yield str(line)
    number = 2
    while True:
        yield f"{line}_{number}"
        number += 1


def _types(known: PointsTo, pool: Blocks, types: TypeTable) -> Iterator[CType]:
    """The complete types of what pointers to the begin of the blocks point to."""
    for pointer, places in known.places.items():
        assert isinstance(pointer.type, PointerType)
        if places.get(pool) == BEGIN and size_of(pointer.type.target, types):
            yield pointer.type.target
