"""Invariants about all elements of arrays in which variables are multiplied, proven whatever the products are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gia.cfa.expressions import Expression
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.control_graph import N
from gia.smt.invariants.monomials import Monomials
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, conjunction, negation


def failing_elements(
    solver: BlockSolver[N],
    monomials: Monomials,
    known: Sequence[Term],
    cases: Mapping[Expression, Mapping[Term, Term]],
) -> list[Expression]:
    """Those of the invariants in ``cases`` that do not hold whatever the products are.

    The elements that were written are looked at one by one (:meth:`BlockSolver.cases`): there, products become equal by
    their form.
    """
    simplified = monomials.without_products
    facts = [simplified(term) for term in known] if cases else []
    lost: list[Expression] = []
    for case in dict.fromkeys(case for found in cases.values() for case in found):
        terms = {e: simplified(found[case]) for e, found in cases.items() if case in found and e not in lost}
        while terms:
            answer = solver.ask([*facts, case, negation(conjunction(*terms.values()))])
            if answer is Result.UNSAT:
                break
            sat = answer is Result.SAT
            failing = [e for e, term in terms.items() if not sat or not solver.value(term)] or list(terms)
            lost += failing
            terms = {e: term for e, term in terms.items() if e not in failing}
    return lost
