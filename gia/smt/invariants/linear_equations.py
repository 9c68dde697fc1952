"""Linear equations that follow from others on each of the paths that a block was merged from.

A solver proves ``i' + j' + k' == l + 1`` from ``i + j + k == l`` bit by bit, which takes long where a branch decides
which of the numbers grows. As polynomials modulo ``2**w`` the two sides are the same on each path.
Source: M. Müller-Olm & H. Seidl, *Analysis of modular arithmetic*, TOPLAS 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from gia.smt.invariants.polynomials import Equation, Polynomials, follows, parts_of
from gia.smt.terms import FALSE, TRUE, Kind, Term, postorder, substitute

_MOST_PATHS = 64
_MOST_PARTS = 400
"""Larger terms are left to the solver."""


class LinearEquations:
    """What follows from the linear equations among formulas; it remembers what it was asked."""

    def __init__(self, polynomials: Polynomials) -> None:
        self._polynomials = polynomials
        self._known: dict[tuple[Term, frozenset[Term]], bool] = {}

    def following(self, wanted: Iterable[Term], formulas: Iterable[Term]) -> set[Term]:
        """Those of the wanted formulas that are equations and follow: this is certain, the others may follow, too."""
        premises = frozenset(part for part in parts_of(formulas) if self._is_linear_equation(part))
        return {term for term in wanted if self._follows(term, premises)}

    def contradict(self, formula: Term, formulas: Iterable[Term]) -> bool:
        """Whether a formula denies an equation that follows from it and others: a yes is certain, a no is not."""
        denied = [part.children[0] for part in parts_of([formula]) if part.kind is Kind.NOT]
        denied = [equation for equation in denied if equation.kind is Kind.EQ]
        return bool(denied and self.following(denied, [*formulas, formula]))

    def _is_linear_equation(self, formula: Term) -> bool:
        equation = self._polynomials.equation(formula)
        return equation is not None and equation.is_linear

    def _follows(self, wanted: Term, premises: frozenset[Term]) -> bool:
        if wanted.kind is not Kind.EQ or not _has_sum(wanted):
            return False  # the others are easy for a solver
        key = (wanted, premises)
        if key not in self._known:
            known = self._polynomials.equations(sorted(premises, key=lambda premise: premise.number))
            self._known[key] = _follows_on_all_paths(self._polynomials, wanted, known)
        return self._known[key]


def _follows_on_all_paths(polynomials: Polynomials, wanted: Term, premises: Sequence[Equation]) -> bool:
    """Whether a formula is an equation that follows, whatever its conditions are: a yes is certain, a no is not."""
    pending = [wanted]
    for _ in range(2 * _MOST_PATHS):
        if not pending:
            return True
        term = pending.pop()
        parts = list(islice(postorder([term]), _MOST_PARTS + 1))
        if len(parts) > _MOST_PARTS:
            return False
        choice = next((part for part in parts if part.kind is Kind.ITE), None)
        if choice is not None:
            condition = _atom_of(choice.children[0])
            pending += [substitute(term, {condition: value}) for value in (TRUE, FALSE)]
        elif not term.is_true:
            equation = polynomials.equation(term)
            if equation is None or not follows(equation, premises):
                return False
    return False


def _has_sum(term: Term) -> bool:
    return any(part.kind is Kind.BV_ADD for part in islice(postorder([term]), _MOST_PARTS))


def _atom_of(condition: Term) -> Term:
    """The first of the conditions that a condition is made of."""
    while condition.kind in (Kind.AND, Kind.OR, Kind.NOT):
        condition = condition.children[0]
    return condition
