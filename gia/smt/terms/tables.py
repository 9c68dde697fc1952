"""Tables: choices among constants by the range that an index is in.

A table is ``index < l1 ? v1 : index < l2 ? v2 : … : vn`` with ascending limits, so that what is done with all of its
values (a mask, an extension) is done with the constants, and neighbours that become equal become one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from gia.smt.terms.booleans import ite
from gia.smt.terms.nodes import BOOL, Kind, Term, make

MOST_RANGES: Final = 48
"""Tables have so many ranges at most."""


class Range(NamedTuple):
    """The values of an index below a ``limit``, as far as no range before holds them; ``None``: all of them."""

    limit: int | None
    value: Term


def table(index: Term, ranges: Sequence[Range]) -> Term:
    """The value of the range that ``index`` (unsigned) is in; the last range has no limit."""
    result = ranges[-1].value
    for limit, value in reversed(ranges[:-1]):
        bound = make(Kind.CONST, (), limit, index.sort)
        result = ite(make(Kind.BV_ULT, (index, bound), None, BOOL), value, result)
    return result


def has_constant_leaves(term: Term) -> bool:
    """Whether the term chooses between two constants, or is a table: operations are cheaper when done with these."""
    if term.kind is not Kind.ITE or term.children[1].value is None:
        return False
    return term.children[2].value is not None or _parsed(term) is not None


def lift(operation: Callable[[Term], Term], term: Term) -> Term:
    """The operation done with the constants of a choice."""
    condition, then, other = term.children
    if other.value is not None:
        return ite(condition, operation(then), operation(other))
    found = _parsed(term)
    assert found is not None
    index, ranges = found
    return table(index, merged([Range(limit, operation(value)) for limit, value in ranges]))


def merged(ranges: Sequence[Range]) -> list[Range]:
    """The same ranges, neighbours with the same value as one."""
    result: list[Range] = []
    for found in ranges:
        if result and result[-1].value is found.value:
            result.pop()
        result.append(found)
    return result


def _parsed(term: Term) -> tuple[Term, list[Range]] | None:
    """Index and ranges of a table."""
    index: Term | None = None
    ranges: list[Range] = []
    while term.kind is Kind.ITE and len(ranges) < MOST_RANGES:
        condition, value, term = term.children
        if condition.kind is not Kind.BV_ULT or value.value is None or condition.children[1].value is None:
            return None
        if index is not None and condition.children[0] is not index:
            return None
        index = condition.children[0]
        ranges.append(Range(condition.children[1].value, value))
    if index is None or term.value is None:
        return None
    return index, [*ranges, Range(None, term)]
