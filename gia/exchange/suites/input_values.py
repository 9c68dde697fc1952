r"""The values of inputs that the assumptions of other tools fix, and the test that they make together.

Tools write the value that an input returned as ``\result == 5``, or as a condition on the variable that it was
assigned to (``x == 5`` behind ``x = __VERIFIER_nondet_int()``).
"""

from __future__ import annotations

import re

from gia.automaton.model import Condition
from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.expressions import Cast, Expression, VariableReference
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Input
from gia.exchange.suites.input_assumptions import constant_of
from gia.exchange.suites.testcase import TestCase
from gia.native.execution import InputValue


def fixed_value(program: Program, edge: Edge, assumption: Condition) -> InputValue | None:
    """The value that the input on ``edge`` has where ``assumption`` holds behind it; ``None`` if it is not fixed."""
    operation, target = _read_by(program, edge)
    if operation is None:
        return None
    text = assumption.text
    if target is not None and r"\result" not in text:
        name = expression_to_gia(target, edge.reference.function, program)
        text = re.sub(rf"(?<![\w$.>\\]){re.escape(name)}(?![\w$])", r"\\result", text)
    bits = constant_of(text, operation.type)
    return None if bits is None else InputValue(operation.function, operation.type, bits)


def _read_by(program: Program, edge: Edge) -> tuple[Input | None, Expression | None]:
    """The input that an edge reads, and the object that it goes to; a conversion has an edge of its own."""
    match edge.operation:
        case Input(target=target) as read:
            return read, target
        case Assign(target=target, value=Cast(operand=VariableReference() as converted)):
            for before in program.functions[edge.reference.function].edges:
                operation = before.operation if before.target == edge.source else None
                if isinstance(operation, Input) and operation.target == converted:
                    return operation, target
    return None, None


def reads_input(program: Program, edge: Edge) -> bool:
    """Whether an edge reads an input, or takes over what the edge before it has read."""
    return _read_by(program, edge)[0] is not None


class InputGuess:
    """The values of inputs in the order in which a path reads them, as far as a file says them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._values: list[InputValue] = []

    def read(self, edge: Edge, assumption: Condition | None) -> None:
        """The path reads an input; where its value is not said, zero is as good as any."""
        operation, _ = _read_by(self._program, edge)
        if operation is not None:
            value = None if assumption is None else fixed_value(self._program, edge, assumption)
            self._values.append(value or InputValue(operation.function, operation.type, 0))

    def learn(self, edge: Edge, assumption: Condition) -> None:
        """The path takes an edge behind which an assumption holds; that may say which value was read."""
        value = fixed_value(self._program, edge, assumption)
        if value is not None:
            self._values.append(value)

    def test(self) -> TestCase:
        """The test of these values."""
        return TestCase.of(self._values)
