"""What a test gives a program that runs without gia: standard input, files, arguments, the environment.

The models of :mod:`gia.frontend.models` read these as inputs of their own kinds. Here is the way back: the text that
makes the real library functions read the same.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from msgspec import Struct, field

from gia.cfa.types import FloatType
from gia.frontend import library
from gia.frontend.models.files import IMPOSSIBLE, file_name
from gia.native.execution import InputValue

_NUMBER = f"{library.STDIN_INPUT}_"


class RealFile(Struct):
    """The bytes that a file has before the program begins: as far as it reads them, ``None`` if there is no such file.

    ``is_possible``: whether it can be opened or made.
    """

    bytes: bytearray | None = None
    is_possible: bool = True


class RealInputs(Struct):
    """The bytes of standard input, the arguments, and the variables of the environment (``None``: not there).

    Each is ``None`` if the program has not asked for it. ``files`` are those for which it has asked, by their names.
    ``others`` are inputs that come from nowhere outside of gia.
    """

    stdin: bytearray | None = None
    arguments: list[bytes] | None = None
    environment: dict[str, bytes | None] = field(default_factory=dict)
    files: dict[bytes, RealFile] = field(default_factory=dict)
    others: list[InputValue] = field(default_factory=list)


def real_inputs(inputs: Sequence[InputValue]) -> RealInputs:
    """What makes the program read these ``inputs``, which are in the order in which it reads them."""
    found = RealInputs()
    text = _Text()
    place = 0
    while place < len(inputs):
        value = inputs[place]
        name = value.function
        place += 1
        if name == library.STDIN_INPUT or name.startswith(_NUMBER):
            following = inputs[place].function if place < len(inputs) else ""
            text.add(value, following.startswith(_NUMBER))
            found.stdin = text.bytes
        elif name == library.ARGUMENTS_INPUT:
            found.arguments = []
            for _ in range(value.number - 1):
                found.arguments.append(_characters(inputs[place : place + library.CHARACTERS]))
                place += library.CHARACTERS
        elif name.startswith(library.ENVIRONMENT_INPUT):
            variable = name.removeprefix(library.ENVIRONMENT_INPUT)
            found.environment[variable] = None
            if value.number == 1:
                found.environment[variable] = _characters(inputs[place : place + library.CHARACTERS])
                place += library.CHARACTERS
        elif (file := _file_of(value, found.arguments or [])) is not None:
            _add_to_file(found.files.setdefault(file, RealFile()), value)
        else:
            found.others.append(value)
    return found


def _file_of(value: InputValue, arguments: Sequence[bytes]) -> bytes | None:
    """The name of the file to which an input belongs; ``None`` if it belongs to none, or the name is not known."""
    for prefix in (library.FILE_INPUT, library.FILE_BYTE_INPUT):
        if value.function.startswith(prefix):
            name = file_name(value.function.removeprefix(prefix))
            if isinstance(name, int):
                return arguments[name - 1] if name <= len(arguments) else None
            return name
    return None


def _add_to_file(file: RealFile, value: InputValue) -> None:
    if value.function.startswith(library.FILE_BYTE_INPUT):
        if file.bytes is not None and 0 <= value.number <= 255:
            file.bytes.append(value.number)
    else:
        file.is_possible = value.number != IMPOSSIBLE
        file.bytes = bytearray() if value.number and file.is_possible else None


class _Text:
    """The bytes of standard input, as far as they are known."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self._number = b""
        """The number at the end, if there is one."""

    def add(self, value: InputValue, replaced: bool) -> None:
        """Add a number, or a byte unless it is ``replaced`` by the number behind it."""
        if value.function.startswith(_NUMBER):
            if self._number:
                self.bytes += b" "
            self._number = _number(value)
            self.bytes += self._number
        elif not replaced and 0 <= value.number <= 255:
            self._add_byte(value.number)

    def _add_byte(self, byte: int) -> None:
        """Add a byte in such a way that the number before it stays what it is."""
        letter, number = chr(byte), self._number.lstrip(b"-")
        self._number = b""
        if letter.isdecimal() and number[-1:].isdigit():
            self.bytes += b" "  # the program has skipped white space here
        elif letter in "eE" and number[-1:].isdigit() and b"." in number and b"e" not in number:
            self.bytes += b"e0"
        elif letter in "iI" and number == b"inf":
            self.bytes += b"inity"
        self.bytes.append(byte)


def _number(value: InputValue) -> bytes:
    """The shortest text of a number that is read as exactly this value."""
    if not isinstance(value.type, FloatType):
        return str(value.number).encode()
    layout = "<f" if value.type.width == 32 else "<d"
    (real,) = struct.unpack(layout, value.bits.to_bytes(value.type.width // 8, "little"))
    if math.isnan(real):
        return b"-nan" if math.copysign(1.0, real) < 0 else b"nan"
    digits = repr(real)
    if layout == "<f" and math.isfinite(real):  # 9 digits are enough for single precision
        digits = next(text for text in (f"{real:.{n}g}" for n in range(1, 10)) if _single(text) == real)
    if math.isfinite(real) and not set(digits) & {".", "e"}:
        digits += ".0"
    return digits.encode()


def _single(text: str) -> float:
    """The value in single precision; infinity if it is too large."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", float(text)))[0])
    except OverflowError:
        return math.inf


def _characters(inputs: Sequence[InputValue]) -> bytes:
    """The string that these characters begin with."""
    return bytes(value.bits & 255 for value in inputs).partition(b"\0")[0]
