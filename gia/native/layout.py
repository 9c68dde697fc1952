"""The memory that gia shares with an instrumented program: its layout, and the numbers both sides agree on.

The layout is written once, here: :func:`definitions` gives it to the runtime as macros. All fields
are little-endian words of 32 bits, so that it is the same for ``-m32`` and ``-m64``.
What the program leaves there is data of a hostile program: readers check every number.
"""

from __future__ import annotations

from typing import Final

INPUTS: Final = 65_536
"""The most inputs that one run can be given or can read."""
EVENTS: Final = 1 << 20
"""The most events of one run that can be recorded."""
DICTIONARY: Final = 4_096
"""The most constants from which random inputs can be drawn."""
DIRECTORY_BYTES: Final = 1_024

COMMAND_FD: Final = 200
REPORT_FD: Final = 201
SHARED_FD: Final = 202
COMMAND_RUN: Final = ord("r")
COMMAND_END: Final = ord("e")

REPORT: Final = "<4I"
"""``wait4`` status, whether the server ended the run, CPU microseconds, peak of resident KiB."""

REQUEST: Final = "<14I"
"""What gia asks for, in the order of ``struct header``."""
RESULT: Final = "<5I"
"""What the program did: stop, inputs, events, truncated, isolation."""
RESULT_OFFSET: Final = 14 * 4
DIRECTORY_OFFSET: Final = RESULT_OFFSET + 5 * 4

GIVEN: Final = "<2I16sQ10s6x"
"""A given input: literal?, float bits, integer bits (128), double bits, x87 bits (80)."""
GIVEN_OFFSET: Final = DIRECTORY_OFFSET + DIRECTORY_BYTES
GIVEN_BYTES: Final = 48
LOGGED: Final = "<2I16s"
"""An input that was read: number of the function, call site, bits (128)."""
LOGGED_OFFSET: Final = GIVEN_OFFSET + INPUTS * GIVEN_BYTES
LOGGED_BYTES: Final = 24
ENTRY: Final = "<Qd"
"""A constant of the dictionary as an integer and as a double."""
DICTIONARY_OFFSET: Final = LOGGED_OFFSET + INPUTS * LOGGED_BYTES
TRACE_OFFSET: Final = DICTIONARY_OFFSET + DICTIONARY * 16
COVERED_OFFSET: Final = TRACE_OFFSET + EVENTS * 4

MISSING_STOP, MISSING_ZERO, MISSING_RANDOM = range(3)
TRACE_NONE, TRACE_SEGMENTS, TRACE_FULL = range(3)
KIND_INTEGER, KIND_BOOL, KIND_FLOAT, KIND_POINTER = range(4)
(
    STOP_NONE,
    STOP_OUT_OF_INPUTS,
    STOP_INPUT_LIMIT,
    STOP_ASSUMPTION,
    STOP_ERROR,
    STOP_OUT_OF_MEMORY,
    STOP_UNDEFINED_FUNCTION,
) = range(7)
ISOLATED_FILES, ISOLATED_CALLS = 1, 2
INPUT_EVENT: Final = 0x8000_0000
NO_SITE: Final = 0xFFFF_FFFF
NOT_STARTED: Final = 125
"""Exit status of an instrumented program that could not start a run."""

_FOR_C: Final = frozenset(name for name, value in list(globals().items()) if name.isupper() and isinstance(value, int))
"""Every number above is a macro in C."""


def shared_bytes(outcomes: int) -> int:
    """The size of the shared memory for a program with that many outcomes of probes."""
    return COVERED_OFFSET + outcomes


def definitions(outcomes: int) -> str:
    """The macros that the runtime needs, as C text."""
    lines = [f"#define GIA_{name} {globals()[name]}u" for name in sorted(_FOR_C)]
    return "\n".join([*lines, f"#define GIA_OUTCOMES {outcomes}u", ""])
