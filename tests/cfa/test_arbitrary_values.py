"""Variables of which it is certain that they are used before anything is assigned to them."""

from pathlib import Path

import pytest

from gia.cfa.arbitrary_values import arbitrary_values
from gia.cfa.types import DataModel
from gia.frontend import load

HEADER = "extern int __VERIFIER_nondet_int(void); void take(int *);\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x; return x;", "1 x"),
        ("int x = 1; return x;", ""),
        ("int x = x; return x;", "1 x"),
        ("int x;\nx++;\nreturn x;", "2 x"),
        ("int x, y;\nx = y;\nreturn x;", "2 y"),
        ("int x;\nwhile (x > 0)\nx = __VERIFIER_nondet_int();\nreturn n;", "2 x"),
        ("int x; if (n) x = 1; return x;", ""),
        ("int x; if (n) x = 1; if (n) return x; return 2;", ""),
        ("int x;\nif (n)\nreturn x; x = 1; return x;", "3 x"),
        ("int x, known = 0; while (n--) { if (known) n -= x; x = n; known = 1; } return n;", ""),
        ("int x;\nfor (;;) { if (n) x = 1; else break; n--; }\nreturn 2;", ""),
        ("for (;;) { int x;\nif (x) return n;\nx = n--; }", "2 x"),
        ("switch (n) { int x; case 1: x = 2; break;\ndefault: n = x; } return n;", "2 x"),
        ("int x; take(&x); return x;", ""),
        ("int x; (void)x; return sizeof x;", ""),
        ("static int x; return x;", ""),
        ("int a[3]; struct { int i; } s; return a[n] + s.i;", ""),
        ("int *p;\nreturn *p;", "2 p"),
        ('int x; __asm__("mov %1, %0" : "=r"(x) : "r"(n)); return x;', ""),
        ("double d;\nreturn d > 0.5;", "2 d"),
        ("int a[n], i;\nreturn a[i];", "2 i"),
        ("{ int x = 1; n += x; }\n{ int x;\nn += x; }\nreturn n;", "3 x$2"),
    ],
)
def test_only_what_is_certain_is_told(body: str, expected: str, tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(
        f"{HEADER}static int f(int n) {{ {body} }}\nint main(void) {{ return f(__VERIFIER_nondet_int()); }}"
    )
    program = load(path, data_model=DataModel.LP64).program
    found = arbitrary_values(program.functions["f"], program.address_taken, program.types)
    assert " ".join(f"{edge.position.line - 1} {variable.name}" for variable, edge in found.items()) == expected
