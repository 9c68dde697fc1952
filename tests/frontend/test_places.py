"""Places are kept in a few bytes, and none is changed by that."""

from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from gia.errors import Position
from gia.frontend.places import Places

POSITIONS = st.builds(
    Position, st.sampled_from(["a.c", "b.h", "", "<library>"]), st.integers(-1, 10**9), st.integers(0, 500)
)


@given(st.lists(POSITIONS), st.lists(POSITIONS))
def test_what_is_added_is_there_in_its_order(first: list[Position], second: list[Position]) -> None:
    places = Places()
    places.extend(iter(first))
    for place in second:
        places.append(place)
    assert list(places) == first + second == [places[index] for index in range(len(places))]
    assert list(pickle.loads(pickle.dumps(places))) == first + second


def test_a_place_takes_few_bytes() -> None:
    places = Places()
    places.extend(Position("program.c", line, column) for line in range(1000) for column in range(10))
    assert len(pickle.dumps(places)) < 13 * len(places)
