"""The end of an actor whose time is over while it is inside of a call of a library that does not return.

Solvers look at their time limits often, but not everywhere: Spacer, for one, does not while it simplifies clauses.
Python cannot interrupt such a call, not even by a signal; the actor would be killed, and lose what it holds back.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Event, Thread, get_ident
from time import monotonic
from types import FrameType
from typing import Final

PATIENCE: Final = 0.3
"""Seconds after the deadline in which an actor may end by itself."""

ANSWER_SECONDS: Final = 0.25
"""A thread that does not handle a signal for so long does not run Python."""

_SIGNAL: Final = signal.SIGUSR2


@contextmanager
def ended_when_overdue(deadline: float, leave: Callable[[], bool]) -> Iterator[None]:
    """End the process with exit status 0 if the main thread is inside of one call for long when the time is over.

    To be used in the main thread. ``deadline`` is a value of :func:`time.monotonic`. ``leave`` is called before, by
    another thread, and writes down what there is; if it returns ``False``, the process does not end now. A thread that
    runs Python, or waits for another process, is left alone: it sees the time by itself. A call that keeps Python's
    lock cannot be seen.
    """
    watch = _Watch(deadline, leave)
    before = signal.signal(_SIGNAL, watch.answer)
    thread = Thread(target=watch.run, name="gia-overdue", daemon=True)
    thread.start()
    try:
        yield
    finally:
        watch.over.set()
        thread.join()
        signal.signal(_SIGNAL, before)


class _Watch:
    """Asks the thread that has made it, when its time is over, whether it runs Python."""

    def __init__(self, deadline: float, leave: Callable[[], bool]) -> None:
        self.over = Event()
        self._deadline = deadline
        self._leave = leave
        self._watched = get_ident()
        self._answered = False

    def answer(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal."""
        self._answered = True

    def run(self) -> None:
        """Until it is over, or the process has ended."""
        seconds = max(0.0, self._deadline + PATIENCE - monotonic())
        while not self.over.wait(min(seconds, TIMEOUT_MAX)):
            seconds = ANSWER_SECONDS
            self._answered = False
            signal.pthread_kill(self._watched, _SIGNAL)
            if self.over.wait(ANSWER_SECONDS):
                return
            if not self._answered and self._leave():
                os._exit(0)
