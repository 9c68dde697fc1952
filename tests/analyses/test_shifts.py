"""An actor and those who wait for its core have it for as long, whatever it takes to say so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.analyses.request import Others
from gia.analyses.testing import shifts
from gia.analyses.testing.shifts import FRUITLESS_SHARE, Shifts


class Clock:
    """The time, which passes when somebody says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(shifts, "monotonic", lambda: self.now)


class Waiting(Others):
    """Somebody who needs the core for so many seconds, and takes longer by a half."""

    def __init__(self, clock: Clock) -> None:
        self.needs: float | None = None
        self._clock = clock

    def waiting(self) -> float | None:
        return self.needs

    def give_way(self, until: float) -> None:
        assert self.needs is not None
        self._clock.now = min(until, self._clock.now + 1.5 * self.needs)
        self.needs = None


def test_nobody_rests_while_nobody_waits() -> None:
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(patch)
        mine = Shifts(Waiting(clock))
        for _ in range(5):
            clock.now += 100
            assert not mine.is_over()


@given(steps=st.lists(st.tuples(st.sampled_from(["works", "finds", "asks"]), st.integers(1, 40)), max_size=60))
def test_a_shift_is_as_long_as_the_core_is_needed_and_shorter_if_nothing_is_found(
    steps: list[tuple[str, int]],
) -> None:
    """Against a list of what happened, second by second of the actor's own work."""
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(patch)
        others = Waiting(clock)
        mine = Shifts(others)
        worked: list[str] = []  # one letter per second: "+" if something was found at its end
        begun = 0
        for what, seconds in steps:
            if what == "asks":
                others.needs = others.needs or float(seconds)
            else:
                clock.now += seconds
                worked += ["-"] * (seconds - 1) + ["+" if what == "finds" else "-"]
                if what == "finds":
                    mine.note_success()
            shift = worked[begun:]
            fruitless = next((age for age, second in enumerate(reversed(shift)) if second == "+"), len(shift))
            assert mine.worked == pytest.approx(len(worked))
            if others.needs is None:
                assert not mine.is_over()
                continue
            due = len(shift) >= others.needs or fruitless >= FRUITLESS_SHARE * others.needs - 1e-9
            assert mine.is_over() == due
            if due:
                mine.rest(clock.now + 1000)
                begun = len(worked)


def test_it_rests_no_longer_than_it_may() -> None:
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(patch)
        others = Waiting(clock)
        mine = Shifts(others)
        clock.now += 20
        others.needs = 10.0
        assert mine.is_over()
        mine.rest(clock.now + 2)
        assert clock.now == 1022
        assert (mine.worked, mine.fruitless) == (20, 20)
