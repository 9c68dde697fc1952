"""Allocated blocks of memory, and pointers, in states of which nothing else is known.

What is allocated at a place of the inlined program that no execution comes to twice is one object, whoever looks at it.
So a state at a cut point has these objects with arbitrary contents. A pointer whose places are known
(:mod:`gia.cfa.points_to`), in a variable or in memory, points into one of them or nowhere. In the frames that stand for
all calls of a recursive function, only what lasts longer than all of them is known: there are callers of which nothing
is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from gia.cfa.allocations import factors_of_size
from gia.cfa.expressions import StringLiteral, Variable, variables_of
from gia.cfa.places import Block, Blocks, Code, Place, Places
from gia.cfa.supergraph import Context, Node
from gia.cfa.types import PointerType, VoidType
from gia.smt.encoding.conversions import scalar_sort
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.layout import unit_of
from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.pool_access import any_block
from gia.smt.encoding.state import SymbolicState
from gia.smt.encoding.world import World
from gia.smt.terms import (
    TRUE,
    Term,
    array_sort,
    bool_variable,
    bv_add,
    bv_const,
    bv_mul,
    bv_sort,
    bv_variable,
    conjunction,
    disjunction,
    implication,
    ite,
    negation,
    variable,
)

ALIGNMENT: Final = 16
"""Of what ``malloc`` gives."""


def known_block(world: World, context: Context, edge: int) -> Block | None:
    """The block that an allocation gives in a frame, ``None`` if it may give several."""
    block = Block(context, edge)
    return block if block in world.points_to.blocks else None


def block_address(world: World, block: Block) -> Term:
    """The address of a block."""
    call = world.points_to.blocks[block]
    frame = ".".join(map(str, (*block.context, block.edge)))
    return world.allocated(f"{call.function}@{frame}", lambda: _constant_size(world, block), ALIGNMENT)


def _constant_size(world: World, block: Block) -> int | None:
    """The size of a block if it is a constant of the program."""
    call = world.points_to.blocks[block]
    factors, size = factors_of_size(call), 1
    if factors is None:
        return None
    for argument in factors:
        if variables_of(argument):
            return None
        value = Evaluator(world, SymbolicState(TRUE, {}, {}), ()).value(argument)
        if value.sort != scalar_sort(argument.type, world.types) or value.value is None:
            return None
        size *= value.value
    return size if size < 1 << (world.pointer_width - 1) else None


class _Begin(NamedTuple):
    """Where an object begins, and what holds if a pointer leads there."""

    address: Term
    required: Term = TRUE


class Pointers:
    """The pointers and blocks of one arbitrary state: ``alive`` are its variables, each with its frame.

    ``state`` has the pools; ``required`` collects what holds for the blocks that the pointers lead to. With
    ``lasting``, the frame is that of every call of a function (:mod:`gia.smt.encoding.summaries`); only these variables
    are known there, and what is static or in a pool.
    """

    def __init__(
        self,
        world: World,
        alive: Iterable[tuple[Variable, Context]],
        state: SymbolicState,
        lasting: Collection[Variable] | None,
    ) -> None:
        self.required: list[Term] = []
        self._world = world
        self._state = state
        self._frames = {world.facts(found).name: frame for found, frame in alive}
        self._lasting = lasting

    def value(self, pointer: Variable, node: Node, name: str) -> Term | None:
        """Any value that a pointer variable may have at a node, of variables called after ``name``; ``None`` if nothing
        is known.

        A place in a frame that has ended is none: who follows the pointer there has undefined behaviour.
        """
        places = self._places_of(pointer)
        return None if places is None else self._one_of(places, name, strays=not self._has_value(pointer, node))

    def given(self, pointer: Variable, name: str) -> Term | None:
        """Any value that a pointer variable may be given; ``None`` if nothing is known."""
        places = self._places_of(pointer)
        return None if places is None else self._one_of(places, name)

    def _places_of(self, pointer: Variable) -> Places | None:
        places = self._world.points_to.places.get(pointer) if isinstance(pointer.type, PointerType) else None
        return places if places is not None and self._are_known(places) else None

    def _are_known(self, places: Places) -> bool:
        return all(map(self._is_known, places))

    def _is_known(self, place: Place) -> bool:
        match place:
            case Blocks():
                return place in self._world.pools
            case Block():
                return self._lasting is None
            case Variable():
                return self._lasting is None or place.is_static or place in self._lasting
        return True

    def _one_of(self, places: Places, name: str, *, strays: bool = False) -> Term:
        """Any pointer to one of the places, or to none if a place is no object, or for another reason (``strays``)."""
        kept = any(isinstance(place, Variable) and place in self._world.points_to.kept for place in places)
        width = self._world.pointer_width
        found = {number: self._begin(place, f"{name} #{number}") for number, place in enumerate(places)}
        numbers = [number for number, begin in found.items() if begin is not None]
        result: Term | None = None
        chosen = {number: bool_variable(f"{name} in {number}") for number in numbers}
        if not numbers or len(numbers) < len(places) or strays or kept:
            result = bv_variable(f"{name} stray", width)
            self._world.addresses.add_stray(result)
        else:
            chosen[numbers[0]] = negation(disjunction(*(chosen[number] for number in numbers[1:])))
        for number, distance in enumerate(places.values()):
            begin = found[number]
            if begin is not None:
                steps = bv_mul(bv_variable(f"{name} +{number}", width), bv_const(distance.modulus, width))
                value = bv_add(begin.address, bv_add(steps, bv_const(distance.rest, width)))
                result = value if result is None else ite(chosen[number], value, result)
                self.required.append(implication(chosen[number], begin.required))
        assert result is not None
        return result

    def _has_value(self, pointer: Variable, node: Node) -> bool:
        """Whether the pointer was given a value in its frame before control came to where it is there."""
        if pointer.is_static:
            return True
        depth = len(self._frames[self._world.facts(pointer).name])
        context, location = node.context, node.location
        if depth < len(context):
            location = self._world.program.edge_list[context[depth]].source
        return pointer in self._world.points_to.assigned[location]

    def _begin(self, place: Place, name: str) -> _Begin | None:
        """The begin of an object, or of any block of a pool, whose number gets a name."""
        match place:
            case Blocks():
                return _Begin(*any_block(self._state, self._world.pools[place], name))
            case Block():
                return _Begin(block_address(self._world, place))
            case Code(name=function):
                return _Begin(self._world.function_address(function))
            case StringLiteral():
                return _Begin(self._world.string_address(place))
            case Variable():
                variable = self._world.facts(place).name
                if variable in self._frames:
                    return _Begin(self._world.address(place, self._frames[variable]))
        return None

    def held(self, place: Variable | Block, content: MemoryObject) -> MemoryObject:
        """An object with arbitrary contents that holds pointers to where they may lead."""
        known = self._world.points_to.held.get(place, {})
        size = self._world.pointer_width // 8
        cells = dict(content.cells)
        for start, places in known.items():
            if content.has_room(start, size) and self._are_known(places):
                cells[start] = self._one_of(places, f"{content.name}[{start}]")
        return replace(content, cells=cells)

    def blocks(self) -> Iterator[tuple[Term, MemoryObject]]:
        """Every block with arbitrary contents, at its address."""
        world = self._world
        for block in world.points_to.blocks:
            address = block_address(world, block)
            info = world.addresses.info(address)
            unit = self._unit(block)
            base = variable(info.name, array_sort(world.pointer_width, bv_sort(8 * unit))) if unit else None
            content = MemoryObject(info.name, info.size, unit, {}, base, world.pointer_width, heap=True)
            yield address, self.held(block, content)

    def _unit(self, block: Block) -> int:
        """The size of a block's elements, as far as the types of the pointers to it tell; 0 if they do not."""
        found = set()
        for pointer, places in self._world.points_to.places.items():
            assert isinstance(pointer.type, PointerType)
            if block in places and not isinstance(pointer.type.target, VoidType):
                found.add(unit_of(pointer.type.target, self._world.types))
        return min(found - {0}, default=0)


def given_pointer(world: World, state: SymbolicState, pointer: Variable, name: str) -> tuple[Term, Term] | None:
    """Any value that a pointer variable may be given in any frame, of variables called after ``name``, and what holds
    for it; ``None`` if nothing is known."""
    statics = [(initialiser.variable, ()) for initialiser in world.program.statics]
    pointers = Pointers(world, statics, state, ())
    value = pointers.given(pointer, name)
    return None if value is None else (value, conjunction(*pointers.required))
