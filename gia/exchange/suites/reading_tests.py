r"""The tests that can be read off a GIA: what its ``rt`` paths read, as far as that is constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from gia.automaton.model import Acceptance, Automaton, Transition
from gia.automaton.trimming import leading_to
from gia.cfa.graph import EdgeReference, Program
from gia.cfa.operations import Input
from gia.exchange.suites.input_assumptions import constant_of
from gia.exchange.suites.testcase import TestCase, beginning_of_zeros
from gia.native import InputValue

MAXIMAL_SEQUENCES: Final = 100_000
"""When so many input sequences were looked at, states that were seen before are not followed again."""


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
    test ends with zeros, and has none before them.
    """
    found: dict[tuple[tuple[InputValue, ...], bool], frozenset[EdgeReference]] = {}
    for inputs, goals, zeros in _TestReader(automaton, program).tests():
        test = (inputs[: beginning_of_zeros(inputs)] if zeros else inputs, zeros)
        found[test] = found.get(test, frozenset()) | goals
    return tuple(GiaTest(inputs, tuple(sorted(goals)), zeros) for (inputs, zeros), goals in found.items())


tests_of.__test__ = False  # type: ignore[attr-defined]


class _Node(NamedTuple):
    """What one sequence of inputs leads to: the states, and the edges of goals reached after the last input.

    ``late`` are those that zeros reach only, in a state that reads nothing else or before it.
    """

    states: frozenset[int]
    goals: frozenset[EdgeReference]
    late: frozenset[EdgeReference]


class _Move(NamedTuple):
    """What the next input leads to; whether that is where each state that reads it goes on already."""

    value: InputValue
    node: _Node
    loops: bool


class _Visit(Struct):
    """A node on the current path: its moves that are still to be followed, and whether one led to a goal."""

    node: _Node
    moves: Iterator[_Move]
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

    def tests(self) -> Iterator[tuple[tuple[InputValue, ...], frozenset[EdgeReference], bool]]:
        """All tests, depth first: their inputs, their goals, and whether zeros follow.

        Without recursion, since tests may be long. Tests that differ in zeros before those at the end come apart.
        """
        start = self._node([self._automaton.initial], frozenset())
        stack = [_Visit(start, self._moves(start))]
        on_path = {start}
        followed: set[_Node] = set()
        path: list[InputValue] = []
        looked_at = 0
        while stack:
            visit = stack[-1]
            move = next(visit.moves, None)
            if move is None:
                late = visit.node.late if visit.then_zeros else frozenset()
                if late or (not visit.extended and not self._accepting.isdisjoint(visit.node.states)):
                    visit.extended = True
                    goals = late.union(*(v.node.goals for v in stack))
                    yield tuple(path), goals, bool(late)
                stack.pop()
                on_path.remove(visit.node)
                if stack:
                    stack[-1].extended |= visit.extended
                    path.pop()
                continue
            looked_at += 1
            value, node, loops = move
            is_zero = value.bits == 0
            visit.then_zeros |= is_zero and (loops or node.states == visit.node.states)
            if (is_zero and loops) or node in on_path or (looked_at > MAXIMAL_SEQUENCES and node in followed):
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

    def _moves(self, node: _Node) -> Iterator[_Move]:
        """What each value of the next input leads to, in the order of the automaton's transitions."""
        targets: dict[InputValue, set[int]] = {}
        goals: dict[InputValue, set[EdgeReference]] = {}
        leading_on: set[InputValue] = set()
        for state in sorted(node.states):
            for transition in self._automaton.leaving[state]:
                if transition.target not in self._useful:
                    continue
                for value in self._values(transition):
                    targets.setdefault(value, set()).add(transition.target)
                    if transition.target != state:
                        leading_on.add(value)
                    reached = transition.edges if transition.target in self._accepting else None
                    goals.setdefault(value, set()).update(reached or ())
        for value, states in targets.items():
            yield _Move(value, self._node(states, frozenset(goals[value])), value not in leading_on)

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
