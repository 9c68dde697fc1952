"""The compiler's functions that tell the class of a floating number (ISO C 7.12.3), as expressions.

They take a number in its own type: a ``float`` that is subnormal would be normal as a ``double``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from gia.cfa.expressions import Binary, Expression, FloatConstant, Unary
from gia.cfa.types import DOUBLE, FLOAT, INT, LONG_DOUBLE, FloatType

SUFFIXES: Final = {FLOAT: "f", DOUBLE: "", LONG_DOUBLE: "l"}
"""What constants of each type end in."""
CLASSIFYING: Final = frozenset({"isnan", "isinf", "isinf_sign", "isfinite", "isnormal"})
"""Functions of one number, without the prefix of the compiler."""
CLASSES: Final = 5
"""NaN, infinite, normal, subnormal, zero: ``__builtin_fpclassify`` takes a number for each, in this order."""
_NORMAL: Final = {
    FLOAT: ("0x1p-126", "0x1.fffffep127"),
    DOUBLE: ("0x1p-1022", "0x1.fffffffffffffp1023"),
    LONG_DOUBLE: ("0x1p-16382", "0xf.fffffffffffffffp16380"),
}
"""The least and the greatest normal number of each type."""


def classification(name: str, value: Expression, type_: FloatType) -> Expression:
    """Whether a number of ``type_`` is of the class that one of :data:`CLASSIFYING` asks for."""
    if name == "isnan":
        return Binary("!=", value, value, INT)
    if name == "isfinite":
        return Binary("==", Binary("-", value, value, type_), _zero(type_), INT)
    if name == "isnormal":
        return _is_normal(value, type_)
    infinity = Binary("/", FloatConstant("1.0" + SUFFIXES[type_], type_), _zero(type_), type_)
    positive, negative = (Binary("==", value, found, INT) for found in (infinity, Unary("-", infinity, type_)))
    return Binary("-" if name == "isinf_sign" else "||", positive, negative, INT)


def class_number(value: Expression, type_: FloatType, numbers: Sequence[Expression]) -> Expression:
    """``__builtin_fpclassify``: of ``numbers`` for NaN, infinite, normal, subnormal and zero, that of the value."""
    is_nan, is_infinite, is_normal = (classification(name, value, type_) for name in ("isnan", "isinf", "isnormal"))
    is_zero = Binary("==", value, _zero(type_), INT)
    either = reduce(lambda left, right: Binary("||", left, right, INT), [is_nan, is_infinite, is_normal, is_zero])
    classes = (is_nan, is_infinite, is_normal, Unary("!", either, INT), is_zero)
    chosen = (Binary("*", found, number, INT) for found, number in zip(classes, numbers, strict=True))
    return reduce(lambda left, right: Binary("+", left, right, INT), chosen)


def _is_normal(value: Expression, type_: FloatType) -> Expression:
    least, greatest = (FloatConstant(text + SUFFIXES[type_], type_) for text in _NORMAL[type_])

    def between(low: Expression, high: Expression) -> Expression:
        return Binary("&&", Binary("<=", low, value, INT), Binary("<=", value, high, INT), INT)

    negative = between(Unary("-", greatest, type_), Unary("-", least, type_))
    return Binary("||", between(least, greatest), negative, INT)


def _zero(type_: FloatType) -> Expression:
    return FloatConstant("0.0" + SUFFIXES[type_], type_)
