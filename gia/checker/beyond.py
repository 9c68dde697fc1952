"""Whether an automaton claims more paths to be reached than those that were executed.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 4: ``P_rt`` of a correct GIA has feasible paths only. An executed
test shows this of its own path. So what is asked is whether ``P_rt(A)`` is part of the union of all ``P_rt(T)``, the
``T`` being the automata of the executed tests. Conditions are compared by their texts: a yes is certain, a no is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gia.automaton.labelled import edge_key
from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.automaton.simulation import Matching, void_claims
from gia.automaton.trimming import trim
from gia.automaton.union import union
from gia.cfa.graph import EdgeReference


def claims_beyond(automaton: Automaton, executed: Sequence[Automaton]) -> tuple[tuple[EdgeReference, ...], ...]:
    """The last edges of the ``rt`` claims that no executed test is seen to cover; one entry for each such transition.

    Before: ``executed`` are automata of tests that were run. An empty entry is a claim on every edge (``*``), or of the
    empty path. With an empty result, every path in ``P_rt(automaton)`` was executed.
    """
    claimed = _only(automaton, Acceptance.RT, Acceptance.RT)
    if claimed.states[claimed.initial].accept is not None:
        return ((),)
    judges = [_only(test, Acceptance.RT, Acceptance.UT) for test in executed]
    together = union([claimed, *judges])
    covered = {
        claim.transition: claim.edges for claim in void_claims(together, Acceptance.RT, Acceptance.UT, Matching.WEAKER)
    }
    final = together.accepting(Acceptance.RT)
    found: dict[tuple[EdgeReference, ...], None] = {}
    for transition in together.transitions:
        if transition.target in final and transition.source not in final:
            rest = _without(transition, covered.get(transition, frozenset()))
            if rest is ANY or rest:
                found[() if rest is ANY else tuple(sorted(rest, key=edge_key))] = None
    return tuple(found)


def _without(transition: Transition, covered: frozenset[EdgeReference] | None) -> frozenset[EdgeReference] | None:
    if covered is ANY:
        return frozenset()
    return ANY if transition.edges is ANY else transition.edges - covered


def _only(automaton: Automaton, kept: Acceptance, named: Acceptance) -> Automaton:
    """The automaton with one accepting set alone, under another name."""
    states = tuple(
        state._replace(accept=named) if state.accept is kept else State(state.invariant) for state in automaton.states
    )
    others = {n for n, state in enumerate(automaton.states) if state.accept not in (None, kept, Acceptance.CAND)}
    transitions = tuple(t for t in automaton.transitions if t.source not in others and t.target not in others)
    return trim(replace(automaton, states=states, transitions=transitions))
