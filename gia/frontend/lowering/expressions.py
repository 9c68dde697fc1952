"""Expressions with their side effects split off (ISO C 6.5).

:meth:`ExpressionLowering.lower` gives the value or lvalue of an expression as a typed tree without side effects; the
side effects become edges of the function's graph. Where C leaves the order open, it is the one of gcc on x86: operands
from left to right, but first what stands before a comma in one of them; arguments from right to left.
"""

from __future__ import annotations

from collections.abc import Callable

from gia.cfa.expressions import Expression, IntegerConstant
from gia.cfa.types import ArrayType, CType, FunctionType, StructType
from gia.frontend.conversions import decay
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.variable_length import VariableLengthArrays
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node

ExpressionMethod = Callable[[Node, bool], Expression]
"""Lowers one kind of expression: see :meth:`ExpressionLowering.lower`."""


class ExpressionLowering:
    """Lowers expressions in one function, each by what is added to ``by_class`` for the class of its node."""

    def __init__(self, context: FunctionContext) -> None:
        self._context = context
        self.by_class: dict[type, ExpressionMethod] = {}
        self.variable_length = VariableLengthArrays(context, self.value, self.constant)

    def lower(self, node: Node, used: bool = True) -> Expression:
        """The expression as an lvalue if it is one, else its value; ``used`` is false if only its effects count."""
        try:
            method = self.by_class[type(node)]
        except KeyError:
            raise self._context.unit.not_supported(node, f"{type(node).__name__} in an expression") from None
        try:
            result = method(node, used)
        except TypingError as problem:
            raise self._context.unit.not_supported(node, str(problem)) from None
        cuts = used and self._context.effects.cuts(node) and not self._context.graph.suspended
        if cuts and not isinstance(result.type, ArrayType | FunctionType | StructType):
            return self._context.in_temporary(result, node)
        return result

    def value(self, node: Node) -> Expression:
        """The value of an expression; arrays and functions as pointers."""
        return decay(self.lower(node))

    def handed_on(self, node: Node) -> Expression:
        """The value of what is passed, assigned, compared or cast: maybe a pointer to arrays of variable length."""
        arrays = self.variable_length
        return arrays.start(node) if arrays.strides(node) else self.value(node)

    def effect(self, node: Node) -> None:
        """Evaluate an expression for its effects."""
        self.lower(node, used=False)

    def constant(self, node: Node) -> int | None:
        """The value of an integer constant expression, ``None`` if it is none."""
        with self._context.unevaluated():
            value = self.value(node)
        return value.value if isinstance(value, IntegerConstant) else None

    def type_of(self, node: Node) -> CType:
        """The type of an expression that is not evaluated."""
        with self._context.unevaluated():
            return self.lower(node).type
