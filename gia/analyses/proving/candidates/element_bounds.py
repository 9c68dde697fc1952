r"""The constants that meet the elements of an array, as bounds of all its elements.

As for variables (:mod:`.houdini`): an element is thought to be between the smallest and the greatest constant that is
assigned to elements or that they are compared with, and zero, with which static arrays begin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct

from gia.analyses.proving.candidates.array_accesses import Access, whole_of
from gia.analyses.proving.candidates.assigned import Assigned
from gia.analyses.proving.candidates.comparisons import compare_with_constant, integer_type, stripped
from gia.cfa.expressions import (
    COMPARISONS,
    Binary,
    Cast,
    Expression,
    IntegerConstant,
    Member,
    Unary,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.graph import Edge
from gia.cfa.operations import Assign, operands_of
from gia.cfa.types import INT, IntegerType

_MOST_STATES = 8
"""Fields that meet so many constants at most are thought to say in which state an element is."""
_MOST_BOUNDS = 4
_TRUTH_VALUES = frozenset({0, 1})


class ElementConstants(Struct, frozen=True):
    r"""The constants that meet the integers in arrays, by the element with the index ``number``, which is ``\any``."""

    access_of: Callable[[Expression], Access | None]
    number: Expression
    values: Mapping[Expression, frozenset[int]]

    def of(self, access: Access) -> frozenset[int]:
        """Those of an element, and zero."""
        return self.values.get(access.at(self.number), frozenset({0}))


def constants_of_elements(
    edges: Sequence[Edge], access_of: Callable[[Expression], Access | None], assigned: Assigned, number: Expression
) -> ElementConstants:
    """The constants that are assigned to the integers in arrays, and with which they are compared, and zero.

    What variables are compared with that are assigned to them is as good.
    """
    found: dict[Expression, set[int]] = {}
    compared: dict[Variable, set[int]] = {}

    def note(expression: Expression, values: Iterable[int]) -> None:
        access = access_of(expression)
        if access is not None and isinstance(expression.type, IntegerType):
            found.setdefault(access.at(number), {0}).update(values)
        elif isinstance(expression, VariableReference):
            compared.setdefault(expression.variable, set()).update(values)

    for part in (part for edge in edges for operand in operands_of(edge.operation) for part in walk(operand)):
        if isinstance(part, Binary) and part.operator in COMPARISONS:
            for side, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(other, IntegerConstant):
                    note(stripped(side), (other.value,))
    for operation in (edge.operation for edge in edges if isinstance(edge.operation, Assign)):
        value = stripped(operation.value)
        stored = compared.get(value.variable, ()) if isinstance(value, VariableReference) else ()
        if not isinstance(operation.target, VariableReference):
            note(operation.target, (*stored, *_possible(operation.value, assigned)))
    values = {element: frozenset(constants) for element, constants in found.items()}
    return ElementConstants(access_of, number, values)


def bounds_of_elements(constants: ElementConstants) -> Iterator[Expression]:
    """Each element is at least the smallest and at most the greatest constant that meets it."""
    for element, values in constants.values.items():
        low, high = integer_type(element).bounds
        known = [value for value in values if low <= value <= high]
        if min(known) > low:
            yield compare_with_constant(">=", element, min(known))
        if max(known) < high:
            yield compare_with_constant("<=", element, max(known))


def bounds_by_state(constants: ElementConstants) -> Iterator[Expression]:
    """Where one field of an element has a certain value, another one is bounded by a constant that meets it."""
    states = {element: values for element, values in constants.values.items() if len(values) <= _MOST_STATES}
    for (state, values), element in product(states.items(), constants.values):
        if state == element or not isinstance(state, Member) or whole_of(state) != whole_of(element):
            continue
        low, high = integer_type(element).bounds
        known = [bound for bound in sorted(constants.values[element]) if low <= bound <= high]
        for value, bound in product(sorted(values), known[:_MOST_BOUNDS]):
            other = compare_with_constant("!=", state, value)
            for operator in ("<=", ">="):
                yield Binary("||", other, compare_with_constant(operator, element, bound), INT)


def _possible(value: Expression, assigned: Assigned) -> frozenset[int]:
    """The constants that an expression may be, as far as that is plain."""
    match value:
        case IntegerConstant(value=constant):
            return frozenset({constant})
        case Unary(operator="!"):
            return _TRUTH_VALUES
        case Binary(operator=operator) if operator in COMPARISONS or operator in ("&&", "||"):
            return _TRUTH_VALUES
        case Cast(operand=operand):
            return _possible(operand, assigned)
        case VariableReference(variable=variable):
            constants = [given for given in assigned.get(variable, ()) if isinstance(given, IntegerConstant)]
            return frozenset(given.value for given in constants)
    return frozenset()
