"""The automaton that a run starts from: nothing is known, every goal is a candidate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from gia.automaton.model import ANY, Acceptance, Automaton, Metadata, State, Transition
from gia.cfa.graph import EdgeReference, Program


class GoalLike(Protocol):
    """What the automata need to know of a goal: :class:`gia.cfa.goals.Goal` has it."""

    @property
    def id(self) -> str:
        """The goal's name, unique in its set."""

    @property
    def edges(self) -> frozenset[int]:
        """The numbers of the CFA edges; the goal is reached when one of them is executed."""


def initial_gia(
    program: Program, goals: Iterable[GoalLike], *, specification: str = "", created: str = ""
) -> Automaton:
    """The GIA in which every path to a goal is a candidate and nothing is decided.

    State 0 is initial and loops on every edge; each goal edge leads to state 1, the candidate.
    Without goals, there is only state 0.
    """
    numbers = frozenset(number for goal in goals for number in goal.edges)
    return _accepting_behind(program, numbers, Acceptance.CAND, metadata_of(program, specification, created))


def excluding_gia(program: Program, edges: Iterable[int]) -> Automaton:
    """The GIA that claims of some edges (by number) that no execution takes them, without evidence."""
    return _accepting_behind(program, frozenset(edges), Acceptance.UT, metadata_of(program))


def _accepting_behind(program: Program, numbers: frozenset[int], accept: Acceptance, metadata: Metadata) -> Automaton:
    """Each of the edges leads to an accepting state; all others stay in the initial one."""
    edges = {program.edge_list[number].reference: program.edge_list[number].text for number in sorted(numbers)}
    states: list[State] = [State()]
    transitions = [Transition(0, 0, ANY)]
    if edges:
        states.append(State(None, accept))
        transitions += [Transition(0, 1, frozenset(edges)), Transition(1, 1, ANY)]
    return Automaton(tuple(states), tuple(transitions), 0, metadata, edges)


def metadata_of(program: Program, specification: str = "", created: str = "") -> Metadata:
    """The metadata of a GIA for this program, without actors."""
    data_model = program.types.data_model.value
    return Metadata(program.main_file, program.sha256, data_model, specification, created)


def edge_texts(program: Program, automaton: Automaton) -> dict[EdgeReference, str]:
    """The texts of the edges that the automaton mentions and the program has, for people."""
    # Transitions share their sets, which may hold all edges of the program: each is looked at once.
    sets = {id(transition.edges): transition.edges for transition in automaton.transitions if transition.edges}
    mentioned: set[EdgeReference] = set().union(*sets.values())
    by_reference = program.by_reference
    return {edge: by_reference[edge].text for edge in sorted(mentioned) if edge in by_reference}
