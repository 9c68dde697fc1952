"""Which part of a program the needed paths pass."""

from __future__ import annotations

from typing import NamedTuple

from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call, Return
from gia.reducer.flow import Flow, Node
from gia.reducer.points import Points
from gia.reducer.tracking import ANYTHING


class Left(NamedTuple):
    """The edges, by number, that needed paths take, and the locations that they come to."""

    edges: frozenset[int]
    locations: frozenset[int]


def left_of(program: Program, flow: Flow, needed: set[Node], points: Points) -> Left:
    """What needed paths pass."""
    left = {edge.number for name in flow.left_alone for edge in program.functions[name].edges}
    leaving = {place: edges for f in program.functions.values() for place, edges in f.leaving.items()}
    unrestricted: list[int] = []
    for node in needed:
        if node.state == ANYTHING:
            unrestricted.append(node.location)
        elif node.passed or node.location not in points.before:
            followed = flow.nodes[node]
            for edge in leaving[node.location]:
                leads = [target for (key, _), target in followed.leads.items() if key == edge.number]
                if edge.number not in followed.decisions:
                    places = {edge.target}
                    if isinstance(edge.operation, Call) and edge.operation.function in program.functions:
                        places.add(program.functions[edge.operation.function].entry)
                    leads = [target for target in followed.unobserved if target.location in places]
                if not needed.isdisjoint(leads):
                    left.add(edge.number)
    edges, locations = _reachable_from(program, leaving, unrestricted)
    return Left(frozenset(left | edges), frozenset(locations | {node.location for node in needed}))


def _reachable_from(
    program: Program, leaving: dict[int, tuple[Edge, ...]], starts: list[int]
) -> tuple[set[int], set[int]]:
    """The edges and locations of paths from these locations, whoever has called the functions that they are in."""
    found: set[int] = set()
    calls: dict[str, list[int]] = {}
    for edge in program.edge_list:
        if isinstance(edge.operation, Call) and edge.operation.function in program.functions:
            calls.setdefault(edge.operation.function, []).append(edge.target)
    seen, pending = set(starts), list(starts)
    while pending:
        place = pending.pop()
        following = []
        for edge in leaving[place]:
            found.add(edge.number)
            following.append(edge.target)
            if isinstance(edge.operation, Call) and edge.operation.function in program.functions:
                following.append(program.functions[edge.operation.function].entry)
            elif isinstance(edge.operation, Return):
                following += calls.get(program.function_of_location[place], [])
        for target in following:
            if target not in seen:
                seen.add(target)
                pending.append(target)
    return found, seen
