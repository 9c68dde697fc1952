"""Variables that are used before anything was assigned to them, whatever path leads to the use.

What they hold there is arbitrary (DESIGN §9), and no input: programs that take it for one ask for something that no
test can show. This is for people, so it tells only what is certain as far as the control flow goes; what *may* be
unassigned is the matter of :mod:`gia.cfa.definite_assignment`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from gia.cfa.definite_assignment import unassigned_uses
from gia.cfa.expressions import Variable, VariableReference
from gia.cfa.graph import Edge, Function
from gia.cfa.operations import Assign, Call, Declare, Input, Unmodelled
from gia.cfa.types import TypeTable, is_scalar


def arbitrary_values(function: Function, address_taken: Set[Variable], types: TypeTable) -> Mapping[Variable, Edge]:
    """The local numbers and pointers that are used so, each with the first such use in the order of the source."""
    found: dict[Variable, Edge] = {}
    for edge, variables in unassigned_uses(function, types):
        for variable in variables - found.keys() - address_taken:
            is_named = is_scalar(variable.type) and not variable.name.startswith("$")
            if is_named and not isinstance(edge.operation, Unmodelled) and _is_arbitrary(function, edge, variable):
                found[variable] = edge
    return found


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
        case Assign(target=target) | Input(target=target) | Call(target=target):
            return is_assigned or target == VariableReference(variable)
        case Unmodelled():  # nobody knows what its code assigns
            return True
    return is_assigned
