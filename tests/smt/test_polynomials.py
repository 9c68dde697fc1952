"""Equations that are said to follow do so in all states; those of loops over squares and products are seen."""

from __future__ import annotations

from functools import reduce
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.smt import terms as t
from gia.smt.invariants.linear_equations import LinearEquations
from gia.smt.invariants.polynomials import Polynomials, follows

WIDTH = 3
NAMES = [t.bv_variable(name, WIDTH) for name in "xyz"]
STATES = [dict(zip(NAMES, values, strict=True)) for values in product(range(1 << WIDTH), repeat=len(NAMES))]

values = st.recursive(
    st.sampled_from(NAMES) | st.integers(0, 7).map(lambda value: t.bv_const(value, WIDTH)),
    lambda inner: (
        st.builds(t.bv_add, inner, inner)
        | st.builds(t.bv_mul, inner, inner)
        | st.builds(t.bv_neg, inner)
        | st.builds(t.bv_shl, inner, st.integers(0, 4).map(lambda value: t.bv_const(value, WIDTH)))
    ),
    max_leaves=5,
)
equations = st.builds(t.equal, values, values)


@settings(max_examples=150, deadline=None)
@given(st.lists(equations, max_size=3), equations, values, st.integers(0, 7))
def test_what_follows_holds_wherever_the_premises_do(
    premises: list[t.Term], other: t.Term, factor: t.Term, number: int
) -> None:
    polynomials = Polynomials()
    conclusions = [other, t.equal(t.bv_mul(factor, t.bv_const(number, WIDTH)), t.bv_neg(factor)), *premises]
    for premise in premises:
        if premise.kind is t.Kind.EQ:
            left, right = premise.children
            conclusions.append(t.equal(t.bv_mul(left, factor), t.bv_mul(factor, right)))
    known = polynomials.equations(premises)
    states = [state for state in STATES if all(t.evaluate(premise, state) for premise in premises)]
    for conclusion in conclusions:
        equation = polynomials.equation(conclusion)
        if equation is not None and follows(equation, known):
            assert all(t.evaluate(conclusion, state) for state in states)


def test_squares_and_products() -> None:
    polynomials = Polynomials()
    i, n, s = (t.bv_variable(name, 32) for name in "ins")
    one, two = t.bv_const(1, 32), t.bv_const(2, 32)
    squares = polynomials.equation(t.equal(t.bv_add(t.bv_mul(two, s), i), t.bv_mul(i, i)))
    later = t.bv_add(i, one)
    step = polynomials.equation(t.equal(t.bv_add(t.bv_mul(two, t.bv_add(s, i)), later), t.bv_mul(later, later)))
    end = polynomials.equation(t.equal(t.bv_mul(two, s), t.bv_mul(n, t.bv_add(n, one))))
    last = polynomials.equation(t.equal(i, t.bv_add(n, one)))
    assert squares is not None and step is not None and end is not None and last is not None
    assert follows(step, [squares])
    assert follows(end, [squares, last])
    assert not follows(end, [squares])
    assert not follows(step, [last])


merged = st.recursive(
    st.sampled_from(NAMES) | st.integers(0, 7).map(lambda value: t.bv_const(value, WIDTH)),
    lambda inner: (
        st.builds(t.bv_add, inner, inner)
        | st.builds(t.bv_neg, inner)
        | st.builds(t.ite, st.builds(t.ult, inner, inner) | st.builds(t.equal, inner, inner), inner, inner)
    ),
    max_leaves=8,
)
sums = st.builds(t.equal, merged, merged)


@settings(max_examples=150, deadline=None)
@given(st.lists(sums, max_size=2), sums, merged, merged)
def test_what_follows_on_all_paths_holds_wherever_the_premises_do(
    premises: list[t.Term], other: t.Term, condition: t.Term, more: t.Term
) -> None:
    """Each premise, and the same after one of two sums was added to both sides, follow; others may."""
    linear = LinearEquations(Polynomials())
    states = [state for state in STATES if all(t.evaluate(premise, state) for premise in premises)]
    grown = t.ite(t.ult(condition, more), t.bv_add(more, NAMES[0]), more)
    sides = [premise.children for premise in premises if premise.kind is t.Kind.EQ]
    for formula in (other, *(t.equal(t.bv_add(grown, left), t.bv_add(grown, right)) for left, right in sides)):
        if linear.following([formula], premises) or linear.contradict(t.negation(formula), premises):
            assert all(t.evaluate(formula, state) for state in states)


def test_a_sum_stays_whichever_part_of_it_grows() -> None:
    """Of ten numbers one grows by 1, depending on the remainders of another: nothing that a solver does bit by bit."""
    linear = LinearEquations(Polynomials())
    total, *parts = (t.bv_variable(f"x{number}", 32) for number in range(11))
    one = t.bv_const(1, 32)
    later, taken = [], t.FALSE
    for number, part in enumerate(parts, 2):
        here = t.conjunction(t.negation(taken), t.equal(t.bv_urem(total, t.bv_const(number, 32)), t.bv_const(0, 32)))
        last = t.negation(taken) if part is parts[-1] else here
        later.append(t.ite(last, t.bv_add(part, one), part))
        taken = t.disjunction(taken, here)
    before = t.equal(total, reduce(t.bv_add, parts))
    after = t.equal(t.bv_add(total, one), reduce(t.bv_add, reversed(later)))
    without = t.equal(total, reduce(t.bv_add, later))
    assert linear.following([after, without], [before]) == {after}
    assert linear.contradict(t.negation(after), [before])
    assert not linear.contradict(t.negation(after), [])
    assert not linear.following([after], [])
