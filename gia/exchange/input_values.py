r"""The values of inputs that the assumptions of other tools fix, and the test that they make together.

Tools write the value that an input returned as ``\result == 5``, or as a condition on the variable that it was
assigned to (``x == 5`` behind ``x = __VERIFIER_nondet_int()``).
"""

from __future__ import annotations

import re

from gia.automaton.model import Condition
from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Input
from gia.exchange.input_assumptions import constant_of
from gia.exchange.test_suite import TestCase
from gia.native.execution import InputValue


def fixed_value(program: Program, edge: Edge, assumption: Condition) -> InputValue | None:
    """The value that the input on ``edge`` has where ``assumption`` holds behind it; ``None`` if it is not fixed."""
    operation = edge.operation
    if not isinstance(operation, Input):
        return None
    text = assumption.text
    if operation.target is not None and r"\result" not in text:
        name = expression_to_gia(operation.target, edge.reference.function, program)
        text = re.sub(rf"(?<![\w$.>\\]){re.escape(name)}(?![\w$])", r"\\result", text)
    bits = constant_of(text, operation.type)
    return None if bits is None else InputValue(operation.function, operation.type, bits)


class InputGuess:
    """The values of inputs in the order in which a path reads them, as far as a file says them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._values: list[InputValue] = []

    def read(self, edge: Edge, assumption: Condition | None) -> None:
        """The path reads an input; where its value is not said, zero is as good as any."""
        operation = edge.operation
        if isinstance(operation, Input):
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
