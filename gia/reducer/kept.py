"""Functions that a reducer leaves as they are."""

from __future__ import annotations

from collections.abc import Collection

from gia.cfa.graph import Program
from gia.cfa.hiding import hidden
from gia.cfa.mentions import addressed_by, mentioned_by, mentioned_by_statics
from gia.cfa.operations import Call, Unmodelled, operands_of


def kept_functions(program: Program, error_functions: Collection[str]) -> frozenset[str]:
    """The functions that must stay as they are, by name: those that something may call by address, the error
    functions (tools know them by name), and what they call."""
    pending = [*mentioned_by_statics(program), *error_functions]
    for edge in program.edges():
        pending += addressed_by(operands_of(edge.operation))
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name in program.functions and name not in found:
            found.add(name)
            pending += [called for edge in program.functions[name].edges for called in mentioned_by(edge.operation)]
    return frozenset(found)


def is_unfollowable(program: Program) -> bool:
    """Whether code may run in an order that no graph of calls shows (threads, ``longjmp``)."""
    if hidden(program) is not None:
        return True
    for edge in program.edge_list:
        operation = edge.operation
        if isinstance(operation, Call) and "longjmp" in operation.function:
            return True
        if isinstance(operation, Unmodelled) and "jmp" in operation.code:
            return True
    return False
