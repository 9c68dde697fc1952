"""C's operators on terms (ISO C 6.5): integers wrap around, pointers are compared by object and offset."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gia.smt.encoding.pointers import Target, quotient
from gia.smt.encoding.world import World
from gia.smt.terms import (
    FALSE,
    TRUE,
    Term,
    bv_add,
    bv_and,
    bv_ashr,
    bv_const,
    bv_lshr,
    bv_mul,
    bv_or,
    bv_sdiv,
    bv_shl,
    bv_srem,
    bv_sub,
    bv_udiv,
    bv_urem,
    bv_xor,
    conjunction,
    disjunction,
    distinct,
    equal,
    fp_add,
    fp_div,
    fp_equal,
    fp_le,
    fp_lt,
    fp_mul,
    fp_sub,
    negation,
    resize,
    signed,
    sle,
    slt,
    ule,
    ult,
)

FLOATING: Mapping[str, Callable[[Term, Term], Term]] = {"+": fp_add, "-": fp_sub, "*": fp_mul, "/": fp_div}

_TOTAL: Mapping[str, Callable[[Term, Term], Term]] = {
    "+": bv_add,
    "-": bv_sub,
    "*": bv_mul,
    "&": bv_and,
    "|": bv_or,
    "^": bv_xor,
}
_DIVISIONS: Mapping[tuple[str, bool], Callable[[Term, Term], Term]] = {
    ("/", True): bv_sdiv,
    ("/", False): bv_udiv,
    ("%", True): bv_srem,
    ("%", False): bv_urem,
}
_SHIFTS: Mapping[tuple[str, bool], Callable[[Term, Term], Term]] = {
    ("<<", True): bv_shl,
    ("<<", False): bv_shl,
    (">>", True): bv_ashr,
    (">>", False): bv_lshr,
}


def integer(operator: str, left: Term, right: Term, is_signed: bool) -> tuple[Term, Term]:
    """The value of an integer operator and the condition under which it is defined.

    ``is_signed`` is the signedness of the (promoted) left operand. Overflow wraps around; a division by zero and a
    shift by a negative amount or by the width or more are undefined.
    """
    build = _TOTAL.get(operator)
    if build is not None:
        return build(left, right), TRUE
    if operator in ("/", "%"):
        return _DIVISIONS[operator, is_signed](left, right), distinct(right, bv_const(0, right.width))
    fits = ult(right, bv_const(left.width, right.width))
    return _SHIFTS[operator, is_signed](left, resize(right, left.width, False)), fits


def compare_integers(operator: str, left: Term, right: Term, is_signed: bool) -> Term:
    """``left operator right`` for a comparison operator."""
    match operator:
        case "==":
            return equal(left, right)
        case "!=":
            return distinct(left, right)
        case "<":
            return (slt if is_signed else ult)(left, right)
        case "<=":
            return (sle if is_signed else ule)(left, right)
        case ">":
            return (slt if is_signed else ult)(right, left)
    return (sle if is_signed else ule)(right, left)


def compare_floats(operator: str, left: Term, right: Term) -> Term:
    """``left operator right``; with a NaN only ``!=`` holds."""
    match operator:
        case "==":
            return fp_equal(left, right)
        case "!=":
            return negation(fp_equal(left, right))
        case "<":
            return fp_lt(left, right)
        case "<=":
            return fp_le(left, right)
        case ">":
            return fp_lt(right, left)
    return fp_le(right, left)


def compare_pointers(world: World, operator: str, left: Term, right: Term) -> Term:
    """Comparison of pointers; the order of different objects is left open."""
    if operator == "==":
        return pointers_equal(world, left, right)
    if operator == "!=":
        return negation(pointers_equal(world, left, right))
    if operator in (">", ">="):
        return compare_pointers(world, "<" if operator == ">" else "<=", right, left)
    compare, raw = (slt, ult) if operator == "<" else (sle, ule)
    cases = [
        conjunction(first.guard, second.guard, compare(first.offset, second.offset))
        if first.address is not None and first.address is second.address
        else conjunction(first.guard, second.guard, raw(_pointer(first), _pointer(second)))
        for first in world.addresses.targets(left)
        for second in world.addresses.targets(right)
    ]
    return disjunction(*cases)


def pointers_equal(world: World, left: Term, right: Term) -> Term:
    """Whether two pointers are equal: none to an object is null, and objects that live at the same time are apart."""
    if left is right:
        return TRUE
    cases = [
        conjunction(first.guard, second.guard, _same_place(world, first, second))
        for first in world.addresses.targets(left)
        for second in world.addresses.targets(right)
    ]
    return disjunction(*cases)


def _pointer(target: Target) -> Term:
    begin = target.block.address if target.block is not None else target.address
    return target.offset if begin is None else bv_add(begin, target.offset)


def _same_place(world: World, first: Target, second: Target) -> Term:
    if first.block is not None or second.block is not None:
        return _same_block(world, first, second)
    if first.address is second.address:
        return equal(first.offset, second.offset)
    if first.is_null or second.is_null:
        return FALSE if first.address is not None or second.address is not None else equal(first.offset, second.offset)
    literals = first.address in world.literals and second.address in world.literals  # a compiler may overlay these
    if first.address is not None and second.address is not None and not literals:
        apart = _inside(world, first) and _inside(world, second)
        if apart and not world.may_follow(first.address, second.address):
            return FALSE
    return equal(_pointer(first), _pointer(second))


def _same_block(world: World, first: Target, second: Target) -> Term:
    """Whether two places are the same, of which one is in a block of a pool; freed blocks are used again."""
    if first.is_null or second.is_null:
        return FALSE
    if first.is_known and second.is_known and _inside(world, first) and _inside(world, second):
        if first.block is None or second.block is None or first.block.addresses is not second.block.addresses:
            apart = not world.frees or not all(_is_on_heap(world, target) for target in (first, second))
            return FALSE if apart else equal(_pointer(first), _pointer(second))
        if not world.frees:
            return conjunction(equal(first.block.number, second.block.number), equal(first.offset, second.offset))
    return equal(_pointer(first), _pointer(second))


def _is_on_heap(world: World, target: Target) -> bool:
    return target.address is None or world.addresses.info(target.address).heap


def _inside(world: World, target: Target) -> bool:
    """Whether the target is a byte of its object, not only its end."""
    place = target.offset.value
    if place is None:
        return False
    if target.block is not None:
        return place < world.pool_at(target.block.addresses).size
    assert target.address is not None
    size = world.addresses.info(target.address).size
    return size is None or place < size


def difference(left: Term, right: Term, stride: int) -> Term:
    """How many elements of ``stride`` bytes lie between two pointers into one object."""
    distance = bv_sub(left, right)
    if distance.value is not None:
        return bv_const(signed(distance.value, distance.width) // stride, distance.width)
    elements = quotient(distance, stride)
    return elements if elements is not None else bv_sdiv(distance, bv_const(stride, distance.width))
