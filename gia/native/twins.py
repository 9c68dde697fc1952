"""A program compiled once for each content of memory that it has not written: no test may depend on that content.

DESIGN §9: reading an uninitialised variable gives an arbitrary value, and a test never depends on one. So a goal
counts as reached by a test only if it is reached whether variables begin as zero, as a pattern of bits, or with what
was left where they are. Fresh memory of the heap is zero in one program and what the allocator leaves there in the
others: mostly zero as well, so that programs that rely on it can be tested, but not where memory is used again.

The stack is elsewhere in the others as well: nor may a test depend on a number that is an address by chance, which with
32 bits are many (``runtime/stack.c``).
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from gia.cache import FolderCache
from gia.cfa.expressions import Dereference, walk
from gia.cfa.graph import Program
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import operands_of
from gia.native.build import InstrumentedProgram, compile_instrumented
from gia.native.execution import Uninitialised
from gia.native.support import COMPILE_SECONDS
from gia.native.unwritten import HEAP_ALLOCATION, may_use_uninitialised

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram


_GUESSED: Final = 32
"""With so many bits some numbers are addresses of the stack; with more, none is in practice."""


def _may_make_addresses(program: Program) -> bool:
    """Whether a number that the program reads may be taken for an address, and be one by chance."""
    reads_input = any(found.is_input for found in program.externals.values())
    if program.types.data_model.pointer_width > _GUESSED or not reads_input:
        return False
    entered = program.derived(reachable_functions)
    operands = (e for name in entered for edge in program.functions[name].edges for e in operands_of(edge.operation))
    return any(isinstance(part, Dereference) for operand in operands for part in walk(operand))


def compile_twins(
    loaded: LoadedProgram,
    directory: Path,
    *,
    watch: Collection[int] = frozenset(),
    cache: FolderCache | None = None,
    seconds: float = COMPILE_SECONDS,
) -> tuple[InstrumentedProgram, ...]:
    """As :func:`compile_instrumented`, for each content of what is not initialised; one program if there is no such,
    and no address that could be made of an input.

    It is compiled once for each only if the content of variables matters; the rest is chosen when it is run.
    """
    contents = list(Uninitialised) if may_use_uninitialised(loaded) else [Uninitialised.ZERO]

    def compiled(content: Uninitialised) -> InstrumentedProgram:
        place = directory / content.value
        place.mkdir(exist_ok=True)
        return compile_instrumented(loaded, place, watch=watch, uninitialised=content, cache=cache, seconds=seconds)

    with ThreadPoolExecutor(len(contents)) as pool:
        twins = tuple(pool.map(compiled, contents))
    uses_heap = not HEAP_ALLOCATION.isdisjoint(loaded.program.externals)
    if len(twins) == 1 and (uses_heap or _may_make_addresses(loaded.program)):
        return (*twins, replace(twins[0], uninitialised=Uninitialised.PATTERN))
    return twins
