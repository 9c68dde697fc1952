"""Comparisons of numbers, with C's conversions made explicit."""

from __future__ import annotations

from gia.cfa.expressions import COMPARISONS, NEGATED, Binary, Cast, Expression, IntegerConstant, Unary
from gia.cfa.types import INT, UNSIGNED_INT, UNSIGNED_LONG_LONG, FloatType, IntegerType
from gia.smt.terms import signed


def integer_type(expression: Expression) -> IntegerType:
    """The type of an integer expression."""
    assert isinstance(expression.type, IntegerType)
    return expression.type


def number_of(place: Expression, bits: int) -> int:
    """The number that these bits are in an integer variable or field."""
    type_ = integer_type(place)
    return signed(bits, type_.width) if type_.signed else bits


def unsigned_type(width: int) -> IntegerType:
    """The type of unsigned arithmetic on so many bits."""
    return UNSIGNED_INT if width <= UNSIGNED_INT.width else UNSIGNED_LONG_LONG


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` after the usual arithmetic conversions."""
    common = max((INT, integer_type(left), integer_type(right)), key=lambda t: (t.width, not t.signed))
    return Binary(operator, converted(left, common), converted(right, common), INT)


def compare_with_constant(operator: str, left: Expression, value: int) -> Expression:
    """``left operator value`` for a value in the range of the left side's type."""
    type_ = integer_type(left)
    promoted = type_ if type_.width >= INT.width else INT
    return Binary(operator, converted(left, promoted), IntegerConstant(value, promoted), INT)


def opposite(condition: Expression) -> Expression:
    """What holds exactly when a condition does not, but for comparisons with what is no number."""
    if isinstance(condition, Binary) and condition.operator in COMPARISONS:
        return Binary(NEGATED[condition.operator], condition.left, condition.right, INT)
    return Unary("!", condition, INT)


def compare_floating(operator: str, left: Expression, right: Expression) -> Expression:
    """``left operator right`` for two floating-point expressions, in the wider of their types."""
    common = max((each.type for each in (left, right) if isinstance(each.type, FloatType)), key=lambda t: t.width)
    return Binary(operator, converted(left, common), converted(right, common), INT)


def converted(expression: Expression, type_: IntegerType | FloatType) -> Expression:
    """The expression in the given type."""
    return expression if expression.type == type_ else Cast(expression, type_)


def stripped(expression: Expression) -> Expression:
    """The expression without the conversion of an integer around it."""
    return (
        expression.operand
        if isinstance(expression, Cast) and isinstance(expression.operand.type, IntegerType)
        else expression
    )
