"""What goes to the fuzzer in a program's server and what comes back: batches of executions (``runtime/fuzz.c``).

Source: the loop of greybox fuzzing (Böhme, Pham & Roychoudhury, *Coverage-based greybox fuzzing as Markov chain*, CCS
2016, algorithm 1), with the map of AFL (M. Zalewski, *Technical details for AFL*): pairs of successive outcomes, the
numbers of their occurrences in classes. What comes nearer to an open outcome is kept, too: the branch distance of
search-based testing, for outcomes whose condition is reached (Panichella, Kifetew & Tonella, *Automated test case
generation as a many-objective optimisation problem with dynamic selection of the targets*, TSE 2018). Deviations:
inputs are sequences of typed values, not bytes; an execution ends after a number of outcomes, not only after a time, so
that the search does not depend on the speed of the machine.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import IntEnum
from itertools import islice

from msgspec import Struct

from gia.native import layout
from gia.native.build import InstrumentedProgram
from gia.native.execution import InputValue, Limits

MakeValue = Callable[[int, bytes], InputValue]
"""A value from the number of the function that read it and its bits."""


class BatchEnd(IntEnum):
    """Why a batch ended."""

    EXECUTIONS = layout.FUZZ_EXECUTIONS
    TIME = layout.FUZZ_TIME
    COMMAND = layout.FUZZ_COMMAND
    FILES = layout.FUZZ_FILES
    """The program has left files, which have to be removed before it runs again."""


class FuzzRequest(Struct, frozen=True):
    """A batch of at most ``executions`` that lasts at most ``seconds``.

    ``seeds`` are executed first, whatever their number. ``fresh`` forgets what earlier batches kept. ``limits`` are
    those of one execution; it observes at most ``limits.events`` outcomes. ``seed`` counts in a fresh batch only.
    Executions that reach ``wanted`` edges count as reaching them first, once more for each.
    """

    executions: int
    seconds: float
    limits: Limits
    seeds: Sequence[Sequence[InputValue]] = ()
    fresh: bool = True
    seed: int = 0
    dictionary: Sequence[int | float] = ()
    wanted: Collection[int] = ()


class FuzzBatch(Struct, frozen=True):
    """What a batch did: ``reaching`` are the inputs of executions that reached an outcome of a probe first.

    ``corpus`` is the number of inputs that are kept because they showed something new, ``cut`` that of executions that
    were ended because they took too long.
    """

    executions: int
    reaching: tuple[tuple[InputValue, ...], ...]
    corpus: int
    cut: int
    end: BatchEnd


def write_request(shared: mmap.mmap, program: InstrumentedProgram, request: FuzzRequest, repeats: bool) -> None:
    """Put a request where the server reads it; seeds that find no room are left out.

    ``repeats``: the executions share a process.
    """
    numbers = {name: number for number, (name, _) in enumerate(program.inputs)}
    packed: list[bytes] = []
    room, count = layout.FUZZ_VALUES, 0
    for seed in request.seeds:
        if len(seed) + 1 > room:
            break
        room -= len(seed) + 1
        count += 1
        packed.append(struct.pack(layout.LOGGED, len(seed), 0, b""))
        packed += [
            struct.pack(layout.LOGGED, numbers.get(value.function, 0), 0, value.bits.to_bytes(16, "little"))
            for value in seed
        ]
    offset = layout.fuzz_offset(program.observable)
    milliseconds = max(1, round(request.seconds * 1000))
    executions = max(count, request.executions)
    ways = layout.FUZZ_FRESH * request.fresh + layout.FUZZ_REPEATS * repeats
    struct.pack_into(layout.FUZZ_REQUEST, shared, offset, executions, milliseconds, count, ways)
    data = b"".join(packed)
    shared[offset + layout.FUZZ_GIVEN : offset + layout.FUZZ_GIVEN + len(data)] = data
    known = layout.known_offset(program.observable)
    for place, outcome in enumerate(program.outcomes):
        if outcome.edge in request.wanted and shared[known + place]:
            shared[known + place] = layout.WANTED


def read_batch(shared: mmap.mmap, program: InstrumentedProgram, value: MakeValue) -> FuzzBatch:
    """What the server has written."""
    offset = layout.fuzz_offset(program.observable)
    place = offset + struct.calcsize(layout.FUZZ_REQUEST)
    executions, found, corpus, _, cut, end = struct.unpack_from(layout.FUZZ_RESULT, shared, place)
    start = offset + layout.FUZZ_REACHING
    data = shared[start : start + min(found, layout.FUZZ_VALUES) * layout.LOGGED_BYTES]
    return FuzzBatch(executions, tuple(_sequences(len(program.inputs), data, value)), corpus, cut, BatchEnd(end))


def _sequences(functions: int, data: bytes, value: MakeValue) -> Iterator[tuple[InputValue, ...]]:
    """The sequences of inputs in the memory of the server; what a program has made impossible is left out."""
    elements = iter(list(struct.iter_unpack(layout.LOGGED, data)))
    for length, _, _ in elements:
        sequence = list(islice(elements, length))
        if all(function < functions for function, _, _ in sequence):
            yield tuple(value(function, bits) for function, _, bits in sequence)
