"""The canonical form of an automaton: what the exchange file is made from.

The rules are those of ``docs/gia-format.md``, "Canonical form". Two automata that differ only in the
numbers of their states and in the order of their transitions have the same canonical form.
"""

from __future__ import annotations

from gia.automaton.labelled import LabelledGraph, condition_key
from gia.automaton.model import Automaton, State
from gia.automaton.refinement import coarsest_partition

_ACCEPT_RANK = {None: 0, "ut": 1, "rt": 2, "cand": 3}


def canonical(automaton: Automaton) -> Automaton:
    """The canonical form: same three languages, states numbered from the initial one, transitions sorted.

    States that are not reachable are dropped. Bisimilar states are merged if the numbering would
    otherwise have to choose between states that equal labels lead to.
    """
    return canonical_graph(LabelledGraph.of(automaton)).automaton()


def canonical_graph(graph: LabelledGraph) -> LabelledGraph:
    """As :func:`canonical`, on labelled graphs."""
    order = _breadth_first(graph, None)
    if order is None:
        graph = _reachable_part(graph)
        colours = _colours(graph)
        if len(set(colours)) < len(graph.states):
            graph = merged(graph, colours)
            colours = _colours(graph)
        order = _breadth_first(graph, colours)
        assert order is not None  # bisimilar states are merged, so colours decide every tie
    return renumbered(graph, order)


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
    return graph if len(found) == len(graph.states) else renumbered(graph, sorted(found))


def state_colours(states: tuple[State, ...]) -> list[int]:
    """Colours of states by accepting set and invariant, in an order that depends on these alone."""
    distinct = sorted(set(states), key=lambda state: (_ACCEPT_RANK[state.accept], condition_key(state.invariant)))
    rank = {state: number for number, state in enumerate(distinct)}
    return [rank[state] for state in states]


def merged(graph: LabelledGraph, classes: list[int]) -> LabelledGraph:
    """The quotient: states of one class become one, numbered by the first member's number."""
    first: dict[int, int] = {}
    for found in classes:
        first.setdefault(found, len(first))
    number = [first[found] for found in classes]
    states: list[State] = []
    for state, new in zip(graph.states, number, strict=True):
        if new == len(states):
            states.append(state)
    arcs = sorted({(number[source], label, number[target]) for source, label, target in graph.arcs})
    return LabelledGraph(tuple(states), graph.labels, tuple(arcs), number[graph.initial], graph.origin)


def renumbered(graph: LabelledGraph, order: list[int]) -> LabelledGraph:
    """The graph in which ``order[n]`` is state ``n``; states that ``order`` leaves out disappear.

    Labels that no arc carries any more disappear as well; the ranks of the others close up.
    """
    number = {state: new for new, state in enumerate(order)}
    if len(order) == len(graph.states) and all(state == new for state, new in number.items()):
        kept = list(graph.arcs)
    else:
        kept = sorted((number[s], label, number[t]) for s, label, t in graph.arcs if s in number and t in number)
    used = sorted({label for _, label, _ in kept})
    if len(used) < len(graph.labels):
        rank = {label: new for new, label in enumerate(used)}
        kept = [(s, rank[label], t) for s, label, t in kept]
    states = tuple(graph.states[state] for state in order)
    labels = tuple(graph.labels[label] for label in used)
    return LabelledGraph(states, labels, tuple(kept), number[graph.initial], graph.origin)


def _breadth_first(graph: LabelledGraph, colours: list[int] | None) -> list[int] | None:
    """The states in breadth-first order along sorted labels, ties by colour.

    ``None`` if there are no colours and one label leads from one state to two states not seen before.
    """
    order = [graph.initial]
    seen = {graph.initial}
    for state in order:
        leaving = graph.leaving[state]
        if colours is not None:
            leaving = sorted(leaving, key=lambda arc: (arc[0], colours[arc[1]]))
        previous = -1
        for label, target in leaving:
            if target in seen:
                continue
            if colours is None and label == previous:
                return None
            seen.add(target)
            order.append(target)
            previous = label
    return order
