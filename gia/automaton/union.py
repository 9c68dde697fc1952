"""The union of exchange automata, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from gia.automaton.model import ANY, Acceptance, Automaton, Metadata, State, Transition
from gia.cfa.graph import EdgeReference


def union(automata: Sequence[Automaton], metadata: Metadata | None = None) -> Automaton:
    """The automata side by side; each of the languages ``P_ut``, ``P_rt``, ``P_cand`` is the union of theirs.

    The initial states carry no invariant. The fresh initial state has copies of what leaves them, and belongs to their
    accepting sets. It replaces none of them: one with incoming transitions must not gain what leaves another. Without
    automata the result is one state that covers nothing.
    """
    states: list[State] = [State(None, _accept_of_union(automata))]
    transitions: list[Transition] = []
    texts: dict[EdgeReference, str] = {}
    for automaton in automata:
        offset = len(states)
        states.extend(automaton.states)
        for source, target, edges, assumption in automaton.transitions:
            transitions.append(Transition(source + offset, target + offset, edges, assumption))
            if source == automaton.initial:
                transitions.append(Transition(0, target + offset, edges, assumption))
        texts = {**automaton.edge_texts, **texts}
    if states[0].accept is Acceptance.CAND:
        transitions.append(Transition(0, 0, ANY))
    return Automaton(tuple(states), tuple(transitions), 0, metadata or Metadata(), texts)


def _accept_of_union(automata: Sequence[Automaton]) -> Acceptance | None:
    """The accepting set of the fresh initial state: decided before candidate before none."""
    found = {automaton.states[automaton.initial].accept for automaton in automata}
    return next((kind for kind in Acceptance if kind in found), None)
