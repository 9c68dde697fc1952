"""Accesses to elements of arrays, by subscript or through a pointer, as an expression says them."""

from __future__ import annotations

from msgspec import Struct

from gia.cfa.expressions import (
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
from gia.cfa.types import LONG_LONG, IntegerType, PointerType, is_scalar


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
        if isinstance(self.place, Subscript):
            other: Expression = Subscript(self.base, number, self.place.type)
        else:
            other = Dereference(Binary("+", self.base, number, self.base.type), self.place.type)
        return rewritten(self.element, lambda part: other if part == self.place else None)


def access_of(expression: Expression) -> Access | None:
    """The expression as a scalar in an element of an array."""
    place = expression
    while isinstance(place, Member):
        place = place.base
    match place:
        case Subscript(array=base, index=index):
            pass
        case Dereference(pointer=Binary(operator="+", left=base, right=index)) if isinstance(base.type, PointerType):
            pass
        case _:
            return None
    if not is_scalar(expression.type) or not isinstance(index.type, IntegerType):
        return None
    if any(isinstance(part, Subscript) or _is_element(part) for part in walk(base)):
        return None
    assert isinstance(place, Subscript | Dereference)
    variable, moved = _offset(index)
    return Access(expression, place, base, index, variable, moved)


def first_element(expression: Expression) -> Access | None:
    """``*a`` as the first element of what ``a`` points to."""
    match expression:
        case Dereference(pointer=VariableReference() as base) if is_scalar(expression.type):
            return Access(expression, expression, base, IntegerConstant(0, LONG_LONG), None, 0)
    return None


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
