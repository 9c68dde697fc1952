"""The region automaton: invariants at cut points and the goals that they exclude, as a GIA that a checker can follow.

One state for each call context, one for each cut point with an invariant, and one accepting ``ut`` state that the
excluded edges lead into. Source: Haltermann & Wehrheim, SoSyM 2024, section 5 (abstract reachability graphs as GIA),
with all nodes of one context merged that carry no invariant.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Final, NamedTuple

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Binary, Expression
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Context, Node
from gia.cfa.types import INT
from gia.cfa.writer import expression_to_gia
from gia.smt.blocks import Skeleton

_INITIAL: Final = 0
_UNREACHABLE: Final = 1


def region_automaton(
    program: Program,
    shape: Skeleton[Node],
    invariants: Mapping[Node, Sequence[Expression]],
    excluded: Collection[int],
    undecided: Collection[int] = (),
) -> Automaton:
    """The automaton that claims the edges ``excluded`` to be infeasible, everywhere, because of ``invariants``.

    Cut points without invariants, and those that are missing in ``invariants``, have no state of their own. The edges
    ``undecided`` lead to candidates.
    """
    return _Writer(program, shape, invariants, frozenset(excluded), frozenset(undecided)).automaton()


class _Place(NamedTuple):
    """What a state stands for: a context, one of its cut points, or a call in it of which nothing is known."""

    context: Context
    cut: int | None = None
    call: int | None = None


class _Writer:
    """Collects the states and transitions of one region automaton."""

    def __init__(
        self,
        program: Program,
        shape: Skeleton[Node],
        invariants: Mapping[Node, Sequence[Expression]],
        excluded: frozenset[int],
        undecided: frozenset[int],
    ) -> None:
        self.program = program
        self.shape = shape
        self.excluded = excluded
        self.undecided = undecided
        self.conditions = {cut: self._condition(cut, kept) for cut, kept in invariants.items() if kept}
        self.states = [State(), State(None, Acceptance.UT)]
        self.candidate: int | None = None
        self.numbers: dict[_Place, int] = {}
        self.moves: dict[tuple[int, int], set[EdgeReference]] = {}

    def automaton(self) -> Automaton:
        """Follow the arcs from the entry and write down every move between states."""
        entry = self.shape.graph.entry
        if entry not in self.conditions:  # an initial state carries no invariant
            self.numbers[_Place(entry.context)] = _INITIAL
        self._follow(entry)
        if entry in self.conditions:
            for (source, target), edges in sorted(self.moves.items()):
                if source == self.numbers[_Place(entry.context, entry.location)]:
                    self.moves[_INITIAL, target] = edges
        moves = sorted(self.moves.items(), key=lambda move: move[0])
        transitions = [Transition(source, target, frozenset(edges)) for (source, target), edges in moves]
        transitions += [Transition(state, state, ANY) for state in self._absorbing()]
        return Automaton(tuple(self.states), tuple(transitions), _INITIAL)

    def _follow(self, entry: Node) -> None:
        """Record the moves along all arcs that are reached from ``entry`` without an excluded edge."""
        reached = {entry}
        pending = [entry]
        while pending:
            node = pending.pop()
            source = self._number(node)
            for arc in self.shape.arcs.get(node, ()):
                if arc.edge.number in self.excluded:
                    self._move(source, _UNREACHABLE, arc.edge.reference)
                    continue
                if arc.edge.number in self.undecided:
                    self._move(source, self._candidate(), arc.edge.reference)
                if not arc.leads_into(self.shape.arcs):
                    continue
                target = self._number(arc.target)
                if arc.step is None:
                    self._move_through(node.context, source, target, arc.edge)
                else:
                    self._move(source, target, arc.edge.reference)
                if arc.target not in reached:
                    reached.add(arc.target)
                    pending.append(arc.target)

    def _move(self, source: int, target: int, edge: EdgeReference) -> None:
        self.moves.setdefault((source, target), set()).add(edge)

    def _candidate(self) -> int:
        if self.candidate is None:
            self.candidate = len(self.states)
            self.states.append(State(None, Acceptance.CAND))
        return self.candidate

    def _move_through(self, context: Context, source: int, target: int, call: Edge) -> None:
        """A call of which nothing is known: any edges, until a return edge of the callee."""
        assert isinstance(call.operation, Call)
        inside = self._state(_Place(context, call=call.number), State())
        self._move(source, inside, call.reference)
        for edge in self.program.functions[call.operation.function].edges:
            if isinstance(edge.operation, Return):
                self._move(inside, target, edge.reference)

    def _absorbing(self) -> list[int]:
        """The states that loop on every edge."""
        inside_calls = {number for place, number in self.numbers.items() if place.call is not None}
        candidate = set() if self.candidate is None else {self.candidate}
        return sorted({_UNREACHABLE} | inside_calls | candidate)

    def _number(self, node: Node) -> int:
        """The state that stands for a node."""
        condition = self.conditions.get(node)
        place = _Place(node.context, None if condition is None else node.location)
        return self._state(place, State(condition))

    def _state(self, place: _Place, state: State) -> int:
        if place not in self.numbers:
            self.numbers[place] = len(self.states)
            self.states.append(state)
        return self.numbers[place]

    def _condition(self, cut: Node, kept: Sequence[Expression]) -> Condition:
        """The conjunction of the invariants in the scope of the cut point's function."""
        scope = self.program.function_of_location[cut.location]
        text = expression_to_gia(reduce(lambda left, right: Binary("&&", left, right, INT), kept), scope)
        return Condition(text, scope)
