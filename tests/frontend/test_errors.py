"""Bad input ends in one clear error with a position."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.operations import Assign, Input
from gia.cfa.types import DataModel
from gia.errors import GiaError, InputError, ToolError
from gia.frontend import load
from gia.toolchain import Compiler, find_compiler
from tests.frontend.support import decisions, load_text


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.c", data_model=DataModel.LP64)


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="directory"):
        load(tmp_path, data_model=DataModel.LP64)


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_an_empty_file(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        load_text(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("int main(void) { return 0 }\n", 1, 26, "expected"),
        ("\nhello world\n", 2, 1, "unknown type name"),
        ('#include "missing.h"\nint main(void) { return 0; }\n', 1, 10, "missing.h"),
        ("int main(void) {\n  return undeclared;\n}\n", 2, 10, "undeclared"),
    ],
)
def test_what_is_not_c_is_refused_in_the_words_of_the_compiler(
    text: str, line: int, column: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load_text(text, tmp_path)
    assert caught.value.position is not None
    assert (caught.value.position.line, caught.value.position.column) == (line, column)


def test_no_main(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not define the function main") as caught:
        load_text("int g(void) { return 1; }\nint f(int x) { return x; }\n", tmp_path)
    assert caught.value.hint is not None and caught.value.hint.endswith("f, g")


def test_no_more_than_some_functions_are_offered(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_text("".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(100, 200)), tmp_path)
    assert caught.value.hint is not None and caught.value.hint.endswith(", f110, f111 and 88 more")


def test_functions_of_models_are_not_offered_as_entries(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_text('#include <stdio.h>\nint f(void) { int x = 0; scanf("%d", &x); return x; }\n', tmp_path)
    assert caught.value.hint is not None and caught.value.hint.endswith("defines: f")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("int main(void) { int i = 1; int inner(int k) { return k + i; } return inner(2); }", 46),
        ("#include <complex.h>\nint main(void) { double complex z = 1; return creal(z); }", 33),
    ],
)
def test_c_that_is_not_supported_is_an_error_with_a_position(text: str, column: int, tmp_path: Path) -> None:
    with pytest.raises(GiaError, match="not supported") as caught:
        load_text(text, tmp_path)
    assert caught.value.exit_status == 1
    assert caught.value.position is not None and caught.value.position.column == column


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.c"
    path.write_bytes(b'int main(void) { char *s = "\xe9"; // \xe9\n if (*s == -23) return 1; return 0; }\n')
    loaded = load(path, data_model=DataModel.LP64)
    assert decisions(loaded) == ["2:2:assume:then", "2:2:assume:else"]
    assert '"\\351"' in loaded.source.text


def test_line_ends_of_other_systems_and_odd_names(tmp_path: Path) -> None:
    path = tmp_path / "-x a.c"
    path.write_bytes(b"\xef\xbb\xbfint main(void) {\r\n  int x = 3;\r\n  if (x > 2)\r\n    return 1;\r\n}\r\n")
    assert decisions(load(path, data_model=DataModel.LP64)) == ["3:3:assume:then", "3:3:assume:else"]


def test_a_unit_without_main_gets_inputs_for_its_parameters(tmp_path: Path) -> None:
    text = """
typedef struct { int a; short b[2]; int *next; } T;
extern int level;
static int check(T *t, double d, unsigned char c) { if (t->a > level && d < c) return t->b[1]; return 0; }
int main(void) { return check(0, 1, 2); }
"""
    loaded = load_text(text, tmp_path, entry="check")
    inputs = [e.operation.function for e in loaded.program.edge_list if isinstance(e.operation, Input)]
    assert [name.removeprefix("__VERIFIER_nondet_") for name in inputs] == [
        *("int", "int", "short", "short"),  # level, then a and b of the object
        *("int",) * 8,  # what next points to
        "uchar",  # whether it does
        *("uchar", "double", "uchar"),  # whether t points to the object; the other parameters
    ]
    assert loaded.program.entry == "main" and "return check(0, 1, 2)" not in loaded.source.text


def test_a_unit_with_parameters_that_cannot_be_inputs(tmp_path: Path) -> None:
    with pytest.raises(GiaError, match="parameter 2 of f has a type that cannot be an input"):
        load_text("int f(int b, struct { int a; } c) { return b; }", tmp_path, entry="f")


def test_globals_of_a_unit_are_inputs_unless_they_have_a_value_or_are_not_used(tmp_path: Path) -> None:
    text = """
int limit, other, large[1000];
static short counts[2];
int table[2] = {1, 2};
static int deeper(int i) { return counts[i & 1] + table[0] + large[i & 7]; }
int f(int i) { if (limit > deeper(i)) return 1; return 0; }
"""
    loaded = load_text(text, tmp_path, entry="f")
    inputs = [e.operation.function for e in loaded.program.edge_list if isinstance(e.operation, Input)]
    assert [name.removeprefix("__VERIFIER_nondet_") for name in inputs] == ["int", "short", "short", "int"]


def test_an_entry_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not define the function g"):
        load_text("int main(void) { return 0; }", tmp_path, entry="g")


def test_headers_of_a_data_model_that_are_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_compiler().path
    fake = tmp_path / "gcc"
    missing = "/usr/include/stdint.h:26:10: fatal error: bits/libc-header-start.h: No such file or directory"
    fake.write_text(f'#!/bin/sh\ncase "$*" in *-m32*) echo "{missing}" >&2; exit 1;; esac\nexec {real} "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setattr("gia.frontend.preprocess.find_compiler", lambda: Compiler(str(fake), "fake"))
    path = tmp_path / "p.c"
    path.write_text("#include <stdint.h>\nint main(void) { return 0; }\n")
    with pytest.raises(ToolError) as caught:
        load(path, data_model=DataModel.ILP32)
    assert caught.value.hint == "sudo apt-get install gcc-multilib"
    path.write_text('#include "nowhere.h"\nint main(void) { return 0; }\n')
    with pytest.raises(InputError, match="nowhere"):
        load(path, data_model=DataModel.LP64)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("typedef int v __attribute__((vector_size(16))); int main(void) { return sizeof(v); }", 73, "vector_size"),
        ("int main(void) { float q __attribute__((__vector_size__(16))); return sizeof q; }", 41, "vector_size"),
        ("int f(int b __attribute__((mode(QI)))) { return b; } int main(void) { return f(1); }", 28, "mode"),
        ("struct __attribute__((ms_struct)) s { char a:3; int b:3; }; int main(void) { return 0; }", 23, "ms_struct"),
        ("void f(int *p); int main(void) { int x __attribute__((cleanup(f))) = 3; return x; }", 55, "cleanup"),
        (
            'int f(void); int g(void) __attribute__((alias("f"))); int f(void) { return 3; } int main(void) '
            "{ return g(); }",
            105,
            "alias",
        ),
        ("int f(void) __attribute__((weak)); int main(void) { return f ? 1 : 0; }", 60, "weak"),
        ('int v = 3; extern int w __asm__("v"); int main(void) { return w; }', 63, "w as another name of v"),
        ('int f(void) { return 1; } int g(void) __asm__("f"); int main(void) { return g(); }', 77, "another name of f"),
        ("int *f(_Float128 x); int main(void) { return f != 0; }", 46, "_Float128"),
        (
            "int g(int n, int a[n++]) { return n; } int main(void) { int b[3]; return g(3, b); }",
            5,
            "side effect in the size",
        ),
        ("int f(int n, int (**a)[n]) { return 0; } int main(void) { return 0; }", 5, "arrays of variable length"),
        ("int main(int n, char **v) { typedef int row[n]; row r; r[0] = 1; return r[0]; }", 53, "type with a name"),
        ("int x; int main(void) { return __alignof__(x); }", 32, "alignment of an expression"),
        ("typedef long less __attribute__((aligned(2))); int main(void) { return sizeof(less); }", 72, "less aligned"),
    ],
)
def test_what_changes_the_meaning_of_a_name_is_not_ignored(
    text: str, column: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(GiaError, match=f"this C is not supported: .*{message}") as caught:
        load_text(text, tmp_path)
    assert caught.value.position is not None
    assert caught.value.position.column == column


def test_pragmas_that_change_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(GiaError, match="#pragma weak") as caught:
        load_text("#pragma weak f\nint f(void);\nint main(void) { return f ? 1 : 0; }", tmp_path)
    assert caught.value.position is not None and caught.value.position.file.endswith(".c")


def test_pragmas_of_other_tools_may_stand_between_any_two_tokens(tmp_path: Path) -> None:
    text = """void _Pragma("entrypoint") f(int x) {
#pragma
  for (int i = 0; _Pragma("loopbound min 0 max 9") i < x; i++)
#pragma unroll 4
    x +=
#pragma \f note
      1;
}
int main(void) { f(2); return 0; }"""
    loaded = load_text(text, tmp_path)
    assert {
        (edge.reference.line, edge.reference.branch) for edge in loaded.program.edge_list if edge.reference.branch
    } == {
        (3, "then"),
        (3, "else"),
    }


def test_unknown_types_and_attributes_do_no_harm_where_nobody_uses_them(tmp_path: Path) -> None:
    text = """typedef float quad __attribute__((vector_size(16)));
extern _Float128 wide(_Float128); extern quad four; extern double _Complex z; int w(void) __attribute__((weak));
__attribute__((weak)) int defined(void) { return 1; }
__attribute__((unused, noinline, cold, section(".text.x"))) static int odd(int x) { return x; }
int main(void) { return defined() + odd(2); }"""
    assert load_text(text, tmp_path).program.functions.keys() >= {"main", "odd", "defined"}


def test_attributes_that_the_compiler_does_not_know_are_ignored(tmp_path: Path) -> None:
    text = """struct __attribute__((for_some_analyser(1))) s { int a __attribute__((__of_another_compiler__)); };
__attribute__((for_some_analyser("x"))) int f(struct s s) { return s.a; }
int main(void) { struct s local __attribute__((of_another_compiler)) = { 3 }; return f(local); }"""
    assert "f" in load_text(text, tmp_path).program.functions


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("__builtin_constant_p(7)", False),
        ('__builtin_constant_p("text")', True),
        ("__builtin_constant_p(x++)", True),
        ("__builtin_object_size(&x, 0)", True),
    ],
)
def test_what_the_optimiser_decides_is_unknown(expression: str, unknown: bool, tmp_path: Path) -> None:
    loaded = load_text(f"int main(void) {{ int x = 1; if ({expression}) return x; return 0; }}", tmp_path)
    remarks = [remark for remark in loaded.warnings if "depends on the optimisation" in remark.message]
    assert len(remarks) == int(unknown)
    steps = [edge.text for edge in loaded.program.edges() if isinstance(edge.operation, Assign)]
    assert not any("x++" in step for step in steps)
