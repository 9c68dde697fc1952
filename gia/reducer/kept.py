"""Functions that a reducer leaves as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gia.cfa.expressions import Expression, FunctionReference, walk
from gia.cfa.graph import Program
from gia.cfa.operations import Call, Operation, Unmodelled, operands_of


def kept_functions(program: Program, error_functions: Collection[str]) -> frozenset[str]:
    """The functions that must stay as they are, by name: those that something may call by address, the error
    functions (tools know them by name), and what they call."""
    pending = [*mentioned_by_statics(program), *error_functions]
    for edge in program.edges():
        pending += _addressed(operands_of(edge.operation))
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name in program.functions and name not in found:
            found.add(name)
            pending += [called for edge in program.functions[name].edges for called in mentioned_by(edge.operation)]
    return frozenset(found)


def _addressed(expressions: Iterable[Expression]) -> list[str]:
    """The functions whose address the expressions mention."""
    parts = (part for expression in expressions for part in walk(expression))
    return [part.name for part in parts if isinstance(part, FunctionReference)]


def mentioned_by_statics(program: Program) -> list[str]:
    """The functions whose address a static object holds."""
    values = (value for initialiser in program.statics for _, value in initialiser.assignments)
    return _addressed(values)


def mentioned_by(operation: Operation) -> list[str]:
    """The functions that an operation calls or whose address it mentions."""
    called = [operation.function] if isinstance(operation, Call) else []
    return called + _addressed(operands_of(operation))


def is_unfollowable(program: Program) -> bool:
    """Whether code may run in an order that no graph of calls shows (threads, ``longjmp``)."""
    if program.hidden is not None:
        return True
    for edge in program.edge_list:
        operation = edge.operation
        if isinstance(operation, Call) and "longjmp" in operation.function:
            return True
        if isinstance(operation, Unmodelled) and "jmp" in operation.code:
            return True
    return False
