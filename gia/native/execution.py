"""What goes into a native execution of a program, and what comes out of it, as values."""

from __future__ import annotations

from enum import StrEnum
from signal import SIGBUS, SIGFPE, SIGILL, SIGSEGV
from typing import Final, NamedTuple

from msgspec import Struct

from gia.cfa.types import CType, IntegerType
from gia.native import layout
from gia.native.literals import write_literal


class InputValue(Struct, frozen=True):
    """The value of one input: ``bits`` of an integer, float or pointer ``type``, read by calling ``function``.

    ``0 <= bits < 2 ** width``: two's complement, or the IEEE 754 encoding (x87 extended for ``long double``).
    """

    function: str
    type: CType
    bits: int

    @property
    def literal(self) -> str:
        """The C spelling, from which exactly this value is read back."""
        return write_literal(self.type, self.bits)

    @property
    def number(self) -> int:
        """The value of an integer; of others their bits."""
        return self.type.number(self.bits) if isinstance(self.type, IntegerType) else self.bits


class Outcome(StrEnum):
    """How an execution ended."""

    EXITED = "exited"
    """The program ended by itself: returned from ``main`` or called ``exit``."""
    SIGNALLED = "killed by a signal"
    """``abort``, a failed assertion, a crash."""
    TIMEOUT = "time limit"
    OUTPUT_LIMIT = "output limit"
    OUT_OF_INPUTS = "out of inputs"
    """It asked for one more input than it was given."""
    INPUT_LIMIT = "input limit"
    """It asked for more inputs than the limit allows."""
    ASSUMPTION_FAILED = "assumption failed"
    """``__VERIFIER_assume`` of a false condition."""
    ERROR_CALLED = "error function called"
    """An error function that the program leaves undefined."""
    OUT_OF_MEMORY = "memory limit"
    """``malloc`` would have failed, which it never does in the semantics of this project."""
    UNDEFINED_FUNCTION = "undefined function called"


CRASHES: Final = {number.value: number.name for number in (SIGBUS, SIGFPE, SIGILL, SIGSEGV)}
"""The names of the signals that the machine sends to a program that did what cannot be done."""


class Missing(StrEnum):
    """Where inputs come from when those given are used up."""

    STOP = "stop"
    """Nowhere: the execution ends with :attr:`Outcome.OUT_OF_INPUTS`."""
    ZERO = "zero"
    RANDOM = "random"
    """From a pseudo-random generator; what it gave is recorded, so the execution can be repeated."""


class Uninitialised(StrEnum):
    """What automatic variables and memory from ``malloc`` hold before they are written, and where the stack is.

    It is indeterminate, and a test must not depend on it (DESIGN §9): one that was found with the first content and is
    confirmed with the others does not. Numbers are zero, negative or positive by them.
    """

    ZERO = "zero"
    PATTERN = "pattern"
    """Variables, and what ``alloca`` gives: the byte 0xFE, again and again. Memory from ``malloc``: what the allocator
    leaves there. The stack: in another place."""
    LEFT = "uninitialized"
    """Variables: what was left where they are, at first large positive numbers, each smaller than the one before. Such
    are in what ``alloca`` gives as well. The rest: as for ``PATTERN``."""


class Tracing(StrEnum):
    """Which events an execution records. What was covered is always recorded."""

    NONE = "none"
    SEGMENTS = "segments"
    """Every input, and between two inputs each outcome of a probe once, when it happens first."""
    FULL = "full"
    """Every input, every outcome of a probe, and what functions of the library gave."""
    BOUNDED = "bounded"
    """Every event; the execution ends (:attr:`Outcome.TIMEOUT`) when there are more than the limit allows."""
    COUNTS = "counts"
    """None; the execution ends (:attr:`Outcome.TIMEOUT`) when it has observed more outcomes than the limit allows."""
    COMPARISONS = "comparisons"
    """As ``COUNTS``, and what the program compares is noted for the fuzzer."""


class Limits(Struct, frozen=True):
    """What one execution may use: ``wall`` in seconds, memory and sizes in bytes.

    ``output`` limits standard output and error together, each file written, and all files together.
    ``inputs`` and ``events`` are capped by the sizes in :mod:`gia.native.layout`.
    """

    wall: float = 2.0
    memory: int = 2 << 30
    stack: int = 64 << 20
    output: int = 1 << 20
    open_files: int = 64
    inputs: int = layout.INPUTS
    events: int = layout.EVENTS


class InputEvent(NamedTuple):
    """An input was read on ``edge`` (``None``: by a call that is not an input edge of the CFA)."""

    edge: int | None
    value: InputValue


class BranchEvent(NamedTuple):
    """A probe observed an outcome: for conditions 1 (true) or 0, for switches the index of the case, else 0."""

    probe: int
    outcome: int
    edge: int


class ResultEvent(NamedTuple):
    """A function of the library gave a scalar with these bits to the call on ``edge``."""

    edge: int
    bits: int


Event = InputEvent | BranchEvent | ResultEvent


class Execution(Struct, frozen=True):
    """One run of a program.

    ``inputs`` are all inputs that it read, so ``inputs`` given again repeat the execution.
    ``events`` happened in this order; if ``truncated``, more followed. ``covered_edges`` (numbers of CFA edges)
    is complete in any case, among those ``observed``. ``wall`` and ``cpu`` are seconds, ``memory`` is the peak
    in bytes, ``output`` the beginning of what it printed. ``confined_files`` and ``confined_calls`` say
    whether the kernel confined it to its directory and to harmless system calls.
    """

    outcome: Outcome
    covered_edges: frozenset[int]
    inputs: tuple[InputValue, ...]
    events: tuple[Event, ...] = ()
    truncated: bool = False
    observed: frozenset[int] = frozenset()
    exit_code: int | None = None
    signal: int | None = None
    wall: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    output: bytes = b""
    confined_files: bool = False
    confined_calls: bool = False

    @property
    def crash(self) -> str | None:
        """The name of the signal by which the program crashed; ``abort`` and failed assertions are no crashes."""
        return CRASHES.get(self.signal or 0) if self.outcome is Outcome.SIGNALLED else None
