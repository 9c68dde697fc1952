"""Solutions of Horn clauses satisfy them, in both arithmetics where that is promised."""

from __future__ import annotations

import pytest
import z3

from gia.smt import terms as t
from gia.smt.solvers import make_solver
from gia.smt.solvers.horn import Arithmetic, Clause, Predicate, Strategy, solve
from gia.smt.solvers.horn_integers import IntegerReading
from gia.smt.solvers.solver import Result

X, Y, Z = (t.bv_variable(name, 32) for name in "xyz")
LOOP = Predicate("loop", (X, Y), (True, True))


def number(value: int) -> t.Term:
    return t.bv_const(value, 32)


def counting(bad: t.Term) -> list[Clause]:
    """``x = y = 0; while (x < 10) { x++; y += 2; }``, and ``bad`` is not to hold at the loop's head."""
    return [
        Clause(None, t.TRUE, LOOP, (number(0), number(0))),
        Clause(LOOP, t.slt(X, number(10)), LOOP, (t.bv_add(X, number(1)), t.bv_add(Y, number(2)))),
        Clause(LOOP, bad, None, ()),
    ]


def violated(clause: Clause, solution: t.Term) -> bool:
    """Whether some values satisfy the body and not the head."""
    solver = make_solver()
    solver.add(clause.constraint)
    if clause.body is not None:
        solver.add(solution)
    if clause.head is not None:
        solver.add(t.negation(t.substitute(solution, dict(zip(LOOP.parameters, clause.arguments, strict=True)))))
    return solver.check() is Result.SAT


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_a_solution_satisfies_the_clauses(arithmetic: Arithmetic):
    clauses = counting(t.slt(number(20), Y))
    solution = solve(clauses, Strategy(arithmetic), 20.0)
    assert solution is not None
    assert not any(violated(clause, solution["loop"]) for clause in clauses)


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_reachable_constraints_have_no_solution(arithmetic: Arithmetic):
    assert solve(counting(t.equal(Y, number(20))), Strategy(arithmetic), 20.0) is None


def test_overflow_is_seen_by_bit_vectors_only():
    clauses = [
        Clause(None, t.TRUE, LOOP, (number(1), number(1))),
        Clause(LOOP, t.TRUE, LOOP, (t.bv_add(X, number(1 << 30)), Y)),
        Clause(LOOP, t.slt(X, number(0)), None, ()),
    ]
    assert solve(clauses, Strategy(Arithmetic.INTEGERS), 20.0) is not None
    assert solve(clauses, Strategy(Arithmetic.BIT_VECTORS), 20.0) is None


def test_no_time_no_solution():
    hard = [
        Clause(None, t.TRUE, LOOP, (Z, number(0))),
        Clause(LOOP, t.TRUE, LOOP, (t.bv_mul(X, X), t.bv_add(t.bv_mul(X, Y), number(3)))),
        Clause(LOOP, t.equal(t.bv_mul(Y, X), number(0x12345)), None, ()),
    ]
    assert solve(hard, Strategy(Arithmetic.BIT_VECTORS), 0.05) is None


def test_unsigned_variables_are_read_as_such():
    unsigned = Predicate("loop", (X, Y), (False, False))
    clauses = [
        Clause(None, t.TRUE, unsigned, (number(5), number(0))),
        Clause(unsigned, t.ult(number(0), X), unsigned, (t.bv_add(X, number(-1)), t.bv_add(Y, number(1)))),
        Clause(unsigned, t.ult(number(5), Y), None, ()),
    ]
    solution = solve(clauses, Strategy(Arithmetic.INTEGERS), 20.0)
    assert solution is not None
    assert not any(violated(clause, solution["loop"]) for clause in clauses)


def test_a_relation_that_no_solution_mentions_is_left_out():
    never = Predicate("never", (Z,), (True,))
    clauses = [*counting(t.slt(number(20), Y)), Clause(LOOP, t.FALSE, never, (X,))]
    solution = solve(clauses, Strategy(Arithmetic.BIT_VECTORS), 20.0)
    assert solution is not None and "loop" in solution


def test_a_deep_term_is_read_once():
    deep = X
    for place in range(1_100):
        deep = t.ite(t.equal(Y, number(place)), t.bv_add(deep, Y), deep)
    reading = IntegerReading(z3.Context())
    assert z3.is_bool(reading.formula(t.equal(deep, Z)))
