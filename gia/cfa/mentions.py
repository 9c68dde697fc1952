"""Functions by what mentions them: calls, addresses, and code that the CFA cannot express."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gia.cfa.expressions import Expression, FunctionReference, walk
from gia.cfa.operations import Call, Operation, Unmodelled, operands_of

if TYPE_CHECKING:
    from gia.cfa.graph import Program


def addressed_by(expressions: Iterable[Expression]) -> list[str]:
    """The functions whose address the expressions mention."""
    parts = (part for expression in expressions for part in walk(expression))
    return [part.name for part in parts if isinstance(part, FunctionReference)]


def mentioned_by_statics(program: Program) -> list[str]:
    """The functions whose address a static object holds."""
    return addressed_by(value for initialiser in program.statics for _, value in initialiser.assignments)


def designated(program: Program) -> frozenset[str]:
    """The functions that something else than a call by name mentions."""
    operands = addressed_by(operand for edge in program.edge_list for operand in operands_of(edge.operation))
    return frozenset([*operands, *mentioned_by_statics(program)])


def mentioned_by(operation: Operation) -> list[str]:
    """The functions that an operation calls or whose address it mentions."""
    called = [operation.function] if isinstance(operation, Call) else []
    return called + addressed_by(operands_of(operation))


def reachable_functions(program: Program) -> frozenset[str]:
    """The functions with a body that an execution may enter, by name, as far as mentions tell."""
    pending = [program.entry, *mentioned_by_statics(program)]
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in program.functions or name in found:
            continue
        found.add(name)
        for edge in program.functions[name].edges:
            pending += entered_after(program, edge.operation)
    return frozenset(found)


def entered_after(program: Program, operation: Operation) -> list[str]:
    """The functions that may be entered because an operation is executed: what is not modelled may call by any name."""
    hidden = operation.code if isinstance(operation, Unmodelled) else ""
    return mentioned_by(operation) + [name for name in program.functions if name in hidden]
