"""Preprocessed text in which every character knows its place in the original source.

``gcc -E -fdebug-cpp`` writes the place of each token before it, in the presumed lines of ``#line`` directives and with
columns that count bytes from 1. A token of a macro's body carries the place of the macro's definition instead; it is
given the place where the outermost macro is used, which :mod:`gia.frontend.macros` finds. Of what system headers
declare, only lines are kept: it is most of what a small program consists of. Without such markers, there are the
lines that the compiler writes in any case.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct, field

from gia.errors import Position
from gia.frontend.lines import lines_of
from gia.frontend.macros import MacroUses
from gia.frontend.places import Places

ADDED = "<library>"
"""The file that text which was added to a program says it stands in."""

_MARKER = (
    r"\{P:(?P<file>[^\n]*?);F:[^\n]*?;L:(?P<line>-?\d+);C:(?P<column>-?\d+);S:(?P<system>-?\d);"
    r"M:[^;\n]*;E:-?\d,[^}\n]*\}"
)
LITERAL = r'"(?:[^"\\\n]|\\.)*"|' r"'(?:[^'\\\n]|\\.)*'"
"""The literals of C that are text, as a regular expression."""
_MARKER_OR_LITERAL = re.compile(f"{_MARKER}|(?P<literal>{LITERAL})")
_MARKER_WITHOUT_BRACE_OR_LITERAL = re.compile(rf"\{{P:[^}}\n]*\}}|({LITERAL})")
"""The same where no file has a brace in its name: most of the text is looked at so."""
_MARKER_START = re.compile(r"\{P:[^\n]*?;F:[^\n]*?;L:-?\d+;C:-?\d+;S:")
_LINE_MARKER = re.compile(r'\#(?<![^\n}]\#) (?P<line>\d+) "(?P<file>(?:[^"\\\n]|\\.)*)"(?P<flags>[ \d]*)(?:\n|\Z)')
"""At the beginning of a line, or behind a token marker there."""
_NO_TOKEN = frozenset({"", "\n", " ", "\t", "#"})
_INVENTED_FILES = frozenset({"", "<built-in>", "<command-line>"})
_ENTERED, _SYSTEM_HEADER = "1", "3"
"""Flags of line markers (The C Preprocessor, 9)."""
HEADER_TOKEN, HEADER_LINE = 1, 2
"""Kinds of what stems from system headers."""
_FUNCTION = re.compile(r"\)[^;{}()]*\{")
"""Where the body of a function begins, or something that looks so."""
_DIRECTIVE = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)"([ \t0-9]*))?')


class PreprocessedSource(Struct, frozen=True):
    """Preprocessed C and the place of its tokens.

    ``text`` is what gcc accepts with ``-x cpp-output``. ``offsets`` is sorted; the characters from ``offsets[i]`` up
    to ``offsets[i + 1]`` stem from ``places[i]``, and from a system header if ``system[i]`` is not 0. It says then
    whether they are a token of it (:data:`HEADER_TOKEN`) or a line, in which columns are counted (:data:`HEADER_LINE`).
    """

    text: str
    offsets: array[int] = field(default_factory=lambda: array("I"))
    places: Places = field(default_factory=Places)
    system: bytearray = field(default_factory=bytearray)
    columns_count: bool = False
    """Whether all entries are lines or parts of lines, in which columns are counted, and not tokens."""

    def position(self, offset: int) -> Position:
        """Where the token at ``offset`` stands in the source; a pragma has no place but that of what follows."""
        if not self.places:
            return Position("")
        index = max(0, bisect_right(self.offsets, offset) - 1)
        place = self.places[index]
        if not self.columns_count and self.system[index] != HEADER_LINE:
            return place
        before = len(self.text[self.offsets[index] : offset].encode())
        return Position(place.file, place.line, place.column + before)

    def in_system_header(self, offset: int) -> bool:
        """Whether the character at ``offset`` was written in a system header (or in a macro that one defines)."""
        index = bisect_right(self.offsets, offset) - 1
        return bool(self.system) and bool(self.system[max(index, 0)])

    def is_foreign(self, offset: int) -> bool:
        """Whether the user did not write the character at ``offset``: it is in a system header, or was added."""
        return self.in_system_header(offset) or self.position(offset).file == ADDED


class _Part(Struct, frozen=True):
    """What the compiler has written of one file: a line marker, and the text behind it, which begins in a line."""

    marker: str
    text: str
    file: str = ""
    line: int = 1
    is_header: bool = False
    """Whether the file is a system header, and not one in which a macro of such a header is used."""


def by_token_markers(marked: str, uses: MacroUses) -> PreprocessedSource:
    """Take the markers out of the compiler's output and keep what they say."""
    parts = list(_parts(marked))
    has_braces = any("}" in part.file for part in parts)
    plain = {index: _without_markers(part.text, has_braces) for index, part in enumerate(parts) if part.is_header}
    written: dict[str, list[str]] = {}
    for index, text in plain.items():
        written.setdefault(parts[index].file, []).append(text)
    declares_only = {file for file, texts in written.items() if not _FUNCTION.search("".join(texts))}
    result = _Unmarked(uses)
    for index, part in enumerate(parts):
        if part.file in declares_only:
            result.add_lines(part, plain[index])
        else:
            result.add_tokens(part)
    return result.source()


def _parts(marked: str) -> Iterator[_Part]:
    marker, begin = None, 0
    headers: set[str] = set()
    for found in [*_LINE_MARKER.finditer(marked), None]:
        end = len(marked) if found is None else found.start()
        if marker is None:
            yield _Part("", marked[begin:end])
        else:
            file, flags = unescape(marker["file"]), marker["flags"].split()
            if _ENTERED in flags and _SYSTEM_HEADER in flags:
                headers.add(file)
            yield _Part(marker[0], marked[begin:end], file, int(marker["line"]), file in headers)
        if found is not None:
            marker, begin = found, found.end()


def _without_markers(text: str, has_braces: bool) -> str:
    if has_braces:
        return _MARKER_OR_LITERAL.sub(r"\g<literal>", text)
    return "".join(filter(None, _MARKER_WITHOUT_BRACE_OR_LITERAL.split(text)))


class _Unmarked:
    """The text without markers so far, and its places."""

    def __init__(self, uses: MacroUses) -> None:
        self._uses = uses
        self._pieces: list[str] = []
        self._source = PreprocessedSource("")
        self._length = 0
        self._last: re.Match[str] | None = None
        """The marker of the last token: the first one of a part has it before the line marker."""

    def add_tokens(self, part: _Part) -> None:
        """Add a part with the place of each token."""
        self._append(part.marker)
        if self._last is not None and part.marker:
            self._begin_token(part, 0, self._last)
        consumed = 0
        for found in _MARKER_OR_LITERAL.finditer(part.text):
            if found["literal"] is None:
                self._append(part.text[consumed : found.start()])
                consumed, self._last = found.end(), found
                self._begin_token(part, consumed, found)
        self._append(part.text[consumed:])

    def add_lines(self, part: _Part, plain: str) -> None:
        """Add a part of a system header with the place of each line."""
        self._append(part.marker)
        for number, line in enumerate(lines_of(plain), part.line):
            if not line.isspace():
                self._begin(Position(part.file, number, 1), HEADER_LINE)
            self._append(line)
        last = part.text.rfind("{P:")
        self._last = _MARKER_OR_LITERAL.match(part.text, last) if last >= 0 else self._last

    def source(self) -> PreprocessedSource:
        """What was put together."""
        source = self._source
        return PreprocessedSource("".join(self._pieces), source.offsets, source.places, source.system)

    def _begin_token(self, part: _Part, start: int, marker: re.Match[str]) -> None:
        """Keep the place of what stands at ``start`` of the part, if it is a token, and is added next."""
        if part.text[start : start + 1] in _NO_TOKEN or _MARKER_START.match(part.text, start):
            return
        written = Position(unescape(marker["file"]), int(marker["line"]), int(marker["column"]))
        place = written if part.file in _INVENTED_FILES else self._uses.place(written, part.file)
        self._begin(place, HEADER_TOKEN if marker["system"] == "1" else 0)

    def _begin(self, place: Position, system: int) -> None:
        self._source.offsets.append(self._length)
        self._source.places.append(place)
        self._source.system.append(system)

    def _append(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def by_line_markers(text: str, file: str) -> PreprocessedSource:
    """Places from line markers alone; the columns are those of the text."""
    source = PreprocessedSource(text, columns_count=True)
    line, system, offset = 1, False, 0
    for physical in lines_of(text):
        directive = _DIRECTIVE.match(physical)
        if directive is not None:
            line = int(directive[1])
            if directive[2] is not None:
                file, system = unescape(directive[2]), _SYSTEM_HEADER in directive[3].split()
        else:
            source.offsets.append(offset)
            source.places.append(Position(file, line, 1))
            source.system.append(system)
            line += 1
        offset += len(physical)
    return source


def unescape(name: str) -> str:
    """The name in a line marker, where quotes and backslashes are escaped."""
    return name if "\\" not in name else re.sub(r"\\(.)", r"\1", name)
