"""Reading a GIA file: one pass of expat, with nothing in the document that can cost more than its size.

Blocks of canonical lines (:mod:`gia.exchange.gia_xml.lines`) go past expat: for it, they are not in the document, and
its lines and bytes are counted accordingly.

There is no document type and no entity, elements nest at most :data:`MAXIMAL_DEPTH` deep, and one tag
or text holds at most :data:`MAXIMAL_TOKEN` bytes. Errors are :class:`~gia.errors.DocumentError` with
the line and what was expected there.
"""

from __future__ import annotations

import re
from pyexpat import XMLParserType
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from gia.automaton.bulk import bulk_allocation
from gia.automaton.model import Automaton
from gia.errors import DocumentError, Position
from gia.exchange.gia_xml.elements import Elements, either, shown
from gia.exchange.gia_xml.grammar import GRAMMAR, NAMESPACE
from gia.exchange.gia_xml.lines import SECTION_START, CanonicalLines

MAXIMAL_DEPTH = 8
MAXIMAL_TOKEN = 64 * 2**20
_CHUNK = 2**18
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")


def read_stream(stream: BinaryIO, name: str, *, by_lines: bool = True) -> Automaton:
    """The automaton in the GIA document that the stream holds; ``name`` is what errors call it.

    Without ``by_lines``, all goes through expat; nothing but the time it takes depends on it.
    """
    with bulk_allocation():
        return _Reader(name, by_lines).read(stream)


class _Reader:
    """The state of one pass over a document."""

    def __init__(self, name: str, by_lines: bool) -> None:
        self.name = name
        self.elements = Elements(self)
        self.lines = CanonicalLines(self.elements.tables, self.elements.edges_or_none)
        self.by_lines = by_lines
        self.section: str | None = None
        """The section whose lines come next, if expat has just read its canonical start tag."""
        self.fed = 0
        self.skipped_lines = 0
        self.skipped_bytes = 0
        self.section_start = -1
        """Where in the document the last section begins, in bytes."""
        self.parser = _new_parser(self)
        self.lenient = False
        self.depth_ignored = 0
        self.path: list[str] = []
        self.last: dict[str, int] = {}
        self.text: list[str] = []
        self.text_length = 0
        self.attributes: dict[str, str] = {}

    def read(self, stream: BinaryIO) -> Automaton:
        """Reads the document piece by piece, so that a token that does not end is noticed in time."""
        rest = b""
        try:
            while chunk := stream.read(self._next_size()):
                if not self.fed and (chunk.startswith(_UTF_16) or b"\0" in chunk[:4]):
                    self.fail("no UTF-8", "UTF-8 XML")
                data = rest + chunk
                end = data.rfind(b"\n") + 1 or len(data)
                rest = data[end:]
                self._take(data[:end])
            self._take(rest)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            position = Position(self.name, error.lineno + self.skipped_lines, error.offset + 1)
            what = expat.ErrorString(error.code)
            raise DocumentError(f"not well-formed XML: {what}", position, "a GIA file is UTF-8 XML") from error
        return self.elements.automaton()

    def _take(self, data: bytes) -> None:
        """Reads a piece of the document that consists of whole lines, or of one that is too long for a piece."""
        begin = 0
        while begin < len(data):
            if self.section:
                end = data.find(b"\n  <", begin) + 1 or len(data)
                if self._skip(data[begin:end]):
                    begin = end
                    if begin == len(data):
                        return
                self.section = None
            found = SECTION_START.search(data, begin) if self.by_lines else None
            end = found.end() if found else len(data)
            self._feed(data[begin:end])
            if found and self.section_start == self.fed + self.skipped_bytes - len(found[0]) + 2:
                self.section = found[1].decode()
            begin = end

    def _skip(self, block: bytes) -> bool:
        """Reads lines directly inside a section if all are canonical; whether they are."""
        assert self.section
        taken = self.lines.take(self.section, block)
        if taken:
            self.skipped_lines += block.count(b"\n")
            self.skipped_bytes += len(block)
        return taken

    def _feed(self, data: bytes) -> None:
        self.parser.Parse(data, False)
        self.fed += len(data)
        if self._unfinished() > MAXIMAL_TOKEN:
            self._fail_token()

    def _unfinished(self) -> int:
        """How many bytes of a token expat has seen without its end."""
        return self.fed - max(self.parser.CurrentByteIndex, 0)

    def _next_size(self) -> int:
        """How much to read: with every piece expat reads the unfinished token again, so pieces grow as it does."""
        unfinished = self._unfinished()
        return max(_CHUNK, min(unfinished, MAXIMAL_TOKEN + 1 - unfinished))

    def offset(self) -> int:
        """The place in the document, in bytes, of what expat is reading."""
        return self.parser.CurrentByteIndex + self.skipped_bytes

    def fail(self, problem: str, expected: str) -> NoReturn:
        """Raises a DocumentError for the place where the parser is."""
        line = self.parser.CurrentLineNumber + self.skipped_lines
        position = Position(self.name, line, self.parser.CurrentColumnNumber + 1)
        raise DocumentError(f"{problem}; expected {expected}", position)

    def _fail_token(self) -> NoReturn:
        self.fail(f"a tag or text of more than {MAXIMAL_TOKEN} bytes", "shorter attributes and texts")

    # ---- the structure of the document

    def declaration(self, _version: str, encoding: str | None, _standalone: int) -> None:
        """The XML declaration."""
        if encoding is not None and encoding.upper() != "UTF-8":
            self.fail(f"the encoding is {encoding}", "UTF-8")

    def refuse_doctype(self, *_: object) -> None:
        """A document type, the only source of entities."""
        self.fail("a document type declaration", "none: GIA files have no DTD and no entities")

    def refuse_instruction(self, *_: object) -> None:
        """A processing instruction."""
        self.fail("a processing instruction", "none")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A start tag; ``tag`` is the namespace, a space and the name."""
        space, _, element = tag.rpartition(" ")
        if self.depth_ignored:
            self._descend_ignored()
            return
        if tag == _TRANSITION and self.path == _IN_TRANSITIONS:
            self.path = _IN_TRANSITION
            self.elements.starts["transition"](self._checked("transition", attributes))
            return
        parent = self.path[-1] if self.path else ""
        allowed = GRAMMAR[parent].children if parent else ("gia",)
        if element not in allowed or space != NAMESPACE:
            if self.lenient and parent:
                self._descend_ignored()
                return
            inside = f"inside <{parent}>" if parent else "as the root"
            self.fail(f"<{element}> of namespace {space!r} {inside}", either(allowed) + f" of namespace {NAMESPACE!r}")
        if parent in ("gia", "metadata"):
            self._check_order(parent, element)
        self.path = [*self.path, element]
        self.text, self.text_length = [], 0
        self.attributes = self._checked(element, attributes)
        if parent == "gia":
            self.section_start = self.offset()
        if not parent:
            self._start_gia(self.attributes)
        if handler := self.elements.starts.get(element):
            handler(self.attributes)

    def end(self, _tag: str) -> None:
        """An end tag."""
        if self.depth_ignored:
            self.depth_ignored -= 1
            return
        if handler := self.elements.ends.get(self.path[-1]):
            handler(self.attributes, "".join(self.text))
        self.path = self.path[:-1]

    def characters(self, text: str) -> None:
        """Text between tags."""
        if self.depth_ignored:
            return
        if self.path and GRAMMAR[self.path[-1]].text:
            self.text.append(text)
            self.text_length += len(text)
            if self.text_length > MAXIMAL_TOKEN:
                self._fail_token()
        elif not text.isspace():
            self.fail(f"the text {shown(text.strip())} inside <{self.path[-1] if self.path else ''}>", "elements only")

    def _descend_ignored(self) -> None:
        self.depth_ignored += 1
        if len(self.path) + self.depth_ignored > MAXIMAL_DEPTH:
            self.fail(f"elements nested more than {MAXIMAL_DEPTH} deep", "a flat document")

    def _check_order(self, parent: str, element: str) -> None:
        """That the element comes after those before it in the grammar; only actors may be several."""
        order = GRAMMAR[parent].children
        position, last = order.index(element), self.last.get(parent, -1)
        if position < last or (position == last and element != "actor"):
            self.fail(f"<{element}> after <{order[last]}>", "this order, each once: " + " ".join(order))
        self.last[parent] = position

    def _checked(self, element: str, attributes: dict[str, str]) -> dict[str, str]:
        """The attributes, when none is missing and none unknown; those of other namespaces mean nothing."""
        grammar = GRAMMAR[element]
        found = {name: value for name, value in attributes.items() if " " not in name}
        for name in sorted(grammar.required - found.keys()):
            self.fail(f"<{element}> without {name}", f"the attribute {name}")
        if element != "gia" and not self.lenient:
            for name in found.keys() - grammar.required - grammar.optional:
                known = sorted(grammar.required | grammar.optional)
                self.fail(f"<{element}> with the attribute {shown(name)}", either(known) if known else "no attribute")
        return found

    def _start_gia(self, attributes: dict[str, str]) -> None:
        version = attributes["version"]
        match = _VERSION.fullmatch(version)
        if not match or int(match[1]) != 1:
            self.fail(f"version {shown(version)}", 'version "1.0", or another minor version of 1')
        self.lenient = int(match[2]) > 0
        if not self.lenient and len(attributes) > 1:
            self.fail("<gia> with unknown attributes", "the attribute version only")


_TRANSITION = f"{NAMESPACE} transition"
_IN_TRANSITIONS = ["gia", "transitions"]
_IN_TRANSITION = [*_IN_TRANSITIONS, "transition"]


def _new_parser(reader: _Reader) -> XMLParserType:
    parser = expat.ParserCreate(encoding="UTF-8", namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.XmlDeclHandler = reader.declaration
    parser.StartDoctypeDeclHandler = reader.refuse_doctype
    parser.ProcessingInstructionHandler = reader.refuse_instruction
    return parser
