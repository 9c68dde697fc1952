"""Automata whose runs follow the arcs of a skeleton: how analyses write down what they know about paths.

Source: Haltermann & Wehrheim, SoSyM 2024, section 5 (abstract reachability graphs as GIA). A run is in some *place* of
the analysis (a node of a reachability graph, a position on a path); it changes only at cut points. Within a block the
program alone decides how the run goes on: all of its nodes in one call context are one state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import reduce
from typing import Final, Generic, NamedTuple, TypeVar

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Binary, Expression
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Context, Node
from gia.cfa.types import INT
from gia.cfa.writer import expression_to_gia
from gia.smt.invariants.blocks import Skeleton
from gia.smt.invariants.control_graph import OVER_A_CALL, Arc, ArcKey, ArcKind

Place = TypeVar("Place", bound=Hashable)

_INITIAL: Final = 0


class Arrival(NamedTuple, Generic[Place]):
    """What happens at a cut point: the run goes on in ``place``, where ``invariant`` holds, or ends there.

    With ``accept`` the run ends in this accepting set; the invariant of a candidate stays with it.
    """

    place: Place
    invariant: Sequence[Expression] = ()
    accept: Acceptance | None = None


class Guide(NamedTuple, Generic[Place]):
    """Where runs go.

    ``arrive``: from a place to a cut point; ``None``: no run does. ``take``: into which accepting set the arc of a
    claim leads from a place, if into any.
    """

    start: Place
    arrive: Callable[[Place, Node], Arrival[Place] | None]
    take: Callable[[Place, ArcKey[Node]], Acceptance | None]


def run_automaton(program: Program, shape: Skeleton[Node], guide: Guide[Place]) -> Automaton:
    """The automaton of all runs that the guide allows."""
    return _Writer(program, shape, guide).automaton()


class _Key(NamedTuple, Generic[Place]):
    """What a state stands for: a place and a context, one of its cut points, or a call of which nothing is known."""

    place: Place
    context: Context
    cut: int | None = None
    call: int | None = None


def _callee(edge: Edge) -> str:
    assert isinstance(edge.operation, Call)
    return edge.operation.function


class _Writer(Generic[Place]):
    """Collects the states and transitions."""

    def __init__(self, program: Program, shape: Skeleton[Node], guide: Guide[Place]) -> None:
        self.program = program
        self.shape = shape
        self.guide = guide
        self.cuts = frozenset(shape.cuts)
        self.states = [State()]
        self.looping: set[int] = set()
        self.ends: dict[int, str] = {}
        """The states for the ends of contracts, with the functions that have them."""
        self.numbers: dict[Hashable, int] = {}
        self.moves: dict[tuple[int, int], set[EdgeReference]] = {}
        self.pending: list[tuple[Node, Place, int]] = []
        self.reached: set[tuple[Node, Place]] = set()

    def automaton(self) -> Automaton:
        """Follow the arcs from the entry."""
        entry = self.shape.graph.entry
        if entry in self.cuts:
            self._enter_program(entry)
        else:
            self.numbers[_Key(self.guide.start, entry.context)] = _INITIAL
            self._visit(entry, self.guide.start, _INITIAL)
        while self.pending:
            self._leave(*self.pending.pop())
        moves = sorted(self.moves.items(), key=lambda move: move[0])
        transitions = [Transition(source, target, frozenset(edges)) for (source, target), edges in moves]
        transitions += [Transition(state, state, ANY) for state in sorted(self.looping)]
        for state, function in sorted(self.ends.items()):  # so that what contracts say is not cut off as useless
            transitions += [Transition(state, inside, ANY) for inside in self._inside(function)]
        return Automaton(tuple(self.states), tuple(transitions), _INITIAL)

    def _inside(self, function: str) -> list[int]:
        """The states for what calls of a function do of which nothing is known."""
        edges = self.program.edge_list
        calls = ((key.call, state) for key, state in self.numbers.items() if isinstance(key, _Key))
        return [state for call, state in calls if call is not None and _callee(edges[call]) == function]

    def _enter_program(self, entry: Node) -> None:
        """The program starts at a cut point: the initial state does what its state does, without an invariant."""
        arrival = self.guide.arrive(self.guide.start, entry)
        if arrival is not None and arrival.accept is None:
            self._visit(entry, arrival.place, _INITIAL, also=True)
            self._visit(entry, arrival.place, self._arrived(entry, arrival))
        elif arrival is not None:
            self.states[_INITIAL] = State(None, arrival.accept)
            self.looping.add(_INITIAL)

    def _visit(self, node: Node, place: Place, state: int, also: bool = False) -> None:
        if also or (node, place) not in self.reached:
            if not also:
                self.reached.add((node, place))
            self.pending.append((node, place, state))

    def _leave(self, node: Node, place: Place, source: int) -> None:
        """Record the moves along the arcs that leave a node."""
        for arc in self.shape.arcs.get(node, ()):
            key = ArcKey(node, arc.edge.number, arc.case)
            accept = self.guide.take(place, key) if key in self.shape.claims else None
            if accept is not None:
                self._move(source, self._accepting(accept, ()), arc.edge.reference)
                if accept is not Acceptance.CAND:
                    continue
            if arc.points_into(self.shape.arcs):
                self._follow(node, place, source, arc)

    def _follow(self, node: Node, place: Place, source: int, arc: Arc[Node]) -> None:
        """Record the move along one arc."""
        if arc.kind is ArcKind.LEAVE:
            self._end_of_call(place, source, arc)
            return
        if arc.target in self.cuts:
            arrival = self.guide.arrive(place, arc.target)
            if arrival is None:
                return
            place = arrival.place
            target = self._arrived(arc.target, arrival)
            goes_on = arrival.accept is None
        else:
            target = self._number(_Key(place, arc.target.context), State())
            goes_on = True
        if arc.kind in OVER_A_CALL:
            self._move_through(place, node.context, source, target, arc.edge)
        else:
            self._move(source, target, arc.edge.reference)
        if goes_on:
            self._visit(arc.target, place, target)

    def _arrived(self, cut: Node, arrival: Arrival[Place]) -> int:
        """The state at a cut point."""
        invariant = arrival.invariant
        if arrival.accept is not None:
            return self._accepting(arrival.accept, invariant if arrival.accept is Acceptance.CAND else (), cut)
        if not invariant:
            return self._number(_Key(arrival.place, cut.context), State())
        return self._number(_Key(arrival.place, cut.context, cut.location), State(self._condition(cut, invariant)))

    def _accepting(self, accept: Acceptance, invariant: Sequence[Expression], cut: Node | None = None) -> int:
        condition = self._condition(cut, invariant) if cut is not None and invariant else None
        state = self._number((accept, condition), State(condition, accept))
        self.looping.add(state)
        return state

    def _number(self, key: Hashable, state: State) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.states)
            self.states.append(state)
        return self.numbers[key]

    def _move(self, source: int, target: int, edge: EdgeReference) -> None:
        self.moves.setdefault((source, target), set()).add(edge)

    def _move_through(self, place: Place, context: Context, source: int, target: int, call: Edge) -> None:
        """A call of which nothing is known: any edges, until a return edge of the callee."""
        inside = self._number(_Key(place, context, call=call.number), State())
        self.looping.add(inside)
        self._move(source, inside, call.reference)
        for edge in self.program.functions[_callee(call)].edges:
            if isinstance(edge.operation, Return):
                self._move(inside, target, edge.reference)

    def _end_of_call(self, place: Place, source: int, arc: Arc[Node]) -> None:
        """The state for the contract of a function: it only says what holds when a call ends; others go on."""
        arrival = self.guide.arrive(place, arc.target)
        if arrival is not None and arrival.invariant:
            state = self._arrived(arc.target, arrival)
            self._move(source, state, arc.edge.reference)
            self.ends[state] = arc.edge.reference.function

    def _condition(self, cut: Node, kept: Sequence[Expression]) -> Condition:
        """The conjunction of the invariants in the scope of the cut point's function."""
        scope = self.program.function_of_location[cut.location]
        text = expression_to_gia(reduce(lambda left, right: Binary("&&", left, right, INT), kept), scope)
        return Condition(text, scope)
