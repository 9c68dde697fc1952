"""Where pointer variables may point, whatever was executed before.

Source: L. O. Andersen, *Program analysis and specialization for the C programming language*, PhD thesis, 1994, chapter
4 (inclusion constraints that do not mind the order of statements). Deviations: only variables that nothing but their
name can change are followed; a pointer that is read from memory, made from an integer or by a library function may
point anywhere. With each place goes what its distance from the object's begin is a multiple of.

An execution with defined behaviour dereferences a variable of the result only where it points into one of its places.
A pointer may point nowhere, too: it is null, or it has no value yet. For local variables the latter is told apart
location by location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from math import gcd

from msgspec import Struct

from gia.cfa.contracts import recursive_functions
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FunctionReference,
    IntegerConstant,
    Member,
    Subscript,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.operations import Assign, Call, Declare, Input, Return, Unmodelled, operands_of
from gia.cfa.types import CHAR, INT, CType, IntegerType, PointerType, TypeTable
from gia.cfa.wto import Order, order

ALLOCATORS = frozenset({"malloc", "calloc"})
_GIVING_BACK = frozenset({"memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat"})
"""Library functions whose result is their first argument."""
_FINDING = frozenset({"strchr", "strrchr", "strstr", "strpbrk", "memchr", "index", "rindex"})
"""Library functions whose result points into what their first argument points to, or is null."""
_MOST_PLACES = 6
"""A pointer with more places may point anywhere."""
_MOST_BLOCKS = 4
"""How often an allocation may stand in the inlined program, each for one block of memory."""


class Block(Struct, frozen=True):
    """The memory that an allocation gives, which no execution does twice: the frame's context and the call's edge."""

    context: tuple[int, ...]
    edge: int


class Nowhere(Enum):
    """What a null pointer points to, or one without a value."""

    NOWHERE = "nowhere"


NOWHERE = Nowhere.NOWHERE
Place = Variable | Block | Nowhere
Places = Mapping[Place, int]
"""Objects, each with a number that the distance from its begin is a multiple of; 0: the begin itself."""
_NULL: Places = {NOWHERE: 0}


class PointsTo(Struct, frozen=True):
    """The result: the places of each variable that is followed, and the blocks with the calls that make them.

    A variable that is missing may point anywhere. So may, in a frame of a recursive function, any variable.
    ``assigned`` has for each location the pointers of its function that have a value there, static ones aside.
    """

    places: Mapping[Variable, Places]
    blocks: Mapping[Block, Call]
    assigned: Mapping[int, frozenset[Variable]]


_Constraint = tuple[Variable, Expression | Places | None, int]
"""A variable, what is assigned to it, and the location where that is evaluated."""


def points_to(program: Program) -> PointsTo:
    """Where the pointer variables of a program may point."""
    return _Analysis(program).result()


class _Analysis:
    """The least solution of the constraints."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._recursive = recursive_functions(program)
        self._callable = frozenset(_designated(program))
        self._contexts: dict[str, tuple[tuple[int, ...], ...] | None] = {}
        self._orders: dict[str, Order] = {}
        self._calls: dict[str, list[Edge]] = {}
        for edge in program.edge_list:
            if isinstance(edge.operation, Call):
                self._calls.setdefault(edge.operation.function, []).append(edge)
        self._blocks: dict[Block, Call] = {}
        self._places: dict[Variable, dict[Place, int] | None] = {}
        self._assigned: dict[int, frozenset[Variable]] = {}
        for function in program.functions.values():
            self._assigned.update(_assigned(function, self._is_followed))

    def result(self) -> PointsTo:
        """Add what the constraints ask for until nothing is missing."""
        constraints = [found for found in self._constraints() if self._is_followed(found[0])]
        changed = True
        while changed:
            changed = False
            for variable, value, location in constraints:
                changed |= self._include(variable, self._value(value, location))
        places = {v: found for v, found in self._places.items() if found is not None}
        return PointsTo(places, self._blocks, self._assigned)

    def _is_followed(self, variable: Variable) -> bool:
        return isinstance(variable.type, PointerType) and variable not in self._program.address_taken

    def _include(self, variable: Variable, value: Places | None) -> bool:
        """Let a variable point where a value does (``None``: anywhere); whether that is new."""
        known = self._places.setdefault(variable, {})
        if known is None:
            return False
        if value is None or len(known.keys() | value.keys()) > _MOST_PLACES:
            self._places[variable] = None
            return True
        changed = False
        for place, multiple in value.items():
            together = gcd(known[place], multiple) if place in known else multiple
            changed |= place not in known or known[place] != together
            known[place] = together
        return changed

    # ---- constraints

    def _constraints(self) -> Iterator[_Constraint]:
        """Variables with what is assigned to them: an expression, places, or anything (``None``)."""
        program = self._program
        start = program.functions[program.entry].entry
        for initialiser in program.statics:
            given = [value for target, value in initialiser.assignments if isinstance(target, VariableReference)]
            yield initialiser.variable, given[0] if given else _NULL, start
        for function in program.functions.values():
            yield from ((variable, {}, start) for variable in (*function.locals, *function.parameters))
            if function.name in self._callable or function.name == program.entry:
                yield from ((parameter, None, start) for parameter in function.parameters)
        for edge in program.edge_list:
            yield from self._of_edge(edge)

    def _of_edge(self, edge: Edge) -> Iterator[_Constraint]:
        match edge.operation:
            case Assign(target=VariableReference(variable=variable), value=value):
                yield variable, value, edge.source
            case Input(target=VariableReference(variable=variable)):
                yield variable, None, edge.source
            case Call(function=name) as call if name in self._program.functions:
                yield from self._of_call(edge, call, self._program.functions[name])
            case Call(target=VariableReference(variable=variable)) as call:
                yield from ((variable, value, edge.source) for value in self._given_back(edge, call))
            case Unmodelled(writes=None):
                function = self._program.functions[edge.reference.function]
                statics = (initialiser.variable for initialiser in self._program.statics)
                everything = (*function.parameters, *function.locals, *statics)
                yield from ((variable, None, edge.source) for variable in everything)
            case Unmodelled(writes=tuple(writes)):
                for target in writes:
                    if isinstance(target, VariableReference):
                        yield target.variable, None, edge.source

    def _of_call(self, edge: Edge, call: Call, function: Function) -> Iterator[_Constraint]:
        for number, parameter in enumerate(function.parameters):
            yield parameter, call.arguments[number] if number < len(call.arguments) else None, edge.source
        if isinstance(call.target, VariableReference):
            for returning in function.edges:
                if isinstance(returning.operation, Return):
                    yield call.target.variable, returning.operation.value, returning.source

    # ---- values

    def _value(self, value: Expression | Places | None, location: int) -> Places | None:
        """Where a value points at a location, ``None``: anywhere."""
        match value:
            case None | Mapping():
                return value
            case Cast(operand=operand) if isinstance(operand.type, PointerType):
                return self._value(operand, location)
            case Cast(operand=IntegerConstant(value=0)) | IntegerConstant(value=0):
                return _NULL
            case VariableReference(variable=variable) if self._is_followed(variable):
                known = self._places.get(variable, {})
                has_value = variable.is_static or variable in self._assigned[location]
                return known if known is None or has_value else {**known, **_NULL}
            case AddressOf(operand=operand):
                return self._lvalue(operand, location)
            case Binary(operator="+" | "-", left=left, right=right) if isinstance(value.type, PointerType):
                base, index = (left, right) if isinstance(left.type, PointerType) else (right, left)
                assert isinstance(base.type, PointerType)
                return self._moved(self._value(base, location), base.type.target, index)
        return None

    def _lvalue(self, lvalue: Expression, location: int) -> Places | None:
        """Where an lvalue lies."""
        match lvalue:
            case VariableReference(variable=variable):
                return None if variable.function in self._recursive else {variable: 0}
            case Dereference(pointer=pointer):
                return self._value(pointer, location)
            case Subscript(array=array, index=index):
                return self._moved(self._lvalue(array, location), lvalue.type, index)
            case Member(base=base, field=field):
                offset = self._program.types.field(lvalue.struct, field).offset
                return _shifted(self._lvalue(base, location), offset)
            case Cast(operand=operand):
                return self._lvalue(operand, location)
        return None

    def _moved(self, places: Places | None, element: CType, index: Expression) -> Places | None:
        """The places so many elements further on."""
        size = _size(self._program.types, element)
        if size is None:
            return None
        number = _constant(index)
        return _shifted(places, size if number is None else size * abs(number))

    # ---- library functions

    def _given_back(self, edge: Edge, call: Call) -> Iterator[Expression | Places | None]:
        """Where what a function without a body returns may point: each of these."""
        name = call.function.removeprefix("__builtin_")
        if name in _GIVING_BACK:
            yield call.arguments[0]
        elif name in _FINDING:
            begin = Cast(call.arguments[0], PointerType(CHAR))
            yield Binary("+", begin, IntegerConstant(1, INT), begin.type)  # so many characters, or any other number
            yield _NULL
        else:
            yield self._allocated(edge, call)

    def _allocated(self, edge: Edge, call: Call) -> Places | None:
        """The blocks that an allocation makes in the frames of its function; ``None`` if they are not known apart."""
        if call.function.removeprefix("__builtin_") not in ALLOCATORS or self._is_repeated(edge):
            return None
        contexts = self._contexts_of(edge.reference.function)
        if contexts is None:
            return None
        found = [Block(context, edge.number) for context in contexts]
        self._blocks.update(dict.fromkeys(found, call))
        return dict.fromkeys(found, 0)

    def _contexts_of(self, name: str) -> tuple[tuple[int, ...], ...] | None:
        """The contexts in which a function is called, each once in an execution; ``None`` if that is not so."""
        if name not in self._contexts:
            self._contexts[name] = self._all_contexts(name)
        return self._contexts[name]

    def _all_contexts(self, name: str) -> tuple[tuple[int, ...], ...] | None:
        if name in self._callable or name in self._recursive:
            return None
        if name == self._program.entry:
            return ((),)
        found: list[tuple[int, ...]] = []
        for edge in self._calls.get(name, ()):
            outer = None if self._is_repeated(edge) else self._contexts_of(edge.reference.function)
            if outer is None or len(found) + len(outer) > _MOST_BLOCKS:
                return None
            found += [(*context, edge.number) for context in outer]
        return tuple(found)

    def _is_repeated(self, edge: Edge) -> bool:
        """Whether the edge stands in a loop of its function."""
        name = edge.reference.function
        if name not in self._orders:
            self._orders[name] = order(self._program.functions[name])
        return bool(self._orders[name].nest[edge.source])


def _assigned(function: Function, is_followed: Callable[[Variable], bool]) -> dict[int, frozenset[Variable]]:
    """The local pointers that have a value at each location of a function, on every path from its entry."""
    everything = frozenset(v for v in (*function.parameters, *function.locals) if is_followed(v))
    found = dict.fromkeys(function.leaving, everything)
    found[function.entry] = everything & frozenset(function.parameters)
    pending = [function.entry]
    visited = set()
    while pending:
        location = pending.pop()
        for edge in function.leaving[location]:
            after = found[location]
            match edge.operation:
                case Declare(variable=variable):
                    after -= {variable}
                case Assign(target=target) | Input(target=target) | Call(target=target):
                    if isinstance(target, VariableReference):
                        after |= {target.variable} & everything
            after &= found[edge.target]
            if after != found[edge.target] or edge.target not in visited:
                found[edge.target] = after
                visited.add(edge.target)
                pending.append(edge.target)
    return found


def _shifted(places: Places | None, distance: int) -> Places | None:
    return None if places is None else {place: gcd(multiple, distance) for place, multiple in places.items()}


def _size(types: TypeTable, type_: CType) -> int | None:
    try:
        return types.size_of(type_)
    except ValueError:
        return None


def _constant(index: Expression) -> int | None:
    """The value of a constant index, if conversions do not change it."""
    match index:
        case IntegerConstant(value=value):
            return value
        case Cast(operand=IntegerConstant(value=value, type=inner), type=IntegerType(width=width)):
            return value if value >= 0 and width >= inner.width else None
    return None


def _designated(program: Program) -> Iterator[str]:
    """The functions that something else than a call by name mentions."""
    expressions = [e for edge in program.edge_list for e in operands_of(edge.operation)]
    expressions += [value for initialiser in program.statics for _, value in initialiser.assignments]
    for expression in expressions:
        yield from (part.name for part in walk(expression) if isinstance(part, FunctionReference))
