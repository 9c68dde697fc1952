"""Fuzzers and Frama-C as they are installed: what one cannot decide, the other does."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.harness import gia, statuses
from tests.tools.support import EXAMPLES


def needs(*tools: str) -> pytest.MarkDecorator:
    missing = [tool for tool in tools if shutil.which(tool) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed; see .ci/run")


def run(program: Path, folder: Path, *options: str) -> Any:
    ran = gia("run", "fuzz-and-prove", program, "--json", "--out", folder / "out", *options)
    assert ran.status == 0, ran.err
    return ran.json


@pytest.mark.parametrize(
    ("fuzzer", "program"),
    [
        pytest.param("libfuzzer", "sensor_filter.c", marks=needs("clang", "frama-c")),
        pytest.param("afl", "parcel_locker.c", marks=needs("afl-fuzz", "afl-clang-fast", "frama-c")),
    ],
)
def test_together_they_decide_what_neither_decides_alone(fuzzer: str, program: str, tmp_path: Path) -> None:
    source = EXAMPLES / program
    result = run(source, tmp_path, "--param", f"fuzzer={fuzzer}", "--param", "slice=3s", "--time", "100s")
    assert result["verdict"] == "complete", [step["remarks"] for step in result["steps"]]
    never = set(source.read_text().rpartition("// Unreachable: ")[2].split())
    found = statuses(result)
    assert {goal for goal, status in found.items() if status == "unreachable"} == never
    assert {goal["by"] for goal in result["goals"]} == {fuzzer, "frama-c"}
    for step in result["steps"]:
        assert step["status"] == "ok"
        assert step["new_ut" if step["actor"] == fuzzer else "new_rt"] == 0


@needs("frama-c")
@pytest.mark.parametrize(
    ("body", "remark"),
    [
        ("int y = 1 << x; if (y > 5 && x > 40) return 1;", "without shift"),
        ("extern int *table(int); if (*table(x) == 3 && x != x) return 1;", "does not know what table does"),
    ],
)
def test_what_eva_says_under_conditions_is_not_taken(body: str, remark: str, tmp_path: Path) -> None:
    """After an undefined shift a program goes on, whatever the standard says."""
    program = tmp_path / "p.c"
    declaration, _, statements = body.rpartition("int); ")
    head = f"{declaration}int);\n" if declaration else ""
    program.write_text(
        f"extern int __VERIFIER_nondet_int(void);\n{head}"
        f"int main(void) {{ int x = __VERIFIER_nondet_int(); {statements} return 0; }}\n"
    )
    (tmp_path / "prove.yml").write_text(
        "name: prove\nsteps:\n  prove: {actor: frama-c, time: 30s}\nrun: {sequence: [prove]}\n"
    )
    result = gia("run", tmp_path / "prove.yml", program, "--json", "--out", tmp_path / "out").json
    assert set(statuses(result).values()) == {"open"}
    assert any(remark in text for text in result["steps"][0]["remarks"]), result["steps"]


@needs("clang")
def test_a_fuzzer_that_has_seen_crashes_has_done_its_work(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n"
        "  int *p = 0;\n  if (x > 77) *p = 3;\n  return 0;\n}\n"
    )
    (tmp_path / "fuzz.yml").write_text(
        "name: fuzz\nsteps:\n  fuzz: {actor: libfuzzer, time: 2s}\nrun: {sequence: [fuzz]}\n"
    )
    result = gia("run", tmp_path / "fuzz.yml", program, "--json", "--out", tmp_path / "out").json
    assert result["verdict"] == "complete"
    assert list((tmp_path / "out/steps/001-libfuzzer").glob("crash-*"))
    assert (result["steps"][0]["status"], result["steps"][0]["remarks"]) == ("ok", [])


@needs("clang")
def test_the_seeds_of_a_fuzzer_are_the_tests_that_are_known(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void);\nextern _Bool __VERIFIER_nondet_bool(void);\n"
        "int main(void) {\n  int x = __VERIFIER_nondet_int();\n"
        "  if (__VERIFIER_nondet_bool() && (unsigned)x * 2654435761u == 0xdeadbeefu)\n"
        "    if (__VERIFIER_nondet_int() == 7) return 1;\n  return 0;\n}\n"
    )
    x = 0xDEADBEEF * pow(2654435761, -1, 1 << 32) % (1 << 32)
    (tmp_path / "knows.yml").write_text(
        "name: knows\nkind: tester\ndirection: UA\ngia: none\n"
        f"run: {{command: [sh, -c, 'echo \"<testcase><input>{x}</input><input>1</input></testcase>\" > t.xml']}}\n"
        "produces: [{type: test-suite, path: t.xml}]\n"
    )
    (tmp_path / "two.yml").write_text(
        "name: two\nsteps:\n  first: {actor: ./knows.yml, time: 20s}\n  second: {actor: libfuzzer, time: 1s}\n"
        "run: {sequence: [first, second]}\n"
    )
    assert gia("run", tmp_path / "two.yml", program, "--out", tmp_path / "out").status == 0
    seeds = tmp_path / "out/steps/002-libfuzzer/seeds"
    assert (seeds / "test-0").read_bytes() == x.to_bytes(4, "little") + b"\x01"


@needs("testcov", "lcov", "clang-tidy")
def test_testcov_measures_what_was_executed(tmp_path: Path) -> None:
    program = tmp_path / "p.c"
    program.write_text(
        "extern int __VERIFIER_nondet_int(void);\nint main(void) {\n  if (__VERIFIER_nondet_int() == 12345)\n"
        "    if (__VERIFIER_nondet_int() == 7) return 1;\n  return 0;\n}\n"
    )
    (tmp_path / "knows.yml").write_text(
        "name: knows\nkind: tester\ndirection: UA\ngia: none\n"
        "run: {command: [sh, -c, 'echo \"<testcase><input>12345</input><input>1</input></testcase>\" > t.xml']}\n"
        "produces: [{type: test-suite, path: t.xml}]\n"
    )
    (tmp_path / "two.yml").write_text(
        "name: two\nsteps:\n  first: {actor: ./knows.yml, time: 20s}\n  second: {actor: testcov, time: 60s}\n"
        "run: {sequence: [first, second]}\n"
    )
    result = gia("run", tmp_path / "two.yml", program, "--json", "--time", "100s", "--out", tmp_path / "out").json
    assert result["summary"]["cov_b"] == 0.5
    assert result["steps"][1]["remarks"] == ["it measures 50.0 % of 4 goals with 1 tests"]
