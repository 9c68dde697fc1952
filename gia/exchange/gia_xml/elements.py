"""What the elements of a GIA file mean: they are handed over one by one, and become an automaton."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import NoReturn, Protocol

from msgspec.structs import replace

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
from gia.errors import DocumentError
from gia.exchange.gia_xml.lines import Edges, Tables

MAXIMAL_EXPANSION = 10_000_000
"""How many more members than bytes the edge sets of a document may have, so that sets of sets stay bounded."""

_NUMBER = re.compile(r"\d{1,9}")
_SECONDS = re.compile(r"\d{1,12}(\.\d{1,20})?([eE][-+]?\d{1,3})?")
_ACCEPT = tuple(kind.value for kind in Acceptance)


class Place(Protocol):
    """Where in the document the elements come from."""

    def fail(self, problem: str, expected: str) -> NoReturn:
        """Raises a DocumentError for the present place."""

    def offset(self) -> int:
        """The present place, in bytes from the start of the document."""


class Elements:
    """Collects the elements of one document; their attributes are those that the grammar requires and allows."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.tables = Tables()
        self.members = 0
        self.seen_edges: set[EdgeReference] = set()
        self.edges: dict[str, EdgeReference] = {}
        self.texts: dict[EdgeReference, str] = {}
        self.sets: dict[str, frozenset[EdgeReference]] = {}
        self.lists: dict[str, Edges] = {"*": ANY}
        self.metadata = Metadata()
        self.starts: Mapping[str, Callable[[dict[str, str]], None]] = {
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

    def automaton(self) -> Automaton:
        """The automaton that the elements describe."""
        tables = self.tables
        if tables.initial is None:
            self._fail("no state is initial", 'one <state> with initial="true"')
        return Automaton(tuple(tables.states), tuple(tables.transitions), tables.initial, self.metadata, self.texts)

    def _fail(self, problem: str, expected: str) -> NoReturn:
        self._place.fail(problem, expected)

    def _end_created(self, _attributes: dict[str, str], text: str) -> None:
        self.metadata = replace(self.metadata, created=text)

    def _start_task(self, attributes: dict[str, str]) -> None:
        self.metadata = replace(
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
                self._fail(f"the time {shown(seconds)}", "a number of seconds")
        direction = attributes.get("direction", "")
        record = ActorRecord(attributes["name"], attributes.get("version", ""), direction, float(wall), float(cpu))
        self.metadata = replace(self.metadata, actors=(*self.metadata.actors, record))

    def _end_edge(self, attributes: dict[str, str], text: str) -> None:
        identifier = self._new_id(attributes["id"], "edge", self.edges)
        numbers = (self._number(attributes.get(name, "1"), name) for name in ("line", "column", "ordinal"))
        line, column, ordinal = numbers
        if ordinal < 1:
            self._fail("the ordinal 0", "a number from 1")
        kind = attributes["kind"]
        if not EDGE_KIND.fullmatch(kind):
            self._fail(f"the kind {shown(kind)}", "a word such as assume, assign, call, return or input")
        if not attributes["function"]:
            self._fail("an edge without function", "the name of the function that the edge belongs to")
        edge = EdgeReference(attributes["function"], line, column, kind, attributes.get("branch", ""), ordinal)
        if edge in self.seen_edges:
            self._fail(f"the edge {shown(identifier)} declared under another id before", "each edge once")
        self.seen_edges.add(edge)
        self.edges[identifier] = edge
        if text:
            self.texts[edge] = text

    def _start_edge_set(self, attributes: dict[str, str]) -> None:
        identifier = attributes["id"]
        if identifier in self.edges:
            self._fail(f"the id {shown(identifier)} of an edge", "an id of its own for each edge and edge set")
        self._new_id(identifier, "edge set", self.sets)
        edges = self._edges(attributes["edges"])
        if edges is ANY:
            self._fail('an edge set with edges="*"', "ids of edges")
        self.sets[identifier] = edges

    def _end_expression(self, attributes: dict[str, str], text: str) -> None:
        identifier = self._new_id(attributes["id"], "expression", self.tables.expressions)
        if not text.strip():
            self._fail("an empty expression", "a C expression")
        self.tables.expressions[identifier] = Condition(text, attributes.get("scope", ""))

    def _start_state(self, attributes: dict[str, str]) -> None:
        identifier = self._new_id(attributes["id"], "state", self.tables.state_numbers)
        number = self.tables.state_numbers[identifier] = len(self.tables.states)
        accept = attributes.get("accept")
        if accept is not None and accept not in _ACCEPT:
            self._fail(f"accept {shown(accept)}", either(_ACCEPT))
        initial = attributes.get("initial", "false")
        if initial not in ("true", "false"):
            self._fail(f"initial {shown(initial)}", "true or false")
        if initial == "true":
            if self.tables.initial is not None:
                self._fail(f"a second initial state {shown(identifier)}", "exactly one")
            self.tables.initial = number
        invariant = self._condition(attributes.get("invariant"))
        self.tables.states.append(State(invariant, None if accept is None else Acceptance(accept)))

    def _start_transition(self, attributes: dict[str, str]) -> None:
        try:
            source = self.tables.state_numbers[attributes["from"]]
            target = self.tables.state_numbers[attributes["to"]]
            edges = self.lists[attributes["edges"]]
        except KeyError:
            source, target, edges = self._checked_transition(attributes)
        assumption = self._condition(attributes.get("assumption")) if len(attributes) > 3 else None
        self.tables.transitions.append(Transition(source, target, edges, assumption))

    def _checked_transition(self, attributes: dict[str, str]) -> tuple[int, int, frozenset[EdgeReference] | None]:
        """The parts of a transition when one of them is new or wrong."""
        ends = []
        for name in ("from", "to"):
            if attributes[name] not in self.tables.state_numbers:
                self._fail(f"the unknown state {shown(attributes[name])}", "the id of a <state>")
            ends.append(self.tables.state_numbers[attributes[name]])
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
                self._fail(f"the unknown edge {shown(identifier)}", "the id of an <edge> or <edge-set>, or * alone")
        if not found:
            self._fail("no edges", "* or at least one edge")
        if self.members + len(found) > MAXIMAL_EXPANSION + self._place.offset():
            self._fail("edge sets that are far larger than the document", "fewer sets made of sets")
        self.members += len(found)
        self.lists[text] = frozenset(found)
        return self.lists[text]

    def edges_or_none(self, text: str) -> tuple[frozenset[EdgeReference] | None] | None:
        """As :meth:`_edges`, in a tuple, and ``None`` where that fails."""
        try:
            return (self._edges(text),)
        except DocumentError:
            return None

    def _condition(self, identifier: str | None) -> Condition | None:
        if identifier is None:
            return None
        if identifier not in self.tables.expressions:
            self._fail(f"the unknown expression {shown(identifier)}", "the id of an <expression>")
        return self.tables.expressions[identifier]

    def _new_id(self, identifier: str, what: str, known: Mapping[str, object]) -> str:
        if identifier in known:
            self._fail(f"a second {what} {shown(identifier)}", "ids that differ")
        if not identifier or "*" in identifier or identifier.split() != [identifier]:
            self._fail(f"the id {shown(identifier)}", "a name without spaces and without *")
        return identifier

    def _number(self, text: str, name: str) -> int:
        if not _NUMBER.fullmatch(text) or not text.isascii():
            self._fail(f"the {name} {shown(text)}", "a number of at most nine digits")
        return int(text)


def either(names: tuple[str, ...] | list[str]) -> str:
    """The names as a choice: ``a, b or c``."""
    return " or ".join(names) if len(names) < 3 else ", ".join(names[:-1]) + " or " + names[-1]


def shown(text: str) -> str:
    """The text in quotes, shortened."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
