"""Programs that misbehave: a clear result, nothing lost, nothing left behind."""

import json
import shutil
import subprocess
from pathlib import Path
from time import monotonic

import pytest

from tests.cli.harness import COMMAND, ENVIRONMENT, gia, statuses

LONG = ("--time", "60s", "--param", "slice=10s", "--json")
INPUT = "extern int __VERIFIER_nondet_int(void);\n"


def program(folder: Path, text: str) -> str:
    (folder / "p.c").write_text(text)
    return "p.c"


def test_a_program_without_branches(tmp_path: Path) -> None:
    name = program(tmp_path, "int main(void) { return 0; }\n")
    command = [*COMMAND, "test", name, "--json"]
    ran = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    result = json.loads(ran.stdout)
    assert result["verdict"] == "complete"
    assert result["goals"] == []
    assert result["steps"] == []
    assert result["resources"]["cpu"] < 1.5


@pytest.mark.parametrize(
    ("specification", "what"),
    [
        ("branches", "branch"),
        ("unreach-call", "call of an error function (reach_error, __VERIFIER_error, __assert_fail)"),
    ],
)
def test_a_program_without_goals_is_told_of(tmp_path: Path, specification: str, what: str) -> None:
    ran = gia("test", program(tmp_path, "int main(void) { return 0; }\n"), "--spec", specification, cwd=tmp_path)
    assert f"  warning: there is nothing to decide: the program has no {what}\n" in ran.out


OVERFLOW = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 1)
    return 0;
  if (CONDITION)
    reach_error();
  return 0;
}
"""


@pytest.mark.parametrize(
    ("condition", "overflows"), [("x + 5 < 0", True), ("x + 5 < 7", False), ("x + 5u < 5u && x > 0", False)]
)
def test_an_error_behind_a_signed_overflow_is_told_of(condition: str, overflows: bool, tmp_path: Path) -> None:
    ran = gia("verify", program(tmp_path, OVERFLOW.replace("CONDITION", condition)), "--no-cache", cwd=tmp_path)
    assert ("is reached after a signed overflow" in ran.out) == overflows
    if "u" in condition:
        assert "true: " in ran.out
    else:
        assert "false: " in ran.out


def test_code_that_is_never_called(tmp_path: Path) -> None:
    name = program(tmp_path, "int f(int x) {\n  if (x) return 1;\n  return 2;\n}\nint main(void) { return 0; }\n")
    result = gia("test", name, "--json", cwd=tmp_path).json
    assert statuses(result) == {"f:2:3:then": "unreachable", "f:2:3:else": "unreachable"}
    assert [goal["certified"] for goal in result["goals"]] == [True, True]
    assert result["steps"] == []


EXCLUDING = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  while (1) {
    if (sizeof n == 2)
      if (n == 7) reach_error();
    if (n++ == 4) return 0;
  }
}
"""


def test_what_constants_exclude_is_known_beforehand(tmp_path: Path) -> None:
    name = program(tmp_path, EXCLUDING)
    result = gia("verify", name, "--json", "--out", "out", cwd=tmp_path).json
    assert result["verdict"] == "true"
    assert result["steps"] == []
    assert [(goal["by"], goal["certified"]) for goal in result["goals"]] == [("control flow", True)]
    assert (tmp_path / "out" / "witness.yml").exists()
    found = gia("test", name, "--json", "--out", "tests", cwd=tmp_path).json
    excluded = {"main:5:3:else", "main:6:5:then", "main:7:7:then", "main:7:7:else"}
    assert {goal["id"] for goal in found["goals"] if goal.get("by") == "control flow"} == excluded
    assert found["verdict"] == "complete"
    checked = gia("check", "tests/gia.xml", "--program", name, cwd=tmp_path).out
    assert "4 of 4 claims that a goal is unreachable are certified\n" in checked
    assert checked.endswith("every claim is executed or certified\n")


def test_the_time_may_be_over_before_a_large_program_is_read(tmp_path: Path) -> None:
    functions = "".join(
        f"int f{i}(int x) {{ if (x > {i} && x != 5) return x * {i}; return 1; }}\n" for i in range(9000)
    )
    name = program(tmp_path, f"{functions}int main(void) {{ return f0(1); }}\n")
    command = [*COMMAND, "test", name, "--time", "0.5s", "--no-cache"]
    started = monotonic()
    ran = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    message = f"error: {name}: the 0.5 s were over before the program was read\n  hint: give more with --time\n"
    assert (ran.returncode, ran.stderr) == (1, message)
    assert monotonic() - started < 5
    assert not (tmp_path / "gia-out").exists()


UNIT = """struct pair { int first; short rest[2]; };
extern struct pair found(const char *, struct pair where) __attribute__((pure));
int f(int x) {
  struct pair here = found("a", found("b", (struct pair){ 1 }));
  if (here.first == x + 3 && here.rest[1] == 4711) return 1;
  return 2;
}
"""


def test_a_function_without_a_main(tmp_path: Path) -> None:
    result = gia("test", program(tmp_path, UNIT), "--entry", "f", "--json", cwd=tmp_path).json
    assert statuses(result) == {"f:5:3:then": "covered", "f:5:3:else": "covered"}


def test_what_a_run_from_a_function_has_written_names_the_function(tmp_path: Path) -> None:
    name = program(tmp_path, "int f(int x) {\n  if (x == 4711) return 1;\n  return 2;\n}\n")
    gia("test", name, "--entry", "f", "--out", "out", cwd=tmp_path)
    goals = {"f:2:3:then", "f:2:3:else"}
    checked = gia("check", "out/gia.xml", "--program", name, cwd=tmp_path)
    assert (checked.status, goals <= set(checked.out.split())) == (0, True)
    assert "x = 4711" in gia("tests", "out/gia.xml", "--program", name, "--format", "table", cwd=tmp_path).out
    named = ("--program", name, "--spec", "branches")
    assert gia("check", "out/gia.xml", *named, cwd=tmp_path).status == 0
    for actor in "fuzz", "afl":
        asked = gia(
            "actor", "run", actor, *named, "--gia", "out/gia.xml", "--out", "more.xml", "--time", "3s", cwd=tmp_path
        )
        assert asked.status == 0 or "is not installed" in asked.err, asked.err
    converted = gia("convert", "out/test-suite", "--to", "gia", "--program", name, "-o", "again.xml", cwd=tmp_path)
    assert converted.status == 0, converted.err
    assert "init(f())" in (tmp_path / "again.xml").read_text()


BRANCH = INPUT + "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 4711) { BODY }\n  return 0;\n}\n"


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ("", "*(volatile int *)0 = 1;"),
        ("#include <stdlib.h>\n", "abort();"),
        ("", "for (;;) {}"),
        ("#include <stdio.h>\n", 'for (;;) puts("gigabytes of output");'),
        ("#include <unistd.h>\n", "fork(); fork();"),
        ("#include <stdlib.h>\n", 'system("rm -rf * ..");'),
        ("#include <signal.h>\n#include <unistd.h>\n", "kill(getppid(), SIGKILL);"),
        ("int missing(int);\n", "missing(1);"),
    ],
    ids=["crash", "abort", "endless", "flood", "fork", "rm", "kill", "undefined"],
)
def test_a_program_that_misbehaves(tmp_path: Path, headers: str, body: str) -> None:
    name = program(tmp_path, headers + BRANCH.replace("BODY", body))
    (tmp_path / "precious").touch()
    ran = gia("test", name, *LONG, cwd=tmp_path)
    assert ran.status == 0, ran.err
    decided = {goal: status for goal, status in statuses(ran.json).items() if goal.split(":")[2] == "3"}
    assert set(decided.values()) == {"covered"}
    assert len(decided) == 2
    assert (tmp_path / "precious").exists()
    assert (tmp_path / "p.c").exists()
    if "missing" in body:
        assert any("missing" in warning for warning in ran.json["warnings"])


def test_a_step_ends_when_it_has_written_all_that_others_have_left_open(tmp_path: Path) -> None:
    """The tester cannot know that nothing leaves the loop, and would go on for a minute; that is proven at once."""
    name = program(tmp_path, BRANCH.replace("BODY", "for (;;) if (x == 3) break;"))
    result = gia("test", name, "--time", "300s", "--cores", "2", "--json", cwd=tmp_path).json
    assert sorted(set(statuses(result).values())) == ["covered", "unreachable"]
    assert result["resources"]["wall"] < 80
    assert [step["actor"] for step in result["steps"]].count("tester") == 1


def test_verification(tmp_path: Path) -> None:
    text = (
        INPUT + "void reach_error(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int(), y = 0;\n"
        "  while (__VERIFIER_nondet_int()) { y = 0; }\n  if (y CONDITION) reach_error();\n  return 0;\n}\n"
    )
    name = program(tmp_path, text.replace("CONDITION", "!= 0"))
    ran = gia("verify", name, *LONG[:-1], cwd=tmp_path)
    assert ran.status == 0
    assert "true: " in ran.out
    witness = (tmp_path / "gia-out/p.c/witness.yml").read_text()
    assert "invariant_set" in witness
    name = program(tmp_path, text.replace("CONDITION", "== 0 && x == 77"))
    result = gia("verify", name, *LONG, cwd=tmp_path).json
    assert result["verdict"] == "false"
    witness = (tmp_path / "gia-out/p.c/witness.yml").read_text()
    assert "violation_sequence" in witness
    assert r"\result == 77" in witness
    assert 'coversError="true"' in (tmp_path / "gia-out/p.c/test-suite/testcase-1.xml").read_text()


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_an_execution_decides_while_provers_are_busy(tmp_path: Path, cores: int) -> None:
    """The verifier finds no proof, as there is none: on one core it has its turn, else it ends when it is told."""
    text = (
        INPUT + "void reach_error(void);\nint main(void) {\n  unsigned s = 0, t = 1;\n"
        "  for (unsigned i = 0; __VERIFIER_nondet_int(); i++) { s = s * t + i * i; t = t * s + 7; }\n"
        "  if (__VERIFIER_nondet_int() != 20251) return 0;\n"
        "  if (s * s * 3 != t * 5 + 97) reach_error();\n  return 0;\n}\n"
    )
    slice_ = 5 if cores == 1 else 30
    options = ("--cores", str(cores), "--time", "60s", "--param", f"slice={slice_}s", "--json")
    result = gia("verify", program(tmp_path, text), *options, cwd=tmp_path).json
    assert result["verdict"] == "false"
    assert [goal["by"] for goal in result["goals"]] in (["tester"], ["predicate"])
    (verifier,) = [step for step in result["steps"] if step["actor"] == "verifier"]
    assert cores == 1 or verifier["wall"] < 0.8 * slice_, result["steps"]
    assert cores > 1 or verifier["status"] != "cancelled", result["steps"]


def test_a_task_definition(tmp_path: Path) -> None:
    body = "int main(void) {\n  long x = __VERIFIER_nondet_int();\n  if (sizeof x == 4) return 1;\n  return 0;\n}\n"
    program(tmp_path, INPUT + body)
    (tmp_path / "branches.prp").write_text("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )\n")
    (tmp_path / "unreach-call.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    (tmp_path / "other.prp").write_text("CHECK( init(main()), LTL(F end) )\n")
    (tmp_path / "task.yml").write_text(
        "format_version: '2.0'\ninput_files: p.c\nproperties:\n  - property_file: other.prp\n"
        "  - property_file: unreach-call.prp\n    expected_verdict: true\n  - property_file: branches.prp\n"
        "options: {language: C, data_model: ILP32}\n"
    )
    result = gia("test", "task.yml", *LONG, cwd=tmp_path).json
    assert result["specification"] == "branches"
    assert statuses(result) == {"main:4:3:then": "covered", "main:4:3:else": "unreachable"}
    result = gia("test", "task.yml", "--data-model", "LP64", *LONG, cwd=tmp_path).json
    assert statuses(result) == {"main:4:3:then": "unreachable", "main:4:3:else": "covered"}
    result = gia("verify", "task.yml", "--json", cwd=tmp_path).json
    assert (result["specification"], result["verdict"]) == ("unreach-call", "true")


def test_no_test_depends_on_what_is_not_initialised(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) { int x, y; if (x == 0) return 1; return x != y ? 2 : 0; }\n")
    ran = gia("test", "p.c", "--time", "6s", "--out", "out", cwd=tmp_path)
    assert ran.status == 0
    result = json.loads((tmp_path / "out/result.json").read_text())
    assert {goal["status"] for goal in result["goals"] if goal["line"] == 1} <= {"open"}


def test_a_machine_without_the_linker_files_of_the_data_model(tmp_path: Path) -> None:
    """What can be compiled and proven for 32 bits is; but no test can be executed, and that is no success."""
    fake = tmp_path / "bin" / "gcc"
    fake.parent.mkdir()
    links = 'case "$* " in *-m32*) case "$* " in *" -c "*|*" -E "*|*" -fsyntax-only "*) ;; *) exit 1;; esac;; esac'
    fake.write_text(f'#!/bin/sh\n{links}\nexec {shutil.which("gcc")} "$@"\n')
    fake.chmod(0o755)
    environment = {**ENVIRONMENT, "PATH": f"{fake.parent}:{ENVIRONMENT['PATH']}"}
    name = program(tmp_path, BRANCH.replace("BODY", "x = 1;"))
    command = [*COMMAND, "test", name, "--data-model", "ILP32", "--time", "10s", "--no-cache", "--cores", "2"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "cannot compile for the data model ILP32" in ran.stderr
    assert "sudo apt-get install gcc-multilib" in ran.stderr
    result = json.loads((tmp_path / "gia-out/p.c/result.json").read_text())
    (failed,) = [step for step in result["steps"] if step["status"] == "failed"]
    assert "cannot compile" in failed["remarks"][0]  # what is wrong, not only what to do
    command = [*COMMAND, "actor", "doctor"]
    doctor = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    assert ["ILP32", "missing"] in [line.split() for line in doctor.splitlines()]
    assert ["LP64", "ready"] in [line.split() for line in doctor.splitlines()]
