"""What a GIA file is made of, as data for its reader; ``schemas/gia.xsd`` says the same to others."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

NAMESPACE = "urn:gia:1"
VERSION = "1.0"


class Element(Struct, frozen=True):
    """What may stand in an element: the attributes, and whether text or elements."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    text: bool = False
    children: tuple[str, ...] = ()
    """The sections of the document and of its metadata come in this order, all but ``actor`` at most once."""


def _element(required: str = "", optional: str = "", *, text: bool = False, children: tuple[str, ...] = ()) -> Element:
    return Element(frozenset(required.split()), frozenset(optional.split()), text, children)


SECTIONS = ("metadata", "edges", "edge-sets", "expressions", "states", "transitions")
"""The sections in the order in which they come, each at most once."""

GRAMMAR: Mapping[str, Element] = {
    "gia": _element("version", children=SECTIONS),
    "metadata": _element(children=("created", "task", "actor")),
    "created": _element(text=True),
    "task": _element(optional="file sha256 data-model specification"),
    "actor": _element("name", "version direction wall cpu"),
    "edges": _element(children=("edge",)),
    "edge": _element("id function line column kind", "branch ordinal", text=True),
    "edge-sets": _element(children=("edge-set",)),
    "edge-set": _element("id edges"),
    "expressions": _element(children=("expression",)),
    "expression": _element("id", "scope", text=True),
    "states": _element(children=("state",)),
    "state": _element("id", "initial accept invariant"),
    "transitions": _element(children=("transition",)),
    "transition": _element("from to edges", "assumption"),
}
"""The document type, as data."""
