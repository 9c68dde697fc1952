"""The text in which a program is rewritten: that of its file if possible, else its preprocessed text."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from msgspec import Struct

from gia.errors import Position
from gia.frontend.preprocessed import PreprocessedSource

_LINE_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d)", re.MULTILINE)


class EditableText(Struct, frozen=True, dict=True):
    """A text, and where the extents of the preprocessed text are in it.

    If ``file`` is given, ``text`` is what is written in that file, before preprocessing: an extent is found in it
    unless it begins or ends inside of a macro or stands in another file. Else it is the preprocessed text itself.
    """

    text: str
    source: PreprocessedSource
    file: str = ""

    def extent(self, start: int, end: int) -> tuple[int, int] | None:
        """The extent in ``text`` of an extent of the preprocessed text that begins and ends with a token."""
        if not self.file:
            return start, end
        first = bisect_right(self.source.offsets, start) - 1
        if first < 0 or self.source.offsets[first] != start:
            return None
        begin = self._begin(first)
        if begin is None or start == end:
            return None if begin is None else (begin, begin)
        last = bisect_right(self.source.offsets, end - 1) - 1
        finish = self._end(last)
        if finish is None or finish < begin:
            return None
        lowest, highest = self.source.places[first], self.source.places[min(last + 1, len(self.source.places) - 1)]
        between = (self.source.places[index] for index in range(first, last + 1))
        for place in between:  # a macro around it may put its own tokens there
            if place.file != self.file or not lowest <= place or (last > first and not place <= highest):
                return None
        return begin, finish

    def offset_of(self, place: Position) -> int | None:
        """Where what has this position in the source stands in ``text``; ``None`` if it is not there."""
        if self.file:
            return self._offset(place) if place.file == self.file else None
        if self.source.columns_count:
            return self._within_line(place)
        return self._first.get((place.file, place.line, place.column))

    def line_start(self, offset: int) -> int:
        """Where the line with this offset begins."""
        return self.text.rfind("\n", 0, offset) + 1

    # ------------------------------------------------------------------ tokens of the preprocessed text
    def _token(self, index: int) -> str:
        offsets = self.source.offsets
        behind = offsets[index + 1] if index + 1 < len(offsets) else len(self.source.text)
        return self.source.text[offsets[index] : behind].split("\n")[0].strip()

    def _begin(self, index: int) -> int | None:
        """Where a token begins, if it is written so or is the first one that a macro expands to."""
        place = self.source.places[index]
        if place.file != self.file or self.source.system[index]:
            return None
        offset = self._offset(place)
        if offset is None:
            return None
        token = self._token(index)
        if self.text.startswith(token, offset):
            uses = [other for other in self._tokens_at[place] if self._token(other) == token]
            return offset if len(uses) == 1 else None  # an argument that a macro repeats
        return offset if index == 0 or self.source.places[index - 1] != place else None

    def _end(self, index: int) -> int | None:
        """Where a token ends: if it comes from a macro, where the next one begins."""
        place = self.source.places[index]
        offset = self._offset(place) if place.file == self.file else None
        token = self._token(index)
        if offset is not None and self.text.startswith(token, offset):
            return offset + len(token)
        if index + 1 == len(self.source.places):
            return None
        place = self.source.places[index + 1]
        offset = self._offset(place) if place.file == self.file else None
        token = self._token(index + 1)
        return offset if offset is not None and self.text.startswith(token, offset) else None

    @cached_property
    def _lines(self) -> list[int]:
        """Where the lines of ``text`` begin."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @cached_property
    def _tokens_at(self) -> dict[Position, list[int]]:
        """The tokens that have a place; more than one if a macro is used there or repeats its argument."""
        found: dict[Position, list[int]] = {}
        for index, place in enumerate(self.source.places):
            found.setdefault(place, []).append(index)
        return found

    @cached_property
    def _first(self) -> dict[tuple[str, int, int], int]:
        """Where in the preprocessed text the first token of each place stands."""
        found: dict[tuple[str, int, int], int] = {}
        for offset, place in zip(self.source.offsets, self.source.places, strict=True):
            found.setdefault((place.file, place.line, place.column), offset)
        return found

    @cached_property
    def _parts(self) -> dict[tuple[str, int], list[tuple[int, int]]]:
        """The parts of each line: the column at which one begins, and its offset in the text; columns ascend."""
        found: dict[tuple[str, int], list[tuple[int, int]]] = {}
        for offset, place in zip(self.source.offsets, self.source.places, strict=True):
            parts = found.setdefault((place.file, place.line), [])
            if not parts or parts[-1][0] < place.column:  # where a file is included twice, the first time counts
                parts.append((place.column, offset))
        return found

    def _within_line(self, place: Position) -> int | None:
        """The offset of a place where columns are counted in lines."""
        parts = self._parts.get((place.file, place.line), [])
        index = bisect_right(parts, place.column, key=lambda part: part[0]) - 1
        if index < 0:
            return None
        column, offset = parts[index]
        within = place.column - column + 1
        return offset + _characters(self.text[offset : offset + within], within)

    def _offset(self, place: Position) -> int | None:
        if not 1 <= place.line <= len(self._lines):
            return None
        start = self._lines[place.line - 1]
        following = self._lines[place.line] if place.line < len(self._lines) else len(self.text)
        return start + _characters(self.text[start:following], place.column)


def _characters(line: str, column: int) -> int:
    """How many characters stand before a column, which counts bytes from 1."""
    if line.isascii():
        return min(column - 1, len(line))
    return len(line.encode()[: column - 1].decode(errors="ignore"))


def editable_text(source: PreprocessedSource, original: str | None, file: str) -> EditableText:
    """The text of the file if every token can be found in it by its position, else the preprocessed text."""
    if original is None or source.columns_count or _LINE_DIRECTIVE.search(original):
        return EditableText(source.text, source)
    return EditableText(original, source, file)
