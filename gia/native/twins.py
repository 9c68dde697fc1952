"""A program compiled once for each content of memory that it has not written: no test may depend on that content.

DESIGN §9: reading an uninitialised variable gives an arbitrary value, and a test never depends on one. So a goal
counts as reached by a test only if it is reached whether variables begin as zero or as a pattern of bits. Fresh memory
of the heap is zero in one build and what the allocator leaves there in the other: mostly zero as well, so that programs
that rely on it can be tested, but not where memory is used again.
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from gia.cache import FolderCache
from gia.cfa.graph import Program
from gia.cfa.operations import Declare
from gia.native.build import InstrumentedProgram, compile_instrumented
from gia.native.execution import Uninitialised
from gia.native.instrument import ALLOCATION

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram


def has_uninitialised_memory(program: Program) -> bool:
    """Whether the program has variables or blocks of the heap that begin without a value."""
    declared = any(isinstance(edge.operation, Declare) for edge in program.edge_list)
    return declared or not ALLOCATION.isdisjoint(program.externals)


def compile_twins(
    loaded: LoadedProgram,
    directory: Path,
    *,
    watch: Collection[int] = frozenset(),
    cache: FolderCache | None = None,
) -> tuple[InstrumentedProgram, ...]:
    """As :func:`compile_instrumented`, for each content of what is not initialised; one program if there is no such."""
    contents = list(Uninitialised) if has_uninitialised_memory(loaded.program) else [Uninitialised.ZERO]

    def compiled(content: Uninitialised) -> InstrumentedProgram:
        place = directory / content.value
        place.mkdir(exist_ok=True)
        return compile_instrumented(loaded, place, watch=watch, uninitialised=content, cache=cache)

    with ThreadPoolExecutor(len(contents)) as pool:
        return tuple(pool.map(compiled, contents))
