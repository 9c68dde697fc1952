"""Simpler inputs with the same effect: people read tests.

Source: A. Zeller & R. Hildebrandt, *Simplifying and isolating failure-inducing input*, TSE 2002 (delta debugging); here
not parts are removed, but values replaced by zero, part by part, and what remains by simpler values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from decimal import Decimal, InvalidOperation
from time import monotonic

from msgspec.structs import replace

from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.values import character_cost, plainest, simple_inputs
from gia.cfa.types import FloatType
from gia.frontend import library
from gia.native import Execution, InputValue

Attempt = Callable[[Inputs], Execution | None]
"""Runs the program on inputs; the execution if it has the wanted effect.

What happens when the program asks for more, it is given zeros or ended, is decided there.
"""

MAX_ATTEMPTS = 48
"""How many executions the simplification of one test may cost; three times as many if it is a text."""

_EVEN = b" 0a"
"""The characters of which long texts may consist."""

_LONG = 16
"""A part of a text with so many characters is long, and so are so many numbers."""

_ENDS = 12
"""So many ends of inputs are tried alone, the shortest first."""

_HEADS = 2
"""The ends of long inputs that are numbers are tried behind so many of the first ones, too."""

_NOT_A_NUMBER = 1_000
"""What infinities and the like count: longer than every number."""

_ONE_BY_ONE = 3
"""How many of the simplest values are tried one by one for each value; further ones by a binary search."""

MAX_SECONDS = 0.3
"""How long those may take in all that try simpler inputs; simpler inputs mostly make shorter executions."""


def simplify(execution: Execution, attempt: Attempt, deadline: float) -> Execution | None:
    """An execution with the wanted effect whose inputs are as simple as a short search finds.

    ``None`` if not even the inputs of ``execution`` have the effect when they are tried again.
    """
    first = attempt(execution.inputs) if monotonic() < deadline else None
    if first is None:
        return None
    search = _Search(first, attempt, deadline)
    search.shorten()
    search.drop_rounds()
    search.even_out()
    search.drop_parts()
    search.cut_arguments()
    search.zero_parts()
    search.lower_values()
    search.lower_equal_values()
    return search.best


class _Search:
    """The best execution so far and the attempts that are left."""

    def __init__(self, first: Execution, attempt: Attempt, deadline: float) -> None:
        self.best = first
        self._attempt = attempt
        self._deadline = min(deadline, monotonic() + MAX_SECONDS)
        is_text = any(library.reads_text(value.function) for value in first.inputs)
        self._left = MAX_ATTEMPTS * (3 if is_text else 1)
        self._tried = {first.inputs}

    @property
    def _inputs(self) -> Inputs:
        return self.best.inputs

    @property
    def _exhausted(self) -> bool:
        return self._left <= 0 or monotonic() >= self._deadline

    def accepts(self, inputs: Inputs) -> bool:
        """Try inputs; they become the best if they have the effect and do not make the program read more of them."""
        if self._exhausted or inputs in self._tried:
            return False
        self._tried.add(inputs)
        self._left -= 1
        found = self._attempt(inputs)
        if found is None or _cost(found) >= _cost(self.best):
            return False
        self.best = found
        return True

    def shorten(self) -> None:
        """Keep a beginning as short as a binary search finds."""
        low, high = 0, len(self._inputs)
        while low < high and not self._exhausted:
            middle = (low + high) // 2
            if self.accepts(self._inputs[:middle]):
                high = middle
            else:
                low = middle + 1

    def drop_rounds(self) -> None:
        """Of many numbers keep the last few, behind at most two of the first: what was read between may not matter.

        Attempts with so few inputs cost little, and do not count.
        """
        if len(self._inputs) < _LONG or any(map(_is_of_stream, self._inputs)):
            return
        counted = self._left
        for length in range(1, _ENDS + 1):
            for kept in range(_HEADS + 1):
                if self.accepts((*self._inputs[:kept], *self._inputs[-length:])):
                    return
                self._left = counted

    def drop_parts(self) -> None:
        """Take out parts of texts: halves, quarters, …, down to single characters, and arguments."""
        self._drop_arguments()
        self._drop_beginning()
        size = len(self._inputs) // 2
        while size >= 1 and not self._exhausted:
            start = 0
            while start < len(self._inputs) and not self._exhausted:
                part = self._inputs[start : start + size]
                is_text = all(map(_is_of_stream, part))
                if not (is_text and self.accepts(self._inputs[:start] + self._inputs[start + size :])):
                    start += size
            size //= 2

    def _drop_beginning(self) -> None:
        """Keep an end of a text that begins as it does: what the program did first may not matter."""
        if self._inputs and library.reads_stream(self._inputs[0].function):
            ends = [i for i, value in enumerate(self._inputs) if i and library.reads_stream(value.function)]
            for index in reversed(ends[-_ENDS:]):
                if self.accepts(self._inputs[index:]):
                    break

    def _drop_arguments(self) -> None:
        """Give fewer arguments, the last one first."""
        while self._inputs and self._inputs[0].function == library.ARGUMENTS_INPUT and self._inputs[0].bits > 1:
            count = self._inputs[0].bits - 1
            begin = 1 + (count - 1) * library.CHARACTERS
            fewer = replace(self._inputs[0], bits=count)
            rest = self._inputs[begin + library.CHARACTERS :]
            if not self.accepts((fewer, *self._inputs[1:begin], *rest)):
                break

    def cut_arguments(self) -> None:
        """Give no argument more characters than needed: two that must be equal are not shorter one by one."""
        low, high = 0, max((offset + 1 for offset in _offsets(self._inputs).values()), default=0)
        while low < high and not self._exhausted:
            middle = (low + high) // 2
            if self.accepts(_with_plain(self._inputs, _beyond(self._inputs, middle))):
                high = middle
            else:
                low = middle + 1

    def even_out(self) -> None:
        """Let a long text have equal characters, or its halves, or its quarters: mostly, only its length counts."""
        for code in _EVEN:
            others = [index for index in self._not_plain() if library.reads_stream(self._inputs[index].function)]
            for size in (len(others), len(others) // 2, len(others) // 4):
                for start in range(0, len(others), size) if size >= _LONG else ():
                    self._accepts_value(others[start : start + size], code)

    def zero_parts(self) -> None:
        """Set parts of what is not zero to zero: halves, quarters, …, down to single values while attempts last."""
        others = self._not_plain()
        size = len(others) // 2
        while size >= 1 and self._left > MAX_ATTEMPTS // 3:
            start = 0
            while start < len(others) and not self._exhausted:
                if self.accepts(_with_plain(self._inputs, others[start : start + size])):
                    others = self._not_plain()
                else:
                    start += size
            size //= 2

    def _not_plain(self) -> list[int]:
        """The positions of what is not zero."""
        return [index for index, value in enumerate(self._inputs) if value != plainest(value)]

    def lower_values(self) -> None:
        """Replace single values by simpler ones, first values first."""
        for index in self._not_plain():
            if index >= len(self._inputs) or self._exhausted:
                break
            self._lower([index])

    def lower_equal_values(self) -> None:
        """Replace equal values by one that is simpler: they may have to be equal, so that none was lowered alone."""
        for value in dict.fromkeys(self._inputs[index] for index in self._not_plain()):
            positions = [index for index, other in enumerate(self._inputs) if other == value]
            if len(positions) > 1 and not self._exhausted:
                self._lower(positions)

    def _lower(self, positions: Sequence[int]) -> None:
        """Replace the one value at some positions by one of the simplest, or the simplest that a binary search finds.

        Mostly, what is larger than a value with the effect has it, too.
        """
        simpler = simple_inputs(self._inputs[positions[0]])
        if any(self._accepts_value(positions, bits) for bits in simpler[:_ONE_BY_ONE]):
            return
        low, high = _ONE_BY_ONE, len(simpler)
        while low < high and not self._exhausted:
            middle = (low + high) // 2
            if self._accepts_value(positions, simpler[middle]):
                high = middle
            else:
                low = middle + 1

    def _accepts_value(self, positions: Sequence[int], bits: int) -> bool:
        changed = list(self._inputs)
        if positions[-1] >= len(changed):
            return False
        for index in positions:
            changed[index] = replace(changed[index], bits=bits)
        return self.accepts(tuple(changed))


def _is_of_stream(value: InputValue) -> bool:
    """Whether a value is a byte or number of standard input, or a byte of a file."""
    return library.reads_stream(value.function) or value.function.startswith(library.STDIN_INPUT)


def _with_plain(inputs: Inputs, positions: Collection[int]) -> Inputs:
    """Inputs with zero at some positions."""
    chosen = set(positions)
    return tuple(plainest(value) if index in chosen else value for index, value in enumerate(inputs))


def _offsets(inputs: Inputs) -> dict[int, int]:
    """The positions of the characters of arguments that are not zero, and which character of its argument each is."""
    if not inputs or inputs[0].function != library.ARGUMENTS_INPUT:
        return {}
    end = 1 + (inputs[0].bits - 1) * library.CHARACTERS
    return {index: (index - 1) % library.CHARACTERS for index in range(1, min(end, len(inputs))) if inputs[index].bits}


def _beyond(inputs: Inputs, length: int) -> list[int]:
    """The positions of the characters of arguments behind the first ``length`` of each."""
    return [index for index, offset in _offsets(inputs).items() if offset >= length]


def _cost(execution: Execution) -> tuple[int, int, int]:
    """How complicated inputs are: the number of reads, then the length of the values, then their size."""
    inputs = execution.inputs
    sizes = (abs(value.number) for value in inputs if not isinstance(value.type, FloatType))
    return len(inputs), sum(_length(value) for value in inputs), sum(sizes)


def _length_of_literal(text: str) -> int:
    """0 for zero; else the significant digits, the magnitude of the decimal exponent, and one more for a sign."""
    try:
        number = Decimal(text).normalize()
    except InvalidOperation:  # a long double, in hexadecimal
        return len(text)
    if not number.is_finite():
        return _NOT_A_NUMBER
    if number.is_zero():
        return int(number.is_signed())
    return len(number.as_tuple().digits) + abs(number.adjusted()) + number.is_signed()


def _length(value: InputValue) -> int:
    """0 for zero; else the digits of an integer's magnitude in base 2, and one more for a sign."""
    if library.reads_text(value.function):
        return character_cost(value)
    match value.type:
        case FloatType():
            return _length_of_literal(value.literal)
    return value.number.bit_length() + (value.number < 0)
