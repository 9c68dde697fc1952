"""Partition refinement: the coarsest partition of states that looks the same along the arcs.

Source: the signature refinement of Kanellakis & Smolka (Information and Computation 86, 1990) with
Hopcroft's rule that the largest part of a split block keeps its number, so that a state is looked at
again at most logarithmically often for each of its arcs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

Neighbours = Sequence[Sequence[tuple[int, int]]]
"""For each state the pairs (label, neighbour)."""


def coarsest_partition(
    colours: Sequence[int],
    ahead: Neighbours,
    behind: Neighbours,
    normalise: Callable[[list[tuple[int, int]]], Hashable] | None = None,
) -> list[int]:
    """The colour of each state in the coarsest stable refinement of the partition ``colours``.

    Stable: states of one colour have the same set of pairs (label, colour of the neighbour ahead).
    ``behind`` is the inverse of ``ahead``. ``normalise`` maps the sorted pairs of a state to what is
    compared instead; pairs that have a neighbour's new colour must stay recognisable in it.

    Which states share a colour depends on nothing but labels, initial colours and arcs; the numbers of the colours
    depend on the numbers of the states as well.
    """
    colour = list(colours)
    blocks: dict[int, set[int]] = {}
    for state, found in enumerate(colour):
        blocks.setdefault(found, set()).add(state)
    fresh = max(blocks, default=-1) + 1
    touched: set[int] = set(range(len(colour)))
    while touched:
        by_colour: dict[int, dict[Hashable, list[int]]] = {}
        for state in touched:
            if len(blocks[colour[state]]) == 1:
                continue  # a hub, maybe: states that very many arcs lead to are mostly the only ones of their kind
            pairs = sorted({(label, colour[neighbour]) for label, neighbour in ahead[state]})
            signature = tuple(pairs) if normalise is None else normalise(pairs)
            by_colour.setdefault(colour[state], {}).setdefault(signature, []).append(state)
        moved: list[int] = []
        for old in sorted(by_colour):
            for part in _parts_to_move(blocks[old], by_colour[old]):
                for state in part:
                    colour[state] = fresh
                blocks[old].difference_update(part)
                blocks[fresh] = set(part)
                fresh += 1
                moved.extend(part)
        touched = {source for state in moved for _, source in behind[state]}
    return colour


def _parts_to_move(block: set[int], parts: dict[Hashable, list[int]]) -> list[list[int]]:
    """The parts of the block that get new colours: all but a largest one.

    The states of the block that ``parts`` does not mention are a part of their own: none of their
    neighbours changed its colour, so they still look alike, and unlike all that did see a change.
    """
    found = list(parts.values())
    rest = len(block) - sum(len(part) for part in found)
    largest = max(range(len(found)), key=lambda index: (len(found[index]), -index))
    if rest < len(found[largest]):
        keep = found.pop(largest)
        if rest:
            known = set(keep).union(*found)
            found.append([state for state in block if state not in known])
    return found
