"""What an encoder knows besides the state: the program, its objects' addresses, fresh names, what was approximated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property

from msgspec import Struct

from gia.cfa.contracts import Contracts, contracts_of, lasting_variables
from gia.cfa.expressions import StringLiteral, Variable
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.heap import heap_pools
from gia.cfa.operations import Call
from gia.cfa.places import Blocks
from gia.cfa.points_to import PointsTo, points_to
from gia.cfa.supergraph import Context
from gia.cfa.types import ArrayType, CType, StructType
from gia.errors import Position
from gia.smt.encoding.conversions import Names, scalar_sort
from gia.smt.encoding.layout import ObjectLayout, layout_of, unit_of
from gia.smt.encoding.memory import SMALL, MemoryObject
from gia.smt.encoding.pointers import AddressTable, ObjectInfo
from gia.smt.encoding.pools import Pool, pools_in
from gia.smt.encoding.state import Instance
from gia.smt.terms import (
    Sort,
    Term,
    array_sort,
    bv_and,
    bv_const,
    bv_sort,
    bv_variable,
    const_array,
    distinct,
    equal,
    select,
    ule,
    variable,
)

_EAGER = 64
"""Objects of at most so many scalars get a variable for each when their contents are arbitrary, but for arrays that are
not small: an index that is not known would make them one array of all these."""


_SHARING = 32
"""Smaller variables have places of their own (gcc without optimisation)."""
_FREEING = frozenset(
    {"free", "cfree", "realloc", "reallocarray", "getline", "getdelim", "__builtin_free", "__builtin_realloc"}
)


class Mode(StrEnum):
    """What an encoder does where it cannot be exact."""

    OVER = "over"
    """The formula has a model for every execution; what is undefined or not modelled may be anything."""
    UNDER = "under"
    """For models that a test will confirm: executions with undefined behaviour are left out."""


class Imprecision(Struct, frozen=True, order=True):
    """A place where a formula says less than the program: because of ``reason``.

    ``by_state``: only since the state from which the encoder came there said too little; the construct is modelled.
    """

    position: Position
    reason: str
    by_state: bool = False


class VariableFacts(Struct, frozen=True):
    """What the encoding of a variable depends on: ``name`` is qualified, ``sort`` ``None`` for memory objects."""

    variable: Variable
    name: str
    static: bool
    sort: Sort | None


def library_instance(name: str) -> Instance:
    """What stands for an object that no variable of the program names."""
    return ((), f" {name}")


class World:
    """The part of an encoder that grows while it works, and that states refer to."""

    def __init__(self, program: Program, mode: Mode, *, with_pools: bool = False) -> None:
        self.program = program
        self._with_pools = with_pools
        self.types = program.types
        self.mode = mode
        self.names = Names()
        self.addresses = AddressTable()
        self.pointer_width = program.types.data_model.pointer_width
        self.literals: dict[Term, MemoryObject] = {}
        self._facts: dict[int, VariableFacts] = {}
        self._layouts: dict[int, ObjectLayout] = {}
        self._addresses_of: dict[Instance, Term] = {}
        self._frames: dict[str, tuple[str, ...]] = {}
        self._strings: dict[tuple[bytes, CType, str], Term] = {}
        self._imprecisions: dict[Imprecision, None] = {}
        self._axioms: list[Term] = []
        self.frees = not _FREEING.isdisjoint(program.externals)

    @cached_property
    def contracts(self) -> Contracts:
        """The functions that may be looked at once for all calls."""
        return self.program.derived(contracts_of)

    def lasting(self, function: Function) -> Mapping[Variable, Context]:
        """The local variables of others that all frames of a recursive function know, with their contexts."""
        return self.program.derived(lasting_variables)[function.name]

    @cached_property
    def points_to(self) -> PointsTo:
        """Where pointer variables may point, whatever was executed before."""
        return self.program.derived(points_to)

    @cached_property
    def pools(self) -> Mapping[Blocks, Pool]:
        """The pools of the allocations whose blocks are not told apart; none if the world is to have none."""
        found = pools_in(self.program) if self._with_pools else {}
        for pool in found.values():
            self.addresses.add_pool(pool.addresses)
        return found

    @cached_property
    def all_pools(self) -> tuple[Pool, ...]:
        """Each pool once."""
        return tuple({pool.addresses: pool for pool in self.pools.values()}.values())

    @cached_property
    def of_pools(self) -> frozenset[Instance]:
        """What the values of a state have for pools, not for variables."""
        return frozenset(instance for pool in self.all_pools for instance, _ in pool.content())

    def block_address(self, blocks: Variable, number: Term) -> Term:
        """The address of the block with a number; ``blocks`` is the ghost for those of a pool."""
        first = next(pool.first for pool in self.program.derived(heap_pools).values() if pool.blocks == blocks)
        return select(self.pools[first].addresses, number)

    def pool_at(self, addresses: Term) -> Pool:
        """The pool with these addresses of blocks."""
        return next(pool for pool in self.all_pools if pool.addresses is addresses)

    @property
    def imprecisions(self) -> tuple[Imprecision, ...]:
        """What was approximated so far, in the order of the source."""
        return tuple(sorted(self._imprecisions))

    def imprecise(self, edge: Edge | None, reason: str, *, by_state: bool = False) -> None:
        """Record that something was approximated."""
        position = edge.position if edge else Position(self.program.main_file)
        self._imprecisions[Imprecision(position, reason, by_state)] = None

    def facts(self, variable: Variable) -> VariableFacts:
        """The facts about a variable; looked up by identity, because hashing a variable visits its whole type."""
        found = self._facts.get(id(variable))
        if found is None:
            name = variable.name if variable.function is None else f"{variable.function}::{variable.name}"
            memory = isinstance(variable.type, ArrayType | StructType) or variable in self.program.address_taken
            sort = None if memory else scalar_sort(variable.type, self.types)
            found = self._facts[id(variable)] = VariableFacts(variable, name, variable.is_static, sort)
        return found

    def instance(self, variable: Variable, context: Context) -> Instance:
        """The instance of a variable that code in ``context`` means by it.

        A variable of another function than the innermost frame's is that of the next frame outwards which has it.
        """
        facts = self.facts(variable)
        if facts.static:
            return ((), facts.name)
        while context and self._called(context) != variable.function:
            context = context[:-1]
        return (context, facts.name)

    def _called(self, context: Context) -> str:
        """The function of the innermost frame of a context other than ``()``."""
        call = self.program.edge_list[context[-1]].operation
        assert isinstance(call, Call)
        return call.function

    def frame_instances(self, function: Function, context: Context) -> list[Instance]:
        """All variables that live in a frame."""
        names = self._frames.get(function.name)
        if names is None:
            local = [self.facts(variable) for variable in (*function.parameters, *function.locals)]
            names = self._frames[function.name] = tuple(facts.name for facts in local if not facts.static)
        return [(context, name) for name in names]

    def address(self, variable: Variable, context: Context) -> Term:
        """The address of a variable that is a memory object."""
        instance = self.instance(variable, context)
        found = self._addresses_of.get(instance)
        if found is None:
            frame = ".".join(map(str, instance[0]))
            name = f"{instance[1]}@{frame}" if frame else instance[1]
            size, alignment = self.layout(variable.type).size, self._alignment(variable.type)
            lasting = None if self.facts(variable).static else instance[0]
            found = self.new_object(name, size, alignment, variable.type, frame=lasting)
            self._addresses_of[instance] = found
        return found

    def known_address(self, instance: Instance) -> Term | None:
        """The address of a variable's instance if anything has asked for it before."""
        return self._addresses_of.get(instance)

    def _alignment(self, type_: CType) -> int:
        try:
            return self.types.align_of(type_)
        except ValueError:
            return 1

    def new_object(
        self,
        name: str,
        size: int | None,
        alignment: int,
        type_: CType | None = None,
        *,
        frame: Context | None = None,
        heap: bool = False,
    ) -> Term:
        """The address of a new object; the rest is as :class:`~gia.smt.encoding.pointers.ObjectInfo` says."""
        address = bv_variable(f"&{name}", self.pointer_width)
        self.addresses.add(address, ObjectInfo(name, size, alignment, type_, frame, heap))
        zero = bv_const(0, self.pointer_width)
        self._axioms.append(distinct(address, zero))
        if alignment > 1:
            self._axioms.append(equal(bv_and(address, bv_const(alignment - 1, self.pointer_width)), zero))
        if size:
            self._axioms.append(ule(address, bv_const(-size - 1, self.pointer_width)))
        return address

    def allocated(self, name: str, size: Callable[[], int | None], alignment: int) -> Term:
        """The address of the block on the heap that has a name; the first time it is asked for, it is new."""
        instance = library_instance(name)
        found = self._addresses_of.get(instance)
        if found is None:
            found = self._addresses_of[instance] = self.new_object(name, size(), alignment, heap=True)
        return found

    def may_follow(self, first: Term, second: Term) -> bool:
        """Whether of two objects (by their addresses) one may lie where the other one was when that has ended.

        A pointer to the former object may then be equal to one to the latter: frames are stacked, freed blocks are
        used again, and large variables of different blocks of a function may share their place.
        """
        one, other = self.addresses.info(first), self.addresses.info(second)
        if one.heap and other.heap:
            return self.frees
        if one.frame is None or other.frame is None:
            return False
        if one.frame == other.frame:
            return all(info.size is None or info.size >= _SHARING for info in (one, other))
        shorter, longer = sorted((one.frame, other.frame), key=len)
        return longer[: len(shorter)] != shorter

    @property
    def axioms(self) -> tuple[Term, ...]:
        """What holds for the addresses in every execution: not null, aligned, inside the address space."""
        return tuple(self._axioms)

    def function_address(self, name: str) -> Term:
        """The address of a function."""
        instance = ((), f"{name}()")
        found = self._addresses_of.get(instance)
        if found is None:
            found = self._addresses_of[instance] = self.new_object(f"{name}()", 1, 1)
        return found

    def is_function(self, address: Term) -> bool:
        """Whether an address is that of a function."""
        return self.addresses.info(address).name.endswith("()")

    def string_address(self, literal: StringLiteral) -> Term:
        """The address of a string literal; equal literals share it."""
        key = (literal.data, literal.type, literal.owner)
        found = self._strings.get(key)
        if found is None:
            name = f"string{len(self._strings)}"
            unit = unit_of(literal.type, self.types) or 1
            found = self._strings[key] = self.new_object(name, len(literal.data), unit)
            cells = {
                place: bv_const(int.from_bytes(literal.data[place : place + unit], "little"), 8 * unit)
                for place in range(0, len(literal.data), unit)
            }
            zero = const_array(self.pointer_width, bv_const(0, 8 * unit))
            self.literals[found] = MemoryObject(name, len(literal.data), unit, cells, zero, self.pointer_width)
        return found

    def library_object(self, name: str, size: int, make: Callable[[int], MemoryObject]) -> Term:
        """The address of a constant object of the library; ``make`` gives its contents for a width of pointers."""
        instance = library_instance(name)
        found = self._addresses_of.get(instance)
        if found is None:
            found = self._addresses_of[instance] = self.new_object(name, size, 8)
            self.literals[found] = make(self.pointer_width)
        return found

    def library_variable(self, name: str, type_: CType) -> Term:
        """The address of a variable of the library, which holds anything where a state says nothing about it."""
        instance = library_instance(name)
        found = self._addresses_of.get(instance)
        if found is None:
            size = self.layout(type_).size
            found = self._addresses_of[instance] = self.new_object(name, size, self._alignment(type_), type_)
        return found

    def layout(self, type_: CType) -> ObjectLayout:
        """The layout of a type; looked up by identity, because hashing a type visits all of it."""
        found = self._layouts.get(id(type_))
        if found is None:
            found = self._layouts[id(type_)] = layout_of(type_, self.types)
        return found

    def zeroed(self, name: str, type_: CType) -> MemoryObject:
        """An object of a type that holds zeros."""
        layout = self.layout(type_)
        unit = layout.unit or 1
        base = const_array(self.pointer_width, bv_const(0, 8 * unit))
        return MemoryObject(name, layout.size, unit, {}, base, self.pointer_width)

    def arbitrary(self, name: str, type_: CType) -> MemoryObject:
        """An object of a type with contents that the variables called after ``name`` stand for."""
        layout = self.layout(type_)
        unit = layout.unit or 1
        base = variable(name, array_sort(self.pointer_width, bv_sort(8 * unit)))
        cells: dict[int, Term] = {}
        most = SMALL if isinstance(type_, ArrayType) else _EAGER
        if layout.pieces is not None and len(layout.pieces) <= most:
            cells = {offset: bv_variable(f"{name}[{offset}]", 8 * size) for offset, size in layout.pieces}
        return MemoryObject(name, layout.size, unit, cells, base, self.pointer_width)

    def undeclared(self, address: Term) -> MemoryObject | None:
        """What a variable holds before its declaration: anything. ``None`` if no variable is at this address."""
        info = self.addresses.info(address)
        if info.type is None:
            return None
        return self.arbitrary(self.names.fresh(info.name, bv_sort(1)).name, info.type)

    def havocked(self, content: MemoryObject) -> MemoryObject:
        """The object with other, arbitrary contents; a small one keeps its division into cells."""
        name = self.names.fresh(f"havoc {content.name}", bv_sort(1)).name
        base = None
        if content.unit:
            base = variable(name, array_sort(self.pointer_width, bv_sort(8 * content.unit)))
        cells: dict[int, Term] = {}
        if len(content.cells) <= _EAGER:
            cells = {place: bv_variable(f"{name}[{place}]", cell.width) for place, cell in content.cells.items()}
        return MemoryObject(name, content.size, content.unit, cells, base, self.pointer_width, heap=content.heap)

    def scrambled(self, content: MemoryObject, offset: Term, size: int | None) -> MemoryObject:
        """The object with arbitrary contents from an offset on, so many bytes of it at most (``None``: any number).

        What lies elsewhere stays only where it is in cells of their own.
        """
        begin, end = offset.value, content.size
        if begin is None or end is None or not 0 <= begin <= end:
            return self.havocked(content)
        if size is not None:
            end = min(end, begin + size)
        if end - begin > _EAGER or all(begin <= place < end for place in content.cells):
            return self.havocked(content)
        for place, length in content.pieces(begin, end - begin):
            byte = self.names.fresh(content.name, bv_sort(8 * length))
            content = content.write(bv_const(place, self.pointer_width), byte)
        return content
