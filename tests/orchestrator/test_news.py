"""What is looked at again and again while something runs."""

from threading import Event

import pytest

from gia.errors import GiaError, ToolError
from gia.orchestrator import news


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "SECONDS", 0.001)


def test_it_is_looked_at_until_the_body_ends() -> None:
    looked: list[int] = []
    third = Event()

    def look() -> None:
        looked.append(1)
        if len(looked) == 3:
            third.set()

    with news.again_and_again(look):
        assert third.wait(20)
    seen = len(looked)
    Event().wait(0.02)
    assert len(looked) == seen


@pytest.mark.parametrize("error", [ToolError("no compiler"), OSError("no space left")])
def test_what_cannot_be_looked_at_is_left_alone(error: GiaError | OSError) -> None:
    """Who waits for the actor to end finds out why."""
    looked: list[int] = []
    once = Event()

    def look() -> None:
        looked.append(1)
        once.set()
        raise error

    with news.again_and_again(look):
        assert once.wait(20)
        Event().wait(0.02)
    assert looked == [1]
