"""Whether a function may use a local variable to which it has not assigned anything.

Source: the data-flow analysis of *definite assignment* (The Java Language Specification, chapter 16), here as its
complement: what is unassigned on some path. An over-approximation: paths that no execution takes count, elements of
arrays and members of structs are never taken as assigned (a struct is when it is assigned as a whole), and whoever
takes the address of a variable uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gia.cfa.expressions import Expression, LValue, Member, Storage, Subscript, Variable, VariableReference, walk
from gia.cfa.graph import Edge, Function
from gia.cfa.operations import Assign, Call, Declare, Input, Operation, Unmodelled, operands_of


def may_use_unassigned(function: Function) -> bool:
    """Whether some path of the function uses a local variable that it has not assigned."""
    local = (variable for variable in function.locals if variable.storage is Storage.LOCAL)
    bits = {variable: 1 << number for number, variable in enumerate(dict.fromkeys(local))}
    if not bits:
        return False
    unassigned = _unassigned(function, bits)
    return any(_uses(edge, unassigned[edge.source], bits) for edge in function.edges if edge.source in unassigned)


def _unassigned(function: Function, bits: Mapping[Variable, int]) -> Mapping[int, int]:
    """The variables (as bits) that may be unassigned at each location to which a path leads."""
    found = {function.entry: sum(bits.values())}  # a jump may lead past a declaration
    pending = [function.entry]
    while pending:
        location = pending.pop()
        for edge in function.leaving[location]:
            after = _after(edge.operation, found[location], bits)
            before = found.get(edge.target)
            if before is None or after & ~before:
                found[edge.target] = after | (before or 0)
                pending.append(edge.target)
    return found


def _after(operation: Operation, unassigned: int, bits: Mapping[Variable, int]) -> int:
    """What is unassigned after an operation."""
    match operation:
        case Declare(variable=variable):
            return unassigned | bits.get(variable, 0)
        case (
            Assign(target=VariableReference(variable=variable))
            | Input(target=VariableReference(variable=variable))
            | Call(target=VariableReference(variable=variable))
        ):
            return unassigned & ~bits.get(variable, 0)
    return unassigned


def _uses(edge: Edge, unassigned: int, bits: Mapping[Variable, int]) -> bool:
    """Whether an edge uses one of the variables that are unassigned before it."""
    if not unassigned:
        return False
    match edge.operation:
        case Unmodelled():  # its code may use any of them
            return True
        case Assign(target=target) | Input(target=target) | Call(target=target) if target is not None:
            used = [*operands_of(edge.operation)[1:], *_operands_of_target(target)]
        case operation:
            used = list(operands_of(operation))
    mentioned = (part for expression in used for part in walk(expression) if isinstance(part, VariableReference))
    return any(unassigned & bits.get(reference.variable, 0) for reference in mentioned)


def _operands_of_target(target: LValue) -> Iterator[Expression]:
    """What is evaluated to find the place that is written, without the variable whose part it is."""
    place: Expression = target
    while isinstance(place, Member | Subscript):
        if isinstance(place, Subscript):
            yield place.index
        place = place.base if isinstance(place, Member) else place.array
    if not isinstance(place, VariableReference):
        yield place
