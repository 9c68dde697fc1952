"""Which pointers may lead to the same array, as far as the program's text says."""

from __future__ import annotations

from gia.cfa.expressions import AddressOf, Expression, Variable, VariableReference, walk
from gia.cfa.types import IntegerType


class AliasClasses:
    """Variables that were assigned to each other."""

    def __init__(self) -> None:
        self._leaders: dict[Variable, Variable] = {}

    def join(self, variable: Variable, value: Expression) -> None:
        """Put a pointer into one class with what its value is made of."""
        for part in walk(value):
            pointed = part.operand if isinstance(part, AddressOf) else part
            if isinstance(pointed, VariableReference) and not isinstance(pointed.type, IntegerType):
                self._leaders[self._leader(pointed.variable)] = self._leader(variable)

    def same(self, left: Variable, right: Variable) -> bool:
        """Whether two variables are in one class."""
        return self._leader(left) == self._leader(right)

    def _leader(self, variable: Variable) -> Variable:
        while self._leaders.get(variable, variable) != variable:
            variable = self._leaders[variable]
        return variable
