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
from gia.analyses.testing.values import plainest
from gia.cfa.types import IntegerType
from gia.native import InputValue
from gia.verdict import StopKind, StopReason

RANDOM_EXECUTIONS = 20
"""How many random executions are tried when executions may take longer than before."""

PADDED_INPUTS = 8
"""The most inputs of one that reads zeros then; so many of the first are changed or repeated in others."""

SHORT = 64
"""No more inputs has one of which a part is repeated."""

SMALLEST_MAGNITUDE = 10
"""Numbers below 2 to the power of this are no large ones: other searches try them."""

VARIED_EXECUTIONS = 8
"""The inputs of so many executions that ended get large numbers in them, or a part of them is repeated."""

REPETITIONS = (1 << 5, 1 << 10, 1 << 12, 1 << 14)
"""How often a part of the inputs is repeated: first so often that it shows whether the program reads on."""

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
    short = [inputs for inputs in dict.fromkeys((*known, *ended)) if 0 < len(inputs) <= SHORT]
    return (
        _execute_large(found, ended[:VARIED_EXECUTIONS], random, end)
        or _execute_repeated(found, short[:VARIED_EXECUTIONS], random, end)
    )  # fmt: skip


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


def _execute_repeated(found: Campaign, known: list[Inputs], random: Random, end: float) -> StopReason:
    """Each short part of a few inputs is repeated, more and more often as long as the program goes on to read it.

    So are parts of variants of known inputs, for a round of a loop may need values that no round had so far.
    """
    tried: Iterable[tuple[Inputs, slice]] = ((inputs, part) for inputs in known for part in _parts(inputs))
    rounds = 0
    for times in REPETITIONS:
        going_on = []
        for inputs, part in tried:
            if found.finished or monotonic() >= end:
                return StopReason(StopKind.TIME if found.open else StopKind.DECIDED)
            repeated = (*inputs[: part.stop], *(inputs[part] * times), *inputs[part.stop :])
            execution = found.execute(repeated, seconds=BRIEF_SECONDS)
            rounds += 1
            if not timed_out(execution) and len(execution.inputs) >= len(repeated):
                going_on.append((inputs, part))
        if not going_on:
            break
        tried = chain(going_on, islice(_varied(found, known, random), VARIED_REPETITIONS))
    return StopReason(StopKind.ROUNDS, rounds)


def _varied(found: Campaign, known: Sequence[Inputs], random: Random) -> Iterator[tuple[Inputs, slice]]:
    """Known inputs with small changes, and a short part of them."""
    while known:
        inputs = mutate(random.choice(known), known, random, found.executor.dictionary)
        parts = tuple(_parts(inputs))
        if parts:
            yield inputs, random.choice(parts)


def _parts(inputs: Inputs) -> Iterator[slice]:
    """What one round of a loop may have read: each part of the first inputs, the shortest first."""
    most = len(inputs[:PADDED_INPUTS])
    for length in range(1, most + 1):
        for begin in range(most - length + 1):
            yield slice(begin, begin + length)
