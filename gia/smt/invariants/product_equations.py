"""Equations with products of variables in the formulas of a block: proven as polynomials where the solver gives up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from time import monotonic
from typing import Generic

from gia.cfa.expressions import Expression
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.control_graph import N
from gia.smt.invariants.monomials import Monomials
from gia.smt.invariants.polynomials import Polynomials, follows, parts_of
from gia.smt.solvers.solver import Result
from gia.smt.terms import Kind, Term, bv_add, bv_const, disjunction, equal, negation, postorder, signed, substitute

_MOST_COMPARED = 8
"""The differences of more variables are not looked for."""
_SECONDS = 2.0
"""So long are the paths to an equation looked at one by one."""
_MOST_FACTS = 20
_PATIENCE = 0.3
"""Seconds for a question."""
_SMALL = 2
"""Greater differences are not."""


class ProductEquations(Generic[N]):
    """What follows from the equations in formulas."""

    def __init__(self, polynomials: Polynomials, monomials: Monomials) -> None:
        self._polynomials = polynomials
        self._monomials = monomials

    def is_nonlinear(self, term: Term) -> bool:
        """Whether a term is an equation with products of variables."""
        return self._polynomials.is_nonlinear(term)

    def lost(self, solver: BlockSolver[N], terms: Mapping[Expression, Term], known: Sequence[Term]) -> list[Expression]:
        """Those of the equations with products in ``terms`` that are not shown to follow from what is known."""
        polynomials = self._polynomials
        wanted = {e: polynomials.equation(term) for e, term in terms.items() if polynomials.is_nonlinear(term)}
        if not wanted:
            return []
        equations = polynomials.equations(known)
        lost = [e for e, equation in wanted.items() if equation is not None and not follows(equation, equations)]
        lost = [
            e
            for e in lost
            if not self._follows_by_cases(solver, terms[e], list(parts_of(known)), monotonic() + _SECONDS)
        ]
        return [e for e in lost if solver.ask([*known, negation(terms[e])], _PATIENCE) is not Result.UNSAT]

    def _follows_by_cases(self, solver: BlockSolver[N], wanted: Term, known: Sequence[Term], end: float) -> bool:
        """Whether an equation follows on each of the paths that its terms were merged from; found out until ``end``."""
        choice = next((part for part in postorder([wanted]) if part.kind is Kind.ITE), None)
        if choice is None:
            equation = self._polynomials.equation(wanted)
            return equation is not None and follows(equation, self._polynomials.equations(self._facts(solver, known)))
        if monotonic() > end:
            return False
        condition = choice.children[0]
        for case, place in ((condition, 1), (negation(condition), 2)):
            if self._exclude(solver, [*known, case]):
                continue
            merged = (part for part in postorder([wanted, *known]) if part.kind is Kind.ITE)
            chosen = {part: part.children[place] for part in merged if part.children[0] is condition}
            there = [case, *(substitute(part, chosen) for part in known)]
            if not self._follows_by_cases(solver, substitute(wanted, chosen), there, end):
                return False
        return True

    def _exclude(self, solver: BlockSolver[N], formulas: Sequence[Term]) -> bool:
        """Whether formulas have no model, whatever the products in them are."""
        return solver.ask([self._monomials.without_products(f) for f in formulas], _PATIENCE) is Result.UNSAT

    def _facts(self, solver: BlockSolver[N], known: Sequence[Term]) -> list[Term]:
        """What is known, and the equations with products in disjunctions whose other sides are excluded."""
        facts = list(parts_of(known))
        for part in [fact for fact in facts if fact.kind is Kind.OR][:_MOST_FACTS]:
            equations = [side for side in part.children if self._polynomials.is_nonlinear(side)]
            others = [side for side in part.children if side not in equations]
            if len(equations) == 1 and self._exclude(solver, [*facts, disjunction(*others)]):
                facts += equations
        return facts

    def contradict(self, solver: BlockSolver[N], formulas: Sequence[Term]) -> bool:
        """Whether formulas contradict each other because they deny an equation that follows from the others."""
        return self._contradict(solver, formulas) or self._contradict_by_cases(solver, list(parts_of(formulas)))

    def _contradict_by_cases(self, solver: BlockSolver[N], parts: Sequence[Term]) -> bool:
        """The same of an equation whose sides were merged from several paths, on each of these."""
        sides = (side for part in parts for side in (part.children if part.kind is Kind.OR else (part,)))
        if not any(self._polynomials.is_nonlinear(side) for side in sides):
            return False
        equations = (part.children[0] for part in parts if part.kind is Kind.NOT)
        merged = [e for e in equations if e.kind is Kind.EQ and any(side.kind is Kind.ITE for side in e.children)]
        return any(self._follows_by_cases(solver, equation, parts, monotonic() + _SECONDS) for equation in merged)

    def _contradict(self, solver: BlockSolver[N], formulas: Sequence[Term]) -> bool:
        polynomials = self._polynomials
        denied = polynomials.denied(formulas)
        if not denied:
            return False
        known = polynomials.equations(formulas)
        if any(follows(equation, known) for equation in denied):
            return True
        numbers = frozenset().union(*(equation.variables for equation in (*denied, *known)))
        variables = [polynomials.variables[number] for number in sorted(numbers)]
        known += polynomials.equations(self._differences(solver, list(parts_of(formulas)), variables))
        return any(follows(equation, known) for equation in denied)

    def _differences(self, solver: BlockSolver[N], formulas: list[Term], variables: list[Term]) -> list[Term]:
        """Which variables differ by small constants, given the formulas that have no products."""
        polynomials = self._polynomials
        plain = [f for f in formulas if not polynomials.is_nonlinear(f) and not polynomials.denied([f])]
        if len(variables) > _MOST_COMPARED or solver.ask(plain, 1.0) is not Result.SAT:
            return []
        values = [(variable, solver.value(variable)) for variable in variables]
        found = []
        for (left, a), (right, b) in combinations(values, 2):
            if left.sort == right.sort and abs(signed(a - b & (1 << left.width) - 1, left.width)) <= _SMALL:
                same = equal(left, bv_add(right, bv_const(a - b, left.width)))
                if solver.ask([*plain, negation(same)], 1.0) is Result.UNSAT:
                    found.append(same)
        return found
