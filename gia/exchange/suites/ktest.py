"""KLEE's test files (``.ktest``): the symbolic objects of a run and their bytes, in the order in which they were made.

Layout (KLEE, ``lib/Basic/KTest.cpp``), all numbers 32 bits, big-endian: ``KTEST`` (``BOUT\\n`` in old files), version
1 to 3, number of arguments and each as length and bytes, from version 2 on the number and the length of symbolic
arguments, number of objects and each as length and bytes of its name, length and bytes of its value.

A test case of ours has a type and a value for each input. The type of an object is found in its name (``int``,
``__VERIFIER_nondet_int``), as drivers for Test-Comp name them; an object of another name counts as a signed integer
of its size, one of a size that no integer has as that many bytes. Values are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from gia.cfa import types
from gia.cfa.type_names import type_named
from gia.cfa.types import CType, DataModel, FloatType, IntegerType
from gia.errors import DocumentError, InputError, Position
from gia.exchange.suites.testcase import TestCase
from gia.frontend.library import INPUT_PREFIX
from gia.native.execution import InputValue
from gia.native.literals import parse_literal

MAXIMAL_BYTES: Final = 64 << 20
MAXIMAL_OBJECTS: Final = 1_000_000
_MAGIC: Final = b"KTEST"
_OLD_MAGIC: Final = b"BOUT\n"
_VERSION: Final = 3
_NOT_INPUTS: Final = frozenset(["model_version"])
"""Objects that KLEE's environment adds."""


class KtestObject(Struct, frozen=True):
    """A symbolic object: what the program called it, and its bytes."""

    name: str
    data: bytes


class Ktest(Struct, frozen=True):
    """A test file; ``arguments`` are those of the program that KLEE ran."""

    objects: tuple[KtestObject, ...]
    arguments: tuple[str, ...] = ()


def read_ktest(data: bytes, name: str) -> Ktest:
    """The content of a test file; ``name`` is what errors call it. Raises :class:`DocumentError`."""
    if len(data) > MAXIMAL_BYTES:
        raise DocumentError(f"a file of {len(data)} bytes is too large", Position(name))
    reader = _Reader(data, name)
    if reader.take(5) not in (_MAGIC, _OLD_MAGIC):
        raise DocumentError("this is no .ktest file: it does not begin with KTEST", Position(name))
    version = reader.number()
    if not 1 <= version <= _VERSION:
        raise DocumentError(f"version {version} of .ktest files is not known", Position(name), "known are 1 to 3")
    arguments = [reader.sized().decode("utf-8", "replace") for _ in range(reader.count(4))]
    if version >= 2:
        reader.take(8)
    objects = []
    for _ in range(reader.count(8)):
        label = reader.sized().decode("utf-8", "replace")
        objects.append(KtestObject(label, reader.sized()))
    return Ktest(tuple(objects), tuple(arguments))


class _Reader:
    """Takes pieces from the front of some bytes."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._offset = 0

    def take(self, size: int) -> bytes:
        """The next ``size`` bytes."""
        if size > len(self._data) - self._offset:
            what = f"the file ends at byte {len(self._data)}, in a part of {size} bytes from byte {self._offset}"
            raise DocumentError(f"this .ktest file is damaged: {what}", Position(self._name))
        piece = self._data[self._offset : self._offset + size]
        self._offset += size
        return piece

    def number(self) -> int:
        """The next number."""
        return int(struct.unpack(">I", self.take(4))[0])

    def count(self, least: int) -> int:
        """The number of parts that follow, each of at least ``least`` bytes."""
        number = self.number()
        if number > MAXIMAL_OBJECTS or number * least > len(self._data) - self._offset:
            raise DocumentError(f"this .ktest file is damaged: {number} parts do not fit", Position(self._name))
        return number

    def sized(self) -> bytes:
        """Bytes behind their length."""
        return self.take(self.number())


def ktest_bytes(test: Ktest) -> bytes:
    """The file of a test, in version 3."""
    parts = [_MAGIC, struct.pack(">II", _VERSION, len(test.arguments))]
    for argument in test.arguments:
        parts += _sized(argument.encode())
    parts.append(struct.pack(">III", 0, 0, len(test.objects)))
    for found in test.objects:
        parts += [*_sized(found.name.encode()), *_sized(found.data)]
    return b"".join(parts)


def _sized(data: bytes) -> list[bytes]:
    return [struct.pack(">I", len(data)), data]


# ---- tests


def test_of_ktest(test: Ktest, model: DataModel) -> TestCase:
    """The inputs that the objects stand for."""
    return TestCase.of(
        value for found in test.objects if found.name not in _NOT_INPUTS for value in _values(found, model)
    )


test_of_ktest.__test__ = False  # type: ignore[attr-defined]


def _values(found: KtestObject, model: DataModel) -> Iterator[InputValue]:
    """The inputs of one object."""
    type_ = _type_of(found.name, model)
    if type_ is None or _size(type_, model) != len(found.data):
        type_ = next((known for known in _BY_SIZE if known.width == 8 * len(found.data)), None)
    if type_ is None:
        for byte in found.data:
            yield InputValue("", types.UNSIGNED_CHAR, byte)
    else:
        bits = int.from_bytes(found.data, "little")
        if isinstance(type_, IntegerType) and type_.is_bool:
            bits = int(bits != 0)
        yield InputValue("", type_, bits & ((1 << _width(type_, model)) - 1))


_BY_SIZE: Final = (types.CHAR, types.SHORT, types.INT, types.LONG_LONG, types.INT128)


def ktest_of(test: TestCase, model: DataModel) -> Ktest:
    """The test as KLEE writes it. Raises :class:`InputError` for an input whose type is not said."""
    return Ktest(tuple(_object(type_, literal, model) for type_, literal in test.inputs), ("gia",))


def _object(name: str, literal: str, model: DataModel) -> KtestObject:
    type_ = _type_of(name, model)
    if type_ is None:
        raise InputError(f"the input {literal} has the type {name or '(none)'!r}, whose size is not known")
    bits = parse_literal(literal).bits(type_) & ((1 << _width(type_, model)) - 1)
    return KtestObject(name, bits.to_bytes(_size(type_, model), "little"))


def _width(type_: CType, model: DataModel) -> int:
    return type_.width if isinstance(type_, IntegerType | FloatType) else model.pointer_width


def _size(type_: CType, model: DataModel) -> int:
    return types.TypeTable(model).size_of(type_)


def _type_of(name: str, model: DataModel) -> CType | None:
    """The type that the name of an object, or the type of an input, stands for."""
    return type_named(name.removeprefix(INPUT_PREFIX), model)
