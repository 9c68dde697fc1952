"""The table of a suite says every input and every goal."""

from gia.report.test_table import shown_inputs, test_table


def test_inputs_are_written_short_and_complete() -> None:
    inputs = [("int", "5"), ("int", "5"), ("int", "-1"), ("char", "0")]
    assert shown_inputs(inputs) == "int 5 (2 times), -1, char 0"
    assert shown_inputs([]) == ""


def test_each_test_has_a_row() -> None:
    text = test_table([([("int", "5")], ["main:3:5:then", "main:3:5:else"]), ([], [])])
    rows = [line.split() for line in text.splitlines()]
    assert ["1", "int", "5", "main:3:5:else,", "main:3:5:then"] in rows
    assert ["2", "none", "nothing"] in rows
