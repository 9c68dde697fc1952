"""What a tester writes down is looked at while it runs, so that others are told of it at once.

A prover need not look at a goal that a test has reached; and what it has proven may decide all that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from gia.errors import GiaError

SECONDS: Final = 0.2
"""Seconds between two looks. Testers write seldom, and to execute a test soon costs no more than late."""


@contextmanager
def again_and_again(look: Callable[[], None]) -> Iterator[None]:
    """While the body runs, ``look`` is called again and again, in a thread of its own."""
    over = Event()
    thread = Thread(target=_look, args=(look, over), name="gia-news", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _look(look: Callable[[], None], over: Event) -> None:
    while not over.wait(SECONDS):
        try:
            look()
        except (GiaError, OSError):
            return  # when the actor has ended, what it wrote is examined again, and what is wrong is said
