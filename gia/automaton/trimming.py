"""Parts of an automaton, and its useful part."""

from __future__ import annotations

from collections.abc import Iterable

from gia.automaton.model import ANY, Automaton, State, Transition


def trim(automaton: Automaton) -> Automaton:
    """Without the states that are not reachable or reach no accepting state; the initial state stays, as state 0.

    The others keep their order. Transitions that carry no edge are left out.
    """
    after: list[list[int]] = [[] for _ in automaton.states]
    before: list[list[int]] = [[] for _ in automaton.states]
    transitions = [transition for transition in automaton.transitions if transition.edges is ANY or transition.edges]
    for source, target, _, _ in transitions:
        after[source].append(target)
        before[target].append(source)
    accepting = [number for number, state in enumerate(automaton.states) if state.accept]
    useful = _closure([automaton.initial], after) & _closure(accepting, before)
    order = [automaton.initial, *sorted(useful - {automaton.initial})]
    number = {state: new for new, state in enumerate(order)}
    kept = (t for t in transitions if t.source in useful and t.target in useful)
    renamed = tuple(Transition(number[s], number[t], edges, assumption) for s, t, edges, assumption in kept)
    states = tuple(automaton.states[state] for state in order)
    return Automaton(states, renamed, 0, automaton.metadata, automaton.edge_texts)


def replaced(automaton: Automaton, states: Iterable[State], transitions: Iterable[Transition]) -> Automaton:
    """The automaton with other states and transitions; initial state, metadata and texts stay."""
    return Automaton(tuple(states), tuple(transitions), automaton.initial, automaton.metadata, automaton.edge_texts)


def _closure(starts: Iterable[int], neighbours: list[list[int]]) -> set[int]:
    found = set(starts)
    pending = list(found)
    while pending:
        for state in neighbours[pending.pop()]:
            if state not in found:
                found.add(state)
                pending.append(state)
    return found
