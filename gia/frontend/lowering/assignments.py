"""Assignments, and ``++`` and ``--`` (ISO C 6.5.16, 6.5.2.4, 6.5.3.1).

Where C leaves the order open, it is the one of gcc on x86: the right side of an assignment comes before the left.
"""

from __future__ import annotations

from pycparser import c_ast

from gia.cfa.expressions import Expression, IntegerConstant, VariableReference
from gia.frontend import operators
from gia.frontend.conversions import bit_field_width, integer
from gia.frontend.lowering.calls import CallLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.variable_length import UNSUPPORTED_USE
from gia.frontend.operators import TypingError
from gia.frontend.parsing.syntax import Node
from gia.frontend.wide_bit_fields import updated


class AssignmentLowering:
    """Lowers what changes an object in one function."""

    def __init__(self, context: FunctionContext, expressions: ExpressionLowering, calls: CallLowering) -> None:
        self._context = context
        self._types = context.types
        self._expressions = expressions
        self._calls = calls

    def assign(self, node: Node, used: bool) -> Expression:
        """``=``: gcc evaluates the right side first, but the object on the left before a call on the right is made."""
        if self._expressions.variable_length.is_pointer(node.lvalue):
            return self._assign_rows(node, node.lvalue, node.rvalue, node.op, used)
        if node.op != "=":
            return self._compound_assignment(node, used)
        effects, type_of = self._context.effects, self._expressions.type_of
        target: Expression
        if effects.is_pure(node.rvalue) and (effects.is_pure(node.lvalue) or isinstance(node.rvalue, c_ast.ID)):
            target = self._expressions.lower(node.lvalue)
            value = self._expressions.handed_on(node.rvalue)
        elif isinstance(node.rvalue, c_ast.FuncCall) and type_of(node.rvalue) == type_of(node.lvalue):
            return self._assign_call(node, used)
        else:
            value = self._context.preserve(self._expressions.handed_on(node.rvalue), node.rvalue, [node.lvalue])
            target = self._expressions.lower(node.lvalue)
        return self._store(target, value, node, used)

    def step(self, node: Node, used: bool) -> Expression:
        """``++`` and ``--`` before and behind their operand."""
        if self._expressions.variable_length.is_pointer(node.expr):
            return self._assign_rows(node, node.expr, None, node.op[-1], used)
        target = self._expressions.lower(node.expr)
        old = target
        postfix = node.op.startswith("p")
        if postfix and used:
            old = self._context.in_temporary(old, node.expr)
        operator = node.op[-1]
        result = operators.binary(operator, updated(operator, old, self._types), integer(1), self._types)
        stored = self._store(target, result, node, used and not postfix)
        return old if postfix else stored

    def _assign_rows(self, node: Node, pointer: Node, right: Node | None, operator: str, used: bool) -> Expression:
        """Assign to a pointer to arrays of variable length; without a right side it is moved by one."""
        arrays = self._expressions.variable_length
        if used:
            raise TypingError(UNSUPPORTED_USE)
        if operator == "=":
            value = self._expressions.handed_on(right)
        else:
            index = integer(1) if right is None else self._expressions.value(right)
            value = arrays.moved(arrays.start(pointer), operator[0], index, arrays.strides(pointer)[0])
        return self._store(arrays.start(pointer), value, node, used)

    def _assign_call(self, node: Node, used: bool) -> Expression:
        """Assign what a call yields: arguments, then the object, then the call."""
        if isinstance(node.lvalue, c_ast.ID):
            target = self._expressions.lower(node.lvalue)
            place = target if isinstance(target, VariableReference) else None
            value = self._calls.call(node.rvalue, True, place)
            return target if value is target else self._store(target, value, node, used)
        found: list[Expression] = []

        def place_object() -> None:
            found.append(self._context.stabilise(self._expressions.lower(node.lvalue), node.lvalue, [node.rvalue]))

        value = self._calls.call(node.rvalue, True, before_call=place_object, later=[node.lvalue])
        return self._store(found[0], value, node, used)

    def _store(self, target: Expression, value: Expression, node: Node, used: bool) -> Expression:
        """Assign and give the value of the assignment."""
        value = operators.assignable(value, target.type, self._types)
        simple = isinstance(target, VariableReference) or bit_field_width(target, self._types) is not None
        if used and not simple and not isinstance(value, IntegerConstant | VariableReference):
            value = self._context.in_temporary(value, node)
        self._context.assign(target, value, node)
        return target if simple else value

    def _compound_assignment(self, node: Node, used: bool) -> Expression:
        operator = node.op[:-1]
        if self._context.effects.is_pure(node.rvalue):
            target = self._expressions.lower(node.lvalue)
            right = self._expressions.value(node.rvalue)
        else:
            right = self._context.preserve(self._expressions.value(node.rvalue), node.rvalue, [node.lvalue])
            target = self._expressions.lower(node.lvalue)
        result = operators.binary(operator, updated(operator, target, self._types), right, self._types)
        return self._store(target, result, node, used)
