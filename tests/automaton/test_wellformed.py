"""Each rule of ``docs/gia-format.md``: an automaton that breaks it alone, and nothing said of one that keeps it."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.wellformed import RULES, violations
from gia.cfa.graph import EdgeReference

from . import reference as ref

EDGE = EdgeReference("main", 1, 1, "assume", "then")
INPUT = EdgeReference("main", 2, 1, "input")
ON = frozenset({EDGE})
UT, RT, CAND = (State(None, kind) for kind in Acceptance)
LOOP = Transition(1, 1, ANY)


def one(transition: Transition, second: State = UT) -> Automaton:
    return Automaton((State(), second), (transition,))


def edge(**changes: object) -> Automaton:
    return one(Transition(0, 1, frozenset({replace(EDGE, **changes)})))  # type: ignore[arg-type]


BROKEN = {
    "W1 target": (one(Transition(0, 2, ON)), "W1: transition 0 -> 2"),
    "W1 source": (one(Transition(-1, 1, ON)), "W1: transition -1 -> 1"),
    "W1 initial": (Automaton((State(),), (), 1), "W1: initial state 1"),
    "W2": (Automaton((State(Condition("x", "main")),), ()), "W2: state 0"),
    "W3 away": (Automaton((State(), UT, State()), (Transition(1, 2, ON),)), "W3: transition 1 -> 2"),
    "W3 other": (Automaton((State(), UT, RT), (Transition(1, 2, ON),)), "W3: transition 1 -> 2"),
    "W4 away": (Automaton((State(), RT, State()), (Transition(1, 0, ON),)), "W4: transition 1 -> 0"),
    "W4 other": (Automaton((State(), RT, UT), (Transition(1, 2, ON),)), "W4: transition 1 -> 2"),
    "W5 none": (Automaton((State(), CAND), ()), "W5: state 1"),
    "W5 some edges": (Automaton((State(), CAND), (Transition(1, 1, ON),)), "W5: state 1"),
    "W5 assuming": (Automaton((State(), CAND), (LOOP._replace(assumption=Condition("x")),)), "W5: state 1"),
    "W6": (one(Transition(0, 1, frozenset())), "W6: transition 0 -> 1"),
    "W7 line": (edge(line=-1), "W7: transition 0 -> 1"),
    "W7 large line": (edge(line=10**9), "W7: transition 0 -> 1"),
    "W7 column": (edge(column=-1), "W7: transition 0 -> 1"),
    "W7 ordinal": (edge(ordinal=0), "W7: transition 0 -> 1"),
    "W7 kind": (edge(kind="Assume"), "W7: transition 0 -> 1"),
    "W7 no kind": (edge(kind=""), "W7: transition 0 -> 1"),
    "W7 function": (edge(function=""), "W7: transition 0 -> 1"),
    "W7 branch": (edge(branch="\x00"), "W7: transition 0 -> 1"),
    "W8 empty": (one(Transition(0, 1, ON, Condition(" "))), "W8: transition 0 -> 1"),
    "W8 character": (one(Transition(0, 1, ON, Condition("x\x01"))), "W8: transition 0 -> 1"),
    "W8 scope": (one(Transition(0, 1, ON, Condition("x", "\ud800"))), "W8: transition 0 -> 1"),
    "W8 invariant": (Automaton((State(), State(Condition(""))), ()), "W8: state 1"),
    "W9 edge": (one(Transition(0, 1, ON, Condition("\\result == 1"))), "W9: transition 0 -> 1"),
    "W9 any": (one(Transition(0, 1, ANY, Condition("\\result == 1"))), "W9: transition 0 -> 1"),
    "W9 mixed": (one(Transition(0, 1, ON | {INPUT}, Condition("\\result == 1"))), "W9: transition 0 -> 1"),
    "W9 invariant": (Automaton((State(), State(Condition("\\result"))), ()), "W9: state 1"),
    "W10 blocks": (one(Transition(0, 1, ON, Condition("\\count_12 == 0"))), "W10: transition 0 -> 1"),
    "W10": (one(Transition(0, 1, ON, Condition("a[\\any] == 0"))), "W10: transition 0 -> 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_named_with_its_place(name: str) -> None:
    automaton, expected = BROKEN[name]
    found = violations(automaton)
    assert [str(violation).startswith(expected) for violation in found] == [True], found


def test_every_rule_has_a_case_and_stands_in_the_document() -> None:
    assert {name.split()[0] for name in BROKEN} == set(RULES)
    document = (Path(__file__).parents[2] / "docs" / "gia-format.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (W\d+) \|", document, re.MULTILINE) == list(RULES)


def test_every_violation_is_listed() -> None:
    """Two transitions with one bad label, one of which leads to nowhere, in an automaton with other faults."""
    bad = Condition("\\result == 1", "main")
    automaton = Automaton(
        (State(), UT, CAND), (Transition(0, 1, ON, bad), Transition(0, 7, ON, bad), Transition(1, 0, frozenset()))
    )
    found = [(violation.rule, violation.subject) for violation in violations(automaton)]
    assert found == [
        ("W1", "transition 0 -> 7"),
        ("W3", "transition 1 -> 0"),
        ("W5", "state 2"),
        ("W6", "transition 1 -> 0"),
        ("W9", "transition 0 -> 1"),
        ("W9", "transition 0 -> 7"),
    ]


def test_what_is_allowed() -> None:
    result = Condition("\\result == 1 && x\u00e9 > 0", "main")
    states = (State(), State(Condition("x", "main"), Acceptance.CAND), UT, RT)
    transitions = (
        Transition(0, 1, frozenset({INPUT}), result),
        LOOP,
        Transition(1, 2, ON),
        Transition(2, 2, ON, Condition("x")),
        Transition(3, 3, ANY),
        Transition(1, 1, ON),
    )
    assert violations(Automaton(states, transitions)) == ()


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(max_states=7))
def test_the_random_automata_are_well_formed(case) -> None:
    _, (automaton,) = case
    assert violations(automaton) == ()
