"""Values worth trying as inputs of a given program: its constants, their neighbours, and the extremes of types.

Values are bit patterns, least significant bit first, as in :class:`gia.native.InputValue`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import chain
from math import copysign, isfinite
from random import Random

from msgspec.structs import replace

from gia.cfa.expressions import Expression, FloatConstant, IntegerConstant, StringLiteral, walk
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Assume, Call, Halt, Return
from gia.cfa.types import CType, FloatType, IntegerType, PointerType
from gia.frontend import library
from gia.frontend.preprocessed import ADDED
from gia.native import InputValue

_FLOATS = (0.0, 1.0, -1.0, 0.5, 2.0, -0.0, 1e10, float("inf"), float("-inf"), float("nan"), 5e-324, 1e38, 1e308)
_UNREADABLE = 9
"""The cost of a character that cannot be printed."""

LONGEST_WORD = 24
"""Strings with more characters are not tried as parts of the input."""

_PRINTING = frozenset({"printf", "fprintf", "puts", "fputs", "sprintf", "snprintf", "perror"})

_SMALL = 16
"""Random small integers are drawn from ``-_SMALL .. _SMALL``."""


def float_bits(value: float, width: int) -> int:
    """The bit pattern of ``value`` as ``float`` (32), ``double`` (64) or x87 ``long double`` (80)."""
    if width == 32:
        try:
            return int.from_bytes(struct.pack("<f", value), "little")
        except OverflowError:
            return float_bits(float("inf") if value > 0 else float("-inf"), 32)
    bits = int.from_bytes(struct.pack("<d", value), "little")
    if width == 64:
        return bits
    sign, exponent, fraction = bits >> 63, (bits >> 52) & 0x7FF, bits & ((1 << 52) - 1)
    if exponent == 0:  # zeros; subnormal doubles become zero, which is near enough for a value to try
        return sign << 79
    wide = 0x7FFF if exponent == 0x7FF else exponent - 1023 + 16383
    return (sign << 79) | (wide << 64) | (1 << 63) | (fraction << 11)


def expressions_on(edge: Edge) -> Iterator[Expression]:
    """Every expression on an edge, parents before their parts."""
    match edge.operation:
        case Assign(target=target, value=value):
            yield from walk(target)
            yield from walk(value)
        case Assume(condition=condition):
            yield from walk(condition)
        case Call(arguments=arguments) | Halt(arguments=arguments):
            for argument in arguments:
                yield from walk(argument)
        case Return(value=value) if value is not None:
            yield from walk(value)


def expressions_of(program: Program) -> Iterator[Expression]:
    """Every expression on an edge or in an initialiser, parents before their parts."""
    for edge in program.edges():
        yield from expressions_on(edge)
    for initialiser in program.statics:
        for _, value in initialiser.assignments:
            yield from walk(value)


class Dictionary:
    """The constants of a program, from which inputs are drawn."""

    def __init__(self, program: Program) -> None:
        integers: set[int] = {0, 1}
        floats: set[float] = set()
        for expression in expressions_of(program):
            match expression:
                case IntegerConstant(value=value):
                    integers.update((value - 1, value, value + 1, -value))
                case StringLiteral(data=data):
                    integers.update(data)
                case FloatConstant(text=text):
                    floats.update(_parse_float(text))
        self.known_integers = frozenset(integers)
        self.integers = tuple(sorted(integers, key=lambda value: (abs(value), value)))
        self.words = tuple(_words(program)) if any(map(library.reads_text, program.externals)) else ()
        near = sorted(floats)
        self.floats = (*_FLOATS, *near, *(value + 1.0 for value in near), *(value - 1.0 for value in near))

    @property
    def values(self) -> tuple[int | float, ...]:
        """The constants of the program in the order of their size; words, if it reads text, in turn with integers."""
        repeated = self.words * max(1, len(self.integers) // max(1, len(self.words)))
        return (*self.integers, *repeated, *self.floats)

    def draw(self, random: Random, type_: CType) -> int:
        """A bit pattern for an input of that type."""
        match type_:
            case IntegerType(width=width, is_bool=is_bool):
                return random.getrandbits(1) if is_bool else self._draw_integer(random, width)
            case FloatType(width=width):
                return self._draw_float(random, width)
        return 0  # no address but null is known to be valid

    def _draw_integer(self, random: Random, width: int) -> int:
        kind = random.random()
        if kind < 0.45:
            value = random.choice(self.integers)
        elif kind < 0.75:
            value = random.randint(-_SMALL, _SMALL)
        elif kind < 0.9:
            value = random.getrandbits(random.randint(1, width))
        else:
            value = random.choice((-1, 0, 1 << (width - 1), (1 << (width - 1)) - 1))
        return value & ((1 << width) - 1)

    def _draw_float(self, random: Random, width: int) -> int:
        kind = random.random()
        if kind < 0.4:
            return float_bits(random.choice(self.floats), width)
        if kind < 0.6:
            return float_bits(float(random.choice(self.integers)), width)
        if kind < 0.9:
            return float_bits(random.uniform(-100.0, 100.0), width)
        return random.getrandbits(width) if width < 80 else float_bits(random.gauss(0.0, 1e6), width)

    def neighbour(self, random: Random, type_: CType, bits: int) -> int:
        """A value near to ``bits``: plus or minus a little, or with one bit flipped."""
        match type_:
            case IntegerType(is_bool=True):
                return 1 - (bits & 1)
            case IntegerType(width=width):
                if random.random() < 0.7:
                    return (bits + random.choice((-2, -1, 1, 2, 8, -8))) & ((1 << width) - 1)
                return bits ^ (1 << random.randrange(width))
        return self.draw(random, type_)


def _words(program: Program) -> Iterator[int]:
    """The short strings that the program does not print, in parts of 8 characters, and the digits of its constants.

    Each is a number, the first character in the lowest byte.
    """
    edges = (edge for edge in program.edges() if edge.file != ADDED and not _prints(edge))
    own = (static for static in program.statics if not static.variable.name.startswith(library.MODEL_PREFIX))
    initial = (walk(value) for static in own for _, value in static.assignments)
    expressions = chain(chain.from_iterable(map(expressions_on, edges)), chain.from_iterable(initial))
    strings: set[bytes] = set()
    for found in expressions:
        match found:
            case StringLiteral(data=data):
                strings.add(data[:-1])
            case IntegerConstant(value=value) if 10 <= value < 10**8:
                strings.add(str(value).encode())
            case FloatConstant(text=text):
                numbers = (repr(value).removesuffix(".0") for value in _parse_float(text))
                strings.update(number.encode() for number in numbers if len(number) > 1)
    parts = {
        text[start : start + 8] for text in strings if len(text) <= LONGEST_WORD for start in range(0, len(text), 8)
    }
    yield from sorted(int.from_bytes(part, "little") for part in parts)


def _prints(edge: Edge) -> bool:
    return isinstance(edge.operation, Call) and edge.operation.function in _PRINTING


def simple_inputs(value: InputValue) -> tuple[int, ...]:
    """As :func:`simple_values` for an input, which may be a character."""
    if not library.reads_text(value.function):
        return simple_values(value.type, value.bits)
    costs = {code: (character_cost(replace(value, bits=code)), code) for code in (*b"\0\n 0a-A", value.bits)}
    return tuple(code for code in sorted(costs, key=costs.__getitem__) if costs[code] < costs[value.bits])


def plainest(value: InputValue) -> InputValue:
    """Zero, or the end of a line."""
    return replace(value, bits=ord("\n") if library.reads_stream(value.function) else 0)


def character_cost(value: InputValue) -> int:
    """How much a person minds a character in a text; 0 for the end of a string, or an empty line."""
    is_string = value.function == library.CHARACTER_INPUT
    if is_string and value.bits == 0:
        return 0
    if value.bits > 255:
        return 1  # the end of standard input
    letter = chr(value.bits)
    if not letter.isascii():
        return _UNREADABLE
    line_end = letter == "\n"
    others = (letter.isdigit(), letter.islower(), letter.isupper(), letter.isprintable())
    kinds = (False, *others, line_end) if is_string else (line_end, letter == " ", *others)
    return kinds.index(True) if any(kinds) else _UNREADABLE


def simple_values(type_: CType, bits: int) -> tuple[int, ...]:
    """Bit patterns that a person finds simpler than ``bits``, simplest first."""
    match type_:
        case IntegerType(width=width, signed=signed):
            value = type_.number(bits)
            sign = -1 if value < 0 else 1
            tried = (0, 1, -1, *(sign * 10**digits for digits in range(1, 10)), abs(value))
            simpler = (v for v in tried if abs(v) < abs(value) or value < 0 < v == -value < 1 << (width - 1))
            return tuple(dict.fromkeys(v % (1 << width) for v in simpler if signed or v >= 0))
        case FloatType(width=width):
            towards = -1.0 if bits >> (width - 1) else 1.0
            floats = (0.0, 1.0, -1.0, *(copysign(10.0**digits, towards) for digits in (1, 2, 3, 6, 9, 12, 20, 30)))
            candidates = [*dict.fromkeys(float_bits(value, width) for value in floats)]
            return tuple(candidates[: candidates.index(bits)] if bits in candidates else candidates)
        case PointerType():
            return (0,) if bits else ()
    return ()


def _parse_float(text: str) -> tuple[float, ...]:
    """The value of a C floating constant; nothing if it is none that a ``float`` holds."""
    digits = text.rstrip("fFlLdDqQ") if "x" not in text.lower() else text.rstrip("lLqQ")
    try:
        value = float.fromhex(digits) if "x" in text.lower() else float(digits)
    except (ValueError, OverflowError):
        return ()
    return (value,) if isfinite(value) else ()
