"""Whether a function may use a part of a local variable to which it has not assigned anything.

Source: the data-flow analysis of *definite assignment* (The Java Language Specification, chapter 16), here as its
complement: what is unassigned on some path, byte by byte, so that unions and initialised arrays are assigned when their
bytes are. An over-approximation: paths that no execution takes count, no element with a variable index is taken as
assigned, and whoever takes the address of a variable, or of a part of it, uses all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_

from gia.cfa.expressions import (
    AddressOf,
    Expression,
    IntegerConstant,
    LValue,
    Member,
    Storage,
    Subscript,
    Variable,
    VariableReference,
    children,
    variables_of,
)
from gia.cfa.graph import Edge, Function
from gia.cfa.operations import Assign, Call, Declare, Input, Operation, Unmodelled, operands_of
from gia.cfa.types import LONG_DOUBLE, ArrayType, CType, TypeTable

MOST_BYTES = 512
"""A larger variable is looked at as a whole: it is assigned if all of it is at once."""

EXTENDED_BYTES = 10
"""What holds the value of a ``long double``; the rest of its size is padding."""


def may_use_unassigned(function: Function, types: TypeTable) -> bool:
    """Whether some path of the function uses what it has not assigned of a local variable."""
    return any(True for _ in unassigned_uses(function, types))


def unassigned_uses(function: Function, types: TypeTable) -> Iterator[tuple[Edge, frozenset[Variable]]]:
    """The edges on which a path of the function uses so, and the variables of which it uses something."""
    local = dict.fromkeys(variable for variable in function.locals if variable.storage is Storage.LOCAL)
    if not local:
        return
    analysis = _Analysis(local, types)
    unassigned = analysis.unassigned(function)
    for edge in function.edges:
        used = analysis.used(edge, unassigned.get(edge.source, 0))
        if used:
            yield edge, analysis.variables(used)


class _Analysis:
    """The bytes of a function's variables as bits of integers, from the lowest address on."""

    def __init__(self, local: Iterable[Variable], types: TypeTable) -> None:
        self._types = types
        self._first: dict[Variable, int] = {}
        self._whole: dict[Variable, int] = {}
        number = 0
        for variable in local:
            size = self._size(variable.type)
            bits = size if 0 < size <= MOST_BYTES else 1
            self._first[variable] = number
            self._whole[variable] = ((1 << bits) - 1) << number
            number += bits

    def unassigned(self, function: Function) -> Mapping[int, int]:
        """What may be unassigned at each location to which a path leads."""
        found = {function.entry: reduce(or_, self._whole.values())}  # a jump may lead past a declaration
        pending = [function.entry]
        while pending:
            location = pending.pop()
            for edge in function.leaving[location]:
                after = self._after(edge.operation, found[location])
                before = found.get(edge.target)
                if before is None or after & ~before:
                    found[edge.target] = after | (before or 0)
                    pending.append(edge.target)
        return found

    def variables(self, used: int) -> frozenset[Variable]:
        """The variables whose bytes are among ``used``."""
        return frozenset(variable for variable, whole in self._whole.items() if used & whole)

    def used(self, edge: Edge, unassigned: int) -> int:
        """What an edge uses of what is unassigned before it."""
        if not unassigned:
            return 0
        match edge.operation:
            case Unmodelled():  # its code may use any of it
                return unassigned
            case Assign(target=target) | Input(target=target) | Call(target=target) if target is not None:
                used = [*operands_of(edge.operation)[1:], *_operands_of_target(target)]
            case operation:
                used = list(operands_of(operation))
        return unassigned & reduce(or_, map(self._used, used), 0)

    def _after(self, operation: Operation, unassigned: int) -> int:
        """What is unassigned after an operation."""
        match operation:
            case Declare(variable=variable):
                return unassigned | self._whole.get(variable, 0)
            case Assign(target=target) | Input(target=target) | Call(target=target) if target is not None:
                return unassigned & ~(self._bytes_of(target, written=True) or 0)
        return unassigned

    def _used(self, expression: Expression) -> int:
        """The bytes of variables that an expression uses."""
        used, pending = 0, [expression]
        while pending:
            part = pending.pop()
            if isinstance(part, AddressOf):
                used |= reduce(or_, (self._whole.get(variable, 0) for variable in variables_of(part)), 0)
            elif (read := self._bytes_of(part)) is not None:
                used |= read
            else:
                pending += children(part)
        return used

    def _bytes_of(self, expression: Expression, *, written: bool = False) -> int | None:
        """The bytes that hold the value of a variable, or of a part of it at a constant place; ``None`` for others.

        They are ``written``, or read: of what is looked at as a whole, a part is read, but never written.
        """
        place = self._place(expression)
        if place is None:
            return None
        variable, offset = place
        if variable not in self._whole:
            return 0
        if self._size(variable.type) in range(1, MOST_BYTES + 1):
            return ((1 << self._value_size(expression.type)) - 1) << self._first[variable] + offset
        return 0 if written and not isinstance(expression, VariableReference) else self._whole[variable]

    def _place(self, expression: Expression) -> tuple[Variable, int] | None:
        """The variable of which an expression is a part, and the offset in bytes; ``None`` if that is not constant.

        It is ``None`` for bit-fields, too.
        """
        offset = 0
        while not isinstance(expression, VariableReference):
            match expression:
                case Member(base=base, field=name):
                    field = self._types.field(expression.struct, name)
                    if field.bit_width is not None:
                        return None
                    offset += field.offset
                    expression = base
                case Subscript(array=array, index=IntegerConstant(value=index)) if _is_within(array.type, index):
                    offset += index * self._size(expression.type)
                    expression = array
                case _:
                    return None
        return expression.variable, offset

    def _value_size(self, type_: CType) -> int:
        """The bytes that hold a value."""
        return EXTENDED_BYTES if type_ == LONG_DOUBLE else self._size(type_)

    def _size(self, type_: CType) -> int:
        """Bytes of a type; 0 if nobody knows."""
        try:
            return self._types.size_of(type_)
        except ValueError:
            return 0


def _is_within(array: CType, index: int) -> bool:
    """Whether there is an element with this index."""
    return isinstance(array, ArrayType) and array.length is not None and 0 <= index < array.length


def _operands_of_target(target: LValue) -> Iterator[Expression]:
    """What is evaluated to find the place that is written, without the variable whose part it is."""
    place: Expression = target
    while isinstance(place, Member | Subscript):
        if isinstance(place, Subscript):
            yield place.index
        place = place.base if isinstance(place, Member) else place.array
    if not isinstance(place, VariableReference):
        yield place
