"""The lowering of one function: its parts, and how they find each other.

C nests everything in everything: an expression may call a function whose argument is a statement, a declaration may
have sizes that are calls. So the parts (expressions, conditions, calls, statements, …) know this object and reach one
another through it.
"""

from __future__ import annotations

from gia.frontend.lowering.assignments import AssignmentLowering
from gia.frontend.lowering.calls import CallLowering
from gia.frontend.lowering.cleanups import Cleanups
from gia.frontend.lowering.conditions import ConditionLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.initialisers import InitialiserLowering
from gia.frontend.lowering.statements import StatementLowering
from gia.frontend.lowering.variable_length import VariableLengthArrays


class Lowering:
    """The parts of the lowering of one function, or of the file scope."""

    def __init__(self, context: FunctionContext) -> None:
        self.context = context
        self.cleanups = Cleanups(context, self)
        self.conditions = ConditionLowering(context, self)
        self.calls = CallLowering(context, self)
        self.assignments = AssignmentLowering(context, self)
        self.expressions = ExpressionLowering(context, self)
        self.initialisation = InitialiserLowering(context, self)
        self.statements = StatementLowering(context, self)
        self.variable_length = VariableLengthArrays(context, self)
