"""Models of functions of ``<math.h>`` (ISO C 7.12, Annex F), beside those of :mod:`gia.smt.encoding.library.values`.

Each is exact, in the rounding mode that a program begins with; a result that the standard leaves open is open here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import trunc

from gia.cfa.types import DOUBLE, LONG_LONG, IntegerType, long_type
from gia.smt.encoding.assignment import store_at
from gia.smt.encoding.conversions import convert, float_bits
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.terms import (
    RoundingMode,
    Sort,
    SortKind,
    Term,
    bv_add,
    bv_const,
    bv_sort,
    bv_sub,
    concat,
    disjunction,
    equal,
    extract,
    fp_abs,
    fp_const,
    fp_equal,
    fp_from_bits,
    fp_from_integer,
    fp_from_python,
    fp_is_infinite,
    fp_is_nan,
    fp_lt,
    fp_mul,
    fp_neg,
    fp_round,
    fp_sub,
    fp_to_bits,
    ite,
    zero_extend,
)
from gia.smt.terms.ieee import infinity, is_infinite, is_nan, nan, rational, round_rational

FloatModel = Callable[[Evaluator, list[Term]], Term | None]


def _named(stems: str, model: FloatModel, count: int = 1) -> dict[str, FloatModel]:
    """The model of functions of ``count`` numbers of type ``double``, and of those of ``float`` beside them."""

    def checked(evaluator: Evaluator, values: list[Term]) -> Term | None:
        numbers = values[:count]
        fits = len(numbers) == count and all(number.sort.kind is SortKind.FP for number in numbers)
        return model(evaluator, values) if fits and len({number.sort for number in numbers}) == 1 else None

    return {stem + suffix: checked for stem in stems.split() for suffix in ("", "f")}


# ---------------------------------------------------------------------- parts of a number
def _nan(sort: Sort) -> Term:
    return fp_const(nan(sort), sort)


def _is_zero(value: Term) -> Term:
    return fp_equal(value, fp_const(0, value.sort))


def _with_sign_of(magnitude: Term, value: Term) -> Term:
    """``magnitude``, which is not negative, with the sign of a number that is not NaN."""
    is_negative = equal(extract(fp_to_bits(value), value.width - 1, value.width - 1), bv_const(1, 1))
    return ite(is_negative, fp_neg(magnitude), magnitude)


def _bias(sort: Sort) -> int:
    return (1 << (sort.exponent - 1)) - 1


def _exponent_field(value: Term) -> Term:
    """The biased exponent as an ``int``."""
    stored = value.sort.significand - 1
    return zero_extend(extract(fp_to_bits(value), value.width - 2, stored), 32 - value.sort.exponent)


def _normalised(value: Term) -> tuple[Term, Term]:
    """A normal number with the significand of a finite one that is not 0, and what its exponent is less by."""
    sort = value.sort
    shift = sort.significand
    is_subnormal = equal(_exponent_field(value), bv_const(0, 32))
    scaled = ite(is_subnormal, fp_mul(value, fp_from_python(2.0**shift, sort)), value)
    return scaled, ite(is_subnormal, bv_const(shift, 32), bv_const(0, 32))


def _exponent(value: Term) -> Term:
    """The exponent of a finite number that is not 0, as ``logb`` counts it."""
    scaled, less = _normalised(value)
    return bv_sub(_exponent_field(scaled), bv_add(less, bv_const(_bias(value.sort), 32)))


# ---------------------------------------------------------------------- pure functions
def _positive_difference(_: Evaluator, values: list[Term]) -> Term:
    left, right = values
    ordered = ite(fp_lt(right, left), fp_sub(left, right), fp_const(0, left.sort))
    return ite(disjunction(fp_is_nan(left), fp_is_nan(right)), _nan(left.sort), ordered)


def _to_integer(mode: RoundingMode, target: IntegerType | None = None) -> FloatModel:
    """To a ``long`` if no other type is given; a number that does not fit is unspecified."""

    def model(evaluator: Evaluator, values: list[Term]) -> Term:
        world = evaluator.world
        type_ = target or long_type(world.types.data_model)
        return convert(fp_round(values[0], mode), DOUBLE, type_, world.types, world.names)

    return model


def _rest(nearest: bool) -> FloatModel:
    """``fmod``, and ``remainder`` if ``nearest``: of constants only."""

    def model(_: Evaluator, values: list[Term]) -> Term | None:
        sort = values[0].sort
        first, second = values[0].value, values[1].value
        if first is None or second is None:
            return None
        if is_nan(first, sort) or is_nan(second, sort) or is_infinite(first, sort):
            return _nan(sort)
        if is_infinite(second, sort):
            return values[0]
        x, y = rational(first, sort), rational(second, sort)
        if y == 0:
            return _nan(sort)
        rest = x - y * (round(x / y) if nearest else trunc(x / y))
        return fp_const(round_rational(rest, bool(first >> (sort.width - 1)), sort), sort)

    return model


def _scaled(_: Evaluator, values: list[Term]) -> Term | None:
    """``ldexp`` by a constant; a power of two that is a normal number is multiplied with once."""
    value, exponent = values
    if exponent.value is None:
        return None
    power = exponent.value - (1 << exponent.width) if exponent.value >> (exponent.width - 1) else exponent.value
    bias = _bias(value.sort)
    if not 1 - bias <= power <= bias:
        return None
    return fp_mul(value, fp_const(round_rational(Fraction(2) ** power, False, value.sort), value.sort))


def _next(_: Evaluator, values: list[Term]) -> Term:
    value, towards = values
    sort = value.sort
    bits = fp_to_bits(value)
    one = bv_const(1, sort.width)
    grows = equal(fp_lt(value, towards), fp_lt(fp_const(0, sort), value))
    moved = fp_from_bits(ite(grows, bv_add(bits, one), bv_sub(bits, one)), sort)
    least = fp_const(1, sort)
    from_zero = ite(fp_lt(towards, fp_const(0, sort)), fp_neg(least), least)
    different = ite(_is_zero(value), from_zero, moved)
    found = ite(fp_equal(value, towards), towards, different)
    return ite(disjunction(fp_is_nan(value), fp_is_nan(towards)), _nan(sort), found)


def _exponent_as_float(_: Evaluator, values: list[Term]) -> Term:
    value = values[0]
    sort = value.sort
    found = fp_from_integer(_exponent(value), True, sort)
    found = ite(_is_zero(value), fp_const(infinity(True, sort), sort), found)
    found = ite(fp_is_infinite(value), fp_const(infinity(False, sort), sort), found)
    return ite(fp_is_nan(value), _nan(sort), found)


def _exponent_as_integer(_: Evaluator, values: list[Term]) -> Term:
    """``FP_ILOGB0`` and ``FP_ILOGBNAN`` of glibc are both the least ``int``."""
    value = values[0]
    found = ite(fp_is_infinite(value), bv_const((1 << 31) - 1, 32), _exponent(value))
    return ite(disjunction(_is_zero(value), fp_is_nan(value)), bv_const(1 << 31, 32), found)


def _sign_bit(evaluator: Evaluator, values: list[Term]) -> Term:
    """Some nonzero number for a negative one."""
    value, names = values[0], evaluator.world.names
    sign = extract(float_bits(value, names), value.width - 1, value.width - 1)
    nonzero = names.fresh("sign bit", bv_sort(32))
    positive = ite(equal(nonzero, bv_const(0, 32)), bv_const(1, 32), nonzero)
    return ite(equal(sign, bv_const(1, 1)), positive, bv_const(0, 32))


def _class(_: Evaluator, values: list[Term]) -> Term:
    """``FP_NAN``, ``FP_INFINITE``, ``FP_ZERO``, ``FP_SUBNORMAL`` or ``FP_NORMAL`` of glibc: 0 to 4."""
    value = values[0]
    is_subnormal = equal(_exponent_field(value), bv_const(0, 32))
    found = ite(is_subnormal, bv_const(3, 32), bv_const(4, 32))
    found = ite(_is_zero(value), bv_const(2, 32), found)
    found = ite(fp_is_infinite(value), bv_const(1, 32), found)
    return ite(fp_is_nan(value), bv_const(0, 32), found)


FLOAT_MODELS: Mapping[str, FloatModel] = {
    **_named("fdim", _positive_difference, 2),
    **_named("lround", _to_integer(RoundingMode.NEAREST_AWAY)),
    **_named("llround", _to_integer(RoundingMode.NEAREST_AWAY, LONG_LONG)),
    **_named("lrint", _to_integer(RoundingMode.NEAREST_EVEN)),
    **_named("llrint", _to_integer(RoundingMode.NEAREST_EVEN, LONG_LONG)),
    **_named("roundeven", lambda _, values: fp_round(values[0], RoundingMode.NEAREST_EVEN)),
    **_named("fmod", _rest(nearest=False), 2),
    **_named("remainder drem", _rest(nearest=True), 2),
    **_named("ldexp scalbn scalbln", _scaled),
    **_named("nextafter", _next, 2),
    **_named("logb", _exponent_as_float),
    **_named("ilogb", _exponent_as_integer),
    **_named("signbit __signbit", _sign_bit),
    **_named("__fpclassify", _class),
}
"""Functions that only compute a value, by their names."""


# ---------------------------------------------------------------------- functions that store a second result
def _whole_and_fraction(evaluator: Evaluator, values: list[Term]) -> Term:
    """``modf``: both parts have the sign of the number."""
    value, place = values
    whole = fp_round(value, RoundingMode.TO_ZERO)
    rest = ite(fp_is_infinite(value), fp_const(0, value.sort), fp_abs(fp_sub(value, whole)))
    evaluator.state = store_at(evaluator, place, float_bits(whole, evaluator.world.names))
    return ite(fp_is_nan(value), _nan(value.sort), _with_sign_of(rest, value))


def _significand_and_exponent(evaluator: Evaluator, values: list[Term]) -> Term:
    """``frexp``: the significand is in [1/2, 1); the exponent of what has none is unspecified."""
    value, place = values
    sort = value.sort
    scaled, _less = _normalised(value)
    bits = fp_to_bits(scaled)
    stored = sort.significand - 1
    sign, fraction = extract(bits, sort.width - 1, sort.width - 1), extract(bits, stored - 1, 0)
    half = fp_from_bits(concat(concat(sign, bv_const(_bias(sort) - 1, sort.exponent)), fraction), sort)
    is_special = disjunction(fp_is_nan(value), fp_is_infinite(value))
    exponent = ite(_is_zero(value), bv_const(0, 32), bv_add(_exponent(value), bv_const(1, 32)))
    unspecified = evaluator.world.names.fresh("exponent", bv_sort(32))
    evaluator.state = store_at(evaluator, place, ite(is_special, unspecified, exponent))
    return ite(disjunction(is_special, _is_zero(value)), value, half)


SPLITTING: Mapping[str, FloatModel] = {
    **_named("modf", _whole_and_fraction),
    **_named("frexp", _significand_and_exponent),
}
"""Functions that store a second result where their last argument points to; they change the evaluator's state."""
