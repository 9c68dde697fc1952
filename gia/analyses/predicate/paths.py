"""Infeasible paths, and which facts at their cut points are a proof that no execution follows them.

The facts at a cut point follow from those at the one before, and those at the last one exclude the claim: T. Henzinger,
R. Jhala, R. Majumdar & K. McMillan, *Abstractions from proofs*, POPL 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from msgspec import Struct

from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.cfa.expressions import Expression, IntegerConstant
from gia.cfa.supergraph import Node
from gia.cfa.types import INT
from gia.smt.invariants.control_graph import ArcKey
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, conjunction, negation

_NEVER: Final = IntegerConstant(0, INT)
"""What holds at cut points that the beginning of a path does not reach."""

Facts = list[list[Expression]]
"""For each cut point of a path, in its order, what is proposed or known there."""


class Explanation(NamedTuple):
    """Why a path is infeasible: ``facts`` at its cut points exclude it.

    ``loops``, if there are any, are inductive for all blocks between their cut points, among which are those of the
    path, and exclude the claim wherever these lead.
    """

    facts: Facts
    loops: Mapping[Node, Sequence[Expression]] = MappingProxyType({})


class InfeasiblePath(Struct, frozen=True):
    """A path through ``cuts`` that takes the arc of ``claim`` at its end, and that no execution follows."""

    blocks: Blocks
    counterexamples: Counterexamples
    cuts: tuple[Node, ...]
    claim: ArcKey[Node]

    @property
    def starts(self) -> tuple[Node | None, ...]:
        """The starts of its blocks."""
        return (None, *self.cuts)

    @property
    def targets(self) -> tuple[Node | ArcKey[Node], ...]:
        """Where its blocks lead."""
        return (*self.cuts, self.claim)

    def premises(self, index: int, facts: Sequence[Expression]) -> list[Term]:
        """The facts where block ``index`` starts, and that it leads on along the path."""
        start = self.starts[index]
        known = [] if start is None else [self.blocks.at_start(start, fact) for fact in facts]
        return [*known, self.blocks.guard(start, self.targets[index])]


def selected(path: InfeasiblePath, facts: Facts) -> Facts | None:
    """A smallest part of the facts that excludes the path; ``None`` if all of them do not."""
    facts = _holding(path, facts)
    chosen: Facts = [[] for _ in path.cuts]
    needed: list[Expression] = []
    for index in range(len(path.cuts), -1, -1):
        start = path.starts[index]
        available = [] if index == 0 else list(dict.fromkeys((*facts[index - 1], _NEVER)))
        if index < len(path.cuts):
            if path.blocks.is_unknown(path.cuts[index]) and needed:
                return None
            refuted = negation(conjunction(*(path.blocks.at_exit(start, path.cuts[index], e) for e in needed)))
            if refuted.is_false:  # nothing is needed any more
                break
            conclusion = [refuted]
        else:
            conclusion = []

        def suffices(kept: Sequence[Expression], index: int = index, also: Sequence[Term] = conclusion) -> bool:
            question = [*path.premises(index, kept), *also]
            return path.blocks.ask(path.starts[index], question) is Result.UNSAT

        if not suffices(available):
            return None
        needed = smallest(available, suffices)
        if index:
            chosen[index - 1] = needed
    return [[fact for fact in known if fact != _NEVER] for known in chosen]


def smallest(items: list[Expression], suffices: Callable[[Sequence[Expression]], bool]) -> list[Expression]:
    """A part that suffices and of which nothing can be left out, dropping larger pieces first and later items first."""
    size = max(1, len(items) // 2)
    while items:
        position = len(items)
        while position > 0:
            fewer = items[: max(0, position - size)] + items[position:]
            if suffices(fewer):
                items = fewer
            position -= size
        if size == 1:
            break
        size = max(1, size // 2)
    return items


def _holding(path: InfeasiblePath, facts: Facts) -> Facts:
    """Those of the facts that follow from the beginning of the path, from one cut point to the next."""
    kept: Facts = []
    for index, (cut, proposed) in enumerate(zip(path.cuts, facts, strict=True)):
        before = kept[-1] if kept else []
        known = [] if path.blocks.is_unknown(cut) else list(dict.fromkeys(proposed))
        premises = path.premises(index, before)
        kept.append(following(path.blocks, path.starts[index], cut, premises, known))
    return kept


def following(
    blocks: Blocks, start: Node | None, cut: Node, premises: Sequence[Term], proposed: list[Expression]
) -> list[Expression]:
    """Those of the proposed facts that follow at ``cut`` where the block ends: models drop the others."""
    terms = {e: blocks.at_exit(start, cut, e) for e in proposed}
    kept = proposed
    while kept:
        answer = blocks.ask(start, [*premises, negation(conjunction(*(terms[e] for e in kept)))])
        if answer is not Result.SAT:
            return kept if answer is Result.UNSAT else []
        kept = [e for e in kept if blocks.value(start, terms[e])]
    return kept
