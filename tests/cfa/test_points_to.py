"""Where pointers may point: what is not seen may be anywhere, and what may be null is known to be nowhere."""

from __future__ import annotations

import pytest

from gia.cfa.expressions import Variable
from gia.cfa.points_to import NOWHERE, Block, points_to
from gia.cfa.types import DataModel
from tests.smt.native import load_text

CASES = {
    "an array": ("int a[9]; int *p = a;", "", {"a": 0}),
    "moved": ("int a[9]; int *p = a; p++; p += 3;", "", {"a": 4}),
    "moved by two": ("int a[9]; int *p = &a[2]; p += 4;", "", {"a": 8}),
    "maybe null": ("int a[9]; int *p = 0; if (a[0]) p = a;", "", {NOWHERE: 0, "a": 0}),
    "a field": ("struct { int x; int y[3]; } s; int *p = s.y;", "", {"s": 4}),
    "a block": ("int *p = malloc(8);", "", {"block": 0}),
    "many blocks": ("int *p = 0; while (*(volatile int *)&n) p = malloc(8);", "int n;", None),
    "a block in a callee": ("int *p = make();", "int *make(void) { return malloc(8); }", {"block": 0}),
    "through a parameter": ("int a[9]; int *p = same(a);", "int *same(int *q) { return q + 1; }", {"a": 4}),
    "read from memory": ("int a[9]; int *b[1] = {a}; int *p = b[0];", "", None),
    "from a number": ("int *p = (int *)n;", "long n;", None),
    "changed through a pointer": ("int a[9]; int *p = a; int **q = &p; *q = 0;", "", None),
    "of a function that calls itself": ("int *p = f(0);", "int *f(int *q) { int l; return l ? f(&l) : q; }", None),
    "from an input": ("int *p = __VERIFIER_nondet_pointer();", "int *__VERIFIER_nondet_pointer(void);", None),
    "not assigned everywhere": ("int a[9]; int *q; if (a[0]) q = a; int *p = q;", "", {"a": 0, NOWHERE: 0}),
    "found": ("char a[9]; char *p = strchr(a, 61);", "", {"a": 1, NOWHERE: 0}),
    "found in a block": ("int *p = (int *)memchr(malloc(8) + 4, 0, 4);", "", {"block": 1, NOWHERE: 0}),
    "found anywhere": ('char *p = strchr(getenv("A"), 61);', "", None),
    "given back": ('char a[9]; char *p = strcpy(a + 1, "");', "", {"a": 1}),
    "grown": ("int *p = realloc(0, 8);", "", None),
    "a callback's parameter": ("int *p = 0; g = f;", "void (*g)(int *); void f(int *p) {}", {NOWHERE: 0}),
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
    named = None if places is None else {_name(place): multiple for place, multiple in places.items()}
    assert named == expected


def test_parameters_of_functions_that_others_may_call_point_anywhere() -> None:
    program = load_text("void f(int *p) {} void (*g)(int *) = f; int main(void) { f(0); return 0; }", DataModel.LP64)
    assert program.functions["f"].parameters[0] not in points_to(program).places


def test_each_frame_has_its_block() -> None:
    text = """#include <stdlib.h>
    int *make(void) { return malloc(4); }
    int main(void) { int *p = make(), *q = make(); return p == q; }"""
    found = points_to(load_text(text, DataModel.LP64))
    assert len(found.blocks) == 2
    assert len({block.context for block in found.blocks}) == 2


def _name(place: object) -> object:
    if isinstance(place, Block):
        return "block"
    return place.name if isinstance(place, Variable) else place
