"""Accesses to elements of arrays, by subscript or through a pointer, as an expression says them.

A matrix counts as one array, its rows one after the other: the index of ``a[i][j]`` is ``i * columns + j``.
"""

from __future__ import annotations

from types import MappingProxyType

from msgspec import Struct

from gia.analyses.proving.candidates.array_indices import linear_sum
from gia.analyses.proving.candidates.assigned import Constants, with_constants
from gia.analyses.proving.candidates.comparisons import converted
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    IntegerConstant,
    Member,
    Subscript,
    Variable,
    VariableReference,
    rewritten,
    walk,
)
from gia.cfa.types import LONG_LONG, ArrayType, IntegerType, PointerType, is_scalar

NO_CONSTANTS: Constants = MappingProxyType({})


class Access(Struct, frozen=True):
    """An element that an expression speaks of: ``moved`` by so much from the index variable, if there is one.

    ``place`` is the element of the array, of which ``element`` may be a field.
    """

    element: Expression
    place: Subscript | Dereference
    base: Expression
    index: Expression
    variable: Variable | None
    moved: int

    def at(self, number: Expression) -> Expression:
        """The same array's element with another index."""
        if isinstance(self.base.type, PointerType):
            other: Expression = Dereference(Binary("+", self.base, number, self.base.type), self.place.type)
        else:
            other = Subscript(self.base, number, self.place.type)
        return rewritten(self.element, lambda part: other if part == self.place else None)


def access_of(expression: Expression, constants: Constants = NO_CONSTANTS) -> Access | None:
    """The expression as a scalar in an element of an array."""
    place = whole_of(expression)
    if not isinstance(place, Subscript | Dereference) or not is_scalar(expression.type):
        return None
    found = _in_matrix(place, constants) or _in_array(place)
    if found is None:
        return None
    base, index = found
    if linear_sum(index) is None:
        index = with_constants(index, constants)
    variable, moved = _offset(index)
    return Access(expression, place, base, index, variable, moved)


def whole_of(field: Expression) -> Expression:
    """The object to which a field belongs, however deep in it; any other expression itself."""
    while isinstance(field, Member):
        field = field.base
    return field


def first_element(expression: Expression) -> Access | None:
    """``*a`` as the first element of what ``a`` points to."""
    match expression:
        case Dereference(pointer=VariableReference() as base) if is_scalar(expression.type):
            return Access(expression, expression, base, IntegerConstant(0, LONG_LONG), None, 0)
    return None


_Position = tuple[Expression, Expression]
"""An array, or a pointer to its first element, and an index."""


def _in_array(place: Expression) -> _Position | None:
    match place:
        case Subscript(array=base, index=index):
            pass
        case Dereference(pointer=Binary(operator="+", left=base, right=index)) if isinstance(base.type, PointerType):
            pass
        case _:
            return None
    return (base, index) if isinstance(index.type, IntegerType) and not _has_element(base) else None


def _in_matrix(place: Expression, constants: Constants) -> _Position | None:
    """The pointer to the first element of a matrix, and the index in it, if that is linear."""
    match place:
        case Subscript(array=Subscript() | Dereference() as row, index=column):
            found = _in_matrix(row, constants) or _in_array(row)
            if found is None or not isinstance(row.type, ArrayType) or not row.type.length:
                return None
            length = IntegerConstant(row.type.length, LONG_LONG)
            base, number = found
            pointer: Expression = Cast(_decayed(base), PointerType(place.type))
            index = _sum(Binary("*", converted(number, LONG_LONG), length, LONG_LONG), column)
        case Dereference(pointer=Binary(operator="+", left=Binary(operator="+") as row_pointer, right=column)):
            row = Dereference(row_pointer, place.type)
            found = _in_matrix(row, constants) or _in_array(row)
            if found is None:
                return None
            pointer, number = found
            index = with_constants(_sum(number, column), constants)
        case _:
            return None
    return (pointer, index) if linear_sum(index) is not None else None


def _sum(left: Expression, right: Expression) -> Expression:
    return Binary("+", converted(left, LONG_LONG), converted(right, LONG_LONG), LONG_LONG)


def _decayed(base: Expression) -> Expression:
    return AddressOf(base, PointerType(base.type.element)) if isinstance(base.type, ArrayType) else base


def _has_element(base: Expression) -> bool:
    """Whether a base lies in an element of an array itself."""
    return any(isinstance(part, Subscript) or _is_element(part) for part in walk(base))


def _is_element(part: Expression) -> bool:
    return isinstance(part, Dereference) and not isinstance(part.pointer, VariableReference)


def _offset(index: Expression) -> tuple[Variable | None, int]:
    """An index as a variable and a constant, if it is one."""
    match index:
        case Cast(operand=operand) if isinstance(operand.type, IntegerType):
            return _offset(operand)
        case VariableReference(variable=variable):
            return variable, 0
        case Binary(operator="+" | "-" as operator, left=left, right=IntegerConstant(value=value)):
            found, moved = _offset(left)
            return found, moved + (value if operator == "+" else -value)
        case Binary(operator="+", left=IntegerConstant(value=value), right=right):
            found, moved = _offset(right)
            return found, moved + value
    return None, 0
