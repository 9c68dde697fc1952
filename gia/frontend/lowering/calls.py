"""Calls: of functions with a body, of the library, of inputs, and of functions that do not return."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pycparser import c_ast

from gia.cfa.expressions import (
    Binary,
    Expression,
    IntegerConstant,
    LValue,
    Storage,
    VariableReference,
)
from gia.cfa.operations import Assume, Call, Halt, Input
from gia.cfa.types import (
    INT,
    LONG_LONG,
    VOID,
    CType,
    FunctionType,
    PointerType,
    StructType,
    is_scalar,
)
from gia.frontend import library, operators
from gia.frontend.conversions import convert, integer, promote_argument
from gia.frontend.diagnostics import value_is_input
from gia.frontend.library_variables import set_by
from gia.frontend.lowering.atomics import Atomics
from gia.frontend.lowering.builtins import Builtins
from gia.frontend.lowering.call_backs import CallBacks
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.externals import is_input, is_of_others, largest_value, note_external
from gia.frontend.lowering.pointer_calls import PointerCalls
from gia.frontend.lowering.variable_arguments import VariableArguments
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.probes import CallProbe
from gia.frontend.symbols import FunctionSymbol, OpaqueSymbol, VariableSymbol
from gia.frontend.wide_bit_fields import unmarked

_ANY_ARGUMENTS = FunctionType(VOID, (), unspecified=True)

_IN_MACROS = library.ERROR_FUNCTIONS | library.STACK_ALLOCATION
"""Macros of the C library call these where the program's own code is: ``assert``, ``alloca``."""


class CallLowering:
    """Lowers calls in one function."""

    def __init__(self, context: FunctionContext, expressions: ExpressionLowering) -> None:
        self._context = context
        self._graph = context.graph
        self._expressions = expressions
        self._atomics = Atomics(context)
        self._builtins = Builtins(context, expressions)
        self._through_pointers = PointerCalls(context, self.named)
        self._call_backs = CallBacks(context, self._through_pointers)

    # ------------------------------------------------------------------ interface
    def call(
        self,
        node: Node,
        used: bool,
        target: VariableReference | None = None,
        *,
        before_call: Callable[[], None] = lambda: None,
        later: Sequence[Node] = (),
    ) -> Expression:
        """The value of a call. It is stored in ``target`` at once, and ``target`` returned, if the types agree.

        ``before_call`` is done once, between the evaluation of the arguments and the call; ``later`` is what it
        evaluates.
        """
        symbol = self._callee(node.name)
        if symbol is None:
            return self._indirect(node, used, before_call, later)
        special = self._special(symbol.name, node)
        if special is not None:
            before_call()
            return special
        arguments = self._arguments(node, symbol.type, later)
        before_call()
        result = self._result(symbol.type.result, used, target)
        self.named(node, symbol, arguments, result)
        return operators.NOTHING if result is None else result

    # ------------------------------------------------------------------ parts
    def _callee(self, node: Node) -> FunctionSymbol | None:
        """The function that a call names; an unknown name declares it (as old C does)."""
        if not isinstance(node, c_ast.ID):
            return None
        symbol = self._context.scope.find(node.name)
        if isinstance(symbol, FunctionSymbol):
            return symbol
        if isinstance(symbol, VariableSymbol):
            return None
        if isinstance(symbol, OpaqueSymbol):
            raise TypingError(symbol.reason)
        if symbol is not None:
            raise TypingError(f"{node.name} is called")
        plain = library.library_name(node.name)
        if plain in library.MACROS and plain not in self._context.unit.defined:
            raise TypingError(f"{plain} without a declaration: is #include {library.MACROS[plain]} missing?")
        type_ = library.implicit_type(plain, self._context.types.data_model)
        declared = FunctionSymbol(node.name, type_, declared=False)
        self._context.unit.file_scope.names[node.name] = declared
        return declared

    def _special(self, name: str, node: Node) -> Expression | None:
        """The value of a call of one of the compiler's functions; ``None`` if the function is called like any other."""
        if self._atomics.is_one(name):
            return self._atomics.lower(name, node, self._arguments(node, _ANY_ARGUMENTS, ()))
        return self._builtins.expression(name, node)

    def _arguments(self, node: Node, type_: FunctionType, later: Sequence[Node]) -> tuple[Expression, ...]:
        """The converted arguments, evaluated from right to left; evaluating ``later`` does not change them."""
        nodes: Sequence[Node] = node.args.exprs if node.args is not None else ()
        values: list[Expression] = []
        for index in reversed(range(len(nodes))):
            value = self._expressions.handed_on(nodes[index])
            if index < len(type_.parameters):
                value = self._passed(value, type_.parameters[index], nodes[index])
            else:
                value = promote_argument(unmarked(value), self._context.types)
            values.append(self._context.preserve(value, nodes[index], [*nodes[:index], *later]))
        return tuple(reversed(values))

    def _passed(self, value: Expression, type_: CType, node: Node) -> Expression:
        """The value converted as an argument; gcc has made sure that other types are those of a transparent union."""
        if isinstance(type_, StructType) and type_.is_union and value.type != type_:
            return self._context.in_union(value, type_, node)
        return operators.assignable(value, type_, self._context.types)

    def _result(self, type_: CType, used: bool, target: VariableReference | None) -> VariableReference | None:
        if type_ == VOID:
            return None
        if target is not None and target.type == type_:
            return target
        return self._graph.reference(type_) if used else None

    # ------------------------------------------------------------------ calls by name
    def named(
        self, node: Node, symbol: FunctionSymbol, arguments: tuple[Expression, ...], target: VariableReference | None
    ) -> None:
        """Call a function with converted arguments and store its value."""
        unit, name = self._context.unit, symbol.name
        position, text = unit.position(node), _shown(target, unit.text(node))
        if name in unit.defined:
            defined = unit.file_scope.names[name]
            if isinstance(defined, FunctionSymbol) and defined.type.variadic:
                arguments = VariableArguments(self._context).packed(node, defined.type, arguments)
            self._probe(node, self._graph.emit(Call(target, name, arguments), position, text))
            return
        if not symbol.declared and library.is_unknown_builtin(name, self._context.types.data_model):
            raise TypingError(f"{name}, a function of the compiler")
        if name in library.ASSUME:
            self._assume(node, arguments)
            return
        if self._builtins.statement(name, node, arguments, target):
            return
        note_external(self._context, symbol, position)
        name = library.library_name(name)
        if name in library.HALTING:
            self._halt(node, name, arguments)
            return
        if is_input(symbol) and symbol.type.result != VOID:
            has_effect = self._change_what_is_given(node, symbol, arguments)
            self._input(node, symbol, target, has_effect=has_effect)
            return
        if name in library.HALTING_UNLESS_ZERO:
            arguments = self._with_status_kept(node, arguments)
        call = Call(target, name, arguments)
        self._probe(node, self._graph.emit(call, position, text))
        self._warn(node, symbol, call)
        self._set_variables(node, name)
        if is_of_others(symbol):
            self._do_in_memory(node, name, arguments)
        else:
            self._call_backs.called_by(node, arguments)
        if name in library.ERROR_FUNCTIONS or symbol.noreturn:
            self._halt(node, "abort", ())
            return
        if name in library.HALTING_UNLESS_ZERO and arguments:
            self._halt_unless_zero(node, arguments[0])

    def _warn(self, node: Node, symbol: FunctionSymbol, call: Call) -> None:
        """Say what a call of the library, or of a function that would be an input if it had a result, means."""
        unit, name = self._context.unit, call.function
        if self._graph.suspended or unit.is_foreign(node):
            return
        if is_input(symbol) and not name.startswith(library.INPUT_PREFIX):
            has_pointers = any(self._context.types.has_pointers(argument.type) for argument in call.arguments)
            what = "nothing but what its pointers lead to" if has_pointers else "nothing"
            unit.warn(unit.position(node), f"the function {name} has no body: it is taken to change {what}")
        if name in library.FROM_OUTSIDE:
            unit.warn(unit.position(node), f"what {name} reads is no input: tests run with an empty standard input")
        if name in library.REFUSED and call.target is not None:
            unit.warn(unit.position(node), f"tests may not do what {name} asks for: they end where it is called")

    def _set_variables(self, node: Node, function: str) -> None:
        """What a function of the library does to the library's variables."""
        for name in set_by(function):
            symbol = self._context.unit.file_scope.names.get(name)
            if isinstance(symbol, VariableSymbol):
                reference = VariableReference(symbol.variable)
                self._context.unmodelled(node, "", f"{name}, which {function} sets", (reference,), warn=False)

    def _halt(self, node: Node, name: str, arguments: tuple[Expression, ...]) -> None:
        unit = self._context.unit
        edge = self._graph.emit(Halt(name, arguments), unit.position(node), unit.text(node))
        if name in unit.text(node):
            self._probe(node, edge)
        self._graph.start_unreachable()

    def _change_what_is_given(self, node: Node, symbol: FunctionSymbol, arguments: tuple[Expression, ...]) -> bool:
        """Do what an input may do to the memory that it is given, if there can be no definition of it that does so
        (:func:`gia.frontend.harness.calling.returning_inputs`); whether there was something to do."""
        if symbol.has_prototype_for_file or symbol.name.startswith(library.INPUT_PREFIX):
            return False
        pointers = tuple(argument for argument in arguments if isinstance(argument.type, PointerType))
        if pointers:
            self._change(node, symbol.name, pointers)
        self._do_in_memory(node, symbol.name, arguments)
        return any(self._context.types.has_pointers(argument.type) for argument in arguments)

    def _do_in_memory(self, node: Node, function: str, arguments: tuple[Expression, ...]) -> None:
        """What a function without a body may do that a call of it alone does not show: change what pointers in structs
        lead to, and call back."""
        behind = self._behind_structs(node, arguments)
        if behind:
            self._change(node, function, behind)
        self._call_backs.called_by(node, arguments, (*arguments, *behind))

    def _change(self, node: Node, function: str, pointers: tuple[Expression, ...]) -> None:
        """Do what a function without a body may do to the memory to which pointers lead."""
        unit, name = self._context.unit, library.effect_of(function)
        position = unit.position(node)
        self._context.add_external(name, _ANY_ARGUMENTS, True, position)
        self._graph.emit(Call(None, name, pointers), position, unit.text(node))

    def _behind_structs(self, node: Node, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """Pointers to copies of the structs among the arguments that have pointers in them."""
        types = self._context.types
        structs = [a for a in arguments if isinstance(a.type, StructType) and types.has_pointers(a.type)]
        return tuple(operators.address_of(self._copied(struct, node)) for struct in structs)

    def _copied(self, value: Expression, node: Node) -> VariableReference:
        variable = self._context.new_variable("$given", value.type, Storage.LOCAL)
        self._context.declare_local(variable, node)
        self._context.assign(VariableReference(variable), value, node)
        return VariableReference(variable)

    def _input(self, node: Node, symbol: FunctionSymbol, target: VariableReference | None, *, has_effect: bool) -> None:
        unit = self._context.unit
        type_ = symbol.type.result
        position = unit.position(node)
        if not is_scalar(type_):
            shown = "" if target is None else f"{self._context.c_name(target.variable)} = "
            code = f"{shown}{symbol.name}();"
            self._context.unmodelled(node, code, f"an input of type {type_}", _written(target), reads_input=True)
            return
        edge = self._graph.emit(Input(target, symbol.name, type_), position, _shown(target, unit.text(node)))
        self._probe(node, edge)
        if not symbol.name.startswith(library.INPUT_PREFIX) and not self._graph.suspended:
            unit.warn(position, value_is_input(symbol.name, has_effect=has_effect))
        most = largest_value(symbol)
        if most is not None and target is not None:
            self._assume_random(node, target, most)

    def _assume_random(self, node: Node, value: VariableReference, most: int) -> None:
        """Assume that a value is one that a random number can have."""
        text, end = self._context.unit.text(node), Halt("__VERIFIER_assume", ())
        least, largest = integer(0, LONG_LONG), integer(most, LONG_LONG)
        wide = convert(value, LONG_LONG)
        self._halt_where(node, Binary("<=", least, wide, INT), f"{text} < 0", f"{text} >= 0", end)
        self._halt_where(node, Binary("<=", wide, largest, INT), f"{text} > {most}", f"{text} <= {most}", end)

    def _assume(self, node: Node, arguments: tuple[Expression, ...]) -> None:
        """``__VERIFIER_assume``: an execution in which the condition fails ends here and counts as none."""
        condition = arguments[0] if arguments else integer(1)
        text = self._context.unit.text(node.args.exprs[0]) if arguments else "1"
        self._halt_where(node, condition, f"!({text})", text, Halt("__VERIFIER_assume", ()))

    def _with_status_kept(self, node: Node, arguments: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """The arguments, of which the call does not change the first."""
        if not arguments or isinstance(arguments[0], IntegerConstant):
            return arguments
        return self._context.in_temporary(arguments[0], node.args.exprs[0]), *arguments[1:]

    def _halt_unless_zero(self, node: Node, status: Expression) -> None:
        if isinstance(status, IntegerConstant):
            if status.value:
                self._halt(node, "exit", (status,))
            return
        zero, text = Binary("==", status, integer(0), INT), self._context.unit.text(node.args.exprs[0])
        self._halt_where(node, zero, f"({text}) != 0", f"({text}) == 0", Halt("exit", (status,)))

    def _halt_where(self, node: Node, condition: Expression, failing: str, holding: str, halt: Halt) -> None:
        """End the run where the condition does not hold, which is no decision of the program."""
        unit = self._context.unit
        position, here, behind = unit.position(node), self._graph.here, self._graph.location()
        self._graph.emit(Assume(condition, False), position, failing)
        self._graph.emit(halt, position, unit.text(node))
        self._graph.emit(Assume(condition, True), position, holding, source=here, target=behind)

    def _probe(self, node: Node, edge: int) -> None:
        unit = self._context.unit
        if self._graph.suspended or not isinstance(node.name, c_ast.ID):
            return
        if unit.in_system_header(node) and node.name.name not in _IN_MACROS:
            return
        begin, end = unit.extent(node)
        unit.add_probe(lambda number: CallProbe(number, begin, end, edge))

    # ------------------------------------------------------------------ calls through pointers
    def _indirect(self, node: Node, used: bool, before_call: Callable[[], None], later: Sequence[Node]) -> Expression:
        """Call what a pointer points to: one of the functions whose address is taken somewhere."""
        pointer = self._expressions.value(node.name)
        type_ = pointer.type.target if isinstance(pointer.type, PointerType) else None
        if not isinstance(type_, FunctionType):
            raise TypingError("a call of something that is no function")
        nodes = node.args.exprs if node.args is not None else []
        pointer = self._context.preserve(pointer, node.name, [*nodes, *later])
        arguments = self._arguments(node, type_, later)
        before_call()
        result = self._result(type_.result, used, None)
        if not isinstance(pointer, VariableReference):
            pointer = self._context.in_temporary(pointer, node.name) if not self._graph.suspended else pointer
        if not self._graph.suspended:
            self._through_pointers.dispatch(node, pointer, arguments, result)
        return operators.NOTHING if result is None else result


def _shown(target: VariableReference | None, call: str) -> str:
    return call if target is None else f"{target.variable.name} = {call}"


def _written(target: LValue | None) -> tuple[LValue, ...]:
    return () if target is None else (target,)
