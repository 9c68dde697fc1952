"""Constructors of the comparisons of bit-vectors; those that are not kinds are made by swapping and negating."""

from __future__ import annotations

from collections.abc import Callable

from gia.smt.terms.bitvectors import EXTENSIONS, extract, sign_extend, zero_extend
from gia.smt.terms.booleans import equal, negation
from gia.smt.terms.nodes import BOOL, FALSE, TRUE, Kind, Term, bool_const, bv_const, make, signed
from gia.smt.terms.tables import has_constant_leaves, lift


def ult(left: Term, right: Term) -> Term:
    """Unsigned ``<``."""
    if right.value == 0 or left.value == (1 << left.width) - 1:
        return FALSE
    if right.value == 1:
        return equal(left, bv_const(0, left.width))
    if left.value == 0:
        return negation(equal(right, left))
    return _compare(Kind.BV_ULT, ult, left, right, False)


def ule(left: Term, right: Term) -> Term:
    """Unsigned ``≤``."""
    return negation(ult(right, left))


def slt(left: Term, right: Term) -> Term:
    """Signed ``<``."""
    lowest = 1 << (left.width - 1)
    if right.value == lowest or left.value == lowest - 1:
        return FALSE
    return _compare(Kind.BV_SLT, slt, left, right, True)


def sle(left: Term, right: Term) -> Term:
    """Signed ``≤``."""
    return negation(slt(right, left))


def _compare(kind: Kind, build: Callable[[Term, Term], Term], left: Term, right: Term, is_signed: bool) -> Term:
    if left is right:
        return FALSE
    if left.value is not None and right.value is not None:
        if is_signed:
            return bool_const(signed(left.value, left.width) < signed(right.value, left.width))
        return bool_const(left.value < right.value)
    if right.value is not None:
        if has_constant_leaves(left):
            return lift(lambda leaf: build(leaf, right), left)
    elif left.value is not None and has_constant_leaves(right):
        return lift(lambda leaf: build(left, leaf), right)
    return _compare_extensions(kind, build, left, right, is_signed) or make(kind, (left, right), None, BOOL)


def _compare_extensions(
    kind: Kind, build: Callable[[Term, Term], Term], left: Term, right: Term, is_signed: bool
) -> Term | None:
    """Comparisons of extended terms, done on the narrow ones; ``None`` if that is not possible."""
    extension = left.kind if left.kind in EXTENSIONS else right.kind
    if extension not in EXTENSIONS:
        return None
    inner = left.children[0] if left.kind is extension else right.children[0]
    narrow_left = _narrowed(left, extension, inner.width)
    narrow_right = _narrowed(right, extension, inner.width)
    if narrow_left is not None and narrow_right is not None:
        # Sign extension keeps both orders; zero extension makes both the unsigned one.
        return (build if extension is Kind.SIGN_EXTEND else ult)(narrow_left, narrow_right)
    constant = left if left.value is not None else right
    if constant.value is None or (extension is Kind.SIGN_EXTEND and not is_signed):
        return None
    # The constant lies outside the range of the narrow operand.
    negative = is_signed and constant.value >> (constant.width - 1)
    if constant is right:
        return FALSE if negative else TRUE
    return TRUE if negative else FALSE


def _narrowed(term: Term, extension: Kind, width: int) -> Term | None:
    """The term of ``width`` bits of which ``term`` is the extension, ``None`` if there is none."""
    if term.kind is extension and term.children[0].width == width:
        return term.children[0]
    if term.value is not None:
        low = extract(term, width - 1, 0)
        again = (sign_extend if extension is Kind.SIGN_EXTEND else zero_extend)(low, term.width - width)
        return low if again.value == term.value else None
    return None
