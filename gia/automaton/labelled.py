"""An automaton with numbered labels: what the algorithms on automata work on.

A label is what a transition carries, a pair of edges and assumption. Numbering the labels once makes
partition refinement and renumbering work on integers. The numbers are ranks in an order that depends
on the labels alone (``docs/gia-format.md``, "Canonical form"), so they are the same in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from gia.automaton.model import ANY, Automaton, Condition, State, Transition
from gia.cfa.graph import EdgeReference

Label = tuple[frozenset[EdgeReference] | None, Condition | None]
"""Edges (:data:`ANY` is ``*``) and assumption of a transition."""

Arc = tuple[int, int, int]
"""A transition as (source state, label rank, target state)."""


def edge_key(edge: EdgeReference) -> tuple[str, int, int, str, str, int]:
    """The order of edges: function, line, column, kind, branch, ordinal."""
    return (edge.function, edge.line, edge.column, edge.kind, edge.branch, edge.ordinal)


def condition_key(condition: Condition | None) -> tuple[int, str, str]:
    """The order of conditions: none (true) first, then by scope and text."""
    return (0, "", "") if condition is None else (1, condition.scope, condition.text)


def ranked_labels(transitions: Sequence[Transition]) -> tuple[Label, ...]:
    """The distinct labels in their order: ``*`` before sets, sets by their sorted edges, then by assumption."""
    distinct = {(t.edges, t.assumption) for t in transitions}
    edges = {edge for found, _ in distinct for edge in found or ()}
    rank = {edge: number for number, edge in enumerate(sorted(edges, key=edge_key))}
    sets = {found: () if found is ANY else (1, *sorted(rank[edge] for edge in found)) for found, _ in distinct}
    return tuple(sorted(distinct, key=lambda label: (sets[label[0]], condition_key(label[1]))))


@dataclass(frozen=True)
class LabelledGraph:
    """States, ranked labels and sorted arcs without duplicates; ``origin`` keeps metadata and texts."""

    states: tuple[State, ...]
    labels: tuple[Label, ...]
    arcs: tuple[Arc, ...]
    initial: int
    origin: Automaton = field(compare=False)

    @classmethod
    def of(cls, automaton: Automaton) -> LabelledGraph:
        """The graph of an automaton; transitions that carry no edge match nothing and are left out."""
        labels = ranked_labels([t for t in automaton.transitions if t.edges is ANY or t.edges])
        rank: Mapping[Label, int] = {label: number for number, label in enumerate(labels)}
        arcs = [(s, rank[(e, a)], t) for s, t, e, a in automaton.transitions if e is ANY or e]
        if not _strictly_increasing(arcs):
            arcs = sorted(set(arcs))
        return cls(automaton.states, labels, tuple(arcs), automaton.initial, automaton)

    def automaton(self) -> Automaton:
        """The automaton of this graph, its transitions in the order of the arcs."""
        labels = self.labels
        transitions = tuple(Transition(s, t, *labels[label]) for s, label, t in self.arcs)
        return Automaton(self.states, transitions, self.initial, self.origin.metadata, self.origin.edge_texts)

    @cached_property
    def leaving(self) -> list[list[tuple[int, int]]]:
        """``leaving[s]``: the pairs (label rank, target) of the arcs that leave ``s``, sorted."""
        result: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for source, label, target in self.arcs:
            result[source].append((label, target))
        return result

    @cached_property
    def entering(self) -> list[list[tuple[int, int]]]:
        """``entering[t]``: the pairs (label rank, source) of the arcs that enter ``t``, sorted by source."""
        result: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for source, label, target in self.arcs:
            result[target].append((label, source))
        return result


def _strictly_increasing(arcs: Sequence[Arc]) -> bool:
    return all(first < second for first, second in pairwise(arcs))
