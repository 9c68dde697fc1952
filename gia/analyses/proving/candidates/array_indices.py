"""Indices of arrays as sums with one loop variable in them: ``2 * i + 1``, ``n - i - 1``.

An index with a factor or with other variables tells where a loop has come to in its array (its *front*), and, if the
factor is 1 or -1, which value the variable had when an element was dealt with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from gia.analyses.proving.candidates.comparisons import converted, integer_type
from gia.cfa.expressions import (
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Unary,
    Variable,
    VariableReference,
    rewritten,
)
from gia.cfa.graph import Edge
from gia.cfa.operations import Assign
from gia.cfa.types import INT, LONG_LONG, IntegerType

_MOST_BEGINS = 3
"""So many constants are put in for a variable."""
_Sum = Mapping[Variable | None, int]
"""The factor of each variable, and the constant under ``None``."""


class Front(Struct, frozen=True):
    """An index that is a sum with ``factor`` times a variable that loops step, and ``rest``.

    ``grows``: by 1 if the index grows from round to round, by -1 if it shrinks.
    """

    index: Expression
    variable: Variable
    factor: int
    rest: _Sum
    grows: int

    def variable_at(self, number: Expression) -> Expression | None:
        """The value of the variable where the index is ``number``, if that is one for each number."""
        if self.factor not in (1, -1):
            return None
        rest = _as_expression(self.rest)
        pair = (number, rest) if self.factor == 1 else (rest, number)
        left, right = (converted(part, LONG_LONG) for part in pair)
        return Binary("-", left, right, LONG_LONG)

    def residue(self, number: Expression) -> Expression | None:
        """Whether ``number`` is one that the index may be, if that is a matter of its remainder."""
        if self.factor in (1, -1) or set(self.rest) - {None}:
            return None
        modulus = IntegerConstant(abs(self.factor), LONG_LONG)
        remainder = Binary("%", converted(number, LONG_LONG), modulus, LONG_LONG)
        return Binary("==", remainder, IntegerConstant(self.rest.get(None, 0) % modulus.value, LONG_LONG), INT)


class Steps(Struct, frozen=True):
    """How loops step variables: 1 if they are increased, -1 if they are decreased, or both; and where they begin."""

    directions: Mapping[Variable, frozenset[int]]
    begins: Mapping[Variable, tuple[int, ...]]

    def fronts_of(self, index: Expression) -> Iterator[Front]:
        """The index as a front of each variable in it; of the others, also with the constants that they begin with."""
        found = _sum(index) or {}
        variables = [variable for variable in found if variable is not None and variable in self.directions]
        for variable in variables:
            yield from self._front(index, variable)
            for other in variables:
                for value in self.begins.get(other, ()) if other != variable else ():
                    reference = VariableReference(other)
                    begun: dict[Expression, Expression] = {reference: IntegerConstant(value, integer_type(reference))}
                    yield from self._front(rewritten(index, begun.get), variable)

    def _front(self, index: Expression, variable: Variable) -> Iterator[Front]:
        total = _sum(index) or {}
        factor = total.get(variable, 0)
        rest = {key: value for key, value in total.items() if key != variable}
        for direction in sorted(self.directions[variable] if factor else ()):
            yield Front(index, variable, factor, rest, direction if factor > 0 else -direction)


def steps_of(edges: Iterable[Edge]) -> Steps:
    """The variables that are somewhere increased or decreased by a constant."""
    directions: dict[Variable, set[int]] = {}
    begins: dict[Variable, dict[int, None]] = {}
    for edge in edges:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=value):
                total = _sum(value)
                if total is not None and set(total) <= {None}:
                    begins.setdefault(variable, {})[total.get(None, 0)] = None
                elif total is not None and total.get(variable) == 1 and set(total) == {variable, None}:
                    directions.setdefault(variable, set()).add(1 if total[None] > 0 else -1)
    known = {variable: frozenset(found) for variable, found in directions.items()}
    return Steps(known, {variable: tuple(begins.get(variable, ()))[:_MOST_BEGINS] for variable in known})


def _sum(expression: Expression) -> _Sum | None:
    """An integer expression as a sum, read as if nothing wrapped around."""
    match expression:
        case Cast(operand=operand, type=IntegerType()) if isinstance(operand.type, IntegerType):
            return _sum(operand)
        case IntegerConstant(value=value):
            return {None: value}
        case VariableReference(variable=variable, type=IntegerType()):
            return {variable: 1}
        case Unary(operator="-", operand=operand):
            return _times(_sum(operand), -1)
        case Binary(operator="+" | "-" as operator, left=left, right=right):
            return _plus(_sum(left), _times(_sum(right), 1 if operator == "+" else -1))
        case Binary(operator="*", left=left, right=right):
            for factor, other in ((left, right), (right, left)):
                constant = _sum(factor)
                if constant is not None and set(constant) <= {None}:
                    return _times(_sum(other), constant.get(None, 0))
    return None


def _plus(left: _Sum | None, right: _Sum | None) -> _Sum | None:
    if left is None or right is None:
        return None
    total = {key: left.get(key, 0) + right.get(key, 0) for key in (*left, *right)}
    return {key: value for key, value in total.items() if value}


def _times(operand: _Sum | None, factor: int) -> _Sum | None:
    return None if operand is None else {key: value * factor for key, value in operand.items() if value * factor}


def _as_expression(total: _Sum) -> Expression:
    result: Expression = IntegerConstant(total.get(None, 0), LONG_LONG)
    for variable, factor in total.items():
        if variable is not None:
            part = Binary(
                "*", IntegerConstant(factor, LONG_LONG), Cast(VariableReference(variable), LONG_LONG), LONG_LONG
            )
            result = Binary("+", result, part, LONG_LONG)
    return result
