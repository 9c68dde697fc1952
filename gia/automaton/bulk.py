"""Building large values quickly."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def bulk_allocation() -> Iterator[None]:
    """Within the block, Python's cycle collector does not run.

    The tuples of an automaton are no garbage and are in no cycle, as most of what a program is read into. But
    while a million of them is built, the collector walks through all there are again and again, which takes longer
    than building them. Memory is still freed by reference counting. At the end, what was built is handed to the
    oldest generation (that is what freezing and unfreezing does), so that it is not walked through at once. Inside
    another such block, or if the collector is off anyway, nothing changes.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()
            gc.unfreeze()
            gc.enable()
