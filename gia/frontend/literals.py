"""The values of C's literals (ISO C 6.4.4, 6.4.5, as gcc reads them on x86)."""

from __future__ import annotations

import re

from gia.cfa.expressions import FloatConstant, IntegerConstant, StringLiteral
from gia.cfa.types import (
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LONG_DOUBLE,
    LONG_LONG,
    UNSIGNED_INT,
    UNSIGNED_LONG_LONG,
    UNSIGNED_SHORT,
    ArrayType,
    DataModel,
    IntegerType,
    long_type,
)

_INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uUlL]*)$")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([^\\]+)", re.DOTALL)
_SIMPLE_ESCAPES = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_STRING_PART = re.compile(r'(L|u8|u|U)?"((?:[^"\\]|\\.)*)"', re.DOTALL)
_CHARACTER = re.compile(r"(L|u8|u|U)?'(.*)'$", re.DOTALL)
_WIDE_TYPES = {"L": INT, "U": UNSIGNED_INT, "u": UNSIGNED_SHORT}


def constant(kind: str, text: str, model: DataModel) -> IntegerConstant | FloatConstant | StringLiteral:
    """The constant that the parser calls one of that ``kind``."""
    if kind == "string":
        return string_literal(text)
    if kind == "char" or text.endswith("'"):
        return character_constant(text)
    if kind in ("float", "double", "long double"):
        return float_constant(text)
    return integer_constant(text, model)


def integer_constant(text: str, model: DataModel) -> IntegerConstant:
    """The constant with the first type of ISO C's list (6.4.4.1) that can represent it."""
    found = _INTEGER.match(text)
    if found is None:
        raise ValueError(f"{text} is not an integer constant")
    digits, suffix = found[1], found[2].lower()
    base = 16 if digits[:2].lower() == "0x" else 2 if digits[:2].lower() == "0b" else 8 if digits[0] == "0" else 10
    value = int(digits[2:] if base in (16, 2) else digits, base)
    signed: list[IntegerType] = [INT, long_type(model), LONG_LONG]
    unsigned = [UNSIGNED_INT, long_type(model, signed=False), UNSIGNED_LONG_LONG]
    shortest = suffix.count("l")
    for rank in range(shortest, 3):
        if "u" not in suffix and value < 1 << (signed[rank].width - 1):
            return IntegerConstant(value, signed[rank])
        if ("u" in suffix or base != 10) and value < 1 << unsigned[rank].width:
            return IntegerConstant(value, unsigned[rank])
    return IntegerConstant(value, INT128)


def float_constant(text: str) -> FloatConstant:
    """The constant with the type of its suffix."""
    hexadecimal = text[:2].lower() == "0x"
    suffix = text[-1].lower()
    if suffix == "l":
        return FloatConstant(text, LONG_DOUBLE)
    if suffix == "f" and (not hexadecimal or "p" in text.lower()):
        return FloatConstant(text, FLOAT)
    return FloatConstant(text, DOUBLE)


def float_value(constant: FloatConstant) -> float:
    """The value of a ``float`` or ``double`` constant, rounded to double."""
    text = constant.text.rstrip("fFlL") if constant.text[:2].lower() != "0x" else constant.text.rstrip("lL")
    if text[:2].lower() == "0x":
        return float.fromhex(text.rstrip("fF") if "p" in text.lower() else text)
    return float(text)


def _units(body: str) -> list[int | str]:
    """The characters of a literal's body: a number for a numeric escape, else text."""
    units: list[int | str] = []
    for found in _ESCAPE.finditer(body):
        hexadecimal, octal, short, long, simple, plain = found.groups()
        if plain is not None:
            units.append(plain)
        elif hexadecimal is not None or octal is not None:
            units.append(int(hexadecimal, 16) if hexadecimal is not None else int(octal, 8))
        elif short is not None or long is not None:
            units.append(chr(int(short or long, 16)))
        else:
            code = _SIMPLE_ESCAPES.get(simple)
            units.append(simple if code is None else code)
    return units


def _code_units(body: str, width: int) -> list[int]:
    codes: list[int] = []
    for unit in _units(body):
        if isinstance(unit, int):
            codes.append(unit & ((1 << width) - 1))
        elif width == 8:
            codes.extend(unit.encode())
        else:
            encoded = unit.encode("utf-16-le" if width == 16 else "utf-32-le")
            step = width // 8
            codes.extend(int.from_bytes(encoded[i : i + step], "little") for i in range(0, len(encoded), step))
    return codes


def character_constant(text: str) -> IntegerConstant:
    """The constant's value: ``int`` for plain ones, several characters as gcc packs them."""
    found = _CHARACTER.match(text)
    if found is None:
        raise ValueError(f"{text} is not a character constant")
    wide = _WIDE_TYPES.get(found[1] or "")
    if wide is not None:
        return IntegerConstant(_code_units(found[2], wide.width)[-1], wide)
    codes = _code_units(found[2], 8)
    if len(codes) == 1:
        return IntegerConstant(codes[0] - 256 if codes[0] > 127 else codes[0], INT)
    value = 0
    for code in codes:
        value = (value << 8 | code) & 0xFFFFFFFF
    return IntegerConstant(value - (1 << 32) if value >> 31 else value, INT)


def string_literal(text: str) -> StringLiteral:
    """The array that adjacent string literals, separated by blanks, stand for."""
    parts = _STRING_PART.findall(text)
    prefix = next((found for found, _ in parts if found in _WIDE_TYPES), "")
    element = _WIDE_TYPES.get(prefix, CHAR)
    codes = [code for _, body in parts for code in _code_units(body, element.width)] + [0]
    step = element.width // 8
    data = b"".join(code.to_bytes(step, "little") for code in codes)
    return StringLiteral(data, ArrayType(element, len(codes)))
