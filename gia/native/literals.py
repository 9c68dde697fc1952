r"""C literals of input values, as Test-Comp test suites carry them, and the bits that they stand for.

Written are decimal integers, the shortest decimal that a ``float`` or ``double`` is read back from,
and hexadecimal floats for ``long double``; pointers are unsigned integers. Read is everything that
the test executor TestCov reads (decimal or ``0x`` numbers with C suffixes, quoted characters) and
what C's ``strtod`` reads (hexadecimal floats, ``inf``, ``nan``, ``nan(0xPAYLOAD)``).
``snan(0xPAYLOAD)``, a signalling NaN, is an extension, so that every value can be written.

Bits are a number, least significant bit first: two's complement, or the IEEE 754 encoding.
"""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from typing import Final

from msgspec import Struct

from gia.cfa.types import CType, FloatType, IntegerType
from gia.errors import InputError

INTEGER_BITS: Final = 128
"""Bits that a literal is evaluated to as an integer: those of the widest integer type."""


class FloatFormat(Struct, frozen=True):
    """A binary interchange format, or x87 extended, whose leading significand bit is explicit."""

    width: int
    precision: int
    explicit_leading_bit: bool = False

    @property
    def fraction_bits(self) -> int:
        """Bits of the encoded significand."""
        return self.precision if self.explicit_leading_bit else self.precision - 1

    @property
    def exponent_mask(self) -> int:
        """The encoded exponent of infinities and NaNs."""
        return (1 << (self.width - 1 - self.fraction_bits)) - 1

    @property
    def bias(self) -> int:
        """What the encoded exponent is larger by."""
        return self.exponent_mask >> 1

    def assemble(self, negative: bool, exponent: int, significand: int) -> int:
        """The bits; ``significand`` has its leading bit, which is dropped if the format hides it."""
        field = significand if self.explicit_leading_bit else significand & ((1 << self.fraction_bits) - 1)
        return (int(negative) << (self.width - 1)) | (exponent << self.fraction_bits) | field

    def infinity(self, negative: bool) -> int:
        """The bits of an infinity."""
        return self.assemble(negative, self.exponent_mask, 1 << (self.precision - 1))

    def nan(self, negative: bool, payload: int, signalling: bool) -> int:
        """The bits of a NaN; an empty signalling payload becomes 1, since 0 would be infinity."""
        payload &= (1 << (self.precision - 2)) - 1
        leading = 1 << (self.precision - 1)
        quiet = 0 if signalling else 1 << (self.precision - 2)
        return self.assemble(negative, self.exponent_mask, leading | quiet | (payload or int(signalling)))

    def round(self, value: Fraction, negative: bool) -> int:
        """The bits of the number nearest to ``value`` (ties to even); ``negative`` is the sign of a zero."""
        magnitude = abs(value)
        if magnitude == 0:
            return self.assemble(negative, 0, 0)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if magnitude < Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        significand = round(magnitude / Fraction(2) ** (exponent - self.precision + 1))
        if significand.bit_length() > self.precision:
            significand, exponent = significand >> 1, exponent + 1
        encoded = exponent + self.bias if significand.bit_length() == self.precision else 0
        if encoded >= self.exponent_mask:
            return self.infinity(negative)
        return self.assemble(negative, encoded, significand)


SINGLE: Final = FloatFormat(32, 24)
DOUBLE: Final = FloatFormat(64, 53)
EXTENDED: Final = FloatFormat(80, 64, explicit_leading_bit=True)
_FORMATS: Final = {32: SINGLE, 64: DOUBLE, 80: EXTENDED}


class Literal(Struct, frozen=True):
    """What a literal stands for: a number (``negative`` tells its zeros apart), or ``inf``, ``nan``, ``snan``."""

    value: Fraction
    negative: bool
    special: str = ""
    payload: int = 0

    @property
    def integer(self) -> int:
        """The bits of the number, without its fraction, as an integer of the widest type."""
        return int(self.value) & ((1 << INTEGER_BITS) - 1)

    def real(self, format_: FloatFormat) -> int:
        """The bits of the nearest number of a floating format."""
        if self.special == "inf":
            return format_.infinity(self.negative)
        if self.special:
            return format_.nan(self.negative, self.payload, self.special == "snan")
        return format_.round(self.value, self.negative)

    def bits(self, type_: CType) -> int:
        """The bits of an input of that type."""
        match type_:
            case FloatType(width=width):
                return self.real(_FORMATS[width])
            case IntegerType(width=width, is_bool=is_bool):
                return int(self.integer != 0) if is_bool else self.integer & ((1 << width) - 1)
        return self.integer


def write_literal(type_: CType, bits: int) -> str:
    """The literal that is read back as exactly these bits of a scalar type."""
    match type_:
        case IntegerType():
            return str(type_.number(bits))
        case FloatType(width=width):
            return _write_float(bits, _FORMATS[width])
    return str(bits)


def _write_float(bits: int, format_: FloatFormat) -> str:
    sign = "-" if bits >> (format_.width - 1) else ""
    exponent = (bits >> format_.fraction_bits) & format_.exponent_mask
    fraction = bits & ((1 << (format_.precision - 1)) - 1)
    if exponent == format_.exponent_mask:
        if fraction == 0:
            return f"{sign}inf"
        payload = fraction & ((1 << (format_.precision - 2)) - 1)
        kind = "nan" if fraction >> (format_.precision - 2) else "snan"
        return f"{sign}{kind}(0x{payload:x})" if payload else f"{sign}{kind}"
    if format_ is SINGLE:
        return f"{struct.unpack('<f', struct.pack('<I', bits))[0]:.9g}"
    if format_ is DOUBLE:
        return repr(struct.unpack("<d", struct.pack("<Q", bits))[0])
    significand = bits & ((1 << format_.precision) - 1)
    return f"{sign}0x{significand:x}p{max(exponent, 1) - format_.bias - format_.precision + 1}"


_CHARACTER = re.compile(r"""(['"])(\\.+|.)\1""", re.DOTALL)
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34}
_NUMBER = re.compile(
    r"""(?P<sign>[+-]?)(?:
        (?P<special>inf(?:inity)?|s?nan(?:\((?P<payload>0x[0-9a-f]+|[0-9]*)\))?)
      | 0x(?P<hex>[0-9a-f]*)(?:\.(?P<hexfraction>[0-9a-f]*))?(?:p(?P<binary>[+-]?[0-9]{1,9}))?[ulf]*
      | (?P<decimal>[0-9]*)(?:\.(?P<fraction>[0-9]*))?(?:e(?P<exponent>[+-]?[0-9]{1,9}))?[ulf]*
    )""",
    re.VERBOSE,
)
_LONGEST: Final = 4_000
"""TestCov reads 3,000 characters."""
_LARGEST_EXPONENT: Final = 20_000
"""Beyond it, of 2, every format has infinity, and zero below: no need to compute with such numbers."""


def parse_literal(text: str) -> Literal:
    """What a literal stands for; :class:`InputError` if it is none."""
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise InputError(f"the literal {stripped[:20]}… of an input value has {len(stripped)} characters")
    if character := _CHARACTER.fullmatch(stripped):
        code = _character(character[2], text)
        return Literal(Fraction(code), code < 0)
    lowered = {"true": "1", "false": "0"}.get(stripped.lower(), stripped.lower())
    found = _NUMBER.fullmatch(lowered)
    digits = found and (
        found["special"] or found["hex"] or found["hexfraction"] or found["decimal"] or found["fraction"]
    )
    if found is None or not digits:
        raise InputError(f"{text!r} is not the literal of an input value", hint="write a number, 'c', inf or nan")
    negative = found["sign"] == "-"
    if found["special"]:
        word = "inf" if found["special"].startswith("inf") else found["special"].partition("(")[0]
        return Literal(Fraction(0), negative, word, int(found["payload"] or "0", 0))
    if found["hex"] is not None:
        digits, fraction, exponent = found["hex"], found["hexfraction"] or "", int(found["binary"] or 0)
        value = _scaled(int(digits + fraction or "0", 16), 2, exponent - 4 * len(fraction))
    else:
        digits, fraction, exponent = found["decimal"], found["fraction"] or "", int(found["exponent"] or 0)
        value = _scaled(int(digits + fraction), 10, exponent - len(fraction))
    return Literal(-value if negative else value, negative)


def _character(inner: str, text: str) -> int:
    """The value of a quoted character (char is signed)."""
    if inner.startswith("\\"):
        if inner[1:] in _ESCAPES:
            return _ESCAPES[inner[1:]]
        numeric = re.fullmatch(r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|(?P<octal>[0-7]{1,3}))", inner)
        if numeric is None:
            raise InputError(f"{text!r} is not the literal of a character")
        code = int(numeric["hex"], 16) if numeric["hex"] else int(numeric["octal"], 8)
    else:
        code = ord(inner)
    if code > 255:
        raise InputError(f"{text!r} is not one byte")
    return code - 256 if code > 127 else code


def _scaled(significand: int, base: int, exponent: int) -> Fraction:
    """``significand * base ** exponent``, or a number of the same effect if that is out of all ranges."""
    magnitude = significand.bit_length() + exponent * (4 if base == 10 else 1)
    if significand == 0 or magnitude < -_LARGEST_EXPONENT:
        return Fraction(0) if significand == 0 else Fraction(1, 1 << _LARGEST_EXPONENT)
    if exponent > _LARGEST_EXPONENT:
        return Fraction(1 << _LARGEST_EXPONENT)
    return significand * Fraction(base) ** exponent
