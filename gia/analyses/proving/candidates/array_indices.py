"""Indices of arrays as sums with one loop variable in them: ``2 * i + 1``, ``n - i - 1``.

An index with a factor or with other variables tells where a loop has come to in its array (its *front*), and, if the
factor is 1 or -1, which value the variable had when an element was dealt with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

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
LinearSum = Mapping[Variable | None, int]
"""The factor of each variable, and the constant under ``None``."""


class Front(Struct, frozen=True):
    """An index that is a sum with ``factor`` times a variable that loops step, and ``rest``.

    ``grows``: by 1 if the index grows from round to round, by -1 if it shrinks.
    """

    index: Expression
    variable: Variable
    factor: int
    rest: LinearSum
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
        found = linear_sum(index) or {}
        variables = [variable for variable in found if variable is not None and variable in self.directions]
        for variable in variables:
            yield from self._front(index, variable)
            for other in variables:
                for value in self.begins.get(other, ()) if other != variable else ():
                    reference = VariableReference(other)
                    begun: dict[Expression, Expression] = {reference: IntegerConstant(value, integer_type(reference))}
                    yield from self._front(rewritten(index, begun.get), variable)

    def _front(self, index: Expression, variable: Variable) -> Iterator[Front]:
        total = linear_sum(index) or {}
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
                total = linear_sum(value)
                if total is not None and set(total) <= {None}:
                    begins.setdefault(variable, {})[total.get(None, 0)] = None
                elif total is not None and total.get(variable) == 1 and set(total) == {variable, None}:
                    directions.setdefault(variable, set()).add(1 if total[None] > 0 else -1)
    known = {variable: frozenset(found) for variable, found in directions.items()}
    return Steps(known, {variable: tuple(begins.get(variable, ()))[:_MOST_BEGINS] for variable in known})


def positions(index: Expression, number: Expression) -> Mapping[Variable, Expression]:
    """The variables of the index of a matrix where it is ``number``: quotients and remainders.

    There are none unless each factor divides the next larger one, as those of rows and columns do.
    """
    total = linear_sum(index) or {}
    variables = sorted(total, key=lambda variable: total[variable], reverse=True)
    factors = [total[variable] for variable in variables]
    is_matrix = len(factors) > 1 and factors[-1] == 1 and None not in total
    if not is_matrix or any(larger <= smaller or larger % smaller for larger, smaller in pairwise(factors)):
        return {}
    found: dict[Variable, Expression] = {}
    wide = converted(number, LONG_LONG)
    for variable, factor, larger in zip(variables, factors, (None, *factors), strict=False):
        rest = wide if larger is None else Binary("%", wide, IntegerConstant(larger, LONG_LONG), LONG_LONG)
        assert variable is not None
        found[variable] = rest if factor == 1 else Binary("/", rest, IntegerConstant(factor, LONG_LONG), LONG_LONG)
    return found


def related(index: Expression, other: Expression, number: Expression) -> Expression | None:
    """What the index ``other`` is where ``index`` is ``number``, if their difference or their sum is constant."""
    first, second = linear_sum(index), linear_sum(other)
    if first is None or second is None or not set(first) - {None}:
        return None
    for sign in (1, -1):
        rest = _plus(second, _times(first, -sign)) or {}
        if set(rest) <= {None}:
            constant = IntegerConstant(rest.get(None, 0), LONG_LONG)
            operator = "+" if sign == 1 else "-"
            return Binary(operator, constant, converted(number, LONG_LONG), LONG_LONG) if rest or sign < 0 else number
    return None


def linear_sum(expression: Expression) -> LinearSum | None:
    """An integer expression as a sum, read as if nothing wrapped around."""
    match expression:
        case Cast(operand=operand, type=IntegerType()) if isinstance(operand.type, IntegerType):
            return linear_sum(operand)
        case IntegerConstant(value=value):
            return {None: value}
        case VariableReference(variable=variable, type=IntegerType()):
            return {variable: 1}
        case Unary(operator="-", operand=operand):
            return _times(linear_sum(operand), -1)
        case Binary(operator="+" | "-" as operator, left=left, right=right):
            return _plus(linear_sum(left), _times(linear_sum(right), 1 if operator == "+" else -1))
        case Binary(operator="*", left=left, right=right):
            for factor, other in ((left, right), (right, left)):
                constant = linear_sum(factor)
                if constant is not None and set(constant) <= {None}:
                    return _times(linear_sum(other), constant.get(None, 0))
    return None


def _plus(left: LinearSum | None, right: LinearSum | None) -> LinearSum | None:
    if left is None or right is None:
        return None
    total = {key: left.get(key, 0) + right.get(key, 0) for key in (*left, *right)}
    return {key: value for key, value in total.items() if value}


def _times(operand: LinearSum | None, factor: int) -> LinearSum | None:
    return None if operand is None else {key: value * factor for key, value in operand.items() if value * factor}


def _as_expression(total: LinearSum) -> Expression:
    result: Expression = IntegerConstant(total.get(None, 0), LONG_LONG)
    for variable, factor in total.items():
        if variable is not None:
            part = Binary(
                "*", IntegerConstant(factor, LONG_LONG), Cast(VariableReference(variable), LONG_LONG), LONG_LONG
            )
            result = Binary("+", result, part, LONG_LONG)
    return result
