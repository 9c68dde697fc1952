"""KLEE's test files: what is written is read back, and damaged files are refused."""

import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.types import DataModel
from gia.errors import DocumentError, InputError
from gia.exchange.suites.ktest import Ktest, KtestObject, ktest_bytes, ktest_of, read_ktest, test_of_ktest
from gia.exchange.suites.testcase import TestCase

OBJECTS = st.builds(KtestObject, st.text(max_size=10).filter(lambda name: "\ud800" not in name), st.binary(max_size=20))
KTESTS = st.builds(
    Ktest, st.lists(OBJECTS, max_size=5).map(tuple), st.lists(st.text(max_size=5), max_size=3).map(tuple)
)


@given(KTESTS)
@settings(deadline=None)
def test_what_is_written_is_read(test: Ktest) -> None:
    assert read_ktest(ktest_bytes(test), "x") == test


def test_a_file_as_klee_writes_it() -> None:
    data = b"KTEST" + struct.pack(">II", 3, 1) + struct.pack(">I", 4) + b"p.bc" + struct.pack(">III", 0, 0, 3)
    for name, value in (
        (b"int", b"\xfe\xff\xff\xff"),
        (b"model_version", b"\1\0\0\0"),
        (b"__VERIFIER_nondet_uchar", b"\xff"),
    ):
        data += struct.pack(">I", len(name)) + name + struct.pack(">I", len(value)) + value
    test = test_of_ktest(read_ktest(data, "x"), DataModel.LP64)
    assert test.inputs == (("int", "-2"), ("unsigned char", "255"))


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("int"), st.integers(-(2**31), 2**31 - 1).map(str)),
            st.tuples(st.just("unsigned long"), st.integers(0, 2**32 - 1).map(str)),
            st.tuples(st.just("double"), st.floats(allow_nan=False).map(repr)),
            st.tuples(st.just("_Bool"), st.sampled_from(["0", "1"])),
            st.tuples(st.just("void *"), st.integers(0, 2**32 - 1).map(str)),
        )
    ),
    st.sampled_from(DataModel),
)
@settings(deadline=None)
def test_inputs_are_kept(inputs: list[tuple[str, str]], model: DataModel) -> None:
    test = TestCase(tuple(inputs))
    assert test_of_ktest(read_ktest(ktest_bytes(ktest_of(test, model)), "x"), model) == test


@given(KTESTS, st.data())
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_read_or_refused(test: Ktest, data: st.DataObject) -> None:
    whole = bytearray(ktest_bytes(test))
    for _ in range(data.draw(st.integers(0, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    try:
        found = read_ktest(bytes(whole[:cut]), "x.ktest")
    except DocumentError as error:
        assert error.position is not None
        assert error.position.file == "x.ktest"
    else:
        test_of_ktest(found, DataModel.ILP32)


def test_an_input_without_type_cannot_be_written() -> None:
    for type_ in ("", "struct s"):
        try:
            ktest_of(TestCase(((type_, "1"),)), DataModel.LP64)
        except InputError as error:
            assert "type" in error.message
        else:
            raise AssertionError(type_)
