"""One function alone: what its parameters point to, and what they say about each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.operations import Assume, Input
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.frontend.loaded import LoadedProgram
from gia.native import Missing, Outcome, Runner, compile_instrumented

NEW, SECOND, THIRD = "0", "1", "2"
"""What a pointer is read from: the new object or function comes first, nothing behind it."""


def loaded(text: str, directory: Path, model: DataModel = DataModel.LP64) -> LoadedProgram:
    path = directory / "unit.c"
    path.write_text(f"#include <stddef.h>\n#include <stdlib.h>\n{text}\n")
    return load(path, data_model=model, entry="f")


def exit_code(text: str, directory: Path, inputs: list[str], model: DataModel = DataModel.LP64) -> int | None:
    """What the unit, which ends by ``exit``, ends with."""
    with Runner() as runner:
        compiled = compile_instrumented(loaded(text, directory, model), directory)
        execution = runner.run(compiled, inputs, missing=Missing.ZERO)
    assert execution.outcome is Outcome.EXITED
    return execution.exit_code


def inputs_of(text: str, directory: Path) -> list[str]:
    edges = loaded(text, directory).program.edge_list
    return [e.operation.function.removeprefix("__VERIFIER_nondet_") for e in edges if isinstance(e.operation, Input)]


LETTERS = ["97"] * 23


@pytest.mark.parametrize(
    ("unit", "inputs", "expected"),
    [
        ("void f(const char *s) { int n = 0; while (s[n]) n++; exit(n); }", LETTERS, 23),
        ("void f(const char *s) { exit(s == 0); }", [*LETTERS, SECOND], 1),
        ("void f(unsigned char *s) { s[65535] = 3; exit(s[65535] + (s[22] == 97)); }", LETTERS, 4),
        ("void f(int *a) { exit(a[0] + a[7] + a[8] + a[65535]); }", ["3", *"000000", "4", NEW], 7),
        ("void f(void *p) { exit(((char *)p)[22]); }", LETTERS, 97),
        ("void f(int *a, int *b) { exit(a == b); }", [*"00000000", NEW, *"00000000", THIRD], 1),
    ],
)
def test_new_arrays_begin_with_inputs_and_go_on_with_zeros(
    unit: str, inputs: list[str], expected: int, tmp_path: Path
) -> None:
    assert exit_code(unit, tmp_path, inputs) == expected


@pytest.mark.parametrize(
    ("unit", "inputs", "expected"),
    [
        ("void f(const char *s, size_t n) { exit(n == 65535 && !s[n]); }", [*LETTERS, NEW, "65535"], 1),
        ("void f(int n, double *a) { exit(a ? -n : 0); }", ["-5"], 5),
        ("void f(char *s, unsigned char len) { exit(len); }", [*LETTERS, NEW, "255"], 255),
        ("void f(char *s, size_t *len) { exit(*len == 7); }", [*LETTERS, NEW, "7", NEW], 1),
        ("struct t { int a; }; void f(struct t *t, int num_t) { exit(num_t); }", ["1", "2", "3", NEW, "18"], 1),
        ("struct t { int a; }; void f(struct t *t, int num_t) { exit(t[2].a + t[15].a); }", ["1", "2", "3", NEW], 3),
        ("struct t { int a; }; void f(struct t *all, int allSize) { exit(allSize); }", ["1", "2", "3", NEW, "18"], 1),
        ("void f(int **rows, int size) { exit(size + rows[2][7]); }", [*([*"00000005", NEW] * 3), NEW, "18"], 6),
        ("void f(char **line, size_t *size) { exit(*size == 70000); }", [*LETTERS, NEW, NEW, "70000"], 1),
        ("struct t { char b[10]; int used; }; void f(struct t t) { exit(t.used); }", [*"0000000000", "10"], 10),
        ("struct t { char b[10]; int used; }; void f(struct t t) { exit(t.used); }", [*"0000000000", "255"], 2),
        ("struct t { char *b; size_t used; }; void f(struct t t) { exit(t.used); }", [*LETTERS, NEW, "99"], 99),
        ("void f(const char *start, const char *end) { exit(end - start + start[22]); }", [*LETTERS, NEW, "44"], 141),
        ("void f(const char *s, const char *end) { exit(end - s); }", [*LETTERS, NEW, "44"], 44),
        ("void f(const char *s, const char *end) { exit(!s && !end); }", [*LETTERS, SECOND, "44"], 1),
    ],
)
def test_lengths_and_ends_agree_with_what_stands_beside(
    unit: str, inputs: list[str], expected: int, tmp_path: Path
) -> None:
    assert exit_code(unit, tmp_path, inputs) == expected


@pytest.mark.parametrize("name", ["n", "len", "srcSize", "bufLen", "buf_size", "nbytes", "dstCapacity", "offset", "i"])
def test_names_that_say_a_length(name: str, tmp_path: Path) -> None:
    assert inputs_of(f"void f(char *s, long {name}) {{ exit({name} > 0); }}", tmp_path)[-1] == "short"


@pytest.mark.parametrize("name", ["c", "flags", "key", "height", "x"])
def test_names_that_do_not(name: str, tmp_path: Path) -> None:
    assert inputs_of(f"void f(char *s, long {name}) {{ exit({name} > 0); }}", tmp_path)[-1] == "long"


def test_a_length_beside_no_array_is_a_number(tmp_path: Path) -> None:
    assert inputs_of("struct t { int a; }; void f(struct t *t, long len) { exit(len > 0); }", tmp_path)[-1] == "long"


@pytest.mark.parametrize(
    ("unit", "inputs", "expected"),
    [
        ("void f(int (*g)(void)) { exit(g()); }", [NEW, "42"], 42),
        ("void f(int (*g)(void)) { exit(g == 0); }", [SECOND], 1),
        ("void f(char *(*g)(int)) { exit(g(1)[0]); }", [NEW, *LETTERS, NEW], 97),
        ("struct t { int a; }; void f(struct t (*g)(void)) { exit(g().a); }", [NEW, "7"], 7),
        (
            "void f(void *(*g)(void *, unsigned, int)) { char *p = g(0, 70000, 3); p[209999] = 4; exit(p[209999]); }",
            [NEW, NEW],
            4,
        ),
        ("void f(void *(*g)(size_t)) { exit(g(8) == 0); }", [NEW, SECOND], 1),
        ("char *g(const char *, int); void f(void) { exit(g(0, 1)[1]); }", LETTERS, 97),
        ("void *g(size_t n); void f(void) { char *p = g(9); p[8] = 5; exit(p[8]); }", [NEW], 5),
        ("struct o *g(void); void f(void) { exit(g() != 0); }", [NEW], 1),
        (
            "struct o { struct o *(*g)(struct o *); int a; }; void f(struct o *o) { exit(o->g(o)->a); }",
            [*"0000", "6"],
            6,
        ),
        ("struct o; void f(struct o *o) { exit(o != 0); }", [NEW], 1),
        ("struct t { int n; char rest[]; }; void f(struct t *t) { exit(t->rest[65000]); }", ["1"], 0),
        ("#include <stdio.h>\nvoid f(FILE *g) { exit(fgetc(g)); }", [NEW, "113"], 113),
        ("#include <stdio.h>\nvoid f(FILE *g) { exit(g == 0); }", [SECOND], 1),
        ("struct t { int a[5000]; int b; }; void f(struct t *t) { exit(t->a[31] + t->a[32] + t->b); }", ["1"] * 33, 2),
        (
            "struct big { int a; int b[400]; }; extern struct big g; void f(void) { exit(g.a + g.b[31]); }",
            ["1"] * 40,
            2,
        ),
        ("char b[40], c[400]; int used; void f(void) { exit(b[31] + b[32] + c[0]); }", ["1"] * 40, 1),
    ],
)
def test_functions_and_other_things_that_pointers_lead_to(
    unit: str, inputs: list[str], expected: int, tmp_path: Path
) -> None:
    assert exit_code(unit, tmp_path, inputs) == expected


@pytest.mark.parametrize("model", list(DataModel))
def test_a_list_of_variable_arguments(model: DataModel, tmp_path: Path) -> None:
    unit = "#include <stdarg.h>\nvoid f(va_list l) { int a = va_arg(l, int); exit(10 * a + va_arg(l, int)); }"
    one_by_one = ["4", *"000", "2", *"000"] if model is DataModel.ILP32 else ["4", "2"]
    assert exit_code(unit, tmp_path, one_by_one, model) == 42


def test_what_other_files_return_is_not_made_here_if_the_library_has_it(tmp_path: Path) -> None:
    text = "#include <pwd.h>\n#include <string.h>\nvoid f(const char *s) { exit(getpwnam(s) && strchr(s, 1)); }"
    assert "getpwnam" not in loaded(text, tmp_path).source.text.split('"<library>"')[1]


@pytest.mark.parametrize(
    ("function", "body", "inputs", "expected"),
    [
        ("int get(int *v)", "int v = 1, r = get(&v); exit(10 * r + v);", ["7", "2"], 27),
        ("int get(int *v)", "exit(get(0));", ["3"], 3),
        ("int get(float *result)", "float x; int r = get(&x); exit(10 * r + x);", ["7", "2"], 27),
        ("void get(int id, short *v, double *w)", "short v; double w; get(1, &v, &w); exit(v + w);", ["7", "2"], 9),
        (
            "_Bool get(unsigned v[2], _Bool *w)",
            "unsigned v[1]; _Bool w; exit(get(v, &w) + *v + w);",
            ["9", "1", "1"],
            11,
        ),
        ("int *get(long *v)", "long v; int *p = get(&v); exit(v + p[7]);", ["5", *"0000000", "4", NEW], 9),
        ("struct t { int a; }; struct t get(int *v)", "int v; exit(get(&v).a - v);", ["5", "9"], 4),
        ("enum e { A, B, C }; void get(enum e *v)", "enum e v; get(&v); exit(v == C);", ["2"], 1),
        ("int read_it(void *to, size_t size)", "char c[] = {9, 9}; read_it(c, 1); exit(c[0] + c[1]);", ["2", "0"], 11),
        ("int receive(char *to, int len)", "char c = 9; exit(receive(&c, -1) + c);", ["3"], 12),
        ("int sample(int *to, int n)", "int a[9] = {0}; exit(sample(a, 9) + a[7] + a[8]);", [*"0000000", "2", "4"], 6),
        (
            "int readAll(char *to, size_t n)",
            "c[1024] = 5; readAll(c, 2000); exit(c[1023] + c[1024]);",
            ["0"] * 1023 + ["3"],
            8,
        ),
        ("int read_it(char *to, size_t n)", "exit(read_it(0, 5));", ["3"], 3),
    ],
)
def test_functions_without_a_body_write_what_is_read(
    function: str, body: str, inputs: list[str], expected: int, tmp_path: Path
) -> None:
    unit = f"{function}; static char c[2000]; void f(void) {{ {body} }}"
    assert exit_code(unit, tmp_path, inputs) == expected


@pytest.mark.parametrize(
    "unit",
    [
        "int get(const int *v); void f(void) { exit(get(0)); }",
        "typedef const int constant; int get(constant *v); void f(void) { exit(get(0)); }",
        "typedef int *number; int get(number const v, const number w); void f(void) { exit(get(0, 0)); }",
        "int read_it(char *to); void f(void) { exit(read_it(0)); }",
        "int close_it(void *state, size_t size); void f(void) { exit(close_it(0, 1)); }",
        "int read_at(void *state, unsigned position); void f(void) { exit(read_at(0, 1)); }",
        "int read_it(char *to, size_t *size); void f(void) { exit(read_it(0, 0)); }",
        "struct t { int a; }; int get(struct t *t, int **p); void f(void) { exit(get(0, 0)); }",
        "int get(); void f(void) { int v; exit(get(&v)); }",
    ],
)
def test_other_functions_without_a_body_write_nothing(unit: str, tmp_path: Path) -> None:
    assert inputs_of(unit, tmp_path) in (["get"], ["read_it"], ["close_it"], ["read_at"])


def test_what_functions_without_a_body_decide_is_no_goal(tmp_path: Path) -> None:
    text = "int read_it(char *to, int *v, size_t n); int f(void) { char c; int v; return read_it(&c, &v, 1) > v; }"
    goals = goals_of(loaded(text, tmp_path).program, Criterion.ATOMIC)
    assert {goal.function for goal in goals} <= {"f"}


def test_a_function_whose_result_is_its_only_effect_is_called(tmp_path: Path) -> None:
    text = "__attribute__((pure)) int f(int x) { if (x == 5) return 1; return 0; }"
    program = loaded(text, tmp_path)
    with Runner() as runner:
        execution = runner.run(compile_instrumented(program, tmp_path), ["5"], missing=Missing.ZERO)
    decided = {e.number for e in program.program.functions["f"].edges if isinstance(e.operation, Assume)}
    assert decided & execution.covered_edges


@pytest.mark.parametrize(("result", "said"), [("0", False), ("other()", True)])
def test_nothing_is_said_about_functions_that_no_execution_comes_to(result: str, said: bool, tmp_path: Path) -> None:
    other = "#include <unistd.h>\nint other(void) { char c; return read(3, &c, 1); }"
    text = f"{other}\nint f(void) {{ return {result}; }}"
    warnings = [warning.message for warning in loaded(text, tmp_path).warnings]
    assert any("read reads is no input" in warning for warning in warnings) == said


@pytest.mark.parametrize(
    ("unit", "inputs", "expected"),
    [
        ("struct s { const int a; int *const p; }; void f(struct s *s) { exit(s->a + s->p[0]); }", ["3", "4"], 7),
        ("extern const unsigned char t[][2]; void f(void) { exit(t[1][0] + t[15][1]); }", ["1", "2", "3"], 3),
        ("extern const char t[]; void f(void) { exit(t[31] + t[65535]); }", ["0"] * 31 + ["5"], 5),
        ("extern struct { const int v; } t[]; void f(void) { exit(t[2].v); }", ["3", "4", "5"], 5),
    ],
)
def test_constants_and_arrays_of_unknown_length_are_inputs(
    unit: str, inputs: list[str], expected: int, tmp_path: Path
) -> None:
    assert exit_code(unit, tmp_path, inputs) == expected
