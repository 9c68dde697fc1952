"""What can be reached in a graph that is given by its neighbours."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def closure(starts: Iterable[T], neighbours: Mapping[T, Iterable[T]]) -> set[T]:
    """The ``starts`` and all that they lead to; what ``neighbours`` lacks leads nowhere."""
    found = set(starts)
    pending = list(found)
    while pending:
        for neighbour in neighbours.get(pending.pop(), ()):
            if neighbour not in found:
                found.add(neighbour)
                pending.append(neighbour)
    return found
