"""C text in which each token stands where it did: line markers name the file and the line, and blanks lead to the
column."""

from __future__ import annotations

from typing import Final

from gia.cfa.quoting import quoted
from gia.errors import Position

_LINES: Final = 8
"""So many lines are left empty rather than counted anew."""


class PlacedText:
    """Text that grows by tokens with places, read by :func:`gia.frontend.preprocessed.by_line_markers`."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._file: tuple[str, bool] | None = None
        self._line = 0
        self._column = 1

    def add(self, text: str, place: Position, *, is_system: bool, is_apart: bool) -> None:
        """Add a token; ``is_apart`` says that it must not follow the one before without a blank."""
        line, column = max(place.line, 1), max(place.column, 1)
        if line == self._line:
            fits = column > self._column or (column == self._column and not is_apart) or self._column == 1
        else:
            fits = self._line < line <= self._line + _LINES
        if self._file != (place.file, is_system) or not fits:
            self._mark(place.file, line, is_system)
        elif line > self._line:
            self._end_lines(line - self._line)
        self._pieces.append(" " * (column - self._column) + text)
        self._column = column + len(text.encode())

    def add_line(self, text: str) -> None:
        """Add a line for the compiler."""
        self._end_lines(0 if self._column == 1 else 1)
        self._pieces.append(text.strip())
        self._end_lines(1)

    def text(self) -> str:
        """All of it."""
        return "".join([*self._pieces, "\n"])

    def _end_lines(self, number: int) -> None:
        self._pieces.append("\n" * number)
        self._line += number
        self._column = 1 if number else self._column

    def _mark(self, file: str, line: int, is_system: bool) -> None:
        start = "\n" if self._column > 1 else ""
        self._pieces.append(f"{start}# {line} {quoted(file)}{' 3' if is_system else ''}\n")
        self._file, self._line, self._column = (file, is_system), line, 1
