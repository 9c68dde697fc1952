"""Contradictions on paths of a program, against the enumeration of paths with their concrete states."""

from time import monotonic

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gia.automaton.model import Acceptance, Automaton, State
from gia.checker.meeting import UndecidedError, find_meeting
from tests.automaton import reference as ref

UT, RT = Acceptance.UT, Acceptance.RT


def contradictory(first: Automaton, second: Automaton, path: ref.Path) -> bool:
    """Whether a feasible path that ends as ``rt`` is covered as ``ut``; what only longer paths show does not count."""
    return path.feasible and ref.covers(first, UT, path) and _ends(second, path)


def _ends(automaton: Automaton, path: ref.Path) -> bool:
    final = automaton.accepting(RT)
    return any(len(run) == len(path.edges) + 1 and run[-1] in final for run in ref.runs(automaton, path))


@st.composite
def cases(draw):
    """A program, an automaton that excludes paths and one that claims some reached, each with many transitions."""
    program = draw(ref.programs())
    edges = [edge.reference for edge in program.edge_list]
    found = []
    for kind in (UT, RT):
        drawn = draw(ref.automata(edges, kinds=(kind,), max_states=3))
        maybe = st.none() | st.sampled_from([ref.Condition(text, "main") for text in ref.TEXTS])
        states = [State(), *drawn.states[1:], State(draw(maybe), kind)]
        number = st.integers(0, len(states) - 2)
        some = st.none() | st.frozensets(st.sampled_from(edges), min_size=1, max_size=4)
        final = {n for n, state in enumerate(states) if state.accept}
        ways = [ref.Transition(draw(number), len(states) - 1, draw(some), draw(maybe))]
        ways += [ref.Transition(n, n, draw(some)) for n in range(len(states)) if n not in final]
        ways += [t for t in drawn.transitions if t.source not in final]
        found.append(Automaton(tuple(states), tuple(t for t in ways if t.source not in final)))
    return program, found


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(cases())
def test_a_path_is_found_if_and_only_if_there_is_one(case):
    program, (first, second) = case
    try:
        found = find_meeting(program, first, second, deadline=monotonic() + 2)
    except UndecidedError:
        assume(False)
    known = [path for path in ref.paths(program, 5) if contradictory(first, second, path)]
    if found is None:
        assert known == []
        return
    assert found.certain
    assert all(len(found.edges) <= len(path.edges) for path in known)
    values = [bits.bits - (bits.bits >> 31 << 32) for bits in found.inputs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ref, "VALUES", tuple(values))
        words = (path for path in ref.paths(program, len(found.edges)) if path.edges == found.edges)
        assert any(contradictory(first, second, path) for path in words)


@pytest.mark.parametrize("first", ["on the transition", "behind it"])
@pytest.mark.parametrize("second", ["on the transition", "behind it"])
def test_runs_meet_only_where_the_conditions_of_both_hold(first, second):
    """Those on transitions and the invariants of states alike, also of states in the middle of a run."""
    program = ref.make_program(main=[(0, 1, ref.STEPS[3]), (1, 2, ref.Skip()), (2, -1, ref.Return(None))])
    read, skip = (frozenset({edge.reference}) for edge in program.edge_list[:2])

    def run(text, place, kind):
        where = ref.Condition(text, "main")
        on, behind = (where, None) if place == "on the transition" else (None, where)
        return Automaton((State(), State(behind), State(None, kind)), (ref.Transition(0, 1, read, on), goal))

    goal = ref.Transition(1, 2, skip)
    less, more = run("x < 1", first, UT), run("!(x < 1)", second, RT)
    assert find_meeting(program, less, more, deadline=monotonic() + 5) is None
    found = find_meeting(program, less, run("x < 1", second, RT), deadline=monotonic() + 5)
    assert found is not None and found.certain


def test_an_empty_path_is_a_path():
    program = ref.make_program(main=[(0, -1, ref.Return(None))])
    first, second = Automaton((State(None, UT),), ()), Automaton((State(None, RT),), ())
    found = find_meeting(program, first, second, deadline=monotonic() + 5)
    assert found is not None and found.edges == ()
    assert find_meeting(program, second, first, deadline=monotonic() + 5) is None


def test_without_time_it_is_undecided():
    program = ref.make_program(main=[(0, -1, ref.Return(None))])
    edge = frozenset({program.edge_list[0].reference})
    first, second = (Automaton((State(), State(None, kind)), (ref.Transition(0, 1, edge),)) for kind in (UT, RT))
    assert find_meeting(program, first, second, deadline=monotonic() + 5) is not None
    with pytest.raises(UndecidedError, match="time"):
        find_meeting(program, first, second, deadline=monotonic() - 1)
    unclear = Automaton(second.states, (ref.Transition(0, 1, edge, ref.Condition("nothing > 0", "main")),))
    with pytest.raises(UndecidedError, match="nothing"):
        find_meeting(program, first, unclear, deadline=monotonic() + 5)
