"""Syntax trees: what a parsed translation unit consists of besides the nodes of pycparser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct, field
from pycparser import c_ast
from pycparserext.ext_c_parser import AttributeSpecifier

from gia.frontend.parsing.lexer import Token

Node = Any
"""A node of pycparser's syntax tree (the library has no types)."""


class Coordinate(Struct, frozen=True):
    """Where a node begins: an offset in the text that was parsed."""

    offset: int


class External(NamedTuple):
    """An external declaration (ISO C 6.9): the offsets of its first character and behind its last one, and its nodes.

    There is no node for a lone semicolon.
    """

    start: int
    end: int
    nodes: tuple[Node, ...]


class SyntaxTree(Struct):
    """A parsed translation unit and what the nodes themselves cannot hold.

    ``extents`` maps an expression to the offsets of its first character and behind its last one; parentheses around
    it belong to it. ``statements`` does so for statements and declarations, with their ``;``,
    and for function definitions.
    ``operators`` maps a conditional or ``&&``, ``||`` expression to the offset of its operator.
    ``ends`` maps a block to the offset of its closing brace. ``asm_tokens`` are the tokens of inline assembly.
    ``attributes`` holds the GNU attributes of struct, union and enum definitions, ``attributes_in`` all that stand
    anywhere in an external declaration. ``external`` are the external declarations as they were written.
    """

    unit: Node = None
    extents: dict[Node, tuple[int, int]] = field(default_factory=dict)
    statements: dict[Node, tuple[int, int]] = field(default_factory=dict)
    operators: dict[Node, int] = field(default_factory=dict)
    attributes: dict[Node, list[Node]] = field(default_factory=dict)
    attributes_in: dict[Node, list[AttributeUse]] = field(default_factory=dict)
    ends: dict[Node, int] = field(default_factory=dict)
    asm_tokens: dict[Node, list[Token]] = field(default_factory=dict)
    external: list[External] = field(default_factory=list)


def c_text(node: Node) -> str:
    """A node as C."""
    from pycparserext.ext_c_generator import GnuCGenerator  # noqa: PLC0415 - few programs need it

    text: str = GnuCGenerator().visit(node)
    return text


_LEAVES = frozenset({c_ast.ID, c_ast.Constant, c_ast.IdentifierType})


def parts_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node: its method ``children`` makes a name for each of them as well."""
    kind = type(node)
    if kind in _LEAVES:
        return ()
    return (node.exprlist,) if kind is AttributeSpecifier else tuple(node)


def name_of(node: Node) -> str | None:
    """The name of a definition or declaration of file scope; ``None`` if it has none."""
    name: str | None = node.decl.name if isinstance(node, c_ast.FuncDef) else getattr(node, "name", None)
    return name


def within(root: Node) -> Iterator[Node]:
    """A node and all nodes below it, in the order of the source."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += parts_of(node)[::-1]


def mentioned_from(roots: Iterable[Node], definitions: Mapping[str, Node]) -> frozenset[str]:
    """The names that occur in some nodes, and in those of ``definitions`` that occur there, and so on."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        names = {node.name for node in within(waiting.pop()) if isinstance(node, c_ast.ID)}
        waiting += [definitions[name] for name in sorted((names - found) & definitions.keys())]
        found |= names
    return frozenset(found)


def defines_tag(root: Node) -> bool:
    """Whether a struct, union or enumeration is defined in a part of a program."""
    tags = (part for part in within(root) if isinstance(part, c_ast.Struct | c_ast.Union | c_ast.Enum))
    return any(getattr(part, "decls", None) is not None or getattr(part, "values", None) is not None for part in tags)


class AttributeUse(NamedTuple):
    """A GNU attribute, without the underscores that may surround its name, and where it stands in the text."""

    name: str
    offset: int


class UnitSyntaxError(Exception):
    """The text is not in the supported language: ``offset`` is where, ``None`` at its end."""

    def __init__(self, message: str, offset: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


class _GnuNode(c_ast.Node):  # type: ignore[misc]
    """A kind of node that neither library has."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Node]:
        return (child for _, child in self.children())


class VaArg(_GnuNode):
    """``__builtin_va_arg(list, type)``."""

    __slots__ = ("__weakref__", "coord", "list", "type")
    attr_names = ()

    def __init__(self, list_: Node, type_: Node, coord: Coordinate) -> None:
        self.list = list_
        self.type = type_
        self.coord = coord

    def children(self) -> tuple[tuple[str, Node], ...]:
        """The operands."""
        return (("list", self.list), ("type", self.type))


class ComputedGoto(_GnuNode):
    """``goto *target``."""

    __slots__ = ("__weakref__", "coord", "target")
    attr_names = ()

    def __init__(self, target: Node, coord: Coordinate) -> None:
        self.target = target
        self.coord = coord

    def children(self) -> tuple[tuple[str, Node], ...]:
        """The operand."""
        return (("target", self.target),)


class GenericSelection(_GnuNode):
    """``_Generic(control, type: value, …)``; the type of ``default`` is ``None``."""

    __slots__ = ("__weakref__", "choices", "control", "coord")
    attr_names = ()

    def __init__(self, control: Node, choices: list[tuple[Node, Node]], coord: Coordinate) -> None:
        self.control = control
        self.choices = choices
        self.coord = coord

    def children(self) -> tuple[tuple[str, Node], ...]:
        """The values; the control is not evaluated."""
        return tuple(("value", value) for _, value in self.choices)
