"""Solvers agree with each other and with evaluation, keep their time, and their stack."""

import gc
from time import monotonic
from weakref import ref

import pytest

from gia.smt import terms as t
from gia.smt.solvers import SolverKind, make_solver
from gia.smt.solvers.solver import Result
from tests.smt.random_terms import RandomTerms

x, y = t.bv_variable("x", 64), t.bv_variable("y", 64)
KINDS = list(SolverKind)


@pytest.mark.parametrize("seed", range(80))
def test_solvers_agree_with_evaluation(seed: int) -> None:
    source = RandomTerms(seed, floats=seed % 2 == 0, arrays=seed % 2 == 1)
    pair = source.boolean(3 if source.floats else 4)
    has_arrays = any(variable.sort.kind is t.SortKind.ARRAY for variable in source.variables)
    answers = set()
    for kind in KINDS:
        solver = make_solver(kind)
        answer = solver.check([pair.raw], 2.0)
        answers.add(answer)
        if has_arrays:
            continue
        if answer is Result.SAT:
            model = {variable: solver.value(variable) for variable in source.variables}
            assert t.evaluate(pair.raw, model) is True
            assert t.evaluate(pair.simplified, model) is True
        differ = t.negation(nodes_equal(pair.simplified, pair.raw))
        assert solver.check([differ], 2.0) is not Result.SAT
    assert len(answers - {Result.UNKNOWN}) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_solver_that_nobody_uses_is_freed(kind: SolverKind) -> None:
    solver = make_solver(kind)
    assert solver.check([t.equal(x, y)], 5.0) is Result.SAT
    left = ref(solver)
    del solver
    gc.collect()
    assert left() is None


def nodes_equal(left: t.Term, right: t.Term) -> t.Term:
    from gia.smt.terms.nodes import make

    return make(t.Kind.EQ, (left, right), None, t.BOOL)


@pytest.mark.parametrize("kind", KINDS)
def test_levels(kind: SolverKind) -> None:
    solver = make_solver(kind)
    solver.add(t.ult(x, t.bv_const(5, 64)))
    assert solver.check() is Result.SAT
    solver.push()
    solver.add(t.ult(t.bv_const(3, 64), x))
    assert solver.check() is Result.SAT
    assert solver.value(x) == 4
    assert solver.value(t.bv_add(x, x)) == 8
    assert solver.value(t.ult(x, t.bv_const(5, 64))) is True
    assert solver.check([t.equal(x, t.bv_const(1, 64))]) is Result.UNSAT
    solver.pop()
    assert solver.check([t.equal(x, t.bv_const(1, 64))]) is Result.SAT
    assert solver.check([t.FALSE]) is Result.UNSAT


@pytest.mark.parametrize("kind", KINDS)
def test_bits_of_floating_point_terms(kind: SolverKind) -> None:
    number = t.fp_from_bits(t.extract(x, 31, 0), t.FLOAT32)
    doubled = t.fp_to_bits(t.fp_add(number, number))
    solver = make_solver(kind)
    solver.push()
    assert solver.check([t.equal(doubled, t.bv_const(0x40400000, 32))]) is Result.SAT
    assert solver.value(t.extract(x, 31, 0)) == 0x3FC00000
    solver.pop()
    minus = t.conjunction(t.equal(doubled, t.bv_const(1, 32)), t.fp_lt(number, t.fp_const(0, t.FLOAT32)))
    assert solver.check([minus]) is Result.UNSAT


@pytest.mark.parametrize("kind", KINDS)
def test_time_is_kept(kind: SolverKind) -> None:
    factors = [
        t.equal(t.bv_mul(x, y), t.bv_const(13493473907465473991, 64)),
        t.ult(t.bv_const(1, 64), x),
        t.ult(x, t.bv_const(1 << 32, 64)),
        t.ult(y, t.bv_const(1 << 32, 64)),
    ]
    solver = make_solver(kind)
    started = monotonic()
    assert solver.check(factors, 0.5) is Result.UNKNOWN
    assert monotonic() - started < 1.0
    assert solver.check([t.equal(x, t.bv_const(7, 64))], 5.0) is Result.SAT
