"""What a tester writes down is looked at while it runs, so that others are told of it at once.

A prover need not look at a goal that a test has reached; and what it has proven may decide all that is left.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from threading import Event
from typing import Final

from gia.errors import GiaError
from gia.orchestrator.processes.meanwhile import meanwhile

SECONDS: Final = 0.2
"""Seconds between two looks. Testers write seldom, and to execute a test soon costs no more than late."""


def again_and_again(look: Callable[[], None]) -> AbstractContextManager[None]:
    """While the body runs, ``look`` is called again and again, in a thread of its own."""
    return meanwhile(partial(_look, look), "gia-news")


def _look(look: Callable[[], None], over: Event) -> None:
    while not over.wait(SECONDS):
        try:
            look()
        except (GiaError, OSError):
            return  # when the actor has ended, what it wrote is examined again, and what is wrong is said
