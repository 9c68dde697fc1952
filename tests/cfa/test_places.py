"""Distances and areas, compared with the sets of numbers that they stand for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gia.cfa.places import Area, Distance

REACH = 60
SEEN = range(-REACH, REACH + 1)


@st.composite
def distances(draw: st.DrawFn) -> Distance:
    """Exact ones, those of the elements of an array, and any multiples."""
    exact = Distance(0, draw(st.integers(-8, 12)))
    stride = draw(st.integers(1, 6))
    match draw(st.integers(0, 3)):
        case 0:
            return exact
        case 1:
            return exact.spread(stride)
        case 2:
            return exact.within_array(stride, draw(st.integers(1, 4)))
    return exact.within_array(stride, draw(st.integers(1, 3))).within_array(draw(st.integers(1, 6)), 2)


def numbers(distance: Distance) -> frozenset[int]:
    """Those of the numbers of bytes that are not far away."""
    bounds = distance.bounds or (-REACH, REACH)
    step = distance.modulus or 1
    return frozenset(n for n in SEEN if bounds[0] <= n <= bounds[1] and (n - distance.rest) % step == 0)


@given(distances(), st.integers(-9, 9), st.integers(1, 6), st.integers(1, 4))
def test_what_is_moved(distance: Distance, bytes_: int, stride: int, count: int) -> None:
    near = range(-REACH + 40, REACH - 40)
    moved = {n + bytes_ for n in numbers(distance)}
    assert moved & set(near) == numbers(distance.moved(bytes_)) & set(near)
    spread = {n + stride * k for n in numbers(distance) for k in SEEN}
    assert spread & set(near) <= numbers(distance.spread(stride))
    assert distance.last is not None or spread & set(near) == numbers(distance.spread(stride)) & set(near)
    elements = {n + stride * k for n in numbers(distance) for k in range(count)}
    assert elements & set(near) <= numbers(distance.within_array(stride, count))


@given(distances(), distances())
def test_what_is_joined_and_included(one: Distance, other: Distance) -> None:
    joined = one.joined(other)
    assert numbers(one) | numbers(other) <= numbers(joined)
    assert joined.includes(one) and joined.includes(other)
    assert joined.joined(one) == joined.joined(other) == joined
    assert not one.includes(other) or numbers(other) <= numbers(one)


@given(st.lists(distances(), min_size=20, max_size=20))
def test_joined_distances_do_not_grow_for_ever(found: list[Distance]) -> None:
    joined, steps = found[0], 0
    for distance in found:
        before, joined = joined, joined.joined(distance)
        steps += joined != before
    assert steps <= 6


@given(distances(), st.integers(0, 20))
def test_what_is_within_an_object(distance: Distance, size: int) -> None:
    assert set(distance.within(size)) == {n for n in numbers(distance) if 0 <= n < size}


@given(distances(), distances(), st.integers(1, 9), st.integers(1, 9))
def test_where_areas_share_bytes(begin: Distance, window: Distance, size: int, window_size: int) -> None:
    found = set(Area(begin, size).starts_in(Area(window, window_size)))
    shared = {b - w for b in numbers(begin) for w in numbers(window) if -size < b - w < window_size}
    assert shared <= found
    assert found <= set(range(1 - size, window_size))
    if begin.last is None and window.last is None:
        assert found == shared
