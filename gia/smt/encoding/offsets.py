"""Offsets into objects that are one of few constants, such as those of fields that a condition chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from gia.smt.encoding.pointers import quotient
from gia.smt.terms import Kind, Term, bv_const, bv_sub, equal, ite

_MOST = 32
"""An offset that is chosen among so many constants at most is looked at one by one."""


class FewPlaces(Struct, frozen=True, eq=False):
    """An offset that is one of few constants: of a choice, which says which, and so much more."""

    choice: Term
    distance: int
    values: tuple[int, ...]

    def chosen(self, contents: Mapping[int, Term]) -> Term:
        """What is at the offset, by the contents at each of the values."""
        choice = self.choice
        branches: list[tuple[Term, Term]] = []
        while choice.value is None:
            condition, then, choice = choice.children
            branches.append((condition, contents[self._value(then)]))
        result = contents[self._value(choice)]
        for condition, content in reversed(branches):
            result = ite(condition, content, result)
        return result

    def _value(self, leaf: Term) -> int:
        assert leaf.value is not None
        return (leaf.value + self.distance) % (1 << leaf.width)


def few_places(offset: Term) -> FewPlaces | None:
    """The places that an offset may be at; ``None`` if they are not known to be few."""
    moved = offset.children[1].value if offset.kind is Kind.BV_ADD else None
    if moved is not None:
        offset = offset.children[0]
    distance = moved or 0
    found: list[int] = []
    term = offset
    while term.kind is Kind.ITE and term.children[1].value is not None and len(found) < _MOST:
        found.append(term.children[1].value)
        term = term.children[2]
    if not found or term.value is None:
        return None
    values = dict.fromkeys((value + distance) % (1 << offset.width) for value in (*found, term.value))
    return FewPlaces(offset, distance, tuple(values))


def at_each(offset: Term, places: Sequence[int]) -> Iterator[tuple[int, Term]]:
    """The places, each with the condition that the offset is there."""
    step = places.step if isinstance(places, range) else 1
    index = quotient(bv_sub(offset, bv_const(places[0], offset.width)), step) if step > 1 else None
    for number, place in enumerate(places):
        if index is not None:
            yield place, equal(index, bv_const(number, index.width))
        else:
            yield place, equal(offset, bv_const(place, offset.width))
