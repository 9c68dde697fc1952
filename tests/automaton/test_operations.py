"""Operations keep the languages, by the reference; laws of the canonical form."""

import random

import pytest
from hypothesis import given, settings

from gia.automaton.canonical import canonical
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.operations import merge_prefixes, quotient, reduce
from gia.automaton.trimming import trim
from gia.automaton.wellformed import violations
from gia.cfa.graph import EdgeReference

from . import reference as ref

EDGES = [EdgeReference("main", line, 1, "assume", "then") for line in range(1, 8)]


def on(*lines: int) -> frozenset[EdgeReference]:
    return frozenset(EDGES[line - 1] for line in lines)


@pytest.mark.parametrize("operation", [trim, quotient, merge_prefixes, reduce, canonical])
def test_operations_keep_the_languages(operation):
    @settings(max_examples=24 * ref.FACTOR, deadline=None)
    @given(ref.programs_with_automata())
    def check(case):
        program, (automaton,) = case
        among = list(ref.paths(program, 5))
        result = operation(automaton)
        assert violations(result) == ()
        assert ref.languages(result, among) == ref.languages(automaton, among)

    check()


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(max_states=7))
def test_reducing_and_canonising_twice_changes_nothing(case):
    _, (automaton,) = case
    assert reduce(reduce(automaton)) == reduce(automaton)
    assert canonical(canonical(automaton)) == canonical(automaton)
    assert canonical(reduce(automaton)) == reduce(automaton)


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(max_states=7))
def test_the_canonical_form_does_not_depend_on_the_numbering(case):
    _, (automaton,) = case
    order = list(range(len(automaton.states)))
    random.Random(1).shuffle(order)
    number = {old: new for new, old in enumerate(order)}
    transitions = [Transition(number[s], number[t], e, a) for s, t, e, a in automaton.transitions]
    random.Random(2).shuffle(transitions)
    states = tuple(automaton.states[old] for old in order)
    other = Automaton(states, (*transitions, *transitions[:2]), number[0])
    assert canonical(other) == canonical(automaton)
    assert reduce(other) == reduce(automaton)


def test_bisimilar_states_and_common_prefixes_are_merged():
    ut = State(None, Acceptance.UT)
    left = [Transition(0, 1, on(1)), Transition(1, 3, on(2)), Transition(3, 5, on(3))]
    right = [Transition(0, 2, on(1)), Transition(2, 4, on(2)), Transition(4, 6, on(4))]
    automaton = Automaton((State(),) * 5 + (ut, ut), (*left, *right), 0)
    reduced = reduce(automaton)
    assert len(reduced.states) == 4
    assert reduced.transitions[-2:] == (Transition(2, 3, on(3, 4)), Transition(3, 3, ANY))


def test_parallel_transitions_become_one():
    rt = State(None, Acceptance.RT)
    small = Condition("x < 1", "main")
    transitions = (
        Transition(0, 1, on(1)),
        Transition(0, 1, on(2)),
        Transition(0, 1, on(2, 3), small),
        Transition(0, 1, on(4), small),
    )
    reduced = reduce(Automaton((State(), rt), transitions, 0))
    assert set(reduced.transitions) == {
        Transition(0, 1, on(1, 2)),
        Transition(0, 1, on(3, 4), small),
        Transition(1, 1, ANY),
    }


def test_nothing_is_left_of_an_automaton_that_accepts_nothing():
    assert reduce(Automaton((State(), State()), (Transition(0, 1, ANY), Transition(1, 0, ANY)), 0)) == Automaton(
        (State(),), (), 0
    )


def test_a_long_chain_is_reduced_in_linear_time():
    length = 30_000
    transitions = [Transition(n, n + 1, on(1)) for n in range(length)]
    states = (*(State() for _ in range(length)), State(None, Acceptance.RT))
    reduced = reduce(Automaton(states, tuple(transitions), 0))
    assert len(reduced.states) == length + 1
