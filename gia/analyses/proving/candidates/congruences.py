"""Congruences that all samples satisfy, as candidate invariants: ``x`` or ``x - y`` or ``x + y`` is ``r`` modulo ``m``.

Sources: P. Granger, *Static analysis of arithmetical congruences*, 1989, for one variable; M. Müller-Olm & H. Seidl,
*Analysis of modular arithmetic*, ESOP 2005, for powers of two, which wrapping around leaves alone. Deviation: they are
read off samples instead of being propagated, and of the linear forms only differences and sums of two variables are
looked at. Those of variables that only ever go on by constants are read off the program, since few samples do not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from math import gcd
from operator import or_

from gia.analyses.proving.candidates.array_indices import linear_sum
from gia.analyses.proving.candidates.assigned import assigned_in
from gia.analyses.proving.candidates.comparisons import (
    compare_with_constant,
    converted,
    integer_type,
    number_of,
    unsigned_type,
)
from gia.cfa.expressions import Binary, Expression, IntegerConstant, Storage, Variable, VariableReference
from gia.cfa.graph import Initialiser, Program
from gia.cfa.types import INT, UNSIGNED_LONG_LONG, IntegerType

_ENOUGH = 8
"""Fewer different values agree by accident."""
_MOST_VARIABLES = 24
_MOST_MODULUS = 1 << 10
"""A greater modulus that is no power of two is an accident."""


def congruences(places: Sequence[Expression], samples: Sequence[Sequence[int]]) -> Iterator[Expression]:
    """Congruences that hold in all samples; ``samples`` have the unsigned value of each place."""
    columns = {
        place: values
        for index, place in enumerate(places)
        if isinstance(place.type, IntegerType) and place.type.width <= UNSIGNED_LONG_LONG.width
        if len(values := {sample[index] for sample in samples}) >= _ENOUGH
    }
    for place, values in columns.items():
        yield from _of_one(place, sorted(values))
    indices = {place: index for index, place in enumerate(places)}
    for left, right in combinations(list(columns)[:_MOST_VARIABLES], 2):
        if integer_type(left).width == integer_type(right).width:
            yield from _of_two(left, right, [(sample[indices[left]], sample[indices[right]]) for sample in samples])


def strides(program: Program) -> Iterator[tuple[Variable, Expression]]:
    """Congruences of the variables that are given constants, and go on from there by constants."""
    begins = {initial.variable: _beginning(initial) for initial in program.statics}
    for variable, values in assigned_in(program.edges()).items():
        if not isinstance(variable.type, IntegerType) or variable.storage is Storage.PARAMETER:
            continue
        begin = begins.get(variable, ())
        sums = [None if value is None else linear_sum(value) for value in (*begin, *values)]
        known = [s for s in sums if s is not None and s.keys() <= {None, variable} and s.get(variable, 1) == 1]
        constants = {s.get(None, 0) for s in known if variable not in s}
        steps = {s.get(None, 0) for s in known if variable in s}
        if len(known) == len(sums) and constants and steps - {0}:
            mask = (1 << variable.type.width) - 1
            reached = constants.union(begin + step for begin in constants for step in steps)
            yield from ((variable, each) for each in _of_one(VariableReference(variable), [v & mask for v in reached]))


def _beginning(initial: Initialiser) -> tuple[Expression, ...]:
    """What a static variable holds at first."""
    given = tuple(value for target, value in initial.assignments if target == VariableReference(initial.variable))
    return given or (IntegerConstant(0, INT),)


def _of_one(place: Expression, values: Sequence[int]) -> Iterator[Expression]:
    type_ = integer_type(place)
    bits = _common_bits(values, type_.width)
    if bits:
        yield _low_bits(place, bits, values[0])
    numbers = [number_of(place, value) for value in values]
    modulus = gcd(*(number - numbers[0] for number in numbers))
    remainders = {_remainder(number, modulus) for number in numbers}
    if 1 < modulus <= _MOST_MODULUS and modulus & (modulus - 1) and len(remainders) == 1 and type_.width >= INT.width:
        remainder = Binary("%", place, IntegerConstant(modulus, type_), type_)
        yield compare_with_constant("==", remainder, remainders.pop())


def _of_two(left: Expression, right: Expression, pairs: Sequence[tuple[int, int]]) -> Iterator[Expression]:
    """The low bits of the difference and of the sum, where those of the variables vary."""
    width = integer_type(left).width
    mask = (1 << width) - 1
    own = min(_common_bits(column, width) for column in zip(*pairs, strict=True))
    for operator, results in (
        ("-", [first - second & mask for first, second in pairs]),
        ("+", [first + second & mask for first, second in pairs]),
    ):
        bits = _common_bits(results, width)
        if own < bits < width:
            type_ = unsigned_type(width)
            operands = [converted(place, type_) for place in (left, right)]
            yield _low_bits(Binary(operator, operands[0], operands[1], type_), bits, results[0])


def _common_bits(values: Sequence[int], width: int) -> int:
    """How many of the lowest bits are the same in all values, at most ``width``."""
    differing = reduce(or_, (value ^ values[0] for value in values), 1 << width)
    return (differing & -differing).bit_length() - 1


def _remainder(number: int, modulus: int) -> int:
    """What C's ``%`` gives: the sign is that of the number."""
    return abs(number) % modulus * (1 if number >= 0 else -1)


def _low_bits(expression: Expression, bits: int, value: int) -> Expression:
    """That the lowest ``bits`` bits of the expression are those of the value."""
    type_ = unsigned_type(integer_type(expression).width)
    mask = (1 << bits) - 1
    masked = Binary("&", converted(expression, type_), IntegerConstant(mask, type_), type_)
    return Binary("==", masked, IntegerConstant(value & mask, type_), INT)
