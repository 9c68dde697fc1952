"""Variables that a program declares and does not define may have any value when it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.automaton.status import goal_status
from gia.cfa.types import DataModel
from gia.errors import GiaError
from gia.frontend import load
from gia.frontend.loaded import LoadedProgram
from gia.native import Missing, Outcome, Runner, compile_instrumented
from gia.verdict import GoalStatus
from tests.checker.programs import branches, verify


def read(text: str, directory: Path, entry: str = "main") -> LoadedProgram:
    (directory / "of_system.h").write_text("#pragma GCC system_header\nextern int g;\n")
    path = directory / "p.c"
    path.write_text(text)
    return load(path, data_model=DataModel.LP64, entry=entry)


def exit_code(text: str, directory: Path, inputs: list[str]) -> int | None:
    with Runner() as runner:
        execution = runner.run(compile_instrumented(read(text, directory), directory), inputs, missing=Missing.ZERO)
    assert execution.outcome is Outcome.EXITED
    return execution.exit_code


@pytest.mark.parametrize(
    ("declaration", "result", "inputs", "expected"),
    [
        ("extern int g;", "g", ["7"], 7),
        ("extern volatile unsigned char g;", "g", ["200"], 200),
        ("extern double g;", "g > 2.5", ["2.75"], 1),
        ("extern _Bool g;", "g + 1", ["1"], 2),
        ("enum colour { RED, GREEN }; extern enum colour g;", "g == GREEN", ["1"], 1),
        ("extern unsigned char g[3];", "g[1]", ["1", "2", "3"], 2),
        ("extern struct { char a; _Bool b[2]; } g;", "g.a + 2 * g.b[1]", ["5", "255", "255", "0", "1"], 7),
        ("extern int *g; int *other(void) { return g; }", "other() != 0", ["1"], 1),
        ("extern int g; int *where = &g;", "*where", ["9"], 9),
        ("static int f(void) { extern long g; return g == 77; }", "f()", ["77"], 1),
        ("extern int g; extern int g; int h;", "g + h", ["3"], 3),
        ('#include "of_system.h"', "g", ["7"], 7),
    ],
)
def test_they_are_inputs(declaration: str, result: str, inputs: list[str], expected: int, tmp_path: Path) -> None:
    text = f"{declaration}\nint main(void) {{ return {result}; }}\n"
    assert exit_code(text, tmp_path, inputs) == expected
    said = [str(found) for found in read(text, tmp_path).warnings]
    assert any("the variable g has no definition: its value is taken as an input" in one for one in said)


@pytest.mark.parametrize(
    "text",
    [
        "extern int g; int g; int main(void) { return g; }",
        '#include "of_system.h"\nint g; int main(void) { return g; }',
        "extern int g; int main(void) { return g; } int g = 0;",
        "extern int g = 0; int main(void) { return g; }",
        "extern int unused[]; extern const int constant; int main(void) { return 0; }",
        "extern int unused[]; int never(void) { return unused[1]; } int main(void) { return 0; }",
        "#include <stdio.h>\n#include <errno.h>\nint main(void) { return stdout == 0 || errno; }",
        "extern char **environ; extern int optind; int main(void) { return environ == 0 && optind == 5; }",
        "extern struct opaque o; int main(void) { return &o == 0; }",
    ],
)
def test_what_is_defined_or_unused_or_of_the_library_is_no_input(text: str, tmp_path: Path) -> None:
    assert not any(name.startswith("__VERIFIER") for name in read(text, tmp_path).program.externals)
    assert exit_code(text, tmp_path, []) == 0


@pytest.mark.parametrize(
    ("declaration", "call", "inputs", "expected"),
    [
        ("struct s { int a; char b[2]; }; struct s get(void);", "get().a + get().b[1]", ["1", *"23456"], 7),
        ("typedef struct { unsigned char a : 4; _Bool b; } s; s get();", "get(1).a + get(2).b * 100", ["19", "1"], 3),
        (
            "struct s { double d; struct { long l; } in; }; struct s get(int x);",
            "get(3).d > 1 ? 4 : 5",
            ["1.5", "2"],
            4,
        ),
        ("union u { char c; int i; }; union u get(void);", "get().c", ["258"], 2),
        ("struct s { int *p; void (*f)(void); }; struct s get(void);", "get().p || get().f", ["0"] * 4, 0),
        ("int change(int *v);", "change(&v) + v", ["6"], 6),
        ("double change(int *);", "change(&v) > 2.25", ["2.5"], 1),
        ("int *change(int v[]);", "change(&v) == 0", ["0"], 1),
        ("int change();", "change(&v) + change(2, &v, 1.5) + v", ["6", "4"], 10),
        ("", "change(1.5, &v) + v", ["6"], 6),
        ("", "({ int change(int *); change(&v) + v; })", ["6"], 6),
    ],
)
def test_results_of_functions_without_a_body_are_inputs(
    declaration: str, call: str, inputs: list[str], expected: int, tmp_path: Path
) -> None:
    text = f"{declaration}\nint main(void) {{ int v = 0; return {call}; }}\n"
    assert exit_code(text, tmp_path, inputs) == expected
    said = list({warning.message for warning in read(text, tmp_path).warnings})
    assert len(said) == 1 and said[0].split()[2] in ("get", "change") and " has no body: its value is taken" in said[0]
    assert (", and what its pointers lead to as unknown" in said[0]) == ("change" in call)


def test_functions_are_named_beside_variables(tmp_path: Path) -> None:
    text = "extern int g; int change(int *v); int main(void) { int v = 0; return change(&v) + v + g; }"
    assert exit_code(text, tmp_path, ["4", "3"]) == 7
    assert [warning.message.split(" has no ")[0] for warning in read(text, tmp_path).warnings] == [
        "the variable g",
        "the function change",
    ]


def test_what_functions_without_a_result_may_do_is_said(tmp_path: Path) -> None:
    text = "void idle(int), fill(char *); int main(void) { char c = 0; idle(1); fill(&c); return c; }"
    assert [warning.message for warning in read(text, tmp_path).warnings] == [
        "the function idle has no body: it is taken to change nothing",
        "the function fill has no body: it is taken to change nothing but what its pointers lead to",
    ]


@pytest.mark.parametrize("in_block", [False, True])
@pytest.mark.parametrize("declaration", ["void end(const char *)", "int end(int *)", "_Noreturn void end()"])
def test_a_run_ends_where_a_function_is_called_that_never_returns(
    declaration: str, in_block: bool, tmp_path: Path
) -> None:
    declared = declaration + (";" if "_Noreturn" in declaration else " __attribute__((noreturn));")
    outside, inside = ("", declared) if in_block else (declared, "")
    text = f"{outside} int main(void) {{ {inside} int v = 0; if (!v) end((void *)&v); return v + 3; }}"
    loaded = read(text, tmp_path)
    with Runner() as runner:
        execution = runner.run(compile_instrumented(loaded, tmp_path), [], missing=Missing.ZERO)
    assert execution.outcome is Outcome.UNDEFINED_FUNCTION
    assert loaded.program.externals["end"].never_returns and not loaded.program.externals["end"].is_input


def test_a_struct_that_has_no_input_is_not_modelled(tmp_path: Path) -> None:
    text = "struct s { long double d; }; struct s get(void); int main(void) { return get().d > 1; }"
    assert "an input of type struct s: not modelled" in read(text, tmp_path).warnings[0].message


@pytest.mark.parametrize("model", DataModel)
@pytest.mark.parametrize(
    "declaration",
    ["extern int g[];", "extern const int f[], g [ ] ; extern int const g[];", "extern char *g[][3], h;"],
)
def test_an_array_of_unknown_length_may_be_anywhere(declaration: str, model: DataModel, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"""extern int __VERIFIER_nondet_int(void);
{declaration}
int main(void) {{
  int x = __VERIFIER_nondet_int();
  if (g == 0) return 1;
  if (x == 5 && g[1000000]) return 2;
  return 3;
}}""")
    loaded = load(path, data_model=model)
    goals = branches(loaded)
    status = goal_status(loaded.program, verify(loaded, goals, tmp_path), goals)
    assert [name for name, found in status.items() if found is GoalStatus.UNREACHABLE] == ["main:5:3:then"]
    with Runner() as runner:
        program = compile_instrumented(loaded, tmp_path)
        assert runner.run(program, [], missing=Missing.ZERO).exit_code == 3
    assert any("the array g has neither a definition nor a length" in str(found) for found in loaded.warnings)


def test_they_are_read_once(tmp_path: Path) -> None:
    text = "extern int g; int depth;\nint main(void) { if (depth++ < 3) return main() + 1; return g; }\n"
    assert exit_code(text, tmp_path, ["10", "20", "30", "40"]) == 13


@pytest.mark.parametrize(
    ("declaration", "what", "entry"),
    [
        ("extern int g[]; long at = (long)g;", "g, an array of unknown length that is declared only", "main"),
        ("extern int g[]; int (*f(void))[] { return &g; }", "g, an array of unknown", "main"),
        ("extern int g[]; __typeof__(g) *at;", "g, an array of unknown length that is declared only", "main"),
        ("extern int g[]; int f(void) { extern int g[]; return 1; }", "g, an array of unknown", "main"),
        ("typedef int row[]; extern row g;", "g, an array of unknown length that is declared only", "main"),
        ('#include "constant_of_system.h"', "g, a constant that is declared only", "main"),
        ('#include "constant_of_system.h"', "g, a constant that is declared only", "unit"),
    ],
)
def test_what_cannot_be_an_input_is_refused_where_it_is_used(
    declaration: str, what: str, entry: str, tmp_path: Path
) -> None:
    (tmp_path / "constant_of_system.h").write_text("#pragma GCC system_header\nextern const int g;\n")
    text = f"{declaration}\nint unit(void) {{ return g ? 1 : 2; }} int main(void) {{ return unit(); }}\n"
    with pytest.raises(GiaError, match=what) as caught:
        read(text, tmp_path, entry)
    assert caught.value.position is not None and caught.value.position.line in (1, 2)
    assert caught.value.exit_status == 1


@pytest.mark.parametrize(
    ("declaration", "result", "inputs", "expected"),
    [
        ("extern const int g;", "g", ["7"], 7),
        ("extern unsigned char const g[3];", "g[1]", ["1", "2", "3"], 2),
        ("extern const int f, g; extern int const g;", "g", ["7"], 7),
        ("int f(const int *); int f(const int *p) { return *p; }\nextern const int g;", "f(&g)", ["7"], 7),
        ("int f(const int *); int f(const int *p) { extern const int g; return g; }", "f(0)", ["7"], 7),
        ("typedef const struct { int b : 5; } row[1]; extern row g;", "g[0].b", ["7", *"0000"], 7),
        ("typedef const int constant; extern constant g; const constant h = 4;", "g + h", ["7"], 11),
        ("extern const _Bool g; const int *const where = (const int *)&g;", "g + (where == 0)", ["7"], 1),
        (
            "struct t { const _Bool b; const struct { int v; } in; }; extern struct t g;",
            "g.b",
            ["9", *"0000000", "1"],
            1,
        ),
    ],
)
def test_they_may_be_constants(declaration: str, result: str, inputs: list[str], expected: int, tmp_path: Path) -> None:
    text = f"{declaration}\nint unit(void) {{ return {result}; }} int main(void) {{ return unit(); }}\n"
    assert exit_code(text, tmp_path, inputs) == expected
    compile_instrumented(read(text, tmp_path, "unit"), tmp_path)


def test_constants_stay_constant_where_types_are_compared(tmp_path: Path) -> None:
    text = "extern const int g; int main(void) { return _Generic(7, int: 1, int *: 2) + g; }"
    with pytest.raises(GiaError, match="g, a constant that is declared only"):
        read(text, tmp_path)


def test_a_pointer_to_constants_is_no_constant(tmp_path: Path) -> None:
    text = "extern const char *g; int main(void) { return g ? 1 : 0; }"
    assert exit_code(text, tmp_path, ["1"]) == 1
