"""Executions that take long or read very much: a few, of simple inputs, of large numbers, of inputs in repetition.

Loops that go round as often as an input says, or as long as there is something to read, are beyond symbolic execution
where thousands of rounds matter, and fuzzing ends executions long before. But a million rounds take the program itself
a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, islice
from random import Random
from time import monotonic

from msgspec.structs import replace

from gia.analyses.testing.campaign import Campaign
from gia.analyses.testing.executions import timed_out
from gia.analyses.testing.executor import BRIEF_SECONDS, EXECUTION_SECONDS, MAX_RANDOM_INPUTS
from gia.analyses.testing.mutation import Inputs, mutate
from gia.analyses.testing.repetition import MOST_PARTS_OF, Repetition, repeated_lines, repetitions
from gia.analyses.testing.values import plainest
from gia.cfa.types import IntegerType
from gia.native import InputValue
from gia.verdict import StopKind, StopReason

RANDOM_EXECUTIONS = 20
"""How many random executions are tried when executions may take longer than before."""

PADDED_INPUTS = 8
"""The most inputs of one that reads zeros then; so many of the first are changed in others."""

SHORT = 64
"""No more inputs has one of which a part is repeated."""

SMALLEST_MAGNITUDE = 10
"""Numbers below 2 to the power of this are no large ones: other searches try them."""

VARIED_EXECUTIONS = 8
"""The inputs of so many executions that ended get large numbers in them, or a part of them is repeated."""

REPETITIONS = (1 << 5, 1 << 10, 1 << 12, 1 << 14)
"""How often a part of the inputs is repeated: first so often that it shows whether the program reads on."""

MOST_LINES = 30
"""So many lines of texts are repeated."""

VARIED_REPETITIONS = 300
"""So many executions have a part in them that was changed before it was repeated, of each number of repetitions."""


def execute_simplest(found: Campaign, end: float) -> StopReason | None:
    """Where executions read on until they are cut, but end if they may be longer: the simplest such executions.

    Short ones are of no use for a program that fills large arrays with inputs before it looks at them, while they
    show as much of one that reads on for ever; ``None`` there.
    """
    zeros = found.execute_padded((), BRIEF_SECONDS)
    if not timed_out(zeros) or len(zeros.inputs) <= MAX_RANDOM_INPUTS:
        return None
    found.lengthen()
    try:
        if timed_out(found.execute_padded((), BRIEF_SECONDS)):
            return None
        return _execute_almost_zeros(found, zeros.inputs[:PADDED_INPUTS], end, BRIEF_SECONDS)
    finally:
        found.shorten()


def execute_longer(found: Campaign, random: Random, end: float) -> StopReason:
    """Give executions time to go on: those of known tests, random ones, and variants of known ones that are longer."""
    known = [test.inputs for test in found.tests]
    first = found.execute((), random.getrandbits(32))
    reason = _execute_almost_zeros(found, first.inputs[:PADDED_INPUTS], end)
    if reason.kind is not StopKind.ROUNDS:
        return reason
    ended = []
    for inputs in [*known, *([()] * RANDOM_EXECUTIONS)]:
        if found.finished or monotonic() >= end:
            return StopReason(StopKind.TIME)
        execution = found.execute(inputs, random.getrandbits(32))
        if not timed_out(execution):
            ended.append(execution.inputs)
        found.execute_padded(inputs or execution.inputs[: random.randint(0, PADDED_INPUTS)])
    short = list(dict.fromkeys(part for inputs in (*known, *ended) for part in _short(inputs)))
    return (
        _execute_large(found, ended[:VARIED_EXECUTIONS], random, end)
        or _execute_repeated(found, short, random, end)
    )  # fmt: skip


def _short(inputs: Inputs) -> tuple[Inputs, ...]:
    """Inputs that are short, or the ends of others."""
    if len(inputs) <= SHORT:
        return (inputs,) if inputs else ()
    return inputs[:MOST_PARTS_OF], inputs[-MOST_PARTS_OF:]


def _execute_almost_zeros(
    found: Campaign, beginning: Inputs, end: float, seconds: float = EXECUTION_SECONDS
) -> StopReason:
    """What reads very many inputs may read zeros in the end, which is all that then is worth to be written down."""
    beginnings = tuple(_almost_zeros(beginning))
    for inputs in beginnings:
        if monotonic() >= end:
            return StopReason(StopKind.TIME)
        found.execute_padded(inputs, seconds)
        if not found.open:
            return StopReason(StopKind.DECIDED)
    return StopReason(StopKind.ROUNDS, len(beginnings))


def _almost_zeros(inputs: Inputs) -> Iterator[Inputs]:
    """Simple beginnings of long tests: one, zero and one, and so on; then nothing."""
    zeros = tuple(plainest(value) for value in inputs)
    for index, value in enumerate(zeros):
        if isinstance(value.type, IntegerType):
            yield (*zeros[:index], replace(value, bits=1))
    yield ()


def _execute_large(found: Campaign, known: list[Inputs], random: Random, end: float) -> StopReason | None:
    """Each number of a few inputs is large, the magnitudes from the smallest on until an execution takes too long.

    ``None`` if that brings it to an end.
    """
    places = [(inputs, index) for inputs in known for index in range(len(inputs[:PADDED_INPUTS]))]
    for exponent in count(SMALLEST_MAGNITUDE):
        places = [(inputs, index) for inputs, index in places if _width(inputs[index]) > exponent]
        if not places:
            return None
        for inputs, index in places.copy():
            if found.finished or monotonic() >= end:
                return StopReason(StopKind.TIME if found.open else StopKind.DECIDED)
            large = replace(inputs[index], bits=(1 << exponent) | random.getrandbits(exponent))
            changed = (*inputs[:index], large, *inputs[index + 1 :])
            if timed_out(found.execute(changed, random.getrandbits(32), BRIEF_SECONDS)):
                places.remove((inputs, index))
    return None


def _width(value: InputValue) -> int:
    return value.type.width if isinstance(value.type, IntegerType) else 0


def _execute_repeated(found: Campaign, known: Sequence[Inputs], random: Random, end: float) -> StopReason:
    """Short parts and lines of inputs are repeated, more and more often as long as the program goes on to read them.

    So are parts in which a number counts, and parts of variants of known inputs: a round of a loop may need values that
    no round had so far.
    """
    few = known[:VARIED_EXECUTIONS]
    parts = (repeated for inputs in few for repeated in repetitions(inputs))
    repeating = _Repeating(found, end)
    first, *more = REPETITIONS
    plain = repeating.going_on(chain(parts, islice(repeated_lines(known), MOST_LINES)), first)
    counting = [counted for repeated in plain for counted in repeated.counted()]
    random.shuffle(counting)
    left = [*plain, *repeating.going_on(counting[:VARIED_REPETITIONS], first)]
    for times in more:
        if not left:
            break
        left = repeating.going_on(chain(left, islice(_varied(found, few, random), VARIED_REPETITIONS)), times)
    if not found.open:
        return StopReason(StopKind.DECIDED)
    return StopReason(StopKind.TIME) if repeating.is_over else StopReason(StopKind.ROUNDS, repeating.rounds)


class _Repeating:
    """Executions with repeated parts: ``rounds`` are how many there were."""

    def __init__(self, found: Campaign, end: float) -> None:
        self.rounds = 0
        self._found = found
        self._end = end

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to search for, or no time."""
        return self._found.finished or monotonic() >= self._end

    def going_on(self, tried: Iterable[Repetition], times: int) -> list[Repetition]:
        """Execute parts repeated so many times; those that the program reads to their end, and soon."""
        left = []
        for repeated in tried:
            if self.is_over:
                return []
            inputs = repeated.inputs(times)
            execution = self._found.execute(inputs, seconds=BRIEF_SECONDS)
            self.rounds += 1
            if not timed_out(execution) and len(execution.inputs) >= len(inputs):
                left.append(repeated)
        return left


def _varied(found: Campaign, known: Sequence[Inputs], random: Random) -> Iterator[Repetition]:
    """Known inputs with small changes, and a short part of them."""
    while known:
        inputs = mutate(random.choice(known), known, random, found.executor.dictionary)
        parts = tuple(repetitions(inputs))
        if parts:
            yield random.choice(parts)
