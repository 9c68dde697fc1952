"""Running programs natively: instrumentation, isolation, inputs, and what was reached."""

from gia.native.build import InstrumentedProgram, compile_instrumented
from gia.native.crashes import Crash, crash_of
from gia.native.execution import (
    BranchEvent,
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
from gia.native.fuzzing import BatchEnd, FuzzBatch, FuzzRequest
from gia.native.literals import Literal, parse_literal, write_literal
from gia.native.runner import Runner
from gia.native.twins import compile_twins

__all__ = [
    "BatchEnd",
    "BranchEvent",
    "Crash",
    "Event",
    "Execution",
    "FuzzBatch",
    "FuzzRequest",
    "InputEvent",
    "InputValue",
    "InstrumentedProgram",
    "Limits",
    "Literal",
    "Missing",
    "Outcome",
    "ResultEvent",
    "Runner",
    "Tracing",
    "Uninitialised",
    "compile_instrumented",
    "compile_twins",
    "crash_of",
    "parse_literal",
    "write_literal",
]
