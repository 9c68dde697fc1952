"""The text of a C program, as far as positions in it need it: where calls, conditions and statements end.

Comments and the contents of literals are blanked first, so that parentheses and semicolons in them do not count.
Positions are lines and columns from 1; a column counts characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path

from gia.errors import InputError, Position

_HIDDEN = re.compile(r"""//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_OPENING = {"(": ")", "[": "]", "{": "}"}
Point = tuple[int, int]
"""Line and column."""


class SourceText:
    """The text of one file."""

    def __init__(self, text: str) -> None:
        self.text = _HIDDEN.sub(_blank, text)
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    @staticmethod
    def of(path: str) -> SourceText:
        """The text of the file at ``path``. Raises :class:`InputError` if it cannot be read."""
        try:
            return SourceText(Path(path).read_bytes().decode("utf-8", "replace"))
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", Position(path)) from None

    def offset(self, point: Point) -> int | None:
        """The index of a position in the text; ``None`` if it is not in it."""
        line, column = point
        if not 1 <= line <= len(self._starts) or column < 1:
            return None
        offset = self._starts[line - 1] + column - 1
        return offset if offset < len(self.text) else None

    def point(self, offset: int) -> Point:
        """The position of an index."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """A line of the text, without comments."""
        if not 1 <= number <= len(self._starts):
            return ""
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end].rstrip("\r\n")

    def first_column(self, line: int) -> int:
        """The column of the first character of a line that is no space; 1 if there is none."""
        text = self.line(line)
        return len(text) - len(text.lstrip()) + 1 if text.strip() else 1

    def word(self, point: Point) -> str:
        """The identifier or keyword that begins at a position; empty if there is none."""
        offset = self.offset(point)
        found = None if offset is None else re.compile(r"\w+").match(self.text, offset)
        return found[0] if found else ""

    def closing(self, start: int) -> int | None:
        """The index of the bracket that closes the one at index ``start``; ``None`` if none does."""
        expected: list[str] = []
        for offset in range(start, len(self.text)):
            character = self.text[offset]
            if character in _OPENING:
                expected.append(_OPENING[character])
            elif character in ")]}":
                if not expected or expected.pop() != character:
                    return None
                if not expected:
                    return offset
        return None

    def closing_of_call(self, point: Point, function: str) -> Point | None:
        """The parenthesis that closes the call of ``function`` that begins at a position; ``None`` if none does."""
        parentheses = self._arguments(point, function)
        return None if parentheses is None else self.point(parentheses[1])

    def _arguments(self, point: Point, function: str) -> tuple[int, int] | None:
        """The indices of the parentheses of the call of ``function`` that begins at a position."""
        offset = self.offset(point)
        if offset is None:
            return None
        found = re.compile(rf"{re.escape(function)}\s*\(").match(self.text, offset)
        if found is None:
            return None
        end = self.closing(found.end() - 1)
        return None if end is None else (found.end() - 1, end)

    def block_around(self, offset: int) -> tuple[int, int]:
        """The indices of the braces of the innermost block around an index; of the whole text if there is none."""
        depth = 0
        for index in range(offset - 1, -1, -1):
            depth += (self.text[index] == "}") - (self.text[index] == "{")
            if depth < 0:
                return index, self.closing(index) or len(self.text)
        return -1, len(self.text)

    def statement_begin(self, point: Point) -> Point | None:
        """The first character behind the end of the statement or the brace before a position."""
        offset = self.offset(point)
        if offset is None:
            return None
        before = max(self.text.rfind(mark, 0, offset) for mark in ";{}") + 1
        return self.point(before + len(self.text[before:offset]) - len(self.text[before:offset].lstrip()))

    def statement_end(self, point: Point) -> Point | None:
        """Where the statement that begins at a position ends: at its semicolon, or behind its controlling expression.

        For a block, the position itself.
        """
        offset = self.offset(point)
        if offset is None:
            return None
        control = re.compile(r"(if|while|for|switch)\s*\(").match(self.text, offset)
        if control:
            end = self.closing(control.end() - 1)
            return None if end is None else self.point(end)
        depth = 0
        for index in range(offset, len(self.text)):
            character = self.text[index]
            depth += (character in "([{") - (character in ")]}")
            if depth < 0 or (depth == 0 and character in ";}"):
                return self.point(index)
        return None

    def loop_condition(self, point: Point) -> tuple[Point, Point] | None:
        """Where the controlling expression of the ``while`` or ``for`` at a position begins and ends."""
        offset = self.offset(point)
        control = None if offset is None else re.compile(r"(while|for)\s*\(").match(self.text, offset)
        end = None if control is None else self.closing(control.end() - 1)
        if control is None or end is None:
            return None
        start = control.end()
        if control[1] == "for":
            separators = self._separators(start, end)
            if len(separators) != 2:
                return None
            start, end = separators[0] + 1, separators[1]
        return self.point(start), self.point(end)

    def do_condition(self, point: Point) -> tuple[Point, Point] | None:
        """As :meth:`loop_condition` for the ``do`` at a position, if its body is a block."""
        offset = self.offset(point)
        body = None if offset is None else re.compile(r"do\s*\{").match(self.text, offset)
        end = None if body is None else self.closing(body.end() - 1)
        control = None if end is None else re.compile(r"\s*while\s*\(").match(self.text, end + 1)
        close = None if control is None else self.closing(control.end() - 1)
        if control is None or close is None:
            return None
        return self.point(control.end()), self.point(close)

    def _separators(self, start: int, end: int) -> list[int]:
        """The indices of the semicolons between two indices that are in no brackets."""
        found, depth = [], 0
        for index in range(start, end):
            character = self.text[index]
            depth += (character in "([{") - (character in ")]}")
            if depth == 0 and character == ";":
                found.append(index)
        return found


def _blank(found: re.Match[str]) -> str:
    """A comment or literal of the same length and lines; a literal keeps its quotes."""
    text = found[0]
    blanks = re.sub(r"[^\n]", " ", text)
    return text[0] + blanks[1:-1] + text[-1] if text[0] in "\"'" else blanks
