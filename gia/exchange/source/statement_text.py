"""The edges of a program by the text that CPAchecker gives them, which is that of the statement or condition.

Statements keep their text up to the semicolon, conditions stand in brackets and are negated by ``!( )``. White space,
the suffixes of integer constants and the type in front of a declared name do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from gia.cfa.expressions import Storage, VariableReference
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Assign, Assume, Call, Declare, Input, Return
from gia.exchange.source.program_places import called
from gia.exchange.source.source_text import SourceText

_SUFFIX = re.compile(r"(?<![\w.])(0[xX][\da-fA-F]+|\d+)[uUlL]+\b")
_TYPE_WORD = (
    "extern|static|const|volatile|register|inline|unsigned|signed|int|char|short|long|float|double|void|_Bool|"
    "struct|union|enum|typedef|auto|__extension__|__inline"
)
_DECLARATION = re.compile(rf"\s*(?:(?:{_TYPE_WORD})\b|[A-Za-z_]\w*[\s*]+[A-Za-z_])")
_TYPE_BEFORE_NAME = re.compile(r"\s*(?:[A-Za-z_]\w*\b[\s*]*)+?[\s*](?=[A-Za-z_]\w*\s*(?:[=\[;]|$))")
_FOR = re.compile(r"for\s*\(\s*")
_WORDS_OF_STATEMENTS = ("return", "goto", "else", "case")


class StatementTexts:
    """Finds edges by texts, and texts of edges."""

    def __init__(self, program: Program, source: SourceText | None = None) -> None:
        self.program = program
        self._source = source

    @cached_property
    def _by_text(self) -> dict[str, list[Edge]]:
        found: dict[str, list[Edge]] = {}
        for edge in self.program.edge_list:
            if not isinstance(edge.operation, Assume) and edge.text:
                found.setdefault(_squeezed(edge.text), []).append(edge)
        return found

    @cached_property
    def _by_declaration(self) -> dict[str, list[Edge]]:
        """The edges of declarations by their whole texts."""
        found: dict[str, list[Edge]] = {}
        for edge in self.program.edge_list:
            declared = self._declaration(edge)
            if declared:
                found.setdefault(_squeezed(declared.rstrip("; ")), []).append(edge)
        return found

    @cached_property
    def _by_condition(self) -> dict[tuple[str, bool], list[Edge]]:
        found: dict[tuple[str, bool], list[Edge]] = {}
        for edge in self.program.edge_list:
            if isinstance(edge.operation, Assume):
                found.setdefault(atom(edge.text), []).append(edge)
        return found

    def edges(self, text: str) -> list[Edge]:
        """The edges with this text."""
        stripped = text.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            return self._by_condition.get(atom(stripped[1:-1]), [])
        plain = stripped.rstrip("; ")
        direct = self._by_text.get(_squeezed(plain))
        if direct is not None:
            return direct
        declared = self._by_declaration.get(_squeezed(plain))
        if declared is not None:
            return declared
        without_type = _TYPE_BEFORE_NAME.match(plain)
        if without_type and plain.split()[0] not in _WORDS_OF_STATEMENTS:
            return self._by_text.get(_squeezed(plain[without_type.end() :]), [])
        return []

    def calls(self, function: str) -> list[Edge]:
        """The edges that call a function."""
        return [edge for edge in self.program.edge_list if called(edge) == function]

    def exits(self, function: str) -> list[Edge]:
        """The edges that return from a function."""
        own = self.program.functions.get(function)
        return [edge for edge in own.edges if isinstance(edge.operation, Return)] if own else []

    def text_of(self, edge: Edge) -> str:
        """The text by which CPAchecker knows an edge."""
        if isinstance(edge.operation, Assume):
            return f"[{edge.text}]"
        declared = self._declaration(edge)
        if declared:
            return declared
        return f"{edge.text};" if edge.text and not edge.text.endswith(":") else edge.text

    def _declaration(self, edge: Edge) -> str:
        """The declaration that an edge belongs to, as it stands in the source; empty if it is none.

        CPAchecker gives the whole text to each of several declared names.
        """
        if self._source is None or not _declares(edge):
            return ""
        offset = self._source.offset((edge.reference.line, edge.reference.column))
        if offset is None or edge.file != self.program.main_file:
            return ""
        begin = self._source.statement_begin((edge.reference.line, edge.reference.column))
        start = offset if begin is None else self._source.offset(begin)
        text, end = self._source.text, self._source.text.find(";", offset)
        if start is None or end < 0:
            return ""
        declared = " ".join(_FOR.sub("", text[start : end + 1], count=1).split())
        return declared if is_declaration(declared) else ""


def _declares(edge: Edge) -> bool:
    """Whether an edge may introduce a variable of the source."""
    match edge.operation:
        case Declare():
            return True
        case Assign(target=target) | Input(target=target) | Call(target=target):
            return isinstance(target, VariableReference) and target.variable.storage is Storage.LOCAL
    return False


def references(edges: Iterable[Edge]) -> frozenset[EdgeReference]:
    """What identifies the edges in an automaton."""
    return frozenset(edge.reference for edge in edges)


def is_declaration(text: str) -> bool:
    """Whether a statement declares something without doing anything: our CFA has no edge for it, or needs none."""
    first = text.split(maxsplit=1)[:1]
    return bool(_DECLARATION.match(text)) and first[0].rstrip(";") not in _WORDS_OF_STATEMENTS


def atom(condition: str) -> tuple[str, bool]:
    """A condition without its negations, squeezed, and whether their number is even."""
    text, positive = _squeezed(condition), True
    while True:
        while text.startswith("(") and _closes_at_end(text, 0):
            text = text[1:-1]
        if not text.startswith("!") or not _is_operand(text[1:]):
            return text, positive
        text, positive = text[1:], not positive


def _is_operand(text: str) -> bool:
    """Whether a prefix operator before ``text`` applies to all of it."""
    text = text.lstrip("!")
    return bool(re.fullmatch(r"\w+", text)) or (text.startswith("(") and _closes_at_end(text, 0))


def _closes_at_end(text: str, start: int) -> bool:
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth == 0:
            return index == len(text) - 1
    return False


def _squeezed(text: str) -> str:
    """A text without white space and without suffixes of integers."""
    return "".join(_SUFFIX.sub(r"\1", text).split())
