"""Tokens and syntax trees: the quick ways through them lead to what those of the libraries do."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycparser import c_ast

from gia.cfa.expressions import Expression, children, walk
from gia.cfa.operations import operands_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.frontend.parsing.lexer import Lexer
from gia.frontend.parsing.parser import Parser
from gia.frontend.parsing.syntax import parts_of, within
from gia.frontend.preprocess import preprocess

PROGRAMS = [
    *sorted((Path(__file__).parents[2] / "examples").glob("*.c")),
    *sorted((Path(__file__).parent / "programs").glob("*.c")),
]
SPECIAL = """
extern int printf(const char *, ...);
typedef int number __attribute__((aligned(sizeof(int) * 2)));
static int first(__builtin_va_list list) { return __builtin_va_arg(list, int) + _Generic(1, int: 2, default: 3); }
int main(void) {
  int x __attribute__((cleanup(leave))) = 0;
  void *target = &&end;
  goto *target;
end: return sizeof(struct { int a[3]; }) + (x ?: 2) + ((number[]){1, 2})[0];
}
"""
WORDS = """
name int __attribute__ number L'a' u8"text" L"wide" u'c' name$ $x _ x1 0x1fUL 1.5e3f .5 '\\n' "a\\"b" -> ... <<= <: %> {
- > < . / * & = ! ' // } ( ; && __extension__ L u8 U _Generic return TYPE
"""
PIECES = st.sampled_from(
    [*WORDS.split(), " ", "\t", "\n  ", "#pragma once\n", "#pragma pack(2)\n", '\n# 7 "x.h" 3 4\n']
)


class Inherited(Lexer):
    """The lexer with the library's way to the next token."""

    def _quick_token(self) -> None:
        return None


def tokens(kind: type[Lexer], text: str) -> list[tuple[object, ...]]:
    """The tokens of a text, the braces that were reported, and errors."""
    found: list[tuple[object, ...]] = []
    lexer = kind(
        lambda message, *_: found.append(("error", message)),
        lambda: found.append(("begin",)),
        lambda: found.append(("end",)),
        lambda name: name in ("number", "TYPE"),
    )
    lexer.input(text)
    while (token := lexer.token()) is not None:
        found.append((token.type, token.value, token.offset, token.end))
    return found


@given(st.lists(PIECES, max_size=12).map("".join))
def test_tokens_are_those_of_the_library(text: str) -> None:
    assert tokens(Lexer, text) == tokens(Inherited, text)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_parts_of_a_node_are_its_children(path: Path) -> None:
    text = preprocess(path, DataModel.LP64).source().text
    for node in within(Parser().parse_unit(text).unit):
        assert list(parts_of(node)) == [child for _, child in node.children()]


def test_the_parts_of_gnu_nodes_are_their_children() -> None:
    for node in within(Parser().parse_unit(SPECIAL).unit):
        assert list(parts_of(node)) == [child for _, child in node.children()]


def test_a_leaf_of_the_tree_has_no_parts() -> None:
    assert (
        parts_of(c_ast.ID("x")) == parts_of(c_ast.Constant("int", "1")) == parts_of(c_ast.IdentifierType(["int"])) == ()
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_operands_of_an_expression_are_the_expressions_in_it(path: Path) -> None:
    for edge in load(path, data_model=DataModel.LP64).program.edge_list:
        for part in (part for operand in operands_of(edge.operation) for part in walk(operand)):
            values = [getattr(part, name) for name in part.__struct_fields__]
            assert list(children(part)) == [value for value in values if isinstance(value, Expression)]
