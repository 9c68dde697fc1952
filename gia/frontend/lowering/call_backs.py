"""Calls back: functions without a body call functions of the program to which they are given pointers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from msgspec import Struct

from gia.cfa.expressions import AddressOf, Binary, Expression, FunctionReference, IntegerConstant, VariableReference
from gia.cfa.operations import Assume
from gia.cfa.types import INT, ArrayType, CType, FunctionType, PointerType, StructType
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.pointer_calls import PointerCalls
from gia.frontend.parsing.syntax import Node


class _Callee(Struct, frozen=True):
    """What is called back: ``pointer``, with ``arguments``. Each time, what is ``unknown`` has other values."""

    pointer: Expression
    arguments: tuple[VariableReference, ...]
    unknown: tuple[VariableReference, ...]


class CallBacks:
    """Lowers calls back in one function."""

    def __init__(self, context: FunctionContext, through_pointers: PointerCalls) -> None:
        self._context = context
        self._graph = context.graph
        self._through_pointers = through_pointers
        self._is_calling = False

    def called_by(self, node: Node, given: Iterable[Expression], memory: Iterable[Expression] = ()) -> None:
        """What a function does that is given functions (as ``qsort`` is), and pointers to objects in ``memory``.

        It may call them, and those to which there are pointers in the objects (a table of operations): any whose
        address is taken. It does so any number of times, in any order. Those behind further pointers it is taken not to
        call. If one of them has no body either, what that may call is among what is called here, again and again.
        """
        if self._is_calling:
            return
        direct = [argument for argument in given if _is_function(argument)]
        found = [type_ for argument in memory for type_ in self._functions_behind(argument.type)]
        begun = [argument.type for argument in direct if isinstance(argument.type, PointerType)]
        types = [type_ for type_ in self._closure(begun, found) if self._may_be_of_program(type_)]
        callees = [self._callee(pointer, ()) for pointer in direct]
        callees += [self._callee(pointer, (pointer,)) for pointer in map(self._graph.reference, types)]
        if callees:
            self._is_calling = True
            self._call_any(node, callees)
            self._is_calling = False

    def _closure(self, begun: Iterable[PointerType], found: Iterable[PointerType]) -> list[PointerType]:
        """The types that are ``found``, and those of pointers that are given to functions without a body through
        pointers of these types or of those with which it has ``begun``."""
        unit = self._context.unit
        closure = dict.fromkeys(found)
        pending = [*begun, *closure]
        while pending:
            for symbol in self._through_pointers.candidates(*_signature(pending.pop())):
                if symbol.name in unit.defined:
                    continue
                for parameter in symbol.type.parameters:
                    new = [type_ for type_ in self._functions_for(parameter) if type_ not in closure]
                    closure.update(dict.fromkeys(new))
                    pending += new
        return list(closure)

    def _functions_for(self, parameter: CType) -> Iterator[PointerType]:
        """The types of the pointers to functions that a function without a body gets with a parameter."""
        if isinstance(parameter, PointerType) and isinstance(parameter.target, FunctionType):
            yield parameter
        elif isinstance(parameter, StructType):
            yield from self._functions_in(parameter)
        else:
            yield from self._functions_behind(parameter)

    def _functions_behind(self, type_: CType) -> Iterator[PointerType]:
        """The types of the pointers to functions in the object to which a pointer of a type leads."""
        if isinstance(type_, PointerType):
            yield from self._functions_in(type_.target)

    def _functions_in(self, type_: CType) -> Iterator[PointerType]:
        """The types of the pointers to functions in an object."""
        match type_:
            case PointerType(target=FunctionType()):
                yield type_
            case ArrayType(element=element):
                yield from self._functions_in(element)
            case StructType(tag=tag) if tag in self._context.types.layouts:
                for found in self._context.types.layouts[tag].fields:
                    yield from self._functions_in(found.type)

    def _may_be_of_program(self, type_: PointerType) -> bool:
        """Whether there is a function with a body that a pointer may lead to."""
        candidates = self._through_pointers.candidates(*_signature(type_))
        return any(symbol.name in self._context.unit.defined for symbol in candidates)

    def _callee(self, pointer: Expression, unknown: tuple[VariableReference, ...]) -> _Callee:
        assert isinstance(pointer.type, PointerType)
        type_ = pointer.type.target
        parameters = type_.parameters if isinstance(type_, FunctionType) else ()
        arguments = tuple(self._graph.reference(parameter) for parameter in parameters)
        return _Callee(pointer, arguments, (*arguments, *unknown))

    def _call_any(self, node: Node, callees: list[_Callee]) -> None:
        """Call them with unknown arguments, an unknown number of times, in an unknown order."""
        context, graph, position = self._context, self._graph, self._context.unit.position(node)
        again, behind = graph.location(), graph.location()
        chosen = graph.reference(INT)
        tests = [Binary("==", chosen, IntegerConstant(number, INT), INT) for number in range(1, len(callees) + 1)]
        graph.join(again, position)
        graph.start(again)
        context.unmodelled(node, "", "a function that is called back", None)
        written = (chosen, *(reference for callee in callees for reference in callee.unknown))
        context.unmodelled(node, f"{context.c_name(chosen.variable)} = 0;", "a call back", written)
        start = graph.here
        none = reduce(lambda left, right: Binary("||", left, right, INT), tests)
        graph.emit(Assume(none, False), position, "no more calls back", target=behind)
        for callee, test in zip(callees, tests, strict=True):
            graph.emit(Assume(test, True), position, "a call back", source=start)
            self._through_pointers.dispatch(node, callee.pointer, callee.arguments, None)
            graph.join(again, position)
        graph.start(behind)


def _is_function(argument: Expression) -> bool:
    """Whether an argument is a pointer to a function, by its type or, if it was cast, as it is written."""
    pointed = argument.type.target if isinstance(argument.type, PointerType) else None
    direct = isinstance(argument, AddressOf) and isinstance(argument.operand, FunctionReference)
    return isinstance(pointed, FunctionType) or direct


def _signature(type_: PointerType) -> tuple[int, CType]:
    """How many arguments a call through a pointer has, and the type that is called."""
    called = type_.target
    return (len(called.parameters) if isinstance(called, FunctionType) else 0), called
