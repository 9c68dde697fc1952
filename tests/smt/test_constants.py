"""Constants put in for variables: nothing changes for an assignment under which the known formulas hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gia.smt.invariants.constants import Constants
from gia.smt.terms import Term, bv_const, conjunction, equal, evaluate, ult, variables_of
from tests.smt.test_monomials import WIDTH, X, Y, Z, sums


@given(sums(3), sums(3), st.tuples(*[st.integers(0, 255)] * 3), st.sets(st.sampled_from([X, Y, Z])))
def test_models_stay(left: Term, right: Term, values: tuple[int, int, int], fixed: set[Term]) -> None:
    assignment = dict(zip((X, Y, Z), values, strict=True))
    equations = [equal(variable, bv_const(assignment[variable], WIDTH)) for variable in (X, Y, Z) if variable in fixed]
    formula = ult(left, right)
    constants = Constants([conjunction(*equations)])
    (simplified,) = constants.put_in([formula])
    assert not fixed & set(variables_of(simplified))
    assert evaluate(simplified, assignment) == evaluate(formula, assignment)


@given(st.tuples(*[st.integers(0, 255)] * 3), st.integers(0, 255), st.integers(0, 255))
def test_what_makes_them_right_stays_known(values: tuple[int, int, int], first: int, second: int) -> None:
    """Also where the formulas contradict each other."""
    formulas = [equal(X, bv_const(first, WIDTH)), equal(bv_const(second, WIDTH), X), ult(X, Y), equal(Y, Z)]
    assignment = dict(zip((X, Y, Z), values, strict=True))
    known = Constants(formulas).known(formulas)
    assert all(evaluate(f, assignment) for f in known) == all(evaluate(f, assignment) for f in formulas)
