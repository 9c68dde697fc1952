"""Room for recursion: syntax trees nest as deeply as programs do."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_STACK_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 1_000_000


def with_deep_stack(work: Callable[[], T]) -> T:
    """Do ``work``, which may recurse deeply, and give its result or raise its exception."""
    outcome: list[T] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            problem.append(error)

    limit, stack = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        thread = threading.Thread(target=run, name="gia-frontend")
        thread.start()
        thread.join()
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(limit)
    if problem:
        raise problem[0]
    return outcome[0]
