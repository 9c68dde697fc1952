"""The lines of the canonical form that there are many of, states and transitions, read many at once.

A block of lines is taken only if every line in it has the form that our own writer gives it and means something: then
the streaming parser would do with it exactly what is done here, at a tenth of the speed. Any other block is left to the
parser, which also finds the words for what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec import Struct, field

from gia.automaton.model import Acceptance, Condition, State, Transition
from gia.cfa.graph import EdgeReference

SECTION_START: Final = re.compile(rb"^  <(states|transitions)>\n", re.MULTILINE)
"""The start tags of the sections that are read here, as the canonical form has them."""

_STATE = re.compile(
    r'^    <state id="([\w.-]+)"((?: initial="true")?(?: accept="(?:ut|rt|cand)")?(?: invariant="[\w.-]+")?)/>$',
    re.MULTILINE | re.ASCII,
)
_LABEL = re.compile(r"(\*|[\w. -]+)(?:\n([\w.-]+))?", re.ASCII)
"""The edges and, after a line feed, the assumption."""
_VALUE = re.compile(r' (\w+)="([^"]*)"')

_transition = partial(tuple.__new__, Transition)

Edges = frozenset[EdgeReference] | None


class Tables(Struct):
    """What the sections of a document have declared so far; shared with the parser of all else."""

    expressions: dict[str, Condition] = field(default_factory=dict)
    state_numbers: dict[str, int] = field(default_factory=dict)
    states: list[State] = field(default_factory=list)
    initial: int | None = None
    transitions: list[Transition] = field(default_factory=list)


class CanonicalLines:
    """Takes blocks of canonical lines; ``edges`` resolves an attribute ``edges``, ``None`` if it cannot be."""

    def __init__(self, tables: Tables, edges: Callable[[str], tuple[Edges] | None]) -> None:
        self._tables = tables
        self._edges = edges
        self._edges_of: dict[str, Edges] = {}
        self._assumption_of: dict[str, Condition | None] = {}

    def take(self, section: str, block: bytes) -> bool:
        """Reads a block of whole lines; if they are not all canonical, nothing happens and the answer is ``False``."""
        if not block.isascii() or not block.endswith(b"\n") or b"&" in block:
            return False
        text = block.decode("ascii")
        return self._take_states(text) if section == "states" else self._take_transitions(text)

    def _take_states(self, text: str) -> bool:
        found = _STATE.findall(text)
        if len(found) != text.count("\n"):
            return False
        tables = self._tables
        identifiers, descriptions = zip(*found, strict=True)
        if len(set(identifiers)) < len(identifiers) or not tables.state_numbers.keys().isdisjoint(identifiers):
            return False
        kinds: dict[str, State] = {}
        first: list[int] = [] if tables.initial is None else [tables.initial]
        start = len(tables.states)
        for description in dict.fromkeys(descriptions):
            values = dict(_VALUE.findall(description))
            invariant = values.get("invariant")
            if invariant is not None and invariant not in tables.expressions:
                return False
            accept = Acceptance(values["accept"]) if "accept" in values else None
            kinds[description] = State(None if invariant is None else tables.expressions[invariant], accept)
            if "initial" in values:
                first += [start + descriptions.index(description)] * descriptions.count(description)
        if len(first) > 1:
            return False
        tables.initial = first[0] if first else None
        tables.state_numbers.update(zip(identifiers, range(start, start + len(found)), strict=True))
        tables.states.extend(map(kinds.__getitem__, descriptions))
        return True

    def _take_transitions(self, text: str) -> bool:
        """Lines of the form ``    <transition from="q0" to="q1" edges="s1" assumption="x1"/>``.

        Splitting at the quotes is several times as fast as a regular expression for each line. What stands between
        the values is compared, and there are as many line feeds and ``<`` as lines, so no value has one. Hence a line
        feed can stand for the beginning of the attribute ``assumption``, and each line has six quotes. The values of
        ``from`` and ``to`` are right if they are ids of states, those of ``edges`` with ``assumption`` if they match
        :data:`_LABEL`.
        """
        parts = text.replace('" assumption="', "\n").split('"')
        count = len(parts) // 6
        if len(parts) != 6 * count + 1 or not text.count("\n") == text.count("<") == count:
            return False
        between = parts[6:-1:6]
        if (parts[0], parts[-1]) != ("    <transition from=", "/>\n") or not (
            between.count("/>\n    <transition from=") == len(between)
            and parts[2::6].count(" to=") == parts[4::6].count(" edges=") == count
        ):
            return False
        labels = parts[5::6]
        if not all(label in self._edges_of or self._resolve(label) for label in set(labels)):
            return False
        number = self._tables.state_numbers.__getitem__
        try:
            sources, targets = list(map(number, parts[1::6])), list(map(number, parts[3::6]))
        except KeyError:
            return False
        edges, assumptions = map(self._edges_of.__getitem__, labels), map(self._assumption_of.__getitem__, labels)
        self._tables.transitions.extend(map(_transition, zip(sources, targets, edges, assumptions, strict=True)))
        return True

    def _resolve(self, label: str) -> bool:
        """Notes what edges and assumption of a transition mean; whether they mean something."""
        found = _LABEL.fullmatch(label)
        edges = self._edges(found[1]) if found else None
        if not found or edges is None or (found[2] and found[2] not in self._tables.expressions):
            return False
        self._edges_of[label] = edges[0]
        self._assumption_of[label] = self._tables.expressions[found[2]] if found[2] else None
        return True
