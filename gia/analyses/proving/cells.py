"""Variables and fields: what a program names when it sets or compares a number.

Fields of the same name and structure are one, wherever they are: which object a pointer leads to need not be known. So
what is found out of them is a guess, and nothing is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from gia.cfa.expressions import Expression, Member, Subscript, Variable, VariableReference, children, variables_of, walk
from gia.cfa.graph import Edge
from gia.cfa.operations import operands_of
from gia.cfa.types import CType, FloatType, IntegerType, StructType

MOST_FIELDS = 40
"""So many fields of structures are looked at."""


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


class Numbers(Struct, frozen=True):
    """The numbers of one ``kind`` of which a program speaks: variables, and what is in structures.

    ``bases`` are the structures, without elements of arrays; ``named`` their fields: such numbers, and structures.
    """

    kind: type[IntegerType | FloatType]
    bases: Sequence[Expression]
    named: Mapping[StructType, Sequence[tuple[str, CType]]]

    @staticmethod
    def of(edges: Iterable[Edge], kind: type[IntegerType | FloatType] = IntegerType) -> Numbers:
        """Those on some edges."""
        parts = (part for edge in edges for operand in operands_of(edge.operation) for part in walk(operand))
        members = list(dict.fromkeys(part for part in parts if isinstance(part, Member)))
        bases = dict.fromkeys(member.base for member in members)
        named: dict[StructType, dict[tuple[str, CType], None]] = {}
        for member in members:
            if isinstance(member.type, (kind, StructType)):
                named.setdefault(member.struct, {})[member.field, member.type] = None
        whole = [base for base in bases if not any(isinstance(e, Subscript) for e in walk(base))]
        return Numbers(kind, whole, {struct: tuple(found) for struct, found in named.items()})

    def at(self, variables: Sequence[Variable]) -> list[Expression]:
        """Those among these variables, then those in them and in what they lead to."""
        visible = frozenset(variables)
        numbers = [VariableReference(v) for v in variables if isinstance(v.type, self.kind)]
        whole = (VariableReference(v) for v in variables if isinstance(v.type, StructType))
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
