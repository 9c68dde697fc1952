"""What recurses deeply has room for it, and hears of what ends the main thread."""

from __future__ import annotations

import signal
import sys
import threading
from itertools import count
from types import FrameType

import pytest

from gia.frontend.stack import with_deep_stack


def depth(number: int) -> int:
    return 0 if number == 0 else 1 + depth(number - 1)


def test_there_is_room_for_deep_recursion() -> None:
    limit = sys.getrecursionlimit()
    assert with_deep_stack(lambda: depth(100_000)) == 100_000
    assert sys.getrecursionlimit() == limit


def test_an_exception_of_a_signal_ends_the_work() -> None:
    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, end)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            with_deep_stack(lambda: sum(1 for _ in count()))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not [thread for thread in threading.enumerate() if thread.name == "gia-frontend"]
