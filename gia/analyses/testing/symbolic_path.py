"""What a symbolic replay has found out: a path, the decisions on it, and what else could have happened there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from gia.cfa.graph import Edge
from gia.cfa.supergraph import Node
from gia.native import Execution, ResultEvent
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState
from gia.smt.terms import Term, variables_of


class Alternative(Struct, frozen=True):
    """An edge that a path could have taken at a decision: if ``condition`` holds."""

    edge: int
    condition: Term
    target: Node


class Decision(Struct, frozen=True):
    """A place where a path depends on its inputs: it goes on because ``condition`` holds, which has ``variables``.

    ``key`` stands for the decisions before this one. Without ``others`` it is an assumption that cannot be negated (an
    access is in bounds, say).
    """

    taken: int
    condition: Term
    variables: tuple[Term, ...]
    others: tuple[Alternative, ...]
    key: int


class Snapshot(NamedTuple):
    """Where a replay was before a decision: after so many branches and results of the trace and so many edges."""

    decisions: int
    branches: int
    results: int
    edges: int
    node: Node
    state: SymbolicState
    known: frozenset[int]
    key: int


class SymbolicPath(Struct, frozen=True, dict=True):
    """What a replay has found out.

    ``variables`` are the terms of the inputs in the order in which they are read. ``diverged`` is the edge at which the
    execution did what the formulas exclude, and the replay ended. ``edges`` is the length of the path. It ``is_whole``
    if it was followed to where the program ends, or to where nothing follows that is still of interest.
    """

    execution: Execution
    encoder: Encoder
    branches: tuple[int, ...]
    results: tuple[ResultEvent, ...]
    decisions: tuple[Decision, ...]
    snapshots: tuple[Snapshot, ...]
    variables: tuple[Term, ...]
    edges: int
    is_whole: bool
    pruned: int = 0
    diverged: Edge | None = None

    def axioms_about(self, variables: Iterable[Term]) -> list[Term]:
        """What holds in any case for variables that are no inputs."""
        others = set(variables).difference(self.variables)
        return [axiom for axiom in self.encoder.axioms if not others.isdisjoint(variables_of(axiom))] if others else []

    @cached_property
    def occurrences(self) -> dict[Term, list[int]]:
        """For each variable the positions of the decisions whose conditions it is in, ascending."""
        found: dict[Term, list[int]] = {}
        for position, decision in enumerate(self.decisions):
            for variable in decision.variables:
                found.setdefault(variable, []).append(position)
        return found

    def before(self, position: int) -> Snapshot:
        """The last snapshot before a decision."""
        return self.snapshots[bisect_right(self.snapshots, position, key=lambda snapshot: snapshot.decisions) - 1]
