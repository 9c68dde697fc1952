"""Work that is done while something else runs, and ends with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread


@contextmanager
def meanwhile(work: Callable[[Event], None], name: str) -> Iterator[None]:
    """While the body runs, so does ``work`` in a thread of that name; it ends soon after its event is set."""
    over = Event()
    thread = Thread(target=work, args=(over,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
