"""The automata of many runs as one, in which runs that begin in the same way share their beginnings.

A trie (E. Fredkin, *Trie memory*, CACM 1960) whose nodes have loops: two runs come to the same node if their labels,
accepting sets and invariants are the same up to there, and the loops of the states that they pass. What leads to a
node is then the same in both, so that each of the languages is still the union of theirs.
"""

from __future__ import annotations

from collections import Counter

from gia.automaton.model import Automaton, Condition, State, Transition
from gia.automaton.union import union
from gia.cfa.graph import EdgeReference

_Label = tuple[frozenset[EdgeReference] | None, Condition | None]
_Kind = tuple[State, frozenset[_Label]]
"""A state with the labels of its loops."""
_Place = tuple[int, frozenset[EdgeReference] | None, Condition | None]
"""Behind a transition with this label from this node."""


class SharedPrefixes:
    """Automata that are trees, but for loops and for states with nothing but loops; others stand beside them."""

    def __init__(self) -> None:
        self._trees: dict[_Kind, _Tree] = {}
        self._others: list[Automaton] = []

    def add(self, automaton: Automaton) -> None:
        """Take in an automaton; what it says for people is left out."""
        runs = _Runs(automaton)
        if not runs.are_tree:
            self._others.append(automaton)
            return
        kind = runs.kind(automaton.initial)
        tree = self._trees.get(kind)
        if tree is None:
            tree = self._trees[kind] = _Tree()
        tree.add(runs)

    def automaton(self) -> Automaton:
        """Their union, see :func:`gia.automaton.union.union`."""
        parts = [tree.automaton() for tree in self._trees.values()] + self._others
        return parts[0] if len(parts) == 1 else union(parts)


class _Runs:
    """An automaton whose loops are told from its other transitions."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.loops: list[list[_Label]] = []
        self.onward: list[list[Transition]] = []
        for leaving in automaton.leaving:
            self.loops.append([(t.edges, t.assumption) for t in leaving if t.source == t.target])
            self.onward.append([t for t in leaving if t.source != t.target])

    def kind(self, state: int) -> _Kind:
        """The state with its loops."""
        return self.automaton.states[state], frozenset(self.loops[state])

    @property
    def are_tree(self) -> bool:
        """Whether one way leads to each state that has onward transitions, and none to the initial one."""
        entering = Counter(transition.target for found in self.onward for transition in found)
        inner = (state for state, found in enumerate(self.onward) if found)
        return not entering[self.automaton.initial] and all(entering[state] <= 1 for state in inner)


class _Tree:
    """The runs that begin in a state of one kind."""

    def __init__(self) -> None:
        self._states: list[State] = []
        self._transitions: dict[Transition, None] = {}
        self._children: dict[tuple[_Place, _Kind], int] = {}
        self._ends: dict[_Kind, int] = {}

    def add(self, runs: _Runs) -> None:
        """Take in an automaton whose initial state is of the kind of the root."""
        if not self._states:
            self._add_state(runs, runs.automaton.initial)
        pending = [(runs.automaton.initial, 0)]
        while pending:
            state, node = pending.pop()
            for transition in runs.onward[state]:
                child = self._child(node, transition, runs)
                self._transitions[transition._replace(source=node, target=child)] = None
                if runs.onward[transition.target]:
                    pending.append((transition.target, child))

    def _child(self, node: int, transition: Transition, runs: _Runs) -> int:
        """The target of a transition from ``node`` in the tree; a state with nothing but loops is there once."""
        kind = runs.kind(transition.target)
        is_end = not runs.onward[transition.target]
        place = (node, transition.edges, transition.assumption)
        known = self._ends.get(kind) if is_end else self._children.get((place, kind))
        if known is not None:
            return known
        child = self._add_state(runs, transition.target)
        if is_end:
            self._ends[kind] = child
        else:
            self._children[place, kind] = child
        return child

    def _add_state(self, runs: _Runs, state: int) -> int:
        """The number of a new state with the loops of a state of the runs."""
        number = len(self._states)
        self._states.append(runs.automaton.states[state])
        for label in runs.loops[state]:
            self._transitions[Transition(number, number, *label)] = None
        return number

    def automaton(self) -> Automaton:
        """All of them; the root is the initial state."""
        return Automaton(tuple(self._states), tuple(self._transitions))
