"""The table of a suite says every input and every goal."""

from gia.cfa.types import CHAR, INT
from gia.exchange.suites.real_inputs import RealInputs
from gia.native import InputValue
from gia.report.suite_table import shown_inputs, suite_table

FIVE = InputValue("__VERIFIER_nondet_int", INT, 5)


def test_inputs_are_written_short_and_complete() -> None:
    inputs = [FIVE, FIVE, InputValue("f", INT, (1 << 32) - 1), InputValue("g", CHAR, 0)]
    assert shown_inputs(RealInputs(others=inputs)) == "int 5 (2 times), -1, char 0"
    assert shown_inputs(RealInputs()) == ""


def test_what_comes_from_outside_is_written_as_text() -> None:
    inputs = RealInputs(bytearray(b'a"\n\0'), [b"-v", b""], {"HOME": None, "LANG": b"C"}, [FIVE])
    assert shown_inputs(inputs) == r'arguments "-v" "", no HOME, LANG="C", stdin "a\"\n\000", int 5'
    assert shown_inputs(RealInputs(arguments=[])) == "no arguments"


def test_each_test_has_a_row() -> None:
    text = suite_table([(RealInputs(others=[FIVE]), ["main:3:5:then", "main:3:5:else"]), (RealInputs(), [])])
    rows = [line.split() for line in text.splitlines()]
    assert ["1", "int", "5", "main:3:5:else,", "main:3:5:then"] in rows
    assert ["2", "none", "nothing"] in rows
