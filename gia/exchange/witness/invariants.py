"""Invariants of other tools as a GIA that claims all goals unreachable because of them.

The automaton is the region automaton of the invariants: it follows the control flow, and wherever control comes to a
location with invariants, the run is in states that carry them (one state for each, so that a wrong one does not
spoil the others). The edges of goals lead into ``ut``. Whether the claim counts is for :mod:`gia.checker` to find out:
it proves each invariant itself and drops what is not inductive. Source: Haltermann & Wehrheim, SoSyM 2024, section 5
(correctness witnesses as GIA).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gia.automaton.initial import metadata_of
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.goals import Goal
from gia.cfa.graph import EdgeReference, Program
from gia.errors import InputError
from gia.exchange.imported import NOTHING, Imported, goal_edges
from gia.exchange.source.program_places import ProgramPlaces
from gia.exchange.witness.model import Invariant
from gia.frontend.exchange_expressions import parse_expression

MAXIMAL_STATES: Final = 200
"""Beyond it, the invariants of one location become one state together."""

_ELSEWHERE: Final = 0
_UNREACHABLE: Final = 1


def claim_by_invariants(
    program: Program, goals: Iterable[Goal], invariants: Iterable[tuple[int, Condition]]
) -> Automaton:
    """The automaton that claims every goal unreachable, with invariants at locations (numbers of the CFA)."""
    places: dict[int, dict[Condition, None]] = {}
    for location, condition in invariants:
        if location != program.functions[program.entry].entry:  # an initial state carries no invariant
            places.setdefault(location, {})[condition] = None
    excluded = goal_edges(program, goals)
    if not excluded:
        return NOTHING
    states = [State(), State(None, Acceptance.UT)]
    numbers: dict[int, list[int]] = {}
    together = sum(len(found) for found in places.values()) > MAXIMAL_STATES
    for location, found in sorted(places.items()):
        for condition in _joined(list(found)) if together else list(found):
            numbers.setdefault(location, []).append(len(states))
            states.append(State(condition))
    moves = _moves(ProgramPlaces.of(program), numbers, excluded)
    transitions = [Transition(_UNREACHABLE, _UNREACHABLE, ANY)]
    for source in range(len(states)):
        if source != _UNREACHABLE:
            transitions += [Transition(source, target, edges) for target, edges in moves]
    return Automaton(tuple(states), tuple(transitions), _ELSEWHERE, metadata_of(program))


def _joined(conditions: Sequence[Condition]) -> list[Condition]:
    """One condition for each scope."""
    by_scope: dict[str, list[str]] = {}
    for condition in conditions:
        by_scope.setdefault(condition.scope, []).append(f"({condition.text})")
    return [Condition(" && ".join(texts), scope) for scope, texts in sorted(by_scope.items())]


def _moves(
    places: ProgramPlaces, numbers: dict[int, list[int]], excluded: frozenset[EdgeReference]
) -> list[tuple[int, frozenset[EdgeReference]]]:
    """The states that control comes to, each with the edges that lead there: the same from every state."""
    edges: dict[int, set[EdgeReference]] = {}
    for location, entering in places.entering.items():
        for edge in entering:
            if edge.reference not in excluded:
                for state in numbers.get(location, (_ELSEWHERE,)):
                    edges.setdefault(state, set()).add(edge.reference)
    edges[_UNREACHABLE] = set(excluded)
    return [(state, frozenset(found)) for state, found in sorted(edges.items())]


def import_invariants(program: Program, goals: Sequence[Goal], invariants: Iterable[Invariant]) -> Imported:
    """The invariants of a correctness witness as the claim that no goal can be reached."""
    places = ProgramPlaces.of(program)
    notes: dict[str, None] = {}
    located: list[tuple[int, Condition]] = []
    for invariant in invariants:
        try:
            located += located_at(places, invariant)
        except InputError as problem:
            notes[f"{invariant.place}: the invariant {invariant.value} is left out: {problem.message}"] = None
    return Imported(claim_by_invariants(program, goals, located), (), tuple(notes))


def located_at(places: ProgramPlaces, invariant: Invariant) -> list[tuple[int, Condition]]:
    """The locations of the CFA at which an invariant is to hold. Raises :class:`InputError` if it has no meaning."""
    place = invariant.place
    if not places.is_here(place):
        raise InputError(f"it belongs to the file {place.file}")
    is_loop = invariant.kind == "loop_invariant"
    locations = places.loop_heads(place) if is_loop else places.statement_starts(place)
    if not locations:
        what = "loop" if is_loop else "statement"
        raise InputError(f"no {what} begins there")
    found = []
    for location in locations:
        condition = Condition(invariant.value, places.program.function_of_location[location])
        parse_expression(condition.text, condition.scope, places.program)
        found.append((location, condition))
    return found
