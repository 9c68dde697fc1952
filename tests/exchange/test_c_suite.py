"""A suite as one C file: compiled by gcc alone, each test does what the execution did from which it comes."""

import subprocess
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.exchange.suites.c_suite import c_suite
from gia.exchange.suites.testcase import TestCase
from gia.frontend import load
from gia.native import Runner, compile_instrumented
from gia.toolchain import data_model_options

TYPED = r"""
#include <stdio.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void); extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void); extern long long __VERIFIER_nondet_longlong(void);
extern void *__VERIFIER_nondet_pointer(void); extern void __VERIFIER_assume(int); extern void reach_error(void);
int main(void)
{
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(i != 7);
    if (i == 8) reach_error();
    if (i == 9) abort();
    unsigned char c = __VERIFIER_nondet_uchar(); _Bool b = __VERIFIER_nondet_bool();
    float f = __VERIFIER_nondet_float(); double d = __VERIFIER_nondet_double();
    long long w = __VERIFIER_nondet_longlong(); void *p = __VERIFIER_nondet_pointer();
    printf("%d %d %d %a %a %lld %d", i, c, b, f, d, w, p == 0);
    return i & 127;
}
"""


@pytest.mark.parametrize("model", list(DataModel))
def test_the_tests_of_a_c_file_do_what_was_executed(model: DataModel, tmp_path: Path) -> None:
    path = tmp_path / "typed.c"
    path.write_text(TYPED)
    loaded = load(path, data_model=model)
    wanted = [
        ["7"],
        ["8"],
        ["9"],
        ["-3", "200", "1", "0.1", "-1e300", "-5", "0"],
        ["1", "2", "0", "inf", "nan", "1", "4"],
    ]
    with Runner() as runner:
        built = compile_instrumented(loaded, tmp_path)
        executions = [runner.run(built, values) for values in wanted]
    cases = [TestCase.of(execution.inputs) for execution in executions]
    text = c_suite(loaded.program, loaded.source.text, cases, [["main:1:1:then"]] * 5, "suite.c")
    (tmp_path / "suite.c").write_text(text)
    command = ["gcc", "-w", "-fwrapv", *data_model_options(model), "suite.c", "-o", "suite", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([tmp_path / "suite", *arguments], capture_output=True, text=True, timeout=20, check=False)

    for number, execution in enumerate(executions[3:], start=4):
        alone = run(str(number))
        assert alone.stdout == execution.output.decode()
        assert alone.returncode == execution.exit_code
    together = run().stdout
    assert "an assumption does not hold\ntest 1: exit status 0" in together
    assert "reach_error is called\ntest 2" in together
    assert "test 3: killed by signal 6" in together
    assert "test 4: exit status 125" in together


def test_a_suite_without_tests_compiles(tmp_path: Path) -> None:
    path = tmp_path / "none.c"
    path.write_text("int main(void) { return 0; }")
    loaded = load(path, data_model=DataModel.LP64)
    (tmp_path / "suite.c").write_text(c_suite(loaded.program, loaded.source.text, [], [], "suite.c"))
    subprocess.run(["gcc", "-w", "suite.c", "-o", "suite"], cwd=tmp_path, check=True, timeout=60)
    assert subprocess.run([tmp_path / "suite"], capture_output=True, check=False, timeout=20).returncode == 0


@pytest.mark.parametrize(
    "main",
    [
        "int main(void) { return 3; }",
        "int main() { return 3; }",
        "int main(int n, char **v) { return n + 2 * (v[0] != 0); }",
        "int main(int n, char *const v[], char **e) { return n + 2 * (v[n] == 0) + 0 * (e == 0); }",
        "extern void exit(int) __attribute__((noreturn));\nvoid main(void) { exit(3); }",
    ],
)
def test_a_suite_calls_main_as_it_is_defined_and_compiles_without_warnings(main: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(main)
    loaded = load(path, data_model=DataModel.LP64)
    test = TestCase((("int", "1"),) if "int n" in main else ())  # the number of arguments
    (tmp_path / "suite.c").write_text(c_suite(loaded.program, loaded.source.text, [test], [[]], "suite.c"))
    warnings = ["-Wall", "-Wextra", "-Werror", *(["-Wno-main"] if "void main" in main else [])]
    subprocess.run(["gcc", *warnings, "suite.c", "-o", "suite"], cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "suite"], capture_output=True, text=True, check=False, timeout=20)
    assert done.stdout == "test 1: exit status 3\n"


def test_a_test_that_does_not_end_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "endless.c"
    path.write_text("int main(void) { for (;;) ; }")
    loaded = load(path, data_model=DataModel.LP64)
    text = c_suite(loaded.program, loaded.source.text, [TestCase(())] * 2, [[], []], "suite.c")
    assert text.count("gia_alarm(10)") == 1
    (tmp_path / "suite.c").write_text(text.replace("gia_alarm(10)", "gia_alarm(1)"))
    subprocess.run(["gcc", "-w", "suite.c", "-o", "suite"], cwd=tmp_path, check=True, timeout=60)
    done = subprocess.run([tmp_path / "suite"], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "".join(f"test {number}: not at its end after 10 seconds\n" for number in (1, 2))


def test_messages_of_the_compiler_name_the_place_in_the_suite(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("int main(void) {\n\n return 0; }\n")
    loaded = load(path, data_model=DataModel.LP64)
    lines = c_suite(loaded.program, loaded.source.text, [], [], 'a"b.c').split("\n")
    place = next(number for number, line in enumerate(lines, 1) if line.startswith("#line"))
    assert lines[place - 1] == f'#line {place + 1} "a\\"b.c"'


def test_a_test_ends_where_a_function_without_a_body_is_called_that_never_returns(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        "extern int __VERIFIER_nondet_int(void); int give_up(const char *) __attribute__((noreturn));\n"
        'int main(void) { int x = __VERIFIER_nondet_int(); if (x == 1) give_up("x"); return x + 3; }\n'
    )
    loaded = load(path, data_model=DataModel.LP64)
    with Runner() as runner:
        built = compile_instrumented(loaded, tmp_path)
        cases = [TestCase.of(runner.run(built, [value]).inputs) for value in "12"]
    (tmp_path / "s.c").write_text(c_suite(loaded.program, loaded.source.text, cases, [["main:2:1:then"]] * 2, "s.c"))
    subprocess.run(["gcc", "-w", "-O2", "s.c", "-o", "s"], cwd=tmp_path, check=True, timeout=60)
    ran = subprocess.run([tmp_path / "s"], capture_output=True, text=True, timeout=20, check=False)
    assert ran.stdout == "give_up is called\ntest 1: exit status 0\ntest 2: exit status 5\n"
