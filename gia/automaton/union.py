"""The union of exchange automata, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from gia.automaton.bulk import bulk_allocation
from gia.automaton.labelled import TransitionColumns, columns_of, transitions_of
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, Metadata, State
from gia.cfa.graph import EdgeReference


def union(automata: Sequence[Automaton], metadata: Metadata | None = None) -> Automaton:
    """The automata side by side; each of the languages ``P_ut``, ``P_rt``, ``P_cand`` is the union of theirs.

    The initial states carry no invariant. The fresh initial state has copies of what leaves them, and belongs to their
    accepting sets (to ``F_cand`` only if all do: else the empty path is a candidate no more). It replaces none of
    them: one with incoming transitions must not gain what leaves another. Without
    automata the result is one state that covers nothing.
    """
    with bulk_allocation():
        states, columns = union_columns(automata)
        transitions = transitions_of(*columns)
    texts: dict[EdgeReference, str] = {}
    for automaton in automata:
        texts = {**automaton.edge_texts, **texts}
    return Automaton(states, transitions, 0, metadata or Metadata(), texts)


def union_columns(automata: Sequence[Automaton]) -> tuple[tuple[State, ...], TransitionColumns]:
    """The states of the union, and its transitions that carry an edge, by columns."""
    states: list[State] = [State(None, _accept_of_union(automata))]
    sources: list[int] = []
    targets: list[int] = []
    edges: list[frozenset[EdgeReference] | None] = []
    assumptions: list[Condition | None] = []
    for automaton in automata:
        offset = len(states)
        states.extend(automaton.states)
        columns = columns_of(automaton.transitions)
        first = _positions(columns[0], automaton.initial)
        sources += [0] * len(first)
        sources += map(offset.__add__, columns[0])
        targets += [columns[1][position] + offset for position in first]
        targets += map(offset.__add__, columns[1])
        edges += [columns[2][position] for position in first]
        edges += columns[2]
        assumptions += [columns[3][position] for position in first]
        assumptions += columns[3]
    if states[0].accept is Acceptance.CAND:
        sources.append(0)
        targets.append(0)
        edges.append(ANY)
        assumptions.append(None)
    return tuple(states), (sources, targets, edges, assumptions)


def _positions(column: Sequence[int], value: int) -> list[int]:
    """Where a value occurs."""
    found: list[int] = []
    for _ in range(column.count(value)):
        found.append(column.index(value, found[-1] + 1 if found else 0))
    return found


def _accept_of_union(automata: Sequence[Automaton]) -> Acceptance | None:
    """The accepting set of the fresh initial state.

    Decided before all else. A candidate, which may wait there, only if each automaton may: else the runs of the
    others could begin later, and cover paths that none covers. Then the empty path is no candidate any more.
    """
    found = {automaton.states[automaton.initial].accept for automaton in automata}
    for kind in (Acceptance.UT, Acceptance.RT):
        if kind in found:
            return kind
    return Acceptance.CAND if found == {Acceptance.CAND} else None
