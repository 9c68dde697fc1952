"""Where claims of both kinds may meet, by the enumeration of words and paths."""

from hypothesis import given, settings

from gia.automaton.model import ANY, Acceptance, ActorRecord, Automaton, Condition, Metadata, State, Transition
from gia.automaton.operations import reduce
from gia.cfa.graph import EdgeReference
from gia.combiner import combine, doubt
from gia.combiner.overlap import Overlap, Search, contrary, may_meet, possible_overlap
from tests.automaton import reference as ref

UT, RT = Acceptance.UT, Acceptance.RT
EDGES = [EdgeReference("main", line, 1, "assume", "then") for line in range(1, 9)]


def on(*lines: int) -> frozenset[EdgeReference]:
    return frozenset(EDGES[line - 1] for line in lines)


def meets(automaton: Automaton, path: ref.Path) -> bool:
    """Whether the path is covered as ``ut`` and a run to ``rt`` ends with it, which was not there before."""
    final = automaton.accepting(RT)
    complete = (run for run in ref.runs(automaton, path) if len(run) == len(path.edges) + 1)
    ends = any(run[-1] in final and final.isdisjoint(run[:-1]) for run in complete)
    return ends and ref.covers(automaton, UT, path)


@settings(max_examples=80 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(kinds=(UT, RT), max_states=6))
def test_without_an_overlap_no_path_is_both(case):
    program, (automaton,) = case
    automaton = reduce(automaton)
    if possible_overlap(automaton) is Search.NONE:
        assert not any(meets(automaton, path) for path in ref.paths(program, 5))


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(ref.programs_with_automata(conditions=(), kinds=(UT, RT), max_states=5, with_calls=False))
def test_without_conditions_an_overlap_is_a_shortest_word_that_is_both(case):
    program, (automaton,) = case
    automaton = reduce(automaton)
    found = possible_overlap(automaton)
    if not isinstance(found, Overlap):
        assert not any(meets(automaton, path) for path in ref.free_paths(program.edge_list[:3], 3))
        return
    assert may_meet(automaton)
    edges = [program.by_reference[edge] if edge else program.edge_list[0] for edge in found.edges]
    word = ref.Path(tuple(edges), ({"x": 0, "y": 0},) * (len(edges) + 1), True)
    assert meets(automaton, word)
    for shorter in ref.free_paths(program.edge_list[:3], min(3, len(edges) - 1)):
        assert not meets(automaton, shorter)


def test_conditions_that_exclude_each_other():
    less, result = Condition("x < 1", "main"), Condition("\\result == 5", "main")
    assert contrary(less, Condition("!(x < 1)", "main"))
    assert contrary(result, Condition("\\result == 7 && x < 1", "main"))
    assert not contrary(Condition("\\result == -1"), Condition("\\result == 4294967295u"))
    assert not contrary(less, None)
    assert not contrary(less, Condition("!(x < 1)", "f"))


def test_what_only_the_program_can_tell_is_said():
    """The ``ut`` run takes one of the paths that the ``rt`` runs may take."""
    states = (State(), State(None, UT))
    proof = Automaton(states, (Transition(0, 0, on(1, 2)), Transition(0, 1, on(3), Condition("x == 2", "main"))))
    tested = Automaton((State(), State(None, RT)), (Transition(0, 0, on(1)), Transition(0, 1, on(3, 4))))
    made = Metadata(actors=(ActorRecord("prover", "1", "OA"),))
    proof = Automaton(proof.states, proof.transitions, 0, made)
    combined = combine([proof, tested], ["proof.xml", "test.xml"])
    assert doubt(combined, [proof, tested], ["proof.xml", "test.xml"]) == (
        "proof.xml (by prover) may contradict test.xml: if this is a path that one execution can take, the first says "
        "that it is infeasible or reaches no target, the second that it reaches one:\n    1. main:3:1 assume then"
    )
    apart = Automaton(proof.states, (Transition(0, 0, on(1)), Transition(0, 1, on(5))))
    assert doubt(combine([apart, tested]), [apart, tested], ["a", "b"]) == ""


def test_large_automata_are_compared_in_linear_time():
    """Chains of 5,000 states with a common beginning."""
    length = 5_000
    steps = [Transition(n, n + 1, on(n % 5 + 1)) for n in range(length)]
    first = Automaton((*[State()] * length, State(None, UT)), tuple(steps))
    second = Automaton((*[State()] * length, State(None, RT)), (*steps[:-1], Transition(length - 1, length, on(7))))
    union = combine([first, second])
    assert possible_overlap(union) is Search.NONE
    everything = Automaton((State(), State(None, UT)), (Transition(0, 0, ANY), Transition(0, 1, on(6))))
    assert not may_meet(combine([everything, second]))
