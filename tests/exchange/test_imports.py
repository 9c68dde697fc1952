"""Products of other tools, whole and damaged: what is read is a value, and everything else an error with its place."""

import zipfile
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.model import Acceptance
from gia.automaton.status import goal_status
from gia.errors import DocumentError, InputError
from gia.exchange.detection import detect
from gia.exchange.formats import READABLE, WRITABLE
from gia.exchange.gia_xml import gia_bytes
from gia.exchange.imports import ProductType, import_verdict
from gia.exchange.suites.ktest import Ktest, KtestObject, ktest_bytes
from gia.exchange.witness.invariants import claim_by_invariants
from gia.orchestrator.handover.converting import _WRITERS
from gia.verdict import GoalStatus
from tests.exchange.importing import Subject, subject
from tests.exchange.test_automaton_import import BRANCHES, GIA
from tests.exchange.test_witness_import import entry, path_of, waypoint

GRAPH = """\
<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key attr.name="isEntryNode" attr.type="boolean" for="node" id="entry"><default>false</default></key>
 <graph edgedefault="directed">
  <data key="witness-type">violation_witness</data>
  <node id="a"><data key="entry">true</data></node><node id="b"/><node id="c"><data key="violation">true</data></node>
  <edge source="a" target="b"><data key="startline">5</data><data key="assumption">x == 42;</data></edge>
  <edge source="b" target="c"><data key="startline">7</data><data key="control">condition-true</data></edge>
 </graph>
</graphml>
"""
PROOF = entry(
    "invariant_set",
    "[{invariant: {type: location_invariant, location: {line: 6}, value: x > 10 || x <= 10, format: c_expression}}]",
)
PATH = path_of(waypoint("function_return", 5, 33, r"\result == 42"), waypoint("target", 7, 18))
PIECES = [b"", b"\0", b"9", b"-", b"{", b"}", b"<", b"\xff", b"\n", b'"', b": ", b"x" * 50]
DOCUMENTS: list[tuple[ProductType, bytes]] = [
    (
        "violation-witness",
        path_of(waypoint("function_return", 5, 33, r"\result == 42"), waypoint("target", 7, 18)).encode(),
    ),
    ("violation-witness", GRAPH.encode()),
    ("correctness-witness", PROOF.encode()),
    ("condition", GIA.encode()),
    ("test-suite", b'<testcase coversError="true"><input type="int">42</input></testcase>'),
    ("ktest", ktest_bytes(Ktest((KtestObject("int", b"\x2a\0\0\0"),)))),
    ("verdict", b"true"),
]


@pytest.fixture(scope="module")
def branching(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """A program with two errors, behind two conditions."""
    return subject(tmp_path_factory.mktemp("branching"), BRANCHES)


@pytest.mark.parametrize(("type_", "document"), DOCUMENTS)
def test_formats_are_told_by_their_content(tmp_path: Path, type_: ProductType, document: bytes) -> None:
    path = tmp_path / "something.dat"
    path.write_bytes(document)
    assert detect(path) == type_
    path.write_bytes(b"\xef\xbb\xbf" + document)
    assert type_ == "ktest" or detect(path) == type_


@pytest.mark.parametrize(("type_", "document"), DOCUMENTS)
def test_each_says_what_is_tested_or_claimed(branching: Subject, type_: ProductType, document: bytes) -> None:
    found = branching.imported(type_, document)
    if type_ in ("correctness-witness", "verdict"):
        assert set(goal_status(branching.program, found.automaton, branching.goals).values()) == {
            GoalStatus.UNREACHABLE
        }
        assert found.tests == ()
    else:
        assert [test.literals for test in found.tests] == [("42",)]
        assert not found.automaton.accepting(Acceptance.UT)


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_whatever_is_in_a_file_it_is_read_or_refused(branching: Subject, data: st.DataObject) -> None:
    type_, document = data.draw(st.sampled_from(DOCUMENTS))
    damaged = bytearray(document)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, max(0, len(damaged) - 1)))
        piece = data.draw(st.sampled_from(PIECES))
        damaged[at : at + data.draw(st.integers(0, 3))] = piece
    wanted = data.draw(st.sampled_from([type_, type_, type_, *get_args(ProductType)]))
    try:
        branching.imported(wanted, bytes(damaged))
    except InputError as error:
        assert error.position is not None
        assert error.position.file.endswith("product")


def test_a_gia_of_another_program_is_refused(branching: Subject, tmp_path: Path) -> None:
    other = subject(tmp_path, BRANCHES.replace("42", "43"))
    with pytest.raises(DocumentError, match="another program"):
        branching.imported("gia", gia_bytes(claim_by_invariants(other.program, other.goals, [])))


def test_one_broken_test_costs_only_itself(branching: Subject, tmp_path: Path) -> None:
    documents = {
        "metadata.xml": "<test-metadata><programfile>p.c</programfile></test-metadata>",
        "a.xml": "<testcase><input>1</input></testcase>",
        "b.xml": "<testcase><input>2</inp",
        "c.xml": "<testcase><input>many</input></testcase>",
        "__MACOSX/._a.xml": "\0\5\26\7",
        "d.XML": '<?xml version="1.0" encoding="windows-1252"?><testcase><input variable="ä">4</input></testcase>',
        "e.xml": '<?xml version="1.0" encoding="no-such"?><testcase/>',
    }
    archive = tmp_path / "suite.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        for name, document in documents.items():
            writer.writestr(name, document.encode("windows-1252" if name == "d.XML" else "utf-8"))
    found = branching.imported("test-suite", archive)
    assert [test.literals for test in found.tests] == [("1",), ("4",)]
    assert [name for name in documents if any(f"/{name}" in note for note in found.notes)] == [
        "b.xml",
        "c.xml",
        "__MACOSX/._a.xml",
        "e.xml",
    ]


def test_a_verdict_that_proves_nothing(branching: Subject) -> None:
    for text, remark in (("FALSE(unreach-call)", "brings no test"), ("unknown", "no verdict")):
        found = import_verdict(text, branching.program, branching.goals)
        assert not found.automaton.accepting(Acceptance.UT)
        assert remark in found.notes[0]
    found = import_verdict("RESULT: SAFE", branching.program, branching.goals, true="SAFE$", false="UNSAFE$")
    assert found.automaton.accepting(Acceptance.UT)


def test_what_is_documented_is_there() -> None:
    assert set(WRITABLE) == set(_WRITERS)
    assert set(READABLE) == {*get_args(ProductType), "task-definition"}
    page = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    for name in {*READABLE, *WRITABLE}:
        assert f"`{name}`" in page


NEWER = """\
- entry_type: ghost_instrumentation
  content: {ghost_variables: []}
- entry_type: invariant_set
  metadata: {format_version: 2.1}
  content:
  - contract: {location: {line: 5}, ensures: x > 0}
  - invariant: {type: function_contract, location: {line: 5}, ensures: x > 0}
  - invariant: {type: loop_transition_invariant, location: {line: 5}, value: "x > \\\\at(x, AnyPrev)"}
  - invariant: {type: location_invariant, location: {line: 6, column: 3, function: main}, value: "x == x;"}
- entry_type: violation_sequence
  content:
  - segment: [{waypoint: {type: assumption, action: cycle, location: {line: 6}}}]
"""


def test_what_newer_formats_say_is_reported(branching: Subject) -> None:
    found = branching.imported("correctness-witness", NEWER)
    for what in ("ghost_instrumentation", "contract", "function_contract", "loop_transition_invariant", "cycle"):
        assert any(what in note for note in found.notes), what
    texts = {state.invariant.text for state in found.automaton.states if state.invariant}
    assert texts == {"x == x"}


AVOIDING = """\
- entry_type: violation_sequence
  content:
  - segment:
    - waypoint: {type: branching, action: avoid, location: {line: 6, column: 3}, constraint: {value: "true"}}
    - waypoint: {type: assumption, action: avoid, location: {line: 10, column: 3}, constraint: {value: x == 5}}
    - waypoint: {type: target, action: follow, location: {line: 10, column: 15}}
"""


def test_waypoints_are_avoided(branching: Subject) -> None:
    automaton = branching.imported("violation-witness", AVOIDING).automaton
    staying = [step for step in automaton.transitions if step.source == step.target == automaton.initial]
    free = next(step for step in staying if step.assumption is None and step.edges is not None)
    assert free.edges is not None
    assert not any(edge.line == 6 for edge in free.edges)
    (conditional,) = [step for step in staying if step.assumption is not None]
    assert conditional.assumption is not None
    assert conditional.assumption.text == "!(x == 5)"
    assert {(edge.line, edge.branch) for edge in conditional.edges or ()} == {(6, "else")}
