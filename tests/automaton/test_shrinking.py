"""What is shrunk still has what is wanted, and nothing can be taken away from it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, ActorRecord, Automaton, Metadata
from gia.automaton.shrinking import _STEPS, minimised, shrunk

from . import reference as ref


@settings(max_examples=100 * ref.FACTOR, deadline=None)
@given(st.lists(st.integers(0, 30), max_size=25), st.integers(0, 60))
def test_the_minimum_is_minimal(items, wanted):
    def enough(kept):
        return sum(kept) >= wanted

    if not enough(items):
        return
    found = minimised(items, enough)
    assert enough(found)
    assert all(not enough(found[:n] + found[n + 1 :]) for n in range(len(found)))
    remaining = iter(items)
    assert all(item in remaining for item in found)


def feature(automaton: Automaton) -> bool:
    """Something that takes several parts: a run of two steps, one with an assumption, to an accepting state."""
    for first in automaton.leaving[automaton.initial]:
        for second in automaton.leaving[first.target]:
            if first.assumption and second.edges is not ANY and automaton.states[second.target].accept:
                return True
    return False


@settings(max_examples=40 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(count=2, max_states=7))
def test_nothing_can_be_taken_away(case):
    _, (first, second) = case
    actor = ActorRecord("a", "1", "OA")
    first = Automaton(first.states, first.transitions, 0, Metadata(actors=(actor,)))
    if not feature(first):
        return
    found = shrunk((first, second), lambda automata: feature(automata[0]))
    assert found == shrunk((first, second), lambda automata: feature(automata[0]))
    assert feature(found[0])
    assert found[0].metadata.actors == ()
    for parts, without in _STEPS:
        for part in parts(found[0]):
            smaller = without(found[0], frozenset({part}))
            assert smaller is None or smaller == found[0] or not feature(smaller)
    assert (len(found[1].states), found[1].transitions) == (1, ())
    assert len(found[0].states) <= 3
    assert len(found[0].transitions) <= 2
    assert {state.accept for state in found[0].states} <= {None, *Acceptance}
