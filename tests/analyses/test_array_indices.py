"""What the index of an element of a matrix says of its row, its column, and the indices of other elements."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from gia.analyses.proving.candidates.array_indices import positions, related
from gia.cfa.expressions import Binary, Cast, Expression, IntegerConstant, Storage, Variable, VariableReference
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.types import INT, LONG_LONG

PLANE, ROW, COLUMN = (Variable(name, INT, Storage.LOCAL, "main") for name in "kij")
NUMBER = VariableReference(ANY_NUMBER)


def plus(*parts: Expression) -> Expression:
    found, *others = parts
    for other in others:
        found = Binary("+", found, other, LONG_LONG)
    return found


def times(variable: Variable, factor: int) -> Expression:
    return Binary("*", Cast(VariableReference(variable), LONG_LONG), IntegerConstant(factor, LONG_LONG), LONG_LONG)


def value(expression: Expression, values: Mapping[Variable, int]) -> int:
    match expression:
        case IntegerConstant(value=number):
            return number
        case VariableReference(variable=variable):
            return values[variable]
        case Cast(operand=operand):
            return value(operand, values)
        case Binary(operator=operator, left=left, right=right):
            a, b = value(left, values), value(right, values)
            return {"+": a + b, "-": a - b, "*": a * b, "/": a // b if b else 0, "%": a % b if b else 0}[operator]
    raise AssertionError(expression)


@given(st.integers(0, 9), st.integers(0, 7), st.integers(0, 5), st.integers(8, 12), st.integers(6, 9))
def test_row_and_column_follow_from_the_index(plane: int, row: int, column: int, rows: int, columns: int) -> None:
    index = plus(times(PLANE, rows * columns), times(ROW, columns), VariableReference(COLUMN))
    number = value(index, {PLANE: plane, ROW: row, COLUMN: column})
    found = positions(index, NUMBER)
    assert {v: value(place, {ANY_NUMBER: number}) for v, place in found.items()} == {
        PLANE: plane, ROW: row, COLUMN: column
    }  # fmt: skip


def test_no_row_follows_where_elements_are_skipped_or_not_told_apart() -> None:
    j = VariableReference(COLUMN)
    for index in (
        times(ROW, 8),
        plus(times(ROW, 8), times(COLUMN, 3)),
        plus(times(ROW, 8), j, IntegerConstant(1, INT)),
    ):
        assert not positions(index, NUMBER)
    assert not positions(plus(VariableReference(ROW), j), NUMBER)


@given(st.integers(0, 7), st.integers(0, 9), st.integers(-99, 99), st.sampled_from([1, -1]))
def test_an_index_moved_or_mirrored_follows_from_another(row: int, column: int, moved: int, sign: int) -> None:
    index = plus(times(ROW, 10), VariableReference(COLUMN))
    other = plus(IntegerConstant(moved, INT), times(ROW, 10 * sign), times(COLUMN, sign))
    found = related(index, other, NUMBER)
    assert found is not None
    values = {ROW: row, COLUMN: column}
    assert value(found, {ANY_NUMBER: value(index, values)}) == value(other, values)


def test_what_is_turned_about_does_not_follow() -> None:
    index, other = plus(times(ROW, 10), VariableReference(COLUMN)), plus(times(COLUMN, 10), VariableReference(ROW))
    assert related(index, other, NUMBER) is None
