"""What files may have in common, what is refused, and where the tokens of a linked program stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.errors import GiaError, InputError
from gia.frontend import load
from gia.frontend.linking import link
from gia.frontend.preprocess import preprocess
from gia.frontend.preprocessed import by_line_markers
from tests.frontend.linking.support import linked, outputs, written
from tests.frontend.support import MODELS, decisions

MAIN = "int printf(const char *, ...); int other(int); int main(void) { return other(3); }\n"


def both(first: str, second: str, header: str = "") -> dict[str, str]:
    """A program of two files, which include a header."""
    return {"h.h": header, "a.c": f'#include "h.h"\n{first}', "b.c": f'#include "h.h"\n{second}'}


SAME = {
    "a static function of a header is one": both(
        MAIN + "int twice(void) { return once(1); }",
        "int other(int x) { return once(x) + 1; }",
        "static int once(int x) { if (x > 2) return 5; return x; }",
    ),
    "one that remembers is not": both(
        MAIN + "int first(void) { return next(); }",
        "int first(void); int other(int x) { first(); first(); return next() * 10 + first(); }",
        "static int next(void) { static int n; return ++n; }",
    ),
    "one that uses what remembers is not": both(
        MAIN + "int first(void) { return next(); }",
        "int first(void); int other(int x) { first(); first(); return next() * 10 + first(); }",
        "static int n; static int next(void) { return ++n; }",
    ),
    "a variable without a value may be declared first": both(
        "extern int shared;" + MAIN, "int shared; int other(int x) { shared += x; return shared; }"
    ),
    "a static name is not what a function declares": {
        "a.c": "static int n = 4; int use(void) { return n; }" + MAIN,
        "b.c": "int other(int x) { extern int n; return n + x; }",
        "c.c": "int n = 30;",
    },
    "a static name is not what a function calls without a declaration": both(
        "static int abs(int x) { return 77; } int use(void) { return abs(2); }" + MAIN,
        "int other(int x) { return abs(-x); }",
    ),
    "the limit of pragma pack ends with its file": both(
        "#pragma pack(push, 1)\nstruct s { char c; int i; };\n" + MAIN,
        "struct t { char c; int i; }; int other(int x) { return sizeof(struct t); }",
    ),
    "so does one below others that were kept": both(
        "#pragma pack(1)\n#pragma pack(push)\n#pragma pack()\n" + MAIN,
        "struct t { char c; int i; }; int other(int x) { return sizeof(struct t); }",
    ),
    "a pragma in what both files say holds for what follows in both": both(
        MAIN,
        "struct t { char c; int i; }; int other(int x) { return sizeof(struct t); }",
        "struct s {\n#pragma pack(1)\nchar c; int i; };\n",
    ),
    "the limit of pragma pack tells structs apart": both(
        "#pragma pack(1)\nstruct s { char c; int i; };\n" + MAIN,
        "struct s { char c; int i; }; int other(int x) { return sizeof(struct s); }",
    ),
    "a tag that one file defines is what the other has pointers to": both(
        "struct s; struct s *make(int); int get(struct s *);\n" + MAIN.replace("other(3)", "get(make(3))"),
        "struct s { int x; }; static struct s one; struct s *make(int x) { one.x = x + 1; return &one; }\n"
        "int get(struct s *p) { return p->x; } int other(int x) { return x; }",
    ),
    "a tag of one kind is not one of another kind": both(
        "union u { char c[9]; int i; };" + MAIN, "struct u *p; int other(int x) { return p == 0; }"
    ),
    "a second definition of a tag may declare something": both(
        "struct s { int a, b; } left = { 1, 2 };" + MAIN,
        "struct s { int a, b; } right = { 3, 4 }; extern struct s left; int other(int x) { return left.b + right.a; }",
    ),
    "an enumeration without a tag may declare something": both(
        "static enum { ONE = 1, TWO } first = TWO; int use(void) { return first; }" + MAIN,
        "static enum { ONE = 1, TWO } second = TWO; int other(int x) { return second == TWO; }",
    ),
    "parameters of old may have the names of types": both(
        "typedef char x;" + MAIN, "int other(x) int x; { return x + 1; }"
    ),
    "minus signs of macros stay apart": both(
        "#define LESS -1\n" + MAIN.replace("other(3)", "other(3) -LESS"), "int other(int x) { return x -(-x); }"
    ),
    "an inline function of a header is defined once": both(
        "extern int once(int);" + MAIN,
        "int other(int x) { return once(x); }",
        "inline int once(int x) { return x + 9; }",
    ),
    "one file": {"a.c": MAIN + "int other(int x) { return x; }"},
}


@pytest.mark.parametrize("case", SAME)
def test_a_linked_program_does_what_its_files_do(case: str, tmp_path: Path) -> None:
    theirs, ours = outputs(SAME[case], tmp_path)
    assert ours == theirs


@pytest.mark.parametrize(
    ("case", "definitions"),
    [("a static function of a header is one", 1), ("one that uses what remembers is not", 2)],
)
def test_a_function_of_a_header_has_as_many_copies_as_it_needs(case: str, definitions: int, tmp_path: Path) -> None:
    text = linked(SAME[case], tmp_path).text
    assert len(re.findall(r"static\s+int\s+(?:once|next(?:__b)?)\b", text)) == definitions


@pytest.mark.parametrize("model", MODELS)
def test_headers_of_the_system_are_said_once(model: DataModel, tmp_path: Path) -> None:
    headers = "#include <stdio.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
    files = both(
        "#include <string.h>\nstatic size_t n; int other(int); int main(void) { n = strlen(NAME); printf(NAME, n);\n"
        "  return other(3); }",
        "#include <unistd.h>\nstatic intptr_t n = 3; int other(int x) { printf(NAME, (long)(n + x)); return LAST; }",
        headers + '#define NAME "\\t%zu\\n"\nenum { FIRST, LAST };\n',
    )
    theirs, ours = outputs(files, tmp_path, model)
    assert ours == theirs
    program = linked(files, tmp_path, model)
    assert program.text.count("int printf (") == 1
    assert [str(renaming).rpartition("/")[2] for renaming in program.renamings] == ["b.c: n is called n__b"]


def test_names_say_which_file_they_are_of(tmp_path: Path) -> None:
    files = {
        "a.c": "static int n; struct s { int i; } v; int n__b;" + MAIN,
        "b.c": "static int n; struct s { char i; }; int other(int x) { return n; }",
        "größe-2.c": "static int n; int third(void) { return n; }",
    }
    shown = [str(renaming).removeprefix(f"{tmp_path}/") for renaming in linked(files, tmp_path).renamings]
    assert shown == [
        "b.c: n is called n__b2",
        "b.c: the tag s is called s__b",
        "größe-2.c: n is called n__gr__e_2",
    ]


CLASHES = {
    "define the same function": (
        both(MAIN, "int other(int x) { return 1; } int main(void) { return 0; }"),
        "b.c:2:32",
        "main is defined here, and in",
    ),
    "define the same variable": (
        both("int n = 1;" + MAIN, "int n = 2; int other(int x) { return n; }"),
        "b.c:2:5",
        "n is defined here, and in",
    ),
    "call without a declaration": (
        both("int main(void) { return other(3); }", "int other(int x) { return x; }"),
        "a.c:2:25",
        "other is called without a declaration, and defined in",
    ),
    "declare a function in two ways": (
        both(MAIN, "long other(long x) { return x; }"),
        "b.c:2:6",
        "the files do not fit together: conflicting types for",
    ),
    "declare a member in two ways": (
        both("extern struct s { int i; } v;" + MAIN, "struct s { long i; } v; int other(int x) { return v.i; }"),
        "b.c:2:22",
        "the files do not fit together: conflicting types for",
    ),
}


@pytest.mark.parametrize("case", CLASHES)
def test_files_that_are_no_program_are_refused(case: str, tmp_path: Path) -> None:
    files, place, message = CLASHES[case]
    with pytest.raises(InputError) as error:
        linked(files, tmp_path)
    assert str(error.value).startswith(f"{tmp_path}/{place}: {message}")
    assert error.value.hint


def test_bad_files_are_told_as_others_are(tmp_path: Path) -> None:
    good, bad, odd = written(
        {
            "a.c": MAIN,
            "b.c": "int other(int x) { return y; }",
            "c.c": "int f(int n) { int g(void) { return n; } return g(); }",
        },
        tmp_path,
    )
    with pytest.raises(InputError, match=r"a\.c: this file is given twice"):
        link([good, good], DataModel.LP64)
    with pytest.raises(InputError, match=r"b\.c:1:27: the program is not C: .y. undeclared"):
        link([good, bad], DataModel.LP64)
    with pytest.raises(GiaError, match=r"c\.c:1:28: this C is not supported: a function in a function"):
        link([good, odd], DataModel.LP64)
    with pytest.raises(InputError, match=r"nosuch\.c: there is no such file"):
        link([good, tmp_path / "nosuch.c"], DataModel.LP64)


PLACES = both(
    """#define BOTH(a, b) ((a) && (b))
#define LOOP(n) while (n > 0) { if (n == 3) break; n--; }
static int helper(int x) { if (x > 1) return 1; return 0; }
int a(void) {
    int x = __VERIFIER_nondet_int();
    /* a comment */ if (BOTH(x > 1, x < 9)) x = x > 4 ? 3 : 2; if (helper(x)) return 1;
    LOOP(x)
    return b(x);
}
""",
    """static int helper(int x) { switch (x) { case 1: return 2; default: return helper_of_header(x); } }


int b(int x) {\tif (helper(x) && helper(x + 1) || helper(x + 2)) { if (x) return x -
    helper(x) ? 1 : 0; }
    return "ä"[0] == helper(x) ? 3 : 4; }
""",
    "int __VERIFIER_nondet_int(void);\nint b(int);\n"
    "static inline int helper_of_header(int x) { if (x < 0)\n   return 0; return x ? 1 : 2; }\n",
)


@pytest.mark.parametrize("preprocessed", [False, True])
def test_goals_stand_where_they_stand_in_each_file(preprocessed: bool, tmp_path: Path) -> None:
    paths = written(PLACES, tmp_path)
    if preprocessed:
        for path in paths:
            path.with_suffix(".i").write_text(preprocess(path, DataModel.LP64, has_token_markers=False).text)
        paths = [path.with_suffix(".i") for path in paths]
    alone = [load(path, data_model=DataModel.LP64, entry=path.stem) for path in paths]
    (tmp_path / "linked.i").write_text(link(paths, DataModel.LP64).text)
    together = load(tmp_path / "linked.i", data_model=DataModel.LP64, entry="a")
    assert set(decisions(together)) == {place for loaded in alone for place in decisions(loaded)}
    files = {name: function.position.file for name, function in together.program.functions.items()}
    expected = {"a": "a.c", "b": "b.c", "helper": "a.c", "helper__b": "b.c", "helper_of_header": "h.h"}
    assert {name: files[name].removeprefix(f"{tmp_path}/") for name in expected} == expected


def test_what_is_of_the_system_stays_so(tmp_path: Path) -> None:
    text = linked(both("#include <ctype.h>\n" + MAIN, "int other(int x) { return x; }"), tmp_path).text
    source = by_line_markers(text, "")
    assert source.in_system_header(text.index("isalpha"))
    assert not source.in_system_header(text.index("main"))
