"""Places for the states of a drawing: layers from left to right.

Source: the layered drawing of Sugiyama, Tagawa & Toda (IEEE SMC 1981): layers by the longest path from the
initial state, arcs that close cycles set aside; an arc over several layers gets a bend in each layer between;
order inside of a layer by the mean position of the neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

Arc = tuple[int, int]

_SWEEPS = 12


class Layout(Struct, frozen=True):
    """``layers`` hold states and, as negative numbers, bends; ``bends`` are those of each arc that has some."""

    layers: tuple[tuple[int, ...], ...]
    bends: Mapping[Arc, tuple[int, ...]]


def layout_of(states: Sequence[int], arcs: Iterable[Arc], initial: int) -> Layout:
    """The states in layers, the initial one in the first, with few crossings of arcs."""
    distinct = [arc for arc in dict.fromkeys(arcs) if arc[0] != arc[1]]
    depth = _depths(states, distinct, initial)
    layers: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for state in states:
        layers[depth[state]].append(state)
    near: dict[int, list[int]] = {state: [] for state in states}
    bends: dict[Arc, tuple[int, ...]] = {}
    count = 0
    for source, target in distinct:
        between = range(depth[source] + 1, depth[target])
        names = tuple(-count - number for number in range(1, len(between) + 1))
        count += len(names)
        for name, layer in zip(names, between, strict=True):
            layers[layer].append(name)
            near[name] = []
        if names:
            bends[source, target] = names
        chain = (source, *names, target)
        for first, second in pairwise(chain):
            near[first].append(second)
            near[second].append(first)
    for sweep in range(_SWEEPS):
        _sweep(layers, near, backwards=sweep % 2 == 1)
    return Layout(tuple(tuple(layer) for layer in layers), bends)


def _depths(states: Sequence[int], arcs: Iterable[Arc], initial: int) -> dict[int, int]:
    """The length of the longest path to each state along the arcs that close no cycle."""
    ahead: dict[int, list[int]] = {state: [] for state in states}
    for source, target in arcs:
        ahead[source].append(target)
    depth = dict.fromkeys(states, 0)
    order = _topological_order([initial, *states], ahead)
    position = {state: index for index, state in enumerate(order)}
    for state in order:
        for target in ahead[state]:
            if position[target] > position[state]:
                depth[target] = max(depth[target], depth[state] + 1)
    return depth


def _topological_order(starts: Iterable[int], ahead: Mapping[int, Sequence[int]]) -> list[int]:
    """The states such that only arcs that close a cycle of a depth-first search lead backwards."""
    finished: list[int] = []
    seen: set[int] = set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        pending = [(start, iter(ahead[start]))]
        while pending:
            state, targets = pending[-1]
            target = next((target for target in targets if target not in seen), None)
            if target is None:
                finished.append(state)
                pending.pop()
            else:
                seen.add(target)
                pending.append((target, iter(ahead[target])))
    return finished[::-1]


def _sweep(ordered: list[list[int]], near: Mapping[int, Sequence[int]], backwards: bool) -> None:
    """Sorts each layer by the mean height of its states' neighbours in the layer visited before."""
    height: dict[int, float] = {}
    for layer in reversed(ordered) if backwards else ordered:
        own = _heights(layer)
        mean = {}
        for state in layer:
            known = [height[other] for other in near[state] if other in height]
            mean[state] = sum(known) / len(known) if known else own[state]
        order = {state: (mean[state], own[state]) for state in layer}
        layer.sort(key=order.__getitem__)
        height = _heights(layer)


def _heights(layer: Sequence[int]) -> dict[int, float]:
    """The position of each state, from the middle of the layer."""
    return {state: index - (len(layer) - 1) / 2 for index, state in enumerate(layer)}
