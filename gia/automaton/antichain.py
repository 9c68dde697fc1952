"""The product of a program with sets of runs, kept to the smallest sets.

Source: antichains of De Wulf, Doyen, Henzinger & Raskin, *Antichains: a new algorithm for checking universality of
finite automata* (CAV 2006), here within each frame of the interprocedural product: a path on which fewer runs are
under way is excluded by fewer of them, so whatever can be executed behind a location with a set of runs can be
executed with each of its subsets. Deviations: functions that are entered with comparable sets are still looked at
apart, since the runs that a path has brought along come back to its caller. And sets are compared only if they share
the run that their comparison needs: evidence that follows single executions has thousands of sets of one run each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from msgspec import Struct, field

from gia.automaton.product import Exploration, Frame, Point
from gia.cfa.graph import Edge

Runs = frozenset[int]

COMPARED = 100
"""So many sets may be compared for each point that may be looked at; then the exploration is not complete either."""


class Antichain(Struct):
    """Sets of runs none of which is a subset of another one."""

    by_least: dict[int, dict[Runs, None]] = field(default_factory=dict)
    """By the least of their runs, which their supersets have as well; without the empty set."""
    by_run: dict[int, dict[Runs, None]] = field(default_factory=dict)
    """By each of their runs."""
    has_empty: bool = False
    compared: int = 0
    """With how many of them others were compared so far."""

    def has_subset(self, runs: Runs) -> bool:
        """Whether one of the sets is a subset of these runs."""
        groups = (self.by_least[run] for run in self.by_least.keys() & runs)
        return self.has_empty or any(known <= runs for known in self._meant(groups))

    def remove_supersets(self, runs: Runs) -> list[Runs]:
        """Take out the sets that have all these runs."""
        with_one = (self.by_run.get(run, {}) for run in runs)
        meant = [min(with_one, key=len)] if runs else self.by_least.values()
        found = [known for known in self._meant(meant) if runs <= known]
        for known in found:
            del self.by_least[min(known)][known]
            for run in known:
                del self.by_run[run][known]
        return found

    def add(self, runs: Runs) -> None:
        """Add a set that is no superset and no subset of another one."""
        if not runs:
            self.has_empty = True
            return
        self.by_least.setdefault(min(runs), {})[runs] = None
        for run in runs:
            self.by_run.setdefault(run, {})[runs] = None

    def _meant(self, groups: Iterable[Iterable[Runs]]) -> Iterator[Runs]:
        for group in groups:
            for runs in group:
                self.compared += 1
                yield runs


class AntichainExploration(Exploration[Runs]):
    """The points that the valid paths of the program reach with sets of runs, but for those that a subset stands for.

    ``step`` must be monotone: for a subset of the runs it gives, for each set after the edge, a subset of it.
    """

    frozen: Runs = frozenset()
    """In these states runs only wait for a call to return: they do not see what happens inside of it."""
    _waiting: list[tuple[int, int, Frame[Runs], Point[Runs]]] = field(default_factory=list)
    """Small sets first, for they make others needless; of equal ones the older."""
    _smallest: dict[tuple[Frame[Runs], int], Antichain] = field(default_factory=dict)
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
        smallest = self._smallest.setdefault((frame, point.location), Antichain())
        before = smallest.compared
        found = smallest.has_subset(point.value)
        needless = [] if found else smallest.remove_supersets(point.value)
        self._compared += smallest.compared - before
        self.complete = self._count <= self.limit and self._compared <= COMPARED * self.limit
        if found:
            return
        for runs in needless:
            del reached[Point(point.location, runs)]
        smallest.add(point.value)
        reached[point] = None
        self._count += 1
        heappush(self._waiting, (len(point.value), self._count, frame, point))


def _in_all(cases: Iterable[Runs]) -> Runs:
    """The runs that there are in all cases."""
    found = list(cases)
    return frozenset[int].intersection(*found) if found else frozenset()
