"""The conditions of an automaton as expressions, with remarks on those that cannot be used."""

from __future__ import annotations

from gia.automaton.model import Condition
from gia.cfa.expressions import Expression, variables_of
from gia.cfa.graph import Edge
from gia.cfa.operations import Input
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import FloatType, IntegerType
from gia.errors import GiaError
from gia.frontend.exchange_expressions import parse_expression

_Number = IntegerType | FloatType


class Conditions:
    """Parses each condition once; ``remarks`` are for people, in the order of discovery."""

    def __init__(self, supergraph: Supergraph) -> None:
        self.supergraph = supergraph
        self._parsed: dict[tuple[Condition, _Number | None, bool], Expression | None] = {}
        self._remarks: dict[str, None] = {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why conditions are left out."""
        return tuple(self._remarks)

    def remark(self, condition: Condition, why: str) -> None:
        """Note that a condition is not used."""
        self._remarks[f"{condition.text} is left out: {why}"] = None

    def at(self, condition: Condition, node: Node, edge: Edge | None = None) -> Expression | None:
        r"""The expression if it has a meaning at a node (``\result``: behind ``edge``), else ``None`` and a remark."""
        return self._meant(condition, node, self._parse(condition, _input_type(edge)))

    def invariant_at(self, condition: Condition, node: Node) -> Expression | None:
        r"""As :meth:`at` for an invariant, in which ``\any`` may stand."""
        return self._meant(condition, node, self._parse(condition, None, quantified=True))

    def _meant(self, condition: Condition, node: Node, expression: Expression | None) -> Expression | None:
        if expression is None:
            return None
        stack = self.supergraph.stack(node.context)
        for variable in sorted(variables_of(expression), key=lambda v: v.name):
            if variable.is_of_no_frame:
                continue
            if stack.count(variable.function or "") != 1:
                self.remark(condition, f"{variable.name} does not denote one object in {stack[-1]}")
                return None
        return expression

    def _parse(self, condition: Condition, result: _Number | None, *, quantified: bool = False) -> Expression | None:
        key = (condition, result, quantified)
        if key not in self._parsed:
            text, scope = condition
            try:
                program = self.supergraph.program
                self._parsed[key] = parse_expression(text, scope, program, result=result, quantified=quantified)
            except GiaError as error:
                self._parsed[key] = None
                self.remark(condition, error.message)
        return self._parsed[key]


def _input_type(edge: Edge | None) -> _Number | None:
    """The type of the number that an edge reads as an input."""
    match edge.operation if edge else None:
        case Input(type=IntegerType() | FloatType() as type_):
            return type_
    return None
