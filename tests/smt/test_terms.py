"""Terms: simplification keeps the value, equality is identity, folding does what the comments promise."""

import gc
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.smt import terms as t
from gia.smt.terms import nodes
from tests.smt.random_terms import RandomTerms

x, y = t.bv_variable("x", 32), t.bv_variable("y", 32)
p, q, r = (t.bool_variable(name) for name in "pqr")


def number(value: int, width: int = 32) -> t.Term:
    return t.bv_const(value, width)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9))
def test_simplification_keeps_the_value(seed: int) -> None:
    source = RandomTerms(seed, floats=seed % 3 == 0, arrays=seed % 3 == 1)
    pair = source.boolean(5)
    for _ in range(4):
        values = source.assignment()
        assert t.evaluate(pair.simplified, values) == t.evaluate(pair.raw, values)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9))
def test_substituting_constants_is_evaluation(seed: int) -> None:
    source = RandomTerms(seed, floats=True)
    pair = source.boolean(5)
    values = source.assignment()
    constants = {
        variable: t.bool_const(bool(value))
        if variable.sort == t.BOOL
        else nodes.make(t.Kind.CONST, (), value, variable.sort)
        for variable, value in values.items()
        if isinstance(value, int)
    }
    assert t.substitute(pair.simplified, constants).value == t.evaluate(pair.raw, values)


def test_equal_structure_is_one_object() -> None:
    assert t.bv_add(x, y) is t.bv_add(y, x)
    assert t.conjunction(p, t.conjunction(q, r)) is t.conjunction(r, q, p)
    assert t.bv_variable("x", 32) is x
    assert t.bv_variable("x", 16) is not x


def test_sums_collect_their_constant() -> None:
    address = t.bv_add(t.bv_add(t.bv_add(x, number(4)), t.bv_mul(y, number(4))), number(-4))
    assert address is t.bv_add(x, t.bv_mul(y, number(4)))
    assert t.bv_sub(t.bv_add(x, y), x) is y
    assert t.bv_sub(x, x).value == 0


def test_guards_of_merged_branches_collapse() -> None:
    guard = t.conjunction(p, q)
    then, other = t.conjunction(guard, r), t.conjunction(guard, t.negation(r))
    assert t.disjunction(then, other) is guard
    assert t.disjunction(guard, t.conjunction(guard, r)) is guard
    assert t.disjunction(p, t.conjunction(t.negation(p), q)) is t.disjunction(p, q)
    assert t.conjunction(p, t.negation(p)).is_false
    common, left, right = t.split_common(then, other)
    assert common is guard
    assert (left, right) == (r, t.negation(r))


def test_comparisons_of_choices_speak_about_the_conditions() -> None:
    state = t.ite(p, number(1), t.ite(q, number(2), number(3)))
    assert t.equal(state, number(2)) is t.conjunction(t.negation(p), q)
    assert t.equal(state, number(4)).is_false
    assert t.distinct(t.ite(t.slt(x, y), number(1), number(0)), number(0)) is t.slt(x, y)


def test_narrow_comparisons_stay_narrow() -> None:
    small = t.bv_variable("c", 8)
    assert t.slt(t.sign_extend(small, 24), number(5)) is t.slt(small, number(5, 8))
    assert t.slt(t.zero_extend(small, 24), number(300)).is_true
    assert t.equal(t.zero_extend(small, 24), number(300)).is_false
    assert t.extract(t.bv_add(t.sign_extend(small, 24), number(1)), 7, 0) is t.bv_add(small, number(1, 8))


def test_equality_with_a_constant_follows_long_chains_with_sums() -> None:
    """As results of recursive functions are: each call adds one to what the next one returns."""
    chain, conditions = number(0), []
    for index in range(3000):
        condition = t.bool_variable(f"c{index}")
        conditions.append(condition)
        chain = t.ite(condition, number(3), t.bv_add(chain, number(1)))
    found = t.equal(chain, number(5))
    values = dict.fromkeys(conditions, False)
    for calls in range(5):
        assert t.evaluate(found, values | {conditions[-1 - calls]: True}) is (3 + calls == 5)
    assert t.evaluate(t.equal(chain, number(3000)), values) is True


def test_reading_looks_through_writes() -> None:
    array = t.const_array(32, number(0))
    array = t.store(t.store(array, number(1), x), number(2), y)
    assert t.select(array, number(1)) is x
    assert t.select(array, number(9)).value == 0
    assert t.select(t.store(array, x, y), x) is y


def test_deep_terms_exhaust_no_stack() -> None:
    term: t.Term = x
    for place in range(20_000):
        term = t.bv_xor(t.bv_mul(term, y), number(place + 1))
    assert t.evaluate(term, {x: 3, y: 1}) == t.evaluate(t.substitute(term, {y: number(1)}), {x: 3})
    assert len(t.to_text(term)) < 3000
    assert t.variables_of(term) == (x, y)


def test_terms_that_nobody_uses_disappear() -> None:
    gc.collect()
    before = len(nodes._table)
    kept = [t.bv_add(x, t.bv_variable(f"temporary{place}", 32)) for place in range(1000)]
    assert len(nodes._table) >= before + 2000
    del kept
    assert len(nodes._table) <= before + 10


def _bits(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


doubles = st.floats(width=64)


@given(doubles, doubles)
def test_doubles_compute_as_the_machine_does(left: float, right: float) -> None:
    a, b = (t.fp_const(_bits(value), t.FLOAT64) for value in (left, right))
    expected = {t.fp_add: left + right, t.fp_sub: left - right, t.fp_mul: left * right}
    if right != 0:
        expected[t.fp_div] = left / right
    for build, value in expected.items():
        assert build(a, b) is t.fp_const(_bits(value), t.FLOAT64)
    assert t.fp_lt(a, b).is_true == (left < right)
    assert t.fp_equal(a, b).is_true == (left == right)
    if left >= 0:
        assert t.fp_sqrt(a) is t.fp_const(_bits(math.sqrt(left)), t.FLOAT64)


@given(st.floats(width=64, allow_nan=False))
def test_narrowing_rounds_as_the_machine_does(value: float) -> None:
    try:
        expected = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        expected = 0x7F800000 | (0x80000000 if value < 0 else 0)
    assert t.fp_convert(t.fp_const(_bits(value), t.FLOAT64), t.FLOAT32).value == expected


@pytest.mark.parametrize(
    ("value", "mode", "expected"),
    [
        (2.5, t.RoundingMode.NEAREST_EVEN, 2.0),
        (2.5, t.RoundingMode.NEAREST_AWAY, 3.0),
        (-2.5, t.RoundingMode.NEAREST_AWAY, -3.0),
        (-2.5, t.RoundingMode.UP, -2.0),
        (-2.5, t.RoundingMode.DOWN, -3.0),
        (-0.5, t.RoundingMode.TO_ZERO, -0.0),
    ],
)
def test_rounding_to_integers(value: float, mode: t.RoundingMode, expected: float) -> None:
    operand = t.fp_const(_bits(value), t.FLOAT64)
    assert t.fp_round(operand, mode) is t.fp_const(_bits(expected), t.FLOAT64)
