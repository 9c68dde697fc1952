"""What the lowering of one function works on: its graph, its names, and the unit that it belongs to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from msgspec import Struct, field

from gia.cfa.expressions import (
    AddressOf,
    Cast,
    Dereference,
    Expression,
    LValue,
    Member,
    Storage,
    Subscript,
    Variable,
    VariableReference,
    walk,
)
from gia.cfa.graph import ExternalFunction, Initialiser
from gia.cfa.naming import field_name, identifier
from gia.cfa.operations import Assign, Declare, Unmodelled
from gia.cfa.types import (
    CHAR,
    VOID,
    CType,
    FunctionType,
    Layout,
    PointerType,
    StructType,
    TypeTable,
    is_of_unknown_length,
    is_scalar,
)
from gia.errors import GiaError, Position
from gia.frontend import operators
from gia.frontend.conversions import bit_field_width, promote
from gia.frontend.declarations import TypeBuilder
from gia.frontend.diagnostics import Diagnostic
from gia.frontend.library_variables import VARIABLES
from gia.frontend.lowering.effects import Addressed, Effects
from gia.frontend.lowering.graph_builder import GraphBuilder, Numbering
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node, SyntaxTree
from gia.frontend.preprocessed import PreprocessedSource
from gia.frontend.probes import Probe, Visible
from gia.frontend.qualifiers import Qualifiers
from gia.frontend.symbols import FunctionSymbol, Scope, VariableSymbol
from gia.frontend.wide_bit_fields import as_declared, own_width, with_width

_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|(\.|->)?\s*([A-Za-z_$][\w$]*)')


class NotSupportedError(GiaError):
    """C that the compiler accepts and the front end does not know; nothing is claimed about such a program."""


class Unit(Struct, dict=True):
    """What all functions of a translation unit share; it grows while they are lowered."""

    source: PreprocessedSource
    tree: SyntaxTree
    atomic: bool
    layouts: dict[str, Layout]
    types: TypeTable
    defined: dict[str, Node] = field(default_factory=dict)
    """The function definitions by name."""
    escaping: dict[str, bool] = field(default_factory=dict)
    """The functions mentioned other than to be called, in the order of their first mention, and whether in a cast."""
    file_scope: Scope = field(default_factory=Scope)
    numbering: Numbering = field(default_factory=Numbering)
    statics: dict[Variable, Initialiser] = field(default_factory=dict)
    externals: dict[str, ExternalFunction] = field(default_factory=dict)
    probes: list[Probe] = field(default_factory=list)
    diagnostics: dict[Diagnostic, None] = field(default_factory=dict)
    exposed: set[Variable] = field(default_factory=set)
    """Variables that a construct which is not modelled may read or write."""
    declared: dict[str, int] = field(default_factory=dict)
    """Where in the text each global variable is declared first."""
    literals: int = 0
    """The number of compound literals outside of functions."""

    @cached_property
    def qualifiers(self) -> Qualifiers:
        """Where qualifiers may be."""
        return Qualifiers(self.tree.unit)

    def position(self, node: Node) -> Position:
        """Where a node begins in the original source."""
        return Position("") if node.coord is None else self.source.position(node.coord.offset)

    def extent(self, node: Node) -> tuple[int, int]:
        """The extent of an expression in the preprocessed text."""
        return self.tree.extents[node]

    def text(self, node: Node) -> str:
        """The text of an expression (or a statement)."""
        begin, end = self.tree.extents.get(node) or self.tree.statements.get(node) or (node.coord.offset,) * 2
        return self.source.text[begin:end]

    def in_system_header(self, node: Node) -> bool:
        """Whether a node begins in a system header or in a macro of one."""
        return node.coord is not None and self.source.in_system_header(node.coord.offset)

    def is_foreign(self, node: Node) -> bool:
        """Whether the user did not write a node: it begins in a system header, or in text that was added."""
        return node.coord is not None and self.source.is_foreign(node.coord.offset)

    def not_supported(self, node: Node, what: str) -> NotSupportedError:
        """The error for C that the front end does not know."""
        return NotSupportedError(f"this C is not supported: {what}", self.position(node))

    def declare_variable(self, node: Node, type_: CType) -> VariableSymbol:
        """A global; a later declaration may complete the type of an earlier one."""
        names = self.file_scope.names
        self.declared.setdefault(node.name, node.coord.offset)
        known = names.get(node.name)
        if isinstance(known, VariableSymbol):
            old = known.variable
            if not is_of_unknown_length(old.type) or old.type == type_:
                return known
            self.statics.pop(old, None)
        variable = Variable(node.name, type_, Storage.GLOBAL)
        symbol = VariableSymbol(variable)
        names[node.name] = symbol
        if "extern" not in node.storage or node.name not in VARIABLES:
            self.statics[variable] = Initialiser(variable)
        return symbol

    def new_literal(self, type_: CType) -> Variable:
        """The object of a compound literal outside of functions."""
        self.literals += 1
        return Variable(f"$literal{self.literals}", type_, Storage.GLOBAL)

    def add_probe(self, make: Callable[[int], Probe]) -> None:
        """Add the probe that ``make`` makes of its number."""
        self.probes.append(make(len(self.probes)))

    def warn(self, position: Position, message: str) -> None:
        """Tell the user something, once."""
        self.diagnostics.setdefault(Diagnostic(position, message))


class CodeNames(Struct, frozen=True):
    """The names that :mod:`gia.cfa.writer` gives to what C code in an unmodelled operation mentions."""

    def variable(self, variable: Variable) -> str:
        """The name of a variable."""
        name = identifier(variable.name)
        return f"{variable.function}__{name}" if variable.storage is Storage.STATIC_LOCAL else name

    def function(self, name: str) -> str:
        """The name of a function."""
        return name

    def type(self, type_: StructType) -> str:
        """``struct tag`` or ``union tag``."""
        return f"{'union' if type_.is_union else 'struct'} {identifier(type_.tag)}"

    def member(self, name: str) -> str:
        """The name of a field."""
        return field_name(name)


class FunctionContext:
    """The function that is being lowered (or, with an empty name, the file scope, which has no graph)."""

    def __init__(self, unit: Unit, type_builder: TypeBuilder, name: str, result: CType, addressed: Addressed) -> None:
        self.unit = unit
        self.types = unit.types
        self.type_builder = type_builder
        self.name = name
        self.result = result
        self.graph = GraphBuilder(name, unit.numbering if name else Numbering())
        self.scope = unit.file_scope.inner() if name else unit.file_scope
        self.effects = Effects(unit.atomic)
        self.addressed = addressed
        self._names: Counter[str] = Counter()
        self._labels: dict[str, Variable] = {}
        self.variable_arguments: Variable | None = None
        """The parameter for the arguments behind the declared ones (see :mod:`.variable_arguments`)."""
        self.c_names = CodeNames()

    # ------------------------------------------------------------------ names
    def visible(self, offset: int) -> Visible:
        """What names mean at ``offset``, which is where the lowering is."""
        return Visible(self.scope, len(self.scope.names), self.unit.declared, offset)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Within, declarations go to a new scope."""
        with self.inside(self.scope.block()):
            yield

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Within, names mean what they mean in a scope."""
        outer, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = outer

    def new_variable(self, name: str, type_: CType, storage: Storage) -> Variable:
        """A variable of this function under a name of its own."""
        self._names[name] += 1
        number = self._names[name]
        unique = name if number == 1 else f"{name}${number}"
        variable = Variable(unique, type_, storage, self.name or None)
        if storage is not Storage.STATIC_LOCAL:
            self.graph.locals.append(variable)
        return variable

    def declare(
        self, name: str, variable: Variable, size: Expression | None = None, strides: tuple[Expression, ...] = ()
    ) -> None:
        """Make a variable visible; a size and strides are those of :class:`~gia.frontend.symbols.VariableSymbol`."""
        self.scope.names[name] = VariableSymbol(variable, size, strides)

    @contextmanager
    def unevaluated(self) -> Iterator[None]:
        """Within, expressions are typed but leave no edges, no variables and no names."""
        names = self._names.copy()
        with self.graph.unevaluated():
            yield
        self._names = names

    def label_address(self, label: str) -> Expression:
        """The address of a label of this function: that of an object which nothing else is about."""
        if label not in self._labels:
            self._labels[label] = found = self.new_variable(f"$label_{label}", CHAR, Storage.STATIC_LOCAL)
            self.unit.statics[found] = Initialiser(found)
        return Cast(AddressOf(VariableReference(self._labels[label]), PointerType(CHAR)), PointerType(VOID))

    # ------------------------------------------------------------------ values
    def assign(self, target: Expression, value: Expression, node: Node, text: str | None = None) -> None:
        """Add an assignment; ``node`` says where."""
        assert isinstance(target, LValue)
        shown = self.unit.text(node) if text is None else text
        self.graph.emit(Assign(target, value), self.unit.position(node), shown)

    def in_temporary(self, value: Expression, node: Node) -> Expression:
        """The value kept in a new temporary; a bit-field as the type that it would be promoted to."""
        width = own_width(value, self.types)
        value = as_declared(value, self.types)
        if bit_field_width(value, self.types) is not None:
            value = promote(value, self.types)
        target = self.graph.reference(value.type)
        self.assign(target, value, node, f"{target.variable.name} = {self.unit.text(node)}")
        return target if width is None else with_width(target, width)

    def in_union(self, value: Expression, type_: StructType, node: Node) -> Expression:
        """A new union with ``value`` in the member that gcc takes for it.

        Source: GCC manual, *Cast to a Union Type*, and ``transparent_union`` in *Common Type Attributes*: a member of
        the same type, or any pointer for a pointer, which are all stored alike.
        """
        if not self.name:
            raise TypingError("a cast to a union type outside of functions")
        variable = self.new_variable("$union", type_, Storage.LOCAL)
        place = operators.member_holding(VariableReference(variable), value.type, self.types)
        self.declare_local(variable, node)
        self.assign(place, operators.assignable(value, place.type, self.types), node)
        return VariableReference(variable)

    def preserve(self, value: Expression, node: Node, later: Iterable[Node]) -> Expression:
        """``value`` (of ``node``) such that evaluating ``later`` does not change it."""
        acting = [self.effects.of(other) for other in later if not self.effects.is_pure(other)]
        if not acting or self.graph.suspended or not is_scalar(value.type):
            return value
        names = frozenset().union(*(effect.names for effect in acting))
        memory = any(effect.memory for effect in acting)
        if all(self._keeps(part, names, memory) for part in walk(value)):
            return value
        return self.in_temporary(value, node)

    def _keeps(self, part: Expression, names: frozenset[str], memory: bool) -> bool:
        """Whether one node of an expression has the same value after ``names`` and maybe memory were written."""
        match part:
            case VariableReference(variable=variable):
                if variable.storage is Storage.TEMPORARY:
                    return True
                source_name = variable.name.partition("$")[0]
                shared = variable.is_static or source_name in self.addressed.names or not is_scalar(variable.type)
                return source_name not in names and not (memory and shared)
            case Dereference() | Subscript() | Member():
                return False
        return True

    def stabilise(self, lvalue: Expression, node: Node, later: Iterable[Node]) -> Expression:
        """``lvalue`` such that evaluating ``later`` does not change which object it denotes."""
        acting = [other for other in later if not self.effects.is_pure(other)]
        if not acting:
            return lvalue
        match lvalue:
            case Dereference(pointer=pointer, type=type_):
                return Dereference(self.preserve(pointer, node, acting), type_)
            case Subscript(array=array, index=index, type=type_):
                return Subscript(self.stabilise(array, node, acting), self.preserve(index, node, acting), type_)
            case Member(base=base, field=name, type=type_):
                return Member(self.stabilise(base, node, acting), name, type_)
        return lvalue

    # ------------------------------------------------------------------ what is not modelled
    def c_name(self, variable: Variable) -> str:
        """The name of a variable in C output."""
        return self.c_names.variable(variable)

    def code_of(self, text: str) -> str:
        """C text with the variables' names in the CFA."""

        def renamed(found: re.Match[str]) -> str:
            if found[2] is None or found[1] is not None:
                return found[0]
            symbol = self.scope.find(found[2])
            return self.c_name(symbol.variable) if isinstance(symbol, VariableSymbol) else found[0]

        return " ".join(_WORD.sub(renamed, text).split())

    def unmodelled(
        self,
        node: Node,
        code: str,
        reason: str,
        writes: tuple[LValue, ...] | None = None,
        *,
        reads_input: bool = False,
        warn: bool = True,
    ) -> None:
        """Add an operation that is not modelled; with ``warn``, tell the user, unless it is none of theirs."""
        position = self.unit.position(node)
        self.graph.emit(Unmodelled(code, reason, writes, reads_input), position, code)
        if warn and not self.graph.suspended and not self.unit.is_foreign(node):
            unknown = "its effect" if writes is None else "what it writes"
            self.unit.warn(position, f"{reason}: not modelled, {unknown} is taken as unknown")

    def declare_local(self, variable: Variable, node: Node) -> None:
        """Add the beginning of a variable's life."""
        self.graph.emit(Declare(variable), self.unit.position(node), variable.name)

    def function(self, name: str) -> FunctionSymbol | None:
        """The function that a name means here."""
        symbol = self.scope.find(name)
        return symbol if isinstance(symbol, FunctionSymbol) else None

    def add_external(
        self,
        name: str,
        type_: FunctionType,
        is_input: bool,
        position: Position,
        *,
        most: int | None = None,
        never_returns: bool = False,
    ) -> None:
        """Note that a function without a body is used."""
        if name not in self.unit.defined and not (self.name and self.graph.suspended):
            found = ExternalFunction(name, type_, is_input, position, most, never_returns)
            self.unit.externals.setdefault(name, found)
