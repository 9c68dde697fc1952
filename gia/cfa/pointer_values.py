"""Where expressions point, by what is known of variables and memory so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FunctionReference,
    IntegerConstant,
    Member,
    StringLiteral,
    Subscript,
    Variable,
    VariableReference,
    written_constant,
)
from gia.cfa.intervals import Interval
from gia.cfa.places import ANYWHERE, BEGIN, FORGED, NULL, OUTSIDE, Code, Distance, Place, Places
from gia.cfa.types import ArrayType, CType, IntegerType, PointerType, TypeTable


class Memory(Protocol):
    """What is known of the pointers in memory."""

    def load(self, places: Places) -> Places:
        """Where a pointer that is read from one of the places may lead."""


class PointerValues:
    """Evaluates pointers.

    ``variable`` says where one that is followed by its name may point at a location, and ``interval`` what an integer
    may be there.
    """

    def __init__(
        self,
        types: TypeTable,
        memory: Memory,
        variable: Callable[[Variable, int], Places | None],
        interval: Callable[[Expression, int], Interval],
    ) -> None:
        self._types = types
        self._memory = memory
        self._variable = variable
        self._interval = interval

    def value(self, value: Expression, location: int) -> Places:
        """Where a pointer points that is evaluated at a location."""
        match value:
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self.value(operand, location)
            case Cast(operand=operand):
                return _from_number(operand)
            case IntegerConstant():
                return _from_number(value)
            case AddressOf(operand=operand):
                return self.lvalue(operand, location, beyond=1)
            case StringLiteral() | FunctionReference():
                return self.lvalue(value, location)
            case Binary(operator="+" | "-", left=left, right=right) if isinstance(value.type, PointerType):
                base, index = (left, right) if isinstance(left.type, PointerType) else (right, left)
                if isinstance(base.type, PointerType) and not is_null(base):
                    stride = size_of(base.type.target, self._types)
                    return self._moved(self.value(base, location), stride, index, backwards=value.operator == "-")
            case VariableReference(variable=variable):
                found = self._variable(variable, location)
                return self._memory.load({variable: BEGIN}) if found is None else found
            case Dereference() | Subscript() | Member():
                return self._memory.load(self.lvalue(value, location))
        return {FORGED: ANYWHERE}

    def lvalue(self, lvalue: Expression, location: int, *, beyond: int = 0) -> Places:
        """Where an lvalue lies; so many elements behind an array count as its own, if it is an element."""
        match lvalue:
            case VariableReference(variable=variable):
                return {variable: BEGIN}
            case StringLiteral():
                return {lvalue: BEGIN}
            case FunctionReference(name=name):
                return {Code(name): BEGIN}
            case Dereference(pointer=pointer):
                return self.value(pointer, location)
            case Subscript(array=array, index=index):
                places, size = self.lvalue(array, location), size_of(lvalue.type, self._types)
                last = greatest_index(lvalue, self._types, lambda number: self._interval(number, location))
                most = 1 << (self._types.data_model.pointer_width - 1)
                if size is None or last is None or (last + 1) * size >= most:
                    return self._moved(places, size, index)
                return {place: distance.within_array(size, last + 1 + beyond) for place, distance in places.items()}
            case Member(base=base, field=name):
                offset = self._types.field(lvalue.struct, name).offset
                return {place: distance.moved(offset) for place, distance in self.lvalue(base, location).items()}
            case Cast(operand=operand):
                return self.lvalue(operand, location)
        return {FORGED: ANYWHERE}

    def _moved(self, places: Places, size: int | None, index: Expression, *, backwards: bool = False) -> Places:
        """The places so many elements of a size further on."""
        number = None if size is None else constant(index)
        if size is None or number is None:
            return {place: distance.spread(size or 1) for place, distance in places.items()}
        bytes_ = self._wrapped(-size * number if backwards else size * number)
        return {place: distance.moved(bytes_) for place, distance in places.items()}

    def _wrapped(self, bytes_: int) -> int:
        """A distance as a signed number of the width of pointers."""
        half = 1 << (self._types.data_model.pointer_width - 1)
        return (bytes_ + half) % (2 * half) - half


def greatest_index(element: Subscript, types: TypeTable, interval: Callable[[Expression], Interval]) -> int | None:
    """What the index of an element of an array in a structure is at most; ``interval`` says what an integer may be.

    ``None`` if it is a constant, may be negative, or the array is in no structure. No execution leaves the array
    (``-fsanitize=bounds``), but for one in the last field, which may have more elements than its type says: at most, an
    address is taken of what would be the next element.
    """
    array, whole = element.array, element.array
    while isinstance(whole, Subscript) and isinstance(whole.array.type, ArrayType):
        whole = whole.array
    if constant(element.index) is not None or not isinstance(whole, Member) or not isinstance(array.type, ArrayType):
        return None
    is_last = whole.struct.is_union or whole.field == types.layouts[whole.struct.tag].fields[-1].name
    if array.type.length is not None and not is_last:
        return array.type.length - 1
    least, greatest = interval(element.index)
    return greatest if least >= 0 else None


def _from_number(number: Expression) -> Places:
    """Where a number points that was converted to a pointer; no object of the program has a constant address."""
    value = constant(number)
    if value is None:
        return {FORGED: ANYWHERE}
    return NULL if value == 0 else {OUTSIDE: ANYWHERE}


def is_null(pointer: Expression) -> bool:
    """Whether an expression is a null pointer constant: what is so far from it is a number."""
    return isinstance(pointer.type, PointerType) and written_constant(pointer) == 0


def spread_out(places: Places) -> dict[Place, Distance]:
    """The places any number of bytes further on."""
    return {place: distance.spread(1) for place, distance in places.items()}


def size_of(type_: CType, types: TypeTable) -> int | None:
    """Bytes of a type, ``None`` if that is not known before the program runs."""
    try:
        return types.size_of(type_)
    except ValueError:
        return None


def constant(index: Expression) -> int | None:
    """The value of a constant index, if conversions do not change it."""
    match index:
        case IntegerConstant(value=value):
            return value
        case Cast(operand=IntegerConstant(value=value, type=inner), type=IntegerType(width=width)):
            return value if value >= 0 and width >= inner.width else None
    return None
