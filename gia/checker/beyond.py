"""Whether an automaton claims more paths to be reached than those that were executed.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 4: ``P_rt`` of a correct GIA has feasible paths only. An executed
test shows this of its own path. So what is asked is whether ``P_rt(A)`` is part of the union of all ``P_rt(T)``, the
``T`` being the automata of the executed tests. Conditions are compared by their texts: a yes is certain, a no is not.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.automaton.simulation import Matching, void_claims
from gia.automaton.trimming import replaced, trim
from gia.automaton.union import union
from gia.cfa.graph import EdgeReference


class Beyond(Struct, frozen=True):
    """An ``rt`` claim that no executed test is seen to cover.

    ``automaton`` claims nothing else. ``edges`` are those on which its runs end, ``None`` for every edge; with an
    ``automaton`` whose initial state accepts, its claim is that of the empty path.
    """

    automaton: Automaton
    edges: frozenset[EdgeReference] | None


def claims_beyond(automaton: Automaton, executed: Sequence[Automaton]) -> tuple[Beyond, ...]:
    """The transitions into ``rt`` whose paths no executed tests are seen to cover, and on which edges.

    Before: ``executed`` are automata of tests that were run. With an empty result, every path in ``P_rt(automaton)``
    was executed.
    """
    claimed = only(automaton, Acceptance.RT, Acceptance.RT)
    if claimed.states[claimed.initial].accept is not None:
        return (Beyond(claimed, ANY),)
    judges = [only(test, Acceptance.RT, Acceptance.UT) for test in executed]
    together = union([claimed, *judges])
    covered = {
        claim.transition: claim.edges for claim in void_claims(together, Acceptance.RT, Acceptance.UT, Matching.WEAKER)
    }
    final = claimed.accepting(Acceptance.RT)
    found = []
    for claim in claimed.transitions:
        if claim.target in final and claim.source not in final:
            rest: frozenset[EdgeReference] | None = frozenset()
            for copy in _copies(claim, claimed.initial):
                left = _without(claim, covered.get(copy, frozenset()))
                rest = ANY if rest is ANY or left is ANY else rest | left
            if rest is ANY or rest:
                found.append(Beyond(claiming(claimed, claim._replace(edges=rest)), rest))
    return tuple(found)


def only(automaton: Automaton, kept: Acceptance, named: Acceptance) -> Automaton:
    """The automaton with one accepting set alone, under another name."""
    states = tuple(
        state._replace(accept=named) if state.accept is kept else State(state.invariant) for state in automaton.states
    )
    others = {n for n, state in enumerate(automaton.states) if state.accept not in (None, kept, Acceptance.CAND)}
    transitions = (t for t in automaton.transitions if t.source not in others and t.target not in others)
    return trim(replaced(automaton, states, transitions))


def claiming(automaton: Automaton, claim: Transition) -> Automaton:
    """The automaton with one transition into its accepting states alone."""
    final = {n for n, state in enumerate(automaton.states) if state.accept is not None}
    kept = (t for t in automaton.transitions if t.target not in final)
    return trim(replaced(automaton, automaton.states, (*kept, claim)))


def _copies(transition: Transition, initial: int) -> list[Transition]:
    """The transition of the first of some automata in their union, whose fresh initial state has a copy of it."""
    copy = transition._replace(source=transition.source + 1, target=transition.target + 1)
    return [copy, copy._replace(source=0)] if transition.source == initial else [copy]


def _without(transition: Transition, covered: frozenset[EdgeReference] | None) -> frozenset[EdgeReference] | None:
    if covered is ANY:
        return frozenset()
    return ANY if transition.edges is ANY else transition.edges - covered
