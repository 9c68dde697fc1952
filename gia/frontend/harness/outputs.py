"""What a function without a body writes through its pointers: inputs, as its result is one.

A sensor, a queue or a driver gives back what it has read through a pointer. Without this, what is done with it could
not be tested. Written are numbers that a pointer to no constant leads to. The elements of an array are if a parameter
beside says how many there are, and the function is called like one that reads: others might mean something else by
their parameters, and there would be no room for what is written. What a pointer to a struct leads to stays as it is:
more often than not it is the state of the other side.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct

from gia.cfa.types import CHAR, UNSIGNED_CHAR, CType, FloatType, IntegerType, PointerType, VoidType, declared
from gia.frontend.harness.members import Member, is_length, lengths_of, words_of
from gia.frontend.library import INPUT_PREFIX

BYTES: Final = 1024
"""So many characters or bytes of an array are inputs; the others stay as they are."""

NUMBERS: Final = 8
"""So many other numbers of an array."""

RESULT: Final = "result"
"""What the result of such a function is called, in place of a parameter."""

_INDEX: Final = "__unit_index"

_READING: Final = frozenset(
    [
        *("read", "rx", "recv", "receive", "get", "fetch", "load", "input", "in", "scan", "sample", "poll", "query"),
        *("pop", "dequeue", "take", "peek", "random", "rand", "fill"),
    ]
)
_SIZES: Final = frozenset(
    ["n", "len", "length", "size", "sz", "cap", "capacity", "max", "bytes", "count", "cnt", "num", "nmemb", "nbyte"]
)


class Output(Struct, frozen=True):
    """A parameter through which numbers of a type are written: one, or as many as the expression ``length`` says."""

    parameter: str
    type: IntegerType | FloatType
    length: str | None = None


def outputs_of(function: str, parameters: Sequence[tuple[str, CType]], writable: Collection[str]) -> list[Output]:
    """The outputs of a function; ``writable`` are its parameters that point to no constant."""
    members = [Member(name, name, type_) for name, type_ in parameters]
    lengths = lengths_of(members)
    found = []
    for index, member in enumerate(members):
        if member.name not in writable or not isinstance(member.type, PointerType) or is_length(member):
            continue
        length = members[lengths[index]] if index in lengths else None
        output = _output(member.name, member.type.target, length)
        if output is not None and (output.length is None or not _READING.isdisjoint(words_of(function))):
            found.append(output)
    return found


def _output(name: str, target: CType, length: Member | None) -> Output | None:
    """One number, or an array of so many; bytes of an unknown number are none."""
    number = UNSIGNED_CHAR if isinstance(target, VoidType) else target
    if not isinstance(number, IntegerType | FloatType):
        return None
    if length is not None:
        is_size = isinstance(length.type, IntegerType) and not _SIZES.isdisjoint(words_of(length.name))
        return Output(name, number, length.name) if is_size else None
    is_byte = number.width == CHAR.width and not (isinstance(number, IntegerType) and number.is_bool)
    return None if is_byte else Output(name, number)


def input_of(function: str, what: str) -> str:
    """The name of the input function that says what a function writes, or returns."""
    return f"{INPUT_PREFIX}{function}_{what}"


def declaration(function: str, what: str, type_: IntegerType | FloatType) -> str:
    """The declaration of this input function."""
    return f"extern {declared(type_, f'{input_of(function, what)}(void)')};"


def writing(function: str, outputs: Sequence[Output]) -> Iterator[str]:
    """Statements that write the outputs, as far as pointers are not null."""
    for output in outputs:
        name, value = output.parameter, f"{input_of(function, output.parameter)}()"
        if output.length is None:
            yield f"if ({name}) *{name} = {value};"
            continue
        most = BYTES if output.type.width == CHAR.width else NUMBERS
        bound = f"{_INDEX} < {most} && {output.length} > 0 && {_INDEX} < (unsigned long){output.length}"
        place = f"(({declared(PointerType(output.type))}){name})[{_INDEX}]"
        yield f"for (unsigned long {_INDEX} = 0; {name} && {bound}; {_INDEX}++) {place} = {value};"
