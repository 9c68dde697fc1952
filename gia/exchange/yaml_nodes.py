"""YAML documents of unknown origin as trees with positions.

The parser is libyaml's, because witnesses of long paths have megabytes. Hardened: no aliases (a document of a few
lines can stand for any size with them), no tags, bounded size, depth and number of nodes. Scalars stay texts, because
other tools quote numbers and truth values or do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from gia.errors import DocumentError, Position

MAXIMAL_BYTES: Final = 16 << 20
"""A document that is larger is refused."""
MAXIMAL_DEPTH: Final = 50
MAXIMAL_NODES: Final = 2_000_000


class YamlNode(Struct, frozen=True):
    """A scalar (``text``), a sequence (``items``) or a mapping (``members``); exactly one of them is not ``None``."""

    position: Position
    text: str | None = None
    items: tuple[YamlNode, ...] | None = None
    members: Mapping[str, YamlNode] | None = None

    def get(self, name: str) -> YamlNode | None:
        """The member of a mapping; ``None`` if it is not there, or if this is no mapping."""
        return None if self.members is None else self.members.get(name)

    def scalar(self, name: str, default: str = "") -> str:
        """The text of the member ``name``; ``default`` if it is not there or no scalar."""
        found = self.get(name)
        return default if found is None or found.text is None else found.text

    def sequence(self) -> tuple[YamlNode, ...]:
        """The items; a lone value counts as a sequence of one."""
        return (self,) if self.items is None else self.items

    def fail(self, expected: str) -> DocumentError:
        """The error that something else was expected here."""
        return DocumentError(f"expected {expected}", self.position)


def read_yaml(data: bytes, name: str) -> YamlNode:
    """The one document in ``data``; ``name`` is what errors call it. Raises :class:`DocumentError`."""
    if len(data) > MAXIMAL_BYTES:
        raise DocumentError(f"a YAML document of {len(data)} bytes is too large", Position(name))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DocumentError("this is not UTF-8 text", Position(name, line)) from None
    return _Builder(name).build(_events(text, name))


def _events(text: str, name: str) -> Iterator[Any]:
    """The events of the parser, its errors as ours."""
    import yaml  # noqa: PLC0415 - only a document in YAML needs it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml: fifty times as fast
    try:
        yield from yaml.parse(text, Loader=loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = Position(name, mark.line + 1, mark.column + 1) if mark else Position(name)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise DocumentError(f"this is not YAML: {problem}", place) from None


class _Open(Struct):
    """A collection that is being read; ``key`` is the key of a mapping whose value comes next."""

    position: Position
    items: list[YamlNode] | None = None
    members: dict[str, YamlNode] | None = None
    key: str | None = None


class _Builder:
    """Builds the tree from events, without recursion."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._stack: list[_Open] = []
        self._root: YamlNode | None = None
        self._nodes = 0

    def build(self, events: Iterator[Any]) -> YamlNode:
        """The root of the document."""
        for event in events:
            self._take(event, type(event).__name__)
        if self._root is None:
            raise DocumentError("the document is empty", Position(self._name))
        return self._root

    def _take(self, event: Any, kind: str) -> None:
        place = Position(self._name, event.start_mark.line + 1, event.start_mark.column + 1)
        if kind == "AliasEvent":
            raise DocumentError("aliases are not allowed in this document", place)
        if kind == "ScalarEvent":
            self._add(YamlNode(place, text=event.value))
        elif kind in ("SequenceStartEvent", "MappingStartEvent"):
            if len(self._stack) >= MAXIMAL_DEPTH:
                raise DocumentError(f"the document is nested more than {MAXIMAL_DEPTH} deep", place)
            self._stack.append(_Open(place, items=[]) if kind.startswith("Seq") else _Open(place, members={}))
        elif kind in ("SequenceEndEvent", "MappingEndEvent"):
            closed = self._stack.pop()
            items = None if closed.items is None else tuple(closed.items)
            self._add(YamlNode(closed.position, items=items, members=closed.members))

    def _add(self, node: YamlNode) -> None:
        self._nodes += 1
        if self._nodes > MAXIMAL_NODES:
            raise DocumentError(f"the document has more than {MAXIMAL_NODES} parts", node.position)
        if not self._stack:
            if self._root is not None:
                raise DocumentError("there is more than one document in the file", node.position)
            self._root = node
            return
        parent = self._stack[-1]
        if parent.items is not None:
            parent.items.append(node)
        elif parent.key is None:
            if node.text is None:
                raise node.fail("a name before the colon")
            parent.key = node.text
        else:
            assert parent.members is not None
            parent.members[parent.key] = node
            parent.key = None
