"""Functions and types that system headers declare and nothing mentions are left out; nothing else is."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.types import DataModel
from gia.frontend.preprocess import preprocess
from gia.frontend.preprocessed import by_line_markers
from gia.frontend.unused import without_unused
from gia.toolchain import find_compiler, run_tool
from tests.frontend.support import load_text, shown

FUNCTIONS = {
    "ctype.h": ("isalpha", "tolower"),
    "math.h": ("floor", "__isnanf"),
    "signal.h": ("signal", "raise"),
    "stdio.h": ("printf", "fscanf", "tmpfile"),
    "stdlib.h": ("qsort", "llabs", "malloc", "select", "ntohl_is_none_of_them"),
    "string.h": ("strlen", "strdup"),
    "unistd.h": ("read", "getpid"),
}
NAMES = {name: header for header, names in FUNCTIONS.items() for name in names if "_none_" not in name}
TYPES = {
    "FILE": "stdio.h",
    "fpos_t": "stdio.h",
    "div_t": "stdlib.h",
    "fd_set": "stdlib.h",
    "struct random_data": "stdlib.h",
    "size_t": "string.h",
    "uint32_t": "stdint.h",
    "intmax_t": "stdint.h",
    "struct timespec": "time.h",
    "struct sigaction": "signal.h",
    "siginfo_t": "signal.h",
    "pthread_mutex_t": "pthread.h",
}


def pruned(headers: list[str], names: list[str], directory: Path) -> str:
    """The text of a program that mentions functions of headers, as it is parsed."""
    includes = "".join(f"#include <{header}>\n" for header in headers)
    path = directory / "p.c"
    path.write_text(f"{includes}void *used[] = {{ {', '.join([*names, '0'])} }};\nint main(void) {{ return 0; }}\n")
    return without_unused(preprocess(path, DataModel.LP64).source()).text


@settings(max_examples=25, deadline=None)
@given(st.sets(st.sampled_from(sorted(NAMES))), st.sets(st.sampled_from(sorted(FUNCTIONS))))
def test_what_is_mentioned_stays_declared(tmp_path_factory: pytest.TempPathFactory, names: set[str], more: set[str]):
    headers = sorted({NAMES[name] for name in names} | more)
    text = pruned(headers, sorted(names), tmp_path_factory.mktemp("p"))
    command = [find_compiler().path, "-x", "cpp-output", "-fsyntax-only", "-w", "-"]
    done = run_tool(command, timeout=60, stdin=text.encode())
    assert done.returncode == 0, done.messages
    declared = set(re.findall(r"\bextern [^;{}]*?\b(\w+) \(", text))
    assert names - {"__isnanf"} <= declared
    assert not {"printf", "strlen", "qsort", "read", "tolower"} & (declared - names)


@pytest.mark.parametrize(
    "text",
    [
        "extern int a(int), b(int);",
        "extern int a(int), *c;",
        "typedef extern int a(int);",
        "extern int (*a)(int);",
        "extern int a(int) { return 1; }",
        "extern int a;",
        "extern int a[3];",
        "__attribute__((noreturn))\nextern void a(int);",
        "extern struct s { int i; } a(int);",
        "extern int a(struct s { int i; } x);",
        "extern f(int);",
        "#pragma weak a\nextern int a(int);",
        "extern\n#pragma pack(1)\nint a(int);",
        "static int a(int);",
        "static int a(int x) { return x; }",
        "int a;",
        "struct a { int i; } b;",
        "struct a { int i; } *b, c[2];",
        "enum { A } b;",
        "typedef int a, b;",
        "typedef unsigned int a(int);",
        "struct { int i; };",
        "typedef int a[], b;",
        "typedef struct { int i; } a, b;",
        "struct __attribute__((packed)) a { int i; };",
        "typedef struct __attribute__((packed)) a b;",
        "struct a f(void);",
        "struct a { char b[sizeof \"}\"]; } c;",
        ";",
    ],
)  # fmt: skip
def test_what_is_no_plain_declaration_of_a_function_or_type_stays(text: str):
    source = by_line_markers(f'# 1 "x.h" 1 3\nint before;\n{text}\n# 2 "p.c" 2\nint main(void);\n', "p.c")
    assert without_unused(source).text == source.text


@pytest.mark.parametrize(
    "text",
    [
        "extern int a(int x) __attribute__((access(a, 1)));",
        'extern\n# 7 "x.h" 3\nint a(int);',
        "__extension__ extern long long a(long long, int);",
        'extern int a(int) __asm__("b)");',
        "extern struct b *a(struct b *);",
        "static __inline int a(int x) { if (x) { return 1; } return x; }",
        "__extension__ static __inline__ long long *a(int x)\n{ return x == '}' ? 0 : 0; }",
        "struct a;",
        "struct a { int i; };",
        "union a { struct b { int i; } b; } __attribute__((aligned(16)));",
        "enum { A = (1 << 2), B };",
        "typedef int a;",
        "typedef unsigned long int *a[3][sizeof(int)];",
        "typedef struct a *b;",
        "__extension__ typedef struct { long long a; } b __attribute__((aligned(16)));",
        "typedef int (*a)(const void *, int (*)(int));",
        "typedef int a __attribute__((mode(word)));",
        'struct a\n{\n# 4 "y.h" 3\n  int i;\n# 7 "x.h" 3\n};',
    ],
)
def test_plain_declarations_of_functions_and_types_go(text: str):
    before, after = '# 1 "x.h" 1 3\nint before;\n', '\n# 2 "p.c" 2\nint main(void);\n'
    source = by_line_markers(f"{before}{text}{after}", "p.c")
    left = without_unused(source).text
    assert len(left) == len(source.text)
    assert left.splitlines() == [line if line[:1] == "#" or line in before + after else " " * len(line)
                                 for line in source.text.splitlines()]  # fmt: skip
    of_the_user = by_line_markers(text, "p.c")
    assert without_unused(of_the_user).text == text


def test_what_is_needed_for_what_stays_stays():
    needed = [
        "struct s;",
        "typedef struct s t;",
        "extern t *first(void);",
        "enum e { ONE, TWO };",
        "struct s { u v; enum e e; };",
        "typedef int u;",
        "struct named { int i; };",
    ]
    others = ["extern t *second(void);", "typedef u f;", "enum { OTHER = TWO };", "typedef t w;"]
    header = [line for both in zip(needed, [*others, *others], strict=False) for line in both]
    text = "\n".join(['# 1 "w.h" 1 3', *header, '# 2 "p.c" 2', "void *p = first; struct named n;", ""])
    left = without_unused(by_line_markers(text, "p.c")).text
    assert [line for line in left.splitlines() if line.strip()] == [
        line for line in text.splitlines() if line not in others
    ]


@settings(max_examples=15, deadline=None)
@given(st.sets(st.sampled_from(sorted(TYPES)), min_size=1), st.sets(st.sampled_from(sorted(FUNCTIONS))))
def test_types_that_are_mentioned_are_what_they_were(
    tmp_path_factory: pytest.TempPathFactory, types: set[str], more: set[str]
):
    directory = tmp_path_factory.mktemp("p")
    includes = "".join(f"#include <{header}>\n" for header in sorted({TYPES[name] for name in types} | more))
    body = "".join(f"{name} v{number};\n" for number, name in enumerate(sorted(types)))
    text = f"{includes}{body}int main(void) {{ return 0; }}\n"
    program = load_text(text, directory).program
    sizes = {each.variable.name: program.types.size_of(each.variable.type) for each in program.statics}
    checks = "".join(f'_Static_assert(sizeof v{n} == {sizes[f"v{n}"]}, "");\n' for n in range(len(types)))
    done = run_tool([find_compiler().path, "-x", "c", "-fsyntax-only", "-"], timeout=60, stdin=(text + checks).encode())
    assert done.returncode == 0, done.messages


def test_blanks_stand_where_a_function_was_declared():
    declared = "extern int a (const char *, int (*)(int))\n  __attribute__ ((x (1, (2)))) ;"
    text = f'# 1 "x.h" 1 3\n{declared}extern char *b(int a);\n# 2 "p.c" 2\nextern int c(int);\nint (*d)(void) = b;\n'
    named = by_line_markers(text, "p.c")  # also where a parameter has the name of the function
    assert without_unused(named).text == text
    unnamed = by_line_markers(text.replace("int a)", "int)"), "p.c")
    left = without_unused(unnamed)
    assert left.text == unnamed.text.replace(declared, re.sub(r"\S", " ", declared))
    assert left.position(left.text.index("c(")) == unnamed.position(left.text.index("c("))


def test_a_long_line_that_is_no_declaration_costs_little():
    words = " __attribute__" * 5_000
    source = by_line_markers(f'# 1 "x.h" 1 3\nextern int a(int){words} = 3;\n', "p.c")
    assert without_unused(source).text == source.text


@pytest.mark.parametrize(
    "headers", [*combinations(sorted(FUNCTIONS), 2), ("stdint.h", "time.h", "errno.h", "assert.h")]
)
def test_token_markers_change_nothing_but_places(headers: tuple[str, ...], tmp_path: Path):
    includes = "".join(f"#include <{header}>\n" for header in headers)
    path = tmp_path / "p.c"
    path.write_text(f'{includes}const char *marker = "{{P:a;F:b;";\nint main(void) {{ return 0; }}\n')
    source = preprocess(path, DataModel.LP64).source()
    assert source.text == preprocess(path, DataModel.LP64, has_token_markers=False).text
    lines = by_line_markers(source.text, str(path))
    for found in re.finditer(r"^[^#\n]*?(\w+)", source.text, re.MULTILINE):
        ours, theirs = source.position(found.start(1)), lines.position(found.start(1))
        assert (ours.file, ours.line) == (theirs.file, theirs.line)
        assert source.in_system_header(found.start(1)) == lines.in_system_header(found.start(1))


def test_headers_may_have_braces_in_their_names(tmp_path: Path):
    folder = tmp_path / "a}b{P:"
    folder.mkdir()
    (folder / "h}.h").write_text("#pragma GCC system_header\nextern const char *text; extern int f(void);\n")
    loaded = load_text('#include "a}b{P:/h}.h"\nint main(void) { return f() ? text[0] : 0; }\n', tmp_path)
    assumptions = [shown(edge) for edge in loaded.program.functions["main"].edges if edge.reference.kind == "assume"]
    assert assumptions == ["2:29:assume:then", "2:29:assume:else"]


def test_functions_that_a_header_defines_keep_the_places_of_their_tokens(tmp_path: Path):
    header = tmp_path / "h.h"
    header.write_text(
        "#pragma GCC system_header\n#define BOTH(c) if (c) return 1; else return 2\n"
        "extern int f(void);\nstatic int g(int x) { if (x > 3) return 5; BOTH(x); }\n"
    )
    loaded = load_text('#include "h.h"\nint main(void) { return g(4); }\n', tmp_path)
    assumptions = [shown(edge) for edge in loaded.program.functions["g"].edges if edge.reference.kind == "assume"]
    assert assumptions == ["4:23:assume", "4:23:assume#2", "4:44:assume", "4:44:assume#2"]
