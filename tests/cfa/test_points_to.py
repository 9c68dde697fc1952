"""Where pointers may point: what is not seen may be anywhere, and what may be null is known to be nowhere."""

from __future__ import annotations

import pytest

from gia.cfa.expressions import StringLiteral, Variable
from gia.cfa.operations import Unmodelled
from gia.cfa.places import NOWHERE, Block, Blocks, Code, Distance
from gia.cfa.points_to import PointsTo, points_to
from gia.cfa.types import DataModel
from tests.smt.native import load_text

NULL = (0, 0)
NODES = "struct node { int tag; int *data; struct node *next; };"
NAMED = """#include <stdio.h>
int x, k; char word[8], longer[9]; struct { char name[8]; int *data; } n = {"", &x};"""
TEXTS = {
    "strcpy(n.name, word)": True,
    "strcpy(n.name, longer)": False,
    "strcpy(n.name, longer + 1)": True,
    'strcpy(n.name, k ? word : "1234567")': True,
    'strcpy(n.name, "12345678")': False,
    'strcpy(n.name, getenv("A"))': False,
    "strcpy(word, n.name)": True,
    "strcat(n.name, word)": False,
    "strncpy(n.name, longer, 8)": True,
    "strncpy(n.name, longer, 9)": False,
    "strncpy(n.name, word, k)": False,
    'strncpy(n.name, "", 9)': False,
    'snprintf(n.name, 8, "%f", 1.0)': True,
    'snprintf(n.name, 8, "%s%f", n.name, 1.0)': True,
    'snprintf(n.name, 8, "%f%n", 1.0, &k)': False,
    'snprintf(n.name, 9, "%f", 1.0)': False,
    'sprintf(n.name, "%f", 1.0)': False,
    'snprintf(n.name, 8, "%d", k); puts(n.name); k = n.name[0]': True,
    'snprintf(n.name, 9, "%d", k); puts(n.name); k = n.name[0]': False,
    'scanf("%7s", n.name)': True,
    'scanf("%8s", n.name)': False,
    'scanf("%8c%*s", n.name)': True,
    'scanf("%s", n.name)': False,
    "fgets(n.name, 8, stdin)": True,
    "fgets(n.name, k, stdin)": False,
    "k = strcmp(n.name, word)": True,
    "read(0, n.name, 8)": True,
    "read(0, n.name, 9)": False,
    "read(k, n.name, 8)": True,
    "read(k, n.name, 9)": False,
    "read(k, n.name, k)": False,
    "fread(n.name, 1, 8, popen(word, longer))": False,
    "fread(word, 1, 8, popen(n.name, longer))": True,
    "fwrite(n.name, 1, 8, stdout)": True,
    "setvbuf(stdout, 0, _IONBF, 0)": True,
    "stat(n.name, (void *)&k)": True,
    "lstat(word, (void *)n.name)": False,
    "k = write(1, n.name, 8) + ferror(stdout) + fclose(stdout)": True,
    "memset(n.name, 1, 8)": True,
    "memset(n.name, 1, 9)": False,
}
"""Whether the pointer behind the text ``n.name`` is still known after each of them."""
CASES = {
    "an array": ("int a[9]; int *p = a;", "", {"a": (0, 0)}),
    "moved": ("int a[9]; int *p = a; p++; p += 3;", "", {"a": (4, 0)}),
    "moved by a constant": ("int a[9]; int *q = &a[2]; int *p = q + 4;", "", {"a": (0, 24)}),
    "moved back": ("int a[9]; int *q = &a[2]; int *p = q - 1;", "", {"a": (0, 4)}),
    "moved by structs": ("struct { int x; int y; } s[5]; int *p = &s[a].y;", "int a;", {"s": (8, 4)}),
    "maybe null": ("int a[9]; int *p = 0; if (a[0]) p = a;", "", {NOWHERE: NULL, "a": (0, 0)}),
    "a field": ("struct { int x; int y[3]; } s; int *p = s.y;", "", {"s": (0, 4)}),
    "a block": ("int *p = malloc(8);", "", {"block": (0, 0)}),
    "many blocks": (
        "int *p = 0; while (n--) p = malloc(8);",
        "int n;",
        {"blocks": (0, 0), NOWHERE: NULL},
    ),
    "of blocks of two calls": (
        "int *q = 0, *p = 0; while (n--) { q = malloc(8); p = n ? q : malloc(8); }",
        "int n;",
        {"blocks": (0, 0), NOWHERE: NULL},
    ),
    "beside an array": (
        "s.data = &x; s.text[n & 7] = 1; n = s.text[n & 7]; int *p = s.data;",
        "int x, n; struct { char text[8]; int *data; } s;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "before an array that may go on": (
        "int *q = &x; s.data = &x; s.text[n] = 1; int *p = s.data;",
        "int x, n; struct { int *data; char text[8]; } s;",
        None,
    ),
    "before an array with an index that is not negative": (
        "s.data = &x; s.text[n & 7] = 1; s.text[k] = 1; int *p = s.data;",
        "int x, n; unsigned k; struct { int *data; char text[8]; } s;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "behind what is copied, of which the size was checked": (
        "s.data = &x; int m = n; if (m < 0 || m > 8) return 1; memcpy(s.text, text, m); int *p = s.data;",
        "int x, n; char text[9]; struct { char text[8]; int *data; } s;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "behind what a small object is copied to": (
        "s.data = &x; memcpy(s.text, text, n); int *p = s.data;",
        "int x, n; char text[8]; struct { char text[8]; int *data; } s;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "behind what is copied, of which the size was not checked": (
        "s.data = &x; int m = n; if (m > 8) return 1; memcpy(s.text, text, m); int *p = s.data;",
        "int x, n; char text[9]; struct { char text[8]; int *data; } s;",
        None,
    ),
    "inside many blocks": (
        "int *p = 0; while (n--) p = n ? (int *)malloc(8) : p + 1;",
        "int n;",
        {"blocks": (4, 0), NOWHERE: NULL},
    ),
    "a block in a callee": ("int *p = make();", "int *make(void) { return malloc(8); }", {"block": (0, 0)}),
    "through a parameter": ("int a[9]; int *p = same(a);", "int *same(int *q) { return q + 1; }", {"a": (0, 4)}),
    "from a number": ("int *p = (int *)n;", "long n;", None),
    "changed through a pointer": ("int a[9]; int *p = a; int **q = &p; *q = 0;", "", None),
    "of a function that calls itself": ("int *p = f(0);", "int *f(int *q) { int l; return l ? f(&l) : q; }", None),
    "from an input": ("int *p = __VERIFIER_nondet_pointer();", "int *__VERIFIER_nondet_pointer(void);", None),
    "not assigned everywhere": (
        "int a[9]; int *q; if (a[0]) q = a; int *p = q;",
        "",
        {"a": (0, 0), NOWHERE: NULL},
    ),
    "found": ("char a[9]; char *p = strchr(a, 61);", "", {"a": (1, 0), NOWHERE: NULL}),
    "found in a block": ("int *p = (int *)memchr(malloc(8) + 4, 0, 4);", "", {"block": (1, 0), NOWHERE: NULL}),
    "found or made": ("char a[9]; char *p = mkdtemp(a);", "", {"a": (1, 0), NOWHERE: NULL}),
    "found anywhere": ('char *p = strchr(getenv("A"), 61);', "", None),
    "given back": ('char a[9]; char *p = strcpy(a + 1, "");', "", {"a": (0, 1)}),
    "grown": ("int *p = realloc(0, 8);", "", {"block": (0, 0)}),
    "grown or freed": ("int *p = realloc(0, n);", "int n;", {"block": (0, 0), NOWHERE: NULL}),
    "grown again and again": (
        "int *p = 0; while (n++) p = reallocarray(p, n + 1, 4);",
        "int n;",
        {"blocks": (0, 0), NOWHERE: NULL},
    ),
    "in a block that has grown": (
        "int **b = malloc(8); b[0] = &x; b = realloc(b, 16); int *p = b[0];",
        "int x;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "in blocks that grow": (
        "int **b = 0; for (int i = 0; i < n; i++) { b = realloc(b, 8 * i + 8); b[i] = i ? &x : &y; } int *p = b[1];",
        "int x, y, n;",
        {"x": (0, 0), "y": (0, 0), NOWHERE: NULL},
    ),
    "a copy of a text": ('char *p = strdup(getenv("A"));', "", {"block": (0, 0)}),
    "a callback's parameter": ("int *p = 0; g = f;", "void (*g)(int *); void f(int *p) {}", {NOWHERE: NULL}),
    "a text": ('char *p = "abc";', "", {b"abc\0": (0, 0)}),
    "a function": ("void (*p)(void) = f;", "void f(void) {}", {"f()": (0, 0)}),
    "from an array of pointers": ("int a[9]; int *b[1] = {a}; int *p = b[0];", "", {"a": (0, 0), NOWHERE: NULL}),
    "from an initialised table": (
        "int *p = t[n & 1];",
        "int n, x, y; int *t[2] = {&x, &y};",
        {"x": (0, 0), "y": (0, 0)},
    ),
    "from a table with a hole": ("int *p = t[n & 1];", "int n, x; int *t[2] = {&x};", {"x": (0, 0), NOWHERE: NULL}),
    "one of two fields": (
        "s.a = &x; s.b = &y; int *p = s.b;",
        "int x, y; struct { int *a, *b; } s;",
        {"y": (0, 0), NOWHERE: NULL},
    ),
    "a field of an array": (
        "n[i & 1].data = &x; n[i & 1].next = &n[1]; int *p = n[i & 1].data;",
        f"{NODES} int i, x; struct node n[2];",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "a number beside it": (
        "n.data = &x; n.tag = 3; int *p = n.data;",
        f"{NODES} int x; struct node n;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "through cells of a list": (
        "struct node *a = malloc(24), *b = malloc(24); a->next = b; b->data = &x; int *p = a->next->data;",
        f"{NODES} int x;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "copied with its struct": (
        "a.data = &x; b = a; int *p = b.data;",
        f"{NODES} int x; struct node a, b;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "copied as bytes": (
        "a.data = &x; memcpy(&b, &a, sizeof a); int *p = b.data;",
        f"{NODES} int x; struct node a, b;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "copied in part": ("a.data = &x; memcpy(&b, &a, 12); int *p = b.data;", f"{NODES} int x; struct node a, b;", None),
    "copied, so many bytes": (
        "a.data = &x; memcpy(&b, &a, x); int *p = b.data;",
        f"{NODES} int x; struct node a, b;",
        None,
    ),
    "set to zeros": (
        "a.data = &x; memset(&a, 0, sizeof a); int *p = a.data;",
        f"{NODES} int x; struct node a;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "set to zeros in part": (
        "a.data = &x; memset(&a, 0, 12); int *p = a.data;",
        f"{NODES} int x; struct node a;",
        None,
    ),
    "set to other bytes": (
        "a.data = &x; memset(&a, 1, sizeof a); int *p = a.data;",
        f"{NODES} int x; struct node a;",
        None,
    ),
    "passed as a struct": (
        "struct node a = {0, &x}; int *p = data_of(a);",
        f"{NODES} int x; int *data_of(struct node n) {{ return n.data; }}",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "written as a number": ("u.number = 5; int *p = u.pointer;", "union { long number; int *pointer; } u;", None),
    "read as a number": (
        "u.pointer = &x; n = u.number; int *p = u.pointer;",
        "int x; long n; union { long number; int *pointer; } u;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "written by bytes": ("*(char *)&q = 0; int *p = q;", "int x; int *q = &x;", None),
    "written through a number": ("*(int **)n = &y; int *p = q;", "int x, y; long n; int *q = &x; int **r = &q;", None),
    "written elsewhere": (
        "**(int ***)strerror(0) = 0; int *p = q;",
        "int x; int *q = &x; int **r = &q;",
        {"x": (0, 0)},
    ),
    "given to unknown code": (
        "fgetpos(0, (void *)&q); int *p = q;",
        "int fgetpos(void *, void *); int x; int *q = &x;",
        None,
    ),
    "given to unknown code behind another": (
        "r = &q; sigwaitinfo(0, (void *)&r); int *p = q;",
        "int sigwaitinfo(void *, void *); int x; int *q = &x; int **r;",
        None,
    ),
    "behind assembly": ('__asm__("nop" : : : "memory"); int *p = q;', "int x; int *q = &x; int **r = &q;", None),
    "behind a barrier": (
        '__asm__("" : "+r"(q) : : "memory"); int *p = q;',
        "int x; int *q = &x; int **r = &q;",
        {"x": (0, 0)},
    ),
    "through a called pointer": (
        "g = f; g(&x); int *p = q;",
        "int x; int *q; void (*g)(int *); void f(int *a) { q = a; }",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "through variable arguments": (
        "int *p = last(1, &x);",
        "#include <stdarg.h>\nint x; int *last(int n, ...) { va_list l; va_start(l, n); int *r = va_arg(l, int *);"
        " va_end(l); return r; }",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "copied without an end": (
        "memcpy(a, (char *)t + x, -1ul); memset((char *)t + x, 0, -1ul); int *p = a[0];",
        "int x; int *t[3] = {&x}, *a[3];",
        None,
    ),
    "whose number is compared with another's": (
        "if ((long)r == (long)&x || (long)r == (long)(void *)0) n = 1; int *p = q;",
        "int x; int *q = &x; int **r = &q; int n;",
        {"x": (0, 0)},
    ),
    "whose number is compared with a constant": (
        "if ((unsigned long)r > -4095ul || !(long)r) n = 1; if ((long)r && n) n = 2; int *p = q;",
        "int x; int *q = &x; int **r = &q; int n;",
        {"x": (0, 0)},
    ),
    "whose number is compared with one": (
        "if ((long)r == n) n = 1; int *p = q;",
        "int x; int *q = &x; int **r = &q; long n;",
        None,
    ),
    "whose number is kept after a comparison": (
        "n = (long)r == (long)&x ? (long)r : 0; int *p = q;",
        "int x; int *q = &x; int **r = &q; long n;",
        None,
    ),
    "so far from null": ("long n = (char *)&x - (char *)0; int *p = (int *)((char *)0 + n);", "int x;", None),
    **{
        f"behind a text: {write}": (f"{write}; int *p = n.data;", NAMED, {"x": (0, 0)} if is_known else None)
        for write, is_known in TEXTS.items()
    },
    "an element of an array in a struct": (
        "int *p = &s.b[n];",
        "int n; struct { int a, b[3], c; } s;",
        {"s": (4, 4, 16)},
    ),
    "in structs in an array in a struct": (
        "int *p = &s.b[n].y;",
        "int n; struct { int a; struct { int x, y; } b[3]; int c; } s;",
        {"s": (8, 8, 24)},
    ),
    "of one of two arrays": (
        "int *p = n ? &s.a[n] : &s.b[n];",
        "int n; struct { int a[4], b[4], c; } s;",
        {"s": (4, 0)},
    ),
    "an element of a matrix in a struct": (
        "int *p = &s.b[n][n + 1];",
        "int n; struct { int a, b[3][2], c; } s;",
        {"s": (4, 4, 28)},
    ),
    "a row of a matrix in a struct": (
        "int *p = s.b[n];",
        "int n; struct { int a, b[3][2], c; } s;",
        {"s": (8, 4, 28)},
    ),
    "an element of the last field": ("int *p = &s.b[n];", "int n; struct { int a, b[3]; } s;", {"s": (4, 0)}),
    "from a table before a number": (
        "s.t[n] = &x; s.k = n; int *p = s.t[n];",
        "int n, x; struct { int *t[4]; long k; } s;",
        {"x": (0, 0), NOWHERE: NULL},
    ),
    "from a table behind a number": (
        "s.t[n] = &x; s.k = n; int *p = s.t[n];",
        "int n, x; struct { long k; int *t[4]; } s;",
        None,
    ),
    "from one of two tables": (
        "s.t[n] = &x; s.u[n] = &y; int *p = s.u[n + 1];",
        "int n, x, y; struct { int *t[4], *u[4]; long k; } s;",
        {"y": (0, 0), NOWHERE: NULL},
    ),
    "anything in a block": ("int **q = malloc(16); *q = &x; q[1] = (int *)n; int *p = q[1];", "int x; long n;", None),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_places_of_a_pointer(name: str) -> None:
    body, declared, expected = CASES[name]
    program = load_text(
        f"#include <stdlib.h>\n#include <string.h>\n{declared}\nint main(void) {{ {body} return 0; }}", DataModel.LP64
    )
    found = points_to(program)
    (pointer,) = [v for v in program.functions["main"].locals if v.name == "p"]
    places = found.places.get(pointer)
    named = None if places is None else {_name(place): _distance(place, at) for place, at in places.items()}
    assert named == expected


def test_parameters_of_functions_that_unknown_code_calls_point_anywhere() -> None:
    text = """int ftw(const char *, int (*)(const char *, const void *, int), int);
    static int visit(const char *name, const void *status, int type) { return 0; }
    int main(void) { visit("", 0, 0); return ftw(".", visit, 3); }"""
    program = load_text(text, DataModel.LP64)
    assert program.functions["visit"].parameters[0] not in points_to(program).places


def test_each_frame_has_its_block() -> None:
    text = """#include <stdlib.h>
    int *make(void) { return malloc(4); }
    int main(void) { int *p = make(), *q = make(); return p == q; }"""
    found = points_to(load_text(text, DataModel.LP64))
    assert len(found.blocks) == 2
    assert len({block.context for block in found.blocks}) == 2


def test_what_nothing_writes_to_is_constant() -> None:
    text = """#include <string.h>
    int table[3] = {1, 2, 3}, copied[2] = {4, 5}, written[2], cleared[2] = {1}, target[2], shown[2]; int *p = shown;
    const struct { int *p; } given = {target};
    int sigwaitinfo(void *, void *);
    int main(void) { int *q = written; q[table[0]] = 1; memcpy(target, copied, 8); memset(cleared, 0, 8);
      sigwaitinfo(0, &p); return *given.p; }"""
    assert _constant(text) == {"table", "copied", "given"}


def test_nothing_is_constant_where_a_number_is_an_address() -> None:
    assert _constant("int t[2]; long n; int main(void) { *(int *)n = 1; return t[1]; }") == set()


def test_which_locals_may_be_pointed_to_when_they_have_ended() -> None:
    text = """int *keep; struct { int *p; } held;
    static int *back(void) { int returned = 1; return &returned; }
    static void into(int **p) { int stored = 1; *p = &stored; }
    static int read(int *p) { return *p; }
    static int down(void) { int passed = 1; return read(&passed); }
    int main(void) { int lasting = 1, *q, *r = back(); keep = &lasting; into(&q); down(); { int x = 1; held.p = &x; }
      return r == q; }"""
    assert {v.name for v in _points_to(text).kept} == {"returned", "stored"}


@pytest.mark.parametrize(
    ("statics", "pointer", "known"),
    [
        ("int (*f[2])(int) = {one, two}; int n;", "f[n & 1](3)", True),
        ("struct { int kind; int (*f)(int); } s[2] = {{0, one}, {1, two}}; int n;", "s[n].f(3)", True),
        ("int (*f)(int) = one; void set(int (*to)(int)) { f = to; }", "set(two), f(3)", True),
        ("int (*f)(int);", "f(3)", True),
        ("int (*f)(int) = abs;", "f(3)", True),
        ("extern int (*f)(int);", "f(3)", False),
        ("int (*f)(int); unsigned long n;", "f = (int (*)(int))n, f(3)", False),
        ("extern int (*get(void))(int);", "get()(3)", False),
        ("int (*f[2])(int) = {one, two}; char *c = (char *)f; int n;", "c[9] = n, f[1](3)", False),
    ],
)
def test_which_calls_through_pointers_lead_to_known_functions_only(statics: str, pointer: str, known: bool) -> None:
    """What a call through a null pointer does is not defined: such a pointer leads nowhere else."""
    text = f"""#include <stdlib.h>
    int one(int n) {{ return n; }} int two(int n) {{ return -n; }} int (*keep)(int) = two; {statics}
    int main(void) {{ return {pointer}; }}"""
    program = load_text(text, DataModel.LP64)
    unknown = [e.number for e in program.edge_list if isinstance(e.operation, Unmodelled)]
    assert unknown
    assert points_to(program).known_calls == (frozenset(unknown) if known else frozenset())


def _points_to(text: str) -> PointsTo:
    return points_to(load_text(text, DataModel.LP64))


def _constant(text: str) -> set[str]:
    return {variable.name for variable in _points_to(text).constant}


def _name(place: object) -> object:
    match place:
        case Block():
            return "block"
        case Blocks():
            return "blocks"
        case Code(name=name):
            return f"{name}()"
        case StringLiteral(data=data):
            return data
        case Variable(name=name):
            return name
    return place


def _distance(place: object, at: Distance) -> tuple[int, ...]:
    return NULL if place is NOWHERE else tuple(number for number in at if number is not None)
