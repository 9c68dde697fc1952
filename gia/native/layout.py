"""The memory that gia shares with an instrumented program: its layout, and the numbers both sides agree on.

The layout is written once, here: :func:`definitions` gives it to the runtime as macros, and
:func:`measures` what depends on the program as variables. All fields
are little-endian words of 32 bits, so that it is the same for ``-m32`` and ``-m64``.
What the program leaves there is data of a hostile program: readers check every number.
"""

from __future__ import annotations

from typing import Final

from gia.frontend import library

INPUTS: Final = 262_144
"""The most inputs that one run can be given or can read."""
EVENTS: Final = 1 << 20
"""The most events of one run that can be recorded."""
DICTIONARY: Final = 4_096
"""The most constants from which random inputs can be drawn."""
DIRECTORY_BYTES: Final = 1_024
TEXT_BLOCK: Final = library.CHARACTERS
"""The inputs that are one argument, or the value of one variable of the environment."""

COMMAND_FD: Final = 200
REPORT_FD: Final = 201
SHARED_FD: Final = 202
COMMAND_RUN: Final = ord("r")
COMMAND_RUN_AGAIN: Final = ord("a")
"""A run in the process of earlier ones (``runtime/repeat.c``)."""
COMMAND_END: Final = ord("e")
COMMAND_FUZZ: Final = ord("f")

REPORT: Final = "<4I"
"""``wait4`` status, whether the server ended the run, CPU microseconds, peak of resident KiB."""

REQUEST: Final = "<15I"
"""What gia asks for, in the order of ``struct header``."""
RESULT: Final = "<5I"
"""What the program did: stop, inputs, events, truncated, isolation."""
RESULT_OFFSET: Final = 15 * 4
DIRECTORY_OFFSET: Final = RESULT_OFFSET + 5 * 4

GIVEN: Final = "<3I16sQ10s6x"
"""A given input: number of the function that it is for, literal?, float bits, integer bits (128), double bits, x87 bits
(80)."""
ANY_FUNCTION: Final = 0xFFFF_FFFF
"""Whatever function reads the next input gets it."""
GIVEN_OFFSET: Final = DIRECTORY_OFFSET + DIRECTORY_BYTES
GIVEN_BYTES: Final = 52
LOGGED: Final = "<2I16s"
"""An input that was read: number of the function, call site, bits (128)."""
LOGGED_OFFSET: Final = GIVEN_OFFSET + INPUTS * GIVEN_BYTES
LOGGED_BYTES: Final = 24
ENTRY: Final = "<Qd"
"""A constant of the dictionary as an integer and as a double."""
DICTIONARY_OFFSET: Final = LOGGED_OFFSET + INPUTS * LOGGED_BYTES
TRACE_OFFSET: Final = DICTIONARY_OFFSET + DICTIONARY * 16
COMPARISONS: Final = 1_024
"""Pairs of values that were compared: places of a hash table."""
PENDING: Final = 64
"""So many of them at most are taken to lead to the outcome that follows."""
NO_OUTCOME: Final = 0xFFFF_FFFF
TEXTS: Final = 128
"""Pairs of texts that functions of the library compared: places of a hash table."""
TEXT_BYTES: Final = 32
"""So much of each text is observed."""
TEXT_EQUAL, TEXT_EQUAL_BYTES, TEXT_CONTAINED = range(3)
"""Whether two texts, which end before a zero, were the same; two blocks of memory; whether one contains the other."""
PROGRESS: Final = 8_192
"""Places of a hash table of how far comparisons have come: which were made, how many in a row had equal sides, how much
texts had in common, which were found."""
COVERED_OFFSET: Final = TRACE_OFFSET + EVENTS * 4 + COMPARISONS * 32 + TEXTS * (16 + 2 * TEXT_BYTES) + PROGRESS

MISSING_STOP, MISSING_ZERO, MISSING_RANDOM = range(3)
CONTENT_ZERO, CONTENT_PATTERN, CONTENT_LEFT = range(3)
"""Of memory that the program has not written."""
TRACE_NONE, TRACE_SEGMENTS, TRACE_FULL, TRACE_BOUNDED, TRACE_COUNTS, TRACE_PROGRESS, TRACE_COMPARISONS = range(7)
KIND_INTEGER, KIND_BOOL, KIND_FLOAT, KIND_POINTER, KIND_TEXT, KIND_RANDOM = range(6)
(
    STOP_NONE,
    STOP_OUT_OF_INPUTS,
    STOP_INPUT_LIMIT,
    STOP_ASSUMPTION,
    STOP_ERROR,
    STOP_OUT_OF_MEMORY,
    STOP_UNDEFINED_FUNCTION,
    STOP_STEPS,
) = range(8)
ISOLATED_FILES, ISOLATED_CALLS = 1, 2
INPUT_EVENT: Final = 0x8000_0000
RESULT_EVENT: Final = 0x4000_0000
"""Plus the number of a call of the library; the next two words are the bits that it gave."""
NO_SITE: Final = 0xFFFF_FFFF
NOT_STARTED: Final = 125
"""Exit status of an instrumented program that could not start a run."""

FUZZ_VALUES: Final = 1 << 16
"""Elements of the sequences of inputs that go to the fuzzer, and of those that come from it, in one batch."""
FUZZ_LENGTH: Final = 4_096
"""The most inputs of a sequence that the fuzzer makes itself."""
CORPUS_VALUES: Final = 1 << 19
CORPUS_ENTRIES: Final = 1 << 14
CANDIDATES: Final = 1_024
"""The most changes that the comparisons of one execution suggest."""
TOKENS: Final = 256
"""The most texts with which the program has compared others that are kept to be put into inputs."""
REACHERS: Final = 128
"""The most sequences of inputs that are put before and behind each other because they reached an outcome first."""
FUZZ_REQUEST: Final = "<4I"
"""Executions at most, milliseconds at most, number of sequences to begin with, ways (the sum of the next two)."""
FUZZ_FRESH, FUZZ_REPEATS = 1, 2
"""What was before is forgotten; executions share a process (``runtime/repeat.c``)."""
FUZZ_RESULT: Final = "<6I"
"""Executions, elements found, entries and values of the corpus, executions that were cut, why the batch ended."""
FUZZ_GIVEN: Final = 10 * 4
FUZZ_REACHING: Final = FUZZ_GIVEN + FUZZ_VALUES * LOGGED_BYTES
FUZZ_BYTES: Final = (
    FUZZ_REACHING
    + (FUZZ_VALUES + CORPUS_VALUES + 2 * FUZZ_LENGTH) * LOGGED_BYTES
    + CORPUS_ENTRIES * 20
    + CANDIDATES * (20 + TEXT_BYTES)
    + TOKENS * (8 + TEXT_BYTES)
    + PROGRESS
    + 36
)
"""Without what depends on the program."""
FAR: Final = 0xFFFF
"""What the fuzzer knows of an outcome before any comparison came near to another one of its condition."""
WANTED: Final = 2
"""What the fuzzer knows of an outcome that it observed already and that is to be told once more."""
FUZZ_EXECUTIONS, FUZZ_TIME, FUZZ_COMMAND, FUZZ_FILES = range(4)
"""Why a batch ended: the last means that the program has left files behind."""
_PAGE: Final = 4_096

_FOR_C: Final = frozenset(name for name, value in list(globals().items()) if name.isupper() and isinstance(value, int))
"""Every number above is a macro in C."""


def map_bytes(observed: int) -> int:
    """The size of the fuzzer's map for a program with so many outcomes and call sites of inputs: a power of two."""
    return min(max(1 << 10, 1 << (16 * observed).bit_length()), 1 << 16)


def counts_offset(observed: int) -> int:
    """Where the fuzzer's map begins: behind the outcomes and call sites that were observed, at a multiple of 8."""
    return (COVERED_OFFSET + observed + 7) // 8 * 8


def nearest_offset(observed: int) -> int:
    """Where it begins how near comparisons came to outcomes: 16 bits for each outcome, behind the fuzzer's map."""
    return counts_offset(observed) + map_bytes(observed)


def fuzz_offset(observed: int) -> int:
    """Where the part of the shared memory begins that children do not see."""
    end = nearest_offset(observed) + 2 * observed
    return (end + _PAGE - 1) // _PAGE * _PAGE


def known_offset(observed: int) -> int:
    """Where in it the bytes are that say which outcomes and call sites the fuzzer has observed."""
    return fuzz_offset(observed) + FUZZ_BYTES + map_bytes(observed)


def shared_bytes(observed: int) -> int:
    """The size of the shared memory for a program with so many outcomes and call sites of inputs."""
    return known_offset(observed) + observed


def definitions() -> str:
    """The macros that the runtime needs, as C text."""
    return "".join(f"#define GIA_{name} {globals()[name]}u\n" for name in sorted(_FOR_C))


def measures(outcomes: int, sites: int) -> dict[str, int]:
    """What the runtime has to know of the size of a program; ``outcomes`` are those of probes, at least 1."""
    observed = outcomes + sites
    return {
        "outcomes": outcomes,
        "sites": sites,
        "observed": observed,
        "map": map_bytes(observed),
        "counts_offset": counts_offset(observed),
        "nearest_offset": nearest_offset(observed),
        "fuzz_offset": fuzz_offset(observed),
    }
