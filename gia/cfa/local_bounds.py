"""How large a number is at most by what stands right before it, such as a check of the size of what is copied.

Only local variables count to which no pointer leads: nothing but the function itself changes them. What is said of them
holds in every execution; unlike :mod:`gia.analyses.proving.candidates.intervals`, nobody checks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Final

from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.graph import Edge, Program
from gia.cfa.intervals import Environment, Interval, IntervalValues, join, range_of
from gia.cfa.operations import Assign, Assume, Call, Declare, Input, Unmodelled
from gia.cfa.types import IntegerType

_FARTHEST: Final = 50
"""What is more edges away is not looked at."""


def interval_of(program: Program, value: Expression, location: int) -> Interval:
    """The values that an integer may have at a location."""
    bounds = program.derived(LocalBounds)
    return bounds.values.evaluate(value, bounds.before(location))


def greatest(program: Program, value: Expression, location: int) -> int | None:
    """The greatest value that an integer may have at a location, ``None`` if that is only known of its type."""
    high = interval_of(program, value, location)[1]
    return high if high < range_of(value.type)[1] else None


class LocalBounds:
    """The intervals of local variables at locations of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[int, Environment[Variable]] = {}
        self.values = IntervalValues[Variable](partial(_numbers, program))

    def before(self, location: int) -> Environment[Variable]:
        """The intervals of variables where the operations behind a location begin."""
        if location not in self._known:
            self._known[location] = self._before(location, {}, _FARTHEST)
        return self._known[location]

    def _before(self, location: int, found: dict[int, Environment[Variable]], left: int) -> Environment[Variable]:
        """The same, with what was ``found`` of other locations and the number of edges that are ``left`` to look at.

        Nothing is said of what comes around a loop.
        """
        if location not in found:
            found[location] = {}
            function = self._program.functions[self._program.function_of_location[location]]
            entering = function.entering.get(location, ()) if left and location != function.entry else ()
            after = [self._after(edge, self._before(edge.source, found, left - 1)) for edge in entering]
            found[location] = reduce(join, [each for each in after if each is not None] or [{}])
        return found[location]

    def _after(self, edge: Edge, before: Environment[Variable]) -> Environment[Variable] | None:
        """The intervals behind an edge, ``None`` if it is not taken."""
        match edge.operation:
            case Assume(condition=condition, outcome=outcome):
                return self.values.assume(condition, outcome, before)
            case Assign(target=VariableReference(variable=variable) as target, value=value):
                after = _without(before, variable)
                if _numbers(self._program, target):
                    after[variable] = self.values.evaluate(value, before)
                return after
            case Input(target=VariableReference(variable=variable)) | Call(target=VariableReference(variable=variable)):
                return _without(before, variable)
            case Declare(variable=variable):
                return _without(before, variable)
            case Unmodelled():
                return {}
        return before


def _numbers(program: Program, lvalue: Expression) -> Sequence[Variable]:
    """The variable that an lvalue is, if nothing but its function can change it."""
    match lvalue:
        case VariableReference(variable=Variable(type=IntegerType()) as variable):
            if not variable.is_static and variable not in program.address_taken:
                return (variable,)
    return ()


def _without(environment: Environment[Variable], variable: Variable) -> dict[Variable, Interval]:
    return {number: interval for number, interval in environment.items() if number != variable}
