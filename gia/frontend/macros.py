"""Where macros are used: the place in the source that the tokens of a macro's body are given.

The preprocessor says of each token where it was written. That is the place meant for all tokens but those of a macro's
body, which were written at the ``#define``. For these this module finds the use of the outermost macro: it is the
identifier that follows, in the source, the last token that was not expanded. Two uses with nothing between them cannot
be told apart; the tokens of both are given the place of the first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from pathlib import Path

from msgspec import Struct, field

from gia.errors import Position
from gia.frontend.lines import lines_of

_LINE_DIRECTIVE = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?')
_DEFINE = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)(\(?)")
_BLANK = re.compile(r"(?:[ \t\r\n\f\v]|\\\r?\n|/\*.*?\*/|//[^\n]*|(?<=\n)[ \t]*#(?:[^\n\\]|\\\r?\n|\\.)*)*", re.DOTALL)
_TOKEN = re.compile(r"[A-Za-z_$][\w$]*|\.?\d(?:[eEpP][+-]|[\w.])*|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|.", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


class SourceFile(Struct):
    """A source file as text of one character per byte, with its presumed lines.

    ``starts`` maps a presumed place (file, line) to the offset where that line begins; ``definitions`` holds the
    presumed lines of ``#define`` directives, ``function_like`` says of each macro whether it takes arguments.
    """

    text: str
    starts: dict[tuple[str, int], int] = field(default_factory=dict)
    order: list[tuple[int, str, int]] = field(default_factory=list)
    definitions: set[tuple[str, int]] = field(default_factory=set)
    function_like: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, content: bytes, name: str) -> SourceFile:
        """Read the directives of a file called ``name``."""
        source = cls(content.decode("latin-1"))
        file, line, offset, continued = name, 1, 0, False
        for physical in lines_of(source.text):
            source.starts.setdefault((file, line), offset)
            source.order.append((offset, file, line))
            define = _DEFINE.match(physical)
            if define is not None:
                source.function_like[define[1]] = define[2] == "("
            if define is not None or continued:
                source.definitions.add((file, line))
                continued = physical.rstrip("\r\n").endswith("\\")
            directive = _LINE_DIRECTIVE.match(physical)
            offset += len(physical)
            line += 1
            if directive is not None:
                line = int(directive[1])
                file = directive[2] if directive[2] is not None else file
        return source

    @property
    def files(self) -> frozenset[str]:
        """The names under which parts of this file present themselves."""
        return frozenset(file for file, _ in self.starts)

    def offset(self, place: Position) -> int | None:
        """The offset of a presumed place, ``None`` if the file has no such line."""
        start = self.starts.get((place.file, place.line))
        return None if start is None else start + max(place.column - 1, 0)

    def position(self, offset: int) -> Position:
        """The presumed place of an offset."""
        start, file, line = self.order[bisect_right(self.order, offset, key=lambda entry: entry[0]) - 1]
        return Position(file, line, offset - start + 1)

    def token_end(self, begin: int) -> int:
        """The offset behind the token that begins at ``begin``."""
        token = _TOKEN.match(self.text, begin)
        return token.end() if token is not None else begin

    def use_at(self, begin: int) -> tuple[int, int] | None:
        """Begin and end of the macro use at ``begin``, with its arguments."""
        name = _IDENTIFIER.match(self.text, begin)
        if name is None:
            return None
        opening = self.skip_blank(name.end())
        if self.text[opening : opening + 1] != "(" or not self.function_like.get(name[0], True):
            return begin, name.end()
        depth, offset = 0, opening
        while offset < len(self.text):
            token = _TOKEN.match(self.text, offset)
            assert token is not None
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            offset = token.end()
            if depth == 0:
                break
            offset = self.skip_blank(offset)
        return begin, offset

    def skip_blank(self, offset: int) -> int:
        """The offset of the next token: behind white space, comments and directives."""
        blank = _BLANK.match(self.text, offset)
        return blank.end() if blank is not None else offset


class MacroUses:
    """Gives the tokens of a preprocessor's output, one after the other, their place in the source.

    The names of files count from ``directory``.
    """

    def __init__(self, main: SourceFile, directory: Path) -> None:
        self._directory = directory
        self._main = main
        self._main_files = main.files
        self._files: dict[str, SourceFile | None] = {}
        self._source: SourceFile | None = None
        self._behind = 0
        """The offset in the source behind what the tokens so far stem from."""
        self._use: tuple[int, int] | None = None
        """The macro use that is being expanded."""
        self._last: Position | None = None
        self._written: list[int] = []
        """The offsets of the last tokens of the source itself, which count from the next token of a macro's body on:
        most tokens of most programs come after the last one."""

    def place(self, written: Position, output_file: str) -> Position:
        """The place of the next token.

        ``written`` is where the token was written, ``output_file`` the file that the output is in.
        """
        source = self._find_source(output_file)
        if source is not self._source:
            self._source, self._behind, self._use, self._last = source, 0, None, None
            self._written.clear()
        if source is None:
            return written
        offset = source.offset(written)
        if offset is not None and (written.file, written.line) not in source.definitions:
            self._written.append(offset)
            self._last = written
            return written
        for offset in self._written:
            self._advance(source, offset)
        self._written.clear()
        if self._use is None:
            self._use = source.use_at(source.skip_blank(self._behind))
        if self._use is not None:
            self._behind = self._use[1]
            return source.position(self._use[0])
        return self._last or written

    def _advance(self, source: SourceFile, offset: int) -> None:
        """Step to a token of the source itself, which may be an argument of a macro use."""
        if self._use is not None and self._use[0] <= offset < self._use[1]:
            return
        self._use = None
        gap = source.skip_blank(self._behind) if self._behind <= offset else offset
        if gap < offset:
            use = source.use_at(gap)
            if use is not None and use[0] <= offset < use[1]:
                self._use, self._behind = use, use[1]
                return
        self._behind = source.token_end(offset)

    def _find_source(self, file: str) -> SourceFile | None:
        """The source that presents itself as ``file``; ``None`` if it cannot be read."""
        if file in self._main_files:
            return self._main
        if file not in self._files:
            path = self._directory / file
            self._files[file] = SourceFile.of(path.read_bytes(), file) if path.is_file() else None
        return self._files[file]
