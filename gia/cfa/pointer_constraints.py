"""What each operation of a program says about pointers: constraints, as functions that see to it that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from gia.cfa.allocations import MOVING, Allocations
from gia.cfa.expressions import (
    COMPARISONS,
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    FunctionReference,
    Member,
    Subscript,
    Unary,
    Variable,
    VariableReference,
    children,
    pointer_under,
    without_casts,
    written_constant,
)
from gia.cfa.graph import Edge, Function, Initialiser, Program
from gia.cfa.library_effects import FINDING, GIVING_BACK, destination, library_function, without_effect
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import UNKNOWN_CALL, Assign, Assume, Call, Input, Operation, Return, Unmodelled, operands_of
from gia.cfa.places import ANYWHERE, BEGIN, ENDLESS, FORGED, NOWHERE, NULL, OUTSIDE, Code, Places
from gia.cfa.pointer_library import LibraryWrites, most_bytes
from gia.cfa.pointer_memory import PointerMemory
from gia.cfa.pointer_values import PointerValues, constant, is_null, size_of, spread_out
from gia.cfa.types import ArrayType, IntegerType, PointerType, is_scalar

Constraint = Callable[[], None]
_FORGED: Places = {FORGED: ANYWHERE}
_OUTSIDE: Places = {OUTSIDE: ANYWHERE}


class Constraints:
    """The constraints of a program.

    ``callable_`` are the functions that may be called in other ways than by their name. ``include`` adds to where a
    variable may point, and says whether it is followed by its name.
    """

    def __init__(
        self,
        program: Program,
        memory: PointerMemory,
        values: PointerValues,
        callable_: frozenset[str],
        include: Callable[[Variable, Places], bool],
    ) -> None:
        self._program = program
        self._memory = memory
        self._values = values
        self.allocations = Allocations(program, callable_)
        self._library = LibraryWrites(program, memory, self._value, self._give_away)
        self._include = include
        self._start = program.functions[program.entry].entry
        codes = [edge.operation.code for edge in program.edge_list if isinstance(edge.operation, Unmodelled)]
        self._limits = frozenset(v for function in program.functions.values() for v in function.limits)
        named = (name for name in program.functions if any(name in code for code in codes))
        self._callable = callable_ | frozenset(named)
        self.known_calls: set[int] = set()
        """The edges with calls of unknown functions whose pointers lead to known ones only, as far as was seen."""

    def all(self) -> Iterator[Constraint]:
        """Every constraint; those about the start of the program first."""
        for initialiser in self._program.statics:
            yield partial(self._initialise, initialiser)
            yield from self._of_operands([(value, True) for _, value in initialiser.assignments], self._start)
        for parameter in self._program.functions[self._program.entry].parameters:
            yield partial(self._assign, VariableReference(parameter), self._start, _OUTSIDE, self._start)
        for name in sorted(self._callable & self._program.functions.keys()):
            yield partial(self._call_from_outside, self._program.functions[name])
        reachable = self._program.derived(reachable_functions)
        for edge in self._program.edge_list:
            if edge.reference.function not in reachable:
                continue
            yield from self._of_operands(_evaluated(edge.operation), edge.source)
            yield from self._of_operation(edge)

    # ---- the start

    def _initialise(self, initialiser: Initialiser) -> None:
        variable = initialiser.variable
        size = size_of(variable.type, self._program.types) if isinstance(variable.type, ArrayType) else None
        if not any(isinstance(target, VariableReference) for target, _ in initialiser.assignments):
            self._include(variable, NULL)
        for target, value in initialiser.assignments:
            if isinstance(target, VariableReference) and self._include(variable, self._value(value, self._start)):
                continue
            begin = self._values.lvalue(target, self._start).get(variable, ANYWHERE)
            if begin.modulus:
                self._memory.give_number(variable, 0, ENDLESS)
            elif isinstance(target.type, PointerType):
                self._memory.give(variable, size, begin.rest, self._value(value, self._start))
            else:
                self._memory.give_number(variable, begin.rest, size_of(target.type, self._program.types) or ENDLESS)

    def _call_from_outside(self, function: Function) -> None:
        """Let unknown code call a function if it may have its address."""
        if not self._memory.has_escaped(Code(function.name)):
            return
        for parameter in function.parameters:
            self._assign(VariableReference(parameter), function.entry, _OUTSIDE, function.entry)
        for edge in function.edges:
            if isinstance(edge.operation, Return) and edge.operation.value is not None:
                self._give_away(edge.operation.value, edge.source)

    # ---- operands

    def _of_operands(self, operands: list[tuple[Expression, bool]], location: int) -> Iterator[Constraint]:
        """Pointers and their bytes that are turned into numbers; with each operand goes whether its value is read."""
        pending = operands
        while pending:
            part, is_value = pending.pop()
            match part:
                case Cast(operand=operand, type=type_) if isinstance(operand.type, PointerType):
                    if not isinstance(type_, PointerType) and not (isinstance(type_, IntegerType) and type_.is_bool):
                        yield partial(self._escape, operand, location)
                case Binary(operator="-", left=left, right=right) if is_null(right):
                    yield partial(self._escape, left, location)
                case VariableReference() | Dereference() | Subscript() | Member() if is_value and _is_number(part):
                    if not isinstance(part, VariableReference) or part.variable in self._program.address_taken:
                        yield partial(self._read, part, location)
            pending += self._below(part, is_value=is_value)

    def _below(self, part: Expression, *, is_value: bool) -> Iterator[tuple[Expression, bool]]:
        """The operands of an expression, each with whether its value is asked for and not only where it lies."""
        match part:
            case AddressOf(operand=operand) | Member(base=operand):
                yield operand, False
            case Subscript(array=array, index=index):
                yield from ((array, False), (index, True))
            case Cast(operand=operand):
                yield operand, is_value
            case Binary() | Unary():
                yield from ((operand, True) for operand in _without_numbers(part))
            case _:
                yield from ((child, True) for child in children(part))

    def _escape(self, pointer: Expression, location: int) -> None:
        self._memory.escape(self._values.value(pointer, location))

    def _read(self, lvalue: Expression, location: int) -> None:
        self._memory.read(*self._bytes_of(lvalue, location))

    def _give_away(self, value: Expression, location: int) -> None:
        """Let unknown code have a value."""
        if isinstance(value.type, PointerType):
            self._escape(value, location)
        elif not is_scalar(value.type):
            self._read(value, location)

    # ---- operations

    def _of_operation(self, edge: Edge) -> Iterator[Constraint]:
        source = edge.source
        match edge.operation:
            case Assign(target=target, value=value):
                if isinstance(target, VariableReference) or pointer_under(target) not in self._limits:
                    yield from self._assigning(target, source, value, source)
            case Input(target=target) if target is not None:
                yield from self._assigning(target, source, None, source)
            case Call(function=name) as call if name in self._program.functions:
                yield from self._of_call(edge, call, self._program.functions[name])
            case Call() as call:
                yield partial(self._call_library, edge, call)
            case Unmodelled(writes=None, reason=reason):
                called = self._called_pointer(edge) if reason == UNKNOWN_CALL else None
                if called is None:
                    yield partial(self._lose_all, self._program.functions[edge.reference.function])
                else:
                    self.known_calls.add(edge.number)
                    yield partial(self._call_unknown, edge, *called)
            case Unmodelled(writes=tuple(writes)):
                for target in writes:
                    yield from self._assigning(target, source, None, source)

    def _of_call(self, edge: Edge, call: Call, function: Function) -> Iterator[Constraint]:
        for number, parameter in enumerate(function.parameters):
            argument = call.arguments[number] if number < len(call.arguments) else None
            yield from self._assigning(VariableReference(parameter), function.entry, argument, edge.source)
            if argument is not None and parameter in function.limits:
                limit = call.arguments[function.parameters.index(function.limits[parameter])]
                yield partial(self._write_at_most, argument, limit, edge.source)
        for argument in call.arguments[len(function.parameters) :]:
            yield partial(self._give_away, argument, edge.source)
        if call.target is not None:
            for returning in function.edges:
                if isinstance(returning.operation, Return):
                    value = returning.operation.value
                    yield from self._assigning(call.target, edge.source, value, returning.source)

    def _write_at_most(self, pointer: Expression, limit: Expression, location: int) -> None:
        """Let a model write to where it is told, unless that is what its own caller has told."""
        if pointer_under(pointer) not in self._limits:
            self._memory.overwrite(self._value(pointer, location), most_bytes(self._program, limit, location))

    def _assigning(
        self, target: Expression, at: int, value: Expression | Places | None, location: int
    ) -> Iterator[Constraint]:
        """Nothing if neither side has to do with pointers, nor with memory."""
        is_plain = isinstance(target, VariableReference) and target.variable not in self._program.address_taken
        from_pointer = isinstance(value, Expression) and isinstance(value.type, PointerType)
        if not (is_plain and _is_number(target)) or from_pointer:
            yield partial(self._assign, target, at, value, location)

    def _assign(self, target: Expression, at: int, value: Expression | Places | None, location: int) -> None:
        """Let a target hold a value (``None``: anything), evaluated at a location."""
        if isinstance(target.type, PointerType):
            places = self._value(value, location)
            if not (isinstance(target, VariableReference) and self._include(target.variable, places)):
                self._memory.store(self._values.lvalue(target, at), places)
            return
        if isinstance(value, Expression) and isinstance(value.type, PointerType):
            self._escape(value, location)
        places, size = self._bytes_of(target, at)
        if is_scalar(target.type) or value is None or isinstance(value, Mapping):
            self._memory.overwrite(places, size)
        else:
            self._memory.copy(places, self._values.lvalue(value, location), size)

    def _value(self, value: Expression | Places | None, location: int) -> Places:
        """Where a value points; one that was no pointer before may point anywhere."""
        if isinstance(value, Mapping):
            return value
        if value is None or not isinstance(value.type, PointerType):
            return _FORGED
        return self._values.value(value, location)

    def _bytes_of(self, lvalue: Expression, location: int) -> tuple[Places, int]:
        """Where an lvalue lies, and how many bytes of it there are."""
        places, types = self._values.lvalue(lvalue, location), self._program.types
        if isinstance(lvalue, Member):
            field = types.field(lvalue.struct, lvalue.field)
            if field.bit_width is not None:
                first, last = field.bit_offset // 8, (field.bit_offset + field.bit_width - 1) // 8
                return {place: distance.moved(first) for place, distance in places.items()}, last - first + 1
        return places, min(size_of(lvalue.type, types) or ENDLESS, ENDLESS)

    # ---- calls of what is not seen

    def _call_library(self, edge: Edge, call: Call) -> None:
        name, location = library_function(call), edge.source
        blocks = self.allocations.of(edge, call)
        if call.target is not None:
            result: Places = _OUTSIDE if blocks is None else dict.fromkeys(blocks, BEGIN)
            if name in MOVING and not all(map(constant, call.arguments[1:])):  # zero bytes: it may be freed
                result = {**NULL, **result}
            if call.arguments and name in GIVING_BACK:
                result = self._values.value(call.arguments[0], location)
            elif call.arguments and name in FINDING:
                result = {**NULL, **spread_out(self._values.value(call.arguments[0], location))}
            if not isinstance(call.target.type, PointerType):
                self._memory.escape(result)
            self._assign(call.target, location, result, location)
        if blocks is not None:
            self._library.allocate(call, location, blocks)
            return
        if without_effect(call):
            return
        written = destination(call)
        if written is not None:
            if pointer_under(written) not in self._limits:
                self._library.write(call, location)
        else:
            for argument in call.arguments:
                self._give_away(argument, location)

    def _lose_all(self, function: Function) -> None:
        """Let unknown code change what it likes that has an address, and what it can name."""
        self._memory.lose_all()
        statics = (initialiser.variable for initialiser in self._program.statics)
        for variable in (*function.parameters, *function.locals, *statics):
            self._include(variable, _FORGED)

    def _call_unknown(self, edge: Edge, pointer: Expression, known: frozenset[str]) -> None:
        """Let a pointer be called that leads to none of the functions that are known."""
        places = self._values.value(pointer, edge.source)
        if any(place is not NOWHERE and not (isinstance(place, Code) and place.name in known) for place in places):
            self.known_calls.discard(edge.number)
            self._lose_all(self._program.functions[edge.reference.function])

    def _called_pointer(self, edge: Edge) -> tuple[Expression, frozenset[str]] | None:
        """The pointer that is called on an edge, and the functions that it does not lead to there."""
        function = self._program.functions[edge.reference.function]
        entering = function.entering.get(edge.source, ())
        if len(entering) != 1 or not isinstance(entering[0].operation, Assume) or entering[0].operation.outcome:
            return None
        pointers: dict[Expression, None] = {}
        names: set[str] = set()
        pending = [entering[0].operation.condition]
        while pending:
            part = pending.pop()
            if isinstance(part, Binary) and part.operator == "||":
                pending += (part.left, part.right)
                continue
            if not isinstance(part, Binary) or part.operator != "==":
                return None
            compared = without_casts(part.right)
            if isinstance(compared, AddressOf) and isinstance(compared.operand, FunctionReference):
                names.add(compared.operand.name)
            elif written_constant(compared) != 0:
                return None
            pointers[part.left] = None
        return (next(iter(pointers)), frozenset(names)) if len(pointers) == 1 else None


def _evaluated(operation: Operation) -> list[tuple[Expression, bool]]:
    """The operands of an operation, each with whether its value is read, as that of a target is not."""
    targets: tuple[Expression, ...] = ()
    match operation:
        case Assume(condition=condition):
            return [(_tested(condition), True)]
        case Assign(target=target) | Input(target=target) | Call(target=target) if target is not None:
            targets = (target,)
        case Unmodelled(writes=tuple(writes)):
            targets = writes
    return [(operand, not any(operand is target for target in targets)) for operand in operands_of(operation)]


def _without_numbers(part: Binary | Unary) -> tuple[Expression, ...]:
    """The operands, with pointers in the places of their numbers where nobody has such a number then.

    That is so where only its truth matters, or where it is compared with that of another, or with a constant, which is
    no address. A pointer may be equal to any other number that somebody has.
    """
    operands = children(part)
    tested = tuple(map(_tested, operands))
    if part.operator in COMPARISONS:
        are_known = (t is not o or constant(o) is not None for t, o in zip(tested, operands, strict=True))
        return tested if all(are_known) else operands
    return tested if part.operator in ("!", "&&", "||") else operands


def _tested(number: Expression) -> Expression:
    """The pointer that was made a number, instead of this; anything else is left."""
    return number.operand if isinstance(number, Cast) and isinstance(number.operand.type, PointerType) else number


def _is_number(expression: Expression) -> bool:
    return is_scalar(expression.type) and not isinstance(expression.type, PointerType)
