"""Random programs of several files in which the same names mean different things behave as the linker makes them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend.linking.support import outputs

NAMES = ("alpha", "packed", "value")
"""The second is the name of an attribute, the third that of a member, too."""

HEADER = """
#define MIX(h, v) ((h) * 31 + (int)(v))
int printf(const char *, ...);
struct item { int value; struct item *next; };
typedef struct item item_t;
enum level { LOW, HIGH = 7 };
static inline int twice(int alpha) { return alpha * 2 + LOW; }
static int counted;
static inline int count(void) { return ++counted; }
static inline int remembered(void) { static int b; return b += 3; }
"""

FILE_SCOPE = {
    "function": "static int {n}(int x) {{ return x * {c} + 1; }}",
    "forward": "static int {n}(int); static int {n}(int x) {{ return x - {c}; }}",
    "variable": "static int {n} = {c};",
    "type": "typedef {t} {n};",
    "constant": "enum {{ {n} = {c} }};",
    "own type": "typedef struct {{ {t} a[{c}]; }} {n};",
    "cleanup": 'static void {n}(int *p) {{ printf("%d;", *p); }}',
    "definition": "int {n} = {c};",
    "declaration": "extern int {n};",
}
"""What an ordinary name may be declared as in a file; those that are not here are used in functions only."""

USES = {
    "function": "h = MIX(h, {n}(h));",
    "forward": "h = MIX(h, {n}({n}(h)));",
    "variable": "{n} += h; h = MIX(h, {n});",
    "type": "{{ {n} v = ({n})h; h = MIX(h, v + sizeof({n})); }}",
    "constant": "h = MIX(h, {n});",
    "own type": "{{ {n} v[2]; h = MIX(h, sizeof v); }}",
    "cleanup": "{{ int v __attribute__((cleanup({n}))) = h; }}",
    "definition": "{n}++; h = MIX(h, {n});",
    "declaration": "{n} ^= 5; h = MIX(h, {n});",
    "block": "{{ extern int {n}; {n} += 2; h = MIX(h, {n}); }}",
    "local": "{{ int {n} = h ^ {c}; h = MIX(h, {n}); }}",
    "label": "if (h & 1) goto {n}; h = MIX(h, {c}); {n}: h++;",
    "": "",
}

TAGS = {
    "struct": ("struct {n} {{ int {n}; {t} b; }};", "{{ struct {n} v = {{ .{n} = h, .b = 1 }}; h = MIX(h, v.{n}); }}"),
    "old": ("struct {n} {{ {t} b; int {n}; }};", "{{ struct {n} v = {{ {n}: h }}; h = MIX(h, (&v)->{n}); }}"),
    "union": ("union {n} {{ char a[{c}]; {t} b; }};", "h = MIX(h, sizeof(union {n}));"),
    "enum": ("enum {n} {{ A_{n}, B_{n} = {c} }};", "{{ enum {n} v = B_{n}; h = MIX(h, v); }}"),
    "circle": (
        "struct {n}; struct of_{n} {{ struct {n} *up; {t} x; }}; struct {n} {{ struct of_{n} *down; }};",
        "{{ struct of_{n} d; struct {n} u = {{ &d }}; d.x = 3; h = MIX(h, u.down->x + sizeof d); }}",
    ),
    "with variable": ("static struct {n} {{ {t} b; }} v_{n} = {{ {c} }};", "h = MIX(h, sizeof v_{n} + v_{n}.b);"),
    "packed": (
        "struct {n} {{ char a; {t} {n}; }} __attribute__((packed));",
        "h = MIX(h, sizeof(struct {n}) + __builtin_offsetof(struct {n}, {n}));",
    ),
    "pragma": ("#pragma pack(2)\nstruct {n} {{ char a; {t} c; }};\n#pragma pack()", "h = MIX(h, sizeof(struct {n}));"),
    "left packed": ("#pragma pack(push, 1)\nstruct {n} {{ char a; {t} c; }};", "h = MIX(h, sizeof(struct {n}));"),
    "inner": ("", "{{ struct {n} {{ {t} a[{c}]; }}; h = MIX(h, sizeof(struct {n})); }}"),
    "mentioned": ("", "{{ struct {n} *p = 0; h = MIX(h, sizeof p); }}"),
    "hidden": ("struct {n};", "{{ struct {n} *p = 0; h = MIX(h, sizeof p); }}"),
    "": ("", ""),
}

SHARED = {"definition", "declaration", "block"}


@st.composite
def programs(draw: st.DrawFn) -> dict[str, str]:
    """Files of which the first one defines ``main`` and each one a function that uses all its names."""
    number = draw(st.integers(2, 3))
    bodies = [""] * number
    scopes = ['#include "shared.h"'] * number
    for name in NAMES:
        for index, role in enumerate(_with_one_definition(draw(_roles([*USES], number)))):
            words = _words(draw, name)
            scopes[index] += "\n" + FILE_SCOPE.get(role, "").format(**words)
            bodies[index] += "\n    " + USES[role].format(**words)
        for index, role in enumerate(draw(_roles([*TAGS], number))):
            words = _words(draw, name)
            declaration, use = (text.format(**words) for text in TAGS[role])
            scopes[index] += "\n" + declaration
            bodies[index] += "\n    " + use
    files = {"shared.h": HEADER}
    for index in range(number):
        common = "h = MIX(h, twice(h) + count() + remembered() + HIGH); item_t i = { h }; h += i.value;"
        function = f"int file{index}(int h) {{\n    {common}{bodies[index]}\n    return h;\n}}"
        files[f"f{index}.c"] = f"{scopes[index]}\n{function}\n"
    calls = " ".join(f'printf("%d ", file{index}(round));' for index in range(number))
    declarations = "".join(f"int file{index}(int);\n" for index in range(number))
    files["f0.c"] += f"{declarations}int main(void) {{ for (int round = 0; round < 4; round++) {{ {calls} }} }}\n"
    return files


def _roles(roles: Sequence[str], number: int) -> Any:
    return st.lists(st.sampled_from(roles), min_size=number, max_size=number)


def _words(draw: st.DrawFn, name: str) -> dict[str, Any]:
    return {"n": name, "c": draw(st.integers(1, 3)), "t": draw(st.sampled_from(["char", "short", "long"]))}


def _with_one_definition(roles: list[str]) -> list[str]:
    """The roles of a name in all files, so that one of those that share it defines it."""
    sharing = [index for index, role in enumerate(roles) if role in SHARED]
    changed = ["declaration" if role == "definition" else role for role in roles]
    if sharing:
        changed[sharing[0]] = "definition"
    return changed


@given(files=programs())
@settings(max_examples=40, deadline=None)
def test_a_linked_program_does_what_its_files_do(files: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        theirs, ours = outputs(files, Path(directory))
    assert ours == theirs
