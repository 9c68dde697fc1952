"""Makes automata smaller while something about them stays as it is: what ``gia shrink`` tries, in which order.

Source: A. Zeller & R. Hildebrandt, *Simplifying and isolating failure-inducing input*, TSE 2002 (ddmin). Deviations:
only complements are tried (removing a part, never keeping only a part), and pieces are tried from the end, where
the accepting states of a canonical file are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from gia.automaton.labelled import edge_key
from gia.automaton.model import ANY, Automaton, State
from gia.cfa.graph import EdgeReference

Item = TypeVar("Item")

Automata = tuple[Automaton, ...]


def minimised(items: Sequence[Item], holds: Callable[[list[Item]], bool]) -> list[Item]:
    """A part of the items, in their order, for which ``holds`` and from which no single item can be taken away.

    Before: ``holds(items)``. Items are first taken away in large pieces.
    """
    kept = list(items)
    size = max(1, len(kept) // 2)
    while kept:
        end, changed = len(kept), False
        while end > 0:
            start = max(0, end - size)
            rest = kept[:start] + kept[end:]
            if holds(rest):
                kept, changed = rest, True
            end = start
        if size > 1:
            size = max(1, size // 2)
        elif not changed:
            break
    return kept


def shrunk(automata: Automata, holds: Callable[[Automata], bool]) -> Automata:
    """The automata without what can be left out so that ``holds``.

    Before: ``holds(automata)``. Taken away are states (with what is at them, or by merging them with others),
    transitions, edges of transitions, conditions, accepting sets, actors and the texts of edges, until none of these
    alone can be taken away. The order depends on nothing but the automata, so the result is the same each time as long
    as ``holds`` is.
    """
    current = automata
    while True:
        before = current
        for index in range(len(current)):
            for parts, without in _STEPS:
                current = _step(current, index, holds, parts(current[index]), without)
        if _sizes(current) == _sizes(before):
            return current


Part = tuple[str, int, EdgeReference | None]
"""What can be taken away: its kind, the number of the state or transition, and the edge of an edge set."""


def _step(
    automata: Automata,
    index: int,
    holds: Callable[[Automata], bool],
    parts: list[Part],
    without: Callable[[Automaton, frozenset[Part]], Automaton | None],
) -> Automata:
    """The automata after taking away parts of one of them."""
    automaton, everything = automata[index], frozenset(parts)
    smallest = automata

    def still_holds(kept: list[Part]) -> bool:
        nonlocal smallest
        rest = without(automaton, everything.difference(kept))
        if rest is None:
            return False
        candidate = (*automata[:index], rest, *automata[index + 1 :])
        if not holds(candidate):
            return False
        smallest = candidate
        return True

    minimised(parts, still_holds)
    return smallest


def _sizes(automata: Automata) -> list[tuple[int, int, int, int]]:
    return [
        (
            len(automaton.states),
            len(automaton.transitions),
            len(_edges(automaton)),
            len(_marks(automaton)) + len(_descriptions(automaton)),
        )
        for automaton in automata
    ]


def _states(automaton: Automaton) -> list[Part]:
    return [("state", number, None) for number in range(len(automaton.states)) if number != automaton.initial]


def _without_states(automaton: Automaton, gone: frozenset[Part]) -> Automaton:
    order = [number for number in range(len(automaton.states)) if ("state", number, None) not in gone]
    number = {state: new for new, state in enumerate(order)}
    transitions = tuple(
        t._replace(source=number[t.source], target=number[t.target])
        for t in automaton.transitions
        if t.source in number and t.target in number
    )
    states = tuple(automaton.states[state] for state in order)
    return replace(automaton, states=states, transitions=transitions, initial=number[automaton.initial])


def _without_detours(automaton: Automaton, gone: frozenset[Part]) -> Automaton:
    """The states become one with the first ones that lead to them: what leaves them leaves those."""
    into = list(range(len(automaton.states)))
    for source, target, _, _ in automaton.transitions:
        if ("state", target, None) in gone and into[target] == target:
            found = source
            while into[found] != found:
                found = into[found]
            into[target] = found
    states = list(automaton.states)
    for number, state in enumerate(automaton.states):
        while into[number] != into[into[number]]:
            into[number] = into[into[number]]
        here = states[into[number]]
        states[into[number]] = State(here.invariant or state.invariant, here.accept or state.accept)
    merged = frozenset[Part](("state", state, None) for state, other in enumerate(into) if state != other)
    transitions = (t._replace(source=into[t.source], target=into[t.target]) for t in automaton.transitions)
    return _without_states(replace(automaton, states=tuple(states), transitions=tuple(transitions)), merged)


def _transitions(automaton: Automaton) -> list[Part]:
    return [("transition", number, None) for number in range(len(automaton.transitions))]


def _without_transitions(automaton: Automaton, gone: frozenset[Part]) -> Automaton:
    kept = (t for n, t in enumerate(automaton.transitions) if ("transition", n, None) not in gone)
    return replace(automaton, transitions=tuple(kept))


def _edges(automaton: Automaton) -> list[Part]:
    """The edges of the transitions that carry several."""
    return [
        ("edge", number, edge)
        for number, t in enumerate(automaton.transitions)
        if t.edges is not ANY and len(t.edges) > 1
        for edge in sorted(t.edges, key=edge_key)
    ]


def _without_edges(automaton: Automaton, gone: frozenset[Part]) -> Automaton | None:
    """``None`` if a transition would be left without edges."""
    taken: dict[int, set[EdgeReference]] = {}
    for _, number, edge in gone:
        if edge is not None:
            taken.setdefault(number, set()).add(edge)
    transitions = list(automaton.transitions)
    for number, edges in taken.items():
        left = (transitions[number].edges or frozenset()) - edges
        if not left:
            return None
        transitions[number] = transitions[number]._replace(edges=left)
    return replace(automaton, transitions=tuple(transitions))


def _marks(automaton: Automaton) -> list[Part]:
    """Assumptions, invariants and accepting sets."""
    marks: list[Part] = [("assumption", n, None) for n, t in enumerate(automaton.transitions) if t.assumption]
    marks += [("invariant", n, None) for n, state in enumerate(automaton.states) if state.invariant]
    return marks + [("accept", n, None) for n, state in enumerate(automaton.states) if state.accept]


def _without_marks(automaton: Automaton, gone: frozenset[Part]) -> Automaton:
    transitions = list(automaton.transitions)
    states = list(automaton.states)
    for kind, number, _ in gone:
        if kind == "assumption":
            transitions[number] = transitions[number]._replace(assumption=None)
        elif kind == "invariant":
            states[number] = states[number]._replace(invariant=None)
        else:
            states[number] = states[number]._replace(accept=None)
    return replace(automaton, states=tuple(states), transitions=tuple(transitions))


def _descriptions(automaton: Automaton) -> list[Part]:
    """The actors, and the texts of the edges."""
    found: list[Part] = []
    if automaton.metadata.actors:
        found.append(("actors", 0, None))
    if automaton.edge_texts:
        found.append(("texts", 0, None))
    return found


def _without_descriptions(automaton: Automaton, gone: frozenset[Part]) -> Automaton:
    if ("actors", 0, None) in gone:
        automaton = replace(automaton, metadata=replace(automaton.metadata, actors=()))
    return replace(automaton, edge_texts={}) if ("texts", 0, None) in gone else automaton


_STEPS: tuple[
    tuple[Callable[[Automaton], list[Part]], Callable[[Automaton, frozenset[Part]], Automaton | None]], ...
] = (
    (_states, _without_states),
    (_states, _without_detours),
    (_transitions, _without_transitions),
    (_edges, _without_edges),
    (_marks, _without_marks),
    (_descriptions, _without_descriptions),
)
