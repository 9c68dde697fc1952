"""The orders in which concolic testing negates decisions.

Sources: bounded depth-first, control-flow directed, random-branch and uniform-random search of CREST (J. Burnim & K.
Sen, *Heuristics for scalable dynamic test generation*, ASE 2008, section 3); generational search of SAGE (P. Godefroid,
M. Levin & D. Molnar, *Automated whitebox fuzz testing*, NDSS 2008, section 2.3). Deviation: CREST's heuristics forget a
path when they go on to the next; here every decision that was ever met can still be negated, once on each path to it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import NamedTuple, Protocol

from gia.analyses.testing.distances import Nearness
from gia.analyses.testing.symbolic_path import Alternative, SymbolicPath
from gia.cfa.supergraph import Context

RETRY_PENALTY = 4
"""What the control-flow directed order adds to the distance each time that an edge was tried in its place."""


_CALLS = 2
"""So many calls around an edge tell its places apart."""
_Place = tuple[int, Context]


class Search(StrEnum):
    """The orders by name."""

    DFS = "dfs"
    CFG = "cfg"
    RANDOM_BRANCH = "random-branch"
    UNIFORM_RANDOM = "uniform-random"
    GENERATIONAL = "generational"


class Candidate(NamedTuple):
    """A decision of a path that could fall differently."""

    path: SymbolicPath
    position: int
    alternative: Alternative


class Order(Protocol):
    """Decides which candidate comes next; every candidate comes once."""

    def add(self, candidates: Sequence[Candidate], news: int, near: Nearness) -> None:
        """Take the candidates of a new path, in its order; ``news`` is how many edges it covered first."""
        ...

    def next(self, near: Nearness) -> Candidate | None:
        """The next candidate, ``None`` if there is none; ``near`` says how far the open goals are."""
        ...


class DepthFirst:
    """The last decision of the last path first; decisions beyond ``bound`` are left out."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._stack: list[Candidate] = []

    def add(self, candidates: Sequence[Candidate], news: int, near: Nearness) -> None:
        """Put the new path's decisions on the stack."""
        self._stack.extend(candidate for candidate in candidates if candidate.position < self._bound)

    def next(self, near: Nearness) -> Candidate | None:
        """The top of the stack."""
        return self._stack.pop() if self._stack else None


class RandomBranch:
    """A decision of the current path, each as likely as the others; then of the path before it."""

    def __init__(self, seed: int, *, uniform_paths: bool) -> None:
        self._random = Random(seed)
        self._uniform_paths = uniform_paths
        self._paths: list[list[Candidate]] = []

    def add(self, candidates: Sequence[Candidate], news: int, near: Nearness) -> None:
        """The new path is the current one."""
        if candidates:
            self._paths.append(list(candidates))

    def next(self, near: Nearness) -> Candidate | None:
        """A random candidate: with ``uniform_paths`` each further position is half as likely as the one before it."""
        if not self._paths:
            return None
        current = self._paths[-1]
        index = self._random.randrange(len(current))
        if self._uniform_paths:
            index = next((i for i in range(len(current)) if self._random.random() < 0.5), index)
        chosen = current.pop(index)
        if not current:
            self._paths.pop()
        return chosen


class Generational:
    """All decisions of the path that covered most first, then those of the next."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, Candidate]] = []
        self._paths = 0

    def add(self, candidates: Sequence[Candidate], news: int, near: Nearness) -> None:
        """Score the new path by what it covered."""
        self._paths += 1
        for place, candidate in enumerate(candidates):
            heapq.heappush(self._heap, (-news, self._paths, place, candidate))

    def next(self, near: Nearness) -> Candidate | None:
        """A candidate of the path with the best score."""
        return heapq.heappop(self._heap)[3] if self._heap else None


class ControlFlow:
    """The candidate from which an open goal is nearest; what was tried often counts as farther away."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Candidate]] = []
        self._number = 0
        self._tried: dict[_Place, int] = {}

    def add(self, candidates: Sequence[Candidate], news: int, near: Nearness) -> None:
        """Of two equally near candidates the one of the later path, and there the earlier one, comes first."""
        self._number -= len(candidates)
        for place, candidate in enumerate(candidates):
            heapq.heappush(self._heap, (self._score(candidate, near), self._number + place, candidate))

    def next(self, near: Nearness) -> Candidate | None:
        """The nearest candidate, by what is open now."""
        while self._heap:
            score, number, candidate = heapq.heappop(self._heap)
            now = self._score(candidate, near)
            if now > score:
                heapq.heappush(self._heap, (now, number, candidate))
                continue
            place = _place_of(candidate)
            self._tried[place] = self._tried.get(place, 0) + 1
            return candidate
        return None

    def _score(self, candidate: Candidate, near: Nearness) -> int:
        alternative = candidate.alternative
        return near.of(alternative.edge, alternative.target) + RETRY_PENALTY * self._tried.get(_place_of(candidate), 0)


def _place_of(candidate: Candidate) -> _Place:
    """The edge, and the calls around it: what a function does for one caller is not what it does for another."""
    return candidate.alternative.edge, candidate.alternative.target.context[-_CALLS:]


def make_order(search: Search, seed: int, bound: int) -> Order:
    """A new order; ``bound`` counts for depth-first search."""
    match search:
        case Search.DFS:
            return DepthFirst(bound)
        case Search.CFG:
            return ControlFlow()
        case Search.GENERATIONAL:
            return Generational()
    return RandomBranch(seed, uniform_paths=search is Search.UNIFORM_RANDOM)
