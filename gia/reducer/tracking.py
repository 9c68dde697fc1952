"""Which states the runs of an automaton can be in after a path: a subset construction with conditions.

Source: the product of program and automaton in Algorithm 1 of Haltermann & Wehrheim, SoSyM 2024 (its line 2 is the
residual reducer of Beyer et al., ICSE 2018). Deviations: the automaton may be nondeterministic, so the product tracks
sets of states; and a condition that cannot be decided is kept apart, in the safe direction for each of the two
questions, *is the path surely X-covered* and *can it still be cand-covered*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Transition
from gia.automaton.trimming import leading_to
from gia.cfa.expressions import Expression
from gia.cfa.graph import EdgeReference
from gia.reducer.conditions import UNKNOWN, Value, without_negations
from gia.reducer.pending import Move, Open, pending, targets


class Track(NamedTuple):
    """What is known of the automaton's runs after a path.

    ``sure``: states in which some run surely is (only those from which ``F_X`` can be reached). ``maybe``: states in
    which some run may be (only those from which ``F_cand`` can be reached), ``None`` if the path may be cand-covered
    already, or if there are no candidates: then every path is needed that is not X-covered.
    """

    sure: frozenset[int]
    maybe: frozenset[int] | None

    @property
    def is_dead(self) -> bool:
        """Whether no continuation of the path can be cand-covered."""
        return self.maybe is not None and not self.maybe


ANYTHING = Track(frozenset(), None)
"""The track of which nothing is cut."""


class Moves(NamedTuple):
    """How the runs of a track can go on over one edge."""

    sure: tuple[Move, ...]
    maybe: tuple[Move, ...] | None


class Covered(Struct, frozen=True):
    """The path is X-covered: it need not be kept."""


class Test(Struct, frozen=True, eq=False):
    """The program decides how to go on by evaluating ``condition``; compared by identity (it may be a large graph)."""

    condition: Expression
    holds: Decision
    fails: Decision


Decision = Track | Covered | Test

_MOST_TESTS = 256
_MOST_NODES = 2000
"""How many conditions one edge may make the program test, and in how many places."""

COVERED = Covered()


class Tracker:
    """The runs of one automaton, for covering with respect to ``kind`` (the ``X`` of Definition 6)."""

    def __init__(self, automaton: Automaton, kind: Acceptance) -> None:
        self.final = automaton.accepting(kind)
        self.candidates = automaton.accepting(Acceptance.CAND)
        self._states = automaton.states
        self._to_final = leading_to(automaton, self.final)
        self._to_candidates = leading_to(automaton, self.candidates)
        self._by_edge: list[dict[EdgeReference, list[Transition]]] = [{} for _ in automaton.states]
        self._on_any: list[list[Transition]] = [[] for _ in automaton.states]
        for transition in automaton.transitions:
            if transition.edges is ANY:
                self._on_any[transition.source].append(transition)
            else:
                for edge in transition.edges:
                    self._by_edge[transition.source].setdefault(edge, []).append(transition)
        self._initial = automaton.initial

    def start(self) -> Track | Covered:
        """The track of the empty path; an invariant of the initial state (there should be none) is not relied on."""
        initial = frozenset([self._initial])
        sure = initial if self._states[self._initial].invariant is None else frozenset[int]()
        return self._track(sure, initial if self.candidates else None)

    def moves(self, track: Track, edge: EdgeReference) -> Moves:
        """How the runs go on when the program executes an edge."""
        sure = self._moves_from(track.sure, edge, self._to_final)
        return Moves(sure, None if track.maybe is None else self._moves_from(track.maybe, edge, self._to_candidates))

    def moves_of(self, state: int, edge: EdgeReference, *, sure: bool) -> tuple[Move, ...]:
        """How one run goes on, as :meth:`moves` says for all."""
        return self._moves_from((state,), edge, self._to_final if sure else self._to_candidates)

    def decide(self, moves: Moves, value: Callable[[Condition], Value]) -> Decision:
        """How the program finds out which of the moves its runs make; ``value`` gives each condition's value there.

        Where that would need very many tests, some of the conditions count as unknown.
        """
        values = {condition: value(condition) for condition in _conditions_of(moves)}
        tests = dict.fromkeys(
            without_negations(found)[0]
            for found in values.values()
            if not isinstance(found, bool) and found is not UNKNOWN
        )
        sure = frozenset(pending(moves.sure, values, sure=True))
        maybe = None if moves.maybe is None else frozenset(pending(moves.maybe, values, sure=False))
        return self.settle(Open(sure, maybe), list(tests))

    def settle(self, runs: Open, tests: Sequence[Expression]) -> Decision:
        """The decision that makes ``tests``, in this order; what else the runs need is not known."""
        allowed = tests[:_MOST_TESTS]
        while True:
            try:
                return self._settle(runs.restricted_to(allowed), allowed)
            except _TooManyTestsError:
                allowed = allowed[: len(allowed) // 2]

    def _settle(self, runs: Open, tests: Sequence[Expression]) -> Decision:
        """The decision; raises :class:`_TooManyTestsError`."""
        known: dict[Open, Decision] = {}

        def build(at: int, state: Open) -> Decision:
            """The decision when the tests before ``at`` have been made; ``state`` is what they left open."""
            if any(move.target in self.final and not move.open for move in state.sure):
                return COVERED
            while at < len(tests) and not state.mentions(tests[at]):
                at += 1
            if at == len(tests):
                return self._track(targets(state.sure), None if state.maybe is None else targets(state.maybe))
            if state not in known:
                if len(known) > _MOST_NODES:
                    raise _TooManyTestsError
                holds, fails = (build(at + 1, state.given(tests[at], outcome)) for outcome in (True, False))
                known[state] = holds if holds == fails else Test(tests[at], holds, fails)
            return known[state]

        return build(0, runs)

    def after_anything(self, track: Track) -> Track | Covered:
        """The track after any sequence of edges: what happens in a function that is not followed."""
        sure = frozenset(
            state
            for state in track.sure
            if self._states[state].invariant is None
            and any(loop.target == state and loop.assumption is None for loop in self._on_any[state])
        )
        if track.maybe is None:
            return self._track(sure, None)
        seen, pending = set(track.maybe), list(track.maybe)
        while pending:
            state = pending.pop()
            found = [*self._on_any[state], *(t for leaving in self._by_edge[state].values() for t in leaving)]
            new = {transition.target for transition in found} - seen
            seen |= new
            pending += new
        return self._track(sure, seen)

    def _track(self, sure: Iterable[int], maybe: Iterable[int] | None) -> Track | Covered:
        """The track of runs in these states, reduced to what matters."""
        reached = frozenset(sure)
        if reached & self.final:
            return COVERED
        possible = None if maybe is None else frozenset(maybe)
        if possible is not None and possible & self.candidates:
            possible = None
        return Track(reached & self._to_final, None if possible is None else possible & self._to_candidates)

    def _moves_from(self, states: Iterable[int], edge: EdgeReference, relevant: frozenset[int]) -> tuple[Move, ...]:
        found: dict[Move, None] = {}
        for state in sorted(states):
            for transition in (*self._by_edge[state].get(edge, ()), *self._on_any[state]):
                if transition.target in relevant:
                    conditions = (transition.assumption, self._states[transition.target].invariant)
                    needed = tuple(sorted({condition for condition in conditions if condition is not None}))
                    found[Move(transition.target, needed)] = None
        return tuple(sorted(found))


class _TooManyTestsError(Exception):
    """The decision would become too large."""


def _conditions_of(moves: Moves) -> list[Condition]:
    found = {condition: None for move in (*moves.sure, *(moves.maybe or ())) for condition in move.conditions}
    return list(found)
