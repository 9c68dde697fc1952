"""The inputs of a program as bytes, as fuzzers see them, and back.

A fuzzer's file says nothing about types: which function reads the next bytes depends on what the program does with
the bytes before. So the program is run. Types are guessed from the run before, and where the program has asked for
another one, the rest is read again from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gia.cfa.types import UNSIGNED_CHAR, CType, IntegerType
from gia.errors import InputError
from gia.native import Execution, InputValue, InstrumentedProgram, Limits, Runner, Tracing, parse_literal
from gia.tools.harness import width_in_bytes

LONGEST: Final = 1 << 16
"""Bytes of one file that are looked at; a harness reads no more."""
MOST_RUNS: Final = 64
"""Of one file: what is not understood by then is left out."""
_LIMITS: Final = Limits(wall=1.0, inputs=LONGEST)


class ByteReader:
    """Reads the files of a fuzzer as inputs of one program."""

    def __init__(self, runner: Runner, program: InstrumentedProgram) -> None:
        self._runner = runner
        self._program = program
        self._types: list[CType] = [UNSIGNED_CHAR]
        self._functions = {type_: name for name, type_ in reversed(program.inputs)}

    def read(self, data: bytes) -> Execution:
        """The run of the program on these bytes: it ends where they do. Its ``inputs`` are the values that it read."""
        types = list(self._types)
        wrong = 0
        for _ in range(MOST_RUNS):
            values, whole = self._values(data[:LONGEST], types)
            execution = self._run(values)
            asked = [value.type for value in execution.inputs]
            given = [value.type for value in values]
            pairs = enumerate(zip(asked, given, strict=False))
            first = next((index for index, (wanted, guessed) in pairs if wanted != guessed), None)
            if first is None:
                self._types = asked or types
                return self._run(values[:-1]) if not whole and len(asked) == len(values) else execution
            wrong = first
            types = [*given[:wrong], *asked[wrong:]]
        return self._run(values[:wrong])

    def _run(self, values: Sequence[InputValue]) -> Execution:
        return self._runner.run(self._program, values, limits=_LIMITS, tracing=Tracing.NONE)

    def _values(self, data: bytes, types: Sequence[CType]) -> tuple[list[InputValue], bool]:
        """The values of these types (the last one again and again), and whether the bytes are enough for the last."""
        values: list[InputValue] = []
        at, width = 0, 1
        while at < len(data):
            type_ = types[min(len(values), len(types) - 1)]
            width = width_in_bytes(type_)
            bits = int.from_bytes(data[at : at + width], "little")
            if isinstance(type_, IntegerType) and type_.is_bool:
                bits &= 1
            values.append(InputValue(self._functions.get(type_, ""), type_, bits))
            at += width
        return values, at == len(data)


def encode(inputs: Iterable[tuple[str, str]], types: Mapping[str, CType]) -> bytes:
    """The bytes from which a harness reads these inputs (name of the type, literal); ``types`` by their names.

    Raises :class:`InputError` for an input of another type.
    """
    result = bytearray()
    for name, literal in inputs:
        type_ = types.get(name)
        if type_ is None:
            raise InputError(f"the program has no input of the type {name!r}")
        width = width_in_bytes(type_)
        result += (parse_literal(literal).bits(type_) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    return bytes(result)
