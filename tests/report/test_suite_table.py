"""The table of a suite says every input and every goal."""

from pathlib import Path

from msgspec.structs import replace

from gia.cfa.types import CHAR, INT, DataModel
from gia.exchange.suites.real_inputs import RealFile, RealInputs
from gia.frontend import load
from gia.native import InputValue
from gia.report.suite_table import others, shown_inputs, suite_table

FIVE = InputValue("__VERIFIER_nondet_int", INT, 5)


def test_inputs_are_written_short_and_complete() -> None:
    named = [InputValue("f", INT, (1 << 32) - 1), InputValue("g", CHAR, 0)]
    assert shown_inputs([FIVE, FIVE, replace(FIVE, bits=4)]) == "int 5 (2 times), 4"
    assert shown_inputs([FIVE, *named, FIVE]) == "int 5, f = -1, g = 0, int 5"
    text = [InputValue("__VERIFIER_nondet_read_line", CHAR, byte) for byte in b'a"\0b\0\0']
    assert shown_inputs([*named, *text, *named[:1]]) == r'f = -1, g = 0, read_line = "a\"\000b", f = -1'
    assert shown_inputs([]) == ""


def test_what_comes_from_outside_is_written_as_text() -> None:
    inputs = RealInputs(bytearray(b'a"\n\0'), [b"-v", b""], {"HOME": None, "LANG": b"C"}, others=[FIVE])
    assert ", ".join(others(inputs)) == r'arguments "-v" "", no HOME, LANG="C", stdin "a\"\n\000", int 5'
    files = {b"a.txt": RealFile(bytearray(b"1\n")), b"b c": RealFile(), b"d/e": RealFile(is_possible=False)}
    assert others(RealInputs(files=files)) == [r'file a.txt "1\n"', 'no file "b c"', "file d/e impossible"]
    assert others(RealInputs(arguments=[])) == ["no arguments"]


def test_what_repeats_in_a_text_is_counted() -> None:
    for text, shown in ((b"", '""'), (b"ab" + b" " * 990 + b"c", '"ab" 990 * " " "c"'), (b"\n" * 20, '20 * "\\n"')):
        assert others(RealInputs(bytearray(text))) == [f"stdin {shown}"]
    assert others(RealInputs(bytearray(b"a" * 19))) == ['stdin "' + "a" * 19 + '"']


def test_each_test_has_a_row() -> None:
    text = suite_table([(shown_inputs([FIVE]), ["main:3:5:then", "main:3:5:else"]), ("", [])])
    rows = [line.split() for line in text.splitlines()]
    assert ["1", "int", "5", "main:3:5:else,", "main:3:5:then"] in rows
    assert ["2", "none", "nothing"] in rows


def test_what_a_function_is_called_with_has_its_names(tmp_path: Path) -> None:
    path = tmp_path / "unit.c"
    path.write_text(
        "#include <stddef.h>\nstruct t { char name[4]; int used, list[3]; struct t *next; };\nextern int level;\n"
        "int f(const char *text, size_t length, struct t *t, const char *end) { return level; }\n"
    )
    places = load(path, data_model=DataModel.LP64, entry="f").places
    values = {"level": 7, "text[0]": 104, "text[1]": 105, "length": 2, "t->used": 9, "t->list[1]": 3, "end - text": 1}
    values |= {"t->next": 1, "t->next->used": 4}  # the second choice is null: nothing is in the object
    kinds = ["character" if place.place.startswith("text[") else "char" for place in places]
    inputs = [
        InputValue(f"__VERIFIER_nondet_{kind}", CHAR, values.get(place.place, 0))
        for kind, place in zip(kinds, places, strict=True)
    ]
    assert shown_inputs([*inputs, FIVE], places) == (
        'level = 7, text = "hi", length = 2, t->used = 4, t->list = {0, 3}, t->next = null, end - text = 1, int 5'
    )
