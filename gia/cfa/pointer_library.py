"""What functions of the library do to the pointers in memory by writing bytes to where an argument leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gia.cfa.allocations import DUPLICATING, MOVING
from gia.cfa.expressions import Expression, StringLiteral, Variable, without_casts
from gia.cfa.graph import Program
from gia.cfa.library_effects import COPYING, COPYING_TEXT, PRINTING_INTO, destination, library_function, limit_of
from gia.cfa.local_bounds import greatest
from gia.cfa.operations import Call
from gia.cfa.places import BEGIN, ENDLESS, NOWHERE, Block, Blocks, Distance, Place, Places
from gia.cfa.pointer_memory import PointerMemory
from gia.cfa.pointer_values import constant, size_of
from gia.cfa.types import ArrayType, IntegerType, PointerType


class LibraryWrites:
    """Writes to ``memory``; ``value`` says where an argument points, ``give_away`` lets unknown code have one."""

    def __init__(
        self,
        program: Program,
        memory: PointerMemory,
        value: Callable[[Expression, int], Places],
        give_away: Callable[[Expression, int], None],
    ) -> None:
        self._program = program
        self._memory = memory
        self._value = value
        self._give_away = give_away

    def write(self, call: Call, location: int) -> None:
        """Let a function write that has a :func:`~gia.cfa.library_effects.destination`."""
        name, written = library_function(call), destination(call)
        assert written is not None
        target = self._value(written, location)
        others = [self._value(argument, location) for argument in call.arguments[1:2]]
        limit = limit_of(call)
        known = None if limit is None else constant(limit)
        size = ENDLESS if limit is None else most_bytes(self._program, limit, location)
        if name == "memset" and known is not None and constant(call.arguments[1]) == 0:
            self._memory.clear(target, size)
        elif name in COPYING and others and known is not None:
            self._memory.copy(target, others[0], size)
        else:
            if name in COPYING | COPYING_TEXT and others:
                size = min(size, max((self._room(*place) for place in others[0].items()), default=0))
            for argument in call.arguments:
                if argument is written:
                    continue
                self._read(name, argument, location, size)
            self._memory.overwrite(target, size)

    def allocate(self, call: Call, location: int, blocks: Sequence[Block | Blocks]) -> None:
        """Let a function that gives blocks write to them."""
        name = library_function(call)
        if name in MOVING:
            self._memory.move(blocks, self._value(call.arguments[0], location))
        elif name in DUPLICATING:
            self._read(name, call.arguments[0], location, ENDLESS)
            self._memory.overwrite(dict.fromkeys(blocks, BEGIN), ENDLESS)

    def _read(self, name: str, argument: Expression, location: int, size: int) -> None:
        """Let a function read what an argument leads to, to write so many bytes elsewhere.

        Where that is a text that runs on into a pointer, nobody has that pointer then: it can be forged of the bytes,
        but so can any other.
        """
        if name not in COPYING and _is_text(without_casts(argument)):
            return
        if name in PRINTING_INTO:
            self._give_away(argument, location)
        elif isinstance(argument.type, PointerType):
            self._memory.read(self._value(argument, location), size)

    def _room(self, place: Place, distance: Distance) -> int:
        """How many bytes there are at most from a place to the end of its object."""
        behind = 0 if distance.modulus else distance.rest
        match place:
            case Variable(type=ArrayType() as type_):
                size = size_of(type_, self._program.types)
                return ENDLESS if size is None else max(size - behind, 0)
            case StringLiteral(data=data):
                return max(len(data) - behind, 0)
        return 0 if place is NOWHERE else ENDLESS


def most_bytes(program: Program, limit: Expression, location: int) -> int:
    """How many bytes a function writes at most that has got a limit at a location."""
    most = greatest(program, limit, location)
    return ENDLESS if most is None else min(most, ENDLESS)


def _is_text(argument: Expression) -> bool:
    """Whether a pointer is made for characters."""
    type_ = argument.type.target if isinstance(argument.type, PointerType) else None
    return isinstance(type_, IntegerType) and type_.width == 8
