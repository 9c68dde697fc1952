"""The algorithms for large automata, against slow ones."""

import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.automaton import rows
from gia.automaton.arrays import Arrays
from gia.automaton.bisimulation import backward_classes, bisimilar, forward_classes
from gia.automaton.canonical import canonical
from gia.automaton.labelled import LabelledGraph
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.operations import reduce
from gia.automaton.refinement import coarsest_partition
from gia.automaton.trimming import trim
from gia.automaton.union import union
from gia.cfa.graph import EdgeReference

from . import reference as ref
from . import slow_reduction as slow

EDGES = [EdgeReference("main", line, 1, "assume", "then") for line in range(1, 6)]
UT, RT, CAND = (State(None, kind) for kind in Acceptance)


@st.composite
def some_automata(draw):
    """Small automata, several side by side, or in a row: with states that look alike."""
    one = ref.automata(EDGES, max_states=draw(st.integers(3, 6)))
    match draw(st.sampled_from(["one", "twice", "union", "row"])):
        case "one":
            return draw(one)
        case "twice":
            found = draw(one)
            return union([found, found])
        case "union":
            return union([draw(one), draw(one)])
        case _:
            return slow.repeated(draw(one), draw(st.integers(2, 3)))


@settings(max_examples=50 * ref.FACTOR, deadline=None)
@given(some_automata(), st.sampled_from([0, 1, 64]))
def test_partitions_are_those_of_the_slow_algorithm(automaton, rounds):
    arrays = Arrays.of(automaton)
    with mock.patch("gia.automaton.bisimulation._ROUNDS", rounds):
        assert slow.same_partition(forward_classes(arrays), slow.forward(automaton))
        assert slow.same_partition(backward_classes(arrays), slow.backward(automaton))
        graph = LabelledGraph.of(automaton)
        kinds = [automaton.states.index(state) for state in automaton.states]
        found = bisimilar(kinds, graph.sources, graph.ranks, graph.targets)
        assert slow.same_partition(found, coarsest_partition(kinds, graph.leaving, graph.entering))


@settings(max_examples=25 * ref.FACTOR, deadline=None)
@given(some_automata())
def test_collisions_of_hashes_are_noticed(automaton):
    """With hashes of two bits nearly all collide; the result is the same."""
    expected = slow.forward(automaton), slow.backward(automaton)
    with mock.patch("gia.automaton.bisimulation.mixed", lambda values, seed: rows.mixed(values, seed) & np.uint64(3)):
        arrays = Arrays.of(automaton)
        assert slow.same_partition(forward_classes(arrays), expected[0])
        assert slow.same_partition(backward_classes(arrays), expected[1])


@settings(max_examples=25 * ref.FACTOR, deadline=None)
@given(some_automata())
def test_what_is_reduced_is_trimmed_and_has_no_two_states_alike(automaton):
    reduced = reduce(automaton)
    assert slow.useful_states(reduced) | {reduced.initial} == set(range(len(reduced.states)))
    assert len(set(slow.forward(reduced))) == len(set(slow.backward(reduced))) == len(reduced.states)
    assert len(trim(automaton).states) == len(slow.useful_states(automaton) | {automaton.initial})
    assert len(reduce(union([automaton, automaton])).transitions) <= len(reduced.transitions) or (
        automaton.initial in {t.target for t in automaton.transitions}
    )


@settings(max_examples=100 * ref.FACTOR, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=12))
def test_equal_rows_are_of_one_class(found):
    begins = np.cumsum([0, *map(len, found)])
    classes, examples = rows.row_classes(np.array([n for row in found for n in row], np.int64), begins)
    assert slow.same_partition(classes, [tuple(row) for row in found])
    assert all(found[example] == row for row, example in zip(found, examples[classes], strict=True))


@settings(max_examples=60 * ref.FACTOR, deadline=None)
@given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8))), st.sampled_from([0, 1, 64]))
def test_closure(count, arcs, wide):
    arcs = sorted((source % count, target % count) for source, target in arcs)
    expected = {0}
    while more := {t for s, t in arcs if s in expected} - expected:
        expected |= more
    begins = rows.begins_of(np.array([s for s, _ in arcs], np.int64), count)
    with mock.patch.object(rows, "_WIDE_ROUNDS", wide):
        found = rows.closure(np.array([0]), begins, np.array([t for _, t in arcs], np.int64))
    assert set(np.flatnonzero(found).tolist()) == expected


@pytest.mark.parametrize("limit", [10, 2**31])
def test_triples_are_sorted_whether_or_not_they_fit_into_a_number(limit):
    columns = [np.array([random.Random(seed).randrange(9) for _ in range(50)], np.int64) for seed in range(3)]
    found = rows.sorted_rows(*columns, (limit, limit, limit))
    expected = sorted(set(zip(*(column.tolist() for column in columns), strict=True)))
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


def test_states_that_differ_only_far_away_are_ordered_alike():
    """Two chains behind one label that end differently: the numbering may not depend on which comes first."""

    def two_chains(first: State, second: State) -> Automaton:
        states = [State(), *[State()] * 40, first, *[State()] * 40, second]
        arcs = [(0, 1), (0, 42), *((n, n + 1) for n in range(1, 41)), *((n, n + 1) for n in range(42, 82))]
        return Automaton(tuple(states), tuple(Transition(s, t, frozenset(EDGES[:1])) for s, t in arcs), 0)

    assert canonical(two_chains(UT, RT)) == canonical(two_chains(RT, UT))
    assert len(canonical(two_chains(UT, UT)).states) == 42
    assert len(canonical(two_chains(UT, RT)).states) == 83


def test_a_hub_is_not_looked_at_again_whenever_a_neighbour_changes():
    """A chain that can end anywhere: its end sees all states, each of which gets a colour of its own."""
    length, looked_at = 500, 0

    def counted(pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        nonlocal looked_at
        looked_at += len(pairs)
        return tuple(pairs)

    hub = length
    arcs = [(n, n + 1) for n in range(length - 1)] + [(n, hub) for n in range(length)]
    ahead = [[(0, source) for source, target in arcs if target == state] for state in range(length + 1)]
    behind = [[(0, target) for source, target in arcs if source == state] for state in range(length + 1)]
    colours = [1, *[0] * (length - 1), 2]
    assert len(set(coarsest_partition(colours, ahead, behind, counted))) == length + 1
    assert looked_at <= 5 * length


def test_many_states_that_differ_only_far_away():
    """Many pairs of chains: looking at all states once is cheaper than at each neighbourhood."""
    states, arcs = [State()], []
    for number in range(60):
        for last in (UT, RT):
            begin = len(states)
            states += [State(Condition(f"x < {number}"))] + [State()] * 9 + [last]
            arcs += [(0, begin), *((n, n + 1) for n in range(begin, begin + 10))]
    automaton = Automaton(tuple(states), tuple(Transition(s, t, ANY) for s, t in arcs), 0)
    order = list(range(1, len(states)))
    random.Random(5).shuffle(order)
    number = {old: new for new, old in enumerate([0, *order])}
    shuffled = Automaton(
        tuple(states[old] for old in (0, *order)),
        tuple(Transition(number[t.source], number[t.target], ANY) for t in reversed(automaton.transitions)),
        0,
    )
    assert canonical(shuffled) == canonical(automaton)
