"""The end of an actor that comes from outside: its time is over, or it is asked to end since nobody needs it any more.

Solvers look at their time limits often, but not everywhere: Spacer, for one, does not while it simplifies clauses.
Python cannot interrupt such a call, not even by a signal; the actor would be killed, and lose what it holds back.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, get_ident
from time import monotonic
from types import FrameType
from typing import Final

PATIENCE: Final = 0.3
"""Seconds after the deadline in which an actor may end by itself."""

ANSWER_SECONDS: Final = 0.25
"""A thread that does not handle a signal for so long does not run Python."""

LONGEST: Final = 1e6
"""Seconds: the system waits no longer for a file."""

_SIGNAL: Final = signal.SIGUSR2


@contextmanager
def ended_when_overdue(deadline: float, leave: Callable[[bool], bool], *, asked: bool = False) -> Iterator[None]:
    """End the process with exit status 0 if the main thread is inside of one call for long when the time is over.

    To be used in the main thread. ``deadline`` is a value of :func:`time.monotonic`. ``leave`` is called before, by
    another thread if the main thread is inside of a call (which it is told), and writes down what there is; if it
    returns ``False``, the process does not end now. A thread that runs Python, or waits for another process, is left
    alone: it sees the time by itself. A call that keeps Python's lock cannot be seen.

    With ``asked`` the process ends when it gets SIGTERM as well, with exit status 1, and then whatever the main thread
    does: no exception makes its way through the destructors of libraries, and somebody else ends its children.
    """
    watch = _Watch(deadline, leave)
    handlers = {_SIGNAL: watch.answer} | ({signal.SIGTERM: watch.end} if asked else {})
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    told = signal.set_wakeup_fd(watch.write_end if asked else -1, warn_on_full_buffer=False)
    thread = Thread(target=watch.run, name="gia-overdue", daemon=True)
    thread.start()
    try:
        yield
    finally:
        watch.stop()
        thread.join()
        signal.set_wakeup_fd(told)
        for number, handler in before.items():
            signal.signal(number, handler)
        watch.close()


class _Watch:
    """Asks the thread that has made it, when its time is over or it is to end, whether it runs Python.

    It hears of signals as soon as they come (``write_end`` is where their numbers are written to), while their handlers
    wait for the call to return.
    """

    def __init__(self, deadline: float, leave: Callable[[bool], bool]) -> None:
        self._deadline = deadline
        self._leave = leave
        self._watched = get_ident()
        self._over = Event()
        self._answered = False
        self._to_end = False
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self.write_end, False)

    def answer(self, number: int, frame: FrameType | None) -> None:
        """The handler of the watch's own signal."""
        self._answered = True
        if self._to_end:
            self._end_if_possible(calling=False)

    def end(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal by which others ask it to end."""
        self._to_end = True
        self._end_if_possible(calling=False)

    def _end_if_possible(self, *, calling: bool) -> None:
        if self._leave(calling):
            os._exit(1 if self._to_end else 0)

    def stop(self) -> None:
        """It is over: nobody is to be watched any more."""
        self._over.set()
        with suppress(BlockingIOError):  # there is enough to read already
            os.write(self.write_end, b"\0")

    def close(self) -> None:
        """Gives its file descriptors back."""
        os.close(self._read_end)
        os.close(self.write_end)

    def run(self) -> None:
        """Until it is over, or the process has ended."""
        self._wait()
        while not self._over.is_set():
            self._answered = False
            signal.pthread_kill(self._watched, _SIGNAL)
            if self._over.wait(ANSWER_SECONDS):
                return
            if not self._answered:
                self._end_if_possible(calling=True)
            self._over.wait(ANSWER_SECONDS)

    def _wait(self) -> None:
        """Until the time is over, somebody wants the process to end, or it is over."""
        while not self._over.is_set():
            left = self._deadline + PATIENCE - monotonic()
            if left <= 0.0:
                return
            readable, _, _ = select.select([self._read_end], [], [], min(left, LONGEST))
            if readable and signal.SIGTERM in os.read(self._read_end, 4096):
                self._to_end = True
                return
