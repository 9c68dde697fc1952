"""The combiner: Definition 7 by the reference, its algebra, and the worked example of the article."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from gia.automaton.canonical import canonical
from gia.automaton.model import ANY, Acceptance, ActorRecord, Automaton, Condition, Metadata, State, Transition
from gia.automaton.operations import reduce
from gia.automaton.simulation import Matching, void_claims
from gia.automaton.wellformed import violations
from gia.cfa.graph import EdgeReference
from gia.combiner import Contradiction, combine, without_decided
from gia.combiner.combine import _without_claims
from gia.errors import InputError
from tests.automaton import reference as ref

EDGES = [EdgeReference("main", line, 1, "assume", "then") for line in range(1, 20)]
NONE = State()
UT, RT, CAND = (State(None, kind) for kind in Acceptance)


def on(*lines: int) -> frozenset[EdgeReference]:
    return frozenset(EDGES[line - 1] for line in lines)


def where(text: str) -> Condition:
    return Condition(text, "main")


def initial(*lines: int) -> Automaton:
    loops = (Transition(0, 0, ANY), Transition(1, 1, ANY))
    return Automaton((NONE, CAND), (*loops, Transition(0, 1, on(*lines))), 0)


def a_test(line: int, value: int) -> Automaton:
    r"""A test in compact form: loops, one input on line 2 with this value, and the goal on ``line``."""
    transitions = (
        Transition(0, 0, on(1)),
        Transition(0, 1, on(2), where(f"\\result == {value}")),
        Transition(1, 1, on(1, 2)),
        Transition(1, 2, on(line), where("x < 4")),
    )
    return Automaton((NONE, NONE, RT), transitions, 0)


def a_proof(line: int) -> Automaton:
    transitions = (Transition(0, 0, on(1, 2, 3, 4, 5, 6)), Transition(0, 1, on(line)), Transition(1, 1, ANY))
    return Automaton((NONE, UT), transitions, 0)


def tried(*automata: Automaton) -> Automaton:
    """The combination; contradicting automata are no example."""
    try:
        result = combine(automata)
    except Contradiction:
        assume(False)
    return result


@settings(max_examples=48 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(count=2))
def test_definition_7(case):
    program, (first, second) = case
    among = list(ref.paths(program, 5))
    combined = tried(first, second)
    assert violations(combined) == ()
    ut, rt, cand = ref.languages(combined, among)
    ut1, rt1, cand1 = ref.languages(first, among)
    ut2, rt2, cand2 = ref.languages(second, among)
    assert (ut, rt) == (ut1 | ut2, rt1 | rt2)
    assert cand <= cand1 | cand2


@settings(max_examples=48 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(count=3, max_states=4))
def test_the_combiner_is_commutative_idempotent_and_associative(case):
    program, (first, second, third) = case
    combined = tried(first, second)
    assert combine([second, first]) == combined
    assert combine([combined]) == combined
    alone = tried(first)  # what contradicts itself may be hidden by more general claims of the second
    assert combine([first, first]) == alone
    among = list(ref.paths(program, 4))
    left, right = tried(combined, third), tried(first, tried(second, third))
    assert ref.languages(left, among)[:2] == ref.languages(right, among)[:2]


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(kinds=(Acceptance.UT, Acceptance.CAND)))
def test_dropped_candidates_are_excluded(case):
    program, (automaton,) = case
    automaton = reduce(automaton)
    claims = void_claims(automaton, Acceptance.CAND, Acceptance.UT, Matching.WEAKER)
    rest = _without_claims(automaton, claims)
    among = list(ref.paths(program, 5))
    ut, _, cand = ref.languages(automaton, among)
    assert ref.language(rest, Acceptance.UT, among) == ut
    assert cand <= ref.language(rest, Acceptance.CAND, among) | ut


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(kinds=(Acceptance.UT, Acceptance.CAND)))
def test_it_makes_no_difference_how_many_edges_are_few(case):
    _, (automaton,) = case
    with pytest.MonkeyPatch.context() as patch:
        found = set()
        for few in 0, 1, 100:
            patch.setattr("gia.automaton.product.FEW", few)
            found.add(void_claims(automaton, Acceptance.CAND, Acceptance.UT, Matching.WEAKER))
    assert len(found) == 1


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(count=2, with_calls=False, conditions=(), max_states=4))
def test_what_is_refused_is_contradictory(case):
    program, (first, second) = case
    try:
        combine([first, second])
    except Contradiction as error:
        word = [step.edge or program.edge_list[0].reference for step in error.witness]
        edges = [program.by_reference[reference] for reference in word]
        path = ref.Path(tuple(edges), ({"x": 0, "y": 0},) * (len(edges) + 1), True)
        covered = {kind for kind in Acceptance for a in (first, second) if ref.covers(a, kind, path)}
        assert {Acceptance.UT, Acceptance.RT} <= covered
        assert error.excluding
        assert error.reaching


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(max_states=6))
def test_dropping_decided_candidates_keeps_what_is_decided(case):
    program, (automaton,) = case
    decided = frozenset(edge.reference for edge in program.edge_list[::2])
    among = list(ref.paths(program, 5))
    ut, rt, cand = ref.languages(automaton, among)
    rest = ref.languages(without_decided(reduce(automaton), decided), among)
    assert rest[:2] == (ut, rt)
    assert rest[2] <= cand


def test_the_same_facts_again_do_not_make_it_grow():
    facts = [initial(3, 5, 7, 9), a_test(3, 1), a_proof(7), a_test(5, 2)]
    once = combine(facts)
    known = once
    for _ in range(3):
        for fact in facts:
            known = combine([known, fact])
        assert known == once


def test_many_rounds_of_new_facts_grow_with_the_facts():
    known = initial(*range(3, 20))
    sizes = []
    for number in range(3, 20):
        known = combine([known, a_test(number, number)])
        sizes.append(len(known.transitions))
    assert all(later - earlier <= 5 for earlier, later in pairwise(sizes))


def test_an_initial_state_with_loops_does_not_gain_what_leaves_the_other_one():
    looping = Automaton((NONE, RT), (Transition(0, 0, on(1)), Transition(0, 1, on(2))), 0)
    straight = Automaton((NONE, UT), (Transition(0, 1, on(3)),), 0)
    combined = combine([looping, straight])
    edges = {line: EDGES[line - 1] for line in (1, 3)}
    program = ref.make_program(main=[(0, 1, ref.Skip()), (1, 2, ref.Skip())])
    first, second = program.edge_list
    looped = ref.Path((_with(first, edges[1]), _with(second, edges[3])), ({"x": 0, "y": 0},) * 3, True)
    assert not ref.covers(combined, Acceptance.UT, looped)


def _with(edge, reference):
    return type(edge)(edge.number, edge.source, edge.target, edge.operation, reference, edge.file, edge.text)


def test_combining_decides_the_candidates_of_a_covered_edge():
    combined = combine([initial(3, 5), a_test(3, 1)])
    into = [t.edges for t in combined.transitions if combined.states[t.target] == CAND and t.source != t.target]
    assert into
    assert all(edges == on(5) for edges in into)


def test_figure_14():
    """Test generation of the article: A1 reached l3, A2 excludes l7 and knows better when l5 and l9 are reached."""
    op, then1, else1, assign, then2, else2 = (on(line) for line in (1, 2, 3, 4, 5, 6))
    prefix = lambda state: [Transition(0, 1, op), Transition(1, 2, else1), Transition(2, state, assign)]  # noqa: E731
    first = Automaton(
        (NONE, NONE, NONE, NONE, RT, CAND, NONE),
        (
            *prefix(3),
            Transition(0, 6, op, where("x == 0")),
            Transition(6, 4, then1),
            Transition(3, 5, then2),
            Transition(3, 5, else2),
            Transition(5, 5, ANY),
        ),
        0,
    )
    second = Automaton(
        (NONE, NONE, NONE, NONE, UT, NONE, NONE, NONE, CAND),
        (
            *prefix(3),
            Transition(3, 4, then2),
            Transition(0, 5, op, where("x == 5")),
            Transition(5, 6, else1),
            Transition(6, 7, assign),
            Transition(7, 8, else2),
            Transition(8, 8, ANY),
        ),
        0,
    )
    third = combine([first, second])
    steps = {(t.edges, third.states[t.target].accept) for t in third.transitions if t.source != t.target}
    assert (then2, Acceptance.UT) in steps
    assert (then2, Acceptance.CAND) not in steps
    assert (then1, Acceptance.RT) in steps
    assert [t.assumption.text for t in third.transitions if t.assumption] == ["x == 0", "x == 5"]
    assert len([t for t in third.transitions if t.edges == else2]) == 1


def test_a_contradiction_is_refused_with_a_shortest_witness():
    with pytest.raises(Contradiction) as caught:
        combine([initial(3), a_test(3, 7), a_proof(3)], ["start.xml", "test.xml", "proof.xml"])
    assert (caught.value.excluding, caught.value.reaching) == ("proof.xml", "test.xml")
    assert [step.edge.line for step in caught.value.witness] == [2, 3]
    assert "proof.xml says" in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_ut_run_with_an_own_assumption_is_no_contradiction():
    loop, claim, sink = a_proof(3).transitions
    conditional = Automaton((NONE, UT), (loop, claim._replace(assumption=where("y == 1")), sink), 0)
    combine([a_test(3, 7), conditional])
    implied = Automaton((NONE, UT), (loop, claim._replace(assumption=where("x < 4")), sink), 0)
    with pytest.raises(Contradiction):
        combine([a_test(3, 7), implied])


def test_an_automaton_that_excludes_everything_contradicts_every_test():
    everything = Automaton((UT,), (Transition(0, 0, ANY),), 0)
    assert combine([everything, a_proof(3), initial(3)]) == everything
    with pytest.raises(Contradiction, match="a says"):
        combine([everything, a_test(3, 1)], ["a", "b"])


def test_different_programs_are_not_combined():
    first = Automaton((NONE,), (), 0, Metadata("a.c", "11"))
    second = Automaton((NONE,), (), 0, Metadata("a.c", "22"))
    with pytest.raises(InputError, match=r"b\.xml: its program's hash is '22', that of a\.xml is '11'"):
        combine([first, second], ["a.xml", "b.xml"])
    with pytest.raises(InputError, match="nothing to combine"):
        combine([])


def test_the_actors_of_all_inputs_are_kept_once():
    one, two = ActorRecord("fuzz", "1", "UA", 1.0, 2.0), ActorRecord("prove", "2", "OA")
    first = Automaton((NONE,), (), 0, Metadata("a.c", "11", "LP64", "", "2026-01-01", (one,)))
    second = Automaton((NONE,), (), 0, Metadata("a.c", "11", "", "spec", "2026-01-02", (two, one)))
    assert combine([first, second]).metadata == Metadata("a.c", "11", "LP64", "spec", "2026-01-02", (one, two))


def test_decided_goals_are_no_candidates():
    assert without_decided(reduce(initial(3, 5)), on(3)) == canonical(initial(5))
    assert without_decided(reduce(initial(3)), on(3)) == Automaton((NONE,), (), 0)


def test_the_result_does_not_depend_on_the_hash_seed():
    script = (
        "from tests.combiner.test_combine import a_proof, a_test, combine, initial\n"
        "from gia.exchange.gia_xml import gia_bytes\n"
        "print(gia_bytes(combine([initial(3, 5, 7, 9), a_test(3, 1), a_test(5, 2), a_proof(7), a_proof(8)])))"
    )
    root = Path(__file__).parents[2]
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, cwd=root, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_dropping_a_candidate_does_not_drop_what_lies_behind_it():
    """Found by the property tests: the step into the candidate is the first step of the run to ``rt``, on its edge."""
    loops = (Transition(0, 0, ANY), Transition(1, 1, ANY))
    automaton = Automaton((NONE, CAND, RT), (*loops, Transition(0, 1, on(3)), Transition(1, 2, on(3))), 0)
    combined = combine([automaton])
    assert {state.accept for state in combined.states} == {None, Acceptance.RT}
    assert without_decided(reduce(automaton), on(3)).accepting(Acceptance.RT)


@pytest.mark.parametrize("behind", [UT, RT])
def test_an_initial_candidate_keeps_what_lies_behind_it(behind):
    everything = Automaton((CAND, behind), (Transition(0, 0, ANY), Transition(0, 1, on(3))), 0)
    combined = combine([everything])
    assert combined == combine([everything, everything]) == combine([combined])
    assert combined.accepting(Acceptance.CAND) == {combined.initial}
    assert combined.accepting(behind.accept)


def test_a_candidate_behind_a_loop_does_not_go_when_it_is_combined_again():
    """Found by the property tests: the candidate of the first step was taken for a more precise one of later steps."""
    small = where("g == 0")
    loops = (Transition(0, 0, ANY), Transition(0, 0, ANY, small), Transition(1, 1, ANY))
    automaton = Automaton((NONE, CAND), (*loops, Transition(0, 1, ANY, small)), 0)
    once = combine([automaton])
    assert once == combine([once]) == combine([once, automaton]) == reduce(automaton)
    assert Transition(0, 0, ANY) in once.transitions


def test_the_more_precise_candidate_stays_also_where_both_lead_to_the_same():
    """Found with figure 14: reducing merged the two before they were compared."""

    def candidate(condition: Condition | None) -> Automaton:
        steps = (Transition(0, 1, on(3), condition), Transition(1, 2, on(5)), Transition(2, 2, ANY))
        return Automaton((NONE, NONE, CAND), steps, 0)

    precise = candidate(where("g == 0"))
    assert combine([candidate(None), precise]) == combine([precise])


def test_a_candidate_with_a_condition_does_not_stand_for_later_steps_without():
    """Both claims are about their own steps: the one at the first step says nothing about the second."""
    early = Automaton((NONE, CAND), (Transition(0, 1, on(3), where("g == 0")), Transition(1, 1, ANY)), 0)
    steps = (Transition(0, 1, on(3)), Transition(1, 2, on(5)), Transition(2, 2, ANY))
    late = Automaton((NONE, NONE, CAND), steps, 0)
    entered = {t.edges for t in combine([early, late]).transitions if t.edges}
    assert entered == {on(3), on(5)}


@pytest.mark.parametrize("behind", [UT, RT])
def test_what_one_knows_does_not_begin_later_because_all_is_a_candidate_of_another(behind):
    """Found by the property tests: the runs of the other could wait in the initial state, and covered more paths."""
    everything = Automaton((CAND,), (Transition(0, 0, ANY),), 0)
    decided = Automaton((NONE, behind), (Transition(0, 1, on(3)), Transition(1, 1, ANY)), 0)
    for automata in ([everything, decided], [decided, everything], [everything, decided, everything]):
        combined = combine(automata)
        entering = {t.source for t in combined.transitions if combined.states[t.target].accept is behind.accept}
        assert combined.initial in entering
        assert not any(t.source == t.target == combined.initial for t in combined.transitions)
        assert combine([combined]) == combined == combine([combined, everything])
