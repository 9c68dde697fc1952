"""Translation units as they are linked: external declarations as tokens, and the names that they declare."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.types import DataModel
from gia.errors import Position
from gia.frontend.linking.tokens import Space, Token, behind_attributes, closing, mark_members, tokens_of
from gia.frontend.packing import PackStack
from gia.frontend.parsing.parser import parsed
from gia.frontend.parsing.syntax import External, Node, SyntaxTree, parts_of, within
from gia.frontend.preprocess import check_syntax, preprocess
from gia.frontend.preprocessed import PreprocessedSource

_INLINE: Final = frozenset({"inline", "__inline", "__inline__"})

_TAGS: Final = c_ast.Struct | c_ast.Union | c_ast.Enum


class Kind(Enum):
    """What a name of file scope is the name of; a variable or function that all units share is ``EXTERNAL``."""

    EXTERNAL = auto()
    VARIABLE = auto()
    FUNCTION = auto()
    TYPE = auto()
    TAG = auto()
    ENUMERATOR = auto()


class Entity(Struct, eq=False):
    """What a name of file scope means in a unit.

    ``words`` are the tokens that define it: for a tag, and what is enumerated below it, the specifier, else the
    declaration. There are none if the unit does not define it. ``limit`` is that of ``#pragma pack`` before them.
    """

    name: str
    kind: Kind
    place: Position
    is_system: bool
    words: list[Token] = field(default_factory=list)
    limit: int = 0
    keyword: str = ""
    """Of a tag: ``struct``, ``union`` or ``enum``."""
    is_own: bool = False
    """Whether no other unit means the same: a function whose variables live longer than its calls, or a tag that only
    functions define."""


class Specifier(Struct, frozen=True):
    """The definition of a tag, as indices of tokens of its declaration.

    ``body`` is what a second definition has too much: from the opening brace to the attributes behind the closing one.
    """

    tag: str
    first: int
    body: range


class Declaration(Struct, eq=False):
    """An external declaration: its tokens, and the limit of ``#pragma pack`` before it."""

    tokens: list[Token]
    limit: int
    specifiers: list[Specifier] = field(default_factory=list)


class Definition(Struct, frozen=True):
    """Where a unit defines what all units share."""

    place: Position
    is_inline: bool


class TranslationUnit(Struct, eq=False):
    """A file and what it includes.

    ``names`` are those of file scope, ``definitions`` what it defines for all units. ``outside`` are the names of other
    units that it uses without a declaration of file scope; those of them that are declared nowhere are functions that
    are called (``implicit``, with the place of a call). ``old_parameters`` are parameters that are named before they
    are declared, so that their names must not be names of types. ``open_packs`` is how many limits of ``#pragma pack``
    are left at its end; ``limit`` is the last one.
    """

    number: int
    path: Path
    source: PreprocessedSource
    tokens: list[Token]
    declarations: list[Declaration] = field(default_factory=list)
    names: dict[tuple[Space, str], Entity] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    implicit: dict[str, Position] = field(default_factory=dict)
    outside: set[str] = field(default_factory=set)
    old_parameters: set[str] = field(default_factory=set)
    open_packs: int = 0
    limit: int = 0

    def entity(self, token: Token) -> Entity | None:
        """What a name means if it is one of file scope."""
        return None if token.space is None else self.names.get((token.space, token.text))


def read_unit(number: int, path: Path, model: DataModel) -> TranslationUnit:
    """Preprocess and parse a file; errors are those of :func:`gia.frontend.load`. Recurses as deeply as it nests."""
    source = preprocess(path, model).source()
    check_syntax(source, path, model)
    tree = parsed(source, path)
    tokens = tokens_of(source.text)
    mark_members(tokens, tree)
    unit = TranslationUnit(number, path, source, tokens)
    _Reader(unit).take_in(tree)
    return unit


class _Reader:
    """Fills in what a unit declares and uses."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._starts = [token.start for token in unit.tokens]

    def take_in(self, tree: SyntaxTree) -> None:
        """Take in all external declarations."""
        packs = PackStack()
        for external in tree.external:
            if external.nodes and not isinstance(external.nodes[0], c_ast.StaticAssert):  # that holds, or gcc had said
                declaration = Declaration(self._tokens(external), packs.limit)
                self._unit.declarations.append(declaration)
                self._declare(declaration, external.nodes)
            for node in (part for root in external.nodes for part in within(root)):
                if isinstance(node, c_ast.Pragma):
                    packs.take_in(node)
        self._unit.open_packs, self._unit.limit = packs.depth, packs.limit
        for node in tree.unit.ext:
            self._declare_inner_tags(node)
            if isinstance(node, c_ast.FuncDef):
                self._use_others(node)

    def _tokens(self, external: External) -> list[Token]:
        first = bisect_right(self._starts, external.start) - 1  # the line of a pragma begins before the declaration
        return self._unit.tokens[first : bisect_left(self._starts, external.end)]

    def _declare(self, declaration: Declaration, nodes: Sequence[Node]) -> None:
        for node in nodes:
            for part in _in_file_scope(node):
                if isinstance(part, _TAGS):
                    self._declare_tag(declaration, part)
            match node:
                case c_ast.Typedef():
                    self._define(self._entity(Kind.TYPE, declaration, node), declaration)
                case c_ast.FuncDef():
                    self._define_function(declaration, node)
                case c_ast.Decl() if node.name is not None:
                    self._declare_object(declaration, node)

    def _define_function(self, declaration: Declaration, node: Node) -> None:
        entity = self._declare_object(declaration, node.decl)
        if entity.kind is Kind.EXTERNAL:
            is_inline = not _INLINE.isdisjoint(map(str, node.decl.funcspec))
            self._unit.definitions[entity.name] = Definition(self._place(declaration), is_inline)
            return
        entity.kind = Kind.FUNCTION  # an earlier declaration may have had the name of a function type
        self._define(entity, declaration)
        entity.is_own = any(isinstance(n, c_ast.Decl) and "static" in n.storage for n in within(node.body))

    def _declare_object(self, declaration: Declaration, node: Node) -> Entity:
        kind = Kind.VARIABLE if "static" in node.storage else Kind.EXTERNAL
        entity = self._entity(kind, declaration, node)
        if node.init is not None and entity.kind is Kind.EXTERNAL:
            place = self._unit.source.position(node.coord.offset)
            self._unit.definitions[entity.name] = Definition(place, is_inline=False)
        return entity

    def _declare_tag(self, declaration: Declaration, node: Node) -> None:
        words = declaration.tokens
        if node.name is not None:
            entity = self._entity(Kind.TAG, declaration, node)
            entity.keyword = _keyword(node)
            if not _is_definition(node):
                return
            specifier = self._specifier(declaration, node)
            declaration.specifiers.append(specifier)
            words = declaration.tokens[specifier.first : specifier.body.stop]
            self._define(entity, declaration, words)
        for enumerator in node.values.enumerators if isinstance(node, c_ast.Enum) else ():
            self._define(self._entity(Kind.ENUMERATOR, declaration, enumerator), declaration, words)

    def _specifier(self, declaration: Declaration, node: Node) -> Specifier:
        tokens = declaration.tokens
        first = bisect_left(self._starts, node.coord.offset) - bisect_left(self._starts, tokens[0].start)
        opening = behind_attributes(tokens, first + 1) + 1
        end = behind_attributes(tokens, closing(tokens, opening) + 1)
        return Specifier(node.name, first, range(opening, end))

    def _entity(self, kind: Kind, declaration: Declaration, node: Node) -> Entity:
        """What a name means, which this declaration may be the first to say."""
        space = Space.TAG if kind is Kind.TAG else Space.ORDINARY
        is_system = self._unit.source.in_system_header(declaration.tokens[0].start)
        entity = Entity(node.name, kind, self._place(declaration), is_system)
        return self._unit.names.setdefault((space, node.name), entity)

    def _define(self, entity: Entity, declaration: Declaration, words: list[Token] | None = None) -> None:
        if not entity.words:
            entity.words = declaration.tokens if words is None else words
            entity.limit, entity.place = declaration.limit, self._place(declaration)

    def _place(self, declaration: Declaration) -> Position:
        return self._unit.source.position(declaration.tokens[0].start)

    # ------------------------------------------------------------------ what functions use
    def _declare_inner_tags(self, root: Node) -> None:
        """Declare the tags that are not of file scope: where nothing defines them, they are what others define."""
        inner = [node for node in within(root) if isinstance(node, _TAGS) and node.name is not None]
        for node in inner:
            place = self._unit.source.position(node.coord.offset)
            entity = Entity(node.name, Kind.TAG, place, is_system=False, keyword=_keyword(node))
            known = self._unit.names.setdefault((Space.TAG, node.name), entity)
            known.is_own = known.is_own or (_is_definition(node) and not known.words)

    def _use_others(self, definition: Node) -> None:
        """Note what a function uses of other units, without a declaration or by one of its own."""
        nodes = list(within(definition))
        own = {n.name for n in nodes if isinstance(n, c_ast.Decl | c_ast.Typedef | c_ast.Enumerator)}
        if definition.param_decls:
            self._unit.old_parameters.update(n.name for n in definition.param_decls if n.name is not None)
        for node in nodes:
            match node:
                case c_ast.Decl() if _has_linkage(node) and self._is_undeclared(node.name):
                    self._unit.outside.add(node.name)
                case c_ast.FuncCall(name=c_ast.ID(name=name)) if name not in own and self._is_undeclared(name):
                    self._unit.outside.add(name)
                    self._unit.implicit.setdefault(name, self._unit.source.position(node.name.coord.offset))

    def _is_undeclared(self, name: str) -> bool:
        return (Space.ORDINARY, name) not in self._unit.names


def _keyword(node: Node) -> str:
    return type(node).__name__.lower()


def _is_definition(node: Node) -> bool:
    """Whether a specifier of a struct, union or enumeration says what is in it."""
    return (node.values if isinstance(node, c_ast.Enum) else node.decls) is not None


def _has_linkage(node: Node) -> bool:
    """Whether a declaration in a function is one of a function, or of a variable of file scope (ISO C 6.2.2)."""
    return node.name is not None and (
        "extern" in node.storage or isinstance(node.type, c_ast.FuncDecl | ext.FuncDeclExt)
    )


def _in_file_scope(root: Node) -> Iterator[Node]:
    """The parts of an external declaration whose tags are of file scope: not the parameters, not a function's body."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        children = [*reversed(parts_of(node))]
        if isinstance(node, c_ast.FuncDef):
            children = [node.decl]
        elif isinstance(node, c_ast.FuncDecl | ext.FuncDeclExt):
            children = [node.type]
        waiting += children
