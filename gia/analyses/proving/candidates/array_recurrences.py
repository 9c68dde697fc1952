r"""Closed forms of arrays whose elements are made of earlier ones: ``a[0] = 6; a[i] = a[i - 1] + 6``.

The first elements are computed from what the text stores, as if nothing wrapped around, and a polynomial in the index
is laid through them; whether it is right is found out by the proof.
Source: the recurrences of A. Farzan & Z. Kincaid, *Compositional recurrence analysis*, FMCAD 2015, solved by
interpolation instead of algebra.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

from gia.analyses.proving.candidates.array_accesses import Access, access_of, first_element
from gia.analyses.proving.candidates.comparisons import converted
from gia.cfa.expressions import (
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Unary,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.quantified import ANY_NUMBER
from gia.cfa.types import INT, UNSIGNED_INT, UNSIGNED_LONG_LONG, IntegerType

_MOST_DEGREE = 3
_POINTS = _MOST_DEGREE + 4
"""So many elements are computed: more than a polynomial needs, so that it is not one by accident."""
_BEGINS = (0, 1)
"""Where arrays are thought to begin."""
_GREATEST = 32
"""Elements beyond this index are not computed."""

_TOO_LARGE = 1 << 64

Store = tuple[Access, Expression]
"""An element and the value that is stored in it."""


def closed_forms(stores: Sequence[Store]) -> Iterator[Expression]:
    r"""``a[\any] == p(\any)`` for the arrays of integers to which this applies."""
    definitions = _Definitions(stores)
    for access in definitions.recursive:
        for begin in _BEGINS:
            values = definitions.values(access.base, begin)
            factors = None if values is None else _polynomial(begin, values)
            if factors is not None:
                yield _equation(access, factors)


class _Definitions:
    """What the elements of arrays are, by the text: an array has one value for all indices, others for constants."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._fixed: dict[tuple[Expression, int], Expression | None] = {}
        self._general: dict[Expression, Store | None] = {}
        for access, value in dict.fromkeys(stores):
            if access.element != access.place:
                continue
            if access.variable is not None:
                known = self._general.get(access.base, (access, value))
                self._general[access.base] = (access, value) if known == (access, value) else None
            elif isinstance(access.index, IntegerConstant):
                key = access.base, access.index.value
                self._fixed[key] = value if self._fixed.get(key, value) == value else None
        self._known: dict[tuple[Expression, int], int | None] = {}

    @property
    def recursive(self) -> Iterator[Access]:
        """The accesses that store values made of elements of an array that is stored in."""
        for store in self._general.values():
            if store is not None and isinstance(store[0].element.type, IntegerType):
                read = (access_of(part) for part in walk(store[1]))
                if any(access is not None and access.base in self._general for access in read):
                    yield store[0]

    def values(self, base: Expression, begin: int) -> list[int] | None:
        """The first elements, from ``begin`` on."""
        found = [self._element(base, begin + place) for place in range(_POINTS)]
        return None if None in found else [value for value in found if value is not None]

    def _element(self, base: Expression, index: int) -> int | None:
        key = base, index
        if key not in self._known and 0 <= index < _GREATEST:
            self._known[key] = None  # of an element that is made of itself, nothing is known
            value = self._computed(base, index)
            self._known[key] = value if value is not None and abs(value) < _TOO_LARGE else None
        return self._known.get(key)

    def _computed(self, base: Expression, index: int) -> int | None:
        if (base, index) in self._fixed:
            fixed = self._fixed[base, index]
            return None if fixed is None else self._value(fixed, None, 0)
        store = self._general.get(base)
        if store is None:
            return None
        access, value = store
        return self._value(value, access.variable, index - access.moved)

    def _value(self, expression: Expression, variable: Variable | None, number: int) -> int | None:
        """The value of an expression where an index variable has the value ``number``."""
        access = access_of(expression) or first_element(expression)
        if access is not None:
            index = self._value(access.index, variable, number)
            return None if index is None or access.element != access.place else self._element(access.base, index)
        match expression:
            case IntegerConstant(value=value):
                return value
            case VariableReference(variable=found) if found == variable:
                return number
            case Cast(operand=operand, type=IntegerType()) if isinstance(operand.type, IntegerType):
                return self._value(operand, variable, number)
            case Unary(operator="-", operand=operand):
                negated = self._value(operand, variable, number)
                return None if negated is None else -negated
            case Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
                first, second = self._value(left, variable, number), self._value(right, variable, number)
                if first is None or second is None:
                    return None
                return first * second if operator == "*" else first + second if operator == "+" else first - second
        return None


def _polynomial(begin: int, values: Sequence[int]) -> list[Fraction] | None:
    """The factors of the polynomial through the values, the constant one first; ``None`` if its degree is too high.

    By Newton's forward differences: the sum of ``d_k / k! * (x - begin) ... (x - begin - k + 1)``.
    """
    factors = [Fraction(0)] * (_MOST_DEGREE + 1)
    product, differences = [Fraction(1)], [Fraction(value) for value in values]
    for degree in range(_MOST_DEGREE + 1):
        for place, factor in enumerate(product):
            factors[place] += differences[0] * factor
        differences = [after - before for before, after in pairwise(differences)]
        root = begin + degree
        shifted = [Fraction(0), *product]
        product = [(up - root * same) / (degree + 1) for up, same in zip(shifted, [*product, Fraction(0)], strict=True)]
    return None if any(differences) else factors


def _equation(access: Access, factors: Sequence[Fraction]) -> Expression:
    """In unsigned arithmetic of the element's width, in which what is true of the integers stays true."""
    number, element = VariableReference(ANY_NUMBER), access.element
    assert isinstance(element.type, IntegerType)
    type_ = UNSIGNED_LONG_LONG if element.type.width > UNSIGNED_INT.width else UNSIGNED_INT
    common = lcm(*(factor.denominator for factor in factors))

    def scaled(expression: Expression, factor: int) -> Expression:
        constant = IntegerConstant(factor % (1 << type_.width), type_)
        return expression if factor == 1 else Binary("*", constant, expression, type_)

    index = converted(number, type_)
    total: Expression = IntegerConstant(int(factors[0] * common) % (1 << type_.width), type_)
    power = index
    for factor in factors[1:]:
        if factor:
            total = Binary("+", total, scaled(power, int(factor * common)), type_)
        power = Binary("*", power, index, type_)
    return Binary("==", scaled(converted(access.at(number), type_), common), total, INT)
