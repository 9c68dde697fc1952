"""Declarations inside of functions (ISO C 6.7, 6.8.2)."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from gia.cfa.expressions import Result, Storage, VariableReference
from gia.cfa.graph import Initialiser
from gia.cfa.types import CType, FunctionType, PointerType, is_of_unknown_length
from gia.frontend import operators
from gia.frontend.basic_types import OpaqueTypeError
from gia.frontend.conversions import decay
from gia.frontend.library_variables import reason_against
from gia.frontend.lowering.cleanups import Cleanups
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.initialisers import InitialiserLowering
from gia.frontend.operators import TypingError
from gia.frontend.parsing.attributes import assembler_name, runs_by_itself
from gia.frontend.parsing.syntax import Node
from gia.frontend.symbols import FunctionSymbol, OpaqueSymbol, VariableSymbol


class LocalDeclarations:
    """Lowers the declarations of one function's blocks."""

    def __init__(
        self,
        context: FunctionContext,
        expressions: ExpressionLowering,
        initialisation: InitialiserLowering,
        cleanups: Cleanups,
    ) -> None:
        self._context = context
        self._graph = context.graph
        self._expressions = expressions
        self._initialisation = initialisation
        self._cleanups = cleanups

    def define_type(self, node: Node) -> None:
        """``typedef``."""
        try:
            self._context.scope.names[node.name] = self._context.type_builder.new_name(node, self._context.scope)
        except OpaqueTypeError as problem:
            raise self._context.unit.not_supported(node, str(problem)) from None

    def declare(self, node: Node) -> None:
        """A declaration of a variable, a function or only of a struct, union or enumeration."""
        lengths, element = self._expressions.variable_length.dimensions(node.type)
        if lengths:
            self._variable_length_array(node, lengths, element)
            return
        rows, element = self._expressions.variable_length.rows_behind(node.type)
        if rows and not node.storage:
            self._pointer_to_rows(node, rows, element)
            return
        type_ = self._type(node)
        if node.name is None:
            return
        external = isinstance(type_, FunctionType) or "extern" in node.storage
        if external and assembler_name(node, self._context.unit.tree) is not None:
            raise self._context.unit.not_supported(node, "another name for the assembler in a block")
        if isinstance(type_, FunctionType):
            self._function(node, type_)
        elif external:
            self._extern(node, type_)
        elif "static" in node.storage:
            self._static(node, type_)
        elif is_of_unknown_length(type_) and node.init is None:
            raise self._context.unit.not_supported(node, "a variable-length array as a type with a name")
        else:
            self._automatic(node, self._initialisation.completed(type_, node.init))

    def _type(self, node: Node) -> CType:
        specifier = getattr(node.type, "type", None)
        if isinstance(specifier, c_ast.IdentifierType) and specifier.names == ["__auto_type"]:
            return decay(Result(self._expressions.type_of(node.init))).type
        try:
            return self._context.type_builder.declared_type(node, self._context.scope)
        except OpaqueTypeError as problem:
            raise self._context.unit.not_supported(node, str(problem)) from None

    def _automatic(self, node: Node, type_: CType) -> None:
        variable = self._context.new_variable(node.name, type_, Storage.LOCAL)
        self._context.declare(node.name, variable)
        if node.init is None or isinstance(node.init, c_ast.InitList):
            self._context.declare_local(variable, node)
        if node.init is not None:
            self._initialisation.local(VariableReference(variable), node.init)
        self._cleanups.declare(node, VariableReference(variable))

    def _static(self, node: Node, type_: CType) -> None:
        if runs_by_itself(self._context.type_builder.attributes(node)):
            raise self._context.unit.not_supported(node, "a function that runs before or after main")
        type_ = self._initialisation.completed(type_, node.init)
        variable = self._context.new_variable(node.name, type_, Storage.STATIC_LOCAL)
        self._context.declare(node.name, variable)
        statics = self._context.unit.statics
        if self._graph.suspended:
            return
        statics[variable] = Initialiser(variable)
        if node.init is not None:
            values = self._initialisation.static(VariableReference(variable), node.init)
            statics[variable] = Initialiser(variable, values)

    def _extern(self, node: Node, type_: CType) -> None:
        """The global of that name; declared nowhere else, it is one that this declaration makes known."""
        symbol = self._context.scope.outermost.find(node.name)
        if not isinstance(symbol, VariableSymbol):
            reason = symbol.reason if isinstance(symbol, OpaqueSymbol) else reason_against(node.name)
            if reason is not None:
                raise self._context.unit.not_supported(node, reason)
            symbol = self._context.unit.declare_variable(node, type_)
        self._context.scope.names[node.name] = symbol

    def _function(self, node: Node, type_: FunctionType) -> None:
        outermost = self._context.scope.outermost
        known = outermost.find(node.name)
        if not (isinstance(known, FunctionSymbol) and known.declared):
            never_returns = self._context.type_builder.never_returns(node)
            outermost.names[node.name] = FunctionSymbol(node.name, type_, never_returns, in_block=True)
        self._context.scope.names[node.name] = outermost.names[node.name]

    def _variable_length_array(self, node: Node, lengths: Sequence[Node], element: Node) -> None:
        try:
            type_ = self._context.type_builder.type_of(element, self._context.scope)
            self._expressions.variable_length.declare(node, lengths, type_)
        except TypingError as problem:
            raise self._context.unit.not_supported(node, str(problem)) from None

    def _pointer_to_rows(self, node: Node, lengths: Sequence[Node], element: Node) -> None:
        try:
            type_ = PointerType(self._context.type_builder.type_of(element, self._context.scope))
            variable = self._context.new_variable(node.name, type_, Storage.LOCAL)
            self._expressions.variable_length.declare_pointer(node, variable, lengths)
            if node.init is None:
                self._context.declare_local(variable, node)
            else:
                value = operators.assignable(self._expressions.handed_on(node.init), type_, self._context.types)
                self._context.assign(VariableReference(variable), value, node)
        except TypingError as problem:
            raise self._context.unit.not_supported(node, str(problem)) from None
