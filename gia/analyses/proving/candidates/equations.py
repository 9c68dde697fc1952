"""Linear equations between variables that all samples satisfy, as candidate invariants.

Source: M. Karr, *Affine relationships among variables of a program*, Acta Informatica 1976, by sampling instead of
propagation. The equations are found over the rationals and stated modulo ``2**w``, in unsigned arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations, combinations_with_replacement
from math import gcd, lcm
from operator import mul

from gia.analyses.proving.candidates.comparisons import compare, converted, integer_type, number_of, unsigned_type
from gia.cfa.expressions import Binary, Expression, IntegerConstant, LValue, VariableReference, children
from gia.cfa.types import INT, IntegerType

_MOST_VARIABLES = 24
_MOST_ROWS = 60
_PRIME = (1 << 61) - 1
_GREATEST = 1000
"""Equations with products and greater coefficients are accidents."""
_MOST_FACTORS = 9
"""Products of more integers are not looked at; those in memory are left out first."""
_MOST_FACTOR = 1 << 16
"""Equations with greater coefficients are accidents."""


def equations(places: Sequence[Expression], samples: Sequence[Sequence[int]]) -> Iterator[Expression]:
    """Equations that hold in all samples: between integers of one width, and of both; nothing of too few samples."""
    for widths in ({32}, {64}, {32, 64}):
        chosen = [
            index
            for index, place in enumerate(places)
            if isinstance(place.type, IntegerType) and place.type.width in widths and not place.type.is_bool
        ][:_MOST_VARIABLES]
        rows = list(dict.fromkeys(tuple(number_of(places[i], sample[i]) for i in chosen) for sample in samples))
        if len(rows) < 2 or {integer_type(places[i]).width for i in chosen} != widths:
            continue
        for factors in _null_space([[*row, 1] for row in rows[:_MOST_ROWS]], len(chosen) + 1):
            if any(sum(f * v for f, v in zip(factors, [*row, 1], strict=True)) for row in rows[_MOST_ROWS:]):
                continue
            used = {integer_type(places[i]).width for i, factor in zip(chosen, factors, strict=False) if factor}
            if used == widths and max(map(abs, factors[:-1])) <= _MOST_FACTOR:
                yield _equation([places[i] for i in chosen], factors, max(widths))


def orders(equation: Expression) -> Iterator[Expression]:
    """The order of each two numbers in an equation: no part of a sum is greater than the sum."""
    for left, right in combinations(dict.fromkeys(_numbers_in(equation)), 2):
        yield compare("<=", left, right)
        yield compare(">=", left, right)


def _numbers_in(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, LValue):
        yield expression
    else:
        for part in children(expression):
            yield from _numbers_in(part)


def equations_with_products(places: Sequence[Expression], samples: Sequence[Sequence[int]]) -> Iterator[Expression]:
    """Equations of degree 2 that hold in all samples; those of 64 bits have 32-bit integers in them, too.

    Source: S. Sankaranarayanan, H. Sipma & Z. Manna, *Non-linear loop invariant generation using Gröbner bases*, POPL
    2004, for the shape. They are found as the linear ones are, with products in further columns.
    """
    for width in (32, 64):
        varying = [
            index
            for index, place in enumerate(places)
            if integer_type(place).width in (32, width) and len({sample[index] for sample in samples}) > 1
        ]
        if len(varying) > _MOST_FACTORS:
            varying = [index for index in varying if isinstance(places[index], VariableReference)]
        widths = {integer_type(places[index]).width for index in varying}
        if len(varying) > _MOST_FACTORS or width not in widths:
            continue
        pairs = list(combinations_with_replacement(range(len(varying)), 2))
        rows = []
        for sample in samples:
            row = [number_of(places[index], sample[index]) for index in varying]
            if max(map(abs, row)) < 1 << (5 * width // 8):  # others may have wrapped around
                rows.append([*(row[a] * row[b] for a, b in pairs), *row, 1])
        columns = len(pairs) + len(varying) + 1
        if len(rows) < columns:
            continue
        varied = [places[index] for index in varying]
        for factors in _small_null_space(rows, columns):
            if any(factors[: len(pairs)]):
                yield _equation_of_products(varied, pairs, factors, width)


def _equation_of_products(
    places: Sequence[Expression], pairs: Sequence[tuple[int, int]], factors: Sequence[int], width: int
) -> Expression:
    """The monomials with positive factors equal those with negative ones."""
    type_ = unsigned_type(width)
    values = [converted(place, type_) for place in places]
    monomials: list[Expression] = [Binary("*", values[a], values[b], type_) for a, b in pairs]
    monomials += [*values, IntegerConstant(1, type_)]
    sides: tuple[list[Expression], list[Expression]] = ([], [])
    for monomial, factor in zip(monomials, factors, strict=True):
        if factor:
            scaled = Binary("*", IntegerConstant(abs(factor), type_), monomial, type_)
            sides[factor < 0].append(monomial if abs(factor) == 1 else scaled)
    zero = IntegerConstant(0, type_)
    left, right = (reduce(lambda a, b: Binary("+", a, b, type_), side) if side else zero for side in sides)
    return Binary("==", left, right, INT)


def _null_space(rows: list[list[int]], width: int) -> list[list[int]]:
    """A basis of the vectors that are orthogonal to all rows: integers without a common factor."""
    matrix = [[Fraction(value) for value in row] for row in rows]
    pivots: list[int] = []
    rank = 0
    for column in range(width):
        pivot = next((r for r in range(rank, len(matrix)) if matrix[r][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        scale = matrix[rank][column]
        matrix[rank] = [value / scale for value in matrix[rank]]
        for other in range(len(matrix)):
            factor = matrix[other][column]
            if other != rank and factor:
                matrix[other] = [a - factor * b for a, b in zip(matrix[other], matrix[rank], strict=True)]
        pivots.append(column)
        rank += 1
    basis = []
    for free in (column for column in range(width) if column not in pivots):
        vector = [Fraction(0)] * width
        vector[free] = Fraction(1)
        for row, pivot in enumerate(pivots):
            vector[pivot] = -matrix[row][free]
        basis.append(_whole(vector))
    return basis


def _small_null_space(rows: list[list[int]], width: int) -> Iterator[list[int]]:
    """As :func:`_null_space`, of the vectors with small numbers only: computed modulo a prime, then tried."""
    matrix = [[value % _PRIME for value in row] for row in rows]
    pivots: list[int] = []
    for column in range(width):
        rank = len(pivots)
        pivot = next((r for r in range(rank, len(matrix)) if matrix[r][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        inverse = pow(matrix[rank][column], -1, _PRIME)
        lead = matrix[rank] = [value * inverse % _PRIME for value in matrix[rank]]
        for other, row in enumerate(matrix):
            factor = row[column]
            if other != rank and factor:
                matrix[other] = [(a - factor * b) % _PRIME for a, b in zip(row, lead, strict=True)]
        pivots.append(column)
    for free in (column for column in range(width) if column not in pivots):
        vector = [Fraction(0)] * width
        vector[free] = Fraction(1)
        for row, column in zip(matrix, pivots, strict=False):
            vector[column] = _as_fraction(-row[free] % _PRIME)
        whole = _whole(vector)
        if max(map(abs, whole)) <= _GREATEST and not any(sum(map(mul, whole, row)) for row in rows):
            yield whole


def _as_fraction(residue: int) -> Fraction:
    """The fraction with small numerator and denominator that a residue stands for, if there is one.

    Source: P. Wang, *A p-adic algorithm for univariate partial fractions*, SYMSAC 1981 (rational reconstruction).
    """
    (old, new), (before, factor) = (_PRIME, residue), (0, 1)
    while new > _MOST_FACTOR:
        quotient = old // new
        (old, new), (before, factor) = (new, old - quotient * new), (factor, before - quotient * factor)
    return Fraction(new, factor)


def _whole(vector: list[Fraction]) -> list[int]:
    denominator = lcm(*(value.denominator for value in vector))
    numbers = [int(value * denominator) for value in vector]
    common = reduce(gcd, numbers)
    return [number // common for number in numbers]


def _equation(places: Sequence[Expression], factors: Sequence[int], width: int) -> Expression:
    """``f1*x1 + … == g1*y1 + … + c`` with positive factors on both sides."""
    type_ = unsigned_type(width)
    left = [(place, factor) for place, factor in zip(places, factors[:-1], strict=True) if factor > 0]
    right = [(place, -factor) for place, factor in zip(places, factors[:-1], strict=True) if factor < 0]
    constant = factors[-1]
    return Binary("==", _sum(left, max(constant, 0), type_), _sum(right, max(-constant, 0), type_), INT)


def _sum(parts: Sequence[tuple[Expression, int]], constant: int, type_: IntegerType) -> Expression:
    """The sum in an unsigned type."""
    operands: list[Expression] = []
    for place, factor in parts:
        value = converted(place, type_)
        scaled = IntegerConstant(factor & type_.bounds[1], type_)
        operands.append(value if factor == 1 else Binary("*", scaled, value, type_))
    if constant or not operands:
        operands.append(IntegerConstant(constant & type_.bounds[1], type_))
    return reduce(lambda left, right: Binary("+", left, right, type_), operands)
