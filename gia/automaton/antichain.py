"""The product of a program with sets of runs, kept to the smallest sets.

Source: antichains of De Wulf, Doyen, Henzinger & Raskin, *Antichains: a new algorithm for checking universality of
finite automata* (CAV 2006), here within each frame of the interprocedural product: a path on which fewer runs are
under way is excluded by fewer of them, so whatever can be executed behind a location with a set of runs can be
executed with each of its subsets. Deviation: functions that are entered with comparable sets are still looked at
apart, since the runs that a path has brought along come back to its caller.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from msgspec import field

from gia.automaton.product import Exploration, Frame, Point
from gia.cfa.graph import Edge

Runs = frozenset[int]

COMPARED = 100
"""So many sets may be compared for each point that may be looked at; then the exploration is not complete either."""


class AntichainExploration(Exploration[Runs]):
    """The points that the valid paths of the program reach with sets of runs, but for those that a subset stands for.

    ``step`` must be monotone: for a subset of the runs it gives, for each set after the edge, a subset of it.
    """

    frozen: Runs = frozenset()
    """In these states runs only wait for a call to return: they do not see what happens inside of it."""
    _waiting: list[tuple[int, int, Frame[Runs], Point[Runs]]] = field(default_factory=list)
    """Small sets first, for they make others needless; of equal ones the older."""
    _smallest: dict[tuple[Frame[Runs], int], list[Runs]] = field(default_factory=dict)
    """By frame and location, the sets that were reached there and are supersets of no other."""
    _compared: int = 0

    def _next(self) -> tuple[Frame[Runs], Point[Runs]] | None:
        while self._waiting:
            _, _, frame, point = heappop(self._waiting)
            if point in self.points[frame]:
                return frame, point
        return None

    def callee(self, edge: Edge, value: Runs) -> Frame[Runs] | None:
        """The frame that the edge enters, without the runs that wait for its end."""
        return super().callee(edge, value - self.frozen)

    def _behind(self, call: Edge, before: Runs, leaving: Edge, returned: Runs) -> Runs:
        if not self.frozen:
            return returned
        waiting = _in_all(self.step(call, before)) & self.frozen
        return returned | _in_all(self.step(leaving, waiting)) | (before & self.frozen)

    def _reach(self, frame: Frame[Runs], point: Point[Runs]) -> None:
        reached = self.points.setdefault(frame, {})
        smallest = self._smallest.setdefault((frame, point.location), [])
        self._compared += len(smallest)
        self.complete = self._count <= self.limit and self._compared <= COMPARED * self.limit
        if any(runs <= point.value for runs in smallest):
            return
        needless = [runs for runs in smallest if point.value < runs]
        for runs in needless:
            smallest.remove(runs)
            del reached[Point(point.location, runs)]
        smallest.append(point.value)
        reached[point] = None
        self._count += 1
        heappush(self._waiting, (len(point.value), self._count, frame, point))


def _in_all(cases: Iterable[Runs]) -> Runs:
    """The runs that there are in all cases."""
    found = list(cases)
    return frozenset[int].intersection(*found) if found else frozenset()
