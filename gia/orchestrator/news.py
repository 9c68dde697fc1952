"""What a tester has written down is taken in while it runs, so that others are told of it at once.

A prover need not look at a goal that a test has reached; and what it has proven may decide all that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from gia.errors import GiaError
from gia.orchestrator.portfolio import Listener

SECONDS: Final = 0.2
"""Seconds between two looks. Testers write seldom, and to execute a test soon costs no more than late."""


@contextmanager
def taken_in(tester: Listener, take: Callable[[Listener], None]) -> Iterator[None]:
    """While a tester runs, ``take`` is called when it has written something, in a thread of its own."""
    over = Event()
    thread = Thread(target=_listen, args=(tester, take, over), name="gia-news", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _listen(tester: Listener, take: Callable[[Listener], None], over: Event) -> None:
    while not over.wait(SECONDS):
        if not tester.has_news():
            continue
        try:
            take(tester)
        except (GiaError, OSError):
            return  # when it has ended, what it wrote is examined again, and what is wrong is said
