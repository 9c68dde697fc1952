"""The product of the inlined program with the runs of a GIA, by the subset construction; short loops are unrolled.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 3 (covered paths). A node is a node of the supergraph with the
set of automaton states that the runs on the path so far may be in. An edge with assumptions is split into cases, one
for each combination of their outcomes. Runs only give hints here: the invariants of their states are candidates that
the checker proves itself, so that leaving a run out is always safe.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from gia.automaton.model import ANY, Acceptance, Automaton, Condition
from gia.automaton.trimming import leading_to
from gia.cfa.graph import Edge, EdgeReference
from gia.cfa.operations import Return
from gia.cfa.supergraph import Node, Supergraph
from gia.checker.conditions import Conditions
from gia.smt.invariants.control_graph import (
    OVER_A_CALL,
    Arc,
    ArcKey,
    ArcKind,
    Move,
    Requirement,
    moves_of,
    nothing_follows,
    returning_functions,
)
from gia.smt.invariants.rounds import Rounds

MAXIMAL_CASES = 4
"""Edges with more different assumptions are not split: the transitions with these assumptions are not followed."""


class ProductNode(NamedTuple):
    """A node of the inlined program and the states of the runs that lead there, in ascending order."""

    node: Node
    states: tuple[int, ...]


class _Moves(NamedTuple):
    """Where the transitions of a state on one edge lead: without assumption, and under each assumption."""

    certain: frozenset[int]
    conditional: tuple[tuple[Condition, int], ...]


class ProductGraph:
    """The supergraph times the subsets of those states of ``automaton`` from which a ``ut`` state can be reached."""

    def __init__(self, supergraph: Supergraph, automaton: Automaton, conditions: Conditions) -> None:
        self.supergraph = supergraph
        self.automaton = automaton
        self.conditions = conditions
        self.useful = leading_to(automaton, automaton.accepting(Acceptance.UT))
        self.claimed: set[ArcKey[ProductNode]] = set()
        """The arcs that some run takes into a ``ut`` state, as far as the graph was explored."""
        self.incomplete = False
        """Whether some run was not followed because of an assumption."""
        self._returning = returning_functions(supergraph.program)
        self._rounds = Rounds.of(supergraph)
        self._unreachable = automaton.accepting(Acceptance.UT)
        self._ends: dict[Node, ProductNode] = {}
        self._moves: dict[tuple[int, EdgeReference], _Moves] = {}
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
        found: list[Arc[ProductNode]] = []
        for edge, step, target, kind, contract in self._moves_from(node.node):
            if kind is ArcKind.ENTER:
                found.append(Arc(edge, step, self._entry_of_all(target), kind=kind))
                continue
            exit_ = None if contract is None else self._exit_of_all(contract)
            ends = nothing_follows(self.supergraph.program, edge, kind, self._returning)
            behind = target if kind is not ArcKind.LEAVE else node.node
            for case, (requirements, states) in enumerate(self._cases(node.states, edge, behind)):
                if states & self._unreachable:
                    self.claimed.add(ArcKey(node, edge.number, case))
                alive = tuple(sorted(states - self._unreachable))
                after = self._after_anything(alive) if kind in OVER_A_CALL else alive
                reached = ProductNode(target, after) if kind is not ArcKind.LEAVE else self._exit_of_all(target)
                found.append(Arc(edge, step, reached, case, requirements, kind, exit_, ends))
        return tuple(found)

    def _moves_from(self, node: Node) -> Iterator[Move]:
        return moves_of(self.supergraph, node, self.supergraph.contracts, self._rounds)

    def _entry_of_all(self, entry: Node) -> ProductNode:
        """Where all calls of a function begin: in any states, for the automaton cannot know how deep it is."""
        return ProductNode(entry, tuple(sorted(self.useful - self._unreachable)))

    def _exit_of_all(self, end: Node) -> ProductNode:
        """Where all calls of a function end: in the states that its ``return`` edges lead to, with their invariants."""
        if end not in self._ends:
            function = self.supergraph.function_of(end)
            returns = frozenset(e.reference for e in function.edges if isinstance(e.operation, Return))
            found = {
                t.target
                for t in self.automaton.transitions
                if t.target in self.useful and t.edges is not ANY and t.edges & returns
            }
            self._ends[end] = ProductNode(end, tuple(sorted(found - self._unreachable)))
        return self._ends[end]

    def invariants(self, node: ProductNode) -> tuple[Condition, ...]:
        """The invariants of the runs at a node.

        Where all calls of a function begin, runs may be in any states: what is said of other functions means nothing.
        """
        function = self.supergraph.contracts.function_in(node.node.context)
        scopes = ("", function.name) if function is not None and node.node.location == function.entry else None
        found = (self.automaton.states[state].invariant for state in node.states)
        return tuple(dict.fromkeys(each for each in found if each is not None and (not scopes or each.scope in scopes)))

    def _cases(
        self, states: tuple[int, ...], edge: Edge, target: Node
    ) -> Iterator[tuple[tuple[Requirement, ...], frozenset[int]]]:
        """The states after ``edge``, for each combination of outcomes of the assumptions on it."""
        moves = [self._moves_of(state, edge.reference) for state in states]
        certain = frozenset[int]().union(*(move.certain for move in moves))
        conditional = [pair for move in moves for pair in move.conditional if pair[1] not in certain]
        atoms = {}
        for condition in sorted({condition for condition, _ in conditional}):
            expression = self.conditions.at(condition, target, edge)
            self.incomplete |= expression is None
            if expression is not None:
                atoms[condition] = expression
        if len(atoms) > MAXIMAL_CASES:
            for condition in atoms:
                self.conditions.remark(condition, "there are too many assumptions on one edge")
            atoms = {}
            self.incomplete = True
        for outcomes in product((True, False), repeat=len(atoms)):
            holding = {condition for condition, holds in zip(atoms, outcomes, strict=True) if holds}
            chosen = {state for condition, state in conditional if condition in holding}
            yield tuple(zip(atoms.values(), outcomes, strict=True)), certain | chosen

    def _after_anything(self, states: tuple[int, ...]) -> tuple[int, ...]:
        """All states that the runs may be in after some sequence of edges."""
        found = set(states)
        pending = list(states)
        while pending:
            for transition in self.automaton.leaving[pending.pop()]:
                target = transition.target
                if target in self.useful and target not in self._unreachable and target not in found:
                    found.add(target)
                    pending.append(target)
        return tuple(sorted(found))

    def _index(self, state: int) -> tuple[dict[EdgeReference, list[tuple[Condition | None, int]]], _Moves]:
        """The transitions of a state by edge, and those for every edge."""
        by_edge: dict[EdgeReference, list[tuple[Condition | None, int]]] = {}
        anywhere: list[tuple[Condition | None, int]] = []
        for transition in self.automaton.leaving[state] if state in self.useful else ():
            if transition.target in self.useful:
                move = (transition.assumption, transition.target)
                if transition.edges is ANY:
                    anywhere.append(move)
                else:
                    for reference in transition.edges:
                        by_edge.setdefault(reference, []).append(move)
        return by_edge, _as_moves(anywhere)

    def _moves_of(self, state: int, reference: EdgeReference) -> _Moves:
        """Where a run may go from ``state`` on an edge."""
        key = (state, reference)
        found = self._moves.get(key)
        if found is None:
            by_edge, anywhere = self._by_edge[state]
            special = _as_moves(by_edge.get(reference, ()))
            together = (*anywhere.conditional, *special.conditional)
            found = self._moves[key] = _Moves(anywhere.certain | special.certain, together)
        return found


def _as_moves(found: list[tuple[Condition | None, int]] | tuple[()]) -> _Moves:
    certain = frozenset(target for assumption, target in found if assumption is None)
    return _Moves(certain, tuple((assumption, target) for assumption, target in found if assumption is not None))
