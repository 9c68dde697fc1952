"""Verification witnesses in GraphML 1.0 as values and as text.

Format: Beyer, Dangl, Dietsch, Heizmann, Lemberger & Tautschnig, *Verification Witnesses*, TOSEM 2022. Read leniently:
the names of data are resolved through the declared keys and accepted as they are (``returnFrom`` for
``returnFromFunction``), defaults are applied, a comment may stand before the XML declaration. No entities, bounded
size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final
from xml.parsers import expat

from msgspec import Struct, field

from gia.errors import DocumentError, Position
from gia.exchange.witness.model import WitnessTask

MAXIMAL_BYTES: Final = 64 << 20
MAXIMAL_DEPTH: Final = 20

_NAMES: Final = {
    "isViolationNode": "violation",
    "isEntryNode": "entry",
    "isSinkNode": "sink",
    "sourcecodeLanguage": "sourcecodelang",
    "programFile": "programfile",
    "programHash": "programhash",
    "creationTime": "creationtime",
    "originFileName": "originfile",
    "returnFromFunction": "returnFromFunction",
    "returnFrom": "returnFromFunction",
}
"""What data are called in the format, by the names that keys give them."""


class GraphNode(Struct, frozen=True):
    """A node and its data by their names in the format."""

    name: str
    data: Mapping[str, str]
    line: int = 0

    def is_(self, kind: str) -> bool:
        """Whether the node is an ``entry``, ``violation`` or ``sink`` node."""
        return self.data.get(kind, "").strip().lower() == "true"


class GraphEdge(Struct, frozen=True):
    """An edge between named nodes and its data by their names in the format."""

    source: str
    target: str
    data: Mapping[str, str]
    line: int = 0

    def number(self, name: str) -> int | None:
        """A datum that is a number; ``None`` if it is not there or no number."""
        text = self.data.get(name, "").strip()
        return int(text) if re.fullmatch(r"\d{1,9}", text) else None


class WitnessGraph(Struct, frozen=True):
    """A witness automaton; ``data`` are those of the graph."""

    data: Mapping[str, str]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]

    @property
    def is_violation(self) -> bool:
        """Whether it describes a violation; without its type, whether it has nodes for one."""
        kind = self.data.get("witness-type", "").strip()
        return kind == "violation_witness" or (not kind and any(node.is_("violation") for node in self.nodes))

    @property
    def task(self) -> WitnessTask:
        """What it says about its program."""
        file = self.data.get("programfile", "").strip()
        model = {"32bit": "ILP32", "64bit": "LP64"}.get(self.data.get("architecture", "").strip(), "")
        hashes = {file: self.data["programhash"].strip()} if self.data.get("programhash") else {}
        return WitnessTask((file,), hashes, self.data.get("specification", "").strip(), model)


# ---- reading

_DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->)*(<\?xml[^>]*\?>)", re.DOTALL)


def read_graphml(data: bytes, name: str) -> WitnessGraph:
    """The witness in a GraphML file; ``name`` is what errors call it. Raises :class:`DocumentError`."""
    if len(data) > MAXIMAL_BYTES:
        raise DocumentError(f"a file of {len(data)} bytes is too large", Position(name))
    late = _DECLARATION.match(data)
    if late and late.start(1) > 3 and b"\n" not in late[1]:
        data = data[: late.start(1)] + b" " * len(late[1]) + data[late.end(1) :]
    return _Reader(name).read(data)


class _Reader(Struct):
    """What expat calls while it reads a document."""

    name: str
    depth: int = 0
    keys: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, tuple[str, str]] = field(default_factory=dict)
    graph: dict[str, str] = field(default_factory=dict)
    nodes: list[GraphNode] = field(default_factory=list)
    edges: list[GraphEdge] = field(default_factory=list)
    key: Mapping[str, str] = field(default_factory=dict)
    owner: dict[str, str] | None = None
    datum: str = ""
    text: list[str] | None = None
    found: bool = False
    parser: expat.XMLParserType = field(default_factory=expat.ParserCreate)

    def read(self, data: bytes) -> WitnessGraph:
        """Parse the document."""
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._refuse
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            place = Position(self.name, error.lineno, error.offset + 1)
            raise DocumentError(f"not well-formed XML: {expat.ErrorString(error.code)}", place) from error
        except (LookupError, ValueError) as error:
            raise DocumentError(f"it cannot be decoded: {error}", Position(self.name)) from error
        if not self.found:
            raise DocumentError("expected a graph in <graphml>", Position(self.name))
        return WitnessGraph(self.graph, tuple(self.nodes), tuple(self.edges))

    def _place(self) -> Position:
        return Position(self.name, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def _refuse(self, *_: object) -> None:
        raise DocumentError("entities are not allowed in a witness", self._place())

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.depth += 1
        if self.depth > MAXIMAL_DEPTH:
            raise DocumentError(f"the document is nested more than {MAXIMAL_DEPTH} deep", self._place())
        tag = name.rpartition(":")[2]
        if self.depth == 1 and tag != "graphml":
            raise DocumentError(f"expected <graphml>, found <{tag}>", self._place())
        line = self.parser.CurrentLineNumber
        match tag:
            case "key":
                self.key = attributes
                self.keys[attributes.get("id", "")] = attributes.get("attr.name", "")
            case "graph":
                self.found = True
                self.owner = self.graph
            case "node":
                self.owner = self._defaults("node")
                self.nodes.append(GraphNode(self._attribute(attributes, "id"), self.owner, line))
            case "edge":
                self.owner = self._defaults("edge")
                source, target = self._attribute(attributes, "source"), self._attribute(attributes, "target")
                self.edges.append(GraphEdge(source, target, self.owner, line))
            case "data" | "default":
                self.datum = attributes.get("key", "")
                self.text = []

    def _attribute(self, attributes: Mapping[str, str], name: str) -> str:
        if name not in attributes:
            raise DocumentError(f"expected the attribute {name}", self._place())
        return attributes[name]

    def _defaults(self, owner: str) -> dict[str, str]:
        return {name: value for name, (kind, value) in self.defaults.items() if kind == owner}

    def _characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def _end(self, name: str) -> None:
        self.depth -= 1
        tag = name.rpartition(":")[2]
        if tag == "default" and self.text is not None:
            key = self._named(self.key.get("id", ""))
            self.defaults[key] = (self.key.get("for", ""), "".join(self.text))
        elif tag == "data" and self.text is not None and self.owner is not None:
            datum = self._named(self.datum)
            text = "".join(self.text)
            several = datum == "assumption" and datum in self.owner
            self.owner[datum] = f"{self.owner[datum]}; {text}" if several else text
        elif tag in ("node", "edge"):
            self.owner = self.graph
        self.text = None if tag in ("data", "default") else self.text

    def _named(self, key: str) -> str:
        """The name of a datum in the format."""
        declared = self.keys.get(key, key) or key
        return _NAMES.get(key, _NAMES.get(declared, declared if declared in _STANDARD else key))


_STANDARD: Final = frozenset(
    [
        "witness-version",
        "witness-type",
        "sourcecodelang",
        "producer",
        "specification",
        "programfile",
        "programhash",
        "architecture",
        "creationtime",
        "entry",
        "sink",
        "violation",
        "invariant",
        "invariant.scope",
        "assumption",
        "assumption.scope",
        "assumption.resultfunction",
        "control",
        "startline",
        "endline",
        "startoffset",
        "endoffset",
        "enterLoopHead",
        "enterFunction",
        "returnFromFunction",
    ]
)


# ---- writing

_KEYS: Final = (
    ("graph", "string", ("witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash")),
    ("graph", "string", ("architecture", "creationtime")),
    ("node", "boolean", ("entry", "sink", "violation")),
    ("node", "string", ("invariant", "invariant.scope")),
    ("edge", "int", ("startline", "endline")),
    ("edge", "boolean", ("enterLoopHead",)),
    ("edge", "string", ("assumption", "assumption.scope", "assumption.resultfunction", "control")),
    ("edge", "string", ("enterFunction", "returnFromFunction")),
)


def graphml_text(graph: WitnessGraph) -> str:
    """The witness as a GraphML document."""
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="no"?>']
    lines.append('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    for owner, type_, names in _KEYS:
        for name in names:
            start = f'  <key id="{name}" attr.name="{name}" attr.type="{type_}" for="{owner}"'
            lines.append(f"{start}><default>false</default></key>" if type_ == "boolean" else f"{start}/>")
    lines.append('  <graph edgedefault="directed">')
    lines += _data(graph.data, "    ")
    for node in graph.nodes:
        lines += _element(f'node id="{escape(node.name)}"', "node", node.data)
    for edge in graph.edges:
        ends = f'source="{escape(edge.source)}" target="{escape(edge.target)}"'
        lines += _element(f"edge {ends}", "edge", edge.data)
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _element(start: str, name: str, data: Mapping[str, str]) -> Sequence[str]:
    return [f"    <{start}>", *_data(data, "      "), f"    </{name}>"] if data else [f"    <{start}/>"]


def _data(data: Mapping[str, str], indent: str) -> Sequence[str]:
    return [f'{indent}<data key="{name}">{escape(value, quote=False)}</data>' for name, value in data.items()]
