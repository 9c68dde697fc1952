"""The shape of the graphs: which edges statements and expressions become."""

from __future__ import annotations

from pathlib import Path

import pytest

from gia.cfa.expressions import Binary, StringLiteral, VariableReference, walk
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.operations import Assign, Assume, Call, Halt, Input, Return, Skip, Unmodelled
from gia.cfa.types import BOOL, CHAR, FLOAT, INT, SHORT, UNSIGNED_SHORT, VOID, DataModel, PointerType, long_type
from gia.frontend import load
from tests.frontend.support import PROGRAMS, decisions, load_program, load_text, shown
from tests.shared import SHARED, needs_shared


def body(text: str, directory: Path, **options: object) -> list[str]:
    """The edges of a main with this body."""
    loaded = load_text(
        f"extern int f(int);\nint main(void) {{ int x = f(0);\n{text}\nreturn x; }}\n", directory, **options
    )
    return [f"{shown(edge)} {edge.text}" for edge in loaded.program.edge_list]


def test_while_stays_and_leaves(tmp_path: Path) -> None:
    assert body("while (x > 1) x--;", tmp_path) == [
        "2:26:input x = f(0)",
        "3:1:assume:then x > 1",
        "3:1:assume:else !(x > 1)",
        "3:15:assign x--",
        "4:1:return return x",
    ]


def test_cases_are_named_by_their_values(tmp_path: Path) -> None:
    text = "enum { A = -1 }; switch (x) { case A: x = 1; break; case 'a' ... 'c': x = 2; default: x = 3; }"
    branches = [line.split()[0] for line in body(text, tmp_path) if "assume" in line]
    assert branches[0].startswith("3:18:assume:case") and len(branches) == 3
    loaded = load_text(f"int main(void) {{ int x = 1; {text} }}", tmp_path)
    assert [e.reference.branch for e in loaded.program.edge_list if e.reference.branch] == [
        "case -1",
        "case 97 ... 99",
        "default",
    ]


def test_a_switch_without_default_has_the_outcome_none(tmp_path: Path) -> None:
    assert decisions(load_text("int main(int x) { switch (x) { case 1: return 1; } return 0; }", tmp_path))[
        -1
    ].endswith(":none")


def test_pure_conjunctions_stay_whole_and_others_split(tmp_path: Path) -> None:
    pure = body("if (x > 1 && x < 5) x = 0;", tmp_path)
    split = body("if (x > 1 && f(x)) x = 0;", tmp_path)
    assert [line for line in pure if "assume " in line] == []
    assert len([line for line in split if ":assume " in line or ":assume#" in line]) == 4
    assert len([line for line in split if ":then" in line]) == 1


def test_atomic_conditions_are_decisions_of_their_own(tmp_path: Path) -> None:
    lines = [line.split()[0] for line in body("if (x > 1 && !(x < 5 || x == 7)) x = 0;", tmp_path, atomic=True)]
    assert [line for line in lines if "atomic" in line] == [
        "3:5:atomic:then",
        "3:5:atomic:else",
        "3:16:atomic:then",
        "3:16:atomic:else",
        "3:25:atomic:then",
        "3:25:atomic:else",
    ]
    assert [line for line in lines if "assume" in line] == ["3:1:assume:then", "3:1:assume:else"]


def test_unreachable_code_is_in_the_graph(tmp_path: Path) -> None:
    lines = body("return 1; if (x) x = 2; L: x = 3;", tmp_path)
    assert "3:11:assume:then x" in lines and "3:25:label L:" in lines


def test_calls_that_end_the_program(tmp_path: Path) -> None:
    text = """
#include <assert.h>
#include <stdlib.h>
extern void reach_error(void), __VERIFIER_assume(int);
void stop(void) __attribute__((noreturn));
void stop(void) { exit(1); }
int main(int x) { __VERIFIER_assume(x > 1); if (x == 2) reach_error(); if (x == 3) stop(); abort(); }
"""
    loaded = load_text(text, tmp_path)
    halts = [e.operation.function for e in loaded.program.edge_list if isinstance(e.operation, Halt)]
    assert sorted(halts) == ["__VERIFIER_assume", "abort", "abort", "exit"]
    assert [g.outcome for g in goals_of(loaded.program, Criterion.ERROR_CALL)] == ["call"]
    assert loaded.program.functions["stop"].noreturn


def test_functions_without_a_body_are_inputs_or_of_the_library(tmp_path: Path) -> None:
    text = "#include <string.h>\nint sensor(int), puts(const char *);\n"
    text += 'int main(void) { puts("x"); return sensor(strlen("abc")); }'
    loaded = load_text(text, tmp_path)
    assert {name: found.is_input for name, found in loaded.program.externals.items()} == {
        "puts": False,
        "sensor": True,
        "strlen": False,
    }
    assert [e.operation.function for e in loaded.program.edge_list if isinstance(e.operation, Input)] == ["sensor"]
    assert "no body" in loaded.warnings[0].message and loaded.warnings[0].position.line == 3


def test_undeclared_inputs_are_declared_as_their_names_say(tmp_path: Path) -> None:
    names = ["bool", "u16", "int", "char", "long", "float", "pointer", "height"]
    calls = "".join(f"  if (__VERIFIER_nondet_{name}()) return {n};\n" for n, name in enumerate(names))
    loaded = load_text(f"int main(void) {{\n{calls}  return -1;\n}}", tmp_path)
    results = [loaded.program.externals[f"__VERIFIER_nondet_{name}"].type.result for name in names]
    long = long_type(DataModel.LP64)
    assert results == [BOOL, UNSIGNED_SHORT, INT, CHAR, long, FLOAT, PointerType(VOID), INT]
    places = [(found.position.line, found.position.column) for found in loaded.warnings]
    assert places == [(2, 7), (3, 7), (5, 7), (6, 7), (7, 7), (8, 7)]
    assert loaded.warnings[3].message == (
        "__VERIFIER_nondet_long is called without a declaration: its values are taken as long"
    )


def test_inputs_that_something_declares_are_as_declared(tmp_path: Path) -> None:
    text = "extern short __VERIFIER_nondet_short(void);\nint main(void) { extern char __VERIFIER_nondet_char();\n"
    text += "  return __VERIFIER_nondet_char() + __VERIFIER_nondet_short(); }"
    loaded = load_text(text, tmp_path)
    assert [found.type.result for found in loaded.program.externals.values()] == [CHAR, SHORT]
    assert loaded.warnings == ()


def test_inputs_that_are_declared_otherwise_than_their_names_say_are_named_once(tmp_path: Path) -> None:
    declared = "extern float __VERIFIER_nondet_double(void); extern unsigned __VERIFIER_nondet_int(void);\n"
    body = "return __VERIFIER_nondet_double() > 1 || __VERIFIER_nondet_double() < 0 || __VERIFIER_nondet_int();"
    loaded = load_text(f"{declared}int main(void) {{ {body} }}", tmp_path)
    (told,) = loaded.warnings
    assert (told.position.line, told.position.column) == (2, 25)
    assert (
        told.message == "__VERIFIER_nondet_double is declared to give float, not double: in tests, its values are float"
    )


def test_what_no_test_supplies_is_named(tmp_path: Path) -> None:
    text = "#include <stdio.h>\nint main(int argc, char *const *argv) {\n  int c = getchar(), x = 0;\n"
    text += '  if (scanf("%p", &x) == 1 && getc(popen("x", "r")) > 1) return c;\n  return 0; }'
    shown = {(warning.position.line, warning.message.split()[1]) for warning in load_text(text, tmp_path).warnings}
    assert shown == {(3, "getchar"), (4, "scanf"), (4, "format"), (4, "getc"), (4, "may")}
    unused = "int main(int argc, char **argv) { return 0; }"
    assert load_text(unused, tmp_path).warnings == ()


def test_variables_that_are_taken_for_inputs_are_named_once_for_each_function(tmp_path: Path) -> None:
    text = "int one(void) { int x; return x; }\nint never(void) { int z; return z; }\nint main(void) {\n"
    text += "  int a, b, c, d, e, f, g = 1;\n  while (g)\n    g = a + b + c + d + e + f;\n  return one(); }"
    found = [(warning.position.line, warning.message) for warning in load_text(text, tmp_path).warnings]
    assert [(line, message.partition(":")[0]) for line, message in sorted(found)] == [
        (1, "x is used before anything is assigned to it"),
        (6, "a, b, c, d, e and 1 more are used before anything is assigned to them"),
    ]


def test_values_of_inputs_go_to_variables_at_once(tmp_path: Path) -> None:
    loaded = load_text(
        "int __VERIFIER_nondet_int(void);"
        "int main(void) { int x = __VERIFIER_nondet_int(); char c = __VERIFIER_nondet_int(); return x + c; }",
        tmp_path,
    )
    first, second = (e.operation for e in loaded.program.edge_list if isinstance(e.operation, Input))
    assert isinstance(first.target, VariableReference) and first.target.variable.name == "x"
    assert isinstance(second.target, VariableReference) and second.target.variable.name == "$t1" and second.type == INT


def test_names_are_unique_in_their_function(tmp_path: Path) -> None:
    loaded = load_text(
        "int x; int main(int x) { { int x = 1; { static int x; x++; } } { extern int x; x = 2; } return x; }", tmp_path
    )
    main = loaded.program.functions["main"]
    names = [v.name for v in (*main.parameters, *main.locals)]
    assert names == ["x", "x$2"]
    assert [s.variable.name for s in loaded.program.statics] == ["x", "x$3"]
    written = [e.operation.target for e in loaded.program.edge_list if isinstance(e.operation, Assign)]
    assert [t.variable.function for t in written if isinstance(t, VariableReference)] == ["main", "main", None]


def test_pointers_to_functions_are_dispatched(tmp_path: Path) -> None:
    text = "static int a(int x) { return x; } static int b(int x) { return -x; } static int c(void) { return 0; }\n"
    text += "int main(int n) { int (*f)(int) = n ? a : b; return f(n); }"
    loaded = load_text(text, tmp_path)
    edges = loaded.program.functions["main"].edges
    assert sorted(e.operation.function for e in edges if isinstance(e.operation, Call)) == ["a", "b"]
    rest = [e for e in edges if isinstance(e.operation, Unmodelled)]
    assert len(rest) == 1 and rest[0].operation.writes is None
    assert ["arguments of main" in warning.message for warning in loaded.warnings] == [True]


def test_address_taken_covers_what_decays(tmp_path: Path) -> None:
    text = "int g(int *p) { return *p; } struct s { int a[2]; };\n"
    text += "int main(void) { int x = 1, y = 2, v[2] = { 0 }, w[2]; struct s t; w[0] = 1; t.a[0] = 3; "
    text += "return g(&x) + g(v) + g(t.a) + y + w[0]; }"
    loaded = load_text(text, tmp_path)
    assert {variable.name for variable in loaded.program.address_taken} == {"x", "v", "t"}


def test_an_array_behind_a_pointer_does_not_take_its_address(tmp_path: Path) -> None:
    text = """struct s { char name[4]; int n[2]; } x, *all[2];
    int f(const char *t) { return *t; }
    int main(void) { struct s *p = &x, **q = all; int *e = &p->n[1]; f(p->name); return f(q[1]->name) + *e; }"""
    loaded = load_text(text, tmp_path)
    assert {variable.name for variable in loaded.program.address_taken} == {"x", "all"}


def test_what_is_not_modelled_is_said(tmp_path: Path) -> None:
    loaded = load_text('int main(void) { int x = 1; __asm__ volatile ("nop" : [out] "+r"(x)); return x; }', tmp_path)
    assert [w.message.split(":")[0] for w in loaded.warnings] == ["inline assembly"]
    assert {variable.name for variable in loaded.program.address_taken} == {"x"}


def test_main_returns_zero_at_its_end_and_other_functions_nothing(tmp_path: Path) -> None:
    loaded = load_text("int f(void) { }\nint main(void) { f();\n}\n", tmp_path)
    returns = {e.reference.function: e for e in loaded.program.edge_list if isinstance(e.operation, Return)}
    assert returns["f"].operation == Return(None)
    assert shown(returns["main"]) == "3:1:return" and returns["main"].operation != Return(None)


def test_an_empty_endless_loop_is_an_edge(tmp_path: Path) -> None:
    loaded = load_text("int main(void) { L: goto L; }", tmp_path)
    assert [type(e.operation) for e in loaded.program.edge_list] == [Skip, Skip]


def test_deep_nesting(tmp_path: Path) -> None:
    chain = " else ".join(f"if (x == {i}) x = {i + 1};" for i in range(1500))
    total = " + ".join(["x"] * 2000)
    loaded = load_text(f"int main(int x) {{ {chain} return {total} + {'(' * 200}x{')' * 200}; }}", tmp_path)
    assert len(decisions(loaded)) == 3000
    deepest = max(
        _depth(e.operation.value)
        for e in loaded.program.edge_list
        if isinstance(e.operation, Assign | Return) and e.operation.value
    )
    assert deepest < 150


def _depth(expression: object) -> int:
    depth, level = 0, [expression]
    while level:
        depth += 1
        level = [c for e in level if isinstance(e, Binary) for c in (e.left, e.right)]
    return depth


def test_string_literals_keep_their_bytes(tmp_path: Path) -> None:
    loaded = load_text('int main(void) { return *("a\\0\\x4" "1\\n\\377" + 1); }', tmp_path)
    values = [e.operation.value for e in loaded.program.edge_list if isinstance(e.operation, Return)]
    assert [p.data for p in walk(values[0]) if isinstance(p, StringLiteral)] == [b"a\x00\x041\n\xff\x00"]


def test_assume_edges_are_pairs_or_the_cases_of_a_switch() -> None:
    for path in PROGRAMS:
        for function in load_program(path, DataModel.LP64).program.functions.values():
            for edges in function.leaving.values():
                assumes = [e for e in edges if isinstance(e.operation, Assume)]
                assert len(assumes) in (0, len(edges))
                assert len(edges) <= 1 or assumes


@needs_shared
@pytest.mark.parametrize("number", range(0, 120, 8))
def test_tasks_load(number: int) -> None:
    rows = [line.split("\t") for line in (SHARED / "benchmarks" / "TASKS.tsv").read_text().splitlines()[1:]]
    path, _, model = rows[number][:3]
    program = load(SHARED / "benchmarks" / path, data_model=DataModel(model)).program
    assert len(program.by_reference) == len(program.edge_list) > 0
