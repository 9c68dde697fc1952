"""Which numbers in the memory of variables an lvalue may be, seen from a frame of an inlined program.

Pointers lead where the arguments of the calls on the stack say, and else where the analysis of pointers says that they
may. It is a guess like all that is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from msgspec import Struct

from gia.analyses.proving.candidates.assigned import assigned_in
from gia.analyses.proving.cells import SMALL_ARRAY, each_element
from gia.cfa.expressions import (
    Expression,
    LValue,
    Member,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.graph import Program
from gia.cfa.intervals import range_of
from gia.cfa.operations import Call, operands_of
from gia.cfa.places import ANYWHERE, ENDLESS, FORGED, NOWHERE, Area, Distance, Place, Places
from gia.cfa.pointer_values import PointerValues, size_of
from gia.cfa.points_to import Known, points_to
from gia.cfa.supergraph import Context, Supergraph
from gia.cfa.types import ArrayType, IntegerType, PointerType, StructType, TypeTable

_ALL = Area(ANYWHERE, 1)
_MOST_NUMBERS = 32
"""An lvalue that may be more numbers is not looked at."""


class Part(Struct, frozen=True, eq=False):
    """A number in memory, so many bytes from the begin of a variable: what ``lvalue`` names. There is one of each."""

    variable: Variable
    offset: int
    lvalue: Expression

    @property
    def type(self) -> IntegerType:
        """That of the number."""
        assert isinstance(self.lvalue.type, IntegerType)
        return self.lvalue.type

    @property
    def end(self) -> int:
        """How many bytes from the begin of the variable the next ones are."""
        return self.offset + self.type.width // 8

    def overlaps(self, area: Area) -> bool:
        """Whether it may share bytes with an area of its variable."""
        return len(area.starts_in(Area(Distance(0, self.offset), self.end - self.offset))) > 0


Number = Variable | Part
"""An integer variable to which no pointer leads, or a number in memory."""


def variable_of(number: Number) -> Variable:
    """The variable, or the one in whose memory the number is."""
    return number.variable if isinstance(number, Part) else number


class MemoryParts:
    """The parts of the variables of a program."""

    def __init__(self, program: Program, supergraph: Supergraph) -> None:
        self._program = program
        self.exposed = program.address_taken
        self._supergraph = supergraph
        self._pointers = Known(program.derived(points_to))
        self._kept = program.derived(_unchanged_parameters)
        self._named = program.derived(_named_fields)
        self._parts: dict[Variable, Mapping[tuple[int, IntegerType], Part]] = {}
        self._views: dict[Context, View] = {}

    def of(self, variable: Variable) -> Mapping[tuple[int, IntegerType], Part]:
        """The parts of a variable by their distance from its begin, and their types."""
        if variable not in self._parts:
            complete = size_of(variable.type, self._program.types) is not None
            numbers = self._numbers_in(VariableReference(variable), 0) if complete else ()
            self._parts[variable] = {key: Part(variable, key[0], lvalue) for key, lvalue in numbers}
        return self._parts[variable]

    def numbers_of(self, variable: Variable) -> tuple[Number, ...]:
        """The variable, if it is a number to which no pointer leads, else its parts."""
        if isinstance(variable.type, IntegerType) and variable not in self.exposed:
            return (variable,)
        return tuple(self.of(variable).values())

    def _numbers_in(self, lvalue: Expression, offset: int) -> Iterator[tuple[tuple[int, IntegerType], Expression]]:
        """The integers in an lvalue that the program names, but for bit-fields, by their distances and types."""
        types = self._program.types
        match lvalue.type:
            case IntegerType() as type_:
                yield (offset, type_), lvalue
            case StructType(tag=tag) if tag in types.layouts:
                for field in types.layouts[tag].fields:
                    if field.bit_width is None and (tag, field.name) in self._named:
                        yield from self._numbers_in(Member(lvalue, field.name, field.type), offset + field.offset)
            case ArrayType(element=element, length=int() as length) if length <= SMALL_ARRAY:
                size = types.size_of(element)
                for number, item in enumerate(each_element(lvalue, element, length)):
                    yield from self._numbers_in(item, offset + number * size)

    def seen_from(self, context: Context) -> View:
        """What lvalues mean in a frame."""
        if context not in self._views:
            pointer = partial(self._places, context)
            values = PointerValues(
                self._program.types,
                self._pointers,
                lambda variable, _: pointer(variable),
                lambda index, _: range_of(index.type),
            )
            self._views[context] = View(self, values, self._program.types)
        return self._views[context]

    def _places(self, context: Context, pointer: Variable) -> Places:
        """Where a pointer variable may lead."""
        if context and pointer in self._kept and self._supergraph.contracts.function_in(context) is None:
            call = self._supergraph.call_edge(context).operation
            assert isinstance(call, Call)
            if self._kept[pointer] < len(call.arguments):
                return self.seen_from(context[:-1]).values.value(call.arguments[self._kept[pointer]], 0)
        return self._pointers.variable(pointer)


class At(NamedTuple):
    """So many bytes from the begin of a variable."""

    variable: Variable
    offset: int


class View:
    """What lvalues mean in one frame."""

    def __init__(self, parts: MemoryParts, values: PointerValues, types: TypeTable) -> None:
        self.values = values
        self._parts = parts
        self._types = types
        self._numbers: dict[Expression, tuple[Number, ...]] = {}

    def numbers(self, lvalue: Expression) -> tuple[Number, ...]:
        """All numbers that an lvalue may be; none, if it may be something else."""
        if lvalue not in self._numbers:
            self._numbers[lvalue] = self._found(lvalue)
        return self._numbers[lvalue]

    def _found(self, lvalue: Expression) -> tuple[Number, ...]:
        if not isinstance(lvalue.type, IntegerType) or not isinstance(lvalue, LValue):
            return ()
        if isinstance(lvalue, VariableReference) and lvalue.variable not in self._parts.exposed:
            return (lvalue.variable,)
        found: list[Part] = []
        for place, distance in self.values.lvalue(lvalue, 0).items():
            numbers = self._numbers_at(place, distance, lvalue.type)
            if place is not NOWHERE and not numbers:
                return ()
            found += numbers
        return tuple(found) if len(found) <= _MOST_NUMBERS else ()

    def _numbers_at(self, place: Place, distance: Distance, type_: IntegerType) -> list[Part]:
        """The numbers of a type in an object; none if there may be something else."""
        size = size_of(place.type, self._types) if isinstance(place, Variable) else None
        if not isinstance(place, Variable) or size is None:
            return []
        offsets = [distance.rest] if distance.modulus == 0 else distance.within(size - type_.width // 8 + 1)
        if len(offsets) > _MOST_NUMBERS:
            return []
        parts = [self._parts.of(place).get((offset, type_)) for offset in offsets]
        return [part for part in parts if part is not None] if None not in parts else []

    def areas(self, lvalue: Expression) -> Mapping[Variable, Area] | None:
        """What an lvalue may take up of which variables; ``None`` if that is not known."""
        size = size_of(lvalue.type, self._types)
        return self._areas(self.values.lvalue(lvalue, 0), lambda begin: _ALL if size is None else Area(begin, size))

    def behind(self, pointer: Expression, size: int | None) -> Mapping[Variable, Area] | None:
        """So many bytes from where a pointer may lead, or all from there on; ``None`` if that is not known."""
        most = ENDLESS if size is None else min(size, ENDLESS)
        return self._areas(self.values.value(pointer, 0), lambda begin: Area(begin, most))

    def reachable(self, pointer: Expression) -> Mapping[Variable, Area] | None:
        """All of the variables to which a pointer may lead; ``None`` if that is not known."""
        return self._areas(self.values.value(pointer, 0), lambda _: _ALL)

    @staticmethod
    def _areas(places: Places, area: Callable[[Distance], Area]) -> Mapping[Variable, Area] | None:
        if FORGED in places:
            return None
        return {place: area(begin) for place, begin in places.items() if isinstance(place, Variable)}

    def object(self, lvalue: Expression) -> At | None:
        """The variable in which an lvalue certainly lies, and how many bytes from its begin."""
        return _only(self.values.lvalue(lvalue, 0)) if isinstance(lvalue, LValue) else None

    def object_behind(self, pointer: Expression) -> At | None:
        """Where a pointer certainly leads."""
        return _only(self.values.value(pointer, 0))


def _only(places: Places) -> At | None:
    found = [(place, distance) for place, distance in places.items() if place is not NOWHERE]
    if len(found) != 1 or found[0][1].modulus or not isinstance(found[0][0], Variable):
        return None
    return At(found[0][0], found[0][1].rest)


def _named_fields(program: Program) -> frozenset[tuple[str, str]]:
    """The fields that the program names, with the tags of their structures."""
    operands = (operand for edge in program.edge_list for operand in operands_of(edge.operation))
    return frozenset((e.struct.tag, e.field) for each in operands for e in walk(each) if isinstance(e, Member))


def _unchanged_parameters(program: Program) -> Mapping[Variable, int]:
    """The parameters that are pointers and keep what the call gives them, with their places in the call."""
    changed = program.address_taken.union(assigned_in(program.edges()))
    return {
        parameter: place
        for function in program.functions.values()
        for place, parameter in enumerate(function.parameters)
        if isinstance(parameter.type, PointerType) and parameter not in changed
    }
