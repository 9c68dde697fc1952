"""Pointers that the text sets to one object or to elements of one array: what is said through them is said of these.

This is a guess, good enough for candidates: another assignment may have moved the index since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    IntegerConstant,
    LValue,
    Member,
    Subscript,
    Variable,
    VariableReference,
    rewritten,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Input, Operation, Return
from gia.cfa.types import LONG_LONG, ArrayType, PointerType

Elements = Mapping[Variable, LValue]
"""What pointers point to: an element of an array."""

_ROUNDS = 3
"""So often at most pointers are followed from a call or an assignment to the next one."""


def element_pointers(program: Program, edges: Iterable[Edge]) -> Elements:
    """The pointers to which only addresses of one object or array are assigned, and what the first address is of."""
    given = [pair for edge in edges for pair in _pointers_given(program, edge.operation)]
    found: Elements = {}
    for _ in range(_ROUNDS):
        found = _once_more(given, found)
    return found


def _once_more(given: Sequence[tuple[Variable, Expression | None]], known: Elements) -> Elements:
    """The pointers to elements, where those that are known may have been assigned to others."""
    found: dict[Variable, LValue | None] = {}
    for variable, value in given:
        if _is_moved(variable, value) or _is_null(value):
            continue
        element = known.get(value.variable) if isinstance(value, VariableReference) else _element_at(value)
        first = found.setdefault(variable, element)
        if element is None or first is None or _owner_of(first) != _owner_of(element):
            found[variable] = None
    return {variable: element for variable, element in found.items() if element is not None}


def through_pointers(elements: Elements, edge: Edge) -> Edge:
    """The edge with the elements in the places of what the pointers point to."""

    def changed(expression: Expression) -> Expression:
        return rewritten(expression, lambda part: _pointed(elements, part))

    def written(target: LValue) -> LValue:
        found = changed(target)
        assert isinstance(found, LValue)
        return found

    match edge.operation:
        case Assign(target=target, value=value):
            return replace(edge, operation=Assign(written(target), changed(value)))
        case Assume(condition=condition) as operation:
            return replace(edge, operation=replace(operation, condition=changed(condition)))
        case Input(target=target) as operation if target is not None:
            return replace(edge, operation=replace(operation, target=written(target)))
    return edge


def _pointers_given(program: Program, operation: Operation) -> Iterator[tuple[Variable, Expression | None]]:
    """The pointers that get a value, and the value if it is an expression."""
    match operation:
        case Assign(target=VariableReference(variable=variable, type=PointerType()), value=value):
            yield variable, value
        case Call(target=target, function=name, arguments=arguments):
            function = program.functions.get(name)
            if function is not None:
                yield from zip(function.parameters, arguments, strict=False)
            if isinstance(target, VariableReference):
                returned = [edge.operation for edge in function.edges] if function is not None else []
                values = [result.value for result in returned if isinstance(result, Return)]
                yield from ((target.variable, value) for value in values or (None,))


def _is_moved(variable: Variable, value: Expression | None) -> bool:
    """Whether a pointer stays in its array."""
    match value:
        case Binary(operator="+" | "-", left=VariableReference(variable=same)):
            return same == variable
    return False


def _is_null(value: Expression | None) -> bool:
    return isinstance(value, Cast) and isinstance(value.operand, IntegerConstant)


def _element_at(pointer: Expression | None) -> LValue | None:
    """The object that an expression is the address of, an element if it is that of an array."""
    match pointer:
        case AddressOf(operand=array) if isinstance(array.type, ArrayType):
            return Subscript(array, IntegerConstant(0, LONG_LONG), array.type.element)
        case AddressOf(operand=VariableReference() | Subscript() | Member() as place, type=PointerType(target=target)):
            return place if place.type == target else None
        case Binary(operator="+", left=AddressOf(operand=array), right=index) if isinstance(array.type, ArrayType):
            return Subscript(array, index, array.type.element)
        case Binary(operator="+", left=VariableReference(type=PointerType(target=element))):
            return Dereference(pointer, element)
    return None


def _owner_of(element: LValue) -> Expression:
    """The array that an element is of, or the pointer to the first one; the object itself if it is in no array."""
    match element:
        case Subscript(array=array):
            return array
        case Dereference(pointer=Binary(left=base)):
            return base
    return element


def _pointed(elements: Elements, part: Expression) -> Expression | None:
    match part:
        case Dereference(pointer=VariableReference(variable=variable)) if variable in elements:
            element = elements[variable]
            return element if element.type == part.type else None
    return None
