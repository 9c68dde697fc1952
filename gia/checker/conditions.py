"""The conditions of an automaton as expressions, with remarks on those that cannot be used."""

from __future__ import annotations

from gia.automaton.model import Condition
from gia.cfa.expressions import Expression, Result, variables_of, walk
from gia.cfa.graph import Edge
from gia.cfa.operations import Input
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import IntegerType
from gia.errors import GiaError
from gia.frontend import parse_expression


class Conditions:
    """Parses each condition once; ``remarks`` are for people, in the order of discovery."""

    def __init__(self, supergraph: Supergraph) -> None:
        self.supergraph = supergraph
        self._parsed: dict[Condition, Expression | None] = {}
        self._remarks: dict[str, None] = {}

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why conditions are left out."""
        return tuple(self._remarks)

    def remark(self, condition: Condition, why: str) -> None:
        """Note that a condition is not used."""
        self._remarks[f"{condition.text} is left out: {why}"] = None

    def at(self, condition: Condition, node: Node, edge: Edge | None = None) -> Expression | None:
        r"""The expression if it has a meaning at a node (``\\result``: behind ``edge``), else ``None`` and a remark."""
        expression = self._parse(condition)
        if expression is None:
            return None
        stack = self.supergraph.stack(node.context)
        for variable in sorted(variables_of(expression), key=lambda v: v.name):
            if not variable.is_static and stack.count(variable.function or "") != 1:
                self.remark(condition, f"{variable.name} does not denote one object in {stack[-1]}")
                return None
        if any(isinstance(part, Result) for part in walk(expression)) and not _reads_integer(edge):
            self.remark(condition, "no integer input is read there")
            return None
        return expression

    def _parse(self, condition: Condition) -> Expression | None:
        if condition not in self._parsed:
            try:
                self._parsed[condition] = parse_expression(condition.text, condition.scope, self.supergraph.program)
            except GiaError as error:
                self._parsed[condition] = None
                self.remark(condition, error.message)
        return self._parsed[condition]


def _reads_integer(edge: Edge | None) -> bool:
    match edge.operation if edge else None:
        case Input(type=IntegerType()):
            return True
    return False
