"""Changes of preprocessed text after which every character of the program still knows its place."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from gia.errors import Position
from gia.frontend.lines import lines_of
from gia.frontend.places import Places
from gia.frontend.preprocessed import ADDED, HEADER_TOKEN, PreprocessedSource


class Edit(Struct, frozen=True, order=True):
    """The text from ``start`` up to ``end`` is to be ``text``.

    A name that replaces a name has its place; text that replaces nothing is of the added file.
    """

    start: int
    end: int
    text: str


def edited(
    source: PreprocessedSource, edits: Iterable[Edit], *, head: str = "", tail: str, file: str = ADDED
) -> PreprocessedSource:
    """The source with edits that do not overlap; ``head`` (one line of declarations) before it, ``tail`` behind it.

    What is added says that it stands in ``file``.
    """
    text = source.text
    pieces = _Pieces(source)
    if head:
        pieces.add(f"{head}\n" if text.startswith("#") else f"{head} ", Position(file, 1, 1), system=HEADER_TOKEN)
    consumed = 0
    for edit in sorted(edits):
        pieces.copy(consumed, edit.start)
        place = Position(file, 1, 1) if edit.start == edit.end else source.position(edit.start)
        pieces.add(edit.text, place)
        consumed = edit.end
    pieces.copy(consumed, len(text))
    pieces.add(f'\n# 1 "{file}"\n', Position(file, 1, 1))
    for number, line in enumerate(lines_of(tail), 1):
        pieces.add(line, Position(file, number, 1))
    return pieces.source()


class _Pieces:
    """The edited text so far, and its places."""

    def __init__(self, original: PreprocessedSource) -> None:
        self._original = original
        self._pieces: list[str] = []
        self._length = 0
        self._offsets = array("I")
        self._places = Places()
        self._system = bytearray()

    def add(self, text: str, place: Position, *, system: int = 0) -> None:
        """Add text that stems from one place."""
        self._begin(place, system)
        self._append(text)

    def copy(self, start: int, end: int) -> None:
        """Add a part of the original text with the places that it has."""
        source = self._original
        first = bisect_right(source.offsets, start)
        last = bisect_right(source.offsets, end - 1)
        if start < end and first > 0 and source.offsets[first - 1] < start:
            self._begin(source.position(start), source.system[first - 1])
        moved = self._length - start
        begin = first - 1 if first > 0 and source.offsets[first - 1] == start else first
        if start < end:
            self._offsets.extend(offset + moved for offset in source.offsets[begin:last])
            self._places.extend(source.places[index] for index in range(begin, last))
            self._system += source.system[begin:last]
        self._append(source.text[start:end])

    def source(self) -> PreprocessedSource:
        """What was put together."""
        return replace(
            self._original,
            text="".join(self._pieces),
            offsets=self._offsets,
            places=self._places,
            system=self._system,
        )

    def _begin(self, place: Position, system: int) -> None:
        self._offsets.append(self._length)
        self._places.append(place)
        self._system.append(system)

    def _append(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
