"""Terms without arrays that have the same value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gia.analyses.proving.points import Flattening
from gia.smt.terms import (
    Kind,
    SortKind,
    Term,
    array_sort,
    bv_const,
    bv_sort,
    bv_variable,
    const_array,
    evaluate,
    ite,
    postorder,
    select,
    store,
    ult,
    variable,
)

WIDTH = 8
NUMBERS = tuple(bv_variable(name, WIDTH) for name in "abc")
INDICES = st.one_of(st.sampled_from(NUMBERS), st.integers(0, 3).map(lambda value: bv_const(value, WIDTH)))
ARRAYS = st.recursive(
    st.integers(0, 9).map(lambda value: const_array(WIDTH, bv_const(value, WIDTH))),
    lambda arrays: st.one_of(
        st.builds(store, arrays, INDICES, INDICES),
        st.builds(
            lambda left, right, then, other: ite(ult(left, right), then, other), INDICES, INDICES, arrays, arrays
        ),
        st.builds(lambda array, index, other: store(other, index, select(array, index)), arrays, INDICES, arrays),
    ),
    max_leaves=6,
)


@given(ARRAYS, INDICES, st.lists(st.integers(0, 5), min_size=3, max_size=3))
def test_an_element_of_a_written_array_becomes_what_was_written(array: Term, index: Term, values: list[int]) -> None:
    element = select(array, index)
    flat = Flattening()(element)
    assert all(part.sort.kind is not SortKind.ARRAY for part in postorder([flat]))
    assignment = dict(zip(NUMBERS, values, strict=True))
    assert evaluate(flat, assignment) == evaluate(element, assignment)


def test_an_array_may_have_been_written_very_often() -> None:
    array = variable("array", array_sort(WIDTH, bv_sort(WIDTH)))
    for number in range(5000):
        array = store(array, bv_variable(f"i{number}", WIDTH), bv_const(number, WIDTH))
    flat = Flattening()(select(array, NUMBERS[0]))
    assert sum(part.kind is Kind.ITE for part in postorder([flat])) == 5000
