"""Constructors of IEEE 754 terms; constants are folded. Arithmetic rounds to nearest, ties to even."""

from __future__ import annotations

from gia.smt.terms import ieee
from gia.smt.terms.booleans import ite
from gia.smt.terms.nodes import BOOL, Kind, RoundingMode, Sort, SortKind, Term, bool_const, bv_const, make, signed


def _fp_const(bits: int, sort: Sort) -> Term:
    return make(Kind.CONST, (), ieee.canonical(bits, sort), sort)


def fp_const(bits: int, sort: Sort) -> Term:
    """The number with these IEEE bits; all NaNs are one."""
    return _fp_const(bits, sort)


def fp_from_python(value: float, sort: Sort) -> Term:
    """``value`` rounded to ``sort``."""
    return _fp_const(ieee.round_float(value, sort), sort)


def fp_from_bits(operand: Term, sort: Sort) -> Term:
    """The number that the bits of ``operand`` stand for."""
    if operand.value is not None:
        return _fp_const(operand.value, sort)
    if operand.kind is Kind.FP_TO_BITS and operand.children[0].sort == sort:
        return operand.children[0]
    return make(Kind.FP_FROM_BITS, (operand,), None, sort)


def fp_to_bits(operand: Term) -> Term:
    """The bits of the number; for NaN some bit pattern of a NaN, nothing else is known."""
    if operand.value is not None and not ieee.is_nan(operand.value, operand.sort):
        return bv_const(operand.value, operand.width)
    if operand.kind is Kind.FP_FROM_BITS:
        return operand.children[0]
    if operand.kind is Kind.ITE:
        condition, then, other = operand.children
        if then.kind is Kind.FP_FROM_BITS or other.kind is Kind.FP_FROM_BITS:
            return ite(condition, fp_to_bits(then), fp_to_bits(other))
    return make(Kind.FP_TO_BITS, (operand,), operand.width, Sort(SortKind.BV, operand.width))


def _arithmetic(kind: Kind, left: Term, right: Term) -> Term:
    if left.value is not None and right.value is not None:
        return _fp_const(ieee.arithmetic(kind, left.value, right.value, left.sort), left.sort)
    return make(kind, (left, right), None, left.sort)


def fp_add(left: Term, right: Term) -> Term:
    """Sum."""
    return _arithmetic(Kind.FP_ADD, left, right)


def fp_sub(left: Term, right: Term) -> Term:
    """Difference."""
    return _arithmetic(Kind.FP_SUB, left, right)


def fp_mul(left: Term, right: Term) -> Term:
    """Product."""
    return _arithmetic(Kind.FP_MUL, left, right)


def fp_div(left: Term, right: Term) -> Term:
    """Quotient."""
    return _arithmetic(Kind.FP_DIV, left, right)


def fp_sqrt(operand: Term) -> Term:
    """Square root."""
    if operand.value is not None:
        return _fp_const(ieee.square_root(operand.value, operand.sort), operand.sort)
    return make(Kind.FP_SQRT, (operand,), None, operand.sort)


def fp_neg(operand: Term) -> Term:
    """The number with the opposite sign."""
    if operand.value is not None:
        return _fp_const(operand.value ^ (1 << (operand.width - 1)), operand.sort)
    if operand.kind is Kind.FP_NEG:
        return operand.children[0]
    return make(Kind.FP_NEG, (operand,), None, operand.sort)


def fp_abs(operand: Term) -> Term:
    """The number with the sign cleared."""
    if operand.value is not None:
        return _fp_const(operand.value & ((1 << (operand.width - 1)) - 1), operand.sort)
    return make(Kind.FP_ABS, (operand,), None, operand.sort)


def fp_round(operand: Term, mode: RoundingMode) -> Term:
    """The integral number that ``mode`` chooses."""
    if operand.value is not None:
        return _fp_const(ieee.round_to_integral(operand.value, operand.sort, mode), operand.sort)
    return make(Kind.FP_ROUND, (operand,), mode, operand.sort)


def _comparison(kind: Kind, left: Term, right: Term) -> Term:
    if left.value is not None and right.value is not None:
        return bool_const(ieee.compare(kind, left.value, right.value, left.sort))
    return make(kind, (left, right), None, BOOL)


def fp_equal(left: Term, right: Term) -> Term:
    """C's ``==``: false for NaN, true for zeros of either sign."""
    return _comparison(Kind.FP_EQ, left, right)


def fp_lt(left: Term, right: Term) -> Term:
    """C's ``<``."""
    return _comparison(Kind.FP_LT, left, right)


def fp_le(left: Term, right: Term) -> Term:
    """C's ``<=``."""
    return _comparison(Kind.FP_LE, left, right)


def fp_is_nan(operand: Term) -> Term:
    """Whether the operand is NaN."""
    if operand.value is not None:
        return bool_const(ieee.is_nan(operand.value, operand.sort))
    if operand.kind in (Kind.FP_FROM_SIGNED, Kind.FP_FROM_UNSIGNED):
        return bool_const(False)
    return make(Kind.FP_IS_NAN, (operand,), None, BOOL)


def fp_is_infinite(operand: Term) -> Term:
    """Whether the operand is an infinity."""
    if operand.value is not None:
        return bool_const(ieee.is_infinite(operand.value, operand.sort))
    return make(Kind.FP_IS_INF, (operand,), None, BOOL)


def fp_convert(operand: Term, sort: Sort) -> Term:
    """The operand rounded to another floating-point sort."""
    if operand.sort == sort:
        return operand
    if operand.value is not None:
        return _fp_const(ieee.convert(operand.value, operand.sort, sort), sort)
    if operand.kind is Kind.FP_FROM_FP and operand.children[0].sort == sort and operand.width > sort.width:
        return operand.children[0]  # widened and narrowed again
    return make(Kind.FP_FROM_FP, (operand,), None, sort)


def fp_from_integer(operand: Term, is_signed: bool, sort: Sort) -> Term:
    """The integer (a bit-vector) rounded to ``sort``."""
    if operand.value is not None:
        value = signed(operand.value, operand.width) if is_signed else operand.value
        return _fp_const(ieee.round_integer(value, sort), sort)
    return make(Kind.FP_FROM_SIGNED if is_signed else Kind.FP_FROM_UNSIGNED, (operand,), None, sort)


def fp_to_integer(operand: Term, width: int, is_signed: bool) -> Term:
    """The operand truncated to an integer of ``width`` bits; unspecified (see ``ieee``) out of range."""
    kind = Kind.FP_TO_SIGNED if is_signed else Kind.FP_TO_UNSIGNED
    if operand.value is not None:
        value = ieee.truncate(operand.value, operand.sort)
        if value is not None and in_range(value, width, is_signed):
            return bv_const(value, width)
    return make(kind, (operand,), width, Sort(SortKind.BV, width))


def in_range(value: int, width: int, is_signed: bool) -> bool:
    """Whether an integer type of ``width`` bits holds ``value``."""
    if is_signed:
        return -(1 << (width - 1)) <= value < 1 << (width - 1)
    return 0 <= value < 1 << width
