"""Witnesses of other tools: where they are understood, what becomes of their claims, and what nonsense does."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.model import Acceptance
from gia.errors import DocumentError, InputError
from gia.exchange.source.program_places import ProgramPlaces
from gia.exchange.witness.model import Place
from gia.exchange.witness.yaml_reader import read_yaml_witness
from tests.exchange.importing import Subject, subject
from tests.shared import SHARED, needs_shared

SUM = """\
int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned i = 0, y = 0;
  while (i < x) {
    i++; y += 2;
    if (i > 100000) return 0;
  }
  if (y != 2 * i) { reach_error(); }
  if (x == 42)
    reach_error();
  return 0;
}
"""


def entry(kind: str, content: str, metadata: str = "{}") -> str:
    """The text of a witness."""
    return f"- entry_type: {kind}\n  metadata: {metadata}\n  content: {content}\n"


def waypoint(kind: str, line: int, column: int, constraint: str = "", action: str = "follow") -> str:
    """A waypoint in flow style."""
    value = f", constraint: {{value: '{constraint}', format: c_expression}}" if constraint else ""
    location = f"{{file_name: p.c, line: {line}, column: {column}}}"
    return f"{{waypoint: {{type: {kind}, action: {action}, location: {location}{value}}}}}"


def path_of(*segments: str) -> str:
    """A violation witness whose segments have one waypoint each."""
    listed = ", ".join(f"{{segment: [{segment}]}}" for segment in segments)
    return entry("violation_sequence", f"[{listed}]")


@pytest.fixture(scope="module")
def summing(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A program with an error that cannot be reached and one that can."""
    return subject(tmp_path_factory.mktemp("sum"), SUM)


def test_a_path_becomes_a_candidate_and_its_values_a_test(summing: Subject) -> None:
    found = summing.imported(
        "violation-witness",
        path_of(
            waypoint("function_return", 5, 33, r"\result == 42"),
            waypoint("branching", 7, 3, "true"),
            waypoint("target", 13, 5),
        ),
    )
    assert [test.inputs for test in found.tests] == [(("int", "42"),)]
    (candidate,) = found.automaton.accepting(Acceptance.CAND)
    into = [step for step in found.automaton.transitions if step.target == candidate != step.source]
    assert {(edge.line, edge.kind) for step in into for edge in step.edges or ()} == {(13, "call")}
    assert any(step.assumption and step.assumption.text == r"\result == 42" for step in found.automaton.transitions)
    assert [note for note in found.notes if "waypoint" in note] == []


def test_an_assumption_on_the_variable_is_one_on_its_input(summing: Subject) -> None:
    found = summing.imported(
        "violation-witness", path_of(waypoint("assumption", 6, 3, "x == -7"), waypoint("target", 13, 5))
    )
    assert [test.inputs for test in found.tests] == [(("int", "-7"),)]


def test_what_cannot_be_found_is_reported(summing: Subject) -> None:
    found = summing.imported(
        "violation-witness",
        path_of(waypoint("branching", 99, 1, "true"), waypoint("assumption", 6, 3, "z > 1"), waypoint("target", 5, 1)),
    )
    notes = "\n".join(found.notes)
    assert "p.c:99:1: the waypoint branching is not found" in notes
    assert "no variable z" in notes
    assert "target is no goal" in notes


def test_invariants_are_certified_and_wrong_ones_do_no_harm(summing: Subject) -> None:
    good = (
        "{invariant: {type: loop_invariant, location: {line: 7, column: 3}, value: y == 2 * i, format: c_expression}}"
    )
    wrong = good.replace("y == 2 * i", "y == 3 * i")
    found = summing.imported("correctness-witness", entry("invariant_set", f"[{wrong}, {good}]"))
    assert summing.certified(found) == {"main:11:21:call"}
    found = summing.imported("correctness-witness", entry("invariant_set", f"[{wrong}]"))
    assert summing.certified(found) == frozenset()


def test_a_witness_for_another_program_is_refused(summing: Subject) -> None:
    metadata = "{task: {input_file_hashes: {p.c: " + "0" * 64 + "}}}"
    with pytest.raises(DocumentError, match="made for a program with the hash"):
        summing.imported("correctness-witness", entry("invariant_set", "[]", metadata))


LOOPS = """\
int main(void) {
  int i;
  for (i = 0; i < 3; i++)
    for (;;) { if (i) break; i++; }
  while (__VERIFIER_nondet_int()) {
    i--;
  }
  do { i++; } while (i < 9 && __VERIFIER_nondet_int());
  int k = i + 1; k = 3 +
    __VERIFIER_nondet_int();
  /* while ( */ while (k > ')') k--;
  return k;
}
"""


def test_statements_and_loops_are_found_by_their_first_characters(tmp_path: Path) -> None:
    program = subject(tmp_path, LOOPS).program
    places = ProgramPlaces.of(program)
    leaving = program.functions["main"].leaving

    def texts(locations: list[int]) -> list[str]:
        return sorted(leaving[location][0].text for location in locations)

    assert texts(places.loop_heads(Place("p.c", 6, 3))) == ["i < 3"]
    assert texts(places.statement_starts(Place("p.c", 6, 3))) == ["i = 0"]
    assert texts(places.loop_heads(Place("p.c", 7, 5))) == ["1"]
    assert texts(places.statement_starts(Place("p.c", 7))) == ["1"]
    assert texts(places.loop_heads(Place("p.c", 8))) == ["$t1 = __VERIFIER_nondet_int()"]
    assert "i++" in texts(places.loop_heads(Place("p.c", 11, 3)))
    assert texts(places.statement_starts(Place("p.c", 12, 3))) == ["k = i + 1"]
    assert texts(places.statement_starts(Place("p.c", 12, 18))) == ["$t4 = __VERIFIER_nondet_int()"]
    assert texts(places.loop_heads(Place("p.c", 14))) == ["k > ')'"]
    assert places.loop_heads(Place("p.c", 12)) == []
    (call,) = places.calls(Place("p.c", 13, 27))
    assert call.text == "$t4 = __VERIFIER_nondet_int()"


NAMES = [
    "entry_type",
    "metadata",
    "content",
    "segment",
    "waypoint",
    "type",
    "action",
    "location",
    "line",
    "column",
    "constraint",
    "value",
    "invariant",
    "task",
    "input_files",
    "input_file_hashes",
]
TEXTS = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")),
    st.recursive(
        st.sampled_from(["1", "x", "'a'", "target", "follow", "[", "*a", "&a 1", "!!str 1", "violation_sequence"]),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
            st.dictionaries(
                st.sampled_from(NAMES),
                inner,
                max_size=4,
            ).map(lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}"),
        ),
        max_leaves=12,
    ).map(str.encode),
)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_whatever_is_read_is_a_witness_or_an_error_with_its_place(data: bytes) -> None:
    try:
        read_yaml_witness(data, "w.yml")
    except DocumentError as error:
        assert error.position is not None
        assert error.position.file == "w.yml"


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_a_damaged_witness_is_read_or_refused(summing: Subject, data: st.DataObject) -> None:
    text = path_of(waypoint("function_return", 5, 33, r"\result == 42"), waypoint("target", 13, 5))
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from(["", "}", "0", "\n", ": ", "- ", "'"])) + text[at + 1 :]
    try:
        found = summing.imported("violation-witness", damaged)
    except InputError as error:
        assert error.position is not None
    else:
        assert len(found.tests) == 1


@needs_shared
def test_witnesses_of_cpachecker_are_read() -> None:
    folder = SHARED / "fixtures" / "witness"
    correct = read_yaml_witness((folder / "cpachecker-correctness-v2.yml").read_bytes(), "c.yml")
    assert correct.invariants is not None
    assert [(found.place.line, found.value) for found in correct.invariants] == [(18, "y <= x")]
    wrong = read_yaml_witness((folder / "cpachecker-violation-witness-v2.yml").read_bytes(), "v.yml")
    assert wrong.segments is not None
    kinds = [[(point.kind, point.follow) for point in segment] for segment in wrong.segments]
    assert kinds == [
        [("assumption", True)],
        [("branching", True)],
        [("assumption", False), ("function_return", True)],
        [("target", True)],
    ]
    assert wrong.segments[2][1].constraint == r"\result == 4"
