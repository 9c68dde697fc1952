"""Variables and fields: what a program names when it sets or compares a number.

Fields of the same name and structure are one, wherever they are: which object a pointer leads to need not be known. So
what is found out of them is a guess, and nothing is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from gia.cfa.expressions import (
    Expression,
    IntegerConstant,
    Member,
    Subscript,
    Variable,
    VariableReference,
    children,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge
from gia.cfa.operations import operands_of
from gia.cfa.types import LONG_LONG, ArrayType, CType, FloatType, IntegerType, PointerType, StructType

MOST_FIELDS = 40
"""So many fields of structures are looked at."""
SMALL_ARRAY = 8
"""The elements of arrays that have no more are looked at as variables are."""


ScalarKind = type[IntegerType | FloatType | PointerType]


class Field(NamedTuple):
    """A field of all objects of a structure type."""

    tag: str
    name: str


Cell = Variable | Field


def cell_of(expression: Expression) -> Cell | None:
    """The variable or field that an lvalue is."""
    match expression:
        case VariableReference(variable=variable):
            return variable
        case Member(field=name):
            return Field(expression.struct.tag, name)
    return None


def cells_in(expression: Expression) -> Iterator[Cell]:
    """The variables and fields that an expression reads; not those that say where a field is."""
    pending = [expression]
    while pending:
        part = pending.pop()
        cell = cell_of(part)
        if cell is not None:
            yield cell
        else:
            pending.extend(children(part))


def elements_of(place: Expression) -> tuple[Expression, ...]:
    """What a place in arrays may be, whatever the indices are: ``a[0].x``, ``a[1].x`` and so on for ``a[i].x``.

    Only in small arrays, and not behind pointers; a place in no array is itself.
    """
    match place:
        case VariableReference():
            return (place,)
        case Member(base=base):
            return tuple(replace(place, base=each) for each in elements_of(base))
        case Subscript(array=array, index=index) if isinstance(array.type, ArrayType):
            length = array.type.length or 0
            if isinstance(index, IntegerConstant):
                return tuple(replace(place, array=each) for each in elements_of(array))
            if length <= SMALL_ARRAY:
                arrays = elements_of(array)
                return tuple(element for each in arrays for element in each_element(each, place.type, length))
    return ()


def each_element(array: Expression, type_: CType, length: int) -> Iterator[Subscript]:
    """The elements of an array of so many of a type: ``a[0]``, ``a[1]`` and so on."""
    return (Subscript(array, IntegerConstant(number, LONG_LONG), type_) for number in range(length))


def _structures_in(whole: VariableReference) -> tuple[Expression, ...]:
    """A structure, or those that are the elements of a small array."""
    match whole.type:
        case StructType():
            return (whole,)
        case ArrayType(element=StructType() as element, length=int(length)) if length <= SMALL_ARRAY:
            return tuple(each_element(whole, element, length))
    return ()


class Numbers(Struct, frozen=True):
    """The numbers, or pointers, of one ``kind`` of which a program speaks: variables, and what is in structures.

    ``bases`` are the structures, of arrays the elements of small ones; ``named`` their fields: such numbers, and
    structures.
    """

    kind: ScalarKind
    bases: Sequence[Expression]
    named: Mapping[StructType, Sequence[tuple[str, CType]]]

    @staticmethod
    def of(edges: Iterable[Edge], kind: ScalarKind = IntegerType) -> Numbers:
        """Those on some edges."""
        parts = (part for edge in edges for operand in operands_of(edge.operation) for part in walk(operand))
        members = list(dict.fromkeys(part for part in parts if isinstance(part, Member)))
        named: dict[StructType, dict[tuple[str, CType], None]] = {}
        for member in members:
            if isinstance(member.type, (kind, StructType)):
                named.setdefault(member.struct, {})[member.field, member.type] = None
        bases = dict.fromkeys(member.base for member in members)
        elements = {base: elements_of(base) for base in bases if any(isinstance(e, Subscript) for e in walk(base))}
        known = dict.fromkeys(each for base in bases for each in elements.get(base, (base,)))
        return Numbers(kind, tuple(known), {struct: tuple(found) for struct, found in named.items()})

    def at(self, variables: Sequence[Variable]) -> list[Expression]:
        """Those among these variables, then those in them and in what they lead to."""
        visible = frozenset(variables)
        numbers = [VariableReference(v) for v in variables if isinstance(v.type, self.kind)]
        whole = (part for v in variables for part in _structures_in(VariableReference(v)))
        bases = dict.fromkeys((*whole, *(base for base in self.bases if variables_of(base) <= visible)))
        found = dict.fromkeys(part for base in bases for part in self._inside(base))
        return [*numbers, *islice(found, MOST_FIELDS)]

    def _inside(self, base: Expression) -> Iterator[Expression]:
        """The numbers in a structure, and in the structures in it."""
        assert isinstance(base.type, StructType)
        for name, type_ in self.named.get(base.type, ()):
            member = Member(base, name, type_)
            if isinstance(type_, StructType):
                yield from self._inside(member)
            else:
                yield member
