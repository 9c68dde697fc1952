"""Polynomial equations modulo ``2**w`` that follow from others: what bit-level solvers do not see.

An equation between bit-vectors of ``w`` bits is a polynomial over the integers modulo ``2**w`` that is zero; its
variables are the subterms that are no sums or products. It follows from others if it is a sum of multiples of them.
Only multiples by numbers and by single variables are tried, and only pivots with an inverse (odd ones) are used.
Source: M. Müller-Olm & H. Seidl, *Analysis of modular arithmetic*, TOPLAS 2007 (linear algebra modulo powers of 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from gia.smt.terms import Kind, SortKind, Term

_Monomial = tuple[int, ...]
"""The numbers of variables, ascending, each as often as it is a factor."""
_Coefficients = dict[_Monomial, int]

_MOST_TERMS = 200
_MOST_DEGREE = 4
_MOST_DEPTH = 100
"""What lies deeper in a term is taken for a variable."""
_MOST_EQUATIONS = 30
_MOST_FACTORS = 8
"""Premises are multiplied by so many variables at most."""


class Equation(Struct, frozen=True):
    """That a polynomial is zero modulo ``2**width``."""

    width: int
    coefficients: Mapping[_Monomial, int]

    @property
    def is_linear(self) -> bool:
        """Whether no monomial has more than one factor."""
        return all(len(monomial) <= 1 for monomial in self.coefficients)

    @property
    def variables(self) -> frozenset[int]:
        """The variables, by the numbers of their terms."""
        return frozenset(factor for monomial in self.coefficients for factor in monomial)


class Polynomials:
    """Reads terms as polynomials; remembers what it has read."""

    def __init__(self) -> None:
        self._known: dict[Term, Equation | None] = {}
        self._read_before: dict[tuple[Term, int], _Coefficients | None] = {}
        self.variables: dict[int, Term] = {}
        """What the variables stand for, by their numbers."""

    def is_nonlinear(self, formula: Term) -> bool:
        """Whether a formula is an equation with products of variables."""
        found = self.equation(formula)
        return found is not None and not found.is_linear

    def equations(self, formulas: Iterable[Term]) -> list[Equation]:
        """The equations among formulas and the parts of their conjunctions."""
        found = (self.equation(part) for part in parts_of(formulas))
        return [equation for equation in found if equation is not None]

    def denied(self, formulas: Iterable[Term]) -> list[Equation]:
        """The equations with products whose negations are among formulas and the parts of their conjunctions."""
        negations = (part.children[0] for part in parts_of(formulas) if part.kind is Kind.NOT)
        found = (self.equation(part) for part in negations)
        return [equation for equation in found if equation is not None and not equation.is_linear]

    def equation(self, formula: Term) -> Equation | None:
        """The equation that a formula is, ``None`` if it is none between bit-vectors, or too large."""
        if formula not in self._known:
            self._known[formula] = self._read(formula)
        return self._known[formula]

    def coefficients(self, term: Term) -> Mapping[_Monomial, int] | None:
        """A bit-vector as a polynomial: each monomial, by the numbers of its factors, with how often it is taken.

        ``None`` if it is too large.
        """
        return self._polynomial(term, term.width)

    def _read(self, formula: Term) -> Equation | None:
        if formula.kind is not Kind.EQ or formula.children[0].sort.kind is not SortKind.BV:
            return None
        width = formula.children[0].width
        left, right = (self._polynomial(side, width) for side in formula.children)
        if left is None or right is None:
            return None
        return Equation(width, _sum(left, _scaled(right, -1, width), width))

    def _polynomial(self, term: Term, width: int, depth: int = _MOST_DEPTH) -> _Coefficients | None:
        """The low ``width`` bits of a term; ``None`` if it is too large."""
        key = (term, width)
        if key not in self._read_before:
            self._read_before[key] = self._computed(term, width, depth)
        return self._read_before[key]

    def _computed(self, term: Term, width: int, depth: int) -> _Coefficients | None:
        if term.value is not None:
            return _sum({(): term.value}, {}, width)
        if depth and term.kind in (Kind.BV_ADD, Kind.BV_MUL):
            combine = _sum if term.kind is Kind.BV_ADD else _product
            result = self._polynomial(term.children[0], width, depth - 1)
            for child in term.children[1:]:
                other = self._polynomial(child, width, depth - 1)
                if result is None or other is None:
                    return None
                result = combine(result, other, width)
            return result if result is not None and _is_small(result) else None
        if depth and term.kind is Kind.BV_NEG:
            inner = self._polynomial(term.children[0], width, depth - 1)
            return None if inner is None else _scaled(inner, -1, width)
        if depth and term.kind is Kind.BV_SHL and term.children[1].value is not None:
            inner = self._polynomial(term.children[0], width, depth - 1)
            return None if inner is None else _scaled(inner, 1 << min(term.children[1].value, width), width)
        self.variables[term.number] = term
        return {(term.number,): 1}


def parts_of(formulas: Iterable[Term]) -> Iterator[Term]:
    """The formulas, conjunctions taken apart."""
    pending = list(formulas)
    while pending:
        part = pending.pop()
        if part.kind is Kind.AND:
            pending.extend(part.children)
        else:
            yield part


def _is_small(polynomial: Mapping[_Monomial, int]) -> bool:
    return len(polynomial) <= _MOST_TERMS and max(map(len, polynomial), default=0) <= _MOST_DEGREE


def _sum(left: Mapping[_Monomial, int], right: Mapping[_Monomial, int], width: int) -> _Coefficients:
    result = dict(left)
    for monomial, factor in right.items():
        result[monomial] = result.get(monomial, 0) + factor
    mask = (1 << width) - 1
    return {monomial: factor & mask for monomial, factor in result.items() if factor & mask}


def _scaled(polynomial: Mapping[_Monomial, int], factor: int, width: int) -> _Coefficients:
    return _sum({monomial: value * factor for monomial, value in polynomial.items()}, {}, width)


def _product(left: Mapping[_Monomial, int], right: Mapping[_Monomial, int], width: int) -> _Coefficients:
    result: _Coefficients = {}
    for first, a in left.items():
        for second, b in right.items():
            monomial = tuple(sorted((*first, *second)))
            result[monomial] = result.get(monomial, 0) + a * b
    return _sum(result, {}, width)


def follows(conclusion: Equation, premises: Sequence[Equation]) -> bool:
    """Whether an equation is seen to follow from others: a yes is certain, a no is not."""
    width = conclusion.width
    known = [premise.coefficients for premise in premises if premise.width == width and premise.coefficients]
    known = known[:_MOST_EQUATIONS]
    factors: list[int] = []
    if not (conclusion.is_linear and all(premise.is_linear for premise in premises)):  # multiples do not help then
        factors = sorted(conclusion.variables.union(*(p.variables for p in premises)))[:_MOST_FACTORS]
    multiples = [_product(premise, {(factor,): 1}, width) for premise in known for factor in factors]
    rows: dict[_Monomial, _Coefficients] = {}
    for polynomial in (*known, *(multiple for multiple in multiples if _is_small(multiple))):
        rest = _reduced(polynomial, rows, width)
        pivot = max((m for m, factor in rest.items() if factor & 1), key=_order, default=None)
        if pivot is None:
            continue
        row = _scaled(rest, pow(rest[pivot], -1, 1 << width), width)
        rows = {key: _without(other, pivot, row, width) for key, other in rows.items()}
        rows[pivot] = row
    return not _reduced(conclusion.coefficients, rows, width)


def _order(monomial: _Monomial) -> tuple[int, _Monomial]:
    return len(monomial), monomial


def _without(polynomial: Mapping[_Monomial, int], pivot: _Monomial, row: _Coefficients, width: int) -> _Coefficients:
    """The polynomial minus the multiple of a row that has the same coefficient at its pivot."""
    factor = polynomial.get(pivot, 0)
    return _sum(polynomial, _scaled(row, -factor, width), width) if factor else dict(polynomial)


def _reduced(polynomial: Mapping[_Monomial, int], rows: Mapping[_Monomial, _Coefficients], width: int) -> _Coefficients:
    """The polynomial without the pivots of the rows, none of which has the pivot of another."""
    result = dict(polynomial)
    for pivot in [monomial for monomial in result if monomial in rows]:
        result = _without(result, pivot, rows[pivot], width)
    return result
