"""The values that the tester tries, the moves of its mutation, and the simplification of what it finds."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gia.analyses.testing.mutation import MAX_INPUTS, Inputs, mutate
from gia.analyses.testing.simplification import MAX_ATTEMPTS, simplify
from gia.analyses.testing.values import Dictionary, float_bits, simple_values
from gia.cfa.expressions import Binary, FloatConstant, IntegerConstant, Storage, Variable, VariableReference
from gia.cfa.graph import Edge, EdgeReference, Function, Program
from gia.cfa.operations import Assume
from gia.cfa.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG_DOUBLE,
    SHORT,
    UNSIGNED_CHAR,
    DataModel,
    FunctionType,
    TypeTable,
)
from gia.errors import Position
from gia.frontend import library, load
from gia.native import Execution, InputValue, Outcome
from gia.native.literals import parse_literal

TYPES = (BOOL, UNSIGNED_CHAR, SHORT, INT, FLOAT, DOUBLE, LONG_DOUBLE)


def program(*constants: IntegerConstant | FloatConstant) -> Program:
    """A program whose only edges compare a variable with the constants."""
    variable = VariableReference(Variable("x", INT, Storage.LOCAL, "main"))
    edges = tuple(
        Edge(number, 0, 1, Assume(Binary("==", variable, constant, INT), True),
             EdgeReference("main", number + 1, 1, "assume", "then"), "x.c", "")
        for number, constant in enumerate(constants)
    )  # fmt: skip
    main = Function("main", FunctionType(INT, ()), (), (), 0, 1, edges, Position("x.c", 1))
    return Program("x.c", "0" * 64, TypeTable(DataModel.LP64), {"main": main}, (), {}, "main")


def values(*numbers: int) -> tuple[InputValue, ...]:
    return tuple(InputValue("__VERIFIER_nondet_int", INT, number & 0xFFFFFFFF) for number in numbers)


@given(st.floats(allow_nan=False, allow_subnormal=False))
def test_float_bits_are_those_of_the_literal(value: float) -> None:
    assert float_bits(value, 64) == struct.unpack("<Q", struct.pack("<d", value))[0]
    assert float_bits(value, 80) == parse_literal(value.hex()).bits(LONG_DOUBLE)
    assert float_bits(value, 32) == parse_literal(repr(value)).bits(FLOAT)


def test_dictionary_has_constants_and_neighbours() -> None:
    dictionary = Dictionary(program(IntegerConstant(4711, INT), FloatConstant("0.125f", FLOAT)))
    assert {4710, 4711, 4712, -4711} <= set(dictionary.integers)
    assert {0.125, 1.125} <= set(dictionary.floats)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_drawn_values_fit_their_type(type_) -> None:
    dictionary, random = Dictionary(program(IntegerConstant(1000, INT))), Random(1)
    for _ in range(500):
        bits = dictionary.draw(random, type_)
        near = dictionary.neighbour(random, type_, bits)
        for value in (bits, near, *simple_values(type_, bits)):
            assert 0 <= value < 1 << type_.width
            assert type_ is not BOOL or value in (0, 1)


@given(st.integers(-(2**31), 2**31 - 1))
def test_simple_values_end(number: int) -> None:
    """Going to simpler values again and again comes to zero."""
    bits, steps = number & 0xFFFFFFFF, 0
    while simpler := simple_values(INT, bits):
        assert bits not in simpler
        bits = simpler[-1]
        steps += 1
        assert steps < 200
    assert bits == 0


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=20), st.integers(0, 1000))
def test_mutation_keeps_types_and_is_deterministic(numbers: list[int], seed: int) -> None:
    inputs, dictionary = values(*numbers), Dictionary(program(IntegerConstant(7, INT)))
    first = mutate(inputs, [inputs], Random(seed), dictionary)
    assert first == mutate(inputs, [inputs], Random(seed), dictionary)
    assert len(first) <= MAX_INPUTS
    assert all(value.type == INT for value in first)


def run(inputs, wanted, reads) -> Execution | None:
    """A program that reads ``reads`` inputs, with zeros behind those given; ``wanted`` judges them."""
    read = (inputs + values(*[0] * reads))[:reads]
    return Execution(Outcome.EXITED, frozenset(), read) if wanted(read) else None


def test_simplification_finds_the_values_that_matter() -> None:
    attempts = 0

    def attempt(inputs):
        nonlocal attempts
        attempts += 1
        return run(inputs, lambda read: int(read[3].literal) > 100 and read[5].bits == 7, 10)

    start = attempt(values(9, 10, 11, 8000, 1, 7, 3, 4, 5, 6))
    assert start is not None
    best = simplify(start, attempt, float("inf"))
    assert best is not None
    assert [index for index, value in enumerate(best.inputs) if value.bits] == [3, 5]
    assert attempts <= MAX_ATTEMPTS + 1


@pytest.mark.parametrize("type_", [DOUBLE, FLOAT], ids=str)
@pytest.mark.parametrize(("found", "limit", "simple"), [(math.inf, 3.5, 10.0), (-1.98e37, -5e5, -1e6)])
def test_simplification_of_floats_prefers_round_numbers_to_infinities(type_, found, limit, simple) -> None:
    def attempt(inputs):
        reached = bool(inputs) and float(inputs[0].literal) * limit > limit * limit
        return Execution(Outcome.EXITED, frozenset(), inputs) if reached else None

    best = simplify(attempt((InputValue("f", type_, float_bits(found, type_.width)),)), attempt, math.inf)
    assert best is not None and float(best.inputs[0].literal) == simple


def test_simplification_lowers_values_together_that_must_be_equal() -> None:
    def attempt(inputs: Inputs) -> Execution | None:
        return run(inputs, lambda read: read[0] == read[2] and read[0].number > 100, 4)

    start = attempt(values(731529, 5, 731529, 6))
    assert start is not None
    best = simplify(start, attempt, math.inf)
    assert best is not None and best.inputs == values(1000, 0, 1000, 0)


def test_simplification_drops_the_rounds_before_the_one_that_matters() -> None:
    """A program that reads a number, and then three in each round; in one of these rounds they have to differ."""

    def attempt(inputs: Inputs) -> Execution | None:
        rounds = [[value.bits for value in inputs[begin : begin + 3]] for begin in range(1, len(inputs) - 2, 3)]
        reached = bool(inputs) and inputs[0].bits == 5 and any(len(set(found)) == 3 for found in rounds)
        return Execution(Outcome.EXITED, frozenset(), inputs) if reached else None

    start = attempt(values(5, *[0] * 996, 8, 1, 9))
    assert start is not None
    best = simplify(start, attempt, math.inf)
    assert best is not None and len(best.inputs) == 4 and best.inputs[0].bits == 5


def arguments(*texts: str) -> Inputs:
    """The inputs of a program that is called with these arguments."""
    characters = "".join(text.ljust(library.CHARACTERS, "\0") for text in texts)
    read = (InputValue(library.CHARACTER_INPUT, CHAR, ord(character)) for character in characters)
    return (InputValue(library.ARGUMENTS_INPUT, INT, len(texts) + 1), *read)


def test_simplification_shortens_arguments_together_that_must_be_equal() -> None:
    def attempt(inputs: Inputs) -> Execution | None:
        first, second = (inputs[1 + start :][: library.CHARACTERS] for start in (0, library.CHARACTERS))
        wanted = inputs[0].bits == 3 and len(second) == library.CHARACTERS and first == second and first[1].bits
        return Execution(Outcome.EXITED, frozenset(), inputs) if wanted else None

    assert attempt(arguments("$7Of11154", "$7Of11154x")) is None
    start = attempt(arguments("$7Of11154", "$7Of11154"))
    assert start is not None
    best = simplify(start, attempt, math.inf)
    assert best is not None and best.inputs == arguments("\x000", "\x000")


def text(content: bytes) -> Inputs:
    """The inputs of a program that reads this text."""
    return tuple(InputValue(library.STDIN_INPUT, INT, byte) for byte in content)


def simplest(content: bytes, wanted: Callable[[bytes], bool]) -> bytes:
    """The text that is left of one for a program that reads all of it."""

    def attempt(inputs: Inputs) -> Execution | None:
        read = bytes(value.bits for value in inputs)
        return Execution(Outcome.EXITED, frozenset(), inputs) if wanted(read) else None

    best = simplify(attempt(text(content)), attempt, math.inf)
    assert best is not None
    return bytes(value.bits for value in best.inputs)


def test_simplification_lets_long_texts_have_equal_characters() -> None:
    line = bytes(Random(1).choices(b"abcxyzABC,.0189", k=400))
    assert simplest(line, lambda read: len(read) >= 300 and b"\n" not in read) == b" " * 300
    found = simplest(line + b"!" + line, lambda read: len(read) > 500 and b"!" in read and b"\n" not in read)
    assert found.count(b" ") > len(found) // 2


def test_simplification_leaves_out_what_comes_before() -> None:
    commands = b"open 1\nread 22\nclose 3\n" * 3 + b"quit 4\n"
    assert simplest(commands, lambda read: b"quit" in read) == b"quit"


def test_simplification_tells_when_the_effect_is_gone() -> None:
    start = Execution(Outcome.EXITED, frozenset(), values(1))
    assert simplify(start, lambda inputs: None, float("inf")) is None


def test_simplification_keeps_what_has_no_simpler_form() -> None:
    start = Execution(Outcome.EXITED, frozenset(), values(5))
    best = simplify(start, lambda inputs: replace(start, inputs=inputs) if inputs == values(5) else None, float("inf"))
    assert best is not None
    assert best.inputs == values(5)


def test_simplification_tries_nothing_twice() -> None:
    tried: list[Inputs] = []

    def attempt(inputs: Inputs) -> Execution | None:
        tried.append(inputs)
        wanted = len(inputs) == 4 and inputs[1].number == 147512 and inputs[3].number > 5
        return Execution(Outcome.EXITED, frozenset(), inputs) if wanted else None

    best = simplify(Execution(Outcome.EXITED, frozenset(), values(0, 147512, 3, 70000)), attempt, math.inf)
    assert best is not None and best.inputs == values(0, 147512, 0, 10)
    assert len(set(tried)) == len(tried) <= MAX_ATTEMPTS // 2


NUMBERS = """#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[20];
  if (!fgets(line, sizeof line, stdin)) return 1;
  double value = strtod(line, NULL);
  if (value == 42.5) return 2;
  if (value > 1e6f || value == 0x1p-3 || value < 3.0) return 3;
  return atoi(line) == 4711;
}
"""


def test_constants_are_words_where_the_program_reads_text(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(NUMBERS)
    words = Dictionary(load(tmp_path / "p.c", data_model=DataModel.LP64).program).words
    texts = {word.to_bytes(8, "little").rstrip(b"\0") for word in words}
    assert texts == {b"42.5", b"1000000", b"0.125", b"20", b"4711"}
