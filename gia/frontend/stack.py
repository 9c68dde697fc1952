"""Room for recursion: syntax trees nest as deeply as programs do."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

_STACK_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 1_000_000

_SOON: Final = 0.5
"""Seconds in which a thread that runs Python has heard of an exception."""


def with_deep_stack(work: Callable[[], T]) -> T:
    """Do ``work``, which may recurse deeply, and give its result or raise its exception.

    What a signal raises meanwhile (``KeyboardInterrupt``) ends the work as well.
    """
    outcome: list[T] = []
    problem: list[BaseException] = []
    over = threading.Event()

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            problem.append(error)
        finally:
            over.set()

    limit, stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        thread = threading.Thread(target=run, name="gia-frontend", daemon=True)
        thread.start()
        try:
            over.wait()  # join would take an exception of a signal's handler for the end of the thread
        except BaseException:
            _end(thread)
            raise
        thread.join()
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(limit)
    if problem:
        raise problem[0]
    return outcome[0]


def _end(thread: threading.Thread) -> None:
    """Make a thread end at its next step in Python, and wait for that."""
    while thread.is_alive() and thread.ident is not None:  # again where the exception was lost in a destructor
        exception = ctypes.py_object(SystemExit)  # of which nothing is said
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), exception)
        thread.join(_SOON)
