"""The canonical form of an automaton: what the exchange file is made from.

The rules are those of ``docs/gia-format.md``, "Canonical form". Two automata that differ only in the
numbers of their states and in the order of their transitions have the same canonical form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby, pairwise

from gia.automaton.labelled import LabelledGraph, condition_key
from gia.automaton.model import Automaton, State

_ACCEPT_RANK = {None: 0, "ut": 1, "rt": 2, "cand": 3}
_SHALLOW = 8
"""The depth from which on states that look alike are first suspected to be bisimilar."""


def canonical(automaton: Automaton) -> Automaton:
    """The canonical form: same three languages, states numbered from the initial one, transitions sorted.

    States that are not reachable are dropped. Bisimilar states are merged if the numbering would
    otherwise have to choose between two of them that equal labels lead to.
    """
    return canonical_graph(LabelledGraph.of(automaton)).automaton()


def canonical_graph(graph: LabelledGraph) -> LabelledGraph:
    """As :func:`canonical`, on labelled graphs."""
    if _is_canonical(graph):
        return graph
    descriptions = _Descriptions(graph)
    order = _breadth_first(graph, descriptions)
    if order is None:
        graph = _merged(graph, descriptions.classes())
        order = _breadth_first(graph, _Descriptions(graph))
        assert order is not None  # no two states are bisimilar any more
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


class _Descriptions:
    """What can be seen from a state within some steps: its description of that depth.

    That of depth 0 is the kind of the state; that of depth ``k + 1`` the kind and the set of the pairs (label,
    description of depth ``k`` of the target) of its arcs. Ranks stand for descriptions: they have their order.
    """

    def __init__(self, graph: LabelledGraph) -> None:
        self._graph = graph
        self._kinds = state_kinds(graph.states)
        self._everywhere: dict[int, Sequence[int]] = {}
        self._effort: dict[int, int] = {}
        self._classes: Sequence[int] | None = None

    def ordered(self, states: Sequence[int]) -> list[int] | None:
        """The states by their descriptions of depth 1, 2, 4, …; ``None`` if two of them are bisimilar."""
        groups = [list(states)]
        depth = 1
        while unresolved := [state for group in groups if len(group) > 1 for state in group]:
            if depth == _SHALLOW:
                classes = self.classes()
                if len({classes[state] for state in unresolved}) < len(unresolved):
                    return None
            rank = self._ranks(unresolved, depth)
            groups = [part for group in groups for part in _divided(group, rank)]
            depth *= 2
        return [state for group in groups for state in group]

    def classes(self) -> Sequence[int]:
        """Classes of bisimilar states."""
        if self._classes is None:
            from gia.automaton.bisimulation import bisimilar  # noqa: PLC0415 - numpy is slow to load, and rarely needed

            graph = self._graph
            self._classes = bisimilar(self._kinds, graph.sources, graph.ranks, graph.targets)
        return self._classes

    def _ranks(self, states: Iterable[int], depth: int) -> Sequence[int] | dict[int, int]:
        """Ranks of the descriptions of this depth, at least of these states."""
        if depth in self._everywhere:
            return self._everywhere[depth]
        levels = [set(states)]
        begins, targets = self._graph.begins, self._graph.targets
        effort = self._effort.get(depth, 0)
        while len(levels) <= depth:
            level = levels[-1]
            levels.append({t for state in level for t in targets[begins[state] : begins[state + 1]]})
            effort += len(levels[-1])
            if effort > 2 * len(self._graph.states):  # looking at all states once costs no more from now on
                return self._ranks_everywhere(depth)
        self._effort[depth] = effort
        rank: Sequence[int] | dict[int, int] = self._kinds
        for level in reversed(levels[:-1]):
            rank = self._next_ranks(level, rank)
        return rank

    def _ranks_everywhere(self, depth: int) -> Sequence[int]:
        done = max((known for known in self._everywhere if known < depth), default=0)
        rank: Sequence[int] = self._everywhere.get(done, self._kinds)
        for _ in range(depth - done):
            rank = list(self._next_ranks(range(len(self._kinds)), rank).values())
        self._everywhere[depth] = rank
        return rank

    def _next_ranks(self, states: Iterable[int], rank: Sequence[int] | dict[int, int]) -> dict[int, int]:
        """Ranks of the descriptions one deeper than those that ``rank`` stands for."""
        begins, labels, targets = self._graph.begins, self._graph.ranks, self._graph.targets
        found: dict[int, tuple[int, ...]] = {}
        for state in states:
            arcs = slice(begins[state], begins[state + 1])
            pairs = sorted(set(zip(labels[arcs], map(rank.__getitem__, targets[arcs]), strict=True)))
            found[state] = (self._kinds[state], *(number for pair in pairs for number in pair))
        position = {description: number for number, description in enumerate(sorted(set(found.values())))}
        return {state: position[description] for state, description in found.items()}


def _divided(group: list[int], rank: Sequence[int] | dict[int, int]) -> list[list[int]]:
    """The group in parts of equal rank, ascending."""
    if len(group) == 1:
        return [group]
    return [list(part) for _, part in groupby(sorted(group, key=rank.__getitem__), key=rank.__getitem__)]


def state_kinds(states: Sequence[State]) -> list[int]:
    """Ranks of the kinds of states, accepting set and invariant, in an order that depends on these alone."""
    objects = {id(state): state for state in states}
    distinct = sorted(set(objects.values()), key=lambda state: (_ACCEPT_RANK[state.accept], condition_key(state[0])))
    rank = {state: number for number, state in enumerate(distinct)}
    ranks = {name: rank[state] for name, state in objects.items()}
    return [ranks[id(state)] for state in states]


def _merged(graph: LabelledGraph, classes: Sequence[int]) -> LabelledGraph:
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


def _breadth_first(graph: LabelledGraph, descriptions: _Descriptions) -> list[int] | None:
    """The states in breadth-first order along sorted labels, ties by descriptions.

    ``None`` if one label leads from one state to two bisimilar states that were not seen before.
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
                resolved = descriptions.ordered(found)
                if resolved is None:
                    return None
                found = resolved
            for target in found:
                seen[target] = 1
            order += found
    return order
