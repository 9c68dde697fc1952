"""Constructors of bit-vector terms; they simplify while they build.

Sums keep their constant on the right and collect it: ``(x + 1) + 2`` is ``x + 3``, so that a pointer stays its base and
one offset.
"""

from __future__ import annotations

from collections.abc import Callable

from gia.smt.terms.nodes import Kind, Sort, SortKind, Term, make, signed
from gia.smt.terms.tables import has_constant_leaves, lift

CONST, ITE = Kind.CONST, Kind.ITE


def _const(value: int, sort: Sort) -> Term:
    return make(CONST, (), value & ((1 << sort.width) - 1), sort)


def _mask(term: Term) -> int:
    return (1 << term.sort.width) - 1


def bv_not(operand: Term) -> Term:
    """Bitwise complement."""
    if operand.value is not None:
        return _const(~operand.value, operand.sort)
    if operand.kind is Kind.BV_NOT:
        return operand.children[0]
    return make(Kind.BV_NOT, (operand,), None, operand.sort)


def bv_neg(operand: Term) -> Term:
    """Two's complement negation."""
    if operand.value is not None:
        return _const(-operand.value, operand.sort)
    if operand.kind is Kind.BV_NEG:
        return operand.children[0]
    if operand.kind is Kind.BV_ADD and operand.children[1].value is not None:
        return bv_add(bv_neg(operand.children[0]), _const(-operand.children[1].value, operand.sort))
    if has_constant_leaves(operand):
        return lift(bv_neg, operand)
    return make(Kind.BV_NEG, (operand,), None, operand.sort)


def bv_add(left: Term, right: Term) -> Term:
    """Sum modulo ``2**width``."""
    if left.value is not None:
        left, right = right, left
    if right.value is not None:
        addend = right.value
        if left.value is not None:
            return _const(left.value + addend, left.sort)
        if addend == 0:
            return left
        if left.kind is Kind.BV_ADD and left.children[1].value is not None:
            return bv_add(left.children[0], _const(left.children[1].value + addend, left.sort))
        if has_constant_leaves(left):
            return lift(lambda leaf: bv_add(leaf, right), left)
        return make(Kind.BV_ADD, (left, right), None, left.sort)
    if left.kind is Kind.BV_ADD and left.children[1].value is not None:
        return bv_add(bv_add(left.children[0], right), left.children[1])
    if right.kind is Kind.BV_ADD and right.children[1].value is not None:
        return bv_add(bv_add(left, right.children[0]), right.children[1])
    return _sum(left, right)


def _sum(left: Term, right: Term) -> Term:
    """A sum without a constant on top of either operand; opposite operands cancel."""
    for first, second in ((left, right), (right, left)):
        if second.kind is Kind.BV_NEG:
            subtrahend = second.children[0]
            if subtrahend is first:
                return _const(0, left.sort)
            if first.kind is Kind.BV_ADD and subtrahend in first.children:
                x, y = first.children
                return y if x is subtrahend else x
            if subtrahend.kind is Kind.BV_ADD and first in subtrahend.children:
                x, y = subtrahend.children
                return bv_neg(y if x is first else x)
        if first.kind is Kind.BV_ADD:
            for place in (0, 1):
                addend, rest = first.children[place], first.children[1 - place]
                if addend.kind is Kind.BV_NEG and addend.children[0] is second:
                    return rest
    if left.number > right.number:
        left, right = right, left
    return make(Kind.BV_ADD, (left, right), None, left.sort)


def bv_sub(left: Term, right: Term) -> Term:
    """Difference modulo ``2**width``."""
    if left is right:
        return _const(0, left.sort)
    return bv_add(left, bv_neg(right))


def bv_mul(left: Term, right: Term) -> Term:
    """Product modulo ``2**width``."""
    if left.value is not None:
        left, right = right, left
    if right.value is not None:
        factor = right.value
        if left.value is not None:
            return _const(left.value * factor, left.sort)
        if factor == 0:
            return right
        if factor == 1:
            return left
        if factor == _mask(left):
            return bv_neg(left)
        if left.kind is Kind.BV_MUL and left.children[1].value is not None:
            return bv_mul(left.children[0], _const(left.children[1].value * factor, left.sort))
        if left.kind is Kind.BV_ADD and left.children[1].value is not None:
            constant = _const(left.children[1].value * factor, left.sort)
            return bv_add(bv_mul(left.children[0], right), constant)
        if has_constant_leaves(left):
            return lift(lambda leaf: bv_mul(leaf, right), left)
    elif left.number > right.number:
        left, right = right, left
    return make(Kind.BV_MUL, (left, right), None, left.sort)


def bv_udiv(left: Term, right: Term) -> Term:
    """Unsigned quotient; all ones if ``right`` is 0 (SMT-LIB)."""
    if right.value == 1:
        return left
    return _fold(Kind.BV_UDIV, left, right, lambda x, y, mask: x // y if y else mask)


def bv_urem(left: Term, right: Term) -> Term:
    """Unsigned remainder; ``left`` if ``right`` is 0 (SMT-LIB)."""
    if right.value == 1:
        return _const(0, left.sort)
    return _fold(Kind.BV_UREM, left, right, lambda x, y, mask: x % y if y else x)


def signed_quotient(left: int, right: int, width: int) -> int:
    """``bvsdiv`` on unsigned readings: truncating; for 0: -1, or 1 if ``left`` is negative."""
    x, y = signed(left, width), signed(right, width)
    if y == 0:
        return 1 if x < 0 else -1
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def signed_remainder(left: int, right: int, width: int) -> int:
    """``bvsrem`` on unsigned readings: the sign of ``left``; ``left`` for 0."""
    x, y = signed(left, width), signed(right, width)
    if y == 0:
        return x
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


def bv_sdiv(left: Term, right: Term) -> Term:
    """Signed quotient, truncating."""
    if right.value == 1:
        return left
    return _fold(Kind.BV_SDIV, left, right, lambda x, y, _: signed_quotient(x, y, left.width))


def bv_srem(left: Term, right: Term) -> Term:
    """Signed remainder with the sign of ``left``."""
    if right.value == 1:
        return _const(0, left.sort)
    return _fold(Kind.BV_SREM, left, right, lambda x, y, _: signed_remainder(x, y, left.width))


def _fold(kind: Kind, left: Term, right: Term, compute: Callable[[int, int, int], int]) -> Term:
    if left.value is not None and right.value is not None:
        return _const(compute(left.value, right.value, _mask(left)), left.sort)
    if right.value is not None and has_constant_leaves(left):
        return lift(lambda leaf: _fold(kind, leaf, right, compute), left)
    return make(kind, (left, right), None, left.sort)


def bv_and(left: Term, right: Term) -> Term:
    """Bitwise and."""
    if left.value is not None:
        left, right = right, left
    if left is right or right.value == _mask(left):
        return left
    if right.value is not None:
        if right.value == 0:
            return right
        low_ones = right.value.bit_length()
        if right.value == (1 << low_ones) - 1 and low_ones < left.width:  # a mask: cheaper as an extraction
            return zero_extend(extract(left, low_ones - 1, 0), left.width - low_ones)
        if left.kind is Kind.BV_AND and left.children[1].value is not None:
            return bv_and(left.children[0], _const(left.children[1].value & right.value, left.sort))
        if has_constant_leaves(left):
            return lift(lambda leaf: bv_and(leaf, right), left)
    return _commutative(Kind.BV_AND, left, right, lambda x, y, _: x & y)


def bv_or(left: Term, right: Term) -> Term:
    """Bitwise or."""
    if left.value is not None:
        left, right = right, left
    if left is right or right.value == 0:
        return left
    if right.value is not None:
        if right.value == _mask(left):
            return right
        if left.kind is Kind.BV_OR and left.children[1].value is not None:
            return bv_or(left.children[0], _const(left.children[1].value | right.value, left.sort))
    return _commutative(Kind.BV_OR, left, right, lambda x, y, _: x | y)


def bv_xor(left: Term, right: Term) -> Term:
    """Bitwise exclusive or."""
    if left.value is not None:
        left, right = right, left
    if left is right:
        return _const(0, left.sort)
    if right.value is not None:
        if right.value == 0:
            return left
        if right.value == _mask(left):
            return bv_not(left)
        if left.kind is Kind.BV_XOR and left.children[1].value is not None:
            return bv_xor(left.children[0], _const(left.children[1].value ^ right.value, left.sort))
    return _commutative(Kind.BV_XOR, left, right, lambda x, y, _: x ^ y)


def _commutative(kind: Kind, left: Term, right: Term, compute: Callable[[int, int, int], int]) -> Term:
    """A constant, if any, is on the right already."""
    if right.value is None and left.number > right.number:
        left, right = right, left
    return _fold(kind, left, right, compute)


def bv_shl(left: Term, amount: Term) -> Term:
    """Shift left; 0 if the amount is at least the width."""
    width = left.width
    if amount.value is not None:
        shift = amount.value
        if shift == 0:
            return left
        if shift >= width:
            return _const(0, left.sort)
        return bv_mul(left, _const(1 << shift, left.sort))
    return _shift(Kind.BV_SHL, left, amount, lambda x, n, _: x << n if n < width else 0)


def bv_lshr(left: Term, amount: Term) -> Term:
    """Logical shift right; 0 if the amount is at least the width."""
    width = left.width
    if amount.value is not None:
        shift = amount.value
        if shift == 0:
            return left
        if shift >= width:
            return _const(0, left.sort)
        return zero_extend(extract(left, width - 1, shift), shift)
    return _shift(Kind.BV_LSHR, left, amount, lambda x, n, _: x >> n if n < width else 0)


def bv_ashr(left: Term, amount: Term) -> Term:
    """Arithmetic shift right; the sign everywhere if the amount is at least the width."""
    width = left.width
    if amount.value is not None:
        shift = min(amount.value, width - 1)
        return left if shift == 0 else sign_extend(extract(left, width - 1, shift), shift)
    return _shift(Kind.BV_ASHR, left, amount, lambda x, n, _: signed(x, width) >> min(n, width - 1))


def _shift(kind: Kind, left: Term, amount: Term, compute: Callable[[int, int, int], int]) -> Term:
    if has_constant_leaves(amount):  # a constant amount folds further than the shift itself
        shift = {Kind.BV_SHL: bv_shl, Kind.BV_LSHR: bv_lshr, Kind.BV_ASHR: bv_ashr}[kind]
        return lift(lambda leaf: shift(left, leaf), amount)
    return _fold(kind, left, amount, compute)


def concat(high: Term, low: Term) -> Term:
    """The bits of ``high`` above those of ``low``."""
    sort = Sort(SortKind.BV, high.width + low.width)
    if low.value is not None and high.value is not None:
        return _const(high.value << low.width | low.value, sort)
    if high.value == 0:
        return zero_extend(low, high.width)
    if high.kind is Kind.EXTRACT:
        inner, (top, bottom) = high.children[0], _bounds(high)
        if low.kind is Kind.EXTRACT and low.children[0] is inner and _bounds(low)[0] + 1 == bottom:
            return extract(inner, top, _bounds(low)[1])
        if low.kind is Kind.CONCAT and low.children[0].kind is Kind.EXTRACT:
            neighbour, rest = low.children
            if neighbour.children[0] is inner and _bounds(neighbour)[0] + 1 == bottom:
                return concat(extract(inner, top, _bounds(neighbour)[1]), rest)
    if high.kind is Kind.CONCAT:  # concatenations lean to the right
        return concat(high.children[0], concat(high.children[1], low))
    return make(Kind.CONCAT, (high, low), None, sort)


def _bounds(term: Term) -> tuple[int, int]:
    assert isinstance(term.data, tuple) and not isinstance(term.data, Sort)
    high, low = term.data
    return high, low


def extract(operand: Term, high: int, low: int) -> Term:
    """The bits ``high`` … ``low`` (both included, least significant is 0)."""
    width = high - low + 1
    if width == operand.width:
        return operand
    if operand.value is not None:
        return _const(operand.value >> low, Sort(SortKind.BV, width))
    kind = operand.kind
    if kind is Kind.EXTRACT:
        base = _bounds(operand)[1]
        return extract(operand.children[0], high + base, low + base)
    if kind in (Kind.ZERO_EXTEND, Kind.SIGN_EXTEND):
        return _extract_extension(operand, high, low)
    if kind is Kind.CONCAT:
        upper, lower = operand.children
        if high < lower.width:
            return extract(lower, high, low)
        if low >= lower.width:
            return extract(upper, high - lower.width, low - lower.width)
        return concat(extract(upper, high - lower.width, 0), extract(lower, lower.width - 1, low))
    if low == 0 and kind in _LOW_BITS:  # the low bits of a result depend on the low bits of the operands only
        build = _LOW_BITS[kind]
        if any(child.value is not None or child.kind in EXTENSIONS for child in operand.children):
            return build(*(extract(child, high, 0) for child in operand.children))
    if has_constant_leaves(operand):
        return lift(lambda leaf: extract(leaf, high, low), operand)
    return make(Kind.EXTRACT, (operand,), (high, low), Sort(SortKind.BV, width))


def _extract_extension(operand: Term, high: int, low: int) -> Term:
    inner = operand.children[0]
    if high < inner.width:
        return extract(inner, high, low)
    if operand.kind is Kind.ZERO_EXTEND:
        if low >= inner.width:
            return _const(0, Sort(SortKind.BV, high - low + 1))
        return zero_extend(extract(inner, inner.width - 1, low), high - inner.width + 1)
    if low < inner.width:
        return sign_extend(extract(inner, inner.width - 1, low), high - inner.width + 1)
    return sign_extend(extract(inner, inner.width - 1, inner.width - 1), high - low)


EXTENSIONS = frozenset({Kind.ZERO_EXTEND, Kind.SIGN_EXTEND})
_LOW_BITS: dict[Kind, Callable[..., Term]] = {
    Kind.BV_ADD: bv_add,
    Kind.BV_MUL: bv_mul,
    Kind.BV_NEG: bv_neg,
    Kind.BV_NOT: bv_not,
    Kind.BV_AND: bv_and,
    Kind.BV_OR: bv_or,
    Kind.BV_XOR: bv_xor,
}


def zero_extend(operand: Term, bits: int) -> Term:
    """``bits`` zeros above ``operand``."""
    if bits == 0:
        return operand
    sort = Sort(SortKind.BV, operand.width + bits)
    if operand.value is not None:
        return _const(operand.value, sort)
    if operand.kind is Kind.ZERO_EXTEND:
        inner = operand.children[0]
        return make(Kind.ZERO_EXTEND, (inner,), sort.width - inner.width, sort)
    if has_constant_leaves(operand):
        return lift(lambda leaf: zero_extend(leaf, bits), operand)
    return make(Kind.ZERO_EXTEND, (operand,), bits, sort)


def sign_extend(operand: Term, bits: int) -> Term:
    """``bits`` copies of the sign above ``operand``."""
    if bits == 0:
        return operand
    sort = Sort(SortKind.BV, operand.width + bits)
    if operand.value is not None:
        return _const(signed(operand.value, operand.width), sort)
    if operand.kind is Kind.ZERO_EXTEND:
        return zero_extend(operand, bits)
    if operand.kind is Kind.SIGN_EXTEND:
        inner = operand.children[0]
        return make(Kind.SIGN_EXTEND, (inner,), sort.width - inner.width, sort)
    if has_constant_leaves(operand):
        return lift(lambda leaf: sign_extend(leaf, bits), operand)
    return make(Kind.SIGN_EXTEND, (operand,), bits, sort)


def resize(operand: Term, width: int, is_signed: bool) -> Term:
    """``operand`` cut to, or extended to, ``width`` bits."""
    if width <= operand.width:
        return extract(operand, width - 1, 0)
    return (sign_extend if is_signed else zero_extend)(operand, width - operand.width)
