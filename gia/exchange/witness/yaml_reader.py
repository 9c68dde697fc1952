r"""Reading verification witnesses in YAML: formats 2.0 and 2.1, and the invariants of the format 0.1 before them.

Lenient where tools differ: numbers and truth values quoted or not, locations without column or function, waypoints with
or without their wrapper, constraints that a waypoint does not need, ``\return`` for ``\result``. What is of a kind
that has no meaning in an exchange automaton (contracts, ghost variables, transition invariants) is named in the
notes.
"""

from __future__ import annotations

import re
from typing import Final

from gia.errors import DocumentError
from gia.exchange.witness.model import Invariant, Place, Segment, Waypoint, Witness, WitnessTask
from gia.exchange.yaml_nodes import YamlNode, read_yaml

WAYPOINTS: Final = ("assumption", "branching", "function_enter", "function_return", "target")
INVARIANTS: Final = ("loop_invariant", "location_invariant")
_MAXIMAL_NOTES: Final = 100


def read_yaml_witness(data: bytes, name: str) -> Witness:
    """The witness in a YAML file; ``name`` is what errors call it. Raises :class:`DocumentError` if it is none."""
    return _Reader().witness(read_yaml(data, name))


class _Reader:
    """Collects what the entries of one file say."""

    def __init__(self) -> None:
        self._notes: dict[str, None] = {}
        self._task = WitnessTask()
        self._segments: list[Segment] | None = None
        self._invariants: list[Invariant] | None = None

    def witness(self, root: YamlNode) -> Witness:
        """What the list of entries says."""
        for entry in root.sequence():
            if entry.members is None or entry.get("entry_type") is None:
                raise entry.fail("an entry of a witness: a mapping with entry_type, metadata and content")
            self._entry(entry, entry.scalar("entry_type"))
        if self._segments is None and self._invariants is None:
            raise root.fail("an entry violation_sequence or invariant_set")
        return Witness(
            self._task,
            None if self._segments is None else tuple(self._segments),
            None if self._invariants is None else tuple(self._invariants),
            tuple(self._notes)[:_MAXIMAL_NOTES],
        )

    def _note(self, node: YamlNode, text: str) -> None:
        self._notes[f"{node.position}: {text}"] = None

    def _entry(self, entry: YamlNode, kind: str) -> None:
        metadata = entry.get("metadata")
        if metadata is not None:
            self._task = _task(metadata.get("task"))
        content = entry.get("content")
        items = content.sequence() if content is not None and content.text is None else ()
        match kind:
            case "violation_sequence":
                if self._segments is not None:
                    raise DocumentError("a file describes one violation, this has two", entry.position)
                self._segments = [found for item in items if (found := self._segment(item))]
            case "invariant_set":
                self._invariants = self._invariants or []
                for item in items:
                    self._invariant(item)
            case "loop_invariant" | "location_invariant":
                self._invariants = self._invariants or []
                value = entry.get(kind)
                text = "" if value is None else value.scalar("string")
                self._keep_invariant(entry, kind, entry.get("location"), text)
            case _:
                self._note(entry, f"the entry {kind!r} has no meaning in a GIA")

    # ---- violations

    def _segment(self, item: YamlNode) -> Segment:
        inner = item.get("segment") or item
        found = [self._waypoint(node.get("waypoint") or node) for node in inner.sequence()]
        return tuple(waypoint for waypoint in found if waypoint is not None)

    def _waypoint(self, node: YamlNode) -> Waypoint | None:
        if node.members is None:
            raise node.fail("a waypoint: a mapping with type, action and location")
        kind, action = node.scalar("type"), node.scalar("action", "follow")
        if kind not in WAYPOINTS or action not in ("follow", "avoid"):
            self._note(node, f"the waypoint {kind or '(without type)'} to {action} has no meaning in a GIA")
            return None
        constraint = node.get("constraint")
        text = "" if constraint is None else (constraint.text or constraint.scalar("value"))
        place = _place(node.get("location"), node)
        return Waypoint(kind, place, _expression(text), action == "follow")

    # ---- invariants

    def _invariant(self, item: YamlNode) -> None:
        node = item.get("invariant")
        if node is None or node.members is None:
            names = ", ".join(item.members or ()) or "scalar"
            self._note(item, f"the {names} among the invariants has no meaning in a GIA")
            return
        self._keep_invariant(node, node.scalar("type"), node.get("location"), node.scalar("value"))

    def _keep_invariant(self, node: YamlNode, kind: str, location: YamlNode | None, value: str) -> None:
        if kind not in INVARIANTS:
            self._note(node, f"the invariant of type {kind or '(none)'} has no meaning in a GIA")
            return
        assert self._invariants is not None
        place = _place(location, node)
        if not value.strip():
            raise node.fail("an invariant with a value")
        self._invariants.append(Invariant(kind, place, _expression(value)))


def _expression(text: str) -> str:
    r"""A C expression, ``\return`` being an old name of ``\result``."""
    return re.sub(r"\\return\b", r"\\result", text.strip()).rstrip("; ")


def _place(node: YamlNode | None, owner: YamlNode) -> Place:
    if node is None or node.members is None:
        raise owner.fail("a location")
    line = _number(node, "line", 1)
    if line == 0:
        raise node.fail("a location with a line from 1")
    return Place(node.scalar("file_name"), line, _number(node, "column", 0), node.scalar("function"))


def _number(node: YamlNode, name: str, least: int) -> int:
    """A member that is a number; 0 if it is not there."""
    found = node.get(name)
    if found is None or found.text in ("", "null", "~"):
        return 0
    if found.text is None or not re.fullmatch(r"\+?[0-9]{1,9}", found.text) or int(found.text) < least:
        raise found.fail(f"a {name}: a number from {least}")
    return int(found.text)


def _task(node: YamlNode | None) -> WitnessTask:
    if node is None:
        return WitnessTask()
    files = node.get("input_files")
    hashes = node.get("input_file_hashes")
    return WitnessTask(
        tuple(item.text for item in files.sequence() if item.text is not None) if files is not None else (),
        {file: value.text or "" for file, value in hashes.members.items()} if hashes and hashes.members else {},
        node.scalar("specification"),
        node.scalar("data_model"),
    )
