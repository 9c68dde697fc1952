"""A program compiled once for each content of memory that it has not written: no test may depend on that content.

DESIGN §9: reading an uninitialised variable gives an arbitrary value, and a test never depends on one. So a goal
counts as reached by a test only if it is reached whether variables begin as zero or as a pattern of bits. Fresh memory
of the heap is zero in one program and what the allocator leaves there in the other: mostly zero as well, so that
programs that rely on it can be tested, but not where memory is used again.
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gia.cache import FolderCache
from gia.cfa.definite_assignment import may_use_unassigned
from gia.cfa.graph import Program
from gia.cfa.mentions import reachable_functions
from gia.native.build import InstrumentedProgram, compile_instrumented
from gia.native.execution import Uninitialised
from gia.native.instrument import HEAP_ALLOCATION, STACK_ALLOCATION
from gia.native.support import COMPILE_SECONDS

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram


def may_use_uninitialised(program: Program) -> bool:
    """Whether the program may use variables, or blocks on the stack, that begin without a value."""
    if not STACK_ALLOCATION.isdisjoint(program.externals):
        return True
    entered = program.derived(reachable_functions)
    return any(may_use_unassigned(program.functions[name], program.types) for name in entered)


def compile_twins(
    loaded: LoadedProgram,
    directory: Path,
    *,
    watch: Collection[int] = frozenset(),
    cache: FolderCache | None = None,
    seconds: float = COMPILE_SECONDS,
) -> tuple[InstrumentedProgram, ...]:
    """As :func:`compile_instrumented`, for each content of what is not initialised; one program if there is no such.

    It is compiled twice only if the content of variables matters; that of the heap is chosen when it is run.
    """
    contents = list(Uninitialised) if may_use_uninitialised(loaded.program) else [Uninitialised.ZERO]

    def compiled(content: Uninitialised) -> InstrumentedProgram:
        place = directory / content.value
        place.mkdir(exist_ok=True)
        return compile_instrumented(loaded, place, watch=watch, uninitialised=content, cache=cache, seconds=seconds)

    with ThreadPoolExecutor(len(contents)) as pool:
        twins = tuple(pool.map(compiled, contents))
    if len(twins) == 1 and not HEAP_ALLOCATION.isdisjoint(loaded.program.externals):
        return (*twins, replace(twins[0], uninitialised=Uninitialised.PATTERN))
    return twins
