"""Places in source files by the million, in a few bytes each."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from msgspec import Struct, field

from gia.errors import Position


class Places(Struct):
    """A sequence of places that grows at its end: for each, the number of its file, its line and its column.

    A program has a place for each of its tokens. As objects, they would be most of what is kept of a program.
    """

    _files: list[str] = field(default_factory=list)
    _number: dict[str, int] = field(default_factory=dict)
    _numbers: array[int] = field(default_factory=lambda: array("I"))
    _lines: array[int] = field(default_factory=lambda: array("i"))
    _columns: array[int] = field(default_factory=lambda: array("i"))

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> Position:
        return Position(self._files[self._numbers[index]], self._lines[index], self._columns[index])

    def __iter__(self) -> Iterator[Position]:
        return map(self.__getitem__, range(len(self)))

    def append(self, place: Position) -> None:
        """Add one place."""
        number = self._number.get(place.file)
        if number is None:
            number = self._number[place.file] = len(self._files)
            self._files.append(place.file)
        self._numbers.append(number)
        self._lines.append(place.line)
        self._columns.append(place.column)

    def extend(self, places: Iterator[Position]) -> None:
        """Add some places."""
        for place in places:
            self.append(place)
