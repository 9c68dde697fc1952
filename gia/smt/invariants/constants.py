"""Variables that known equations give a constant, replaced by it: a product with one of them is none.

Solvers that are asked under assumptions do not look for such equations before they multiply bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from gia.smt.invariants.polynomials import parts_of
from gia.smt.terms import Kind, Term, substitute_all

K = TypeVar("K")


class Constants:
    """What formulas that are known say of variables and constants."""

    def __init__(self, known: Iterable[Term]) -> None:
        self._values: dict[Term, Term] = {}
        self._equations: list[Term] = []
        for part in parts_of(known):
            if part.kind is Kind.EQ:
                self._note(part)

    def _note(self, equation: Term) -> None:
        for variable, value in (equation.children, reversed(equation.children)):
            if variable.kind is Kind.VARIABLE and value.value is not None and variable not in self._values:
                self._values[variable] = value
                self._equations.append(equation)

    def put_in(self, terms: Sequence[Term]) -> list[Term]:
        """The terms with the constants in the places of the variables."""
        return substitute_all(terms, self._values) if self._values else list(terms)

    def known(self, formulas: Sequence[Term]) -> list[Term]:
        """The formulas with the constants, and what says that they are right: models are those of the formulas."""
        return [*self._equations, *self.put_in(formulas)]

    def in_values(self, terms: Mapping[K, Term]) -> dict[K, Term]:
        """The same for the values of a mapping."""
        return dict(zip(terms, self.put_in(list(terms.values())), strict=True))

    def in_cases(self, cases: Mapping[Term, Term]) -> Mapping[Term, Term]:
        """The same for terms under conditions."""
        return dict(zip(self.put_in(list(cases)), self.put_in(list(cases.values())), strict=True))
