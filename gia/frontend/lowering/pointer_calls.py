"""Calls through pointers: of one of the functions whose address is taken somewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pycparser import c_ast

from gia.cfa.c_expressions import expression_to_c
from gia.cfa.expressions import (
    Binary,
    Expression,
    FunctionReference,
    IntegerConstant,
    VariableReference,
)
from gia.cfa.operations import UNKNOWN_CALL, Assume, Unmodelled
from gia.cfa.types import INT, VOID, CType, FunctionType, PointerType, StructType, is_scalar
from gia.frontend import operators
from gia.frontend.conversions import convert, decay
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.externals import note_external
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.symbols import FunctionSymbol

NamedCall = Callable[[Node, FunctionSymbol, tuple[Expression, ...], VariableReference | None], None]
"""Calls a function with converted arguments and stores its value."""


class PointerCalls:
    """Lowers calls through pointers in one function."""

    def __init__(self, context: FunctionContext, call: NamedCall) -> None:
        self._context = context
        self._graph = context.graph
        self._call = call

    def candidates(self, count: int, type_: CType) -> list[FunctionSymbol]:
        """The functions whose address is taken and that a call of a ``type_`` with ``count`` arguments may reach.

        One of another number of parameters is called where the type says nothing of them, or where a cast can have
        changed it: C does not define such a call, but compilers make it, and what the function does is seen.
        """
        unit = self._context.unit
        anything = isinstance(type_, FunctionType) and type_.unspecified
        found = []
        for name, in_cast in unit.escaping.items():
            symbol = unit.file_scope.find(name)
            if isinstance(symbol, FunctionSymbol):
                fits = len(symbol.type.parameters) == count or symbol.type.unspecified
                more = symbol.type.variadic and len(symbol.type.parameters) <= count
                if fits or more or ((anything or in_cast) and name in unit.defined):
                    found.append(symbol)
        return found

    def dispatch(
        self,
        node: Node,
        pointer: Expression,
        arguments: tuple[Expression, ...],
        result: VariableReference | None,
    ) -> None:
        """Call that of the candidates to which ``pointer`` leads; any other is unknown, and null ends the program."""
        unit, graph = self._context.unit, self._graph
        position, text = unit.position(node), unit.text(node)
        start, behind = graph.here, graph.location()
        assert isinstance(pointer.type, PointerType)
        null = convert(IntegerConstant(0, INT), pointer.type)
        tests: list[Expression] = [Binary("==", pointer, null, INT)]
        for symbol in self.candidates(len(arguments), pointer.type.target):
            note_external(self._context, symbol, position)
            reference = FunctionReference(symbol.name, symbol.type)
            test = Binary("==", pointer, convert(decay(reference), pointer.type), INT)
            adapted = self._adapted(arguments, symbol.type)
            if adapted is None or not _gives(symbol.type.result, result):
                continue
            tests.append(test)
            graph.emit(Assume(test, True), position, f"{text}: {symbol.name}", source=start)
            self._called_as(node, symbol, adapted, result)
            graph.join(behind, position)
        known = reduce(lambda left, right: Binary("||", left, right, INT), tests)
        graph.emit(Assume(known, False), position, f"{text}: another function", source=start)
        shown = ", ".join(expression_to_c(argument, self._context.c_names) for argument in arguments)
        stored = "" if result is None else f"{self._context.c_name(result.variable)} = "
        code = f"{stored}(*{expression_to_c(pointer, self._context.c_names)})({shown});"
        graph.emit(Unmodelled(code, UNKNOWN_CALL, None, True), position, text)
        graph.join(behind, position)
        graph.start(behind)

    def _adapted(self, arguments: tuple[Expression, ...], type_: FunctionType) -> tuple[Expression, ...] | None:
        """The arguments that a function takes, converted to what it expects; ``None`` if they cannot be."""
        converted = list(arguments if type_.variadic else arguments[: len(type_.parameters)])
        for index, (argument, parameter) in enumerate(zip(arguments, type_.parameters, strict=False)):
            if isinstance(parameter, StructType) or isinstance(argument.type, StructType):
                if argument.type != parameter:
                    return None
            else:
                try:
                    converted[index] = operators.cast(argument, parameter, self._context.types)
                except TypingError:
                    return None
        return tuple(converted)

    def _called_as(
        self, node: Node, symbol: FunctionSymbol, arguments: tuple[Expression, ...], result: VariableReference | None
    ) -> None:
        """Call one of the functions that a pointer may point to, and store its value as the pointer's type says."""
        type_ = symbol.type.result
        needed = result is not None and type_ != VOID
        direct = result if needed and result is not None and result.type == type_ else None
        target = direct or (self._graph.reference(type_) if needed else None)
        shadow = c_ast.FuncCall(c_ast.Constant("int", symbol.name), node.args, node.coord)
        self._context.unit.tree.extents[shadow] = self._context.unit.extent(node)
        self._call(shadow, symbol, arguments, target)
        if result is not None and target is not None and not direct and operators.is_convertible(type_, result.type):
            value = operators.cast(target, result.type, self._context.types)
            self._context.assign(result, value, node)


def _gives(given: CType, result: VariableReference | None) -> bool:
    """Whether a number or pointer that a function returns can be one of the type that is wanted."""
    if result is None or not is_scalar(given) or not is_scalar(result.type):
        return True
    return operators.is_convertible(given, result.type)
