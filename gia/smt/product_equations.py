"""Equations with products of variables in the formulas of a block: proven as polynomials where the solver gives up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Generic

from gia.cfa.expressions import Expression
from gia.smt.block_solver import BlockSolver
from gia.smt.control_graph import N
from gia.smt.polynomials import Polynomials, follows, parts_of
from gia.smt.solver import Result
from gia.smt.terms import Kind, Term, bv_add, bv_const, disjunction, equal, negation, postorder, signed, substitute

_MOST_COMPARED = 8
"""The differences of more variables are not looked for."""
_MOST_SPLITS = 4
"""So many times paths are looked at one by one."""
_MOST_FACTS = 20
_PATIENCE = 0.3
"""Seconds for a question."""
_SMALL = 2
"""Greater differences are not."""


class ProductEquations(Generic[N]):
    """What follows from the equations in formulas."""

    def __init__(self) -> None:
        self._polynomials = Polynomials()

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
        lost = [e for e in lost if not self._follows_by_cases(solver, terms[e], list(parts_of(known)), _MOST_SPLITS)]
        return [e for e in lost if solver.ask([*known, negation(terms[e])], _PATIENCE) is not Result.UNSAT]

    def _follows_by_cases(self, solver: BlockSolver[N], wanted: Term, known: Sequence[Term], splits: int) -> bool:
        """Whether an equation follows on each of the paths that its terms were merged from."""
        choice = next((part for part in postorder([wanted]) if part.kind is Kind.ITE), None)
        if choice is None:
            equation = self._polynomials.equation(wanted)
            return equation is not None and follows(equation, self._polynomials.equations(self._facts(solver, known)))
        if not splits:
            return False
        condition = choice.children[0]
        for case, place in ((condition, 1), (negation(condition), 2)):
            if solver.ask([*self._plain(known), case], _PATIENCE) is Result.UNSAT:
                continue
            merged = (part for part in postorder([wanted, *known]) if part.kind is Kind.ITE)
            chosen = {part: part.children[place] for part in merged if part.children[0] is condition}
            there = [case, *(substitute(part, chosen) for part in known)]
            if not self._follows_by_cases(solver, substitute(wanted, chosen), there, splits - 1):
                return False
        return True

    def _plain(self, formulas: Sequence[Term]) -> list[Term]:
        """The formulas without products, which a solver answers quickly."""
        polynomials = self._polynomials
        return [f for f in formulas if not polynomials.is_nonlinear(f) and not polynomials.denied([f])]

    def _facts(self, solver: BlockSolver[N], known: Sequence[Term]) -> list[Term]:
        """What is known, and the equations with products in disjunctions whose other sides are excluded."""
        facts = list(parts_of(known))
        plain = self._plain(facts)
        for part in [fact for fact in facts if fact.kind is Kind.OR][:_MOST_FACTS]:
            equations = [side for side in part.children if self._polynomials.is_nonlinear(side)]
            others = [side for side in part.children if side not in equations]
            if len(equations) == 1 and solver.ask([*plain, disjunction(*others)], _PATIENCE) is Result.UNSAT:
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
        return any(self._follows_by_cases(solver, equation, parts, _MOST_SPLITS) for equation in merged)

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
        plain = self._plain(formulas)
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
