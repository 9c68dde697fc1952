"""Expressions as text: what is written is read as the same expression, with few but sufficient parentheses."""

from pathlib import Path

import pytest

from gia.cfa.c_expressions import expression_to_c, expression_to_gia
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FloatConstant,
    IntegerConstant,
    Member,
    Result,
    Storage,
    StringLiteral,
    Subscript,
    Unary,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.naming import ExchangeNames
from gia.cfa.operations import operands_of
from gia.cfa.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    UNSIGNED_INT,
    ArrayType,
    DataModel,
    IntegerType,
    PointerType,
    StructType,
    long_type,
)
from gia.cfa.writer import write_c
from gia.frontend import load
from gia.frontend.exchange_expressions import parse_expression

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))
LONG = long_type(DataModel.LP64)


def local(name: str, type_: object = INT) -> VariableReference:
    return VariableReference(Variable(name, type_, Storage.LOCAL, "main"))  # type: ignore[arg-type]


A, B, C = local("a"), local("b"), local("c")
P = local("p", PointerType(StructType("s")))
ROW = ArrayType(INT, 3)
MATRIX = local("m", ArrayType(ROW, 2))


def binary(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(operator, left, right, INT)


def integer(value: int, type_: IntegerType = INT) -> IntegerConstant:
    return IntegerConstant(value, type_)


EXAMPLES: list[tuple[Expression, str]] = [
    (binary("-", A, binary("-", B, C)), "a - (b - c)"),
    (binary("-", binary("-", A, B), C), "a - b - c"),
    (binary("*", binary("+", A, B), C), "(a + b) * c"),
    (binary("<", binary("+", A, B), C), "a + b < c"),
    (binary("==", binary("<", A, B), C), "(a < b) == c"),
    (binary("||", binary("&&", A, B), binary("||", B, C)), "(a && b) || (b || c)"),
    (binary("&&", binary("&&", A, B), binary("==", B, C)), "a && b && b == c"),
    (binary("&", binary("<<", A, B), C), "(a << b) & c"),
    (Unary("-", Unary("-", A, INT), INT), "-(-a)"),
    (binary("-", A, integer(-3)), "a - -3"),
    (Unary("!", binary("<", A, B), INT), "!(a < b)"),
    (Cast(binary("+", A, B), CHAR), "(char)(a + b)"),
    (integer(-(2**31)), "(-2147483647 - 1)"),
    (integer(-(2**63), LONG), "(-9223372036854775807L - 1)"),
    (integer(7, UNSIGNED_INT), "7U"),
    (integer(-1, CHAR), "(char)-1"),
    (integer(-1, INT128), "((__int128)-1LL << 64 | (__int128)18446744073709551615ULL)"),
    (FloatConstant("0.5", FLOAT), "0.5F"),
    (FloatConstant("1", DOUBLE), "1.0"),
    (FloatConstant("0x1p-3f", FLOAT), "0x1p-3f"),
    (StringLiteral(b'a"\\\n?\x01\xff\0', ArrayType(CHAR, 8)), r'"a\"\\\n\?\001\377"'),
    (Member(Dereference(P, StructType("s")), "f", INT), "p->f"),
    (Member(Dereference(Binary("+", P, A, P.type), StructType("s")), "f", INT), "p[a].f"),
    (Member(Dereference(Dereference(P, P.type), StructType("s")), "f", INT), "(*p)->f"),
    (Subscript(Subscript(MATRIX, A, ROW), B, INT), "m[a][b]"),
    (AddressOf(MATRIX, PointerType(ROW)), "m"),
    (AddressOf(MATRIX, PointerType(MATRIX.type)), "&m"),
    (AddressOf(Subscript(MATRIX, A, ROW), PointerType(INT)), "m[a]"),
    (Dereference(Binary("+", AddressOf(MATRIX, PointerType(ROW)), A, PointerType(ROW)), ROW), "*(m + a)"),
    (Cast(P, PointerType(ROW)), "(int (*)[3])p"),
    (binary("==", Result(INT), A), r"\result == a"),
]


@pytest.mark.parametrize(("expression", "text"), EXAMPLES, ids=[text for _, text in EXAMPLES])
def test_examples(expression: Expression, text: str) -> None:
    assert expression_to_c(expression, ExchangeNames("main", frozenset())) == text


def test_names_say_to_which_scope_they_belong() -> None:
    hidden = VariableReference(Variable("x", INT, Storage.GLOBAL))
    program = load(PROGRAMS[0].parent / "names.c", data_model=DataModel.LP64).program
    assert expression_to_gia(hidden, "main", program) == "$$x"
    assert expression_to_gia(hidden, "index", program) == "x"
    assert expression_to_gia(hidden, "", program) == "x"
    assert expression_to_gia(hidden, "index") == "$$x"
    assert expression_to_gia(A, "main", program) == "a"
    assert expression_to_gia(A, "index", program) == "main$$a"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_is_written_is_read_as_the_same(path: Path) -> None:
    program = load(path, data_model=DataModel.LP64).program
    known: set[tuple[str, str]] = set()
    for edge in program.edges():
        scope = edge.reference.function
        for expression in operands_of(edge.operation):
            if any(isinstance(part, StringLiteral) and part.owner for part in walk(expression)):
                continue  # __func__ is written as a literal with its characters, which is another object
            text = expression_to_gia(expression, scope, program)
            if (text, scope) not in known:
                known.add((text, scope))
                assert parse_expression(text, scope, program) == expression


def test_a_very_deep_expression_needs_no_recursion() -> None:
    deep: Expression = A
    for _ in range(5000):
        deep = binary("+", deep, B)
    assert expression_to_c(deep, ExchangeNames("main", None)).count("+") == 5000


def test_statements_have_their_line_in_the_source(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text("int x;\n\nint main(void) {\n  x = 1;\n\n  x = 2;\n  return x;\n}\n")
    program = load(source, data_model=DataModel.LP64).program
    lines = write_c(program).splitlines()
    for line, text in ((4, "x = 1;"), (6, "x = 2;")):
        assert lines[lines.index(f"  {text}") - 1] == f'#line {line} "{source}"'
    assert lines[lines.index("  return x;") - 1] == "  x = 2;"
    assert "#line" not in write_c(program, line_directives=False)
