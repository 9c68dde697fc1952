"""The product of the inlined program with the runs of a GIA, by the subset construction.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 4 (covered paths). A node is a node of the supergraph with the
set of automaton states that the runs on the path so far may be in. Runs only give hints here: the invariants of
their states are candidates that the checker proves itself, so that leaving a run out is always safe.
"""

from __future__ import annotations

from typing import NamedTuple

from gia.automaton.model import ANY, Acceptance, Automaton, Condition
from gia.cfa.graph import Edge, EdgeReference
from gia.cfa.supergraph import Node, Supergraph
from gia.smt.blocks import Arc, steps_of


class ProductNode(NamedTuple):
    """A node of the inlined program and the states of the runs that lead there, in ascending order."""

    node: Node
    states: tuple[int, ...]


class ProductGraph:
    """The supergraph times the subsets of those states of ``automaton`` from which a ``ut`` state can be reached.

    Transitions with an assumption are not followed: their runs cover only a part of the paths of an edge.
    :attr:`ignored_assumptions` lists those that lay on the way.
    """

    def __init__(self, supergraph: Supergraph, automaton: Automaton) -> None:
        self.supergraph = supergraph
        self.automaton = automaton
        self.useful = _reaching_ut(automaton)
        self.claimed: set[tuple[ProductNode, int]] = set()
        """The arcs (node, edge number) that some run takes into a ``ut`` state, as far as the graph was explored."""
        self.ignored_assumptions: dict[Condition, None] = {}
        self._moves: dict[tuple[int, EdgeReference], tuple[tuple[int, ...], bool]] = {}
        self._by_edge = [self._index(state) for state in range(len(automaton.states))]

    @property
    def entry(self) -> ProductNode:
        """The program's entry with the run that has just begun."""
        first = self.automaton.initial
        return ProductNode(self.supergraph.entry, (first,) if first in self.useful else ())

    def place(self, node: ProductNode) -> Node:
        """The node of the inlined program."""
        return node.node

    def arcs(self, node: ProductNode) -> tuple[Arc[ProductNode], ...]:
        """The steps of the program with the states that the runs move to."""
        found = []
        for edge, step in steps_of(self.supergraph, node.node):
            states = self._move(node, edge)
            if step is None:
                target = Node(node.node.context, edge.target)
                found.append(Arc(edge, None, ProductNode(target, self._after_anything(states))))
            else:
                found.append(Arc(edge, step, ProductNode(step.target, states)))
        return tuple(found)

    def invariants(self, node: ProductNode) -> tuple[tuple[int, Condition], ...]:
        """The invariants of the runs at a node, with the states that carry them."""
        found = ((state, self.automaton.states[state].invariant) for state in node.states)
        return tuple((state, invariant) for state, invariant in found if invariant is not None)

    def _move(self, node: ProductNode, edge: Edge) -> tuple[int, ...]:
        """The states after ``edge``; records whether one is a ``ut`` state."""
        after: set[int] = set()
        for state in node.states:
            targets, unreachable = self._moves_of(state, edge.reference)
            after.update(targets)
            if unreachable:
                self.claimed.add((node, edge.number))
        return tuple(sorted(after))

    def _after_anything(self, states: tuple[int, ...]) -> tuple[int, ...]:
        """All states that the runs may be in after some sequence of edges."""
        found = set(states)
        pending = list(states)
        while pending:
            for transition in self.automaton.leaving[pending.pop()]:
                target = transition.target
                accepted = self.automaton.states[target].accept is Acceptance.UT
                if target in self.useful and not accepted and target not in found:
                    found.add(target)
                    pending.append(target)
        return tuple(sorted(found))

    def _index(self, state: int) -> tuple[dict[EdgeReference, list[int]], list[int]]:
        """The targets of the transitions of a state by edge, and those of its ``*`` transitions."""
        by_edge: dict[EdgeReference, list[int]] = {}
        anywhere: list[int] = []
        for transition in self.automaton.leaving[state] if state in self.useful else ():
            if transition.target not in self.useful:
                continue
            if transition.assumption is not None:
                self.ignored_assumptions[transition.assumption] = None
            elif transition.edges is ANY:
                anywhere.append(transition.target)
            else:
                for reference in transition.edges:
                    by_edge.setdefault(reference, []).append(transition.target)
        return by_edge, anywhere

    def _moves_of(self, state: int, reference: EdgeReference) -> tuple[tuple[int, ...], bool]:
        """Where a run goes from ``state``, and whether one of the targets is a ``ut`` state (which is not listed)."""
        key = (state, reference)
        found = self._moves.get(key)
        if found is None:
            by_edge, anywhere = self._by_edge[state]
            targets = {*by_edge.get(reference, ()), *anywhere}
            accepted = {t for t in targets if self.automaton.states[t].accept is Acceptance.UT}
            found = self._moves[key] = (tuple(sorted(targets - accepted)), bool(accepted))
        return found


def _reaching_ut(automaton: Automaton) -> frozenset[int]:
    """The states from which a ``ut`` state can be reached."""
    sources: dict[int, list[int]] = {}
    for transition in automaton.transitions:
        sources.setdefault(transition.target, []).append(transition.source)
    pending = list(automaton.accepting(Acceptance.UT))
    found: set[int] = set()
    while pending:
        state = pending.pop()
        if state not in found:
            found.add(state)
            pending.extend(sources.get(state, ()))
    return frozenset(found)
