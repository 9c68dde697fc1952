"""Putting text around places of a program's text, so that all that is there keeps its line."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from gia.errors import InternalError


class Wrap(Struct, frozen=True):
    """Text to put around ``text[start:end]``; of wraps with one extent that of least ``rank`` is the outermost."""

    start: int
    end: int
    rank: int
    before: str
    after: str


def weave(text: str, wraps: Iterable[Wrap]) -> str:
    """Put each wrap around its extent; extents nest or are disjoint, else :class:`InternalError`."""
    pieces: list[str] = []
    position = 0
    opened: list[Wrap] = []

    def copy_to(end: int) -> None:
        nonlocal position
        pieces.append(text[position:end])
        position = end

    def close_before(limit: int) -> None:
        while opened and opened[-1].end <= limit:
            innermost = opened.pop()
            copy_to(innermost.end)
            pieces.append(innermost.after)

    for wrap in sorted(wraps, key=lambda w: (w.start, -w.end, w.rank)):
        close_before(wrap.start)
        if not 0 <= wrap.start <= wrap.end <= (opened[-1].end if opened else len(text)):
            raise InternalError(f"the probe at {wrap.start}:{wrap.end} overlaps another one")
        copy_to(wrap.start)
        pieces.append(wrap.before)
        opened.append(wrap)
    close_before(len(text))
    copy_to(len(text))
    return "".join(pieces)
