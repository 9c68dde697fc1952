"""Which claims of an automaton other runs of it make void: simulation of runs by sets of runs.

A *followed* run (towards ``F_K``) is matched step by step by *judging* runs (towards ``F_J``) over the
same edges, by the subset construction. A claim, the last step of followed runs, is void if on every
followed run to it some judging run has been accepted by then; if it is to be stronger, at that very step, since it
is then a more precise form of the same claim and not one about an earlier place. Conditions are compared by their texts
(:mod:`gia.automaton.conditions`), so that "void" is certain and "not void" is not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from gia.automaton.conditions import implies
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Transition
from gia.automaton.product import Leaving, reaching
from gia.cfa.graph import EdgeReference

Edges = frozenset[EdgeReference] | None
"""A set of edges; ``None`` is a class of edges that contains all that nothing in sight mentions."""


class Matching(Enum):
    """How the conditions of a judging run must relate to those of the followed run."""

    WEAKER = "weaker"
    """The judging run covers whatever the followed run covers."""
    STRONGER = "stronger"
    """The followed run covers whatever the judging run covers, and does so under fewer conditions."""


Judges = frozenset[tuple[int, bool]]
"""Where judging runs are, and whether a condition on them was strictly stronger so far."""


class Claim(Struct, frozen=True):
    """A transition into ``F_K`` with the edges on which it is void; ``edges`` ``None`` is all of ``*``."""

    transition: Transition
    edges: frozenset[EdgeReference] | None


def void_claims(automaton: Automaton, followed: Acceptance, judge: Acceptance, matching: Matching) -> tuple[Claim, ...]:
    """The void claims of kind ``followed``, by runs of kind ``judge``; in the order of the transitions.

    The search takes time linear in the automaton: should more be needed, nothing is found void.
    """
    if not automaton.accepting(judge) or not automaton.accepting(followed):
        return ()
    return _Simulation(automaton, followed, judge, matching).void_claims()


Moves = tuple[tuple[Edges, Judges, bool], ...]
"""The edges of a step in classes on which the judging runs move alike; where these are then, and if one is accepted."""


class _Simulation:
    """One exploration of the pairs (followed state, places of judging runs), breadth first.

    What the judges do on a step depends on the label and the conditions of the step only, so it is worked out once for
    each of these, not for each transition. Where no judge is left, the rest needs no exploration: it is alive.
    """

    def __init__(self, automaton: Automaton, followed: Acceptance, judge: Acceptance, matching: Matching) -> None:
        self.automaton = automaton
        self.goal = automaton.accepting(followed)
        self.final = automaton.accepting(judge)
        self.useful = reaching(automaton, followed)
        self.judging = reaching(automaton, judge)
        self.matching = matching
        self.alive: dict[Transition, Edges] = {}
        self.budget = 20 * len(automaton.transitions) + 10_000
        self._moves: dict[tuple[int, int, int, Judges], Moves] = {}
        self._leaving = Leaving(automaton, self.judging)
        self._unjudged: set[int] = set()

    def void_claims(self) -> tuple[Claim, ...]:
        """All void claims; none if the budget does not suffice."""
        if not self._explore():
            return ()
        claims = []
        for transition in self.automaton.transitions:
            if transition.target not in self.goal or transition.source in self.goal:
                continue
            if transition not in self.alive:
                claims.append(Claim(transition, transition.edges))
            elif transition.edges is not ANY and self.alive[transition] is not ANY:
                rest = transition.edges - (self.alive[transition] or frozenset())
                if rest:
                    claims.append(Claim(transition, rest))
        return tuple(claims)

    def _explore(self) -> bool:
        """Marks what is alive; whether the budget sufficed."""
        initial = self.automaton.initial
        if initial in self.goal or initial not in self.useful:
            return False
        start: Judges = frozenset({(initial, False)} if initial in self.judging else ())
        if self._accepted(start):
            return True
        seen: set[tuple[int, Judges]] = set()
        pending: deque[tuple[int, Judges]] = deque()
        self._reach(initial, start, seen, pending)
        leaving = self.automaton.leaving
        while pending and self.budget >= 0:
            state, judges = pending.popleft()
            if state in self._unjudged:
                continue
            for transition in leaving[state]:
                if transition.target not in self.useful:
                    continue
                for edges, after, accepted in self._moved(transition, judges):
                    self.budget -= 1
                    if accepted and (transition.target in self.goal or self.matching is Matching.WEAKER):
                        continue
                    if transition.target in self.goal:
                        self._mark(transition, edges)
                    else:
                        self._reach(transition.target, after, seen, pending)
        return self.budget >= 0

    def _reach(
        self, state: int, judges: Judges, seen: set[tuple[int, Judges]], pending: deque[tuple[int, Judges]]
    ) -> None:
        """Notes that followed runs can be in ``state`` while the judging runs are where ``judges`` says."""
        if not judges:
            self._leave_unjudged(state)
        elif state not in self._unjudged and (state, judges) not in seen:
            seen.add((state, judges))
            pending.append((state, judges))

    def _leave_unjudged(self, start: int) -> None:
        """Marks what followed runs from a state reach, without judges, as alive."""
        unjudged = self._unjudged
        if start in unjudged:
            return
        unjudged.add(start)
        pending = [start]
        while pending:
            for transition in self.automaton.leaving[pending.pop()]:
                target = transition.target
                if target in self.goal:
                    self.alive[transition] = transition.edges
                elif target not in unjudged and target in self.useful:
                    unjudged.add(target)
                    pending.append(target)

    def _accepted(self, judges: Judges) -> bool:
        strict = self.matching is Matching.STRONGER
        return any(state in self.final and (stronger or not strict) for state, stronger in judges)

    def _mark(self, transition: Transition, edges: Edges) -> None:
        known = self.alive.get(transition, frozenset())
        self.alive[transition] = ANY if edges is ANY or known is ANY else known | edges

    def _moved(self, transition: Transition, judges: Judges) -> Moves:
        """What the judging runs can do on the transition."""
        invariant = self.automaton.states[transition.target].invariant
        key = (id(transition.edges), id(transition.assumption), id(invariant), judges)
        found = self._moves.get(key)
        if found is None:
            self.budget -= len(judges)
            letters = self._letters(transition, judges)
            found = self._moves[key] = tuple((edges, after, self._accepted(after)) for edges, after in letters)
        return found

    def _letters(self, transition: Transition, judges: Judges) -> Iterator[tuple[Edges, Judges]]:
        """The edges of the transition in classes on which the judging runs move alike, and where they are then."""
        classes: dict[Judges, Edges] = {}
        moves: dict[Edges, set[tuple[int, bool]]] = {}
        for state, strict in sorted(judges):
            if state in self.final:
                continue
            for other in self._leaving.on(state, transition.edges):
                stronger = self._admits(transition, other)
                if stronger is not None:
                    moves.setdefault(other.edges, set()).add((other.target, strict or stronger))
        pieces: list[tuple[Edges, frozenset[EdgeReference], Judges]] = [(transition.edges, frozenset(), frozenset())]
        for edges, targets in moves.items():
            pieces = [part for piece in pieces for part in _split(piece, edges, frozenset(targets))]
            self.budget -= len(pieces)
        for found, _, after in pieces:
            known = classes.get(after, frozenset())
            classes[after] = ANY if found is ANY or known is ANY else known | found
        for after, found in classes.items():
            yield found, after

    def _admits(self, followed: Transition, judge: Transition) -> bool | None:
        """Whether the judging step has strictly stronger conditions; ``None`` if it does not match."""
        states = self.automaton.states
        pairs: list[tuple[Condition | None, Condition | None]] = [
            (followed.assumption, judge.assumption),
            (states[followed.target].invariant, states[judge.target].invariant),
        ]
        if self.matching is Matching.WEAKER:
            return False if all(implies(mine, other) for mine, other in pairs) else None
        if all(implies(other, mine) for mine, other in pairs):
            return not all(implies(mine, other) for mine, other in pairs)
        return None


def _split(
    piece: tuple[Edges, frozenset[EdgeReference], Judges], edges: Edges, targets: Judges
) -> Iterator[tuple[Edges, frozenset[EdgeReference], Judges]]:
    """The part of the piece inside ``edges``, with ``targets`` added, and the part outside.

    A piece is (edges, excluded, judges): its edges ``None`` stand for all but the excluded ones.
    """
    found, excluded, judges = piece
    if edges is ANY:
        yield found, excluded, judges | targets
    elif found is ANY:
        inside = edges - excluded
        if inside:
            yield inside, frozenset(), judges | targets
        yield ANY, excluded | edges, judges
    else:
        inside = found & edges
        if inside:
            yield inside, frozenset(), judges | targets
        if len(inside) < len(found):
            yield found - inside, frozenset(), judges
