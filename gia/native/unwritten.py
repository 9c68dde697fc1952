"""Whether a program may read memory before it has written it (DESIGN §9: that gives an arbitrary value)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from gia.cfa.definite_assignment import may_use_unassigned
from gia.cfa.graph import Function, Program
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import Call, Return
from gia.cfa.types import VOID
from gia.frontend.library import STACK_ALLOCATION
from gia.frontend.probes import LengthProbe

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram

HEAP_ALLOCATION: Final = frozenset(["malloc", "realloc", "reallocarray", "aligned_alloc", "memalign"])
"""Library functions that give memory with indeterminate content."""

ALLOCATION: Final = HEAP_ALLOCATION | STACK_ALLOCATION


def may_use_uninitialised(loaded: LoadedProgram) -> bool:
    """Whether the program may use variables, or blocks on the stack, that begin without a value, or no result.

    Those whose length is known at run time only may be used in any case.
    """
    has_blocks = not STACK_ALLOCATION.isdisjoint(loaded.program.externals)
    if has_blocks or any(isinstance(probe, LengthProbe) for probe in loaded.source.probes):
        return True
    return loaded.program.derived(_may_use_variables)


def _may_use_variables(program: Program) -> bool:
    entered = [program.functions[name] for name in program.derived(reachable_functions)]
    return _may_use_results(entered) or any(may_use_unassigned(function, program.types) for function in entered)


def _may_use_results(functions: Sequence[Function]) -> bool:
    """Whether one of them may use the result of another one that returns without a value."""
    without = {function.name for function in functions if function.type.result != VOID and _may_give_nothing(function)}
    operations = (edge.operation for function in functions for edge in function.edges)
    return any(isinstance(o, Call) and o.function in without and o.target is not None for o in operations)


def _may_give_nothing(function: Function) -> bool:
    return any(isinstance(edge.operation, Return) and edge.operation.value is None for edge in function.edges)
