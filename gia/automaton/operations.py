"""Operations on exchange automata that keep the three languages ``P_ut``, ``P_rt`` and ``P_cand``.

Source: the languages are those of Haltermann & Wehrheim, SoSyM 2024, Definition 3. All operations are
deterministic, and symmetric in the numbering of states: automata that differ only in it have results that
differ only in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from gia.automaton.canonical import canonical_graph, merged, renumbered, state_colours
from gia.automaton.labelled import Label, LabelledGraph
from gia.automaton.model import ANY, Automaton, State, Transition
from gia.automaton.refinement import coarsest_partition
from gia.automaton.settling import settled
from gia.cfa.graph import EdgeReference


def reduce(automaton: Automaton) -> Automaton:
    """A small automaton with the same languages, in canonical form.

    Afterwards: every state is on a run from the initial to an accepting state (or is initial); no two
    states are bisimilar, and none are reached by the same labels from the same states (common prefixes are
    shared); at most one transition goes from one state to another under one assumption; accepting states
    end runs (:func:`~gia.automaton.settling.settled`). ``reduce(reduce(A)) == reduce(A)``.
    """
    graph = joined(trimmed(LabelledGraph.of(settled(automaton))))
    while True:
        smaller = joined(backward_quotient(joined(forward_quotient(graph))))
        if smaller == graph:
            return canonical_graph(graph).automaton()
        graph = smaller


def trim(automaton: Automaton) -> Automaton:
    """Without the states that are not reachable or reach no accepting state; the initial state stays."""
    return trimmed(LabelledGraph.of(automaton)).automaton()


def quotient(automaton: Automaton) -> Automaton:
    """Bisimilar states merged: those that agree in accepting set, invariant and all that can follow."""
    return forward_quotient(LabelledGraph.of(automaton)).automaton()


def merge_prefixes(automaton: Automaton) -> Automaton:
    """States merged that agree in accepting set, invariant and all that can lead to them."""
    return backward_quotient(LabelledGraph.of(automaton)).automaton()


# ---- the same on labelled graphs


def trimmed(graph: LabelledGraph) -> LabelledGraph:
    """As :func:`trim`."""
    accepting = [number for number, state in enumerate(graph.states) if state.accept]
    reachable = _closure([graph.initial], lambda state: (target for _, target in graph.leaving[state]))
    useful = _closure(accepting, lambda state: (source for _, source in graph.entering[state]))
    if graph.initial not in useful:
        return LabelledGraph((graph.states[graph.initial],), (), (), 0, graph.origin)
    kept = [number for number in range(len(graph.states)) if number in reachable and number in useful]
    return graph if len(kept) == len(graph.states) else renumbered(graph, kept)


def forward_quotient(graph: LabelledGraph) -> LabelledGraph:
    """As :func:`quotient`; transitions that differ in their edges only are compared by the union of these."""
    colours = state_colours(graph.states)
    classes = coarsest_partition(colours, graph.leaving, graph.entering, _by_target(graph))
    return graph if len(set(classes)) == len(graph.states) else merged(graph, classes)


def backward_quotient(graph: LabelledGraph) -> LabelledGraph:
    """As :func:`merge_prefixes`: the states of a class end the same runs, so their futures can be put together."""
    colours = state_colours(graph.states)
    colours[graph.initial] = len(graph.states)  # only the initial state ends the empty run
    classes = coarsest_partition(colours, graph.entering, graph.leaving)
    return graph if len(set(classes)) == len(graph.states) else merged(graph, classes)


def joined(graph: LabelledGraph) -> LabelledGraph:
    """With one transition for each source, target and assumption, and none that a transition without assumption has."""
    groups: dict[tuple[int, int], list[int]] = {}
    for source, label, target in graph.arcs:
        groups.setdefault((source, target), []).append(label)
    if len(groups) == len(graph.arcs):
        return graph
    changed = False
    transitions: list[Transition] = []
    cache: dict[tuple[int, ...], tuple[Label, ...]] = {}
    for (source, target), ranks in groups.items():
        if len(ranks) == 1:
            transitions.append(Transition(source, target, *graph.labels[ranks[0]]))
            continue
        key = tuple(ranks)
        if key not in cache:
            cache[key] = _joined_labels([graph.labels[rank] for rank in ranks])
        changed |= len(cache[key]) != len(ranks) or any(graph.labels[r] not in cache[key] for r in ranks)
        transitions.extend(Transition(source, target, *label) for label in cache[key])
    return _with_transitions(graph, transitions) if changed else graph


def _joined_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Labels that match together what these match, one for each assumption."""
    by_assumption: dict[Hashable, Label] = {}
    for edges, assumption in labels:
        known = by_assumption.get(assumption)
        both = edges if known is None else _union(known[0], edges)
        by_assumption[assumption] = (both, assumption)
    if None not in by_assumption:
        return tuple(by_assumption.values())
    always = by_assumption[None][0]
    result: list[Label] = [(always, None)]
    for edges, assumption in by_assumption.values():
        if assumption is None or always is ANY:
            continue
        rest = edges if edges is ANY else edges - always
        if rest is ANY or rest:
            result.append((rest, assumption))
    return tuple(result)


def _union(
    first: frozenset[EdgeReference] | None, second: frozenset[EdgeReference] | None
) -> frozenset[EdgeReference] | None:
    return ANY if first is ANY or second is ANY else first | second


def _by_target(graph: LabelledGraph) -> Callable[[list[tuple[int, int]]], Hashable]:
    """The signature of a state for :func:`forward_quotient`: for assumption and target colour, the edges."""
    assumptions: dict[Hashable, int] = {}
    sets: dict[frozenset[EdgeReference] | None, int] = {}
    edges_of, parts = [], []
    for edges, assumption in graph.labels:
        edges_of.append(edges)
        parts.append((assumptions.setdefault(assumption, len(assumptions)), sets.setdefault(edges, len(sets))))
    unions: dict[tuple[int, ...], int] = {}

    def signature(pairs: list[tuple[int, int]]) -> Hashable:
        found: dict[tuple[int, int], list[int]] = {}
        for label, colour in pairs:
            found.setdefault((parts[label][0], colour), []).append(label)
        return frozenset((key, union_of(labels)) for key, labels in found.items())

    def union_of(labels: list[int]) -> int:
        if len(labels) == 1:
            return parts[labels[0]][1]
        key = tuple(labels)
        if key not in unions:
            together = edges_of[labels[0]]
            for label in labels[1:]:
                together = _union(together, edges_of[label])
            unions[key] = sets.setdefault(together, len(sets))
        return unions[key]

    return signature


def _closure(starts: Iterable[int], neighbours: Callable[[int], Iterable[int]]) -> set[int]:
    found = set(starts)
    pending = list(found)
    while pending:
        for state in neighbours(pending.pop()):
            if state not in found:
                found.add(state)
                pending.append(state)
    return found


def _with_transitions(graph: LabelledGraph, transitions: Iterable[Transition]) -> LabelledGraph:
    return LabelledGraph.of(replaced(graph.automaton(), graph.states, transitions))


def replaced(automaton: Automaton, states: Iterable[State], transitions: Iterable[Transition]) -> Automaton:
    """The automaton with other states and transitions; initial state, metadata and texts stay."""
    return Automaton(tuple(states), tuple(transitions), automaton.initial, automaton.metadata, automaton.edge_texts)
