"""Declarations as types: pycparser's declarators to :mod:`gia.cfa.types` (ISO C 6.7, GNU attributes)."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from typing import Protocol

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.expressions import IntegerConstant
from gia.cfa.types import (
    CHAR,
    INT,
    INT128,
    LONG_LONG,
    SHORT,
    SIGNED_CHAR,
    UNSIGNED_CHAR,
    UNSIGNED_INT,
    UNSIGNED_INT128,
    UNSIGNED_LONG_LONG,
    UNSIGNED_SHORT,
    VOID,
    ArrayType,
    CType,
    DataModel,
    FunctionType,
    IntegerType,
    Layout,
    PointerType,
    StructType,
    TypeTable,
    is_of_unknown_length,
    long_type,
)
from gia.frontend.basic_types import OpaqueTypeError, basic_type
from gia.frontend.conversions import integer
from gia.frontend.dimensions import parameter_rows, sizes_have_effects
from gia.frontend.layout import MemberDeclaration, Placement, lay_out
from gia.frontend.operators import TypingError
from gia.frontend.packing import PackStack, pragma_text
from gia.frontend.parsing.attributes import MODE, attribute_name
from gia.frontend.parsing.syntax import Node, SyntaxTree
from gia.frontend.symbols import ConstantSymbol, OpaqueSymbol, Scope, TypeSymbol

VA_LIST_TAG = "__va_list_tag"
_UNSUPPORTED_PRAGMAS = ("redefine_extname", "scalar_storage_order", "weak")
_SIGNED = (SIGNED_CHAR, SHORT, INT, LONG_LONG)
_UNSIGNED = (UNSIGNED_CHAR, UNSIGNED_SHORT, UNSIGNED_INT, UNSIGNED_LONG_LONG)


class Evaluator(Protocol):
    """What the types need to know about expressions."""

    def constant(self, node: Node) -> int | None:
        """The value of an integer constant expression, ``None`` if it is none."""

    def type_of(self, node: Node) -> CType:
        """The type of an expression that is not evaluated."""

    def inside(self, scope: Scope) -> AbstractContextManager[None]:
        """Within, expressions mean what they mean in a scope."""


class TypeBuilder:
    """Turns declarators into types and keeps the layouts of structs and unions."""

    def __init__(self, tree: SyntaxTree, types: TypeTable, layouts: dict[str, Layout], evaluator: Evaluator) -> None:
        self._tree = tree
        self.types = types
        self._layouts = layouts
        self._evaluate = evaluator
        self._tags: Counter[str] = Counter()
        self._members: dict[Node, StructType] = {}
        self._parameter_scopes: dict[Node, Scope] = {}
        self._pack = PackStack()
        self.followed: set[int] = set()
        """Where in the text an attribute stands that has changed a type."""

    # ------------------------------------------------------------------ declarators
    def type_of(self, node: Node, scope: Scope) -> CType:
        """The type that a declarator (or the type in it) describes."""
        match node:
            case c_ast.TypeDecl() | c_ast.Typename() | c_ast.Decl() | c_ast.Typedef():
                return self.type_of(node.type, scope)
            case c_ast.PtrDecl():
                return PointerType(self.type_of(node.type, scope))
            case c_ast.ArrayDecl():
                return self._array(node, scope)
            case c_ast.FuncDecl() | ext.FuncDeclExt():
                return self.function_type(node, scope)
            case c_ast.IdentifierType():
                return self._named(node.names, scope)
            case c_ast.Struct() | c_ast.Union():
                return self._struct(node, scope)
            case c_ast.Enum():
                return self._enumeration(node, scope)
            case ext.TypeOfDeclaration():
                return self.type_of(node.declaration, scope)
            case ext.TypeOfExpression():
                return self._evaluate.type_of(node.expr)
        raise OpaqueTypeError(f"declarations of the kind {type(node).__name__} are not supported")

    def _named(self, names: list[str], scope: Scope) -> CType:
        if len(names) == 1:
            symbol = scope.find(names[0])
            if isinstance(symbol, TypeSymbol):
                return symbol.type
            if isinstance(symbol, OpaqueSymbol):
                raise OpaqueTypeError(symbol.reason)
            if names[0] == "__builtin_va_list":
                return self._va_list()
        return basic_type(names, self.types.data_model)

    def _va_list(self) -> CType:
        if self.types.data_model is DataModel.ILP32:
            return PointerType(CHAR)
        struct = StructType(VA_LIST_TAG)
        if struct.tag not in self._layouts:
            pointer = PointerType(VOID)
            names = ("gp_offset", "fp_offset", "overflow_arg_area", "reg_save_area")
            members = [MemberDeclaration(n, UNSIGNED_INT if n.endswith("offset") else pointer) for n in names]
            self._layouts[struct.tag] = lay_out(members, is_union=False, types=self.types)
        return ArrayType(struct, 1)

    def _array(self, node: Node, scope: Scope) -> CType:
        element = self.type_of(node.type, scope)
        if isinstance(node.dim, c_ast.ID) and scope.find(node.dim.name) is None:  # only parameters are not visible here
            raise OpaqueTypeError("a parameter that leads to arrays of variable length is not supported")
        length = None if node.dim is None else self._evaluate.constant(node.dim)
        if length is None and sizes_have_effects([node]):
            raise TypingError("a side effect in the length of an array that is part of a type")
        if is_of_unknown_length(element):
            raise OpaqueTypeError("arrays of variable-length arrays are not supported")
        return ArrayType(element, length)

    def function_type(self, node: Node, scope: Scope) -> FunctionType:
        """The type of a function declarator; parameters of array and function type are adjusted to pointers."""
        result = self.type_of(node.type, scope)
        if node.args is None:
            return FunctionType(result, (), unspecified=True)
        if any(isinstance(parameter, c_ast.ID) for parameter in node.args.params):
            return FunctionType(result, (), unspecified=True)
        declared = [found for found in node.args.params if not isinstance(found, c_ast.EllipsisParam)]
        names = {str(getattr(parameter, "name", "")) for parameter in declared}
        inner = self.parameter_scope(node, scope)
        with self._evaluate.inside(inner):
            parameters = [self._declared_parameter(parameter, names, inner) for parameter in declared]
        if parameters == [VOID]:
            parameters = []
        return FunctionType(result, tuple(parameters), variadic=len(declared) < len(node.args.params))

    def parameter_scope(self, declarator: Node, scope: Scope) -> Scope:
        """Where the parameters of a function declarator are declared, and types in their declarations (6.2.1)."""
        return self._parameter_scopes.setdefault(declarator, scope.inner())

    def _declared_parameter(self, parameter: Node, names: set[str], scope: Scope) -> CType:
        lengths, element = parameter_rows(parameter, names, scope)
        return PointerType(self.type_of(element, scope)) if lengths else self.parameter_type(parameter, scope)

    def parameter_type(self, node: Node, scope: Scope) -> CType:
        """The type of a parameter after adjustment (6.7.6.3)."""
        if isinstance(node.type, c_ast.ArrayDecl):
            return PointerType(self.type_of(node.type.type, scope))
        type_ = self.type_of(node, scope)
        if isinstance(type_, ArrayType):
            return PointerType(type_.element)
        return PointerType(type_) if isinstance(type_, FunctionType) else type_

    # ------------------------------------------------------------------ structs and unions
    def _struct(self, node: Node, scope: Scope) -> StructType:
        if node in self._members:
            return self._members[node]
        is_union = isinstance(node, c_ast.Union)
        if node.name is None:
            struct = StructType(self._unique("$union" if is_union else "$struct", number_first=True), is_union)
        else:
            struct = self._tagged(node, scope, is_union)
        self._members[node] = struct
        if node.decls is not None and struct.tag not in self._layouts:
            self._layouts[struct.tag] = self._lay_out(node, scope, is_union)
        return struct

    def _tagged(self, node: Node, scope: Scope, is_union: bool) -> StructType:
        known = scope.tags.get(node.name) if node.decls is not None else scope.find_tag(node.name)
        if isinstance(known, StructType):
            return known
        struct = StructType(self._unique(node.name), is_union)
        scope.tags[node.name] = struct
        return struct

    def _unique(self, name: str, number_first: bool = False) -> str:
        self._tags[name] += 1
        number = self._tags[name]
        return name if number == 1 and not number_first else f"{name}{'' if number_first else '$'}{number}"

    def _lay_out(self, node: Node, scope: Scope, is_union: bool) -> Layout:
        members: list[MemberDeclaration] = []
        for decl in node.decls:
            if isinstance(decl, c_ast.Pragma):
                self.pragma(decl)
            elif isinstance(decl, c_ast.Decl):
                member = self._member(decl, scope, len(members))
                if member.name or member.bits is not None:  # else it declares a tag at most
                    members.append(member)
        attributes = self._tree.attributes.get(node, [])
        placement = Placement(self._packed(attributes), self._alignment(attributes), self._pack.limit)
        return lay_out(members, is_union, self.types, placement)

    def _member(self, decl: Node, scope: Scope, index: int) -> MemberDeclaration:
        type_ = self.declared_type(decl, scope)
        if is_of_unknown_length(type_) and not _is_flexible(decl.type, scope):
            raise OpaqueTypeError(f"the member {decl.name} of variable length is not supported")
        bits = None if decl.bitsize is None else self._evaluate.constant(decl.bitsize)
        attributes = self.attributes(decl)
        name = decl.name or ""
        if isinstance(decl.type, c_ast.Struct | c_ast.Union) and decl.type.name is None:
            name = f"$member{index}"
        aligned, named = self._alignment(attributes, decl, scope), self._alignment_of_name(decl.type, scope)
        return MemberDeclaration(name, type_, bits, aligned, self._packed(attributes), named)

    def attributes(self, decl: Node) -> list[Node]:
        """The GNU attributes that a declaration carries in one of the places where they may stand."""
        found: list[Node] = []
        for specifier in getattr(decl, "funcspec", None) or []:
            if isinstance(specifier, ext.AttributeSpecifier):
                found.extend(specifier.exprlist.exprs)
        node = decl.type
        while node is not None:
            extra = getattr(node, "attributes", None)
            if extra is not None:
                found.extend(extra.exprs)
            node = getattr(node, "type", None)
            if isinstance(node, c_ast.Struct | c_ast.Union | c_ast.Enum | c_ast.IdentifierType):
                break
        return found

    @staticmethod
    def attribute_names(attributes: list[Node]) -> frozenset[str]:
        """The names of attributes, without the underscores that may surround them."""
        return frozenset(map(attribute_name, attributes))

    def never_returns(self, decl: Node) -> bool:
        """Whether a function is declared never to return."""
        return "noreturn" in self.attribute_names(self.attributes(decl)) or "_Noreturn" in (decl.funcspec or ())

    def new_name(self, node: Node, scope: Scope) -> TypeSymbol:
        """What a ``typedef`` declares."""
        type_ = self.declared_type(node, scope)
        attributes = self.attributes(node)
        aligned = max(self._alignment(attributes), self._alignment_of_name(node.type, scope))
        if "aligned" in self.attribute_names(attributes) and aligned < self.types.align_of(type_):
            raise OpaqueTypeError("a type that is less aligned than the one it is made of is not supported")
        return TypeSymbol(type_, aligned)

    def declared_type(self, declaration: Node, scope: Scope) -> CType:
        """The type of the variable, the member or the name of a type that is declared."""
        type_ = self.type_of(declaration.type, scope)
        for attribute in self.attributes(declaration):
            if attribute_name(attribute) == MODE:
                self.followed.add(attribute.coord.offset)
                type_ = self._in_mode(type_, attribute)
        return type_

    def _in_mode(self, type_: CType, attribute: Node) -> CType:
        """The integer type of the same signedness whose width ``__attribute__((mode(…)))`` names."""
        mode = attribute.args.exprs[0].name.strip("_") if isinstance(attribute, c_ast.FuncCall) else ""
        long = long_type(self.types.data_model, signed=True).width
        width = {"QI": 8, "byte": 8, "HI": 16, "SI": 32, "DI": 64, "TI": 128, "word": long, "pointer": long}.get(mode)
        if not isinstance(type_, IntegerType) or width is None:
            raise OpaqueTypeError(f"the attribute mode({mode}) is not supported for {type_}")
        types = (*_SIGNED, INT128) if type_.signed else (*_UNSIGNED, UNSIGNED_INT128)
        return next(found for found in types if found.width == width)

    def align_of(self, node: Node, scope: Scope) -> int:
        """The alignment of the type that a declarator describes."""
        return max(self.types.align_of(self.type_of(node, scope)), self._alignment_of_name(node, scope))

    @staticmethod
    def _alignment_of_name(node: Node, scope: Scope) -> int:
        """The least alignment that the name of the type in a declarator brings with it."""
        while isinstance(node, c_ast.TypeDecl | c_ast.Typename | c_ast.ArrayDecl):
            node = node.type
        named = isinstance(node, c_ast.IdentifierType) and len(node.names) == 1
        symbol = scope.find(node.names[0]) if named else None
        return symbol.aligned if isinstance(symbol, TypeSymbol) else 1

    def _packed(self, attributes: list[Node]) -> bool:
        return "packed" in self.attribute_names(attributes)

    def _alignment(self, attributes: list[Node], decl: Node = None, scope: Scope | None = None) -> int:
        least = 1
        for attribute in attributes:
            if isinstance(attribute, c_ast.FuncCall) and attribute.name.name.strip("_") == "aligned":
                value = self._evaluate.constant(attribute.args.exprs[0])
                least = max(least, value or 1)
            elif getattr(attribute, "name", None) in ("aligned", "__aligned__"):
                least = max(least, 16)
        for specifier in getattr(decl, "align", None) or []:
            operand = specifier.alignment
            if isinstance(operand, c_ast.Typename) and scope is not None:
                least = max(least, self.align_of(operand, scope))
            else:
                least = max(least, self._evaluate.constant(operand) or 1)
        return least

    def pragma(self, node: Node) -> None:
        """Take notice of ``#pragma pack``; those that change what names mean are not supported, others mean nothing."""
        words = pragma_text(node).split()
        if words and words[0] in _UNSUPPORTED_PRAGMAS:
            raise TypingError(f"#pragma {words[0]}")
        self._pack.take_in(node)

    # ------------------------------------------------------------------ enumerations
    def _enumeration(self, node: Node, scope: Scope) -> IntegerType:
        if node.values is None:
            known = scope.find_tag(node.name)
            return known if isinstance(known, IntegerType) else UNSIGNED_INT
        known = scope.tags.get(node.name) if node.name is not None else None
        if isinstance(known, IntegerType) and all(e.name in scope.names for e in node.values.enumerators):
            return known
        values: list[int] = []
        for enumerator in node.values.enumerators:
            following = values[-1] + 1 if values else 0
            value = following if enumerator.value is None else self._evaluate.constant(enumerator.value)
            if value is None:
                raise TypingError(f"the value of {enumerator.name} is not constant")
            values.append(value)
            scope.names[enumerator.name] = ConstantSymbol(self._enumerator(value))
        type_ = self._enumeration_type(values, self.attribute_names(self._tree.attributes.get(node, [])))
        if node.name is not None:
            scope.tags[node.name] = type_
        return type_

    def _enumerator(self, value: int) -> IntegerConstant:
        if -(1 << 31) <= value < 1 << 31:
            return integer(value)
        return integer(value, UNSIGNED_INT if 0 <= value < 1 << 32 else LONG_LONG)

    def _enumeration_type(self, values: list[int], attributes: frozenset[str]) -> IntegerType:
        """The type that gcc chooses: the smallest that holds all values, at least ``int`` unless it is packed."""
        if attributes & {"aligned", "mode"}:
            raise OpaqueTypeError("enumerations with the attributes aligned or mode are not supported")
        all_widths = _SIGNED if min(values) < 0 else _UNSIGNED
        candidates = all_widths if "packed" in attributes else all_widths[2:]
        bits = max((~value if value < 0 else value).bit_length() for value in values) + (min(values) < 0)
        return next((type_ for type_ in candidates if bits <= type_.width), candidates[-1])


def _is_flexible(node: Node, scope: Scope) -> bool:
    """Whether an array member without a known length has none, and is none of variable length."""
    if isinstance(node, c_ast.ArrayDecl):
        return node.dim is None
    return scope.outer is None  # outside of functions, no name means a type of variable length
