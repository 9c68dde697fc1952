"""Which calls give memory, and whether what they give is one block or many."""

from __future__ import annotations

from gia.cfa.contracts import recursive_functions
from gia.cfa.expressions import Expression
from gia.cfa.graph import Edge, Program
from gia.cfa.library_effects import library_function
from gia.cfa.operations import Call
from gia.cfa.places import Block, Blocks
from gia.cfa.wto import Order, order

MOVING = frozenset({"realloc", "reallocarray"})
"""They give a block that holds what the one held which they are given, and free that."""
DUPLICATING = frozenset({"strdup", "strndup"})
"""They give a block that holds a text."""
ALLOCATORS = frozenset({"malloc", "calloc"}) | MOVING | DUPLICATING
"""They give memory that lives until it is freed."""
_MANY = frozenset({"alloca"})
"""What they give is not told apart."""
_MOST_BLOCKS = 4
"""How often an allocation may stand in the inlined program, each for one block of memory."""


def factors_of_size(call: Call) -> tuple[Expression, ...] | None:
    """What is multiplied to get the size of what an allocator gives; ``None`` if the call does not say it."""
    name = library_function(call)
    return None if name in DUPLICATING else call.arguments[1:] if name in MOVING else tuple(call.arguments)


class Allocations:
    """The blocks of a program. ``callable_`` are the functions that may be called in other ways than by their name."""

    def __init__(self, program: Program, callable_: frozenset[str]) -> None:
        self._program = program
        self._callable = callable_
        self._recursive = recursive_functions(program)
        self._contexts: dict[str, tuple[tuple[int, ...], ...] | None] = {}
        self._orders: dict[str, Order] = {}
        self._calls: dict[str, list[Edge]] = {}
        self._found: dict[int, tuple[Block | Blocks, ...] | None] = {}
        self.blocks: dict[Block, Call] = {}
        """Those that were asked for, with the calls that make them."""
        self.many: dict[Blocks, Call] = {}
        """Of those that live until they are freed, what a call may give more than once."""
        for edge in program.edge_list:
            if isinstance(edge.operation, Call):
                self._calls.setdefault(edge.operation.function, []).append(edge)

    def of(self, edge: Edge, call: Call) -> tuple[Block | Blocks, ...] | None:
        """What a call of a library function allocates in the frames of its function; ``None`` if it does not."""
        if edge.number not in self._found:
            self._found[edge.number] = self._allocated(edge, call)
        return self._found[edge.number]

    def _allocated(self, edge: Edge, call: Call) -> tuple[Block | Blocks, ...] | None:
        name = library_function(call)
        if name in _MANY:
            return (Blocks(edge.number),)
        if name not in ALLOCATORS:
            return None
        contexts = None if self._is_repeated(edge) else self._contexts_of(edge.reference.function)
        if contexts is None:
            many = Blocks(edge.number)
            self.many[many] = call
            return (many,)
        found = tuple(Block(context, edge.number) for context in contexts)
        self.blocks.update(dict.fromkeys(found, call))
        return found

    def _contexts_of(self, name: str) -> tuple[tuple[int, ...], ...] | None:
        """The contexts in which a function is called, each once in an execution; ``None`` if that is not so."""
        if name not in self._contexts:
            self._contexts[name] = self._all_contexts(name)
        return self._contexts[name]

    def _all_contexts(self, name: str) -> tuple[tuple[int, ...], ...] | None:
        if name in self._callable or name in self._recursive:
            return None
        if name == self._program.entry:
            return ((),)
        found: list[tuple[int, ...]] = []
        for edge in self._calls.get(name, ()):
            outer = None if self._is_repeated(edge) else self._contexts_of(edge.reference.function)
            if outer is None or len(found) + len(outer) > _MOST_BLOCKS:
                return None
            found += [(*context, edge.number) for context in outer]
        return tuple(found)

    def _is_repeated(self, edge: Edge) -> bool:
        """Whether the edge stands in a loop of its function."""
        name = edge.reference.function
        if name not in self._orders:
            self._orders[name] = order(self._program.functions[name])
        return bool(self._orders[name].nest[edge.source])
