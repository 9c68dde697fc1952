r"""Tests as GIAs, and the tests that can be read off a GIA.

A test becomes the compact form of DESIGN §3: a state for each input read, left on the input's edge with the
assumption ``\result == value``; between, loops on all edges that are neither conditions nor inputs, and on
each condition that the run has evaluated there, or may have evaluated where no probe sees it, with that condition
as the assumption. A path of the program that such an automaton matches satisfies every condition on it, so it is
feasible (Definition 4 of Haltermann & Wehrheim, SoSyM 2024); it ends with an edge of a goal, so it is in ``P_rt``.

A test whose inputs end with more than :data:`LONG_TAIL` zeros has one state for all of them: a loop reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.guards import guard_of
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.trimming import leading_to
from gia.cfa.goals import Goal
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import Assume, Input
from gia.exchange.suites.input_assumptions import constant_of, equation
from gia.exchange.suites.testcase import TestCase
from gia.frontend.library import reads_text
from gia.native import BranchEvent, Execution, InputEvent, InputValue

MAXIMAL_SEQUENCES: Final = 100_000
"""When so many input sequences were looked at, states that were seen before are not followed again."""


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
    begin = len(inputs)
    while begin and inputs[begin - 1].bits == 0 and not reads_text(inputs[begin - 1].function):
        begin -= 1
    return begin if len(inputs) - begin > LONG_TAIL else len(inputs)


_GOAL: Final = -1
"""Stands for the ``rt`` state while its number is not known."""


# ---- reading tests off a GIA ---------------------------------------------------------------------


class GiaTest(Struct, frozen=True):
    """A test that a GIA claims: its inputs in order, and the goal edges that it is to reach, sorted.

    With ``then_zeros``, all further inputs are zero.
    """

    inputs: tuple[InputValue, ...]
    goals: tuple[EdgeReference, ...]
    then_zeros: bool = False

    @property
    def case(self) -> TestCase:
        """The test as one of a suite."""
        return TestCase.of(self.inputs, then_zeros=self.then_zeros)


def tests_of(automaton: Automaton, program: Program) -> tuple[GiaTest, ...]:
    r"""The tests that can be read off the ``rt`` paths, in the order of the automaton's transitions.

    An input is an edge of ``program`` that reads one, with the assumption ``\result == constant``; all
    other transitions are passed without reading. A test whose inputs are the beginning of another
    one's is left out, its goals being the other's as well; each sequence of inputs is given once.
    Edges that lead into ``rt`` are the goals. Cycles are followed once; where one reads zeros, the
    test ends with zeros.
    """
    return tuple(_TestReader(automaton, program).tests())


tests_of.__test__ = False  # type: ignore[attr-defined]


class _Node(NamedTuple):
    """What one sequence of inputs leads to: the states, and the edges of goals reached after the last input.

    ``late`` are those that zeros reach only, in a state that reads nothing else or before it.
    """

    states: frozenset[int]
    goals: frozenset[EdgeReference]
    late: frozenset[EdgeReference]


class _Visit(Struct):
    """A node on the current path: its moves that are still to be followed, and whether one led to a goal."""

    node: _Node
    moves: Iterator[tuple[InputValue, _Node]]
    extended: bool = False
    then_zeros: bool = False


class _TestReader:
    """The automaton as one over inputs, made deterministic while it is walked."""

    def __init__(self, automaton: Automaton, program: Program) -> None:
        self._automaton = automaton
        self._inputs: Mapping[EdgeReference, Input] = {
            edge.reference: edge.operation for edge in program.edge_list if isinstance(edge.operation, Input)
        }
        self._reading = frozenset(self._inputs)
        self._accepting = automaton.accepting(Acceptance.RT)
        self._useful = leading_to(self._automaton, self._accepting)
        self._after_zeros: dict[int, frozenset[EdgeReference]] = {}
        self._values_of: dict[int, tuple[InputValue, ...]] = {}  # by identity: they have long sets of edges

    def tests(self) -> Iterator[GiaTest]:
        """All tests, depth first; without recursion, since tests may be long."""
        start = self._node([self._automaton.initial], frozenset())
        stack = [_Visit(start, self._moves(start))]
        on_path = {start}
        followed: set[_Node] = set()
        path: list[InputValue] = []
        looked_at = 0
        while stack:
            visit = stack[-1]
            value, node = next(visit.moves, (None, visit.node))
            if value is None:
                late = visit.node.late if visit.then_zeros else frozenset()
                if late or (not visit.extended and not self._accepting.isdisjoint(visit.node.states)):
                    visit.extended = True
                    goals = late.union(*(v.node.goals for v in stack))
                    yield GiaTest(tuple(path), tuple(sorted(goals)), bool(late))
                stack.pop()
                on_path.remove(visit.node)
                if stack:
                    stack[-1].extended |= visit.extended
                    path.pop()
                continue
            looked_at += 1
            visit.then_zeros |= value.bits == 0 and node.states == visit.node.states
            if node in on_path or (looked_at > MAXIMAL_SEQUENCES and node in followed):
                continue
            followed.add(node)
            on_path.add(node)
            path.append(value)
            stack.append(_Visit(node, self._moves(node)))

    def _node(self, states: Iterable[int], goals: frozenset[EdgeReference]) -> _Node:
        """The node of these states and all that can be reached from them without reading an input."""
        reached = self._useful.intersection(states)
        found, pending = set(reached), sorted(reached)
        edges, late = set(goals), set[EdgeReference]()
        while pending:
            state = pending.pop()
            for transition in self._automaton.leaving[state]:
                if transition.target == transition.source or transition.target not in self._useful:
                    continue
                if self._values(transition):
                    continue
                if transition.target in self._accepting:
                    on = transition.edges or frozenset()
                    late |= on & self._reached_after_zeros(state)
                    edges |= on - self._reached_after_zeros(state)
                if transition.target not in found:
                    found.add(transition.target)
                    pending.append(transition.target)
        return _Node(frozenset(found), frozenset(edges), frozenset(late))

    def _reached_after_zeros(self, state: int) -> frozenset[EdgeReference]:
        """The edges of goals that a loop which reads zeros leads to: at the state, or begun at it and then at another.

        A loop begins before its state where several tests share what is before it.
        """
        known = self._after_zeros.get(state)
        if known is None:
            begun = (t.target for t in self._leaving(state) if self._reads_zero(t))
            loops = [end for end in begun if any(t.target == end and self._reads_zero(t) for t in self._leaving(end))]
            ends = (t for end in loops for t in self._leaving(end) if t.target in self._accepting)
            known = self._after_zeros[state] = frozenset().union(*(t.edges or () for t in ends))
        return known

    def _leaving(self, state: int) -> Sequence[Transition]:
        return self._automaton.leaving[state]

    def _reads_zero(self, transition: Transition) -> bool:
        """Whether a zero is read on a transition, and not any value."""
        return transition.assumption is not None and any(value.bits == 0 for value in self._values(transition))

    def _moves(self, node: _Node) -> Iterator[tuple[InputValue, _Node]]:
        """What each value of the next input leads to, in the order of the automaton's transitions."""
        targets: dict[InputValue, set[int]] = {}
        goals: dict[InputValue, set[EdgeReference]] = {}
        for state in sorted(node.states):
            for transition in self._automaton.leaving[state]:
                if transition.target not in self._useful:
                    continue
                for value in self._values(transition):
                    targets.setdefault(value, set()).add(transition.target)
                    reached = transition.edges if transition.target in self._accepting else None
                    goals.setdefault(value, set()).update(reached or ())
        for value, states in targets.items():
            yield value, self._node(states, frozenset(goals[value]))

    def _values(self, transition: Transition) -> tuple[InputValue, ...]:
        """The values that the transition reads, one for each kind of input it is for; empty if it reads none."""
        known = self._values_of.get(id(transition))
        if known is None:
            known = self._values_of[id(transition)] = self._find_values(transition)
        return known

    def _find_values(self, transition: Transition) -> tuple[InputValue, ...]:
        if not transition.edges or self._reading.isdisjoint(transition.edges):  # between sets, hashes are known
            return ()
        operations = [self._inputs[edge] for edge in sorted(self._reading & transition.edges)]
        text = transition.assumption.text if transition.assumption else ""
        values = []
        for operation in operations:
            bits = constant_of(text, operation.type)
            if bits is None and not text and len(operations) == len(transition.edges or ()):
                bits = 0  # any value will do
            if bits is not None:
                values.append(InputValue(operation.function, operation.type, bits))
        return tuple(dict.fromkeys(values))
