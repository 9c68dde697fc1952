"""The product of an exchange automaton with the interprocedural control flow of a program.

Source: the on-the-fly product of Beyer et al., *Reducer-based construction of conditional verifiers*
(ICSE 2018), extended to calls by summaries in the style of Reps, Horwitz & Sagiv (POPL 1995): what holds
at a location is kept per function and per value at the function's entry, and a return goes back to
exactly the calls that entered with that value. So recursion needs no bound, and the paths that are
looked at are the interprocedurally valid ones, no fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct, field

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Call, Return

FEW = 4
"""Transitions with so many edges are found by their edges, others by looking at all that leave a state."""

Value = TypeVar("Value", bound=Hashable)


class Frame(NamedTuple, Generic[Value]):
    """A function entered with a value: the unit of summaries."""

    function: str
    value: Value


class Point(NamedTuple, Generic[Value]):
    """A location reached with a value, in some frame."""

    location: int
    value: Value


class Leaving:
    """The transitions that leave the states, by their edges; ``useful`` are the only states that are looked at."""

    def __init__(self, automaton: Automaton, useful: frozenset[int]) -> None:
        self._automaton = automaton
        self._useful = useful
        self._by_edge: dict[tuple[int, EdgeReference], list[tuple[int, Transition]]] = {}
        """Transitions with few edges, with their places in the automaton; a state may have hundreds of them."""
        self._others: dict[int, list[tuple[int, Transition]]] = {}
        for place, transition in enumerate(automaton.transitions):
            if transition.source not in useful or transition.target not in useful:
                continue
            if transition.edges is not ANY and len(transition.edges) <= FEW:
                for edge in transition.edges:
                    self._by_edge.setdefault((transition.source, edge), []).append((place, transition))
            else:
                self._others.setdefault(transition.source, []).append((place, transition))

    def on(self, state: int, edges: frozenset[EdgeReference] | None) -> list[Transition]:
        """Those from a useful state that can be taken on one of the edges at least, in the order of the automaton."""
        if edges is ANY:
            return [transition for transition in self._automaton.leaving[state] if transition.target in self._useful]
        few = (entry for edge in edges for entry in self._by_edge.get((state, edge), ()))
        others = (
            entry for entry in self._others.get(state, ()) if (of := entry[1].edges) is ANY or not of.isdisjoint(edges)
        )
        return [transition for _, transition in sorted(dict((*few, *others)).items(), key=itemgetter(0))]


class Stepper:
    """How single runs go on; ``useful`` are the only states that are looked at."""

    def __init__(self, automaton: Automaton, useful: frozenset[int]) -> None:
        self._leaving = Leaving(automaton, useful)
        self._cache: dict[tuple[int, EdgeReference], tuple[tuple[int, Condition | None], ...]] = {}

    def successors(self, state: int, edge: EdgeReference) -> tuple[tuple[int, Condition | None], ...]:
        """The states that a transition with this edge leads to from ``state``, and its assumption."""
        key = (state, edge)
        found = self._cache.get(key)
        if found is None:
            matching = self._leaving.on(state, frozenset({edge}))
            found = self._cache[key] = tuple(dict.fromkeys((t.target, t.assumption) for t in matching))
        return found


def reaching(automaton: Automaton, kind: Acceptance) -> frozenset[int]:
    """The states from which some state of ``F_kind`` can be reached, those of ``F_kind`` included.

    Accepting states of the other decided kind count as dead ends.
    """
    found = set(automaton.accepting(kind))
    pending = list(found)
    while pending:
        for source in automaton.entered_from[pending.pop()]:
            if source not in found and _passable(automaton.states[source], kind):
                found.add(source)
                pending.append(source)
    return frozenset(found)


def _passable(state: State, kind: Acceptance) -> bool:
    return state.accept in (None, Acceptance.CAND, kind)


class Exploration(Struct, Generic[Value]):
    """All points that the interprocedurally valid paths of the program reach.

    ``step`` gives the values after an edge for the value before it; no value ends the path there.
    ``callers`` holds who entered a frame (frame, point and call edge), ``exits`` how it is left (point,
    return edge and value after it).
    """

    program: Program
    step: Callable[[Edge, Value], Iterable[Value]]
    limit: int = 5_000_000
    """How many points are looked at before :attr:`complete` becomes false."""
    complete: bool = True
    points: dict[Frame[Value], dict[Point[Value], None]] = field(default_factory=dict)
    callers: dict[Frame[Value], dict[tuple[Frame[Value], Point[Value], Edge], None]] = field(default_factory=dict)
    exits: dict[Frame[Value], dict[tuple[Point[Value], Edge, Value], None]] = field(default_factory=dict)
    _pending: list[tuple[Frame[Value], Point[Value]]] = field(default_factory=list)
    _count: int = 0

    def run(self, starts: Iterable[Frame[Value]], is_enough: Callable[[], bool] = lambda: False) -> None:
        """Explores from the entries of the given frames, until nothing is left or ``is_enough``."""
        for frame in starts:
            self._enter(frame)
        while self.complete and not is_enough() and (found := self._next()) is not None:
            frame, point = found
            for edge in self.program.functions[frame.function].leaving[point.location]:
                for value in self.step(edge, point.value):
                    self._follow(frame, point, edge, value)

    def callee(self, edge: Edge, value: Value) -> Frame[Value] | None:
        """The frame that the edge enters with ``value``, ``None`` if it is no call of a defined function."""
        match edge.operation:
            case Call(function=name) if name in self.program.functions:
                return Frame(name, value)
        return None

    def is_return(self, edge: Edge) -> bool:
        """Whether the edge leaves its function."""
        return isinstance(edge.operation, Return)

    def _follow(self, frame: Frame[Value], point: Point[Value], edge: Edge, value: Value) -> None:
        """Continues behind ``edge``, on which the value became ``value``."""
        callee = self.callee(edge, value)
        if callee is not None:
            self._enter(callee)
            caller = (frame, point, edge)
            if caller not in self.callers.setdefault(callee, {}):
                self.callers[callee][caller] = None
                for _, leaving, returned in list(self.exits.get(callee, ())):
                    self._reach(frame, Point(edge.target, self._behind(edge, point.value, leaving, returned)))
        elif self.is_return(edge):
            exit_ = (point, edge, value)
            if exit_ not in self.exits.setdefault(frame, {}):
                self.exits[frame][exit_] = None
                for caller_frame, before, call in list(self.callers.get(frame, ())):
                    self._reach(caller_frame, Point(call.target, self._behind(call, before.value, edge, value)))
        else:
            self._reach(frame, Point(edge.target, value))

    def _behind(self, call: Edge, before: Value, leaving: Edge, returned: Value) -> Value:
        """The value behind a call, by the one ``before`` it, and that with which the callee was left on an edge."""
        return returned

    def _enter(self, frame: Frame[Value]) -> None:
        self._reach(frame, Point(self.program.functions[frame.function].entry, frame.value))

    def _next(self) -> tuple[Frame[Value], Point[Value]] | None:
        """A point from which the edges are still to be followed, if there is one."""
        return self._pending.pop() if self._pending else None

    def _reach(self, frame: Frame[Value], point: Point[Value]) -> None:
        reached = self.points.setdefault(frame, {})
        if point not in reached:
            reached[point] = None
            self._count += 1
            self._wait(frame, point)
            self.complete = self._count <= self.limit

    def _wait(self, frame: Frame[Value], point: Point[Value]) -> None:
        """Keeps a new point for :meth:`_next`."""
        self._pending.append((frame, point))
