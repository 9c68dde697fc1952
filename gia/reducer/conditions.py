"""The conditions of an automaton as tests that a program can make on its way.

A condition that cannot be tested where the program is (it mentions a variable of another frame, or evaluating it could
itself be undefined) is *unknown*; the reducer then keeps the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from gia.automaton.model import Condition
from gia.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Dereference,
    Expression,
    IntegerConstant,
    Result,
    Storage,
    Subscript,
    Unary,
    Variable,
    VariableReference,
    rewritten,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.operations import Assume, Call
from gia.cfa.types import ArrayType, CType, FloatType, IntegerType
from gia.errors import InputError


class Parse(Protocol):
    """How the text of a condition becomes an expression: :func:`gia.frontend.exchange_expressions.parse_expression`."""

    def __call__(self, text: str, scope: str, program: Program, *, result: CType | None = None) -> Expression:
        r"""The expression; ``result`` is the type of ``\result``. Raises ``InputError`` if the text is none."""


class Unknown(Enum):
    """The value of a condition that the program cannot test."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN

Value = Expression | bool | Unknown
"""What a condition is at a place: a test to make, decided already, or unknown."""


class Conditions:
    """The conditions of one automaton over one program, parsed once each."""

    def __init__(self, program: Program, parse: Parse) -> None:
        self._program = program
        self._parse = parse
        self._parsed: dict[tuple[Condition, CType | None], Expression | Unknown] = {}
        self.unknown: dict[tuple[Condition, str], None] = {}
        """The conditions that could not be tested, and where: the function."""

    def after(self, condition: Condition, edge: Edge, function: str, result: Variable | None = None) -> Value:
        """The value of a condition in ``function`` right after it has executed ``edge``.

        ``result`` is the variable that holds what an input returned.
        """
        value = self._expression(condition, None if result is None else result.type)
        if value is UNKNOWN:
            return self._note(condition, function)
        if result is not None:
            held = VariableReference(result)
            value = rewritten(value, lambda part: held if isinstance(part, Result) else None)
        decided = _decided(value, edge)
        if decided is not None:
            return decided
        testable = all(found.is_static or found.function == function for found in variables_of(value))
        return value if testable and is_defined(value) else self._note(condition, function)

    def before_call(self, condition: Condition, edge: Edge, caller: str) -> Value:
        """The value of a condition at the entry of a callee, as a test that the caller makes before the call.

        The parameters have the values of the arguments; all else but the callee's other locals is as before the call.
        """
        operation = edge.operation
        assert isinstance(operation, Call)
        callee = self._program.functions[operation.function]
        value = self._expression(condition, None)
        if value is UNKNOWN:
            return self._note(condition, caller)
        replacement: dict[Expression, Expression] = {}
        for variable in sorted(variables_of(value), key=lambda found: found.name):
            if variable.is_static or (variable.function == caller != callee.name):
                continue
            argument = _argument(variable, callee, operation.arguments)
            if argument is None:
                return self._note(condition, caller)
            replacement[VariableReference(variable)] = argument
        if replacement and any(isinstance(part, AddressOf) for part in walk(value)):
            return self._note(condition, caller)  # a parameter has another address than its argument
        value = rewritten(value, replacement.get)
        return _constant(value) if is_defined(value) else self._note(condition, caller)

    def _expression(self, condition: Condition, result: CType | None) -> Expression | Unknown:
        key = condition, result
        if key not in self._parsed:
            try:
                found = self._parse(condition.text, condition.scope, self._program, result=result)
            except InputError:
                found = None
            testable = found is not None and all(v.storage is not Storage.GHOST for v in variables_of(found))
            self._parsed[key] = found if found is not None and testable else UNKNOWN
        return self._parsed[key]

    def _note(self, condition: Condition, function: str) -> Unknown:
        self.unknown[condition, function] = None
        return UNKNOWN


def _argument(variable: Variable, callee: Function, arguments: Sequence[Expression]) -> Expression | None:
    """What a variable of the callee holds at its entry: the argument, ``None`` if that is not known."""
    if variable.function != callee.name or variable not in callee.parameters:
        return None
    index = callee.parameters.index(variable)
    if index >= len(arguments):
        return None
    argument = arguments[index]
    return argument if argument.type == variable.type else Cast(argument, variable.type)


def _constant(value: Expression) -> Expression | bool:
    """A constant as its truth."""
    return value.value != 0 if isinstance(value, IntegerConstant) else value


def _decided(value: Expression, edge: Edge) -> bool | None:
    """The truth of a condition if it is constant, or if it or its negation is what ``edge`` assumes."""
    if isinstance(value, IntegerConstant):
        return value.value != 0
    if isinstance(edge.operation, Assume):
        assumed, outcome = edge.operation.condition, edge.operation.outcome
        if without_negations(value)[0] == without_negations(assumed)[0]:
            return outcome == (without_negations(value)[1] == without_negations(assumed)[1])
    return None


def without_negations(condition: Expression) -> tuple[Expression, bool]:
    """The condition below all ``!``, ``!= 0`` and ``== 0``, and whether it has the same truth (else the opposite)."""
    positive = True
    while True:
        match condition:
            case Unary(operator="!", operand=operand):
                condition, positive = operand, not positive
            case Binary(operator="!=" | "==" as operator, left=left, right=IntegerConstant(value=0)):
                condition, positive = left, positive == (operator == "!=")
            case _:
                return condition, positive


def is_defined(value: Expression) -> bool:
    """Whether evaluating a condition is defined in every state, so that a test of it changes no behaviour."""
    return all(_part_is_defined(part) for part in walk(value))


def _part_is_defined(part: Expression) -> bool:
    match part:
        case Dereference() | Result():
            return False
        case Subscript(array=array, index=index):
            length = array.type.length if isinstance(array.type, ArrayType) else None
            return isinstance(index, IntegerConstant) and length is not None and 0 <= index.value < length
        case Binary(operator="/" | "%", right=right, type=IntegerType()):
            return isinstance(right, IntegerConstant) and right.value not in (0, -1)
        case Binary(operator="<<" | ">>", right=right, type=IntegerType(width=width)):
            return isinstance(right, IntegerConstant) and 0 <= right.value < width
        case Cast(operand=operand, type=IntegerType()):
            return not isinstance(operand.type, FloatType)
    return True
