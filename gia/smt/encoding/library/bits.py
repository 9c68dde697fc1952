"""Models of the functions of the compiler that count, find or move bits (GCC manual, *Bit operation builtins*)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from gia.smt.encoding.evaluator import Evaluator
from gia.smt.terms import (
    SortKind,
    Term,
    bv_add,
    bv_and,
    bv_ashr,
    bv_const,
    bv_lshr,
    bv_or,
    bv_shl,
    bv_sub,
    bv_xor,
    concat,
    equal,
    extract,
    ite,
)

BitModel = Callable[[Evaluator, list[Term]], Term | None]


def _of_bits(compute: Callable[[Term], Term]) -> BitModel:
    def model(_: Evaluator, values: list[Term]) -> Term | None:
        return compute(values[0]) if len(values) == 1 and values[0].sort.kind is SortKind.BV else None

    return model


def _not_of_zero(compute: Callable[[Term], Term]) -> BitModel:
    """The result for 0 is undefined."""

    def model(evaluator: Evaluator, values: list[Term]) -> Term | None:
        found = _of_bits(compute)(evaluator, values)
        if found is None:
            return None
        return ite(_is_zero(values[0]), evaluator.world.names.fresh("bits", found.sort), found)

    return model


def _is_zero(value: Term) -> Term:
    return equal(value, bv_const(0, value.width))


def _halves(width: int) -> list[int]:
    """Half the width, a quarter, and so on to 1."""
    return [1 << place for place in reversed(range(width.bit_length() - 1))]


def _leading_zeros(value: Term) -> Term:
    """The number of zeros before the first one of a value that is not 0, by halving."""
    width = value.width
    count = bv_const(0, width)
    for half in _halves(width):
        empty = _is_zero(extract(value, width - 1, width - half))
        value = ite(empty, bv_shl(value, bv_const(half, width)), value)
        count = ite(empty, bv_add(count, bv_const(half, width)), count)
    return count


def _trailing_zeros(value: Term) -> Term:
    """The number of zeros behind the last one of a value that is not 0, by halving."""
    width = value.width
    count = bv_const(0, width)
    for half in _halves(width):
        empty = _is_zero(extract(value, half - 1, 0))
        value = ite(empty, bv_lshr(value, bv_const(half, width)), value)
        count = ite(empty, bv_add(count, bv_const(half, width)), count)
    return count


def _first_set(value: Term) -> Term:
    """``ffs``: one plus the place of the last one, 0 for 0."""
    width = value.width
    return ite(_is_zero(value), bv_const(0, width), bv_add(_trailing_zeros(value), bv_const(1, width)))


def _redundant_sign_bits(value: Term) -> Term:
    """``clrsb``: how many bits behind the sign bit are equal to it."""
    width = value.width
    one = bv_const(1, width)
    differing = bv_xor(value, bv_ashr(value, bv_const(width - 1, width)))
    return _leading_zeros(bv_or(bv_shl(differing, one), one))


def _ones(value: Term) -> Term:
    """The number of ones, summed up in fields of 2, 4, 8 … bits (H. Warren, *Hacker's Delight*, 5-1)."""
    width = value.width
    for half in reversed(_halves(width)):
        mask = bv_const(sum(((1 << half) - 1) << start for start in range(0, width, 2 * half)), width)
        upper = bv_lshr(value, bv_const(half, width))
        value = bv_add(bv_and(value, mask), bv_and(upper, mask)) if half > 1 else bv_sub(value, bv_and(upper, mask))
    return value


def _parity(value: Term) -> Term:
    """Whether the number of ones is odd."""
    width = value.width
    for half in _halves(width):
        value = bv_xor(value, bv_lshr(value, bv_const(half, width)))
    return bv_and(value, bv_const(1, width))


def _swapped(value: Term) -> Term:
    """The bytes in the opposite order."""
    return reduce(concat, (extract(value, start + 7, start) for start in range(0, value.width, 8)))


def _of_each_width(name: str, model: BitModel) -> dict[str, BitModel]:
    return {name + suffix: model for suffix in ("", "l", "ll")}


BIT_MODELS: Mapping[str, BitModel] = {
    **_of_each_width("clz", _not_of_zero(_leading_zeros)),
    **_of_each_width("ctz", _not_of_zero(_trailing_zeros)),
    **_of_each_width("ffs", _of_bits(_first_set)),
    **_of_each_width("clrsb", _of_bits(_redundant_sign_bits)),
    **_of_each_width("popcount", _of_bits(_ones)),
    **_of_each_width("parity", _of_bits(_parity)),
    **dict.fromkeys(("bswap16", "bswap32", "bswap64"), _of_bits(_swapped)),
}
"""By the name without ``__builtin_``; a result that is wider than the type of the call is cut off."""
