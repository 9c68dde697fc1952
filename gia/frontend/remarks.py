"""What the user is told of a program that was read: what is no input, what is not modelled, where nothing is proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gia.cfa.arbitrary_values import arbitrary_values
from gia.cfa.expressions import variables_of
from gia.cfa.graph import Program
from gia.cfa.hiding import limits_of
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import operands_of
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.library import MODEL_PREFIX
from gia.frontend.lowering.unit import UnitLowering
from gia.frontend.models import COUNT_ARGUMENTS

_MOST_NAMES = 5
"""So many variables are named in one remark."""


def remarks_on(unit: UnitLowering, program: Program) -> Iterator[Diagnostic]:
    """All remarks on what an execution of the program may come to."""
    yield from _about_what_is_entered(unit, program)
    yield from _about_arguments(program)
    yield from _about_arbitrary_values(unit, program)
    yield from (Diagnostic(limit.edge.position, limit.text) for limit in limits_of(program))


def _about_what_is_entered(unit: UnitLowering, program: Program) -> Iterator[Diagnostic]:
    """The remarks of the lowering, but for those on functions that no execution comes to."""
    source, entered = unit.unit.source, program.derived(reachable_functions)
    extents = [unit.unit.tree.statements[node] for name, node in unit.unit.defined.items() if name not in entered]
    idle = [(source.position(start), source.position(end - 1)) for start, end in extents]
    for remark in unit.unit.diagnostics:
        place = remark.position
        if not any(first.file == place.file == last.file and first <= place <= last for first, last in idle):
            yield remark


def _about_arguments(program: Program) -> Iterator[Diagnostic]:
    """A remark on the arguments of ``main``, if it uses them."""
    main = program.functions["main"]
    parameters = set(main.parameters)
    if not parameters or COUNT_ARGUMENTS in program.functions:
        return
    used = (e for edge in main.edges for e in operands_of(edge.operation) if not parameters.isdisjoint(variables_of(e)))
    if next(used, None) is not None:
        yield Diagnostic(main.position, "the arguments of main are no inputs: tests run without any")


def _about_arbitrary_values(unit: UnitLowering, program: Program) -> Iterator[Diagnostic]:
    """A remark on the variables of each function that somebody may take for inputs, at the first use of one."""
    entered = program.derived(reachable_functions) & unit.unit.defined.keys()
    for function in program.functions.values():
        if function.name in entered and not function.name.startswith(MODEL_PREFIX):
            found = arbitrary_values(function, program.address_taken, program.types)
            names = [variable.name.partition("$")[0] for variable in function.locals if variable in found]
            if names:
                yield Diagnostic(min(edge.position for edge in found.values()), _arbitrary(list(dict.fromkeys(names))))


def _arbitrary(names: Sequence[str]) -> str:
    if not names[1:]:
        return f"{names[0]} is used before anything is assigned to it: its value is arbitrary, and no input"
    more = [f"{len(names) - _MOST_NAMES} more"] if len(names) > _MOST_NAMES else []
    *others, last = [*names[:_MOST_NAMES], *more]
    subject = f"{', '.join(others)} and {last}"
    return f"{subject} are used before anything is assigned to them: their values are arbitrary, and no inputs"
