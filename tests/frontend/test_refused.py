"""C whose meaning is not known here is refused where it stands; what looks like it and is harmless, is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.errors import GiaError
from gia.frontend.parsing.parser import parsed
from gia.frontend.preprocessed import by_line_markers
from tests.frontend.support import load_text

END = "static void end(int *p) { *p = 0; }"
CLEANUP = "__attribute__((cleanup(end)))"
MAIN = "int main(void) {{ {} return 0; }}\n"


@pytest.mark.parametrize(
    ("before", "body", "place"),
    [
        ("const char *text;", "return _Generic(text, char *: 1, const char *: 2);", "2:25"),
        ("struct s { const char *text; } s;", "return _Generic(s.text, char *: 1, default: 2);", "2:25"),
        ("", "return __builtin_types_compatible_p(char *, const char *);", "2:25"),
        ('int v __asm__("other");', "return v;", "2:25"),
        ('extern int mine(int) __asm__("abs");', "return mine(1);", "2:25"),
        ("", "const int c = 3; return __builtin_choose_expr(__builtin_constant_p(c), 1, 0);", "2:42"),
        ("int v;", 'extern int w __asm__("v"); return w;', "2:29"),
        ('static void f(void) {}\nvoid (*p)(void) __attribute__((section(".init_array"))) = f;', "return 0;", "2:7"),
        ("void f(void);", 'static void (*p)(void) __attribute__((section(".fini_array"))) = f;', "2:31"),
        ("extern int __start_here[];", "return __start_here[0];", "2:25"),
        ("extern char **__environ;", "return __environ == 0;", "2:25"),
        ("unsigned state;", '__asm__ volatile("ldmxcsr %0" : : "m"(state));', "2:18"),
        ("", '__asm__ goto("jmp %l[end]" : : : : end); return 1; end:', "2:18"),
        ("extern inline __attribute__((gnu_inline)) int f(void) { return 1; }\nint f(void) { return 2; }", "", "2:5"),
        ("", 'char text[2][4] = {[0] = "abc", [0][1] = 120};', "2:36"),
        ("enum {a, b};", "int i, j = 0; for (i = a; i < 9; i += sizeof(enum {b, a})) j += b;", "2:51"),
        ("int n;", "__builtin_va_copy(5, n);", "2:18"),
        ("#define ID(x) x\nint n = ID(\n__LINE__\n);", "return n;", "3:1"),
        ("int n;", "int a[n][n]; return *a[0] + (a - a == 0);", "2:47"),
        ("int n;", "int a[n][n]; return (n ? a : 0)[0][0];", "2:43"),
        ("int n;", "int a[n][n]; return *(n ? a : 0)[0];", "2:44"),
        ("int n;", "int (*p)[n] = 0; return *p++ == 0;", "2:43"),
        ("int n;", "int (*p)[n], (*q)[n]; return (p = q) == 0;", "2:48"),
        ("int n;", "typedef int v[n]; struct { v members; } s;", "2:58"),
        ("int f(int x __attribute__((mode(QI)))) { return x; }", "return f(300);", "1:28"),
        ("", "typedef float d __attribute__((mode(DF))); d x = 1; return sizeof x;", "2:32"),
        ("", "int f(int x) { return x; } return f(1);", "2:31"),
        (END, f"goto in; {{ int x {CLEANUP}; in: x = 1; }}", "2:18"),
        (END, f"switch (end != 0) {{ case 0: ; int x {CLEANUP}; case 1: x = 1; }}", "2:85"),
        (END, f"for (int x {CLEANUP} = 0; x < 3; x++) ;", "2:18"),
        (END, f"static int x {CLEANUP};", "2:46"),
        ("void end(int *p);", f"int x {CLEANUP} = 3; return x;", "2:39"),
        ("int n;", "int a[n][n]; return &a[0] == 0;", "2:38"),
        ("int n;", "int a[n][n], i = 0; return sizeof a[i++];", "2:45"),
        ("int n;", "int a[n][n][n]; return (&a[0])[0] == 0;", "2:42"),
        ("int n;", "int a[n++][n];", "2:22"),
        ("int n;", "return (int (*)[++n])0 == 0;", "2:25"),
        ("int n;", "static int (*p)[n]; return p[0][1];", "2:45"),
        ("int n;", "int (*p[2])[n]; return p[0][0][1];", "2:41"),
        ("int n;", "int (**p)[n]; return (*p)[0][1];", "2:39"),
        ("int n;", "int a[n][n]; __typeof__(a[0]) b;", "2:42"),
        ("int f(int n, int a[][n]) { return n ? a[0] == *a : a - 1; }", "", "1:52"),
        ("int n;", "struct s { char a[n]; char b[]; };", "2:18"),
        ("struct s { int *__attribute__((aligned(16))) *p; };", "", "1:17"),
        ("", "return (__attribute__((mode(DI))) int)3 > 2;", "2:41"),
        ("struct { long a : 40; } s;", "__typeof__(s.a - 1) x = 0;", "2:5"),
        ("struct { long a : 40; } s;", "return _Generic(s.a - 1, long: 1, default: 2);", "2:25"),
        ("struct { long a : 40; } s;", "return (s.a ? s.a : 1) - 1 > 0;", "2:26"),
        ("struct { long a : 40; } s;", "switch (s.a) { case -1: return 1; }", "2:26"),
        ("int n;", "assert(n > 0);", "2:18"),
        ("", "int n = assert(1); return n;", "2:26"),
        ("", "return sizeof(int __attribute__((vector_size(16))));", "2:51"),
        ("", "return (int __attribute__((aligned(16))))3;", "2:30"),
    ],
)
def test_refused(before: str, body: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(GiaError, match="not supported") as caught:
        load_text(f"{before}\n{MAIN.format(body)}", tmp_path)
    position = caught.value.position
    assert position is not None and f"{position.line}:{position.column}" == place


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("char *text;", "return _Generic(text, char *: 1, const char *: 2);"),
        ("", 'return _Generic("a", char *: 1, default: 2);'),
        ("const int n;", "return _Generic(n, const int: 1, int: 2);"),
        ("const int n; int m;", "return __builtin_types_compatible_p(__typeof__(n), __typeof__(m));"),
        ("#include <xmmintrin.h>", "return 0;"),
        ("#define HERE(c) ((c) ? __LINE__ : 0)", "return HERE(\n1\n) == __LINE__;"),
        ("int a[3];", "return __builtin_types_compatible_p(__typeof__(a), __typeof__(&a[0]));"),
        ('extern int abs(int) __asm__("abs");', "return abs(1);"),
        ('extern int sscanf(const char *, const char *, ...) __asm__("__isoc99_sscanf");', 'sscanf("", "");'),
        ('int v __attribute__((section("mine")));', "return v;"),
        ('int v __attribute__((annotate("for others"), guarded_by(lock)));', "return v;"),
        ("extern char **environ; extern int __start_here;", "return environ == 0;"),
        ("int end;", "return end;"),
        ("void assert(int n) { }", "assert(1);"),
        ("void assert(int n);", "assert(1);"),
        ("#include <assert.h>", "assert(1);"),
        ("void *(__attribute__((noinline)) f)(int x) { return 0; }", "return f(1) == 0;"),
        ("int const *__attribute__((unused)) const *q;", "return q == 0;"),
        ('static void __attribute__((section(".init.text"))) f(void) { }', "f();"),
        ("", "return (int __attribute__((__cold__)) )-19;"),
        ("typedef __signed__ int s32; __signed b; __signed__ char c;", "return (s32)b + c;"),
    ],
)
def test_not_refused(before: str, body: str, tmp_path: Path) -> None:
    load_text(f"{before}\n{MAIN.format(body)}", tmp_path)


def test_a_function_named_as_a_macro_is_called_before_its_definition(tmp_path: Path) -> None:
    load_text(MAIN.format("assert(1);") + "int assert(int n) { return n; }", tmp_path)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 2.0iF == 1;", "an imaginary number"),
        ("return 3i == 1;", "an imaginary number"),
        ("int i = 3; return 3 i;", "unexpected i"),
        ("return __real__ 3;", "unexpected __real__"),
        ("int f(void) { return 1; } return f();", "a function in a function"),
        ("return __builtin_convertvector(n, int);", "unexpected int"),
    ],
)
def test_reasons(body: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(GiaError) as caught:
        parsed(by_line_markers(f"int n; {MAIN.format(body)}", "p.c"), tmp_path)
    assert caught.value.message == f"this C is not supported: {reason}"


def test_a_main_that_nobody_could_call_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GiaError, match="not supported: a main whose parameters") as caught:
        load_text("struct s { int a; };\nint main(struct s x) { return x.a; }\n", tmp_path)
    assert caught.value.position is not None and caught.value.position.line == 2
