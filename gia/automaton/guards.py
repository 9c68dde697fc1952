"""What a decision tests, as a condition of an automaton."""

from __future__ import annotations

from gia.automaton.model import Condition
from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assume


def guard_of(edge: Edge, program: Program) -> Condition | None:
    """What holds when an execution takes an assume edge; ``None`` for other edges, which every execution can take."""
    if not isinstance(edge.operation, Assume):
        return None
    scope = edge.reference.function
    text = program.condition_texts.get(edge.number)
    if text is None:
        text = program.condition_texts[edge.number] = expression_to_gia(edge.operation.condition, scope, program)
    return Condition(text if edge.operation.outcome else f"!({text})", scope)
