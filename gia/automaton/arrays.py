"""An automaton as arrays of numbers: what reduction works on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.labelled import (
    Label,
    LabelledGraph,
    TransitionColumns,
    columns_of,
    condition_key,
    edge_key,
    ranked,
    used_edges,
)
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State
from gia.automaton.numerics import np, npt
from gia.automaton.rows import Ints, begins_of, closure, distinct, sorted_rows
from gia.cfa.graph import EdgeReference

EdgeNumbers = frozenset[int] | None
"""A set of numbered edges, or :data:`ANY`."""

_GONE = -1


class Vocabulary:
    """Numbers for edges, sets of edges, assumptions and labels; it grows when sets are united."""

    def __init__(self, labels: Iterable[Label]) -> None:
        self.sets: list[EdgeNumbers] = []
        self.assumptions: list[Condition | None] = [None]
        self.set_of: list[int] = []
        """For each label its set, as a number; :attr:`assumption_of` likewise (0: none)."""
        self.assumption_of: list[int] = []
        self._set_numbers: dict[EdgeNumbers, int] = {}
        self._assumption_numbers: dict[Condition | None, int] = {None: 0}
        self._label_numbers: dict[tuple[int, int], int] = {}
        known = list(labels)
        self._edges = sorted(used_edges(known), key=edge_key)
        self._references: dict[int, frozenset[EdgeReference] | None] = {}
        number = {edge: position for position, edge in enumerate(self._edges)}
        numbers_of: dict[int, EdgeNumbers] = {}
        for edges, assumption in known:
            if id(edges) not in numbers_of:
                numbers_of[id(edges)] = ANY if edges is ANY else frozenset(map(number.__getitem__, edges))
            if assumption not in self._assumption_numbers:
                self._assumption_numbers[assumption] = len(self.assumptions)
                self.assumptions.append(assumption)
            self.label(self.set_number(numbers_of[id(edges)]), self._assumption_numbers[assumption])

    def set_number(self, edges: EdgeNumbers) -> int:
        """The number of a set of edges."""
        if edges not in self._set_numbers:
            self._set_numbers[edges] = len(self.sets)
            self.sets.append(edges)
        return self._set_numbers[edges]

    def union(self, sets: Iterable[int]) -> int:
        """The number of the union of sets."""
        found: set[int] = set()
        for number in sets:
            edges = self.sets[number]
            if edges is ANY:
                return number
            found |= edges
        return self.set_number(frozenset(found))

    def label(self, edges: int, assumption: int) -> int:
        """The number of a label."""
        key = (edges, assumption)
        if key not in self._label_numbers:
            self._label_numbers[key] = len(self.set_of)
            self.set_of.append(edges)
            self.assumption_of.append(assumption)
        return self._label_numbers[key]

    def anything(self) -> int:
        """The label of a ``*`` loop."""
        return self.label(self.set_number(ANY), 0)

    def order_key(self, label: int) -> tuple[tuple[int, ...], tuple[int, str, str]]:
        """What labels are ordered by (``docs/gia-format.md``, "Canonical form")."""
        edges = self.sets[self.set_of[label]]
        condition = self.assumptions[self.assumption_of[label]]
        return (() if edges is ANY else tuple(sorted(edges)), condition_key(condition))

    def spelled(self, label: int) -> Label:
        """The label with this number."""
        found = self.set_of[label]
        if found not in self._references:
            edges = self.sets[found]
            self._references[found] = ANY if edges is ANY else frozenset(self._edges[edge] for edge in edges)
        return self._references[found], self.assumptions[self.assumption_of[label]]


class Arrays(Struct, frozen=True):
    """States by their kinds, and arcs as columns, sorted by source, target, label; no two are equal."""

    kinds: Ints
    """For each state, which of :attr:`descriptions` it has."""
    sources: Ints
    targets: Ints
    labels: Ints
    initial: int
    descriptions: tuple[State, ...]
    vocabulary: Vocabulary
    origin: Automaton

    @classmethod
    def of(cls, automaton: Automaton) -> Arrays:
        """The arrays of an automaton; transitions that carry no edge match nothing and are left out."""
        columns = columns_of(automaton.transitions)
        return cls.of_columns(automaton.states, columns, automaton.initial, automaton)

    @classmethod
    def of_columns(cls, states: Sequence[State], columns: TransitionColumns, initial: int, origin: Automaton) -> Arrays:
        """The arrays of these states and transitions; ``origin`` gives metadata and texts."""
        sources, targets, edges, assumptions = columns
        names, ranks = ranked(edges, assumptions)
        objects = {id(state): state for state in states}
        number = {state: position for position, state in enumerate(dict.fromkeys(objects.values()))}
        numbers = {name: number[state] for name, state in objects.items()}
        kinds = np.array([numbers[id(state)] for state in states], np.int64)
        nothing = np.zeros(0, np.int64)
        made = cls(kinds, nothing, nothing, nothing, initial, tuple(number), Vocabulary(names), origin)
        return made.with_arcs(*(np.array(column, np.int64) for column in (sources, targets, ranks)))

    def with_arcs(self, sources: Ints, targets: Ints, labels: Ints) -> Arrays:
        """The same states with other arcs, which need not be sorted."""
        columns = sorted_rows(sources, targets, labels, (len(self.kinds), len(self.kinds), len(self.vocabulary.set_of)))
        return replace(self, sources=columns[0], targets=columns[1], labels=columns[2])

    def is_settled(self) -> bool:
        """Whether it is known that accepting states end runs (:mod:`~gia.automaton.settling`)."""
        accept = [state.accept for state in self.descriptions]
        if accept[self.kinds[self.initial]] is Acceptance.CAND:
            return False
        accepting = np.array([found is not None for found in accept], bool)[self.kinds]
        leaving = accepting[self.sources]
        loop = self.vocabulary.anything()
        loops = self.sources[leaving & (self.labels == loop) & (self.sources == self.targets)]
        return bool(len(loops) == np.count_nonzero(leaving) == np.count_nonzero(accepting))

    def _accepting(self, kind: Acceptance) -> npt.NDArray[np.bool_]:
        return np.array([state.accept is kind for state in self.descriptions], bool)[self.kinds]

    def _into(self, kind: Acceptance) -> npt.NDArray[np.bool_]:
        """The arcs from outside of ``F_kind`` into it."""
        final = self._accepting(kind)
        return final[self.targets] & ~final[self.sources]

    def edges_into(self, kind: Acceptance) -> frozenset[int]:
        """The numbers of the edges on arcs into ``F_kind``; those of ``*`` are not listed."""
        sets = {self.vocabulary.set_of[label] for label in distinct(self.labels[self._into(kind)]).tolist()}
        return frozenset[int]().union(*(self.vocabulary.sets[number] or () for number in sets))

    def without_steps(self, kind: Acceptance, edges: frozenset[int]) -> Arrays:
        """Without the steps from outside of ``F_kind`` into it on these edges; those on ``*`` stay."""
        into = self._into(kind)
        words = self.vocabulary
        changed: dict[int, int] = {}
        for label in distinct(self.labels[into]).tolist():
            found = words.sets[words.set_of[label]]
            if found is not None and not edges.isdisjoint(found):
                rest = found - edges
                changed[label] = words.label(words.set_number(rest), words.assumption_of[label]) if rest else _GONE
        if not changed:
            return self
        table = np.arange(len(words.set_of))
        table[list(changed)] = list(changed.values())
        labels = np.where(into, table[self.labels], self.labels)
        kept = labels != _GONE
        return self.with_arcs(self.sources[kept], self.targets[kept], labels[kept])

    def towards(self, kind: Acceptance) -> Arrays:
        """The same states with the arcs on runs to ``F_kind`` only, without loops there; accepting states end runs."""
        final = self._accepting(kind)
        order = np.argsort(self.targets, kind="stable")
        begins = begins_of(self.targets[order], len(self.kinds))
        useful = closure(np.flatnonzero(final), begins, self.sources[order])
        steps = useful[self.sources] & useful[self.targets] & ~final[self.sources]
        return replace(self, sources=self.sources[steps], targets=self.targets[steps], labels=self.labels[steps])

    def has_conditions(self) -> bool:
        """Whether there is a condition on an arc or in a state that one enters."""
        invariant = np.array([state.invariant is not None for state in self.descriptions], bool)[self.kinds]
        assumption = np.array(self.vocabulary.assumption_of, bool)[self.labels]
        return bool((assumption | invariant[self.targets]).any())

    def quotient(self, classes: Ints) -> Arrays:
        """The states of one class become one; they have one kind."""
        _, first, number = np.unique(classes, return_index=True, return_inverse=True)
        order = np.argsort(first)  # neighbours stay near each other
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        first, number = first[order], rank[number]
        made = replace(self, kinds=self.kinds[first], initial=int(number[self.initial]))
        return made.with_arcs(number[self.sources], number[self.targets], self.labels)

    def part(self, kept: npt.NDArray[np.bool_]) -> Arrays:
        """Some of the states, among them the initial one, and the arcs between them."""
        number = np.cumsum(kept) - 1
        arcs = kept[self.sources] & kept[self.targets]
        made = replace(self, kinds=self.kinds[kept], initial=int(number[self.initial]))
        columns = (number[self.sources[arcs]], number[self.targets[arcs]], self.labels[arcs])
        return replace(made, sources=columns[0], targets=columns[1], labels=columns[2])

    def trimmed(self) -> Arrays:
        """Without the states that are not reachable or reach no accepting state; the initial state stays."""
        count = len(self.kinds)
        accepting = np.array([state.accept is not None for state in self.descriptions], bool)[self.kinds]
        reachable = closure(np.array([self.initial]), begins_of(self.sources, count), self.targets)
        order = np.argsort(self.targets, kind="stable")
        begins = begins_of(self.targets[order], count)
        kept = reachable & closure(np.flatnonzero(accepting), begins, self.sources[order])
        if not kept[self.initial]:
            kept = np.zeros(count, bool)
            kept[self.initial] = True
            nothing = np.zeros(0, np.int64)
            return replace(self, sources=nothing, targets=nothing, labels=nothing).part(kept)
        return self if kept.all() else self.part(kept)

    def graph(self) -> LabelledGraph:
        """The labelled graph of these arrays, its labels ranked."""
        used, position = np.unique(self.labels, return_inverse=True)
        spelled = [self.vocabulary.spelled(label) for label in used.tolist()]
        keys = [self.vocabulary.order_key(label) for label in used.tolist()]
        order = sorted(range(len(used)), key=keys.__getitem__)
        rank = np.empty(len(used), np.int64)
        rank[order] = np.arange(len(used))
        ranks = rank[position]
        limits = (len(self.kinds), len(used), len(self.kinds))
        first, second, third = (column.tolist() for column in sorted_rows(self.sources, ranks, self.targets, limits))
        states = tuple(map(self.descriptions.__getitem__, self.kinds.tolist()))
        return LabelledGraph(
            states, tuple(spelled[label] for label in order), first, second, third, self.initial, self.origin
        )
