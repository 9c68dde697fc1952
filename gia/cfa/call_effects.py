"""What a call may change: static variables, and parts of objects in memory.

Pointers lead where :mod:`gia.cfa.points_to` says that they may, whatever was executed before.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from gia.cfa.allocations import ALLOCATORS
from gia.cfa.contracts import called_below, callees_of, recursive_functions
from gia.cfa.expressions import Expression, Member, Variable, VariableReference
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.library_effects import destination, library_function, without_effect
from gia.cfa.operations import Assign, Call, Input, Unmodelled
from gia.cfa.places import ANYWHERE, ENDLESS, FORGED, OUTSIDE, Area, Place, Places
from gia.cfa.pointer_values import PointerValues, size_of
from gia.cfa.points_to import pointer_values, points_to
from gia.cfa.types import PointerType, is_scalar


class Effects(Struct, frozen=True):
    """What a call may write: ``statics`` that are scalars to which no pointer leads, and these areas of the ``memory``
    of other objects; also whether it may allocate.

    ``None`` if it may write all of them.
    """

    statics: frozenset[Variable] | None
    memory: Mapping[Place, tuple[Area, ...]] | None
    allocates: bool


ANYTHING = Effects(None, None, True)


def recursive_effects(program: Program) -> Mapping[str, Effects]:
    """The effects of each recursive function."""
    return {name: effects_of(program, program.functions[name]) for name in recursive_functions(program)}


def effects_of(program: Program, function: Function) -> Effects:
    """What a call of a function may write, judged by the operations of all that it may call."""
    collected = _Collected(program)
    below = called_below(callees_of(program), function.name)
    for name in sorted({function.name, *below}):
        for edge in program.functions[name].edges:
            if not collected.add(edge):
                return ANYTHING
    memory = None if collected.anywhere else {place: tuple(areas) for place, areas in collected.areas.items()}
    return Effects(frozenset(collected.statics), memory, collected.allocates)


class _Collected:
    """The effects of some edges."""

    def __init__(self, program: Program) -> None:
        self.statics: set[Variable] = set()
        self.areas: dict[Place, dict[Area, None]] = {}
        self.anywhere = False
        self.allocates = False
        self._program = program
        self._values: PointerValues = program.derived(pointer_values)

    def add(self, edge: Edge) -> bool:
        """Add the effects of an edge; ``False`` if it may write all there is."""
        operation = edge.operation
        match operation:
            case Assign(target=target):
                self._write(target)
            case Input(target=target):
                self._write(target)
            case Unmodelled(writes=None):
                return edge.number in self._program.derived(points_to).known_calls
            case Unmodelled(writes=tuple(written)):
                self.anywhere |= bool(written)
                for target in written:
                    self._write(target)
            case Call(target=target):
                self._write(target)
                self.allocates |= library_function(operation) in ALLOCATORS
                return operation.function in self._program.functions or self._add_library(operation)
        return True

    def _add_library(self, call: Call) -> bool:
        """Add what a function without a body writes to where its arguments lead; ``False`` if it may write all."""
        if without_effect(call) or not any(isinstance(argument.type, PointerType) for argument in call.arguments):
            return True
        behind = destination(call)
        if behind is not None:
            self._add(dict.fromkeys(self._values.value(behind, 0), ANYWHERE), None)
        return behind is not None

    def _write(self, target: Expression | None) -> None:
        if target is None:
            return
        named = target.variable if isinstance(target, VariableReference) and is_scalar(target.type) else None
        if named is not None and named not in self._program.address_taken:
            self.statics |= {named} if named.is_static else set()
            return
        places, size = self._values.lvalue(target, 0), size_of(target.type, self._program.types)
        if isinstance(target, Member) and self._program.types.field(target.struct, target.field).bit_width is not None:
            places, size = dict.fromkeys(places, ANYWHERE), None
        self._add(places, size)

    def _add(self, places: Places, size: int | None) -> None:
        for place, begin in places.items():
            self.anywhere |= place is FORGED or place is OUTSIDE
            self.areas.setdefault(place, {})[Area(begin, ENDLESS if size is None else size)] = None
