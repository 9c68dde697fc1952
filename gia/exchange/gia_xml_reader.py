"""Reading a GIA file: one pass of expat, with nothing in the document that can cost more than its size.

There is no document type and no entity, elements nest at most :data:`MAXIMAL_DEPTH` deep, and one tag
or text holds at most :data:`MAXIMAL_TOKEN` bytes. Errors are :class:`~gia.errors.DocumentError` with
the line and what was expected there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from pyexpat import XMLParserType
from typing import BinaryIO, NoReturn
from xml.parsers import expat

from gia.automaton.model import (
    ANY,
    Acceptance,
    ActorRecord,
    Automaton,
    Condition,
    Metadata,
    State,
    Transition,
)
from gia.automaton.wellformed import EDGE_KIND
from gia.cfa.graph import EdgeReference
from gia.errors import DocumentError, Position
from gia.exchange.gia_xml_grammar import GRAMMAR, NAMESPACE

MAXIMAL_DEPTH = 8
MAXIMAL_TOKEN = 64 * 2**20
MAXIMAL_EXPANSION = 10_000_000
"""How many more members than bytes the edge sets of a document may have, so that sets of sets stay bounded."""

_CHUNK = 2**18
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})")
_NUMBER = re.compile(r"\d{1,9}")
_SECONDS = re.compile(r"\d{1,12}(\.\d{1,20})?([eE][-+]?\d{1,3})?")


def read_stream(stream: BinaryIO, name: str) -> Automaton:
    """The automaton in the GIA document that the stream holds; ``name`` is what errors call it."""
    return _Reader(name).read(stream)


class _Reader:
    """The state of one pass over a document."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.parser = _new_parser(self)
        self.lenient = False
        self.depth_ignored = 0
        self.path: list[str] = []
        self.last: dict[str, int] = {}
        self.text: list[str] = []
        self.text_length = 0
        self.attributes: dict[str, str] = {}
        self.members = 0
        self.seen_edges: set[EdgeReference] = set()
        self.edges: dict[str, EdgeReference] = {}
        self.texts: dict[EdgeReference, str] = {}
        self.sets: dict[str, frozenset[EdgeReference]] = {}
        self.lists: dict[str, frozenset[EdgeReference] | None] = {"*": ANY}
        self.expressions: dict[str, Condition] = {}
        self.state_numbers: dict[str, int] = {}
        self.states: list[State] = []
        self.initial: int | None = None
        self.transitions: list[Transition] = []
        self.metadata = Metadata()
        self.starts: Mapping[str, Callable[[dict[str, str]], None]] = {
            "gia": self._start_gia,
            "task": self._start_task,
            "actor": self._start_actor,
            "edge-set": self._start_edge_set,
            "state": self._start_state,
            "transition": self._start_transition,
        }
        self.ends: Mapping[str, Callable[[dict[str, str], str], None]] = {
            "created": self._end_created,
            "edge": self._end_edge,
            "expression": self._end_expression,
        }

    def read(self, stream: BinaryIO) -> Automaton:
        """Feeds the parser piece by piece, so that a token that does not end is noticed in time."""
        fed = 0
        try:
            while chunk := stream.read(_CHUNK):
                if not fed and (chunk.startswith(_UTF_16) or b"\0" in chunk[:4]):
                    self.fail("no UTF-8", "UTF-8 XML")
                self.parser.Parse(chunk, False)
                fed += len(chunk)
                if fed - max(self.parser.CurrentByteIndex, 0) > MAXIMAL_TOKEN:
                    self._fail_token()
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            position = Position(self.name, error.lineno, error.offset + 1)
            what = expat.ErrorString(error.code)
            raise DocumentError(f"not well-formed XML: {what}", position, "a GIA file is UTF-8 XML") from error
        if self.initial is None:
            self.fail("no state is initial", 'one <state> with initial="true"')
        return Automaton(tuple(self.states), tuple(self.transitions), self.initial, self.metadata, self.texts)

    def fail(self, problem: str, expected: str) -> NoReturn:
        """Raises a DocumentError for the place where the parser is."""
        position = Position(self.name, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
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
            self._start_transition(attributes)
            return
        parent = self.path[-1] if self.path else ""
        allowed = GRAMMAR[parent].children if parent else ("gia",)
        if element not in allowed or space != NAMESPACE:
            if self.lenient and parent:
                self._descend_ignored()
                return
            inside = f"inside <{parent}>" if parent else "as the root"
            self.fail(f"<{element}> of namespace {space!r} {inside}", _either(allowed) + f" of namespace {NAMESPACE!r}")
        if parent in ("gia", "metadata"):
            self._check_order(parent, element)
        self.path = [*self.path, element]
        self.text, self.text_length = [], 0
        self.attributes = self._checked(element, attributes)
        if handler := self.starts.get(element):
            handler(self.attributes)

    def end(self, _tag: str) -> None:
        """An end tag."""
        if self.depth_ignored:
            self.depth_ignored -= 1
            return
        if handler := self.ends.get(self.path[-1]):
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
            self.fail(f"the text {_shown(text.strip())} inside <{self.path[-1] if self.path else ''}>", "elements only")

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
                self.fail(f"<{element}> with the attribute {_shown(name)}", _either(known) if known else "no attribute")
        return found

    # ---- the elements

    def _start_gia(self, attributes: dict[str, str]) -> None:
        version = attributes["version"]
        match = _VERSION.fullmatch(version)
        if not match or int(match[1]) != 1:
            self.fail(f"version {_shown(version)}", 'version "1.0", or another minor version of 1')
        self.lenient = int(match[2]) > 0
        if not self.lenient and len(attributes) > 1:
            self.fail("<gia> with unknown attributes", "the attribute version only")

    def _end_created(self, _attributes: dict[str, str], text: str) -> None:
        self.metadata = _replace(self.metadata, created=text)

    def _start_task(self, attributes: dict[str, str]) -> None:
        self.metadata = _replace(
            self.metadata,
            program=attributes.get("file", ""),
            sha256=attributes.get("sha256", ""),
            data_model=attributes.get("data-model", ""),
            specification=attributes.get("specification", ""),
        )

    def _start_actor(self, attributes: dict[str, str]) -> None:
        wall, cpu = (attributes.get(name, "0") for name in ("wall", "cpu"))
        for seconds in (wall, cpu):
            if not _SECONDS.fullmatch(seconds) or not isfinite(float(seconds)):
                self.fail(f"the time {_shown(seconds)}", "a number of seconds")
        direction = attributes.get("direction", "")
        record = ActorRecord(attributes["name"], attributes.get("version", ""), direction, float(wall), float(cpu))
        self.metadata = _replace(self.metadata, actors=(*self.metadata.actors, record))

    def _end_edge(self, attributes: dict[str, str], text: str) -> None:
        identifier = self._new_id(attributes["id"], "edge", self.edges)
        numbers = (self._number(attributes.get(name, "1"), name) for name in ("line", "column", "ordinal"))
        line, column, ordinal = numbers
        if ordinal < 1:
            self.fail("the ordinal 0", "a number from 1")
        kind = attributes["kind"]
        if not EDGE_KIND.fullmatch(kind):
            self.fail(f"the kind {_shown(kind)}", "a word such as assume, assign, call, return or input")
        if not attributes["function"]:
            self.fail("an edge without function", "the name of the function that the edge belongs to")
        edge = EdgeReference(attributes["function"], line, column, kind, attributes.get("branch", ""), ordinal)
        if edge in self.seen_edges:
            self.fail(f"the edge {_shown(identifier)} declared under another id before", "each edge once")
        self.seen_edges.add(edge)
        self.edges[identifier] = edge
        if text:
            self.texts[edge] = text

    def _start_edge_set(self, attributes: dict[str, str]) -> None:
        identifier = attributes["id"]
        if identifier in self.edges:
            self.fail(f"the id {_shown(identifier)} of an edge", "an id of its own for each edge and edge set")
        self._new_id(identifier, "edge set", self.sets)
        edges = self._edges(attributes["edges"])
        if edges is ANY:
            self.fail('an edge set with edges="*"', "ids of edges")
        self.sets[identifier] = edges

    def _end_expression(self, attributes: dict[str, str], text: str) -> None:
        identifier = self._new_id(attributes["id"], "expression", self.expressions)
        if not text.strip():
            self.fail("an empty expression", "a C expression")
        self.expressions[identifier] = Condition(text, attributes.get("scope", ""))

    def _start_state(self, attributes: dict[str, str]) -> None:
        identifier = self._new_id(attributes["id"], "state", self.state_numbers)
        number = self.state_numbers[identifier] = len(self.states)
        accept = attributes.get("accept")
        if accept is not None and accept not in _ACCEPT:
            self.fail(f"accept {_shown(accept)}", _either(_ACCEPT))
        initial = attributes.get("initial", "false")
        if initial not in ("true", "false"):
            self.fail(f"initial {_shown(initial)}", "true or false")
        if initial == "true":
            if self.initial is not None:
                self.fail(f"a second initial state {_shown(identifier)}", "exactly one")
            self.initial = number
        invariant = self._condition(attributes.get("invariant"))
        self.states.append(State(invariant, None if accept is None else Acceptance(accept)))

    def _start_transition(self, attributes: dict[str, str]) -> None:
        try:
            source = self.state_numbers[attributes["from"]]
            target = self.state_numbers[attributes["to"]]
            edges = self.lists[attributes["edges"]]
        except KeyError:
            source, target, edges = self._checked_transition(self._checked("transition", attributes))
        assumption: Condition | None = None
        if len(attributes) > 3:
            assumption = self._condition(self._checked("transition", attributes).get("assumption"))
        self.transitions.append(Transition(source, target, edges, assumption))

    def _checked_transition(self, attributes: dict[str, str]) -> tuple[int, int, frozenset[EdgeReference] | None]:
        """The parts of a transition when one of them is new or wrong."""
        ends = []
        for name in ("from", "to"):
            if attributes[name] not in self.state_numbers:
                self.fail(f"the unknown state {_shown(attributes[name])}", "the id of a <state>")
            ends.append(self.state_numbers[attributes[name]])
        return ends[0], ends[1], self._edges(attributes["edges"])

    # ---- values of attributes

    def _edges(self, text: str) -> frozenset[EdgeReference] | None:
        """The edges of an attribute ``edges``: ``*``, or ids of edges and edge sets between spaces."""
        if text in self.lists:
            return self.lists[text]
        found: set[EdgeReference] = set()
        for identifier in text.split():
            if identifier in self.edges:
                found.add(self.edges[identifier])
            elif identifier in self.sets:
                found |= self.sets[identifier]
            else:
                self.fail(f"the unknown edge {_shown(identifier)}", "the id of an <edge> or <edge-set>, or * alone")
        if not found:
            self.fail("no edges", "* or at least one edge")
        self.members += len(found)
        if self.members > MAXIMAL_EXPANSION + self.parser.CurrentByteIndex:
            self.fail("edge sets that are far larger than the document", "fewer sets made of sets")
        self.lists[text] = frozenset(found)
        return self.lists[text]

    def _condition(self, identifier: str | None) -> Condition | None:
        if identifier is None:
            return None
        if identifier not in self.expressions:
            self.fail(f"the unknown expression {_shown(identifier)}", "the id of an <expression>")
        return self.expressions[identifier]

    def _new_id(self, identifier: str, what: str, known: Mapping[str, object]) -> str:
        if identifier in known:
            self.fail(f"a second {what} {_shown(identifier)}", "ids that differ")
        if not identifier or "*" in identifier or identifier.split() != [identifier]:
            self.fail(f"the id {_shown(identifier)}", "a name without spaces and without *")
        return identifier

    def _number(self, text: str, name: str) -> int:
        if not _NUMBER.fullmatch(text) or not text.isascii():
            self.fail(f"the {name} {_shown(text)}", "a number of at most nine digits")
        return int(text)


_TRANSITION = f"{NAMESPACE} transition"
_IN_TRANSITIONS = ["gia", "transitions"]
_IN_TRANSITION = [*_IN_TRANSITIONS, "transition"]
_ACCEPT = tuple(kind.value for kind in Acceptance)


def _new_parser(reader: _Reader) -> XMLParserType:
    parser = expat.ParserCreate(encoding="UTF-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.XmlDeclHandler = reader.declaration
    parser.StartDoctypeDeclHandler = reader.refuse_doctype
    parser.ProcessingInstructionHandler = reader.refuse_instruction
    return parser


def _replace(metadata: Metadata, **changes: object) -> Metadata:
    fields = {name: getattr(metadata, name) for name in Metadata.__dataclass_fields__}
    return Metadata(**{**fields, **changes})


def _either(names: tuple[str, ...] | list[str]) -> str:
    return " or ".join(names) if len(names) < 3 else ", ".join(names[:-1]) + " or " + names[-1]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
