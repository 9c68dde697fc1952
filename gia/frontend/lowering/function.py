"""The lowering of one function: its parts, and how they find each other.

C nests everything in everything: an expression may call a function whose argument is a statement, a declaration may
have sizes that are calls. So the parts (expressions, conditions, calls, statements, …) know this object and reach one
another through it.
"""

from __future__ import annotations

from typing import Protocol

from gia.cfa.expressions import Variable
from gia.cfa.types import CType
from gia.frontend.lowering.assignments import AssignmentLowering
from gia.frontend.lowering.calls import CallLowering
from gia.frontend.lowering.cleanups import Cleanups
from gia.frontend.lowering.conditions import ConditionLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.initialisers import InitialiserLowering
from gia.frontend.lowering.statements import StatementLowering
from gia.frontend.lowering.variable_length import VariableLengthArrays
from gia.frontend.parsing.syntax import Node
from gia.frontend.symbols import VariableSymbol


class FileScope(Protocol):
    """What a function may add to the file scope."""

    def declare_variable(self, node: Node, type_: CType) -> VariableSymbol:
        """A global that a block mentions first."""

    def new_literal(self, type_: CType) -> Variable:
        """The object of a compound literal outside of functions."""


class Lowering:
    """The parts of the lowering of one function, or of the file scope."""

    def __init__(self, context: FunctionContext, file_scope: FileScope, labels_with_address: tuple[str, ...]) -> None:
        self.context = context
        self.labels_with_address = labels_with_address
        self._file_scope = file_scope
        self.cleanups = Cleanups(context, self)
        self.conditions = ConditionLowering(context, self)
        self.calls = CallLowering(context, self)
        self.assignments = AssignmentLowering(context, self)
        self.expressions = ExpressionLowering(context, self)
        self.initialisation = InitialiserLowering(context, self)
        self.statements = StatementLowering(context, self)
        self.variable_length = VariableLengthArrays(context, self)

    def declare_extern(self, node: Node, type_: CType) -> VariableSymbol:
        """Declare a global that a block mentions first."""
        return self._file_scope.declare_variable(node, type_)

    def new_static_literal(self, type_: CType) -> Variable:
        """The object of a compound literal outside of functions."""
        return self._file_scope.new_literal(type_)
