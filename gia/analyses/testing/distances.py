"""How far the nodes of a program's executions are from goals, as the control flow says.

Source: the distances of CREST's search by control flow (J. Burnim & K. Sen, *Heuristics for scalable dynamic test
generation*, ASE 2008, section 3.1), between branches. Deviations: between locations, and in their call contexts, as in
shortest-distance symbolic execution (K.-K. Ma, K. Y. Phang, J. Foster & M. Hicks, *Directed symbolic execution*, SAS
2011, section 3.1): a function returns to its caller, not to whoever calls it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec import Struct

from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Node

UNREACHABLE = 1 << 30
"""The distance of places from which no goal can be reached."""


class Nearness(Struct, frozen=True):
    """How far the goal edges are.

    ``inside`` has the distances of locations from goals in their functions and in what these call, ``exits`` those from
    the ends of their functions, ``returns`` where each call edge goes on. The distances may be older than ``goals``,
    and lead to edges that are goals no more.
    """

    goals: frozenset[int] = frozenset()
    inside: Mapping[int, int] = {}
    exits: Mapping[int, int] = {}
    returns: Mapping[int, int] = {}

    def of(self, edge: int, target: Node) -> int:
        """The distance of an edge that leads to ``target``: 0 if it is a goal itself."""
        return 0 if edge in self.goals else self.at(target)

    def at(self, node: Node) -> int:
        """The distance of a node."""
        behind = UNREACHABLE
        for call in node.context:
            behind = self._at_location(self.returns[call], behind)
        return self._at_location(node.location, behind)

    def _at_location(self, location: int, behind: int) -> int:
        """The distance of a location in a function that returns to where it is ``behind``."""
        back = self.exits.get(location, UNREACHABLE) + behind
        return min(self.inside.get(location, UNREACHABLE), back, UNREACHABLE)


class Distances:
    """The number of edges from each node to the nearest of some edges; calls that lead there included."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._entering: dict[int, list[Edge]] = {}
        self._calling: dict[int, list[Edge]] = {}
        """The calls of the function that begins at a location."""
        self._entries: dict[int, int] = {}
        """Where the function begins that a call edge calls."""
        self._jumps: list[int] = []
        self._returns: dict[int, int] = {}
        for edge in program.edge_list:
            self._entering.setdefault(edge.target, []).append(edge)
            if isinstance(edge.operation, Call):
                self._note_call(edge, edge.operation.function)
        ends = [edge.source for edge in program.edge_list if isinstance(edge.operation, Return)]
        self._exits = _nearest(ends, self._before_exits)

    def _note_call(self, edge: Edge, name: str) -> None:
        self._returns[edge.number] = edge.target
        function = self._program.functions.get(name)
        if function is not None:
            self._entries[edge.number] = function.entry
            self._calling.setdefault(function.entry, []).append(edge)
        elif "longjmp" in name:
            self._jumps.append(edge.source)

    def to(self, edges: Collection[int]) -> Nearness:
        """The distances to ``edges`` (numbers), the edge counted.

        Where ``longjmp`` leads is not known: a goal may be next there.
        """
        begins = [self._program.edge_list[number].source for number in sorted(edges)]
        inside = _nearest([*begins, *(self._jumps if begins else ())], self._before_goals)
        return Nearness(frozenset(edges), inside, self._exits, self._returns)

    def _before_exits(self, location: int, known: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """As :meth:`_before_goals`: a call is gone through when both what it calls and what follows it are known."""
        yield from self._in_function(location, known[location], known)
        for call in self._calling.get(location, ()):
            if call.target in known:
                yield call.source, known[call.target] + 1 + known[location]

    def _before_goals(self, location: int, known: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        """The locations from which one edge, or a call as a whole, leads to a location, and how far they are then."""
        yield from self._in_function(location, known[location], self._exits)
        yield from ((call.source, known[location] + 1) for call in self._calling.get(location, ()))

    def _in_function(self, location: int, far: int, exits: Mapping[int, int]) -> Iterator[tuple[int, int]]:
        for edge in self._entering.get(location, ()):
            entry = self._entries.get(edge.number)
            if entry is None:
                yield edge.source, far + 1
            elif entry in exits:
                yield edge.source, far + 1 + exits[entry]


def _nearest(
    begins: Iterable[int], before: Callable[[int, Mapping[int, int]], Iterable[tuple[int, int]]]
) -> dict[int, int]:
    """The distances of all locations from ``begins``, whose own one is 1; those from which none is reached are missing.

    ``before`` says from where a location is reached whose distance is known. Source: D. Knuth, *A generalization of
    Dijkstra's algorithm*, Information Processing Letters 1977: a call takes as long as what it calls.
    """
    known: dict[int, int] = {}
    pending = [(1, location) for location in dict.fromkeys(begins)]
    heapq.heapify(pending)
    while pending:
        far, location = heapq.heappop(pending)
        if location not in known:
            known[location] = far
            for source, distance in before(location, known):
                if source not in known:
                    heapq.heappush(pending, (distance, source))
    return known
