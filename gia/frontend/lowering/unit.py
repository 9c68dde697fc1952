"""A translation unit as a program: declarations first, then the bodies of the functions."""

from __future__ import annotations

from contextlib import AbstractContextManager

from pycparser import c_ast

from gia.cfa.expressions import (
    AddressOf,
    Expression,
    Storage,
    Variable,
    VariableReference,
    walk,
    whole_of,
)
from gia.cfa.graph import Edge, Function, Initialiser
from gia.cfa.operations import operands_of
from gia.cfa.types import (
    INT,
    VOID,
    CType,
    DataModel,
    FunctionType,
    Layout,
    TypeTable,
)
from gia.frontend.basic_types import OpaqueTypeError
from gia.frontend.declarations import TypeBuilder
from gia.frontend.dimensions import parameter_rows, sizes_have_effects
from gia.frontend.library import limits_of
from gia.frontend.library_variables import VARIABLES, reason_against
from gia.frontend.lowering.context import FunctionContext, NotSupportedError, Unit
from gia.frontend.lowering.effects import Addressed, addressed_in
from gia.frontend.lowering.function import Lowering
from gia.frontend.lowering.variable_arguments import PARAMETER, POINTER
from gia.frontend.operators import TypingError, require_c_type
from gia.frontend.parsing.attributes import CLEANUP, MODE, assembler_name, runs_by_itself, unsupported
from gia.frontend.parsing.syntax import Coordinate, Node, SyntaxTree, defines_tag, parts_of, within
from gia.frontend.preprocessed import PreprocessedSource
from gia.frontend.symbols import FunctionSymbol, OpaqueSymbol, Scope, VariableSymbol

_ARGUMENT_PACK = "__builtin_va_arg_pack"
_BEFORE_OR_AFTER = "functions that run before or after main are not supported"


class UnitLowering:
    """Lowers a translation unit; after :meth:`run`, ``unit`` and ``functions`` hold all that it contains."""

    def __init__(self, source: PreprocessedSource, tree: SyntaxTree, model: DataModel, atomic: bool) -> None:
        layouts: dict[str, Layout] = {}
        self.unit = Unit(source, tree, atomic, layouts, TypeTable(model, layouts))
        self.functions: dict[str, Function] = {}
        self._symbols: set[str] = set()
        self._types = TypeBuilder(tree, self.unit.types, layouts, self)
        self._file = self._lowering("", VOID, None)
        self._file.context.graph.suspended = True
        self._current = self._file

    def _lowering(self, name: str, result: CType, definition: Node) -> Lowering:
        addressed = Addressed() if definition is None else addressed_in(definition)
        context = FunctionContext(self.unit, self._types, name, result, addressed)
        if definition is not None:
            context.scope = self._types.parameter_scope(definition.decl.type, self.unit.file_scope)
        return Lowering(context)

    # ------------------------------------------------------------------ for the types
    def constant(self, node: Node) -> int | None:
        """The value of a constant expression where the unit is being lowered."""
        return self._current.expressions.constant(node)

    def type_of(self, node: Node) -> CType:
        """The type of an expression where the unit is being lowered."""
        if self._current.expressions.variable_length.is_one(node):
            raise self.unit.not_supported(node, "the type of a variable-length array")
        with self._current.context.unevaluated():
            value = self._current.expressions.lower(node)
        require_c_type(value, self.unit.types)
        return value.type

    def inside(self, scope: Scope) -> AbstractContextManager[None]:
        """Within, expressions mean what they mean in a scope."""
        return self._current.context.inside(scope)

    # ------------------------------------------------------------------ interface
    def run(self) -> None:
        """Lower everything."""
        definitions = self._needed_definitions()
        for node in definitions:
            if self.unit.defined.setdefault(node.decl.name, node) is not node:  # the first one is GNU's extern inline
                raise NotSupportedError(
                    "two definitions of a function are not supported", self.unit.position(node.decl)
                )
        variables = (node for node in self.unit.tree.unit.ext if isinstance(node, c_ast.Decl))
        self._symbols.update(self.unit.defined, (node.name for node in variables if "extern" not in node.storage))
        for node in self.unit.tree.unit.ext:
            self._declare(node)
        self._find_escaping()
        for node in definitions:
            use = unsupported(self.unit.tree.attributes_in[node], defined=True)
            if use is not None:
                message = f"this C is not supported: the attribute {use.name}"
                raise NotSupportedError(message, self.unit.source.position(use.offset))
            self._define(node)
        self._require_followed(definitions)

    def undefined_variables(self) -> dict[str, Variable]:
        """The global variables that the unit declares and neither it nor the C library defines."""
        globals_ = (node for node in self.unit.tree.unit.ext if isinstance(node, c_ast.Decl))
        defined = {node.name for node in globals_ if "extern" not in node.storage or node.init is not None}
        return {
            name: symbol.variable
            for name, symbol in self.unit.file_scope.names.items()
            if isinstance(symbol, VariableSymbol) and name not in defined | VARIABLES.keys()
        }

    def uninitialised_variables(self) -> dict[str, Variable]:
        """The global variables that the unit itself defines without an initial value and may change."""
        initialised: set[str] = set()
        found: dict[str, Variable] = {}
        for node in self.unit.tree.unit.ext:
            if isinstance(node, c_ast.Decl) and not self.unit.is_foreign(node):
                symbol = self.unit.file_scope.names.get(node.name)
                if node.init is not None or "const" in node.quals:
                    initialised.add(node.name)
                elif isinstance(symbol, VariableSymbol) and "extern" not in node.storage:
                    found[node.name] = symbol.variable
        return {name: variable for name, variable in found.items() if name not in initialised}

    def _needed_definitions(self) -> list[Node]:
        """The function definitions of the program, and those of system headers that it needs."""
        definitions = [node for node in self.unit.tree.unit.ext if isinstance(node, c_ast.FuncDef)]
        if _ARGUMENT_PACK in self.unit.source.text:
            definitions = [node for node in definitions if not _hands_on(node)]
        in_headers = {node.decl.name: node for node in definitions if self.unit.in_system_header(node.decl)}
        if not in_headers:
            return definitions
        needed = {node for node in definitions if node.decl.name not in in_headers}
        pending: list[Node] = [n for n in self.unit.tree.unit.ext if n in needed or isinstance(n, c_ast.Decl)]
        while pending:
            node = pending.pop()
            wanted = in_headers.get(node.name) if isinstance(node, c_ast.ID) else None
            if wanted is not None and wanted not in needed:
                needed.add(wanted)
                pending.append(wanted)
            pending += parts_of(node)
        return [node for node in definitions if node in needed]

    # ------------------------------------------------------------------ file scope
    def _declare(self, node: Node) -> None:
        scope = self.unit.file_scope
        match node:
            case c_ast.Typedef():
                try:
                    self._require_known_attributes(node)
                    scope.names[node.name] = self._types.new_name(node, scope)
                except OpaqueTypeError as problem:
                    scope.names[node.name] = OpaqueSymbol(str(problem))
            case c_ast.Pragma():
                self._pragma(node)
            case c_ast.FuncDef():
                self._definition(node)
            case c_ast.Decl():
                self._declaration(node)

    def _pragma(self, node: Node) -> None:
        try:
            self._types.pragma(node)
        except TypingError as problem:
            raise self.unit.not_supported(node, str(problem)) from None

    def _require_known_attributes(self, node: Node) -> None:
        """Raises :class:`OpaqueTypeError` for an attribute whose meaning is not known.

        Where the declaration defines a type with a tag, this may be used without its name: the program is refused.
        """
        defined = node.name in self.unit.defined
        use = unsupported(self.unit.tree.attributes_in[node], defined=defined)
        symbol = assembler_name(node, self.unit.tree)
        if symbol is not None and (symbol in self._symbols - {node.name} or node.name not in symbol):
            raise OpaqueTypeError(f"{node.name} as another name of {symbol} is not supported")
        if use is None:
            return
        reason = f"the attribute {use.name} is not supported"
        if defines_tag(node.type) and not self.unit.in_system_header(node):
            raise NotSupportedError(f"this C is not supported: {reason}", self.unit.source.position(use.offset))
        raise OpaqueTypeError(reason)

    def _require_followed(self, definitions: list[Node]) -> None:
        """Attributes that change types or code stand only where they were followed, in what the program is made of."""
        for node, uses in self.unit.tree.attributes_in.items():
            asked = (use for use in uses if use.name in (MODE, CLEANUP) and use.offset not in self._types.followed)
            use = next(asked, None)
            is_needed = node in definitions or not (isinstance(node, c_ast.FuncDef) or self.unit.in_system_header(node))
            if use is not None and is_needed:
                message = f"this C is not supported: the attribute {use.name} in this place"
                raise NotSupportedError(message, self.unit.source.position(use.offset))

    def _declaration(self, node: Node) -> None:
        try:
            type_ = self._types.declared_type(node, self.unit.file_scope)
            if not (isinstance(type_, FunctionType) and self.unit.in_system_header(node)):
                self._require_known_attributes(node)
            reason = None if isinstance(type_, FunctionType) else reason_against(node.name or "")
            if reason is not None and node.name not in self._symbols:
                raise OpaqueTypeError(reason)
        except OpaqueTypeError as problem:
            if node.name is not None:
                self.unit.file_scope.names[node.name] = OpaqueSymbol(str(problem))
            return
        except (TypingError, ValueError) as problem:
            raise self.unit.not_supported(node, str(problem)) from None
        if node.name is None:
            return
        if isinstance(type_, FunctionType):
            self._declare_function(node, type_)
            return
        if runs_by_itself(self._types.attributes(node)):
            raise NotSupportedError(_BEFORE_OR_AFTER, self.unit.position(node))
        type_ = self._file.initialisation.completed(type_, node.init)
        variable = self.unit.declare_variable(node, type_).variable
        if node.init is not None:
            values = self._file.initialisation.static(VariableReference(variable), node.init)
            self.unit.statics[variable] = Initialiser(variable, values)

    def _declare_function(self, decl: Node, type_: FunctionType) -> None:
        if runs_by_itself(self._types.attributes(decl)):
            raise NotSupportedError(_BEFORE_OR_AFTER, self.unit.position(decl))
        known = self.unit.file_scope.names.get(decl.name)
        noreturn = self._types.never_returns(decl)
        system = self.unit.in_system_header(decl)
        if isinstance(known, FunctionSymbol) and known.declared:
            noreturn, system = noreturn or known.noreturn, system or known.system
            type_ = known.type if type_.unspecified and not type_.parameters else type_
        self.unit.file_scope.names[decl.name] = FunctionSymbol(decl.name, type_, noreturn, system)

    def _definition(self, node: Node) -> None:
        """Declare a function that is defined; one of a header that nobody needs may have types that are not known."""
        name = node.decl.name
        try:
            self._declare_function(node.decl, self._definition_type(node))
        except OpaqueTypeError as problem:
            if name in self.unit.defined and self.unit.defined[name] is node:
                raise self.unit.not_supported(node.decl, str(problem)) from None
            self.unit.file_scope.names[name] = OpaqueSymbol(str(problem))

    def _definition_type(self, node: Node) -> FunctionType:
        """The type of a function definition, also in the old style."""
        scope = self.unit.file_scope
        declarator = node.decl.type
        type_ = self._types.function_type(declarator, scope)
        names = declarator.args.params if declarator.args is not None else []
        if not any(isinstance(name, c_ast.ID) for name in names):
            return type_
        inner = self._types.parameter_scope(declarator, scope)
        with self.inside(inner):
            types = {decl.name: self._types.parameter_type(decl, inner) for decl in node.param_decls or []}
        parameters = tuple(types.get(name.name, INT) for name in names)
        return FunctionType(type_.result, parameters, unspecified=True)

    def _find_escaping(self) -> None:
        """Find the functions that are mentioned other than to be called."""
        scope, escaping = self.unit.file_scope, self.unit.escaping
        pending = [(self.unit.tree.unit, False)]
        while pending:
            node, in_cast = pending.pop()
            if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
                pending.extend([(node.args, False)] if node.args is not None else [])
                continue
            if isinstance(node, c_ast.ID) and isinstance(scope.names.get(node.name), FunctionSymbol):
                escaping[node.name] = escaping.get(node.name, False) or in_cast
            if not (isinstance(node, c_ast.Decl) and self.unit.in_system_header(node)):
                in_cast = in_cast or isinstance(node, c_ast.Cast)
                pending += [(child, in_cast) for child in reversed(parts_of(node))]

    # ------------------------------------------------------------------ functions
    def _define(self, node: Node) -> None:
        symbol = self.unit.file_scope.names[node.decl.name]
        assert isinstance(symbol, FunctionSymbol)
        lowering = self._lowering(symbol.name, symbol.type.result, node)
        self._current = lowering
        try:
            parameters = self._parameters(node, symbol.type, lowering)
            end = c_ast.EmptyStatement(_last_position(self.unit, node))
            lowering.statements.function_body(node.body, end)
        except TypingError as problem:
            raise self.unit.not_supported(node.decl, str(problem)) from None
        finally:
            self._current = self._file
        graph = lowering.context.graph
        self.functions[symbol.name] = Function(
            name=symbol.name,
            type=symbol.type,
            parameters=parameters,
            locals=tuple(found for found in graph.locals if found.storage is not Storage.PARAMETER),
            entry=graph.representative(graph.entry),
            exit=graph.representative(graph.exit),
            edges=graph.edges(),
            position=self.unit.position(node.decl),
            noreturn=symbol.noreturn,
            statements=frozenset(graph.statements),
            limits=limits_of(symbol.name, parameters),
        )

    def _parameters(self, node: Node, type_: FunctionType, lowering: Lowering) -> tuple[Variable, ...]:
        declarator = node.decl.type
        named = [p for p in (declarator.args.params if declarator.args is not None else []) if hasattr(p, "name")]
        if sizes_have_effects(named):
            raise TypingError("a side effect in the size of a parameter")
        names = {parameter.name for parameter in named}
        found = []
        for index, parameter_type in enumerate(type_.parameters):
            name = getattr(named[index], "name", None) if index < len(named) else None
            variable = lowering.context.new_variable(name or f"$p{index + 1}", parameter_type, Storage.PARAMETER)
            if name:
                lengths, _ = parameter_rows(named[index], names, self.unit.file_scope)
                lowering.expressions.variable_length.declare_pointer(named[index], variable, lengths)
            found.append(variable)
        if type_.variadic:
            found.append(lowering.context.new_variable(PARAMETER, POINTER, Storage.PARAMETER))
            lowering.context.variable_arguments = found[-1]
        return tuple(found)


def _last_position(unit: Unit, definition: Node) -> Coordinate:
    """The coordinate of the brace that ends a function's body."""
    return Coordinate(unit.tree.ends[definition.body])


def _hands_on(function: Node) -> bool:
    """Whether a function can only be inlined, since it hands its variable arguments on to one of the library.

    Headers of glibc define ``error`` so, for instance; what it does is known by its name.
    """
    return any(isinstance(node, c_ast.ID) and node.name == _ARGUMENT_PACK for node in within(function))


def variables_with_address(edges: list[Edge], statics: list[Initialiser]) -> frozenset[Variable]:
    """The variables whose address something takes, arrays and structs that decay included."""
    found: set[Variable] = set()
    for edge in edges:
        for expression in operands_of(edge.operation):
            _collect(expression, found)
    for static in statics:
        for _, value in static.assignments:
            _collect(value, found)
    return frozenset(found)


def _collect(expression: Expression, found: set[Variable]) -> None:
    for part in walk(expression):
        if isinstance(part, AddressOf):
            base = whole_of(part.operand)
            if isinstance(base, VariableReference):
                found.add(base.variable)
