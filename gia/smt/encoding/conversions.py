"""C's scalar types as sorts, and its conversions between them (ISO C 6.3).

A float or double is a floating-point term, a pointer a bit-vector of the data model's width, everything else a
bit-vector. ``long double`` is a bit-vector of 80 bits about which nothing is known but its copies.
"""

from __future__ import annotations

from itertools import count

from gia.cfa.types import CType, FloatType, IntegerType, PointerType, TypeTable
from gia.smt.terms import (
    FLOAT32,
    FLOAT64,
    RoundingMode,
    Sort,
    SortKind,
    Term,
    bv_const,
    bv_sort,
    concat,
    conjunction,
    distinct,
    equal,
    extract,
    fp_const,
    fp_convert,
    fp_equal,
    fp_from_bits,
    fp_from_integer,
    fp_from_python,
    fp_is_nan,
    fp_le,
    fp_lt,
    fp_round,
    fp_to_bits,
    fp_to_integer,
    ite,
    negation,
    resize,
    variable,
    zero_extend,
)


class Names:
    """Gives out variables that occur nowhere else."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def fresh(self, hint: str, sort: Sort) -> Term:
        """A new variable; ``hint`` is for readers."""
        return variable(f"{hint}!{next(self._numbers)}", sort)


def scalar_sort(type_: CType, types: TypeTable) -> Sort:
    """The sort of the values of a scalar type."""
    match type_:
        case IntegerType(width=width):
            return bv_sort(width)
        case FloatType(width=32):
            return FLOAT32
        case FloatType(width=64):
            return FLOAT64
        case FloatType(width=width):
            return bv_sort(width)
    return bv_sort(types.data_model.pointer_width)


def to_bits(term: Term, size: int, names: Names) -> Term:
    """The object representation of a value in ``size`` bytes."""
    bits = float_bits(term, names) if term.sort.kind is SortKind.FP else term
    return resize(bits, 8 * size, False)


def float_bits(term: Term, names: Names) -> Term:
    """The bits of a float. NaN is one number with many patterns: two that are known to be NaN may differ in them."""
    if not fp_is_nan(term).is_true:
        return fp_to_bits(term)
    payload = names.fresh("payload", bv_sort(term.sort.significand - 1))
    zero, one = bv_const(0, payload.width), bv_const(1, payload.width)
    exponent = bv_const(-1, term.sort.exponent)
    return concat(concat(names.fresh("sign", bv_sort(1)), exponent), ite(equal(payload, zero), one, payload))


def from_bits(bits: Term, sort: Sort) -> Term:
    """The value with this object representation."""
    if sort.kind is SortKind.FP:
        return fp_from_bits(bits, sort)
    return bits if bits.width == sort.width else extract(bits, sort.width - 1, 0)


def has_bits(term: Term, bits: int) -> Term:
    """Whether a scalar is the one with these bits."""
    match term.sort.kind:
        case SortKind.BOOL:
            return term if bits else negation(term)
        case SortKind.FP:
            return equal(term, fp_const(bits, term.sort))
    return equal(term, bv_const(bits, term.width))


def truth(term: Term) -> Term:
    """Whether a scalar compares unequal to 0."""
    if term.sort.kind is SortKind.FP:
        return negation(fp_equal(term, fp_const(0, term.sort)))
    return distinct(term, bv_const(0, term.width))


def to_int(condition: Term, width: int = 32) -> Term:
    """1 where the condition holds, else 0."""
    return ite(condition, bv_const(1, width), bv_const(0, width))


def is_signed(type_: CType) -> bool:
    """Whether values of the type are extended with their sign; gcc does so with pointers."""
    return type_.signed if isinstance(type_, IntegerType) else isinstance(type_, PointerType)


def convert(term: Term, source: CType, target: CType, types: TypeTable, names: Names) -> Term:
    """A value of ``source`` as a value of ``target``; where C leaves the result undefined, anything."""
    sort = scalar_sort(target, types)
    if isinstance(target, IntegerType) and target.is_bool:
        if isinstance(source, FloatType) and source.width == 80:
            return zero_extend(names.fresh("bool", bv_sort(1)), sort.width - 1)
        return to_int(truth(term), sort.width)
    from_float, to_float = isinstance(source, FloatType), isinstance(target, FloatType)
    if not from_float and not to_float:
        return resize(term, sort.width, is_signed(source))
    if from_float and to_float and term.sort == sort:
        return term
    if (from_float and term.sort.kind is not SortKind.FP) or (to_float and sort.kind is not SortKind.FP):
        return names.fresh("long-double", sort)
    if not to_float:
        return _to_integer(term, target, sort, names)
    if not from_float:
        return fp_from_integer(term, is_signed(source), sort)
    return fp_convert(term, sort)


def _to_integer(term: Term, target: CType, sort: Sort, names: Names) -> Term:
    """Truncation; out of range, anything."""
    width = sort.width
    signed = isinstance(target, IntegerType) and target.signed
    whole = fp_round(term, RoundingMode.TO_ZERO)
    lowest = fp_from_python(-(2.0 ** (width - 1)) if signed else 0.0, term.sort)
    limit = fp_from_python(2.0 ** (width - 1 if signed else width), term.sort)
    fits = conjunction(fp_le(lowest, whole), fp_lt(whole, limit))
    return ite(fits, fp_to_integer(term, width, signed), names.fresh("out-of-range", sort))
