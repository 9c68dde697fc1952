"""Executions that take long or read very much: a few, of simple inputs and of large numbers.

Loops that go round as often as an input says are beyond symbolic execution where thousands of rounds matter, and
fuzzing ends executions long before. But a million rounds take the program itself a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from time import monotonic

from msgspec.structs import replace

from gia.analyses.testing.campaign import Campaign
from gia.analyses.testing.executions import timed_out
from gia.analyses.testing.executor import BRIEF_SECONDS, EXECUTION_SECONDS, MAX_RANDOM_INPUTS
from gia.analyses.testing.mutation import Inputs
from gia.analyses.testing.values import plainest
from gia.cfa.types import IntegerType
from gia.native import InputValue
from gia.verdict import StopKind, StopReason

RANDOM_EXECUTIONS = 20
"""How many random executions are tried when executions may take longer than before."""

PADDED_INPUTS = 8
"""The most inputs of one that reads zeros then, and of one in which a number is large."""

SMALLEST_MAGNITUDE = 10
"""Numbers below 2 to the power of this are no large ones: other searches try them."""

VARIED_EXECUTIONS = 8
"""The inputs of so many executions that ended get large numbers in them."""


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


def execute_longer(found: Campaign, end: float) -> StopReason:
    """Give executions time to go on: those of known tests, random ones, and known ones with a large number in them."""
    random = Random(found.request.seed)
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
    return _execute_large(found, ended[:VARIED_EXECUTIONS], random, end)


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


def _execute_large(found: Campaign, known: list[Inputs], random: Random, end: float) -> StopReason:
    """Each number of a few inputs is large, the magnitudes from the smallest on until an execution takes too long."""
    places = [(inputs, index) for inputs in known for index in range(len(inputs[:PADDED_INPUTS]))]
    rounds = 0
    for exponent in count(SMALLEST_MAGNITUDE):
        places = [(inputs, index) for inputs, index in places if _width(inputs[index]) > exponent]
        if not places:
            break
        for inputs, index in places.copy():
            if found.finished or monotonic() >= end:
                return StopReason(StopKind.TIME if found.open else StopKind.DECIDED)
            large = replace(inputs[index], bits=(1 << exponent) | random.getrandbits(exponent))
            changed = (*inputs[:index], large, *inputs[index + 1 :])
            if timed_out(found.execute(changed, random.getrandbits(32), BRIEF_SECONDS)):
                places.remove((inputs, index))
            rounds += 1
    return StopReason(StopKind.ROUNDS, rounds)


def _width(value: InputValue) -> int:
    return value.type.width if isinstance(value.type, IntegerType) else 0
