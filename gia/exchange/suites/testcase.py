"""Tests as lists of inputs, whatever format they are written in, and which of them are needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from gia.cfa.types import PointerType
from gia.frontend.library import reads_text
from gia.native.execution import InputValue


class TestCase(Struct, frozen=True):
    """A test: type name and literal of each input, in the order in which the program reads them.

    With ``then_zeros``, all further inputs are zero: to be written, such a test must be completed by an execution.
    """

    __test__ = False  # no test of this project's own, whatever its name may suggest

    inputs: tuple[tuple[str, str], ...]
    covers_error: bool = False
    then_zeros: bool = False

    @staticmethod
    def of(values: Iterable[InputValue], covers_error: bool = False, then_zeros: bool = False) -> TestCase:
        """The test with these input values."""
        return TestCase(tuple((type_name(value), value.literal) for value in values), covers_error, then_zeros)

    @property
    def literals(self) -> tuple[str, ...]:
        """The literals of the inputs."""
        return tuple(literal for _, literal in self.inputs)


def type_name(value: InputValue) -> str:
    """The type of an input as it stands in a test."""
    return "void *" if isinstance(value.type, PointerType) else str(value.type)


def minimise(tests: Sequence[tuple[int, frozenset[str]]]) -> tuple[int, ...]:
    """A small selection of tests that covers every goal that all of them cover together.

    Each test is its size (the number of its inputs) and the goals it covers; the answer is indices, ascending.
    Greedy set cover (Chvátal 1979): the test with the most goals not yet covered comes next, the
    smaller one of two, then the earlier one. Afterwards tests are dropped, the largest first, whose goals
    others cover as well.
    """
    remaining: set[str] = set().union(*(goals for _, goals in tests))
    chosen: list[int] = []
    gains = [len(goals) for _, goals in tests]
    while remaining:
        best = max(range(len(tests)), key=lambda i: (gains[i], -tests[i][0], -i))
        newly = tests[best][1] & remaining
        chosen.append(best)
        remaining -= newly
        gains = [gain - len(newly & tests[i][1]) for i, gain in enumerate(gains)]
    counts: dict[str, int] = {}
    for index in chosen:
        for goal in tests[index][1]:
            counts[goal] = counts.get(goal, 0) + 1
    kept = set(chosen)
    for index in sorted(chosen, key=lambda i: (-tests[i][0], -i)):
        if all(counts[goal] > 1 for goal in tests[index][1]):
            kept.remove(index)
            for goal in tests[index][1]:
                counts[goal] -= 1
    return tuple(sorted(kept))


def beginning_of_zeros(inputs: Sequence[InputValue]) -> int:
    """How many inputs come before the zeros at the end, among which no character counts."""
    begin = len(inputs)
    while begin and inputs[begin - 1].bits == 0 and not reads_text(inputs[begin - 1].function):
        begin -= 1
    return begin
