"""Which conditions an edge may change: those over what it writes."""

from __future__ import annotations

from collections.abc import Iterable

from gia.cfa.expressions import Dereference, Expression, Variable, VariableReference, whole_of
from gia.cfa.graph import Program
from gia.cfa.operations import Assign, Call, Declare, Halt, Input, Operation, Return, Unmodelled


class Writes:
    """What the edges of a program write, over-approximated."""

    def __init__(self, program: Program) -> None:
        self._defined = program.functions.keys()
        self._addressed = program.address_taken

    def may_change(self, operation: Operation, variable: Variable) -> bool:
        """Whether the value of a variable may differ after an operation, or the variable be another one."""
        match operation:
            case Declare(variable=declared):
                return declared == variable
            case Assign(target=target):
                return self._hits(target, variable)
            case Input(target=target):
                return target is not None and self._hits(target, variable)
            case Call(function=name) if name in self._defined:
                return not variable.is_static  # another frame; what the call yields is stored when it returns
            case Call(target=target):
                hit = target is not None and self._hits(target, variable)
                return hit or variable.is_static or variable in self._addressed
            case Return():
                return not variable.is_static
            case Unmodelled(writes=writes):
                return writes is None or any(self._hits(target, variable) for target in writes)
            case Halt():
                return True
        return False

    def stored_by(self, call: Operation, variables: Iterable[Variable]) -> bool:
        """Whether what a call yields is stored in one of the variables."""
        target = call.target if isinstance(call, Call) else None
        return target is not None and any(self._hits(target, variable) for variable in variables)

    def _hits(self, target: Expression, variable: Variable) -> bool:
        target = whole_of(target)
        if isinstance(target, Dereference):
            return variable in self._addressed
        return isinstance(target, VariableReference) and target.variable == variable
