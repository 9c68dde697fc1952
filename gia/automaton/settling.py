"""The normal form in which accepting states end runs: nothing but a ``*`` loop leaves them.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 3: a run may end before the path does, so a path is covered
once a run is in an accepting state. What leaves a ``ut`` or ``rt`` state covers nothing more. What leaves a ``cand``
state may lead to ``ut`` and ``rt``: there the runs that go on are given states of their own, which accept nothing,
so that a candidate can be dropped without dropping what lies behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.automaton.product import reaching

_DECIDED = (Acceptance.UT, Acceptance.RT)


def settled(automaton: Automaton) -> Automaton:
    """The automaton with the same three languages in which only ``*`` loops leave accepting states.

    Exception: an initial state in ``F_cand`` (then every path is cand-covered) also begins the runs to ``ut`` and
    ``rt``; no other state is in ``F_cand`` then, and but for its loop nothing enters it.
    """
    if automaton.states[automaton.initial].accept is Acceptance.CAND:
        automaton = _with_fresh_start(automaton)
    accepting = {n for n, state in enumerate(automaton.states) if state.accept and n != automaton.initial}
    if automaton.states[automaton.initial].accept in _DECIDED:
        accepting.add(automaton.initial)
    if all(automaton.leaving[number] == (Transition(number, number, ANY),) for number in accepting):
        return automaton
    passing = reaching(automaton, Acceptance.UT) | reaching(automaton, Acceptance.RT)
    split = [n for n in sorted(accepting & passing) if automaton.states[n].accept is Acceptance.CAND]
    twin = {number: len(automaton.states) + index for index, number in enumerate(split)}
    states = [*automaton.states, *(State(automaton.states[number].invariant) for number in split)]
    transitions = [Transition(number, number, ANY) for number in sorted(accepting)]
    transitions += _moved(automaton, accepting, twin)
    return _replaced(automaton, states, transitions)


def _moved(automaton: Automaton, accepting: set[int], twin: dict[int, int]) -> Iterator[Transition]:
    """The transitions from where runs go on, to accepting states and to their twins."""
    for source, target, edges, assumption in automaton.transitions:
        if source in accepting and source not in twin:
            continue
        begin = twin.get(source, source)
        if source != target or source not in accepting:
            yield Transition(begin, target, edges, assumption)
        if target in twin:
            yield Transition(begin, twin[target], edges, assumption)


def _with_fresh_start(automaton: Automaton) -> Automaton:
    """The initial state in ``F_cand`` becomes a fresh one, which begins the same runs; no other one is a candidate."""
    fresh = len(automaton.states)
    kept = (None, *_DECIDED)
    states = [state if state.accept in kept else State(state.invariant) for state in automaton.states]
    leaving = automaton.leaving[automaton.initial]
    transitions = [Transition(fresh, fresh, ANY), *(Transition(fresh, *transition[1:]) for transition in leaving)]
    changed = _replaced(automaton, [*states, State(None, Acceptance.CAND)], [*automaton.transitions, *transitions])
    return Automaton(changed.states, changed.transitions, fresh, automaton.metadata, automaton.edge_texts)


def _replaced(automaton: Automaton, states: list[State], transitions: list[Transition]) -> Automaton:
    return Automaton(tuple(states), tuple(transitions), automaton.initial, automaton.metadata, automaton.edge_texts)
