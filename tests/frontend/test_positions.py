"""Decisions carry the position of their keyword in the original source, whatever macros and #line do."""

from __future__ import annotations

from pathlib import Path

from tests.frontend.support import decisions, load_text, shown


def test_columns_count_bytes_and_tabs_are_one(tmp_path: Path) -> None:
    loaded = load_text('int main(void) {\n\tchar *s = "é"; if (*s)\n\t\treturn *s ? 1 : 2;\n}\n', tmp_path)
    assert decisions(loaded) == ["2:18:assume:then", "2:18:assume:else", "3:13:assume:then", "3:13:assume:else"]


def test_macro_bodies_get_the_place_of_the_use_and_arguments_their_own(tmp_path: Path) -> None:
    text = """\
#define CHECK(c) do { if (c) x++; \\
    else if (x) x--; } while (0)
#define BIG (x > 3)
int main(void) {
    int x = 0;
    CHECK(x ? 1 : BIG); while (BIG && x) x--;
    return 0;
}
"""
    lines = decisions(load_text(text, tmp_path))
    assert [line for line in lines if line.endswith(("then", "then#2", "then#3"))] == [
        "6:13:assume:then",
        "6:5:assume:then",
        "6:5:assume:then#2",
        "6:5:assume:then#3",
        "6:25:assume:then",
    ]


def test_only_newlines_end_lines(tmp_path: Path) -> None:
    text = "#define A(x) if (x > 3) x--\n\f\n\v\nint main(void) {\n int y = 0;\n\f\f A(y);\n return '\f' == 12; }\n"
    assert decisions(load_text(text, tmp_path)) == ["6:4:assume:then", "6:4:assume:else"]
    plain = load_text(text.partition("--")[2].replace("A(y)", "if (y) y--"), tmp_path, name="a.i")
    assert decisions(plain) == ["6:4:assume:then", "6:4:assume:else"]


def test_line_directives_count(tmp_path: Path) -> None:
    loaded = load_text('int main(void) {\n#line 100 "other.y"\n  int x = 1; if (x) return 1;\n}\n', tmp_path)
    edge = next(edge for edge in loaded.program.edge_list if edge.reference.branch)
    assert (edge.file, shown(edge)) == ("other.y", "100:14:assume:then")


def test_preprocessed_files_are_taken_as_they_are(tmp_path: Path) -> None:
    text = '# 1 "a.c"\nint f(void);\n# 7 "a.c"\nint main(void) { /* if */ if (f()) return 1; } // end\n'
    loaded = load_text(text, tmp_path, name="a.i")
    edge = next(edge for edge in loaded.program.edge_list if edge.reference.branch)
    assert (edge.file, shown(edge)) == ("a.c", "7:27:assume:then")


def test_code_of_system_headers_has_no_goals(tmp_path: Path) -> None:
    text = "#include <assert.h>\nint main(void) { int x = 1; assert(x); assert(x ? 1 : 0); return 0; }\n"
    loaded = load_text(text, tmp_path)
    assert decisions(loaded) == ["2:49:assume:then", "2:49:assume:else"]
    assert [e.text[:13] for e in loaded.program.edge_list if e.reference.kind == "call"] == ["__assert_fail"] * 2


def test_headers_of_the_program_have_their_own_file(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("static int part(int x)\n{ if (x) return 1; return 2; }\n")
    loaded = load_text('#include "part.h"\nint main(void) { return part(1); }\n', tmp_path)
    edge = next(edge for edge in loaded.program.edge_list if edge.reference.branch)
    assert (Path(edge.file).name, shown(edge)) == ("part.h", "2:3:assume:then")


def test_a_token_at_the_start_of_a_line_behind_a_gap_has_its_own_place(tmp_path: Path) -> None:
    gap = "\n" * 20  # the preprocessor writes a line marker there
    text = f"#include <stdlib.h>\nmain()\n{{\nint x = 1;{gap}if (x)\nx = 2;\nreturn x;\n}}\n"
    assert decisions(load_text(text, tmp_path)) == ["24:1:assume:then", "24:1:assume:else"]
