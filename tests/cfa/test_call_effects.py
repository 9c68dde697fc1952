"""What calls may write, and which frames last while others come and go."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.call_effects import ANYTHING, Effects, effects_of
from gia.cfa.contracts import lasting_frames, lasting_variables
from gia.cfa.graph import Program
from gia.cfa.places import Area
from gia.cfa.types import DataModel
from gia.frontend import load

HEAD = """#include <stdlib.h>
#include <string.h>
struct s { int n; short k; int bits : 3; int a[4]; struct s *next; };
static struct s g; static int x, y, shown; int *volatile kept = &shown;
extern int given(void); extern void unknown(struct s *);
"""


def program(text: str, folder: Path) -> Program:
    path = folder / "p.c"
    path.write_text(HEAD + text)
    return load(path, data_model=DataModel.LP64).program


def effects(body: str, folder: Path) -> Effects:
    loaded = program(
        f"static int f(struct s *p, int i) {{ struct s own; own.n = 1; {body}; return own.n; }}\n"
        "static int others(struct s *q) { q->k = 3; return 0; }\n"
        "int main(void) { struct s l; f(&l, given()); others(&l); return f(&g, 1); }\n",
        folder,
    )
    return effects_of(loaded, loaded.functions["f"])


def named(found: Effects) -> dict[str, set[tuple[int, int]]]:
    """The areas by the names of variables: their begins, as far as these are exact, and sizes."""
    assert found.memory is not None
    return {
        getattr(place, "name", str(place)): {_area(area) for area in areas} for place, areas in found.memory.items()
    }


def _area(area: Area) -> tuple[int, int]:
    return (-1 if area.begin.modulus else area.begin.rest, min(area.size, 1000))


@pytest.mark.parametrize(
    ("body", "statics", "areas"),
    [
        ("", set(), {}),
        ("x = i", {"x"}, {}),
        ("p->n = i; y++", {"y"}, {"g": {(0, 4)}, "l": {(0, 4)}}),
        ("p->a[2] = i", set(), {"g": {(16, 4)}, "l": {(16, 4)}}),
        ("p->bits = i", set(), {"g": {(-1, 1000)}, "l": {(-1, 1000)}}),
        ("*p = own", set(), {"g": {(0, 32)}, "l": {(0, 32)}}),
        ("memset(&g, 0, 8)", set(), {"g": {(-1, 1000)}}),
        ("g.k = strlen((char *)p)", set(), {"g": {(4, 2)}}),
        ("p->k = given()", set(), {"g": {(4, 2)}, "l": {(4, 2)}}),
        ("shown = i", set(), {"shown": {(0, 4)}}),
        ("if (i) f(p, i - 1); else x = 2", {"x"}, {}),
    ],
)  # fmt: skip
def test_what_a_call_writes(body: str, statics: set[str], areas: dict[str, set[tuple[int, int]]], tmp_path: Path):
    found = effects(body, tmp_path)
    assert found.statics is not None
    assert {variable.name for variable in found.statics} == statics
    assert not found.allocates
    assert named(found) == {**areas, "own": {(0, 4)}}


@pytest.mark.parametrize("body", ["*(int *)(long)i = 1", "p->next->n = i; *(struct s **)(long)i = p"])
def test_what_is_not_known_to_lead_somewhere_leads_anywhere(body: str, tmp_path: Path):
    assert effects(body, tmp_path).memory is None


def test_calls_of_unknown_functions_write_all_that_there_is(tmp_path: Path):
    assert effects("unknown(p)", tmp_path) == ANYTHING


def test_allocations_are_effects(tmp_path: Path):
    assert effects("free(malloc(i))", tmp_path).allocates


def test_frames_that_last(tmp_path: Path):
    loaded = program(
        """static int walk(int *p, int n) { int z = *p; int *q = &z; return n ? inner(q) + walk(q, n - 1) : *q; }
static int inner(int *p) { int i = 1; int *q = &i; return *p + *q; }
static int by_pointer(void) { int b = 0; return walk(&b, 2); }
static int twice(void) { int t = 0; return walk(&t, 1); }
static int once(int parameter) { int o = 2, plain = 3; return walk(&o, 3) + walk(&parameter, plain); }
static int (*pointer)(void) = by_pointer;
int main(void) { int m = 0; return twice() + twice() + once(m) + walk(&m, 2) + pointer() + by_pointer(); }
""".replace("static int walk", "static int inner(int *p);\nstatic int walk", 1),
        tmp_path,
    )
    contexts = lasting_frames(loaded)
    assert contexts.keys() == {"main", "once"}
    assert contexts["main"] == ()
    assert len(contexts["once"]) == 1
    found = lasting_variables(loaded)["walk"]
    assert {(variable.name, variable.function) for variable in found} == {
        ("m", "main"),
        ("o", "once"),
        ("parameter", "once"),
    }
    assert all(contexts[str(variable.function)] == context for variable, context in found.items())


def test_nothing_lasts_if_the_entry_function_calls_itself(tmp_path: Path):
    loaded = program("int main(int n, char **v) { int m = 0, *q = &m; return n ? *q : main(1, v); }", tmp_path)
    assert not lasting_frames(loaded)
