"""Inputs of which a part is repeated: rounds of loops that read something, lines of a text, elements of a table.

Tables that are full, and searches that look at many elements, need elements that differ: in each round, a number of the
part may be greater than in the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from msgspec.structs import replace

from gia.analyses.testing.mutation import Inputs
from gia.cfa.types import IntegerType
from gia.frontend.library import reads_stream, reads_text
from gia.native import InputValue

MOST_PARTS_OF: Final = 8
"""The parts of so many of the first inputs are repeated."""
_NEWLINE: Final = 10
_VISIBLE: Final = range(33, 127)


class Repetition(NamedTuple):
    """Inputs that begin with ``before``; then a part is repeated, in which the number at ``counting`` counts."""

    before: Inputs
    part: Inputs
    after: Inputs
    counting: int | None = None

    def inputs(self, times: int) -> Inputs:
        """The inputs with the part so many times; counting begins behind the number that the part has."""
        return (*self.before, *chain.from_iterable(map(self._round, range(1, times + 1))), *self.after)

    def counted(self) -> Iterator[Repetition]:
        """The same with each number of the part counting."""
        for index, value in enumerate(self.part):
            if isinstance(value.type, IntegerType):
                yield self._replace(counting=index)

    def _round(self, number: int) -> Inputs:
        if self.counting is None:
            return self.part
        counted = _greater(self.part[self.counting], number)
        return (*self.part[: self.counting], counted, *self.part[self.counting + 1 :])


def _greater(value: InputValue, number: int) -> InputValue:
    """An integer that is greater by a number, or begins again where there is none; visible characters stay visible."""
    assert isinstance(value.type, IntegerType)
    if reads_text(value.function) and value.bits in _VISIBLE:
        return replace(value, bits=_VISIBLE[(value.bits - _VISIBLE.start + number) % len(_VISIBLE)])
    return replace(value, bits=(value.bits + number) % (1 << value.type.width))


def repetitions(inputs: Inputs) -> Iterator[Repetition]:
    """What one round of a loop may have read: each part of the first inputs, the shortest first."""
    most = min(MOST_PARTS_OF, len(inputs))
    for length in range(1, most + 1):
        for begin in range(most - length + 1):
            yield Repetition(inputs[: begin + length], inputs[begin : begin + length], inputs[begin + length :])


def repeated_lines(known: Iterable[Inputs]) -> Iterator[Repetition]:
    """The lines of texts that are read, each once, behind what is read before the text."""
    return iter(dict.fromkeys(found for inputs in known for found in _lines(inputs)))


def _lines(inputs: Inputs) -> Iterator[Repetition]:
    """The lines of a text, with their ends."""
    start = next((place for place, value in enumerate(inputs) if reads_stream(value.function)), len(inputs))
    line: list[InputValue] = []
    for value in inputs[start:]:
        line.append(value)
        if reads_stream(value.function) and value.bits in (_NEWLINE, _end_of(value)):
            line[-1] = replace(value, bits=_NEWLINE)
            yield Repetition(inputs[:start], tuple(line), ())
            line.clear()


def _end_of(value: InputValue) -> int:
    """What is read where a text ends: -1."""
    return (1 << value.type.width) - 1 if isinstance(value.type, IntegerType) else -1
