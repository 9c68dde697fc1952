r"""Tests as GIAs.

A test becomes the compact form of DESIGN §3: a state for each input read, left on the input's edge with the
assumption ``\result == value``; between, loops on all edges that are neither conditions nor inputs, and on
each condition that the run has evaluated there, or may have evaluated where no probe sees it, with that condition
as the assumption. A path of the program that such an automaton matches satisfies every condition on it, so it is
feasible (Definition 4 of Haltermann & Wehrheim, SoSyM 2024); it ends with an edge of a goal, so it is in ``P_rt``.

A test whose inputs end with more than :data:`LONG_TAIL` zeros has one state for all of them: a loop reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from gia.automaton.guards import guard_of
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.goals import Goal
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import Assume, Input
from gia.exchange.suites.input_assumptions import equation
from gia.exchange.suites.testcase import beginning_of_zeros
from gia.native import BranchEvent, Execution, InputEvent, InputValue

LONG_TAIL: Final = 10_000
"""So many zeros at the end of a test are spelled out."""


def test_to_gia(program: Program, execution: Execution, goals: Iterable[Goal]) -> Automaton:
    """The GIA of one test: its ``rt`` paths are the run up to the first edge of each goal that it reached.

    The run is followed as far as its events were recorded (:attr:`~gia.native.Execution.truncated`), and up to
    the last goal that it reached first. An automaton without ``rt`` state if it reached none.
    """
    builder = _TestBuilder(program, execution, goals)
    builder.follow(execution)
    return builder.automaton()


test_to_gia.__test__ = False  # type: ignore[attr-defined]


def run_to_gia(program: Program, execution: Execution) -> Automaton:
    """A run, as far as its events were recorded, without any accepting state: see :func:`ending_on`."""
    builder = _TestBuilder(program, execution, ())
    builder.follow(execution)
    return builder.whole()


def ending_on(run: Automaton, edges: frozenset[EdgeReference] | None) -> Automaton:
    """The beginnings of a run (:func:`run_to_gia`) that end with one of ``edges`` (``None``: any edge), as ``rt``."""
    target = len(run.states)
    ends = []
    for transition in run.transitions:
        on = transition.edges if edges is ANY else edges if transition.edges is ANY else transition.edges & edges
        if on is ANY or on:
            ends.append(transition._replace(target=target, edges=on))
    return replace(run, states=(*run.states, State(accept=Acceptance.RT)), transitions=(*run.transitions, *ends))


class _TestBuilder:
    """Builds the automaton of a test while the events of its run pass by."""

    def __init__(self, program: Program, execution: Execution, goals: Iterable[Goal]) -> None:
        self._program = program
        self._tail = _beginning_of_tail(execution.inputs)
        self._inputs_of_tail: set[frozenset[EdgeReference]] = set()
        self._goals_of_edge: dict[int, list[str]] = {}
        for goal in goals:
            for edge in goal.edges:
                self._goals_of_edge.setdefault(edge, []).append(goal.id)
        self._reads: dict[InputEvent, tuple[list[Edge], frozenset[EdgeReference], Condition]] = {}
        self._reached: set[str] = set()
        entered = program.derived(reachable_functions)
        self._unobserved = [
            edge
            for edge in program.edge_list
            if isinstance(edge.operation, Assume)
            and edge.number not in execution.observed
            and edge.reference.function in entered
        ]
        self._conditions: dict[int, Condition] = {}
        self._loops: dict[int, tuple[frozenset[EdgeReference], Condition]] = {}
        self._segment: dict[int, Edge] = {}
        self._segments: list[list[Transition]] = [[]]
        self._last_goal = -1
        """The last segment in which a goal was reached first."""

    def follow(self, execution: Execution) -> None:
        """The run passes by, up to an input that no edge of the CFA reads."""
        for event in execution.events:
            if isinstance(event, InputEvent):
                if not self.read(event):
                    return
            elif isinstance(event, BranchEvent):
                self.take(self._program.edge_list[event.edge])

    def take(self, edge: Edge) -> None:
        """The run takes ``edge``."""
        self._segment.setdefault(edge.number, edge)
        assumption = self._condition(edge) if isinstance(edge.operation, Assume) else None
        self._reach([edge], assumption)

    def read(self, event: InputEvent) -> bool:
        """The run reads an input. False if no edge of the CFA says so: then the run cannot be followed further."""
        if event not in self._reads:  # most inputs are read as another one was
            self._reads[event] = self._input_edges(event)
        edges, references, assumption = self._reads[event]
        if not edges:
            return False
        self._reach(edges, assumption)
        state = len(self._segments) - 1
        if state >= self._tail:
            if references not in self._inputs_of_tail:
                self._inputs_of_tail.add(references)
                self._segments[-1].append(Transition(state, state, references, assumption))
            return True
        self._close_segment()
        self._segments[-1].append(Transition(state, state + 1, references, assumption))
        self._segments.append([])
        return True

    def _input_edges(self, event: InputEvent) -> tuple[list[Edge], frozenset[EdgeReference], Condition]:
        """The edges on which an input may have been read, their references, and what holds when it was."""
        if event.edge is None:
            edges = self._program.derived(_inputs_by_function).get(event.value.function, [])
        else:
            edge = self._program.edge_list[event.edge]
            edges = [edge] if isinstance(edge.operation, Input) else []
        assumption = Condition(equation(event.value), edges[0].reference.function if len(edges) == 1 else "")
        return edges, frozenset(edge.reference for edge in edges), assumption

    def automaton(self) -> Automaton:
        """The automaton of what has happened so far."""
        self._close_segment()
        if self._last_goal < 0:
            return Automaton((State(),), ())
        target = self._last_goal + 1
        transitions: list[Transition] = []
        for segment in self._segments[: self._last_goal + 1]:
            for transition in segment:
                if transition.target == _GOAL:
                    transitions.append(transition._replace(target=target))
                elif transition.target <= self._last_goal:
                    transitions.append(transition)
        transitions.append(Transition(target, target, None))
        states = (*(State() for _ in range(target)), State(accept=Acceptance.RT))
        return Automaton(states, tuple(transitions))

    def whole(self) -> Automaton:
        """The automaton of all that has happened, of whatever goals; without accepting states."""
        self._close_segment()
        kept = (t for segment in self._segments for t in segment if t.target != _GOAL)
        return Automaton((State(),) * len(self._segments), tuple(kept))

    def _reach(self, edges: list[Edge], assumption: Condition | None) -> None:
        """Note the goals that are reached first on one of ``edges``."""
        state = len(self._segments) - 1
        for edge in edges:
            new = set(self._goals_of_edge.get(edge.number, ())) - self._reached
            if new:
                self._reached |= new
                self._last_goal = state
                self._segments[-1].append(Transition(state, _GOAL, frozenset({edge.reference}), assumption))

    def _close_segment(self) -> None:
        """Add the loops of the current segment."""
        state = len(self._segments) - 1
        segment = self._segments[-1]
        if self._program.unconditional:
            segment.append(Transition(state, state, self._program.unconditional))
        taken = [edge for edge in self._segment.values() if isinstance(edge.operation, Assume)]
        for edge in sorted([*taken, *self._unobserved], key=lambda e: e.number):
            segment.append(Transition(state, state, *self._loop(edge)))
        self._segment = {}

    def _loop(self, edge: Edge) -> tuple[frozenset[EdgeReference], Condition]:
        """What the loop of a segment in which an edge may be taken carries."""
        if edge.number not in self._loops:
            self._loops[edge.number] = (frozenset({edge.reference}), self._condition(edge))
        return self._loops[edge.number]

    def _condition(self, edge: Edge) -> Condition:
        """What holds when the program takes an assume edge."""
        if edge.number not in self._conditions:
            guard = guard_of(edge, self._program)
            assert guard is not None
            self._conditions[edge.number] = guard
        return self._conditions[edge.number]


def _inputs_by_function(program: Program) -> dict[str, list[Edge]]:
    """The edges on which inputs are read, by the function that gives them."""
    found: dict[str, list[Edge]] = {}
    for edge in program.edge_list:
        if isinstance(edge.operation, Input):
            found.setdefault(edge.operation.function, []).append(edge)
    return found


def _beginning_of_tail(inputs: Sequence[InputValue]) -> int:
    """How many inputs come before a long tail of zeros (see :data:`LONG_TAIL`); all if there is none."""
    begin = beginning_of_zeros(inputs)
    return begin if len(inputs) - begin > LONG_TAIL else len(inputs)


_GOAL: Final = -1
"""Stands for the ``rt`` state while its number is not known."""
