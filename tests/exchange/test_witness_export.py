"""What is written of proofs and tests: strict, true, and understood again."""

import json
import re
import subprocess
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gia.automaton.model import Condition
from gia.cfa.expressions import Binary, Expression, IntegerConstant, Variable, VariableReference
from gia.cfa.types import INT, DataModel
from gia.exchange.source.program_places import ProgramPlaces
from gia.exchange.witness.graphml import read_graphml
from gia.exchange.witness.invariants import claim_by_invariants
from gia.exchange.witness.model import Place
from gia.exchange.witness.statements import InvariantExport
from gia.exchange.witness.writer import WitnessMetadata, correctness_witness
from gia.exchange.witness.yaml_reader import read_yaml_witness
from gia.orchestrator.facts.knowledge import Proof, nothing_known
from gia.orchestrator.facts.task import TaskRequest, load_task
from gia.orchestrator.facts.witnessing import proven_invariants_of, write_correctness
from tests.cli.harness import gia
from tests.exchange.importing import PRELUDE, loaded, subject
from tests.exchange.strict_witness import Correctness, Violation, checked

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

COUNTING = """\
int main(void) {
  unsigned n = __VERIFIER_nondet_int(), i = 0, y = 0;
  if (n > 1000) return 0;
  while (i < n) { i++; y += 2; }
  for (int k = 0; k < 50; k++) { y += 2; i++; }
  if (y != 2 * i) reach_error();
  return 0;
}
"""

WRONG = """\
extern float __VERIFIER_nondet_float(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int b =
    __VERIFIER_nondet_bool(
    );
  if (__VERIFIER_nondet_ulonglong() > 9223372036854775808ULL && __VERIFIER_nondet_float() == 2.5f)
    if (x == -2147483647 - 1 && b)
      reach_error();
  return 0;
}
"""


def verified(folder: Path, text: str, *options: str) -> Any:
    """What ``gia verify`` says about a program; it leaves its files in ``out``."""
    (folder / "p.c").write_text(PRELUDE + text)
    ran = gia("verify", "p.c", "--out", "out", "--json", "--data-model", "ILP32", *options, cwd=folder)
    assert ran.status == 0, ran.err
    return ran.json


def witness_in(folder: Path) -> Violation | Correctness:
    """The witness of a run, strictly checked."""
    return checked(YAML(typ="safe").load((folder / "out" / "witness.yml").read_text()))


def test_the_witness_of_a_proof_states_its_invariants_and_is_certified_again(tmp_path: Path) -> None:
    assert verified(tmp_path, COUNTING)["verdict"] == "true"
    witness = witness_in(tmp_path)
    assert isinstance(witness, Correctness)
    assert [fact.invariant.location.line for fact in witness.content] == [7, 8]
    tested = loaded(tmp_path / "p.c")
    found = tested.imported("correctness-witness", tmp_path / "out" / "witness.yml")
    assert found.notes == ()
    assert tested.certified(found) == {goal.id for goal in tested.goals}
    text = PRELUDE + COUNTING
    values = {fact.invariant.location.line: fact.invariant.value for fact in witness.content}
    text = text.replace("while (i < n)", f"while (({values[7]}) ? i < n : (__builtin_trap(), 0))")
    text = text.replace("k < 50;", f"({values[8]}) ? k < 50 : (__builtin_trap(), 0);")
    (tmp_path / "asserted.c").write_text(text + "int __VERIFIER_nondet_int(void) { return 77; }\n")
    subprocess.run(["gcc", "-w", "-o", tmp_path / "asserted", tmp_path / "asserted.c"], check=True)
    assert subprocess.run([tmp_path / "asserted"], check=False).returncode == 0


def test_a_loop_that_is_unrolled_has_no_invariant_in_a_witness_and_needs_none(tmp_path: Path) -> None:
    assert verified(tmp_path, COUNTING.replace("50", "5"))["verdict"] == "true"
    witness = witness_in(tmp_path)
    assert isinstance(witness, Correctness)
    assert [fact.invariant.location.line for fact in witness.content] == [7]
    tested = loaded(tmp_path / "p.c")
    found = tested.imported("correctness-witness", tmp_path / "out" / "witness.yml")
    assert tested.certified(found) == {goal.id for goal in tested.goals}


ELEMENTS = """\
int a[1000];
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000) return 0;
  for (int i = 0; i < n; i++) a[i] = 42;
  for (int i = 0; i < n; i++) if (a[i] != 42) reach_error();
  return 0;
}
"""


def test_what_holds_of_all_elements_is_left_out_of_witnesses(tmp_path: Path) -> None:
    result = verified(tmp_path, ELEMENTS)
    assert result["verdict"] == "true"
    assert all(goal["certified"] for goal in result["goals"])
    assert r"\any" in (tmp_path / "out" / "gia.xml").read_text()
    assert r"\any" not in (tmp_path / "out" / "witness.yml").read_text()


TWO_PROOFS = """\
int main(void) {
  unsigned n = __VERIFIER_nondet_int(), i = 0, x = 0, y = 0;
  while (i < n) { i++; x += 2; y += 3; }
  if (x != 2 * i) reach_error();
  if (y != 3 * i) reach_error();
  return 0;
}
"""


def test_a_witness_states_what_each_of_several_proofs_needs(tmp_path: Path) -> None:
    """The first proof to say something about a loop once kept the others from it."""
    (tmp_path / "p.c").write_text(PRELUDE + TWO_PROOFS)
    task = load_task(TaskRequest(tmp_path / "p.c", "unreach-call", DataModel.ILP32))
    (head,) = ProgramPlaces.of(task.program).loop_heads(Place("p.c", 6, 3))
    proofs = []
    for goal, invariant in zip(task.goals, ("x == 2 * i", "y == 3 * i"), strict=True):
        claim = claim_by_invariants(task.program, [goal], [(head, Condition(invariant, "main"))])
        proofs.append(Proof(claim, frozenset({goal.id}), frozenset({goal.id}), "prover", goal.id))
    found = proven_invariants_of(nothing_known(task).extended(proofs=proofs), monotonic() + 30)
    text = write_correctness(task, found, "2026-01-01T00:00:00Z").text
    (invariant,) = read_yaml_witness(text.encode(), "w").invariants or ()
    assert invariant.value.count("==") == 2
    tested = loaded(tmp_path / "p.c")
    assert len(tested.certified(tested.imported("correctness-witness", text))) == 2


DO_LOOPS = """\
int main(void) {
  unsigned n = __VERIFIER_nondet_int(), i = 0, y = 0;
  if (n > 1000) return 0;
  do { i++; y += 2; } while (i < n);
  if (y != 2 * i) reach_error();
  return 0;
}
"""


def test_the_invariant_of_a_do_loop_holds_where_a_round_begins_and_ends(tmp_path: Path) -> None:
    assert verified(tmp_path, DO_LOOPS)["verdict"] == "true"
    witness = witness_in(tmp_path)
    assert isinstance(witness, Correctness)
    stated = [fact.invariant for fact in witness.content]
    assert ("loop_invariant", 7, 3) in {(each.type, each.location.line, each.location.column) for each in stated}
    tested = loaded(tmp_path / "p.c")
    assert tested.certified(tested.imported("correctness-witness", tmp_path / "out" / "witness.yml"))
    (value,) = [each.value for each in stated if each.type == "loop_invariant"]
    document = YAML(typ="safe").load((tmp_path / "out" / "witness.yml").read_text())
    document[0]["content"] = [each for each in document[0]["content"] if each["invariant"]["value"] == value]
    (tmp_path / "loop.yml").write_text(json.dumps(document))
    assert tested.certified(tested.imported("correctness-witness", tmp_path / "loop.yml")), value
    text = (PRELUDE + DO_LOOPS).replace("do {", f"do {{ if (!({value})) __builtin_trap();")
    text = text.replace("while (i < n)", f"while (({value}) ? i < n : (__builtin_trap(), 0))")
    for number in (0, 1, 77):
        (tmp_path / "asserted.c").write_text(text + f"int __VERIFIER_nondet_int(void) {{ return {number}; }}\n")
        subprocess.run(["gcc", "-w", "-o", tmp_path / "asserted", tmp_path / "asserted.c"], check=True)
        assert subprocess.run([tmp_path / "asserted"], check=False).returncode == 0


@pytest.mark.parametrize("condition", ["(x = y) > 0", "x > 0 && y++", "__VERIFIER_nondet_int()"])
def test_a_do_loop_whose_condition_has_effects_has_no_invariant(tmp_path: Path, condition: str) -> None:
    loop = "do { x--; } while (CONDITION);".replace("CONDITION", condition)
    text = f"int main(void) {{\n  int x = __VERIFIER_nondet_int(), y = 1;\n  {loop}\n  reach_error();\n}}\n"
    assert not ProgramPlaces.of(subject(tmp_path, text).program).do_loops
    plain = ProgramPlaces.of(subject(tmp_path, text.replace(f"({condition})", "(x > y)")).program)
    assert [found.place.line for loops in plain.do_loops.values() for found in loops] == [6]


def test_a_shipped_example_is_certified_again(tmp_path: Path) -> None:
    path = EXAMPLES / "bank_locks.c"
    ran = gia("verify", path, "--out", "out", "--json", "--data-model", "ILP32", cwd=tmp_path)
    assert ran.json["verdict"] == "true"
    witness_in(tmp_path)
    tested = loaded(path)
    assert tested.certified(tested.imported("correctness-witness", tmp_path / "out" / "witness.yml"))
    converted = gia("convert", "out/gia.xml", "--to", "correctness-witness-graphml", "-o", "w.graphml", cwd=tmp_path)
    assert converted.status == 0, converted.err
    assert tested.certified(tested.imported("correctness-witness", tmp_path / "w.graphml"))
    converted = gia("convert", "out/gia.xml", "--to", "correctness-witness-2.1", "-o", "w.yml", cwd=tmp_path)
    assert converted.status == 0, converted.err
    witness = checked(YAML(typ="safe").load((tmp_path / "w.yml").read_text()))
    assert witness.metadata.format_version == "2.1"
    assert tested.certified(tested.imported("correctness-witness", tmp_path / "w.yml"))


def test_a_violation_is_followed_again(tmp_path: Path) -> None:
    """Floats, the least integer, a value that needs a suffix, a call over several lines."""
    (tmp_path / "p.c").write_text(PRELUDE + WRONG)
    suite = '<testcase><input type="int">-2147483648</input><input>1</input><input>18446744073709551615</input>'
    (tmp_path / "t.xml").write_text(f"{suite}<input>2.5</input></testcase>")
    common = ("--program", "p.c", "--spec", "unreach-call", "--data-model", "ILP32")
    for format_ in ("violation-witness", "violation-witness-2.1", "violation-witness-graphml"):
        ran = gia("convert", "t.xml", "--to", format_, "-o", "witness", *common, cwd=tmp_path)
        assert ran.status == 0, ran.err
        again = gia("convert", "witness", "--to", "test-suite", "-o", format_, cwd=tmp_path)
        assert again.out == f"1 test in {format_}\n", again.err
        written = (tmp_path / format_ / "testcase-1.xml").read_text()
        assert re.findall(r"<input[^>]*>(.*)</input>", written) == ["-2147483648", "1", "18446744073709551615", "2.5"]
        if format_ != "violation-witness-graphml":
            witness = checked(YAML(typ="safe").load((tmp_path / "witness").read_text()))
            assert isinstance(witness, Violation)
            assert witness.metadata.format_version == ("2.1" if format_.endswith("2.1") else "2.0")
            columns = [
                (s.waypoint.location.line, s.waypoint.location.column) for g in witness.content for s in g.segment
            ]
            assert columns == [(8, 33), (11, 5), (12, 35), (12, 89), (14, 7)]
        else:
            assert read_graphml((tmp_path / "witness").read_bytes(), "w").is_violation


def test_a_witness_for_a_label_is_about_the_label(tmp_path: Path) -> None:
    """In old tasks, also where another goal is a call."""
    declared = "extern void __assert_fail(const char *, const char *, unsigned int, const char *);\n"
    body = 'if (x == 1) __assert_fail("0", "p.c", 1, "main"); if (x == 2) { ERROR: return 1; } return 0;'
    main = f"int main(void) {{ int x = __VERIFIER_nondet_int(); {body} }}\n"
    (tmp_path / "p.c").write_text("extern int __VERIFIER_nondet_int(void);\n" + declared + main)
    for value, named in ((1, "call(__assert_fail())"), (2, "label(ERROR)")):
        (tmp_path / "t.xml").write_text(f"<testcase><input>{value}</input></testcase>")
        common = ("--program", "p.c", "--spec", "unreach-call")
        ran = gia("convert", "t.xml", "--to", "violation-witness", "-o", "w.yml", *common, cwd=tmp_path)
        assert ran.status == 0, ran.err
        assert f"LTL(G ! {named}) )" in (tmp_path / "w.yml").read_text()
        again = gia("convert", "w.yml", "--to", "test-suite", "-o", "tests", cwd=tmp_path)
        assert again.out == "1 test in tests\n", again.err


@pytest.mark.parametrize("called", ["__assert_fail", "__VERIFIER_error", "reach_error"])
def test_a_witness_names_the_error_function_of_the_program(tmp_path: Path, called: str) -> None:
    """Whatever the property file calls it; and it is understood again."""
    declared = "extern void __assert_fail(const char *, const char *, unsigned int, const char *);\n"
    arguments = '"0", "p.c", 1, "main"' if called == "__assert_fail" else ""
    text = f"void stop(void) {{ {called}({arguments}); }}\nint main(void) {{ if (__VERIFIER_nondet_int()) stop(); }}\n"
    prelude = PRELUDE if called == "reach_error" else PRELUDE.replace("reach_error", "__VERIFIER_error")
    (tmp_path / "p.c").write_text(prelude + declared + text)
    (tmp_path / "t.xml").write_text("<testcase><input>7</input></testcase>")
    (tmp_path / "error.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    for format_ in ("violation-witness", "violation-witness-graphml", "task-definition"):
        common = ("--program", "p.c", "--spec", "error.prp")
        ran = gia("convert", "t.xml", "--to", format_, "-o", format_, *common, cwd=tmp_path)
        assert ran.status == 0, ran.err
        stated = tmp_path / format_ / "p.prp" if format_ == "task-definition" else tmp_path / format_
        assert f"CHECK( init(main()), LTL(G ! call({called}())) )" in stated.read_text()
        if format_ != "task-definition":
            again = gia("convert", format_, "--program", "p.c", "--to", "test-suite", "-o", "tests", cwd=tmp_path)
            assert again.out == "1 test in tests\n", again.err


def test_a_value_that_a_witness_cannot_state_is_reported(tmp_path: Path) -> None:
    declared = "extern float __VERIFIER_nondet_float(void);\n"
    text = declared + "int main(void) { float f = __VERIFIER_nondet_float(); if (f != f) reach_error(); }\n"
    (tmp_path / "p.c").write_text(PRELUDE + text)
    (tmp_path / "t.xml").write_text("<testcase><input>nan</input></testcase>")
    common = ("--program", "p.c", "--spec", "unreach-call")
    ran = gia("convert", "t.xml", "--to", "violation-witness", *common, cwd=tmp_path)
    assert ran.status == 0
    assert "p.c:5:28: input 1 is left out: a witness cannot state its value nan" in ran.err


def test_a_witness_states_so_many_inputs(tmp_path: Path) -> None:
    text = "int main(void) { for (int i = 0; i < 12000; i++) __VERIFIER_nondet_int(); reach_error(); }\n"
    (tmp_path / "p.c").write_text(PRELUDE + text)
    (tmp_path / "t.xml").write_text(f"<testcase>{'<input>7</input>' * 12_000}</testcase>")
    common = ("--program", "p.c", "--spec", "unreach-call")
    ran = gia("convert", "t.xml", "--to", "violation-witness", *common, cwd=tmp_path)
    assert ran.status == 0
    assert "the inputs after the first 10000 are left out" in ran.err
    assert ran.out.count("type: function_return") == 10_000
    assert ran.out.count("type: target") == 1


SCOPES = """\
int g;
int other(int v) { int w = v; while (w > 0) w--; return w; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  { int early = 1; x += early; }
  for (int k = 0; k < 3; k++) {
    int inner = k; int g = inner;
    while (x > inner) { x--; int late = x; g += late; }
  }
  if (x == 12345) reach_error();
  return x;
}
"""


@pytest.mark.parametrize(
    ("line", "column", "name", "stated"),
    [
        (9, 3, "x", True),
        (9, 3, "k", True),
        (9, 3, "early", False),
        (9, 3, "inner", False),
        (9, 3, "g", False),
        (11, 5, "inner", True),
        (11, 5, "k", True),
        (11, 5, "late", False),
        (11, 5, "w", False),
        (5, 31, "w", True),
        (5, 31, "g", True),
    ],
)
def test_only_what_is_in_scope_is_stated(tmp_path: Path, line: int, column: int, name: str, stated: bool) -> None:
    program = subject(tmp_path, SCOPES).program
    places = ProgramPlaces.of(program)
    (head,) = places.loop_heads(Place("p.c", line, column))
    variables = {variable.name: variable for function in program.functions.values() for variable in function.locals}
    variables |= {initialiser.variable.name: initialiser.variable for initialiser in program.statics}

    def positive(variable: Variable) -> Expression:
        return Binary(">", VariableReference(variable), IntegerConstant(0, INT), INT)

    export = InvariantExport(places)
    global_g = next(i.variable for i in program.statics if i.variable.name == "g")
    found = export.invariants({head: [[[positive(global_g if name == "g" else variables[name])]]]})
    assert [invariant.value for invariant in found] == ([f"{name} > 0"] if stated else [])
    assert bool(export.notes) != stated


def test_alternatives_are_weakened_together(tmp_path: Path) -> None:
    program = subject(tmp_path, SCOPES).program
    places = ProgramPlaces.of(program)
    (head,) = places.loop_heads(Place("p.c", 9, 3))
    variables = {variable.name: variable for variable in program.functions["main"].locals}

    def positive(name: str) -> Expression:
        return Binary(">", VariableReference(variables[name]), IntegerConstant(0, INT), INT)

    def stated(*alternatives: list[Expression]) -> list[str]:
        return [invariant.value for invariant in InvariantExport(places).invariants({head: [alternatives]})]

    assert stated([positive("x"), positive("inner")], [positive("k")]) == ["(x > 0) || (k > 0)"]
    assert stated([positive("inner")], [positive("k")]) == []
    known = [[[positive("x")]], [[positive("k"), positive("x")]], [[positive("x")], [positive("k")]]]
    (together,) = InvariantExport(places).invariants({head: known})
    assert together.value == "(x > 0 && k > 0) && ((x > 0) || (k > 0))"
    both = Binary("&&", Binary("&&", positive("inner"), positive("k"), INT), positive("x"), INT)
    assert stated([both]) == ["k > 0 && x > 0"]


@given(st.text(max_size=20), st.text(max_size=20))
@settings(deadline=None)
def test_any_text_is_written_so_that_it_is_read_again(name: str, value: str) -> None:
    metadata = WitnessMetadata(name, "0" * 64, value, DataModel.LP64, "1", "2026-01-01T00:00:00Z")
    document = YAML(typ="safe", pure=True).load(correctness_witness(metadata))
    task = document[0]["metadata"]["task"]
    assert (task["input_files"], task["specification"]) == ([name], value)
    assert read_yaml_witness(correctness_witness(metadata).encode(), "w").task.specification == value
