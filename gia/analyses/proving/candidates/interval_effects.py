"""What operations do to the intervals that are known of numbers in variables and in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gia.analyses.proving.candidates.environments import Environment
from gia.analyses.proving.candidates.memory_parts import MemoryParts, Number, Part, View
from gia.cfa.expressions import Expression, Variable, VariableReference
from gia.cfa.graph import Function
from gia.cfa.intervals import Interval, IntervalValues, fit, hull, range_of
from gia.cfa.library_effects import destination, library_function, limit_of, without_effect
from gia.cfa.operations import Call
from gia.cfa.places import Area
from gia.cfa.pointer_values import constant
from gia.cfa.types import IntegerType, PointerType


class Frame:
    """Operations that are executed in one frame."""

    def __init__(self, parts: MemoryParts, view: View) -> None:
        self._parts = parts
        self._view = view
        self.values = IntervalValues(view.numbers)

    def assign(self, environment: Environment, target: Expression, value: Expression) -> Environment:
        """``target = value``."""
        if isinstance(target.type, IntegerType):
            return self.store(environment, target, self.values.evaluate(value, environment))
        return {**self.forget(environment, target), **dict(self._copied(environment, target, value))}

    def store(self, environment: Environment, target: Expression, value: Interval) -> Environment:
        """Give an lvalue a value of an interval: each number that it may be, if there are many, has that or its own."""
        numbers = self._view.numbers(target)
        plain = len(numbers) == 1 and isinstance(numbers[0], Variable)
        result = dict(environment if plain else self.forget(environment, target))
        for number in numbers:
            whole = range_of(number.type)
            new = fit(value, number.type) if len(numbers) == 1 else hull(value, environment.get(number, whole))
            result.pop(number, None)
            if new != whole:
                result[number] = new
        return result

    def forget(self, environment: Environment, *targets: Expression) -> Environment:
        """Without what is known of lvalues."""
        for target in targets:
            if not isinstance(target, VariableReference) or self._parts.numbers_of(target.variable):
                environment = _overwritten(environment, self._view.areas(target))
        return environment

    def enter(self, environment: Environment, function: Function, arguments: Iterable[Interval | None]) -> Environment:
        """The frame is opened by a call with these arguments, which are ``None`` if they are no integers."""
        for parameter, value in zip(function.parameters, arguments, strict=False):
            target = VariableReference(parameter)
            environment = self.forget(environment, target) if value is None else self.store(environment, target, value)
        return environment

    def arguments(self, environment: Environment, call: Call) -> Iterator[Interval | None]:
        """What a call gives to the function."""
        for argument in call.arguments:
            is_integer = isinstance(argument.type, IntegerType)
            yield self.values.evaluate(argument, environment) if is_integer else None

    def call_library(self, environment: Environment, call: Call) -> Environment:
        """A call of a function without a body: it may write to what its arguments lead to."""
        written = destination(call)
        if written is not None:
            environment = self._written(environment, call, written)
        elif not without_effect(call):
            for argument in call.arguments:
                if isinstance(argument.type, PointerType):
                    environment = _overwritten(environment, self._view.reachable(argument))
        return environment if call.target is None else self.forget(environment, call.target)

    def _written(self, environment: Environment, call: Call, written: Expression) -> Environment:
        """After bytes were written from where a pointer leads on; ``memset`` may make them zero."""
        limit = limit_of(call)
        least, size = (0, None) if limit is None else self.values.evaluate(limit, environment)
        result = dict(_overwritten(environment, self._view.behind(written, size)))
        begin = self._view.object_behind(written)
        if library_function(call) == "memset" and constant(call.arguments[1]) == 0 and begin and least == size:
            parts = self._parts.of(begin.variable).values()
            result.update({p: (0, 0) for p in parts if begin.offset <= p.offset and p.end <= begin.offset + size})
        return result

    def _copied(
        self, environment: Environment, target: Expression, value: Expression
    ) -> Iterator[tuple[Part, Interval]]:
        """What is known of the numbers in a structure after it was assigned."""
        to, from_ = self._view.object(target), self._view.object(value)
        if to is None or from_ is None:
            return
        targets = self._parts.of(to.variable)
        for part in self._parts.of(from_.variable).values():
            copy = targets.get((part.offset - from_.offset + to.offset, part.type))
            if copy is not None and part in environment:
                yield copy, environment[part]


def _overwritten(environment: Environment, areas: Mapping[Variable, Area] | None) -> Environment:
    """Without what is known of areas of variables, of all memory if it is not known which."""
    return {number: interval for number, interval in environment.items() if not _is_in(number, areas)}


def _is_in(number: Number, areas: Mapping[Variable, Area] | None) -> bool:
    if isinstance(number, Variable):
        return areas is not None and number in areas
    if areas is None:
        return True
    area = areas.get(number.variable)
    return area is not None and number.overlaps(area)
