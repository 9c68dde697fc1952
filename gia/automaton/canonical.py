"""The canonical form of an automaton: what the exchange file is made from.

The rules are those of ``docs/gia-format.md``, "Canonical form". Two automata that differ only in the
numbers of their states and in the order of their transitions have the same canonical form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from gia.automaton.labelled import LabelledGraph, condition_key
from gia.automaton.model import Automaton, State
from gia.automaton.refinement import coarsest_partition

_ACCEPT_RANK = {None: 0, "ut": 1, "rt": 2, "cand": 3}

Shade = Callable[[int], object]
"""What decides between states that equal labels lead to; comparable."""


def canonical(automaton: Automaton) -> Automaton:
    """The canonical form: same three languages, states numbered from the initial one, transitions sorted.

    States that are not reachable are dropped. Bisimilar states are merged if the numbering would
    otherwise have to choose between states that look alike and that equal labels lead to.
    """
    return canonical_graph(LabelledGraph.of(automaton)).automaton()


def canonical_graph(graph: LabelledGraph) -> LabelledGraph:
    """As :func:`canonical`, on labelled graphs."""
    if _is_canonical(graph):
        return graph
    order = _breadth_first(graph, _descriptions(graph))
    if order is None:
        graph = _reachable_part(graph)
        colours = _colours(graph)
        if len(set(colours)) < len(graph.states):
            graph = merged(graph, colours)
            colours = _colours(graph)
        order = _breadth_first(graph, colours.__getitem__)
        assert order is not None  # bisimilar states are merged, so colours decide every tie
    return graph.renumbered(order)


def _is_canonical(graph: LabelledGraph) -> bool:
    """Whether breadth-first search would number the states as they are, without ever having to choose."""
    highest = list(accumulate(graph.targets, max, initial=0))
    if graph.initial != 0 or highest[-1] != len(graph.states) - 1:
        return False
    if any(after > before + 1 for before, after in pairwise(highest)):
        return False
    if any(source > known for source, known in zip(graph.sources, highest, strict=False)):
        return False
    new = [position for position, (before, after) in enumerate(pairwise(highest)) if after > before]
    sources, ranks = graph.sources, graph.ranks
    return not any(
        second == first + 1 and sources[first] == sources[second] and ranks[first] == ranks[second]
        for first, second in pairwise(new)
    )


def _descriptions(graph: LabelledGraph) -> Shade:
    """What can be seen at a state: its kind, and the labels of its transitions with the kinds they lead to."""
    kinds = state_colours(graph.states)
    begins, ranks, targets = graph.begins, graph.ranks, graph.targets

    def description(state: int) -> tuple[int, list[tuple[int, int]]]:
        arcs = range(begins[state], begins[state + 1])
        return kinds[state], sorted({(ranks[arc], kinds[targets[arc]]) for arc in arcs})

    return description


def _colours(graph: LabelledGraph) -> list[int]:
    """The colours of bisimilarity: equal for two states if the same can follow."""
    return coarsest_partition(state_colours(graph.states), graph.leaving, graph.entering)


def _reachable_part(graph: LabelledGraph) -> LabelledGraph:
    found = {graph.initial}
    pending = [graph.initial]
    while pending:
        for _, target in graph.leaving[pending.pop()]:
            if target not in found:
                found.add(target)
                pending.append(target)
    return graph if len(found) == len(graph.states) else graph.renumbered(sorted(found))


def state_colours(states: Sequence[State]) -> list[int]:
    """Colours of states by accepting set and invariant, in an order that depends on these alone."""
    objects = {id(state): state for state in states}
    distinct = sorted(set(objects.values()), key=lambda state: (_ACCEPT_RANK[state.accept], condition_key(state[0])))
    rank = {state: number for number, state in enumerate(distinct)}
    ranks = {name: rank[state] for name, state in objects.items()}
    return [ranks[id(state)] for state in states]


def merged(graph: LabelledGraph, classes: Sequence[int]) -> LabelledGraph:
    """The quotient: states of one class become one, numbered by the first member's number."""
    first: dict[int, int] = {}
    for found in classes:
        first.setdefault(found, len(first))
    number = [first[found] for found in classes]
    states: list[State] = []
    for state, new in zip(graph.states, number, strict=True):
        if new == len(states):
            states.append(state)
    arcs = [
        (number[s], label, number[t]) for s, label, t in zip(graph.sources, graph.ranks, graph.targets, strict=True)
    ]
    return graph.with_arcs(tuple(states), arcs, number[graph.initial])


def _breadth_first(graph: LabelledGraph, shade: Shade) -> list[int] | None:
    """The states in breadth-first order along sorted labels, ties by shade.

    ``None`` if one label leads from one state to two states of one shade that were not seen before.
    """
    begins, ranks, targets = graph.begins, graph.ranks, graph.targets
    order = [graph.initial]
    seen = bytearray(len(graph.states))
    seen[graph.initial] = 1
    for state in order:
        position, end = begins[state], begins[state + 1]
        while position < end:
            if seen[targets[position]]:
                position += 1
                continue
            rank = ranks[position]
            found = []
            while position < end and ranks[position] == rank:
                if not seen[targets[position]]:
                    found.append(targets[position])
                position += 1
            if len(found) > 1:
                shades = sorted(((shade(target), target) for target in found), key=lambda pair: pair[0])  # type: ignore[arg-type, return-value]
                if any(first[0] == second[0] for first, second in pairwise(shades)):
                    return None
                found = [target for _, target in shades]
            for target in found:
                seen[target] = 1
            order += found
    return order
