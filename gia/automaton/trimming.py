"""Parts of an automaton, and its useful part."""

from __future__ import annotations

from collections.abc import Iterable

from gia.automaton.model import ANY, Automaton, State, Transition
from gia.cfa.closure import closure


def trim(automaton: Automaton) -> Automaton:
    """Without the states that are not reachable or reach no accepting state; the initial state stays, as state 0.

    The others keep their order. Transitions that carry no edge are left out.
    """
    after: dict[int, list[int]] = {}
    transitions = [transition for transition in automaton.transitions if transition.edges is ANY or transition.edges]
    for source, target, _, _ in transitions:
        after.setdefault(source, []).append(target)
    accepting = [number for number, state in enumerate(automaton.states) if state.accept]
    useful = closure([automaton.initial], after) & leading_to(automaton, accepting)
    order = [automaton.initial, *sorted(useful - {automaton.initial})]
    number = {state: new for new, state in enumerate(order)}
    kept = (t for t in transitions if t.source in useful and t.target in useful)
    renamed = tuple(Transition(number[s], number[t], edges, assumption) for s, t, edges, assumption in kept)
    states = tuple(automaton.states[state] for state in order)
    return Automaton(states, renamed, 0, automaton.metadata, automaton.edge_texts)


def leading_to(automaton: Automaton, states: Iterable[int]) -> frozenset[int]:
    """The states from which one of ``states`` can be reached, these included."""
    return frozenset(closure(states, dict(enumerate(automaton.entered_from))))


def replaced(automaton: Automaton, states: Iterable[State], transitions: Iterable[Transition]) -> Automaton:
    """The automaton with other states and transitions; initial state, metadata and texts stay."""
    return Automaton(tuple(states), tuple(transitions), automaton.initial, automaton.metadata, automaton.edge_texts)
