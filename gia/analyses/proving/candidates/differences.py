"""Bounds of the difference and of the sum of two numbers, as candidate invariants.

Source: A. Miné, *The octagon abstract domain*, Higher-Order and Symbolic Computation 2006, for ``±x ±y <= c``.
Deviation: the bounds are what samples show, and the next ones that the constants of the program allow. A difference is
that of unsigned numbers, read as a signed one: it stays the same when both go on for so long that they wrap around.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from gia.analyses.proving.candidates.comparisons import (
    compare_with_constant,
    converted,
    integer_type,
    number_of,
    unsigned_type,
)
from gia.analyses.proving.candidates.houdini import Vocabulary
from gia.analyses.proving.cells import cell_of
from gia.cfa.expressions import Binary, Cast, Expression
from gia.cfa.types import INT, LONG_LONG
from gia.smt.terms import signed

_NEXT = 2
"""How many bounds beyond those of the samples are tried."""
_MOST_CONSTANTS = 400
"""More differences of constants are not looked at."""


def difference_bounds(
    vocabulary: Vocabulary, places: Sequence[Expression], samples: Sequence[Sequence[int]]
) -> Iterator[Expression]:
    """The bounds of ``x - y`` and ``x + y`` for integer variables and fields, those of the first places first.

    ``samples`` have the unsigned values of the places. A form is of interest if it has fewer values in them than each
    of the two numbers. What has one value only is an equation that may hold in the samples alone.
    """
    values = {place: [sample[index] for sample in samples] for index, place in enumerate(places)}
    known = [place for place in places if cell_of(place) in vocabulary.related]
    for left, right in combinations(known, 2):
        fewest = min(len(set(values[left])), len(set(values[right])))
        for operator, sign in (("-", -1), ("+", 1)):
            form = _form(operator, left, right)
            width = integer_type(form).width
            found = {
                signed((number_of(left, x) + sign * number_of(right, y)) % (1 << width), width)
                for x, y in zip(values[left], values[right], strict=True)
            }
            if len(found) < fewest:
                constants = _constants(vocabulary, left, right)
                yield from _bounds(form, min(found), max(found), sorted(constants))


def _constants(vocabulary: Vocabulary, left: Expression, right: Expression) -> set[int]:
    """What the two are compared with, and the differences and sums of these, unless they are too many."""
    first, second = ({0, *vocabulary.own[cell]} for cell in (cell_of(left), cell_of(right)) if cell is not None)
    if len(first) * len(second) > _MOST_CONSTANTS:
        return first | second
    return {each for a in first for b in second for each in (a + b, a - b, b - a)}


def _bounds(form: Expression, least: int, greatest: int, constants: Sequence[int]) -> Iterator[Expression]:
    low, high = integer_type(form).bounds
    beyond = islice((c for c in constants if greatest < c < high), _NEXT)
    below = islice((c for c in reversed(constants) if low < c < least), _NEXT)
    yield from (compare_with_constant("<=", form, value) for value in (greatest, *beyond) if value < high)
    yield from (compare_with_constant(">=", form, value) for value in (least, *below) if value > low)


def _form(operator: str, left: Expression, right: Expression) -> Expression:
    """The difference or the sum modulo ``2**w``, as a signed number."""
    unsigned = unsigned_type(max(integer_type(place).width for place in (left, right)))
    result = INT if unsigned.width == INT.width else LONG_LONG
    return Cast(Binary(operator, converted(left, unsigned), converted(right, unsigned), unsigned), result)
