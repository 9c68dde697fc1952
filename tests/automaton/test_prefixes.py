"""Automata that share their beginnings, against the union of automata side by side."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.prefixes import SharedPrefixes
from gia.automaton.union import union
from gia.automaton.wellformed import violations
from tests.automaton.reference import FACTOR, TEXTS, automata, free_paths, languages, paths, programs


@st.composite
def runs(draw, edges, condition) -> Automaton:
    """A chain with loops, some of whose edges lead to an accepting state as well; labels and loops are few."""
    length = draw(st.integers(0, 3))
    labels = st.tuples(st.sampled_from([frozenset(edges[:1]), frozenset(edges[1:3]), ANY]), st.none() | condition)
    accept = draw(st.sampled_from([Acceptance.RT, Acceptance.RT, Acceptance.UT]))
    states = [State()] + [State(draw(st.none() | st.none() | condition)) for _ in range(length)] + [State(None, accept)]
    transitions = [Transition(length + 1, length + 1, ANY)]
    for number in range(length + 1):
        loops = draw(st.lists(labels, max_size=1))
        transitions += [Transition(number, number, *label) for label in loops]
        if number < length:
            transitions.append(Transition(number, number + 1, *draw(labels)))
        if number == length or draw(st.booleans()):
            transitions.append(Transition(number, length + 1, *draw(labels)))
    return Automaton(tuple(states), tuple(transitions))


@settings(deadline=None, max_examples=100 * FACTOR)
@given(st.data())
def test_the_languages_are_those_of_the_union(data: st.DataObject) -> None:
    program = data.draw(programs())
    edges = [edge.reference for edge in program.edge_list]
    condition = st.sampled_from([Condition(text, "main") for text in TEXTS[:2]])
    others = automata(edges, max_states=3).filter(lambda automaton: automaton.states[0].accept is None)
    parts = data.draw(st.lists(runs(edges, condition) | others, min_size=1, max_size=5))
    shared = SharedPrefixes()
    for part in parts:
        shared.add(part)
    found, together = shared.automaton(), union(parts)
    assert not violations(found)
    among = [*paths(program, 6), *free_paths(program.edge_list[:3], 3)]
    assert languages(found, among) == languages(together, among)
    assert len(found.transitions) <= len(together.transitions)


def test_what_runs_have_in_common_is_there_once() -> None:
    def run(last: str) -> Automaton:
        chain = [Transition(n, n + 1, ANY, Condition(rf"\result == {n}", "main")) for n in range(50)]
        end = Transition(50, 51, ANY, Condition(rf"\result == {last}", "main"))
        return Automaton((State(),) * 51 + (State(None, Acceptance.RT),), (*chain, end, Transition(51, 51, ANY)))

    shared = SharedPrefixes()
    for number in range(20):
        shared.add(run(str(number)))
    assert len(shared.automaton().states) == 52
    assert len(shared.automaton().transitions) == 50 + 20 + 1


def test_nothing_is_the_union_of_nothing() -> None:
    assert SharedPrefixes().automaton() == union([])
