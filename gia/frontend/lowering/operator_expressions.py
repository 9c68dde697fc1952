"""Names, constants and operators, but for those that assign, decide or call (ISO C 6.5)."""

from __future__ import annotations

from pycparser import c_ast

from gia.cfa.expressions import (
    COMPARISONS,
    Expression,
    FunctionReference,
    Result,
    StringLiteral,
    VariableReference,
)
from gia.cfa.types import CHAR, VOID, ArrayType, CType, FloatType, IntegerType, StructType
from gia.frontend import literals, operators
from gia.frontend.conversions import common_type, decay, integer, promote, size_type
from gia.frontend.lowering.assignments import AssignmentLowering
from gia.frontend.lowering.conditions import ConditionLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.effects import is_arithmetic
from gia.frontend.lowering.expressions import ExpressionLowering, ExpressionMethod
from gia.frontend.lowering.externals import note_external
from gia.frontend.lowering.variable_arguments import VariableArguments
from gia.frontend.lowering.variable_length import UNSUPPORTED_USE
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import GenericSelection, Node, VaArg
from gia.frontend.symbols import ConstantSymbol, FunctionSymbol, OpaqueSymbol, VariableSymbol

_EIGHT = 8
_SWAPPED = COMPARISONS | {"+", "*", "&", "|", "^"}
_FUNCTION_NAMES = frozenset({"__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"})


class OperatorLowering:
    """Lowers such expressions in one function."""

    def __init__(
        self,
        context: FunctionContext,
        expressions: ExpressionLowering,
        conditions: ConditionLowering,
        assignments: AssignmentLowering,
    ) -> None:
        self._context = context
        self._graph = context.graph
        self._types = context.types
        self._expressions = expressions
        self._conditions = conditions
        self._assignments = assignments
        self._evaluated: set[Node] = set()
        """Expressions of which only the part behind the last comma is still to be evaluated."""
        self.by_class: dict[type, ExpressionMethod] = {
            c_ast.ID: self._name,
            c_ast.Constant: self._constant,
            c_ast.UnaryOp: self._unary,
            c_ast.BinaryOp: self._binary,
            c_ast.ArrayRef: self._array_element,
            c_ast.StructRef: self._member,
            c_ast.Cast: self._cast,
            c_ast.ExprList: self._comma,
            VaArg: self._variable_argument,
            GenericSelection: self._generic_selection,
        }

    # ------------------------------------------------------------------ names and constants
    def _name(self, node: Node, used: bool) -> Expression:
        symbol = self._context.scope.find(node.name)
        match symbol:
            case VariableSymbol(variable=variable, strides=strides):
                if strides:
                    raise TypingError(UNSUPPORTED_USE)
                return VariableReference(variable)
            case ConstantSymbol(value=value):
                return value
            case FunctionSymbol():
                note_external(self._context, symbol, self._context.unit.position(node))
                return FunctionReference(symbol.name, symbol.type)
            case OpaqueSymbol(reason=reason):
                raise TypingError(reason)
        if node.name in _FUNCTION_NAMES:
            data = self._context.name.encode() + b"\0"
            return StringLiteral(data, ArrayType(CHAR, len(data)), f"{self._context.name}.{node.name}")
        raise TypingError(f"{node.name} is not declared")

    def _constant(self, node: Node, used: bool) -> Expression:
        return literals.constant(node.type, node.value, self._types.data_model)

    # ------------------------------------------------------------------ operators
    def _unary(self, node: Node, used: bool) -> Expression:
        match node.op:
            case "sizeof":
                return self._size_of(node.expr)
            case "_Alignof" | "__alignof__" as operator:
                return self._alignment(node.expr, preferred=operator == "__alignof__")
            case "&":
                return self._address(node.expr)
            case "*":
                row = self._row(node, node.expr)
                return operators.dereference(self._expressions.value(node.expr)) if row is None else row
            case "&&":
                return self._context.label_address(node.expr.name)
            case "++" | "--" | "p++" | "p--":
                return self._assignments.step(node, used)
            case "!":
                return operators.unary("!", self._conditions.truth(node.expr), self._types)
        return operators.unary(node.op, self._expressions.value(node.expr), self._types)

    def _address(self, node: Node) -> Expression:
        if self._expressions.variable_length.is_one(node):
            raise TypingError("the address of a variable-length array")
        return operators.address_of(self._expressions.lower(node))

    def _type_of_operand(self, node: Node) -> CType:
        if isinstance(node, c_ast.Typename):
            return self._context.type_builder.type_of(node, self._context.scope)
        return self._expressions.type_of(node)

    def _alignment(self, node: Node, preferred: bool) -> Expression:
        """What ISO C asks for, or what gcc prefers: eight bytes for numbers of this size, also with ``-m32``."""
        if not isinstance(node, c_ast.Typename):  # it is what attributes say of the object
            raise TypingError("the alignment of an expression")
        alignment = self._context.type_builder.align_of(node, self._context.scope)
        element = self._type_of_operand(node)
        while isinstance(element, ArrayType):
            element = element.element
        if preferred and isinstance(element, IntegerType | FloatType) and self._types.size_of(element) == _EIGHT:
            alignment = max(alignment, _EIGHT)
        return integer(alignment, size_type(self._types.data_model))

    def _size_of(self, node: Node) -> Expression:
        size = self._expressions.variable_length.size(node)
        if size is not None:
            return size
        try:
            return integer(self._types.size_of(self._type_of_operand(node)), size_type(self._types.data_model))
        except ValueError as problem:
            raise TypingError(str(problem)) from None

    def _binary(self, node: Node, used: bool) -> Expression:
        if node.op in ("&&", "||"):
            return self._conditions.logical(node)
        self._before_commas(node)
        operand = self._expressions.handed_on if node.op in COMPARISONS else self._expressions.value
        left = operand(node.left)
        if not self._is_read_late(node, left):
            left = self._context.preserve(left, node.left, [node.right])
        return operators.binary(node.op, left, operand(node.right), self._types)

    def _is_read_late(self, node: Node, left: Expression) -> bool:
        """Whether gcc reads the variable on the left only after it has evaluated the right side.

        It swaps the operands of commutative operators and comparisons so that a variable comes last
        (``tree_swap_operands_p``), unless the variable is converted to another machine mode.
        """
        if node.op not in _SWAPPED or not isinstance(left, VariableReference):
            return False
        if self._context.effects.is_pure(node.right) or self._graph.suspended:
            return False
        right = decay(Result(self._expressions.type_of(node.right))).type
        if not (operators.is_arithmetic(left.type) and operators.is_arithmetic(right)):
            return node.op in COMPARISONS
        common = common_type(promote(left, self._types).type, promote(Result(right), self._types).type)
        same_kind = isinstance(left.type, IntegerType) == isinstance(common, IntegerType)
        return same_kind and self._types.size_of(left.type) == self._types.size_of(common)

    def _array_element(self, node: Node, used: bool) -> Expression:
        row = self._row(node, node.name)
        if row is not None:
            return row
        base = self._expressions.lower(node.name)
        if isinstance(base.type, ArrayType):
            base = self._context.stabilise(base, node.name, [node.subscript])
        else:
            base = self._context.preserve(base, node.name, [node.subscript])
        return operators.subscript(base, self._expressions.value(node.subscript), self._types)

    def _row(self, node: Node, rows: Node) -> Expression | None:
        """The row of arrays of variable length that ``node`` selects of ``rows``; ``None`` if that is nothing such."""
        arrays = self._expressions.variable_length
        if arrays.strides(node):
            raise TypingError(UNSUPPORTED_USE)
        return arrays.row(node) if arrays.strides(rows) else None

    def _member(self, node: Node, used: bool) -> Expression:
        if node.type == "->":
            base = operators.dereference(self._expressions.value(node.name))
        else:
            base = self._expressions.lower(node.name)
        return operators.member(base, node.field.name, self._types)

    def _cast(self, node: Node, used: bool) -> Expression:
        type_ = self._context.type_builder.type_of(node.to_type, self._context.scope)
        if type_ == VOID:
            self._expressions.effect(node.expr)
            return operators.NOTHING
        value = self._expressions.handed_on(node.expr)
        if isinstance(type_, StructType) and value.type != type_:
            return self._context.in_union(value, type_, node)
        return operators.cast(value, type_, self._types)

    def _before_commas(self, node: Node) -> None:
        """Evaluate what stands before commas in the operands of arithmetic, where gcc does (``fold_binary``)."""
        if self._graph.suspended or not self._context.effects.has_commas(node):
            return
        if is_arithmetic(node):
            for name, operand in node.children():
                if name != "to_type":
                    self._before_commas(operand)
            return
        if node not in self._evaluated:
            for expression in node.exprs[:-1]:
                self._expressions.effect(expression)
            self._evaluated.add(node)
        self._before_commas(node.exprs[-1])

    def _comma(self, node: Node, used: bool) -> Expression:
        for expression in node.exprs[:-1] if node not in self._evaluated else ():
            self._expressions.effect(expression)
        return decay(self._expressions.lower(node.exprs[-1], used))

    # ------------------------------------------------------------------ the rest
    def _generic_selection(self, node: Node, used: bool) -> Expression:
        with self._context.unevaluated():
            controlling = self._expressions.value(node.control)
        operators.require_c_type(controlling, self._types)
        control = controlling.type
        builder, scope = self._context.type_builder, self._context.scope
        types = [None if type_ is None else builder.type_of(type_, scope) for type_, _ in node.choices]
        return self._expressions.lower(self._context.unit.qualifiers.selected(node, control, types), used)

    def _variable_argument(self, node: Node, used: bool) -> Expression:
        type_ = self._context.type_builder.type_of(node.type, self._context.scope)
        source = self._expressions.lower(node.list)
        return VariableArguments(self._context).argument(decay(source), type_, node)
