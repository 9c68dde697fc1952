"""Interval arithmetic on the expressions of one frame.

Source: P. Cousot & R. Cousot, *Abstract interpretation*, POPL 1977. Arithmetic that may leave the range of its type
gives the whole range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Final, Generic, TypeVar

from gia.cfa.expressions import (
    COMPARISONS,
    MIRRORED,
    NEGATED,
    Binary,
    Cast,
    Dereference,
    Expression,
    IntegerConstant,
    Member,
    Subscript,
    Unary,
    VariableReference,
)
from gia.cfa.types import CType, IntegerType

Number = TypeVar("Number")
"""What numbers are kept of: variables, or parts of them."""
Interval = tuple[int, int]
"""The smallest and the greatest value that a number may have."""
Environment = Mapping[Number, Interval]
"""The interval of each number about which more is known than its type."""

HUGE: Final = 1 << 128
"""Beyond the bounds of every integer type."""


def range_of(type_: CType) -> Interval:
    """The values that a type has."""
    return type_.bounds if isinstance(type_, IntegerType) else (-HUGE, HUGE)


def fit(value: Interval, type_: CType) -> Interval:
    """The interval converted to a type: itself if it is in range, else everything."""
    least, greatest = range_of(type_)
    return value if least <= value[0] and value[1] <= greatest else (least, greatest)


def _is_junction(condition: Binary, outcome: bool) -> bool:
    """Whether the condition has the outcome only if both operands have it, or exactly if one of them has it.

    Numbers have no bit in common also if none of them is zero, but only then if both are truth values.
    """
    if condition.operator in ("&&", "||"):
        return True
    operands = (condition.left, condition.right)
    are_truths = all(isinstance(operand, Binary) and operand.operator in COMPARISONS for operand in operands)
    return condition.operator in ("&", "|") and (are_truths or (condition.operator == "&") == outcome)


class IntervalValues(Generic[Number]):
    """Evaluates expressions and conditions.

    ``numbers`` are all numbers that an lvalue may be, none if it may be something else, too.
    """

    def __init__(self, numbers: Callable[[Expression], Sequence[Number]]) -> None:
        self._numbers = numbers

    def evaluate(self, expression: Expression, environment: Environment[Number]) -> Interval:
        """The values that an expression may have."""
        match expression:
            case IntegerConstant(value=value):
                return (value, value)
            case VariableReference() | Member() | Subscript() | Dereference():
                return self._read(expression, environment)
            case Cast(operand=operand, type=type_) if isinstance(operand.type, IntegerType):
                inner = self.evaluate(operand, environment)
                if isinstance(type_, IntegerType) and type_.is_bool:
                    return (0, 0) if inner == (0, 0) else (1, 1) if not inner[0] <= 0 <= inner[1] else (0, 1)
                return fit(inner, type_)
            case Unary(operator="-", operand=operand, type=type_):
                low, high = self.evaluate(operand, environment)
                return fit((-high, -low), type_)
            case Unary(operator="!"):
                return (0, 1)
            case Binary():
                return self._binary(expression, environment)
        return range_of(expression.type)

    def _read(self, lvalue: Expression, environment: Environment[Number]) -> Interval:
        whole = range_of(lvalue.type)
        return reduce(hull, [environment.get(number, whole) for number in self._numbers(lvalue)] or [whole])

    def _binary(self, expression: Binary, environment: Environment[Number]) -> Interval:
        if expression.operator in COMPARISONS or expression.operator in ("&&", "||"):
            return (0, 1)
        if not isinstance(expression.left.type, IntegerType) or not isinstance(expression.right.type, IntegerType):
            return range_of(expression.type)
        (a, b), (c, d) = self.evaluate(expression.left, environment), self.evaluate(expression.right, environment)
        match expression.operator:
            case "+":
                return fit((a + c, b + d), expression.type)
            case "-":
                return fit((a - d, b - c), expression.type)
            case "*":
                products = (a * c, a * d, b * c, b * d)
                return fit((min(products), max(products)), expression.type)
            case "/" if c > 0:
                quotients = [abs(x) // y * (1 if x >= 0 else -1) for x in (a, b) for y in (c, d)]
                return (min(quotients), max(quotients))
            case "%" if c > 0:
                return (0 if a >= 0 else max(a, 1 - d), 0 if b <= 0 else min(b, d - 1))
            case "&" if a >= 0 or c >= 0:
                return (0, min(high for low, high in ((a, b), (c, d)) if low >= 0))
            case "|" | "^" if a >= 0 and c >= 0:
                return (max(a, c) if expression.operator == "|" else 0, (1 << max(b, d).bit_length()) - 1)
            case "<<" if a >= 0 and 0 <= c <= d < 128:
                return fit((a << c, b << d), expression.type)
            case ">>" if a >= 0 and c >= 0:
                return (a >> min(d, 200), b >> min(c, 200))
        return range_of(expression.type)

    def assume(
        self, condition: Expression, outcome: bool, environment: Environment[Number]
    ) -> Environment[Number] | None:
        """The environment in which the condition has the outcome, ``None`` if there is none."""
        match condition:
            case Unary(operator="!", operand=operand):
                return self.assume(operand, not outcome, environment)
            case Binary(operator=operator, left=left, right=right) if _is_junction(condition, outcome):
                if (operator[0] == "&") == outcome:
                    first = self.assume(left, outcome, environment)
                    return None if first is None else self.assume(right, outcome, first)
                one, other = self.assume(left, outcome, environment), self.assume(right, outcome, environment)
                return other if one is None else one if other is None else join(one, other)
            case Binary(operator=operator, left=left, right=right) if operator in COMPARISONS:
                if not isinstance(left.type, IntegerType):
                    return environment
                relation = operator if outcome else NEGATED[operator]
                first = self._restrict(left, relation, self.evaluate(right, environment), environment)
                if first is None:
                    return None
                return self._restrict(right, MIRRORED[relation], self.evaluate(left, first), first)
        if isinstance(condition.type, IntegerType):
            return self._restrict(condition, "!=" if outcome else "==", (0, 0), environment)
        return environment

    def _restrict(
        self, expression: Expression, operator: str, other: Interval, environment: Environment[Number]
    ) -> Environment[Number] | None:
        """What ``expression operator v`` for some ``v`` in ``other`` says about the number below conversions."""
        low, high = self.evaluate(expression, environment)
        match operator:
            case "==":
                low, high = max(low, other[0]), min(high, other[1])
            case "!=" if other[0] == other[1]:
                low, high = low + (low == other[0]), high - (high == other[0])
            case "<":
                high = min(high, other[1] - 1)
            case "<=":
                high = min(high, other[1])
            case ">":
                low = max(low, other[0] + 1)
            case ">=":
                low = max(low, other[0])
        if low > high:
            return None
        while isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType):
            inner = self.evaluate(expression.operand, environment)
            if fit(inner, expression.type) != inner:
                if not _is_of_no_negative(high, inner, expression.type):
                    return environment  # the conversion may change the value
                low = max(low, 0)
            expression = expression.operand
        numbers = self._numbers(expression)
        if len(numbers) != 1:
            return environment
        least, greatest = self.evaluate(expression, environment)
        return {**environment, numbers[0]: (max(low, least), min(high, greatest))}


def _is_of_no_negative(value: int, from_: Interval, type_: CType) -> bool:
    """Whether what is converted to no more than ``value``, an unsigned number, is one of the same size."""
    least, greatest = range_of(type_)
    return least == 0 and from_[1] <= greatest and from_[0] + greatest + 1 > value


def join(left: Environment[Number], right: Environment[Number]) -> Environment[Number]:
    """What holds in both."""
    if left == right:
        return left
    found: dict[Number, Interval] = {}
    for number, one in left.items():
        other = right.get(number)
        if other is not None:
            found[number] = one if one == other else hull(one, other)
    return found


def hull(one: Interval, other: Interval) -> Interval:
    """The least interval with both in it."""
    return min(one[0], other[0]), max(one[1], other[1])
