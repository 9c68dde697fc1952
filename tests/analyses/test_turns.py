"""Who has the next turn: checked on searches that reach goals at rates of their own."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.analyses.testing.turns import FIRST_SLICE, GROWTH, LEAST_SHARE, Turns

NAMES = ("a", "b", "c")


def played(rates: Mapping[str, float], rounds: int) -> list[tuple[str, float]]:
    """The turns of searches that reach so many goals per second."""
    turns, found = Turns(NAMES), []
    for _ in range(rounds):
        name, seconds = turns.next()
        turns.ended(name, seconds, int(rates[name] * seconds))
        found.append((name, seconds))
    return found


@given(st.fixed_dictionaries(dict.fromkeys(NAMES, st.floats(0, 100))))
def test_the_best_has_most_of_the_time_and_the_others_their_share(rates: Mapping[str, float]) -> None:
    found = played(rates, 300)
    assert [name for name, _ in found[:3]] == list(NAMES)
    used = {name: sum(seconds for who, seconds in found if who == name) for name in NAMES}
    longest = {name: max(seconds for who, seconds in found if who == name) for name in NAMES}
    total = sum(used.values())
    assert all(used[name] + longest[name] >= LEAST_SHARE * total / 2 for name in NAMES)
    best = max(rates.values())
    if best * FIRST_SLICE >= 1 and sorted(rates.values())[-2] < best / 2:
        (winner,) = [name for name, rate in rates.items() if rate == best]
        assert used[winner] >= max(used.values()) - max(longest.values())


def test_when_nobody_reaches_anything_all_have_equal_time_in_turns_that_grow() -> None:
    found = played(dict.fromkeys(NAMES, 0.0), 12)
    assert found == [(name, FIRST_SLICE * GROWTH**round_) for round_ in range(4) for name in NAMES]


def test_who_stops_reaching_goals_is_followed_by_the_others() -> None:
    turns = Turns(NAMES)
    for name, reached in zip(NAMES, (1, 9, 3), strict=True):
        assert turns.next() == (name, FIRST_SLICE)
        turns.ended(name, 1.0, reached)
    assert turns.next()[0] == "b"
    turns.ended("b", 1.0, 2)
    assert turns.next()[0] == "c"
    turns.ended("c", 1.0, 0)
    assert turns.next() == ("b", FIRST_SLICE)
    turns.leave("b")
    assert turns.next()[0] == "a"
    turns.ended("a", 1.0, 0)
    assert turns.next() == ("a", GROWTH * FIRST_SLICE)  # of equal ones the first
    turns.leave("a")
    turns.leave("c")
    assert not turns


@settings(max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 10), st.integers(0, 5)), max_size=20))
def test_nobody_who_left_has_a_turn(history: list[tuple[float, int]]) -> None:
    turns = Turns(NAMES)
    for number, (seconds, reached) in enumerate(history):
        name, _ = turns.next()
        turns.ended(name, seconds, reached)
        assert turns.all_had_one == (number >= 2)
    turns.leave("b")
    for _ in range(10):
        name, _ = turns.next()
        assert name != "b"
        turns.ended(name, 1.0, 1)
