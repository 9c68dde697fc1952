"""Literals of inputs: what is written is read back exactly, and rounding is that of IEEE 754."""

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gia.cfa.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LONG_DOUBLE,
    LONG_LONG,
    UNSIGNED_INT,
    UNSIGNED_INT128,
    UNSIGNED_LONG_LONG,
    VOID,
    CType,
    PointerType,
)
from gia.errors import InputError
from gia.native import parse_literal, write_literal
from gia.native.literals import DOUBLE as DOUBLE_FORMAT
from gia.native.literals import SINGLE

INTEGERS = (CHAR, INT, UNSIGNED_INT, LONG_LONG, UNSIGNED_LONG_LONG, INT128, UNSIGNED_INT128)


@given(st.data(), st.sampled_from(INTEGERS))
def test_integers_are_read_back(data: st.DataObject, type_: CType) -> None:
    width = type_.width  # type: ignore[union-attr]
    bits = data.draw(st.integers(0, (1 << width) - 1))
    assert parse_literal(write_literal(type_, bits)).bits(type_) == bits


@given(st.integers(0, 2**32 - 1))
@example(0x7F800000).via("infinity")
@example(0x7F800001).via("signalling NaN")
@example(0xFFC00000).via("negative NaN")
@example(0x80000000).via("negative zero")
def test_floats_are_read_back(bits: int) -> None:
    assert parse_literal(write_literal(FLOAT, bits)).bits(FLOAT) == bits


@given(st.integers(0, 2**64 - 1))
@example(0x7FF0000000000000)
@example(0xFFF8000000000123)
@example(0x0000000000000001)
def test_doubles_are_read_back(bits: int) -> None:
    assert parse_literal(write_literal(DOUBLE, bits)).bits(DOUBLE) == bits


@given(st.booleans(), st.integers(0, 0x7FFF), st.integers(0, 2**63 - 1))
@example(True, 0x7FFF, 0)
@example(False, 0x7FFF, 5)
@example(False, 0, 1)
def test_long_doubles_are_read_back(negative: bool, exponent: int, fraction: int) -> None:
    bits = (int(negative) << 79) | (exponent << 64) | (int(exponent > 0) << 63) | fraction
    assert parse_literal(write_literal(LONG_DOUBLE, bits)).bits(LONG_DOUBLE) == bits


@given(st.fractions(), st.integers(-400, 400))
def test_rounding_to_double_is_that_of_python(value: Fraction, exponent: int) -> None:
    scaled = value * Fraction(10) ** exponent
    try:
        expected = float(scaled)
    except OverflowError:
        expected = -math.inf if scaled < 0 else math.inf
    rounded = struct.unpack("<d", struct.pack("<Q", DOUBLE_FORMAT.round(scaled, scaled < 0)))[0]
    assert rounded == expected


@given(st.floats(width=32, allow_nan=False))
def test_single_is_exact_where_the_number_is(value: float) -> None:
    expected = struct.unpack("<I", struct.pack("<f", value))[0]
    if math.isinf(value):
        assert parse_literal(str(value)).bits(FLOAT) == expected
    else:
        assert SINGLE.round(Fraction(value), math.copysign(1, value) < 0) == expected


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("42", INT, 42),
        ("-1", UNSIGNED_INT, 2**32 - 1),
        ("4294967295U", UNSIGNED_INT, 2**32 - 1),
        ("0x1F", INT, 31),
        ("-0x10", INT, 2**32 - 16),
        ("17ull", INT, 17),
        ("'c'", CHAR, 99),
        (r"'\n'", CHAR, 10),
        (r"'\x41'", INT, 65),
        (r"'\0'", CHAR, 0),
        ("'\u00ff'", CHAR, 255),
        ("8.75", INT, 8),
        ("-8.75", INT, 2**32 - 8),
        ("2", BOOL, 1),
        ("true", BOOL, 1),
        ("0", PointerType(VOID), 0),
        ("4096", PointerType(VOID), 4096),
        (" 5 ", INT, 5),
        ("1.5f", FLOAT, 0x3FC00000),
        ("3", FLOAT, 0x40400000),
        ("0x1.8p1", DOUBLE, 0x4008000000000000),
        ("1e999999999", FLOAT, 0x7F800000),
        ("1e-999999999", FLOAT, 0),
        ("-1e999999999", DOUBLE, 0xFFF0000000000000),
        ("inf", DOUBLE, 0x7FF0000000000000),
        ("-nan", FLOAT, 0xFFC00000),
        ("INFINITY", FLOAT, 0x7F800000),
    ],
)
def test_what_other_tools_write_is_understood(text: str, type_: CType, value: int) -> None:
    assert parse_literal(text).bits(type_) == value


@pytest.mark.parametrize(
    "text", ["", "abc", "1 2", "''", "'ab'", "0x", "-", ".", "e5", "1e", "--1", "\u20ac", "'\u20ac'", "5;"]
)
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_literal(text)


def test_a_very_long_number_costs_little() -> None:
    assert parse_literal("1" * 4000).bits(DOUBLE) == 0x7FF0000000000000
    with pytest.raises(InputError, match="characters"):
        parse_literal("1" * 4001)
    assert parse_literal("0." + "1" * 3000).bits(FLOAT) == parse_literal("0.11111111111").bits(FLOAT)
