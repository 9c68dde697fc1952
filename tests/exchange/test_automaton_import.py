"""Automata in CPAchecker's language and witnesses in GraphML: what they mean for the programs beside them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.model import Acceptance
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion
from gia.errors import DocumentError
from gia.exchange.cpachecker.automaton_text import automaton_text, read_automaton_text
from gia.exchange.suites.testcomp_suite import read_suite
from gia.exchange.witness.graphml import graphml_text, read_graphml
from gia.verdict import GoalStatus
from tests.exchange.importing import Subject, loaded, subject
from tests.shared import SHARED, needs_shared

CPACHECKER = SHARED / "fixtures" / "cpachecker-gia"

BRANCHES = """\
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    if (x == 42) reach_error();
    return 1;
  }
  if (x == 5) reach_error();
  return 0;
}
"""

CONDITION = """\
OBSERVER AUTOMATON AssumptionAutomaton
INITIAL STATE ARG0;
STATE __TRUE :
    TRUE -> GOTO __TRUE;
STATE __FALSE :
    TRUE -> ASSUME {false} GOTO __FALSE;
STATE USEFIRST ARG0 :
    MATCH "int main()" -> GOTO ARG1;
    TRUE -> GOTO __TRUE;
STATE USEFIRST ARG1 :
    MATCH "int x = __VERIFIER_nondet_int();" -> GOTO ARG2;
    TRUE -> GOTO __TRUE;
STATE USEFIRST ARG2 :
    MATCH "[x > 10]" -> GOTO __FALSE;
    TRUE -> GOTO __TRUE;
END AUTOMATON
"""


def status_of(tested: Subject, text: str) -> list[GoalStatus]:
    """The status of each goal after an import, in the order of the program."""
    automaton = tested.imported("condition", text).automaton
    return list(goal_status(tested.program, automaton, tested.goals).values())


def test_a_condition_claims_what_was_verified(tmp_path: Path) -> None:
    tested = subject(tmp_path, BRANCHES)
    assert status_of(tested, CONDITION) == [GoalStatus.OPEN, GoalStatus.UNREACHABLE]
    assert status_of(tested, CONDITION.replace("[x > 10]", "[!(x > 10)]")) == [GoalStatus.UNREACHABLE, GoalStatus.OPEN]


def test_no_more_is_claimed_than_the_file_says(tmp_path: Path) -> None:
    """What the program does not have must not lead on to what was verified."""
    tested = subject(tmp_path, BRANCHES)
    found = tested.imported("condition", CONDITION.replace("[x > 10]", "[y > 10]"))
    assert list(goal_status(tested.program, found.automaton, tested.goals).values()) == [GoalStatus.OPEN] * 2
    assert any("[y > 10]" in note for note in found.notes)


GIA = """\
OBSERVER AUTOMATON AssumptionAutomaton
INITIAL STATE A0;
STATE __qTEMP :
    TRUE -> ASSUME {false} GOTO __qTEMP;
TARGET STATE __qERROR :
    TRUE -> GOTO __qERROR;
NON_TARGET STATE __qFINAL :
    TRUE -> GOTO __qFINAL;
STATE USEALL A0 :
    MATCH "int x = __VERIFIER_nondet_int();" -> ASSUME SCOPE main{x == 42} GOTO A1;
    MATCH OTHERWISE -> GOTO A0;
STATE USEALL A1 :
    MATCH "reach_error();" -> GOTO __qERROR;
    MATCH OTHERWISE -> GOTO A1;
END AUTOMATON
"""


def test_a_target_is_a_candidate_with_its_test(tmp_path: Path) -> None:
    tested = subject(tmp_path, BRANCHES)
    found = tested.imported("condition", GIA)
    assert [test.inputs for test in found.tests] == [(("int", "42"),)]
    assert found.automaton.accepting(Acceptance.CAND)
    assert status_of(tested, GIA) == [GoalStatus.OPEN] * 2


def test_a_claim_of_a_gia_counts_as_far_as_its_paths_go(tmp_path: Path) -> None:
    tested = subject(tmp_path, BRANCHES)
    text = GIA.replace('MATCH "reach_error();" -> GOTO __qERROR', 'MATCH "[!(x > 10)]" -> GOTO __qFINAL')
    text = text.replace("ASSUME SCOPE main{x == 42} ", "")
    assert status_of(tested, text) == [GoalStatus.OPEN, GoalStatus.UNREACHABLE]


LINES = st.sampled_from(GIA.splitlines() + CONDITION.splitlines())


@given(st.one_of(st.binary(max_size=100), st.lists(LINES, max_size=12).map(lambda lines: "\n".join(lines).encode())))
@settings(max_examples=200, deadline=None)
def test_any_text_is_an_automaton_or_an_error_with_its_line(data: bytes) -> None:
    try:
        found = read_automaton_text(data, "a.txt")
    except DocumentError as error:
        assert error.position is not None
        assert error.position.file == "a.txt"
    else:
        written = automaton_text(found)
        assert automaton_text(read_automaton_text(written.encode(), "b.txt")) == written


GRAPH_PARTS = """\
<graphml> </graphml> <graph> </graph> <node|id="a"> </node> <node|id="b"/> <edge/> x &e; <edge|source="a"|target="b"/>
<data|key="entry">true</data> <data|key="violation">true</data> <!-- -->
<key|id="x"|attr.name="isEntryNode"|for="node"><default>true</default></key> <!DOCTYPE|a|[<!ENTITY|e|'f'>]>"""
GRAPHS = st.lists(st.sampled_from(GRAPH_PARTS.split()), max_size=14).map("".join)


@given(st.one_of(st.binary(max_size=100), GRAPHS.map(lambda text: text.replace("|", " ").encode())))
@settings(max_examples=300, deadline=None)
def test_any_xml_is_a_witness_or_an_error_with_its_line(data: bytes) -> None:
    try:
        found = read_graphml(data, "w.graphml")
    except DocumentError as error:
        assert error.position is not None
        assert error.position.file == "w.graphml"
    else:
        assert graphml_text(read_graphml(graphml_text(found).encode(), "again")) == graphml_text(found)


# ---- files of CPAchecker


@needs_shared
@pytest.mark.parametrize("name", ["count", "count-char", "count-float"])
def test_the_inputs_of_a_test_are_read_off_its_automaton(name: str) -> None:
    tested = loaded(CPACHECKER / f"{name}.c")
    found = tested.imported("condition", CPACHECKER / f"gia-{name}.txt")
    (expected,) = read_suite(CPACHECKER / f"testinput-{name}.xml")
    values = [float(literal) for literal in found.tests[0].literals]
    assert values == [99.0 if literal == "'c'" else float(literal) for literal in expected.literals]
    assert found.automaton.accepting(Acceptance.CAND)


@needs_shared
def test_a_violation_means_the_same_as_witness_and_as_automaton() -> None:
    tested = loaded(CPACHECKER / "sumt2.c", Criterion.BRANCHES)
    witness = tested.imported("violation-witness", CPACHECKER / "cex1-sumt2.graphml")
    automaton = tested.imported("condition", CPACHECKER / "gia-sumt2.txt")
    for found in (witness, automaton):
        assert len(found.automaton.accepting(Acceptance.CAND)) == 1
        outcomes = {
            (edge.line, edge.branch)
            for step in found.automaton.transitions
            if step.source != step.target and step.edges and len(step.edges) < 5
            for edge in step.edges
            if edge.branch and edge.function != "assume_abort_if_not"
        }
        assert outcomes == {(27, "else"), (31, "else"), (17, "then")}
    first = goal_status(tested.program, witness.automaton, tested.goals)
    assert first == goal_status(tested.program, automaton.automaton, tested.goals)


@needs_shared
def test_a_proof_of_cpachecker_is_certified() -> None:
    tested = loaded(CPACHECKER / "jain_1-1.c")
    found = tested.imported("correctness-witness", CPACHECKER / "corwit-jain11.graphml")
    assert found.notes == ()
    assert tested.certified(found) == {goal.id for goal in tested.goals}
    automaton = tested.imported("condition", CPACHECKER / "gia-corwit-jain11.txt").automaton
    assert {state.invariant.text for state in automaton.states if state.invariant} == {"(( y % 2 ) == 1 )"}
    path = tested.imported("violation-witness", CPACHECKER / "infeasible-ce-jain11.graphml")
    assert path.automaton.accepting(Acceptance.CAND)


@needs_shared
@pytest.mark.parametrize("name", ["cpachecker-gia/cex1-sumt2", "cpachecker-gia/corwit-jain11", "witness/valid-witness"])
def test_graphs_are_written_as_they_were_read(name: str) -> None:
    graph = read_graphml((SHARED / "fixtures" / f"{name}.graphml").read_bytes(), name)
    again = read_graphml(graphml_text(graph).encode(), name)
    assert [(node.name, node.is_("entry")) for node in again.nodes] == [(n.name, n.is_("entry")) for n in graph.nodes]
    assert again.task == graph.task
    assert [edge.number("startline") for edge in again.edges] == [edge.number("startline") for edge in graph.edges]
