"""Weak topological order of the locations of a function, and its loops.

Source: F. Bourdoncle, *Efficient chaotic iteration strategies with widenings*, FMPA 1993, section 3: a hierarchical
ordering of the vertices such that every edge ``u -> v`` either goes forward, or ``v`` is the head of a component that
contains ``u``. Deviation: the nested strongly connected components are found by an iterative version of Tarjan's
algorithm on the component without its head (same result, no recursion on large functions).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from gia.cfa.graph import Function

_Piece = tuple[list[int], frozenset[int] | None, tuple[int, ...]]
"""Work to do: where to begin the search, the vertices to order (``None``: only that one), the loops around them."""


class Order(Struct, frozen=True):
    """A weak topological order of all locations of a function (also of those that its entry does not reach).

    For every edge ``u -> v``: ``position[u] < position[v]``, or ``v in nest[u]`` (a *back edge*). A loop is a nested
    component of the order; its locations have consecutive positions, its head comes first. Irreducible loops (entered
    by ``goto``) are loops as well: their head is the location by which a depth-first search enters them first.
    """

    position: Mapping[int, int]
    nest: Mapping[int, tuple[int, ...]]
    """The heads of the loops around each location, outermost first; a head is in its own loop."""

    @property
    def heads(self) -> tuple[int, ...]:
        """The loop heads in ascending position."""
        return tuple(sorted((loc for loc, nest in self.nest.items() if loc in nest), key=self.position.__getitem__))


def order(function: Function) -> Order:
    """The weak topological order of a function; the same function always gets the same one."""
    return order_of(
        {location: tuple(dict.fromkeys(edge.target for edge in edges)) for location, edges in function.leaving.items()},
        function.entry,
    )


def order_of(graph: Mapping[int, Sequence[int]], entry: int) -> Order:
    """The weak topological order of the graph ``vertex -> successors`` (every vertex is a key) from ``entry``."""
    position: dict[int, int] = {}
    nest: dict[int, tuple[int, ...]] = {}
    roots = [entry, *sorted(vertex for vertex in graph if vertex != entry)]
    pending: list[_Piece] = [(roots, frozenset(graph), ())]
    while pending:
        starts, inside, loops = pending.pop()
        if inside is None:  # a single vertex whose turn has come
            position[starts[0]] = len(position)
            nest[starts[0]] = loops
            continue
        pieces: list[_Piece] = []
        for component in _components(graph, starts, inside):
            head = component[0]
            if len(component) == 1 and head not in graph[head]:
                pieces.append(([head], None, loops))
                continue
            around = (*loops, head)
            rest = frozenset(component) - {head}
            pieces.append(([head], None, around))
            pieces.append(([vertex for vertex in graph[head] if vertex in rest], rest, around))
        pending.extend(reversed(pieces))
    return Order(position, nest)


def _components(graph: Mapping[int, Sequence[int]], starts: Sequence[int], inside: frozenset[int]) -> list[list[int]]:
    """The strongly connected components of the subgraph ``inside`` in topological order.

    Each lists its vertices in the order in which the search met them, so that the first is the one it entered by.
    Tarjan's algorithm with an explicit stack.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    unfinished: list[int] = []
    place: dict[int, int] = {}  # of the vertices that are in ``unfinished``
    trail: list[tuple[int, Iterator[int]]] = []
    found: list[list[int]] = []

    def enter(vertex: int) -> None:
        index[vertex] = low[vertex] = len(index)
        place[vertex] = len(unfinished)
        unfinished.append(vertex)
        trail.append((vertex, iter(graph[vertex])))

    for start in starts:
        if start not in index:
            enter(start)
        while trail:
            vertex, successors = trail[-1]
            unseen = None
            for successor in successors:
                if successor in inside and successor not in index:
                    unseen = successor
                    break
                if successor in place:
                    low[vertex] = min(low[vertex], index[successor])
            if unseen is not None:
                enter(unseen)
                continue
            trail.pop()
            if trail:
                parent = trail[-1][0]
                low[parent] = min(low[parent], low[vertex])
            if low[vertex] == index[vertex]:
                component = unfinished[place[vertex] :]
                del unfinished[place[vertex] :]
                for member in component:
                    del place[member]
                found.append(component)
    found.reverse()
    return found
