"""IEEE 754 arithmetic on bit patterns, exact: values are rationals, rounded once (to nearest, ties to even).

Only constants go through here, so that plain rational arithmetic is fast enough and obviously right.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isnan, isqrt

from gia.smt.terms.nodes import Kind, RoundingMode, Sort


def _parts(bits: int, sort: Sort) -> tuple[int, int, int]:
    """Sign, biased exponent, fraction field."""
    stored = sort.significand - 1
    fraction = bits & ((1 << stored) - 1)
    exponent = bits >> stored & ((1 << sort.exponent) - 1)
    return bits >> (sort.width - 1), exponent, fraction


def infinity(negative: bool, sort: Sort) -> int:
    """The bits of an infinity."""
    magnitude = ((1 << sort.exponent) - 1) << (sort.significand - 1)
    return magnitude | (1 << (sort.width - 1) if negative else 0)


def nan(sort: Sort) -> int:
    """The bits of the one NaN: quiet, positive, no payload."""
    return infinity(False, sort) | 1 << (sort.significand - 2)


def is_nan(bits: int, sort: Sort) -> bool:
    """Whether the bits are those of a NaN."""
    _, exponent, fraction = _parts(bits, sort)
    return exponent == (1 << sort.exponent) - 1 and fraction != 0


def is_infinite(bits: int, sort: Sort) -> bool:
    """Whether the bits are those of an infinity."""
    _, exponent, fraction = _parts(bits, sort)
    return exponent == (1 << sort.exponent) - 1 and fraction == 0


def _is_negative(bits: int, sort: Sort) -> bool:
    return bool(bits >> (sort.width - 1))


def canonical(bits: int, sort: Sort) -> int:
    """The bits, with every NaN made the one NaN."""
    bits &= (1 << sort.width) - 1
    return nan(sort) if is_nan(bits, sort) else bits


def rational(bits: int, sort: Sort) -> Fraction:
    """The value of a finite number."""
    sign, exponent, fraction = _parts(bits, sort)
    stored = sort.significand - 1
    bias = (1 << (sort.exponent - 1)) - 1
    if exponent == 0:
        value = Fraction(fraction) * Fraction(2) ** (1 - bias - stored)
    else:
        value = Fraction(fraction | 1 << stored) * Fraction(2) ** (exponent - bias - stored)
    return -value if sign else value


def round_rational(value: Fraction, negative_zero: bool, sort: Sort) -> int:
    """The bits of ``value`` rounded; zero gets the sign ``negative_zero``, a value that underflows keeps its own."""
    sign_bit = 1 << (sort.width - 1)
    if value == 0:
        return sign_bit if negative_zero else 0
    sign = sign_bit if value < 0 else 0
    value = abs(value)
    stored = sort.significand - 1
    bias = (1 << (sort.exponent - 1)) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    integer = round(value / Fraction(2) ** (exponent - stored))  # Python rounds ties to even
    # A carry out of the fraction moves to the next exponent by itself.
    bits = integer if integer < 1 << stored else integer + ((exponent + bias - 1) << stored)
    return sign | min(bits, infinity(False, sort))


def round_integer(value: int, sort: Sort) -> int:
    """The bits of an integer rounded to ``sort``."""
    return round_rational(Fraction(value), False, sort)


def round_float(value: float, sort: Sort) -> int:
    """The bits of a Python float rounded to ``sort``."""
    if isnan(value):
        return nan(sort)
    if value in (inf, -inf):
        return infinity(value < 0, sort)
    return round_rational(Fraction(value), str(value).startswith("-"), sort)


def convert(bits: int, source: Sort, target: Sort) -> int:
    """The number rounded to another sort."""
    if is_nan(bits, source):
        return nan(target)
    if is_infinite(bits, source):
        return infinity(_is_negative(bits, source), target)
    return round_rational(rational(bits, source), _is_negative(bits, source), target)


def arithmetic(kind: Kind, left: int, right: int, sort: Sort) -> int:
    """``FP_ADD``, ``FP_SUB``, ``FP_MUL`` or ``FP_DIV``."""
    if is_nan(left, sort) or is_nan(right, sort):
        return nan(sort)
    if kind is Kind.FP_SUB:
        return arithmetic(Kind.FP_ADD, left, right ^ 1 << (sort.width - 1), sort)
    negative = _is_negative(left, sort) != _is_negative(right, sort)
    if is_infinite(left, sort) or is_infinite(right, sort):
        return _with_infinity(kind, left, right, negative, sort)
    x, y = rational(left, sort), rational(right, sort)
    if kind is Kind.FP_ADD:
        both_negative = _is_negative(left, sort) and _is_negative(right, sort)
        return round_rational(x + y, both_negative, sort)
    if kind is Kind.FP_MUL:
        return round_rational(x * y, negative, sort)
    if y == 0:
        return nan(sort) if x == 0 else infinity(negative, sort)
    return round_rational(x / y, negative, sort)


def _with_infinity(kind: Kind, left: int, right: int, negative: bool, sort: Sort) -> int:
    first, second = is_infinite(left, sort), is_infinite(right, sort)
    if kind is Kind.FP_ADD:
        if first and second:
            return nan(sort) if negative else left
        return left if first else right
    if kind is Kind.FP_MUL:
        other = right if first else left
        is_zero = not (first and second) and rational(other, sort) == 0
        return nan(sort) if is_zero else infinity(negative, sort)
    if first:
        return nan(sort) if second else infinity(negative, sort)
    return 1 << (sort.width - 1) if negative else 0


def square_root(bits: int, sort: Sort) -> int:
    """The rounded square root."""
    if is_nan(bits, sort):
        return nan(sort)
    if is_infinite(bits, sort):
        return nan(sort) if _is_negative(bits, sort) else bits
    value = rational(bits, sort)
    if value <= 0:
        return bits if value == 0 else nan(sort)
    # A root scaled to 2·significand bits, with a last bit that says whether something follows, rounds as the root does.
    shift = 4 * sort.significand + 2 * sort.width + 2 * max(0, value.denominator.bit_length())
    scaled = (value.numerator << shift) // value.denominator
    root = isqrt(scaled)
    exact = root * root == scaled and scaled * value.denominator == value.numerator << shift
    return round_rational(Fraction(2 * root + (0 if exact else 1), 2 << (shift // 2)), False, sort)


def round_to_integral(bits: int, sort: Sort, mode: RoundingMode) -> int:
    """The integral number that ``mode`` chooses."""
    if is_nan(bits, sort):
        return nan(sort)
    if is_infinite(bits, sort):
        return bits
    value = rational(bits, sort)
    match mode:
        case RoundingMode.NEAREST_EVEN:
            integer = round(value)
        case RoundingMode.NEAREST_AWAY:
            integer = (abs(value) + Fraction(1, 2)).__floor__() * (-1 if value < 0 else 1)
        case RoundingMode.UP:
            integer = value.__ceil__()
        case RoundingMode.DOWN:
            integer = value.__floor__()
        case RoundingMode.TO_ZERO:
            integer = value.__trunc__()
    return round_rational(Fraction(integer), _is_negative(bits, sort), sort)


def truncate(bits: int, sort: Sort) -> int | None:
    """The integral part, ``None`` for NaN and infinities."""
    if is_nan(bits, sort) or is_infinite(bits, sort):
        return None
    return rational(bits, sort).__trunc__()


def compare(kind: Kind, left: int, right: int, sort: Sort) -> bool:
    """``FP_EQ``, ``FP_LT`` or ``FP_LE``."""
    if is_nan(left, sort) or is_nan(right, sort):
        return False
    x, y = _ordered(left, sort), _ordered(right, sort)
    if kind is Kind.FP_EQ:
        return x == y
    return x < y if kind is Kind.FP_LT else x <= y


def _ordered(bits: int, sort: Sort) -> int:
    """An integer that orders the numbers: the magnitude's bits, negated for negative numbers."""
    magnitude = bits & ((1 << (sort.width - 1)) - 1)
    return -magnitude if _is_negative(bits, sort) else magnitude
