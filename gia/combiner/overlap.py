"""Where claims of both kinds may meet: a word with a run to ``F_rt`` that has a run to ``F_ut`` on a beginning of it.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 7 (the precondition). Whether such a word is a path of the
program, and whether one execution satisfies all conditions on it, the automata alone do not say. So a word that is
found here is no contradiction yet, but without one there is none. :mod:`gia.checker.meeting` decides it on the program.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

from gia.automaton.conditions import conjuncts, literal
from gia.automaton.labelled import edge_key
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Transition
from gia.automaton.product import reaching
from gia.cfa.graph import EdgeReference

_VALUE = re.compile(r"\\result\s*==\s*(-?\d+)[uUlL]*")
_EXCLUDED = -1

Edges = frozenset[EdgeReference] | None
"""A set of edges, or :data:`ANY`."""

Entered = dict[tuple[int, int], tuple[tuple[int, int], Transition, Edges] | None]
"""For each pair of states: the pair before it, the step of the ``rt`` run and the edges that both runs take."""


class Search(Enum):
    """How a search without a word ended."""

    NONE = "none"
    """There is no such word."""
    GAVE_UP = "gave up"
    """It would take more than linear time."""


class Overlap(Struct, frozen=True):
    """A shortest word on which the claims meet: the steps of the ``rt`` run, each on one edge (``None``: any edge)."""

    reaching: tuple[Transition, ...]
    edges: tuple[EdgeReference | None, ...]


def may_meet(automaton: Automaton) -> bool:
    """Whether the edges alone leave open that claims of both kinds meet; in time linear in the automaton.

    If not: no ``ut`` run consists of edges that ``rt`` runs have.
    """
    useful = reaching(automaton, Acceptance.RT)
    if automaton.initial not in useful or not automaton.accepting(Acceptance.UT):
        return False
    passing = useful - automaton.accepting(Acceptance.RT)
    # by identity: the few sets of a large automaton are shared, and each would be hashed and compared every time
    sets = {id(t[2]): t[2] for t in automaton.transitions if t[0] in passing and t[1] in useful}.values()
    if any(edges is ANY for edges in sets):
        return True
    alphabet = frozenset[EdgeReference]().union(*(edges for edges in sets if edges is not None))
    passable: dict[int, bool] = {}
    found, pending = {automaton.initial}, [automaton.initial]
    while pending:
        state = pending.pop()
        if automaton.states[state].accept is Acceptance.UT:
            return True
        for _, target, edges, _ in automaton.leaving[state]:
            if target in found:
                continue
            if edges is not ANY:
                if id(edges) not in passable:
                    passable[id(edges)] = not alphabet.isdisjoint(edges)
                if not passable[id(edges)]:
                    continue
            found.add(target)
            pending.append(target)
    return False


def possible_overlap(automaton: Automaton) -> Overlap | Search:
    """A shortest word on which claims of both kinds may meet; breadth first, in time linear in the automaton."""
    if not may_meet(automaton):
        return Search.NONE
    return _Search(automaton).result()


class _Search:
    """The exploration of pairs of states: where the ``rt`` run and where the ``ut`` run is."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.ut, self.rt = (automaton.accepting(kind) for kind in (Acceptance.UT, Acceptance.RT))
        self.to_ut, self.to_rt = (reaching(automaton, kind) for kind in (Acceptance.UT, Acceptance.RT))
        self.budget = 20 * len(automaton.transitions) + 100_000
        self._towards_ut, self._towards_rt = (_restricted(automaton, useful) for useful in (self.to_ut, self.to_rt))
        self._common: dict[tuple[int, int], Edges] = {}

    def result(self) -> Overlap | Search:
        """The word, or why there is none."""
        initial = self.automaton.initial
        if initial not in self.to_rt or initial not in self.to_ut:
            return Search.NONE
        start = (initial, _EXCLUDED if initial in self.ut else initial)
        entered: Entered = {start: None}
        pending = deque([start])
        while pending:
            pair = pending.popleft()
            for taken in self._towards_rt.get(pair[0], ()):
                for where, common in self._beside(pair[1], taken):
                    target = (taken.target, where)
                    if target in entered:
                        continue
                    entered[target] = (pair, taken, common)
                    if taken.target not in self.rt:
                        pending.append(target)
                    elif where == _EXCLUDED:
                        return _word(entered, target)
            if self.budget < 0:
                return Search.GAVE_UP
        return Search.NONE

    def _beside(self, state: int, taken: Transition) -> list[tuple[int, Edges]]:
        """Where the ``ut`` run may be after a step of the ``rt`` run, and on which edges."""
        self.budget -= 1
        if state == _EXCLUDED:
            return [(_EXCLUDED, taken.edges)]
        found = []
        for other in self._towards_ut.get(state, ()):
            self.budget -= 1
            if self._exclude_each_other(taken, other):
                continue
            common = self._intersection(taken.edges, other.edges)
            if common is ANY or common:
                found.append((_EXCLUDED if other.target in self.ut else other.target, common))
        return found

    def _intersection(self, first: Edges, second: Edges) -> Edges:
        if first is ANY or second is ANY:
            return second if first is ANY else first
        key = (id(first), id(second))
        if key not in self._common:
            self._common[key] = first & second
            self.budget -= min(len(first), len(second)) // 8
        return self._common[key]

    def _exclude_each_other(self, first: Transition, second: Transition) -> bool:
        states = self.automaton.states
        return contrary(first.assumption, second.assumption) or contrary(
            states[first.target].invariant, states[second.target].invariant
        )


def _restricted(automaton: Automaton, useful: frozenset[int]) -> dict[int, list[Transition]]:
    """The transitions to useful states, by their source."""
    found: dict[int, list[Transition]] = {}
    for transition in automaton.transitions:
        if transition.target in useful:
            found.setdefault(transition.source, []).append(transition)
    return found


def contrary(first: Condition | None, second: Condition | None) -> bool:
    """Whether the texts show that both cannot hold: one negates the other, or they give an input different values."""
    if first is None or second is None:
        return False
    (atom, positive), (other, also) = literal(first), literal(second)
    if atom == other and positive != also:
        return True
    values, others = _values(first), _values(second)
    return bool(values and others) and values.isdisjoint(others)


def _values(condition: Condition) -> frozenset[int]:
    matches = (_VALUE.fullmatch(part) for part in conjuncts(condition))
    return frozenset(int(match[1]) % 2**32 for match in matches if match)  # -1 and 4294967295u may be one value


def _least(edges: Edges) -> EdgeReference | None:
    return None if edges is ANY else min(edges, key=edge_key)


def _word(entered: Entered, last: tuple[int, int]) -> Overlap:
    steps: list[Transition] = []
    edges: list[EdgeReference | None] = []
    while (before := entered[last]) is not None:
        last, transition, common = before
        steps.append(transition)
        edges.append(_least(common))
    return Overlap(tuple(reversed(steps)), tuple(reversed(edges)))


def sources_of(
    automata: Sequence[Automaton], names: Sequence[str], edges: Sequence[EdgeReference | None], kind: Acceptance
) -> list[str]:
    """The names of the automata with a run of this kind on a beginning of the word, whatever its conditions."""
    found = []
    for automaton, name in zip(automata, names, strict=True):
        final = automaton.accepting(kind)
        states = {automaton.initial}
        for edge in edges:
            if states & final:
                break
            moves = (t for state in states for t in automaton.leaving[state])
            states = {t.target for t in moves if t.edges is ANY or edge is None or edge in t.edges}
        if states & final:
            found.append(name)
    return found
