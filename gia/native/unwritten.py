"""Whether a program may read memory before it has written it (DESIGN §9: that gives an arbitrary value)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gia.cfa.definite_assignment import may_use_unassigned
from gia.cfa.graph import Program
from gia.cfa.mentions import reachable_functions
from gia.frontend.library import STACK_ALLOCATION
from gia.frontend.probes import LengthProbe

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram

HEAP_ALLOCATION: Final = frozenset(["malloc", "realloc", "reallocarray", "aligned_alloc", "memalign"])
"""Library functions that give memory with indeterminate content."""

ALLOCATION: Final = HEAP_ALLOCATION | STACK_ALLOCATION


def may_use_uninitialised(loaded: LoadedProgram) -> bool:
    """Whether the program may use variables, or blocks on the stack, that begin without a value.

    Those whose length is known at run time only may be used in any case.
    """
    has_blocks = not STACK_ALLOCATION.isdisjoint(loaded.program.externals)
    if has_blocks or any(isinstance(probe, LengthProbe) for probe in loaded.source.probes):
        return True
    return loaded.program.derived(_may_use_variables)


def _may_use_variables(program: Program) -> bool:
    entered = program.derived(reachable_functions)
    return any(may_use_unassigned(program.functions[name], program.types) for name in entered)
