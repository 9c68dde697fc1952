"""Edges that no execution takes, and without which the graph still comes everywhere.

The ``while (0)`` of a macro goes back to its ``do``: a cycle of the graph that no execution follows, and a loop that
would need an invariant.
"""

from __future__ import annotations

from gia.cfa.closure import closure
from gia.cfa.expressions import IntegerConstant
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assume


def needless(program: Program) -> frozenset[int]:
    """The numbers of the impossible edges that lead to where possible ones do."""
    found: set[int] = set()
    for function in program.functions.values():
        impossible = [edge for edge in function.edges if is_impossible(edge)]
        if impossible:
            targets: dict[int, list[int]] = {}
            for edge in function.edges:
                if not is_impossible(edge):
                    targets.setdefault(edge.source, []).append(edge.target)
            reached = closure([function.entry], targets)
            found.update(edge.number for edge in impossible if edge.target in reached)
    return frozenset(found)


def is_impossible(edge: Edge) -> bool:
    """Whether no execution takes an edge, whatever its state: ``while (1)`` is never left by its condition."""
    match edge.operation:
        case Assume(condition=IntegerConstant(value=value), outcome=outcome):
            return bool(value) is not outcome
    return False
