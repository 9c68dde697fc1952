"""The process that forks the runs of one program, seen from this side of its pipes."""

from __future__ import annotations

import mmap
import os
import select
import signal
import struct
import tempfile
import time
import weakref
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from gia.cfa.types import CType
from gia.errors import InputError, ToolError
from gia.native import layout
from gia.native.build import InstrumentedProgram
from gia.native.execution import (
    Event,
    Execution,
    InputEvent,
    InputValue,
    Limits,
    Missing,
    Outcome,
    ResultEvent,
    Tracing,
    Uninitialised,
)
from gia.native.fuzzing import FuzzBatch, FuzzRequest, MakeValue, read_batch, write_request
from gia.native.literals import DOUBLE, EXTENDED, SINGLE, parse_literal
from gia.native.repeating import is_repeatable
from gia.native.scratch import bytes_below, make_fresh, remove

_OUTPUT_KEPT = 1 << 16
_LOOK_EVERY = 0.25
"""Seconds between two looks at what a program has written to files."""
_FILES_LIMIT = 16
"""All files together may take so many times the limit of a single one."""

_STOPPED = {
    layout.STOP_OUT_OF_INPUTS: Outcome.OUT_OF_INPUTS,
    layout.STOP_INPUT_LIMIT: Outcome.INPUT_LIMIT,
    layout.STOP_ASSUMPTION: Outcome.ASSUMPTION_FAILED,
    layout.STOP_ERROR: Outcome.ERROR_CALLED,
    layout.STOP_OUT_OF_MEMORY: Outcome.OUT_OF_MEMORY,
    layout.STOP_UNDEFINED_FUNCTION: Outcome.UNDEFINED_FUNCTION,
    layout.STOP_STEPS: Outcome.TIMEOUT,
}
_MISSING = {
    Missing.STOP: layout.MISSING_STOP,
    Missing.ZERO: layout.MISSING_ZERO,
    Missing.RANDOM: layout.MISSING_RANDOM,
}
_CONTENT = {
    Uninitialised.ZERO: layout.CONTENT_ZERO,
    Uninitialised.PATTERN: layout.CONTENT_PATTERN,
    Uninitialised.LEFT: layout.CONTENT_LEFT,
}
_TRACING = {
    Tracing.NONE: layout.TRACE_NONE,
    Tracing.SEGMENTS: layout.TRACE_SEGMENTS,
    Tracing.FULL: layout.TRACE_FULL,
    Tracing.BOUNDED: layout.TRACE_BOUNDED,
    Tracing.COUNTS: layout.TRACE_COUNTS,
    Tracing.COMPARISONS: layout.TRACE_COMPARISONS,
}


class Request(Struct, frozen=True):
    """One run as it was asked for, see :meth:`Runner.run`."""

    inputs: Sequence[InputValue | str]
    limits: Limits
    missing: Missing
    seed: int
    dictionary: Sequence[int | float]
    tracing: Tracing
    goals: Collection[frozenset[int]] = ()
    shared: bool = False


class Resources(Struct):
    """What a server holds from the system."""

    pid: int
    command: int
    report: int
    output: int
    shared: mmap.mmap
    directory: str


def _release(resources: Resources) -> None:
    """End a server; the kernel ends its child with it."""
    os.kill(resources.pid, signal.SIGKILL)
    os.close(resources.command)
    os.close(resources.report)
    os.close(resources.output)
    os.waitpid(resources.pid, 0)
    resources.shared.close()
    remove(resources.directory)


class Server:
    """The process that forks the runs of one program."""

    def __init__(self, program: InstrumentedProgram) -> None:
        self._program = program
        self._outcomes = len(program.outcomes)
        self._repeats = is_repeatable(program.program)
        self._value = _values_of(program.inputs)
        self._resources = _start(program, program.shared_bytes)
        self._finalizer = weakref.finalize(self, _release, self._resources)

    @property
    def alive(self) -> bool:
        """Whether the process can run programs."""
        return self._finalizer.alive

    def close(self) -> None:
        """End the process and give back what it holds."""
        self._finalizer()

    def run(self, request: Request) -> Execution:
        """One run."""
        self._prepare(request)
        start = time.monotonic()
        shared = request.shared and self._repeats and self._program.uninitialised is Uninitialised.ZERO
        command = layout.COMMAND_RUN_AGAIN if shared else layout.COMMAND_RUN
        report, too_much = self._ask(command, request.limits, request.goals)
        return self._execution(report, too_much, time.monotonic() - start, has_code=not shared)

    def fuzz(self, request: FuzzRequest) -> FuzzBatch:
        """A batch of runs."""
        limits, constants = request.limits, request.dictionary
        self._prepare(Request((), limits, Missing.RANDOM, request.seed, constants, Tracing.COUNTS))
        write_request(self._resources.shared, self._program, request, self._repeats)
        self._ask(layout.COMMAND_FUZZ, limits)
        return read_batch(self._resources.shared, self._program, self._value)

    def _ask(
        self, command: int, limits: Limits, goals: Collection[frozenset[int]] = ()
    ) -> tuple[tuple[int, ...], bool]:
        """Give a command, with an empty directory and no output; see :meth:`_wait`."""
        resources = self._resources
        os.ftruncate(resources.output, 0)
        os.lseek(resources.output, 0, os.SEEK_SET)
        make_fresh(resources.directory)
        try:
            os.write(resources.command, bytes([command]))
            return self._wait(limits, goals)
        except BrokenPipeError:
            raise self._lost() from None

    def _prepare(self, request: Request) -> None:
        """Write what is asked for where the runtime reads it, and forget the run before."""
        shared, limits = self._resources.shared, request.limits
        given = [_given(value) for value in request.inputs[: min(limits.inputs, layout.INPUTS)]]
        constants = _entries(tuple(request.dictionary[: layout.DICTIONARY]))
        wall = max(1, round(limits.wall * 1000))
        struct.pack_into(
            layout.REQUEST,
            shared,
            0,
            _MISSING[request.missing],
            _TRACING[request.tracing],
            len(given),
            min(limits.inputs, layout.INPUTS),
            min(limits.events, layout.EVENTS),
            len(constants) // struct.calcsize(layout.ENTRY),
            request.seed & 0xFFFFFFFF,
            (request.seed >> 32) & 0xFFFFFFFF,
            wall,
            wall // 1000 + 2,  # the server ends the run earlier; this is for the case that it cannot
            max(1, limits.memory >> 20),
            limits.output,
            limits.open_files,
            max(1, limits.stack >> 20),
            _CONTENT[self._program.uninitialised],
        )
        struct.pack_into(layout.RESULT, shared, layout.RESULT_OFFSET, 0, 0, 0, 0, 0)
        _write(shared, layout.DIRECTORY_OFFSET, os.fsencode(self._resources.directory) + b"\0")
        _write(shared, layout.GIVEN_OFFSET, b"".join(given))
        _write(shared, layout.DICTIONARY_OFFSET, constants)
        _write(shared, layout.COVERED_OFFSET, bytes(self._program.observable))

    def _wait(self, limits: Limits, goals: Collection[frozenset[int]]) -> tuple[tuple[int, ...], bool]:
        """The server's report on the run, and whether the run was ended because it wrote too many files.

        It is ended as well when it has covered all of the ``goals``, if there are any.
        """
        poll = select.poll()
        poll.register(self._resources.report, select.POLLIN)
        ended = too_much = False
        while not poll.poll(_LOOK_EVERY * 1000):
            if ended:
                continue
            too_much = bytes_below(self._resources.directory) > limits.output * _FILES_LIMIT
            ended = too_much or (bool(goals) and self._has_covered(goals))
            if ended:
                os.write(self._resources.command, bytes([layout.COMMAND_END]))
        data = os.read(self._resources.report, struct.calcsize(layout.REPORT))
        if len(data) < struct.calcsize(layout.REPORT):
            raise self._lost()
        return struct.unpack(layout.REPORT, data), too_much

    def _has_covered(self, goals: Collection[frozenset[int]]) -> bool:
        """Whether the run that goes on has covered an edge of each goal."""
        observed = self._observed_edges()
        left = [goal for goal in goals if goal.isdisjoint(observed)]
        if not left or not all(goal.intersection(self._program.sites) for goal in left):
            return not left
        _, read, *_ = struct.unpack_from(layout.RESULT, self._resources.shared, layout.RESULT_OFFSET)
        _, sites = self._inputs(min(read, layout.INPUTS))
        return not any(goal.isdisjoint(sites) for goal in left)

    def _observed_edges(self) -> set[int]:
        """The edges of the outcomes that probes have observed so far."""
        covered = self._resources.shared[layout.COVERED_OFFSET : layout.COVERED_OFFSET + self._outcomes]
        return {self._program.outcomes[i].edge for i, bit in enumerate(covered) if bit}

    def _lost(self) -> ToolError:
        """The error that says that the server has died; the next run starts another one."""
        self.close()
        return ToolError(f"the process that runs {self._program.program.main_file} ended unexpectedly")

    def _execution(self, report: tuple[int, ...], too_much: bool, wall: float, has_code: bool) -> Execution:
        status, ended_by_server, cpu, peak = report
        shared, program = self._resources.shared, self._program
        stop, read, events, truncated, isolation = struct.unpack_from(layout.RESULT, shared, layout.RESULT_OFFSET)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == layout.NOT_STARTED and not isolation:
            raise ToolError(f"a run of {program.program.main_file} cannot be started")
        inputs, sites = self._inputs(min(read, layout.INPUTS))
        edges = self._observed_edges()
        edges.update(edge for edge in sites if edge is not None)
        exited = os.WIFEXITED(status)
        number = None if exited else os.WTERMSIG(status)
        return Execution(
            outcome=_outcome(stop, number, bool(ended_by_server), too_much),
            covered_edges=frozenset(edges),
            inputs=tuple(inputs),
            events=self._events(min(events, layout.EVENTS), inputs, sites),
            truncated=bool(truncated),
            observed=program.observed,
            exit_code=os.WEXITSTATUS(status) if exited and has_code else None,
            signal=number,
            wall=wall,
            cpu=cpu / 1e6,
            memory=peak << 10,
            output=os.pread(self._resources.output, _OUTPUT_KEPT, 0),
            confined_files=bool(isolation & layout.ISOLATED_FILES),
            confined_calls=bool(isolation & layout.ISOLATED_CALLS),
        )

    def _inputs(self, count: int) -> tuple[list[InputValue], list[int | None]]:
        """The inputs that were read, and the CFA edges on which."""
        functions, sites = len(self._program.inputs), self._program.sites
        start = layout.LOGGED_OFFSET
        data = self._resources.shared[start : start + count * layout.LOGGED_BYTES]
        values: list[InputValue] = []
        edges: list[int | None] = []
        for function, site, bits in struct.iter_unpack(layout.LOGGED, data):
            if function >= functions:
                break  # the program has overwritten the record
            values.append(self._value(function, bits))
            edges.append(sites[site] if site < len(sites) else None)
        return values, edges

    def _events(self, count: int, inputs: list[InputValue], sites: list[int | None]) -> tuple[Event, ...]:
        start = layout.TRACE_OFFSET
        outcomes = self._program.outcomes
        results = self._program.results
        events: list[Event] = []
        read = 0
        words = struct.iter_unpack("<I", self._resources.shared[start : start + count * 4])
        for (word,) in words:
            if word < len(outcomes):
                events.append(outcomes[word])
            elif word == layout.INPUT_EVENT and read < len(inputs):
                events.append(InputEvent(sites[read], inputs[read]))
                read += 1
            elif 0 <= (call := word - layout.RESULT_EVENT) < len(results):
                bits = [bits for (bits,) in islice(words, 2)]
                if len(bits) < 2:
                    break  # the record ends here
                events.append(ResultEvent(results[call], bits[0] | bits[1] << 32))
            else:
                break  # the program has overwritten the record
        return tuple(events)


def _start(program: InstrumentedProgram, size: int) -> Resources:
    """Start the server process of a program; :class:`ToolError` if it cannot be."""
    directory = os.path.abspath(tempfile.mkdtemp(prefix="run-", dir=program.binary.parent))
    if len(os.fsencode(directory)) >= layout.DIRECTORY_BYTES:
        raise InputError(f"the path of the working directory is too long: {directory}")
    shared_fd = os.memfd_create("gia-shared")
    os.ftruncate(shared_fd, size)
    output = os.memfd_create("gia-output")
    command_read, command_write = os.pipe()
    report_read, report_write = os.pipe()
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        pid = os.posix_spawn(
            program.binary,
            ["program"],
            {"LC_ALL": "C"},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, nothing, 0),
                (os.POSIX_SPAWN_DUP2, output, 1),
                (os.POSIX_SPAWN_DUP2, output, 2),
                (os.POSIX_SPAWN_DUP2, command_read, layout.COMMAND_FD),
                (os.POSIX_SPAWN_DUP2, report_write, layout.REPORT_FD),
                (os.POSIX_SPAWN_DUP2, shared_fd, layout.SHARED_FD),
            ],
            setsid=True,
            setsigmask=[],
            setsigdef=sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}),
        )
        shared = mmap.mmap(shared_fd, size)
    except OSError as error:
        for descriptor in (command_write, report_read, output):
            os.close(descriptor)
        raise ToolError(f"{program.binary} cannot be run: {error.strerror}") from error
    finally:
        for descriptor in (command_read, report_write, nothing, shared_fd):
            os.close(descriptor)
    return Resources(pid, command_write, report_read, output, shared, directory)


def _outcome(stop: int, number: int | None, ended_by_server: bool, too_much: bool) -> Outcome:
    """How a run ended; ``number`` is the signal that killed it."""
    if too_much or number == signal.SIGXFSZ:
        return Outcome.OUTPUT_LIMIT
    if number is None:
        return _STOPPED.get(stop, Outcome.EXITED)
    if ended_by_server or number == signal.SIGXCPU:
        return Outcome.TIMEOUT
    return Outcome.SIGNALLED


@lru_cache(maxsize=1 << 14)
def _given(value: InputValue | str) -> bytes:
    """A value in every format in which it may be read."""
    if isinstance(value, InputValue):
        return struct.pack(layout.GIVEN, layout.ANY_FUNCTION, 0, 0, value.bits.to_bytes(16, "little"), 0, b"")
    literal = parse_literal(value)
    integer, extended = literal.integer.to_bytes(16, "little"), literal.real(EXTENDED).to_bytes(10, "little")
    single, double = literal.real(SINGLE), literal.real(DOUBLE)
    return struct.pack(layout.GIVEN, layout.ANY_FUNCTION, 1, single, integer, double, extended)


def _values_of(functions: Sequence[tuple[str, CType]]) -> MakeValue:
    """Makes a value from the number of the function that read it and its bits; long runs mostly read the same ones."""

    @lru_cache(maxsize=1 << 14)
    def value(function: int, bits: bytes) -> InputValue:
        name, type_ = functions[function]
        return InputValue(name, type_, int.from_bytes(bits, "little"))

    return value


@lru_cache(maxsize=16)
def _entries(dictionary: tuple[int | float, ...]) -> bytes:
    """The constants of a dictionary, each as a 64-bit integer and as a double."""
    packed = []
    for value in dictionary:
        finite = isinstance(value, int) or value - value == 0
        integer = int(value) & ((1 << 64) - 1) if finite else 0
        real = value if isinstance(value, float) else float(value) if abs(value) < 1 << 1000 else 0.0
        packed.append(struct.pack(layout.ENTRY, integer, real))
    return b"".join(packed)


def _write(shared: mmap.mmap, offset: int, data: bytes) -> None:
    shared[offset : offset + len(data)] = data
