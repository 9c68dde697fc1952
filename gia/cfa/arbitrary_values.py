"""Variables that are used before anything was assigned to them, whatever path leads to the use.

What they hold there is arbitrary (DESIGN §9), and no input: programs that take it for one ask for something that no
test can show. This is for people, so it tells only what is certain as far as the control flow goes; what *may* be
unassigned is the matter of :mod:`gia.cfa.definite_assignment`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gia.cfa.definite_assignment import may_use_unassigned
from gia.cfa.expressions import Storage, Variable, VariableReference, variables_of
from gia.cfa.graph import Edge, Function
from gia.cfa.operations import Assign, Call, Declare, Input, operands_of
from gia.cfa.types import TypeTable, is_scalar


def arbitrary_values(
    function: Function, address_taken: Collection[Variable], types: TypeTable
) -> Iterator[tuple[Edge, Variable]]:
    """The local numbers and pointers that are used so, each with the first such use in the order of the source."""
    if not may_use_unassigned(function, types):
        return
    for variable in function.locals:
        named = variable.storage is Storage.LOCAL and not variable.name.startswith("$")
        if named and is_scalar(variable.type) and variable not in address_taken:
            uses = (
                edge for edge in function.edges if _uses(edge, variable) and _is_arbitrary(function, edge, variable)
            )
            first = next(uses, None)
            if first is not None:
                yield first, variable


def _is_arbitrary(function: Function, use: Edge, variable: Variable) -> bool:
    """Whether every path that comes to the source of ``use`` for the first time has assigned nothing before."""
    start = (function.entry, False)
    found, pending = {start}, [start]
    while pending:
        location, is_assigned = pending.pop()
        for edge in function.leaving[location] if location != use.source else ():
            after = (edge.target, _is_assigned_after(edge, variable, is_assigned))
            if after not in found:
                found.add(after)
                pending.append(after)
    return (use.source, False) in found and (use.source, True) not in found


def _is_assigned_after(edge: Edge, variable: Variable, is_assigned: bool) -> bool:
    match edge.operation:
        case Declare(variable=declared) if declared == variable:
            return False
        case Assign(target=target) | Input(target=target) | Call(target=target) if target == VariableReference(
            variable
        ):
            return True
    return is_assigned


def _uses(edge: Edge, variable: Variable) -> bool:
    """Whether an edge evaluates a variable; to assign to it is no use of it."""
    operands = operands_of(edge.operation)
    match edge.operation:
        case Assign(target=target) | Input(target=target) | Call(target=target) if target == VariableReference(
            variable
        ):
            operands = operands[1:]
    return any(variable in variables_of(operand) for operand in operands)
