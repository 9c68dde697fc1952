"""Formulas with products of variables replaced by variables of their own: what a solver can do without multiplying.

Sums and products are read as polynomials modulo ``2**w`` (:mod:`gia.smt.invariants.polynomials`) and written as sums
of multiples of monomials; each monomial with several factors becomes one variable. So ``(x - 1) * (x + 1)`` and
``x * x - 1`` become the same term. What has no model then has none at all; the converse does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from gia.smt.invariants.polynomials import Polynomials
from gia.smt.terms import Kind, Term, bv_add, bv_const, bv_mul, bv_variable, postorder, rebuild

_SUMS = frozenset({Kind.BV_ADD, Kind.BV_MUL, Kind.BV_NEG, Kind.BV_SHL})


class Monomials:
    """Replaces products; remembers what it has replaced."""

    def __init__(self) -> None:
        self._polynomials = Polynomials()
        self._found: dict[Term, Term] = {}

    def without_products(self, term: Term) -> Term:
        """The term with a variable for each monomial of several factors; the term itself if it has none."""
        for part in postorder([term]):
            if part not in self._found:
                self._found[part] = self._replaced(part)
        return self._found[term]

    def has_products(self, term: Term) -> bool:
        """Whether a term multiplies variables."""
        return self.without_products(term) is not term

    def _replaced(self, part: Term) -> Term:
        if not part.children:
            return part
        if part.kind in _SUMS:
            coefficients = self._polynomials.coefficients(part)
            if coefficients is not None and any(len(monomial) > 1 for monomial in coefficients):
                return self._sum(coefficients, part.width)
        children = [self._found[child] for child in part.children]
        return part if all(a is b for a, b in zip(children, part.children, strict=True)) else rebuild(part, children)

    def _sum(self, coefficients: Mapping[tuple[int, ...], int], width: int) -> Term:
        result = bv_const(0, width)
        for monomial, coefficient in sorted(coefficients.items()):
            result = bv_add(result, bv_mul(self._monomial(monomial, width), bv_const(coefficient, width)))
        return result

    def _monomial(self, monomial: tuple[int, ...], width: int) -> Term:
        factors = [self._found[self._polynomials.variables[number]] for number in monomial]
        if len(factors) < 2:
            return factors[0] if factors else bv_const(1, width)
        numbers = sorted(factor.number for factor in factors)
        return bv_variable(f"product {width} {' '.join(map(str, numbers))}", width)
