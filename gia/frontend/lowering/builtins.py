"""The compiler's own functions (``__builtin_…``), ``setjmp`` and variable argument lists."""

from __future__ import annotations

from pycparser import c_ast
from pycparserext import ext_c_parser as ext

from gia.cfa.c_expressions import expression_to_c
from gia.cfa.expressions import Binary, Expression, FloatConstant, VariableReference
from gia.cfa.types import (
    DOUBLE,
    FLOAT,
    INT,
    LONG_DOUBLE,
    ArrayType,
    CType,
    FloatType,
    StructType,
    long_type,
)
from gia.frontend import library, operators
from gia.frontend.conversions import common_type, convert, integer, promote, size_type
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.float_classes import CLASSES, CLASSIFYING, SUFFIXES, class_number, classification
from gia.frontend.lowering.overflow_checks import is_overflow_check, lower_overflow_check
from gia.frontend.lowering.variable_arguments import VariableArguments
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.symbols import VariableSymbol

_COMPARISONS = {
    "isgreater": ">",
    "isgreaterequal": ">=",
    "isless": "<",
    "islessequal": "<=",
}
_FLOATS: dict[str, FloatType] = {"": DOUBLE, "f": FLOAT, "l": LONG_DOUBLE}

_OF_ONE_TYPE = {
    f"{name}{suffix}": (known, type_)
    for suffix, type_ in _FLOATS.items()
    for name, known in (("isnan", "isnan"), ("isinf", "isinf"), ("finite", "isfinite"))
    if suffix or name == "finite"
}
"""What classifies numbers of one type (BSD)."""


class Builtins:
    """Lowers the compiler's own functions in one function of the program."""

    def __init__(self, context: FunctionContext, expressions: ExpressionLowering) -> None:
        self._context = context
        self._expressions = expressions

    # ------------------------------------------------------------------ expressions
    def expression(self, name: str, node: Node) -> Expression | None:
        """What a call of one of the compiler's functions is as an expression, ``None`` if ``name`` is none of them."""
        if name in ("offsetof", "__builtin_offsetof"):
            return self._offset_of(node)
        if not name.startswith("__builtin_"):
            return None
        nodes: list[Node] = [] if node.args is None else getattr(node.args, "exprs", [])
        short = name.removeprefix("__builtin_")
        model = self._context.types.data_model
        match short:
            case "expect" | "expect_with_probability":
                for other in reversed(nodes[1:]):
                    self._expressions.effect(other)
                return convert(self._expressions.value(nodes[0]), long_type(model))
            case "constant_p":
                return self._is_constant(node, nodes)
            case "types_compatible_p":
                return self._same_type(node.args)
            case "choose_expr":
                return self._expressions.lower(self._chosen(*nodes))
            case "object_size":
                return self._known_to_optimiser(node, nodes, size_type(model))
        return self._floating(short, nodes)

    def _chosen(self, condition: Node, first: Node, second: Node) -> Node:
        value = self._expressions.constant(condition)
        if value is None:
            raise TypingError("__builtin_choose_expr with a condition that depends on the optimisation")
        return first if value else second

    def _is_constant(self, node: Node, nodes: list[Node]) -> Expression:
        """``__builtin_constant_p``: where only a constant counts, a variable is none before optimisation."""
        if self._expressions.constant(nodes[0]) is not None:
            return integer(1)
        operand = nodes[0]
        while isinstance(operand, c_ast.Cast):
            operand = operand.expr
        symbol = self._context.scope.find(operand.name) if isinstance(operand, c_ast.ID) else None
        is_variable = isinstance(symbol, VariableSymbol) and not self._context.unit.qualifiers.may_be_in(operand)
        if is_variable and self._context.graph.suspended:
            return integer(0)
        return self._known_to_optimiser(node, nodes, INT)

    def _known_to_optimiser(self, node: Node, nodes: list[Node], type_: CType) -> Expression:
        """A call that evaluates nothing; its result depends on what the compiler finds out."""
        context = self._context
        target = context.graph.reference(type_)
        with context.unevaluated():
            arguments = [self._expressions.value(argument) for argument in nodes]
        shown = ", ".join(expression_to_c(argument, context.c_names) for argument in arguments)
        code = f"{context.c_name(target.variable)} = {node.name.name}({shown});"
        context.unmodelled(node, code, f"{node.name.name}, which depends on the optimisation", (target,))
        return target

    def _offset_of(self, node: Node) -> Expression:
        type_name, designator = node.args.exprs
        type_ = self._context.type_builder.type_of(type_name, self._context.scope)
        offset, _ = self._offset(designator, type_)
        return integer(offset, size_type(self._context.types.data_model))

    def _offset(self, designator: Node, type_: CType) -> tuple[int, CType]:
        """The offset and the type of a member designator inside ``type_``."""
        types = self._context.types
        if isinstance(designator, c_ast.ArrayRef):
            offset, array = self._offset(designator.name, type_)
            index = self._expressions.constant(designator.subscript)
            if not isinstance(array, ArrayType) or index is None:
                raise TypingError("offsetof with an index that is not constant")
            return offset + index * types.size_of(array.element), array.element
        offset, struct, name = 0, type_, designator
        if isinstance(designator, c_ast.StructRef):
            offset, struct = self._offset(designator.name, type_)
            name = designator.field
        path = operators.find_member(struct, name.name, types) if isinstance(struct, StructType) else None
        if path is None:
            raise TypingError(f"{struct} has no member {name.name}")
        for step in path:
            assert isinstance(struct, StructType)
            field = types.field(struct, step)
            offset, struct = offset + field.offset, field.type
        return offset, struct

    def _same_type(self, types: Node) -> Expression:
        assert isinstance(types, ext.TypeList)
        builder, scope = self._context.type_builder, self._context.scope
        first, second = (builder.type_of(found, scope) for found in types.types)
        if first == second:
            self._context.unit.qualifiers.require_none(first, types.types)
        return integer(int(first == second))

    def _floating(self, name: str, nodes: list[Node]) -> Expression | None:
        for stem in ("huge_val", "inf", "nan"):
            if name.removeprefix(stem) in _FLOATS and name.startswith(stem):
                type_ = _FLOATS[name.removeprefix(stem)]
                numerator = "0.0" if stem == "nan" else "1.0"
                suffix = SUFFIXES[type_]
                return Binary(
                    "/", FloatConstant(numerator + suffix, type_), FloatConstant("0.0" + suffix, type_), type_
                )
        if name in _COMPARISONS or name in ("islessgreater", "isunordered"):
            return self._unordered_comparison(name, nodes)
        if name in CLASSIFYING:
            return self._classification(name, nodes[0])
        if name in _OF_ONE_TYPE:
            known, type_ = _OF_ONE_TYPE[name]
            return classification(known, convert(self._expressions.value(nodes[0]), type_), type_)
        if name == "fpclassify":
            return self._class_number(nodes)
        return None

    def _unordered_comparison(self, name: str, nodes: list[Node]) -> Expression:
        types = self._context.types
        left, right = (promote(self._expressions.value(node), types) for node in nodes)
        type_ = common_type(left.type, right.type)
        left, right = convert(left, type_), convert(right, type_)
        if name in _COMPARISONS:
            return Binary(_COMPARISONS[name], left, right, INT)
        first, second, joined = ("<", ">", "||") if name == "islessgreater" else ("!=", "!=", "||")
        if name == "isunordered":
            return Binary(joined, Binary(first, left, left, INT), Binary(second, right, right, INT), INT)
        return Binary(joined, Binary(first, left, right, INT), Binary(second, left, right, INT), INT)

    def _classification(self, name: str, node: Node) -> Expression:
        value = self._expressions.value(node)
        if not isinstance(value.type, FloatType):
            raise TypingError(f"{name} of a value of type {value.type}")
        return classification(name, value, value.type)

    def _class_number(self, nodes: list[Node]) -> Expression:
        *numbers, value = (self._expressions.value(node) for node in nodes)
        if len(numbers) != CLASSES or not isinstance(value.type, FloatType):
            raise TypingError("__builtin_fpclassify of other arguments than five classes and a floating number")
        return class_number(value, value.type, [convert(number, INT) for number in numbers])

    # ------------------------------------------------------------------ operations
    def statement(
        self, name: str, node: Node, arguments: tuple[Expression, ...], target: VariableReference | None
    ) -> bool:
        """Lower a call that acts in a way of its own; whether ``name`` is such a function."""
        context = self._context
        plain = name.removeprefix("__builtin_")
        if name == "__builtin_prefetch":
            return True
        if is_overflow_check(name) and len(arguments) == 3:
            with context.unevaluated():
                example = self._expressions.value(node.args.exprs[2])
            return lower_overflow_check(context, node, arguments, example, target)
        if name in library.RETURNING_TWICE:
            # A later longjmp continues behind this call, in any state of the memory and of the locals.
            shown = ", ".join(expression_to_c(argument, context.c_names) for argument in arguments)
            stored = "" if target is None else f"{context.c_name(target.variable)} = "
            context.unit.exposed.update(context.graph.locals)
            context.unmodelled(node, f"{stored}{name}({shown});", f"{name}, which may return twice", None)
            return True
        if name in library.VARIABLE_ARGUMENTS:
            self._variable_arguments(plain, arguments, node)
            return True
        return False

    def _variable_arguments(self, name: str, arguments: tuple[Expression, ...], node: Node) -> None:
        lists = VariableArguments(self._context)
        match name, arguments:
            case "va_start", (list_, *_):
                lists.start(list_, node)
            case "va_copy", (target, source):
                lists.copy(target, source, node)
            case "va_end", _:
                pass
            case _:
                raise TypingError(f"the use of {name}")
