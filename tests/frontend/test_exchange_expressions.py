"""Expressions of exchange files: reading what was written gives the same, and nonsense is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.expressions import AddressOf, Binary, Result, StringLiteral, VariableReference, walk
from gia.cfa.operations import Assign, Assume
from gia.cfa.quantified import is_quantified
from gia.cfa.types import INT, UNSIGNED_INT, ArrayType, DataModel, FunctionType
from gia.errors import InputError
from gia.frontend.exchange_expressions import parse_expression
from tests.frontend.support import PROGRAMS, load_program, load_text

TEXT = """
struct s { int a; struct { short b; }; };
int x, only;
static int g(int x) { int y = x; return y; }
int main(void) { unsigned x = g(1); struct s t, *p = &t; static char c; int a[3] = { 0 };
    { int x = 2; x++; } return x + p->b + c; }
"""


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_was_written_is_read_back(path: Path) -> None:
    program = load_program(path, DataModel.LP64, atomic=True).program
    for edge in program.edge_list:
        match edge.operation:
            case Assign(target=target, value=value):
                found = [target, value]
            case Assume(condition=condition):
                found = [condition]
            case _:
                continue
        for expression in found:
            if isinstance(expression.type, ArrayType | FunctionType):
                continue
            text = expression_to_gia(expression, edge.reference.function, program)
            again = parse_expression(text, edge.reference.function, program)
            assert expression_to_gia(again, edge.reference.function, program) == text
            assert again.type == expression.type


@pytest.mark.parametrize(
    ("text", "scope", "name", "function"),
    [
        ("x", "main", "x", "main"),
        ("x$2", "main", "x$2", "main"),
        ("$$x", "main", "x", None),
        ("only", "main", "only", None),
        ("g$$y", "main", "y", "g"),
        ("g$$x", "main", "x", "g"),
        ("x", "", "x", None),
        ("c", "main", "c", "main"),
    ],
)
def test_names(text: str, scope: str, name: str, function: str | None, tmp_path: Path) -> None:
    program = load_text(TEXT, tmp_path).program
    found = parse_expression(text, scope, program)
    assert isinstance(found, VariableReference)
    assert (found.variable.name, found.variable.function) == (name, function)


def test_operators_and_conversions(tmp_path: Path) -> None:
    program = load_text(TEXT, tmp_path).program
    found = parse_expression("x < (unsigned char)p->b + a[1] && *p->a == 1".replace("*p->a", "p->a"), "main", program)
    assert found.type == INT
    comparison = next(part for part in walk(found) if isinstance(part, Binary) and part.operator == "<")
    assert comparison.left.type == comparison.right.type == UNSIGNED_INT
    assert isinstance(parse_expression("&t", "main", program), AddressOf)
    assert any(isinstance(part, StringLiteral) for part in walk(parse_expression('"ab"[1]', "main", program)))
    assert parse_expression("sizeof(struct s) == 8 ", "main", program).type == INT


def test_every_number_only_where_it_is_allowed(tmp_path: Path) -> None:
    program = load_text(TEXT, tmp_path).program
    text = r"!(\any < 3) || a[\any] == 0"
    found = parse_expression(text, "main", program, quantified=True)
    assert is_quantified(found)
    assert parse_expression(expression_to_gia(found, "main", program), "main", program, quantified=True) == found
    with pytest.raises(InputError, match="only in invariants"):
        parse_expression(text, "main", program)


def test_all_blocks_only_where_they_are_allowed(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
struct node { int value; struct node *next; }; struct node *list;
int main(void) { for (int i = 0; i < 9; i++) {
    struct node *n = malloc(sizeof *n); n->next = list; list = n; } return 0; }
"""
    program = load_text(text, tmp_path).program
    about = r"!(0LL < \any && \any <= \count_4) || (&\blocks_4[\any] == list || \blocks_4[\any].next->value > 0)"
    found = parse_expression(about, "main", program, quantified=True)
    assert expression_to_gia(found, "main", program) == about
    for text, quantified in ((about, False), (r"\count_5 > 0", True)):
        with pytest.raises(InputError):
            parse_expression(text, "main", program, quantified=quantified)


def test_the_result_of_an_input(tmp_path: Path) -> None:
    program = load_text(TEXT, tmp_path).program
    found = parse_expression(r"\result >= 5", "main", program, result=UNSIGNED_INT)
    assert Result(UNSIGNED_INT) in list(walk(found))
    with pytest.raises(InputError, match="input"):
        parse_expression(r"\result >= 5", "main", program)


@pytest.mark.parametrize(
    "text",
    ["", "x +", "x = 1", "x++", "g(1)", "nothere", "x ? 1 : 2", "x; x", "p + p", "(", "({ 1; })", "x, x", "1 1"],
)
def test_nonsense_is_refused(text: str, tmp_path: Path) -> None:
    program = load_text(TEXT, tmp_path).program
    with pytest.raises(InputError):
        parse_expression(text, "main", program)


def test_a_scope_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not define"):
        parse_expression("x", "nowhere", load_text(TEXT, tmp_path).program)


def test_deep_expressions(tmp_path: Path) -> None:
    program = load_text(TEXT, tmp_path).program
    assert parse_expression(" + ".join(["x"] * 3000), "main", program).type == UNSIGNED_INT
    assert parse_expression("(" * 500 + "x" + ")" * 500, "main", program).type == UNSIGNED_INT
