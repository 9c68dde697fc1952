"""An automaton with numbered labels: what the algorithms on automata work on.

A label is what a transition carries, a pair of edges and assumption. Numbering the labels once makes
partition refinement and renumbering work on integers. The numbers are ranks in an order that depends
on the labels alone (``docs/gia-format.md``, "Canonical form"), so they are the same in every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice
from operator import add, lt

from msgspec import Struct

from gia.automaton.bulk import bulk_allocation
from gia.automaton.model import ANY, Automaton, Condition, State, Transition
from gia.cfa.graph import EdgeReference

Label = tuple[frozenset[EdgeReference] | None, Condition | None]
"""Edges (:data:`ANY` is ``*``) and assumption of a transition."""

TransitionColumns = tuple[
    Sequence[int], Sequence[int], Sequence[frozenset[EdgeReference] | None], Sequence[Condition | None]
]
"""Sources, targets, edges and assumptions of transitions."""

_transition = partial(tuple.__new__, Transition)


def edge_key(edge: EdgeReference) -> tuple[str, int, int, str, str, int]:
    """The order of edges: function, line, column, kind, branch, ordinal."""
    return (edge.function, edge.line, edge.column, edge.kind, edge.branch, edge.ordinal)


def condition_key(condition: Condition | None) -> tuple[int, str, str]:
    """The order of conditions: none (true) first, then by scope and text."""
    return (0, "", "") if condition is None else (1, condition.scope, condition.text)


class LabelledGraph(Struct, frozen=True, eq=False, dict=True):
    """States, ranked labels, and arcs as three columns; ``origin`` keeps metadata and texts.

    Arc ``i`` leads from ``sources[i]`` to ``targets[i]`` with the label of rank ``ranks[i]``; the arcs are sorted by
    source, rank, target, and no two are equal.
    """

    states: tuple[State, ...]
    labels: tuple[Label, ...]
    sources: Sequence[int]
    ranks: Sequence[int]
    targets: Sequence[int]
    initial: int
    origin: Automaton

    @classmethod
    def of(cls, automaton: Automaton) -> LabelledGraph:
        """The graph of an automaton; transitions that carry no edge match nothing and are left out."""
        with bulk_allocation():
            sources, targets, edges, assumptions = columns_of(automaton.transitions)
            labels, ranks = ranked(edges, assumptions)
            columns = _sorted_columns(sources, ranks, targets, len(automaton.states), len(labels))
            return cls(automaton.states, labels, *columns, automaton.initial, automaton)

    def automaton(self) -> Automaton:
        """The automaton of this graph, its transitions in the order of the arcs."""
        with bulk_allocation():
            edges = [label[0] for label in self.labels]
            assumptions = [label[1] for label in self.labels]
            columns = (map(edges.__getitem__, self.ranks), map(assumptions.__getitem__, self.ranks))
            transitions = transitions_of(self.sources, self.targets, *columns)
        return Automaton(self.states, transitions, self.initial, self.origin.metadata, self.origin.edge_texts)

    @cached_property
    def begins(self) -> list[int]:
        """``begins[s]``: the number of the first arc of state ``s``; one more element, the number of arcs."""
        counts = [0] * (len(self.states) + 1)
        for source in self.sources:
            counts[source + 1] += 1
        for state in range(len(self.states)):
            counts[state + 1] += counts[state]
        return counts

    @cached_property
    def leaving(self) -> list[list[tuple[int, int]]]:
        """``leaving[s]``: the pairs (label rank, target) of the arcs that leave ``s``, sorted."""
        pairs = list(zip(self.ranks, self.targets, strict=True))
        return [pairs[self.begins[state] : self.begins[state + 1]] for state in range(len(self.states))]

    @cached_property
    def entering(self) -> list[list[tuple[int, int]]]:
        """``entering[t]``: the pairs (label rank, source) of the arcs that enter ``t``, sorted by source."""
        result: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for source, label, target in zip(self.sources, self.ranks, self.targets, strict=True):
            result[target].append((label, source))
        return result

    def renumbered(self, order: Sequence[int]) -> LabelledGraph:
        """The graph in which ``order[n]`` is state ``n``; states that ``order`` leaves out disappear.

        Labels that no arc carries any more disappear as well; the ranks of the others close up.
        """
        number = [-1] * len(self.states)
        for new, state in enumerate(order):
            number[state] = new
        states = tuple(map(self.states.__getitem__, order))
        sources, targets = (list(map(number.__getitem__, column)) for column in (self.sources, self.targets))
        if len(order) == len(self.states):
            columns = _sorted_columns(sources, self.ranks, targets, len(states), len(self.labels))
            return LabelledGraph(states, self.labels, *columns, number[self.initial], self.origin)
        arcs = zip(sources, self.ranks, targets, strict=True)
        return self.with_arcs(states, [arc for arc in arcs if arc[0] >= 0 and arc[2] >= 0], number[self.initial])

    def with_arcs(self, states: tuple[State, ...], arcs: Sequence[tuple[int, int, int]], initial: int) -> LabelledGraph:
        """The graph with other states and arcs (source, rank, target); labels without arcs disappear."""
        used = sorted({arc[1] for arc in arcs})
        rank = {label: new for new, label in enumerate(used)}
        sources, ranks, targets = (list(column) for column in zip(*arcs, strict=True)) if arcs else ([], [], [])
        columns = _sorted_columns(sources, [rank[label] for label in ranks], targets, len(states), len(used))
        return LabelledGraph(states, tuple(self.labels[label] for label in used), *columns, initial, self.origin)


MANY = 20_000
"""So many arcs are sorted as arrays."""

Columns = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""Sources, ranks of labels, targets."""


def transitions_of(
    sources: Iterable[int],
    targets: Iterable[int],
    edges: Iterable[frozenset[EdgeReference] | None],
    assumptions: Iterable[Condition | None],
) -> tuple[Transition, ...]:
    """The transitions with these columns."""
    return tuple(map(_transition, zip(sources, targets, edges, assumptions, strict=True)))


def columns_of(transitions: Sequence[Transition]) -> TransitionColumns:
    """The transitions that carry an edge, by columns."""
    if not transitions:
        return (), (), (), ()
    sources, targets, edges, assumptions = zip(*transitions, strict=True)
    if any(found is not ANY and not found for found in dict(zip(map(id, edges), edges, strict=True)).values()):
        return columns_of([transition for transition in transitions if transition.edges is ANY or transition.edges])
    return sources, targets, edges, assumptions


def ranked(
    edges: Sequence[frozenset[EdgeReference] | None], assumptions: Sequence[Condition | None]
) -> tuple[tuple[Label, ...], list[int]]:
    """The distinct labels in their order, and the rank of the label of each transition.

    Order: ``*`` before sets, sets by their sorted edges, then by assumption. Each object that occurs is looked at
    once: to compare sets of many edges again and again would take longer than all the rest.
    """
    set_names, condition_names = list(map(id, edges)), list(map(id, assumptions))
    sets = dict(zip(set_names, edges, strict=True))
    conditions = dict(zip(condition_names, assumptions, strict=True))
    ordered = sorted(set(conditions.values()), key=condition_key)
    rank_of = {condition: number for number, condition in enumerate(ordered)}
    condition_rank = {name: rank_of[condition] for name, condition in conditions.items()}
    set_rank = _set_ranks(sets)
    count = max(len(ordered), 1)
    begin = {name: rank * count for name, rank in set_rank.items()}
    codes = list(map(add, map(begin.__getitem__, set_names), map(condition_rank.__getitem__, condition_names)))
    used = sorted(set(codes))
    position = {code: number for number, code in enumerate(used)}
    one_set = {set_rank[name]: found for name, found in sets.items()}
    labels = tuple((one_set[code // count], ordered[code % count]) for code in used)
    return labels, list(map(position.__getitem__, codes))


def _set_ranks(sets: Mapping[int, frozenset[EdgeReference] | None]) -> dict[int, int]:
    """The rank of each set, equal for equal ones."""
    edges: set[EdgeReference] = set()
    for found in sets.values():
        edges |= found or frozenset()
    number = {edge: position for position, edge in enumerate(sorted(edges, key=edge_key))}
    keys = {name: () if found is ANY else tuple(sorted(map(number.__getitem__, found))) for name, found in sets.items()}
    rank = {key: position for position, key in enumerate(sorted(set(keys.values())))}
    return {name: rank[key] for name, key in keys.items()}


def _sorted_columns(
    sources: Sequence[int], ranks: Sequence[int], targets: Sequence[int], states: int, labels: int
) -> Columns:
    """The columns sorted and without duplicates."""
    if len(sources) >= MANY:
        from gia.automaton.rows import sorted_lists  # noqa: PLC0415 - numpy takes longer to load than fewer to sort

        return sorted_lists(sources, ranks, targets, (states, labels, states))
    keys = [(s * labels + r) * states + t for s, r, t in zip(sources, ranks, targets, strict=True)]
    if all(map(lt, keys, islice(keys, 1, None))):
        return sources, ranks, targets
    keys = sorted(set(keys))
    pairs = [key // states for key in keys]
    return [pair // labels for pair in pairs], [pair % labels for pair in pairs], [key % states for key in keys]


def used_edges(labels: Iterable[Label]) -> set[EdgeReference]:
    """The edges that the labels mention."""
    edges: set[EdgeReference] = set()
    for found, _ in labels:
        edges |= found or frozenset()
    return edges
