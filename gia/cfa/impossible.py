"""Edges that no execution takes, as the text tells: a constant is their condition, or nobody calls their function."""

from __future__ import annotations

from collections.abc import Iterator

from gia.cfa.closure import closure
from gia.cfa.expressions import IntegerConstant
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.mentions import entered_after, mentioned_by_statics
from gia.cfa.operations import Assume


def needless(program: Program) -> frozenset[int]:
    """The numbers of the impossible edges without which the graph still comes everywhere.

    The ``while (0)`` of a macro goes back to its ``do``: a cycle of the graph that no execution follows, and a loop
    that would need an invariant.
    """
    found: set[int] = set()
    for function in program.functions.values():
        impossible = [edge for edge in function.edges if is_impossible(edge)]
        if impossible:
            reached = {function.entry, *(edge.target for edge in _possible(function))}
            found.update(edge.number for edge in impossible if edge.target in reached)
    return frozenset(found)


def never_taken(program: Program) -> frozenset[int]:
    """The numbers of the edges to which no possible ones lead, from the entry of the program and into its functions."""
    taken: set[int] = set()
    entered: set[str] = set()
    pending = [program.entry, *mentioned_by_statics(program)]
    while pending:
        name = pending.pop()
        if name in program.functions and name not in entered:
            entered.add(name)
            possible = list(_possible(program.functions[name]))
            taken.update(edge.number for edge in possible)
            pending += [other for edge in possible for other in entered_after(program, edge.operation)]
    return frozenset(edge.number for edge in program.edge_list if edge.number not in taken)


def _possible(function: Function) -> Iterator[Edge]:
    """The edges on paths from the entry of a function that have no impossible one."""
    possible = [edge for edge in function.edges if not is_impossible(edge)]
    targets: dict[int, list[int]] = {}
    for edge in possible:
        targets.setdefault(edge.source, []).append(edge.target)
    reached = closure([function.entry], targets)
    return (edge for edge in possible if edge.source in reached)


def is_impossible(edge: Edge) -> bool:
    """Whether no execution takes an edge, whatever its state: ``while (1)`` is never left by its condition."""
    match edge.operation:
        case Assume(condition=IntegerConstant(value=value), outcome=outcome):
            return bool(value) is not outcome
    return False
