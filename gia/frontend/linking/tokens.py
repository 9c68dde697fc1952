"""The tokens of preprocessed text, and which of them are names of what (ISO C 6.2.3, *Name spaces of identifiers*)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct
from pycparser import c_ast

from gia.frontend.parsing.syntax import Node, SyntaxTree, within


class Space(StrEnum):
    """A name space.

    Labels count as ordinary names: no two functions share one, so that it does no harm if one is renamed.
    """

    ORDINARY = "ordinary"
    TAG = "tag"
    MEMBER = "member"
    ATTRIBUTE = "attribute"
    """Of attributes, and of their arguments that are words."""


class Token(Struct):
    """A token, or the line of a pragma; ``space`` is that of a name or a keyword, else ``None``."""

    start: int
    text: str
    space: Space | None = None

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text)

    @property
    def is_pragma(self) -> bool:
        """Whether this is a line for the compiler."""
        return self.text.startswith("#") and len(self.text) > 1


_TOKEN: Final = re.compile(
    r"(?P<directive>^[ \t]*#[^\n]*)"
    r"|(?P<word>[^\W\d][\w$]*|\$[\w$]*)"
    r"|(?P<other>\.?\d(?:[eEpP][+-]|[\w.])*"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|%:%:|<<=|>>=|\.\.\.|[-+*/%&|^=!<>]=|->|\+\+|--|<<|>>|&&|\|\||\#\#|<:|:>|<%|%>|%:|[^\s])",
    re.MULTILINE,
)
_PRAGMA: Final = re.compile(r"[ \t]*#[ \t]*pragma\b")
_OF_TAGS: Final = frozenset({"struct", "union", "enum"})
_OF_ATTRIBUTES: Final = frozenset({"__attribute__", "__attribute"})
_WORDS: Final = frozenset({"access", "format", "interrupt", "mode", "model", "pcs"})
"""The attributes whose arguments are words of their own."""


def tokens_of(text: str) -> list[Token]:
    """All tokens of preprocessed text without comments, with the name spaces that the tokens alone tell."""
    tokens = list(_tokens(text))
    _mark_tags_and_members(tokens)
    for index, token in enumerate(tokens):
        if token.text in _OF_ATTRIBUTES:
            _mark_attributes(tokens, index)
    return tokens


def _tokens(text: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(text):
        if found["directive"] is None:
            yield Token(found.start(), found[0], Space.ORDINARY if found["word"] is not None else None)
        elif _PRAGMA.match(found[0]):
            yield Token(found.start(), found[0])


def _mark_tags_and_members(tokens: list[Token]) -> None:
    before = ""
    for index, token in enumerate(tokens):
        if token.space is not None and before in {".", "->"}:
            token.space = Space.MEMBER
        elif token.text in _OF_TAGS and token.space is not None:
            tag = behind_attributes(tokens, index + 1)
            if tag < len(tokens) and tokens[tag].space is not None:
                tokens[tag].space = Space.TAG
        before = token.text


def behind_attributes(tokens: list[Token], index: int) -> int:
    """The index of the first token that is not of the attributes that begin at ``index``."""
    while index < len(tokens) and tokens[index].text in _OF_ATTRIBUTES:
        index = closing(tokens, index + 1) + 1
    return index


def closing(tokens: list[Token], opening: int) -> int:
    """The index of the bracket that closes the one at ``opening``; the last index if none does."""
    depth = 0
    for index in range(opening, len(tokens)):
        match tokens[index].text:
            case "(" | "{" | "[":
                depth += 1
            case ")" | "}" | "]":
                depth -= 1
        if depth == 0:
            return index
    return len(tokens) - 1


def _mark_attributes(tokens: list[Token], index: int) -> None:
    """Mark the names in ``__attribute__((name, name(arguments), …))``, which begins at ``index``."""
    depth, name = 0, ""
    for token in tokens[index : closing(tokens, index + 1)]:
        match token.text:
            case "(":
                depth += 1
            case ")":
                depth -= 1
        if token.space is None:
            continue
        if depth <= 2:
            token.space, name = Space.ATTRIBUTE, token.text.strip("_")
        elif name in _WORDS:
            token.space = Space.ATTRIBUTE


def mark_members(tokens: list[Token], tree: SyntaxTree) -> None:
    """Mark the names of members that have no ``.`` or ``->`` before them: in structs, designators of old, offsets."""
    starts = [token.start for token in tokens]
    for offset, name in _members(tree.unit.ext):
        index = bisect_left(starts, offset)
        while tokens[index].text != name or tokens[index].space is Space.ATTRIBUTE:
            index += 1
        if tokens[index - 1].text != "[":  # else a designator of an element, whose index is an ordinary name
            tokens[index].space = Space.MEMBER


def _members(roots: Iterable[Node]) -> Iterator[tuple[int, str]]:
    """Names of members, and offsets at or before them, with nothing but what belongs to a declarator between."""
    for node in (part for root in roots for part in within(root)):
        match node:
            case c_ast.Struct() | c_ast.Union():
                declared = [part for part in node.decls or () if isinstance(part, c_ast.Decl) and part.name]
                yield from ((part.coord.offset, part.name) for part in declared)
            case c_ast.NamedInitializer():
                named = [part for part in node.name if isinstance(part, c_ast.ID)]
                yield from ((part.coord.offset, part.name) for part in named)
            case c_ast.FuncCall(name=c_ast.ID(name="__builtin_offsetof" | "offsetof")) if node.args is not None:
                first = _first_member(node.args.exprs[1])
                yield first.coord.offset, first.name


def _first_member(designator: Node) -> Node:
    """The name with which ``a.b[i].c`` begins."""
    while not isinstance(designator, c_ast.ID):
        designator = designator.name
    return designator
