"""The formats of tools that cannot be installed everywhere: minimal outputs, and broken ones."""

import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.errors import DocumentError
from gia.exchange.suites.testcase import TestCase
from gia.tools.cbmc import read_cbmc_json
from gia.tools.coverage import read_coverage_report
from gia.tools.crest import read_crest_inputs

GOALS = ("a", "b", "", "d")


def cbmc(*messages: Any) -> str:
    return json.dumps([{"program": "CBMC 6.3.1 (cbmc-6.3.1)"}, *messages])


def result(number: int, status: str, **more: Any) -> dict[str, Any]:
    return {"property": f"main.assertion.{number}", "description": f"gia_goal_{number}", "status": status, **more}


UNWOUND = {"property": "main.unwind.0", "description": "unwinding assertion loop 0", "status": "SUCCESS"}


def test_cbmc_proves_what_succeeds() -> None:
    text = cbmc({"result": [result(0, "SUCCESS"), result(1, "FAILURE"), result(2, "SUCCESS"), UNWOUND]})
    assert read_cbmc_json(text, GOALS).unreachable == {"a"}


def test_every_copy_of_a_goal_must_be_proven() -> None:
    copies = [result(0, "SUCCESS"), {**result(0, "FAILURE"), "property": "main.assertion.7"}, result(3, "SUCCESS")]
    assert read_cbmc_json(cbmc({"result": copies}), GOALS).unreachable == {"d"}


@pytest.mark.parametrize("property_", ["main.unwind.0", "main.recursion", "f.unwind.3"])
def test_a_proof_up_to_a_bound_is_none(property_: str) -> None:
    bound = {"property": property_, "description": "unwinding assertion loop 0", "status": "FAILURE"}
    found = read_cbmc_json(cbmc({"result": [result(0, "SUCCESS"), bound]}), GOALS)
    assert not found.unreachable
    assert "bound" in found.remarks[0]


@pytest.mark.parametrize("status", ["UNKNOWN", "ERROR", None])
def test_what_is_not_proven_is_not_claimed(status: str | None) -> None:
    assert not read_cbmc_json(cbmc({"result": [{**result(0, "SUCCESS"), "status": status}]}), GOALS).unreachable


def value(data: str, binary: str = "", name: str = "integer", type_: str = "int") -> dict[str, Any]:
    return {"binary": binary, "data": data, "name": name, "type": type_, "width": len(binary)}


THIRD = format(0x3FD5555555555555, "064b")


def test_tests_of_cbmc_have_their_inputs_in_order() -> None:
    inputs = [
        {"id": "__VERIFIER_nondet_int", "value": value("-7")},
        {
            "id": "__VERIFIER_nondet_double",
            "value": value("0.3", format(0x3FD5555555555555, "064b"), "float", "double"),
        },
        {"id": "__VERIFIER_nondet_bool", "value": value("true", "1", "boolean", "_Bool")},
        {"id": "__VERIFIER_nondet_ulong", "value": value("5ul", type_="unsigned long")},
        {"id": "__VERIFIER_nondet_char", "value": value("'5'", "00110101", type_="char")},
        {"id": "__VERIFIER_nondet_schar", "value": value("'\\n'", "00001010", type_="signed char")},
        {"id": "__VERIFIER_nondet_ushort", "value": value("sizeof(int)", "1000000000000000", type_="unsigned short")},
        {"id": "__VERIFIER_nondet_short", "value": value("odd", "1000000000000000", type_="short")},
    ]
    text = cbmc({"goals": [], "totalGoals": 1, "goalsCovered": 1}, {"tests": [{"coveredGoals": [], "inputs": inputs}]})
    expected = [("int", "-7"), ("double", "0.3333333333333333"), ("_Bool", "1"), ("unsigned long", "5")]
    expected += [("char", "53"), ("signed char", "10"), ("unsigned short", "32768"), ("short", "-32768")]
    assert read_cbmc_json(text, GOALS).tests == (TestCase(tuple(expected)),)


def test_the_trace_of_a_failed_assertion_is_a_test() -> None:
    trace = [
        {"stepType": "function-call", "function": {"displayName": "main"}},
        {"stepType": "input", "inputID": "__VERIFIER_nondet_int", "values": [value("12345")]},
        {"stepType": "failure", "property": "main.assertion.0"},
    ]
    text = cbmc({"result": [result(0, "FAILURE", trace=trace)]}, {"cProverStatus": "failure"})
    assert read_cbmc_json(text, GOALS).tests == (TestCase((("int", "12345"),)),)


@pytest.mark.parametrize("text", ["", "[", '{"a": 1}', "CBMC version 6", "[" * 100_000, "nul", "\x00"])
def test_what_is_not_of_cbmc_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match="CBMC"):
        read_cbmc_json(text, GOALS)


def test_an_error_of_cbmc_is_told() -> None:
    text = cbmc({"messageType": "ERROR", "messageText": "the program has no entry point"})
    assert read_cbmc_json(text, GOALS).remarks == ("it gives no result: the program has no entry point",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "result",
                    "status",
                    "tests",
                    "inputs",
                    "value",
                    "data",
                    "trace",
                    "stepType",
                    "values",
                    "property",
                    "goals",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=50, deadline=None)
@given(JSON)
def test_no_json_breaks_the_reader(tree: Any) -> None:
    try:
        found = read_cbmc_json(json.dumps([tree]), GOALS)
    except DocumentError:
        return
    assert not found.unreachable


def test_each_run_of_crest_is_a_test() -> None:
    found = read_crest_inputs("run\nint 0\nunsigned char 200\nrun\nint -5\nrun\nint 0\nunsigned char 200\nrun\nint 4")
    assert found == (
        TestCase((("int", "0"), ("unsigned char", "200"))),
        TestCase((("int", "-5"),)),
        TestCase(()),
    )


@pytest.mark.parametrize("text", ["int 5\n", "run\nint five\n", "run\n\n", "\x7fELF\n"])
def test_what_crest_does_not_log_is_refused(text: str) -> None:
    with pytest.raises(DocumentError, match=r"crest-inputs.txt:[12]"):
        read_crest_inputs(text)


REPORT = "---Results---\nTests run: 3\nTests in suite: 2\nCoverage: 75.0%\nNumber of goals: 4\nResult: DONE\n"


def test_testcov_measures() -> None:
    assert read_coverage_report(REPORT).remarks == ("it measures 75.0 % of 4 goals with 3 tests",)
    assert read_coverage_report("[Errno 2] No such file: 'clang-tidy'").remarks == ("it has measured nothing",)


def test_a_float_keeps_its_bits() -> None:
    bits = struct.unpack("<I", struct.pack("<f", 0.1))[0]
    inputs = [{"id": "f", "value": value("0.1f", format(bits, "032b"), "float", "float")}]
    found = read_cbmc_json(cbmc({"tests": [{"inputs": inputs}]}), GOALS)
    assert found.tests == (TestCase((("float", "0.100000001"),)),)
