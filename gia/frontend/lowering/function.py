"""The lowering of one function: its parts, and how they find each other.

C nests everything in everything: an expression may call a function whose argument is a statement, a declaration may
have sizes that are calls. But the way back always leads through an expression. So each part knows
the lowering of expressions and the parts that are made before it, and the lowering of expressions finds a part by the
class of a node.
"""

from __future__ import annotations

from pycparser import c_ast

from gia.frontend.lowering.assignments import AssignmentLowering
from gia.frontend.lowering.calls import CallLowering
from gia.frontend.lowering.cleanups import Cleanups
from gia.frontend.lowering.conditions import ConditionLowering
from gia.frontend.lowering.context import FunctionContext
from gia.frontend.lowering.expressions import ExpressionLowering
from gia.frontend.lowering.initialisers import InitialiserLowering
from gia.frontend.lowering.local_declarations import LocalDeclarations
from gia.frontend.lowering.operator_expressions import OperatorLowering
from gia.frontend.lowering.statements import StatementLowering


class Lowering:
    """The lowering of one function, or of the file scope; it begins with statements, initialisers or expressions."""

    def __init__(self, context: FunctionContext) -> None:
        self.context = context
        self.expressions = ExpressionLowering(context)
        conditions = ConditionLowering(context, self.expressions)
        calls = CallLowering(context, self.expressions)
        cleanups = Cleanups(context, calls)
        assignments = AssignmentLowering(context, self.expressions, calls)
        operators = OperatorLowering(context, self.expressions, conditions, assignments)
        self.initialisation = InitialiserLowering(context, self.expressions, calls)
        declarations = LocalDeclarations(context, self.expressions, self.initialisation, cleanups)
        self.statements = StatementLowering(context, self.expressions, conditions, declarations, cleanups)
        self.expressions.by_class |= {
            **operators.by_class,
            c_ast.Assignment: assignments.assign,
            c_ast.TernaryOp: conditions.conditional,
            c_ast.FuncCall: calls.call,
            c_ast.CompoundLiteral: self.initialisation.compound_literal,
            c_ast.Compound: self.statements.statement_expression,
        }
