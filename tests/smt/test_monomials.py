"""Replaced products: the value stays if each new variable has the value of its product."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gia.smt.invariants.monomials import Monomials
from gia.smt.terms import Term, bv_add, bv_const, bv_mul, bv_neg, bv_variable, equal, evaluate, ult, variables_of

WIDTH = 8
X, Y, Z = (bv_variable(name, WIDTH) for name in "xyz")


def sums(depth: int) -> st.SearchStrategy[Term]:
    """Terms of sums and products."""
    leaves = st.sampled_from([X, Y, Z]) | st.integers(0, 255).map(lambda value: bv_const(value, WIDTH))
    if depth == 0:
        return leaves
    inner = sums(depth - 1)
    return leaves | st.builds(bv_add, inner, inner) | st.builds(bv_mul, inner, inner) | st.builds(bv_neg, inner)


@given(sums(3), sums(3), st.sampled_from([equal, ult]), st.tuples(*[st.integers(0, 255)] * 3))
def test_the_value_stays(left: Term, right: Term, compare, values: tuple[int, int, int]) -> None:
    formula = compare(left, right)
    simplified = Monomials().without_products(formula)
    assignment = dict(zip((X, Y, Z), values, strict=True))
    by_number = {term.number: value for term, value in assignment.items()}
    full = dict(assignment)
    for variable in variables_of(simplified):
        if variable.name.startswith("product "):
            value = 1
            for number in variable.name.split()[2:]:
                value *= by_number[int(number)]
            full[variable] = value % (1 << WIDTH)
    assert evaluate(simplified, full) == evaluate(formula, assignment)


def test_products_that_are_equal_become_equal() -> None:
    one = bv_const(1, WIDTH)
    left = bv_mul(bv_add(X, bv_neg(one)), bv_add(X, one))
    right = bv_add(bv_mul(X, X), bv_neg(one))
    assert Monomials().without_products(equal(left, right)).is_true


def test_without_products_nothing_is_replaced() -> None:
    formula = ult(bv_add(X, bv_mul(Y, bv_const(3, WIDTH))), Z)
    monomials = Monomials()
    assert monomials.without_products(formula) is formula
    assert not monomials.has_products(formula)
