"""How far the locations of a program are from goals, as the control flow says.

Source: the distances of CREST's search by control flow (J. Burnim & K. Sen, *Heuristics for scalable dynamic test
generation*, ASE 2008, section 3.1), between branches. Deviation: between locations, with calls and returns followed
whoever called.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping

from msgspec import Struct

from gia.cfa.graph import Program
from gia.cfa.operations import Call, Return

UNREACHABLE = 1 << 30
"""The distance of places from which no goal can be reached."""


class Nearness(Struct, frozen=True):
    """How far the goal edges are: ``distances`` are those of locations, from which none is reached if they are missing.

    These may be older than ``goals``, and lead to edges that are goals no more.
    """

    goals: frozenset[int] = frozenset()
    distances: Mapping[int, int] = {}

    def of(self, edge: int, target: int) -> int:
        """The distance of an edge that leads to the location ``target``: 0 if it is a goal itself."""
        return 0 if edge in self.goals else self.distances.get(target, UNREACHABLE)


class Distances:
    """The number of edges from each location to the nearest of some edges; calls that lead there included."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._entering = _entering(program)

    def to(self, edges: Collection[int]) -> Mapping[int, int]:
        """The distances to ``edges`` (numbers), the edge counted; locations from which none is reached are missing."""
        found: dict[int, int] = {}
        for number in sorted(edges):
            found[self._program.edge_list[number].source] = 1
        pending = deque(found)
        while pending:
            location = pending.popleft()
            for source in self._entering.get(location, ()):
                if source not in found:
                    found[source] = found[location] + 1
                    pending.append(source)
        return found


def _entering(program: Program) -> dict[int, list[int]]:
    """The locations before each location, also across calls and returns."""
    found: dict[int, list[int]] = {}
    for edge in program.edge_list:
        operation = edge.operation
        if isinstance(operation, Return):
            exit_ = program.functions[program.function_of_location[edge.source]].exit
            found.setdefault(exit_, []).append(edge.source)
            continue
        found.setdefault(edge.target, []).append(edge.source)
        if isinstance(operation, Call) and operation.function in program.functions:
            callee = program.functions[operation.function]
            found.setdefault(callee.entry, []).append(edge.source)
            found.setdefault(edge.target, []).append(callee.exit)
    return found
