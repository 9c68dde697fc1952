"""Models of library functions that only compute a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gia.smt.encoding.conversions import float_bits, to_int
from gia.smt.encoding.evaluator import Evaluator
from gia.smt.encoding.library.bits import BIT_MODELS
from gia.smt.encoding.library.character_classes import character_classes
from gia.smt.encoding.library.floats import FLOAT_MODELS
from gia.smt.encoding.library.strings import TEXT_MODELS
from gia.smt.terms import (
    BOOL,
    RoundingMode,
    SortKind,
    Term,
    bv_add,
    bv_const,
    bv_neg,
    concat,
    conjunction,
    disjunction,
    equal,
    extract,
    fp_abs,
    fp_const,
    fp_from_bits,
    fp_is_infinite,
    fp_is_nan,
    fp_lt,
    fp_round,
    fp_sqrt,
    ite,
    negation,
    slt,
    ule,
)

PureModel = Callable[[Evaluator, list[Term]], Term | None]


def _of_int(compute: Callable[[Term], Term]) -> PureModel:
    def model(_: Evaluator, values: list[Term]) -> Term | None:
        return compute(values[0]) if len(values) == 1 and values[0].sort.kind is SortKind.BV else None

    return model


def _of_float(compute: Callable[[Term], Term]) -> PureModel:
    def model(_: Evaluator, values: list[Term]) -> Term | None:
        return compute(values[0]) if len(values) == 1 and values[0].sort.kind is SortKind.FP else None

    return model


def _absolute(value: Term) -> Term:
    return ite(slt(value, bv_const(0, value.width)), bv_neg(value), value)


def _character(*ranges: tuple[str, str]) -> PureModel:
    """A classification of ``<ctype.h>``: some nonzero value for the characters, in the C locale."""

    def model(evaluator: Evaluator, values: list[Term]) -> Term | None:
        inside = _within(values[0], ranges)
        nonzero = evaluator.world.names.fresh("class", values[0].sort)
        positive = ite(equal(nonzero, bv_const(0, nonzero.width)), bv_const(1, nonzero.width), nonzero)
        return ite(inside, positive, bv_const(0, positive.width))

    return model


def _within(value: Term, ranges: tuple[tuple[str, str], ...]) -> Term:
    width = value.width
    return disjunction(
        *(
            conjunction(ule(bv_const(ord(low), width), value), ule(value, bv_const(ord(high), width)))
            for low, high in ranges
        )
    )


def _shifted_case(low: str, high: str, distance: int) -> PureModel:
    def model(_: Evaluator, values: list[Term]) -> Term | None:
        value = values[0]
        moved = bv_add(value, bv_const(distance, value.width))
        return ite(_within(value, ((low, high),)), moved, value)

    return model


def _choose(prefer_second: Callable[[Term, Term], Term]) -> PureModel:
    """``fmin`` and ``fmax``: the number if the other is NaN."""

    def model(evaluator: Evaluator, values: list[Term]) -> Term | None:
        left, right = values
        if left.sort.kind is not SortKind.FP or left.sort != right.sort:
            return None
        # Which of two zeros of different sign is returned is left open.
        either = evaluator.world.names.fresh("zero", left.sort)
        zeros = conjunction(
            *(equal(fp_abs(value), fp_const(0, left.sort)) for value in values), negation(equal(left, right))
        )
        zero = ite(fp_lt(either, fp_const(0, left.sort)), left, right)
        second = disjunction(fp_is_nan(left), prefer_second(left, right))
        return ite(zeros, zero, ite(second, ite(fp_is_nan(right), left, right), left))

    return model


def _copysign(evaluator: Evaluator, values: list[Term]) -> Term | None:
    left, right = values
    if left.sort.kind is not SortKind.FP or left.sort != right.sort:
        return None
    top = left.width - 1
    names = evaluator.world.names
    sign = extract(float_bits(right, names), top, top)
    return fp_from_bits(concat(sign, extract(float_bits(left, names), top - 1, 0)), left.sort)


def _finite(value: Term) -> Term:
    return to_int(conjunction(negation(fp_is_nan(value)), negation(fp_is_infinite(value))))


def _is_infinite(evaluator: Evaluator, values: list[Term]) -> Term | None:
    """``isinf``: for the negative infinity glibc returns -1, gcc's builtin 1."""
    value = values[0]
    if value.sort.kind is not SortKind.FP:
        return None
    negative = conjunction(fp_lt(value, fp_const(0, value.sort)), evaluator.world.names.fresh("isinf", BOOL))
    return ite(fp_is_infinite(value), ite(negative, bv_const(-1, 32), bv_const(1, 32)), bv_const(0, 32))


def _rounded(mode: RoundingMode) -> PureModel:
    return _of_float(lambda value: fp_round(value, mode))


def _classes(evaluator: Evaluator, _: list[Term]) -> Term | None:
    """The table that the macros of ``<ctype.h>`` of glibc look into."""
    return character_classes(evaluator.world)


def _expect(_: Evaluator, values: list[Term]) -> Term | None:
    return values[0]


PURE_MODELS: Mapping[str, PureModel] = {
    **dict.fromkeys(("abs", "labs", "llabs", "imaxabs"), _of_int(_absolute)),
    "isdigit": _character(("0", "9")),
    "isupper": _character(("A", "Z")),
    "islower": _character(("a", "z")),
    "isalpha": _character(("A", "Z"), ("a", "z")),
    "isalnum": _character(("0", "9"), ("A", "Z"), ("a", "z")),
    "isxdigit": _character(("0", "9"), ("A", "F"), ("a", "f")),
    "isspace": _character(("\t", "\r"), (" ", " ")),
    "isblank": _character(("\t", "\t"), (" ", " ")),
    "isprint": _character((" ", "~")),
    "isgraph": _character(("!", "~")),
    "ispunct": _character(("!", "/"), (":", "@"), ("[", "`"), ("{", "~")),
    "iscntrl": _character(("\0", "\x1f"), ("\x7f", "\x7f")),
    "toupper": _shifted_case("a", "z", -32),
    "tolower": _shifted_case("A", "Z", 32),
    **dict.fromkeys(("fabs", "fabsf"), _of_float(fp_abs)),
    **dict.fromkeys(("sqrt", "sqrtf"), _of_float(fp_sqrt)),
    **dict.fromkeys(("floor", "floorf"), _rounded(RoundingMode.DOWN)),
    **dict.fromkeys(("ceil", "ceilf"), _rounded(RoundingMode.UP)),
    **dict.fromkeys(("trunc", "truncf"), _rounded(RoundingMode.TO_ZERO)),
    **dict.fromkeys(("round", "roundf"), _rounded(RoundingMode.NEAREST_AWAY)),
    **dict.fromkeys(("rint", "rintf", "nearbyint", "nearbyintf"), _rounded(RoundingMode.NEAREST_EVEN)),
    **dict.fromkeys(("fmin", "fminf"), _choose(lambda left, right: fp_lt(right, left))),
    **dict.fromkeys(("fmax", "fmaxf"), _choose(fp_lt)),
    **dict.fromkeys(("copysign", "copysignf"), _copysign),
    **dict.fromkeys(("isnan", "__isnan", "__isnanf", "isnanf"), _of_float(lambda value: to_int(fp_is_nan(value)))),
    **dict.fromkeys(("isinf", "__isinf", "__isinff", "isinff", "isinf_sign"), _is_infinite),
    **dict.fromkeys(("finite", "__finite", "__finitef", "isfinite", "finitef"), _of_float(_finite)),
    "expect": _expect,
    "__ctype_b_loc": _classes,
    **BIT_MODELS,
    **FLOAT_MODELS,
    **TEXT_MODELS,
}
