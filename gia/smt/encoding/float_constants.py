"""Floating constants by their spelling (ISO C 6.4.4.2), and constant expressions of type ``long double``.

``<float.h>`` writes the limits of ``double`` as constants of type ``long double`` that are converted. What is computed
with constants of this type alone is exact, as the x87 does it: rounded to 64 bits by each operation.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import trunc
from typing import Final

from gia.cfa.expressions import Binary, Cast, Expression, FloatConstant, IntegerConstant, Unary
from gia.cfa.types import FloatType, IntegerType
from gia.smt.terms import Kind, Sort, Term, bv_const, fp_const, fp_sort
from gia.smt.terms.floats import in_range
from gia.smt.terms.ieee import arithmetic, convert, is_infinite, is_nan, rational, round_rational

_EXTENDED: Final = fp_sort(15, 64)
"""The values of the x87's format of 80 bits; its bit patterns are others."""
_ARITHMETIC: Final = {"+": Kind.FP_ADD, "-": Kind.FP_SUB, "*": Kind.FP_MUL, "/": Kind.FP_DIV}
_FAR: Final = re.compile(r"^(?:[^x]*e|[^p]*p)[+-]?0*[1-9]\d{5}")
"""An exponent of six digits: nothing that a computer should write out."""


def converted(expression: Expression, target: FloatType | IntegerType, sort: Sort) -> Term | None:
    """A constant expression of type ``long double`` as a value of ``target``, ``None`` if it is not one or has none."""
    bits = _extended(expression)
    if bits is None:
        return None
    if isinstance(target, FloatType):
        return fp_const(convert(bits, _EXTENDED, sort), sort) if target.width < 80 else None
    if is_nan(bits, _EXTENDED) or is_infinite(bits, _EXTENDED):
        return None
    value = rational(bits, _EXTENDED)
    if target.is_bool:
        return bv_const(int(value != 0), target.width)
    return bv_const(trunc(value), target.width) if in_range(trunc(value), target.width, target.signed) else None


def _extended(expression: Expression) -> int | None:
    """The bits of a constant expression as one of type ``long double``."""
    match expression:
        case FloatConstant(text=text, type=FloatType(width=80)):
            exact = parse_float(text)
            return None if exact is None else round_rational(exact, text.startswith("-"), _EXTENDED)
        case Unary(operator="-", operand=operand, type=FloatType(width=80)):
            bits = _extended(operand)
            return None if bits is None else bits ^ 1 << (_EXTENDED.width - 1)
        case Binary(operator=operator, left=left, right=right, type=FloatType(width=80)):
            first, second = _extended(left), _extended(right)
            return (
                None if first is None or second is None else arithmetic(_ARITHMETIC[operator], first, second, _EXTENDED)
            )
        case Cast(operand=IntegerConstant(value=value), type=FloatType(width=80)):
            return round_rational(Fraction(value), False, _EXTENDED)
    return None


def parse_float(text: str) -> Fraction | None:
    """The exact value of a C floating constant, ``None`` if it is none, or far beyond all types."""
    literal = text.lower()
    if _FAR.search(literal):
        return None
    hexadecimal = literal.lstrip("+-").startswith("0x")
    literal = literal.rstrip("l") if hexadecimal else literal.rstrip("fl")
    if hexadecimal:
        mantissa, mark, exponent = literal.partition("p")
        if not mark:
            return None
        whole, _, fraction = mantissa.partition(".")
        scale = int(exponent.rstrip("f")) - 4 * len(fraction)
        return int(whole + fraction, 16) * Fraction(2) ** scale
    try:
        return Fraction(literal.removesuffix("."))
    except ValueError:
        return _lenient(literal)


def _lenient(literal: str) -> Fraction | None:
    """C allows ``1.e5`` and ``.5``; :class:`Fraction` needs digits on both sides of the point."""
    mantissa, _, exponent = literal.partition("e")
    whole, _, fraction = mantissa.partition(".")
    try:
        return int(whole + fraction) * Fraction(10) ** (int(exponent or 0) - len(fraction))
    except ValueError:
        return None
