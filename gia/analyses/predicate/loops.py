"""Why a path is infeasible, whether it goes round in its loops or not: invariants of the loops through its cut points.

A loop then needs no counterexample for each of its rounds. The blocks between the cut points of the path and those of
the loops around them are a program; facts at its cut points are kept as far as they are inductive in it, bit-precisely
(C. Flanagan & K. Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001), and of these what is needed to
exclude the claim. They are conditions and comparisons of the program, and what Spacer finds.

Deviation from D. Beyer, T. Henzinger, R. Majumdar & A. Rybalchenko, *Path invariants*, PLDI 2007: there, a loop belongs
to the program of a path if the path goes round in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gia.analyses.predicate.atoms import atoms_at
from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.horn_sources import Segment, solutions
from gia.analyses.predicate.paths import Explanation, InfeasiblePath, following, smallest
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, negation

LOOP_SECONDS: Final = 1.0
"""The most that one question to Spacer may take: loops are often too much for it."""
MOST_CUTS: Final = 40
"""Programs with more cut points than this are left to the other sources."""

Facts = Mapping[Node, list[Expression]]


def loop_invariants(path: InfeasiblePath) -> Explanation | None:
    """Invariants of the path with all loops through its cut points; ``None`` if it has no loop, or none are found."""
    cuts = _with_loops(path)
    question = (frozenset(cuts), path.claim)
    if not cuts or question in path.blocks.unanswered:
        return None
    segments = list(segments_between(path, cuts))
    for proposed in _proposals(path, cuts, segments):
        facts = needed_of(path.blocks, segments, _inductive(path.blocks, segments, proposed))
        if facts is not None:
            return Explanation([list(facts[cut]) for cut in path.cuts], facts)
    path.blocks.unanswered.add(question)
    return None


def _with_loops(path: InfeasiblePath) -> list[Node]:
    """The cut points of the path and those of the loops through them; empty without loops."""
    following_: dict[Node, frozenset[Node]] = {}

    def reachable(start: Node) -> frozenset[Node]:
        if start not in following_:
            found: set[Node] = set()
            pending = [start]
            while pending:
                new = [cut for cut in path.blocks.block(pending.pop()).exits if cut not in found]
                found.update(new)
                pending += new
            following_[start] = frozenset(found)
        return following_[start]

    if len(path.blocks.cuts) > MOST_CUTS:
        return []
    passed = dict.fromkeys(path.cuts)
    looping = [cut for cut in passed if cut in reachable(cut)]
    around = [cut for cut in path.blocks.cuts if any(cut in reachable(p) and p in reachable(cut) for p in looping)]
    return list(dict.fromkeys((*passed, *around))) if looping else []


def segments_between(path: InfeasiblePath, cuts: Sequence[Node]) -> Iterator[Segment]:
    """All blocks between these cut points, and to the claim."""
    inside = frozenset(cuts)
    for start in (None, *cuts):
        block = path.blocks.block(start)
        for target in block.exits:
            if target in inside:
                yield Segment(start, target, start, target)
        if path.claim in block.guards:
            yield Segment(start, path.claim, start, None)


def _proposals(path: InfeasiblePath, cuts: Sequence[Node], segments: Sequence[Segment]) -> Iterator[Facts]:
    """What may be invariant, the cheap first."""
    yield atoms_at(path.blocks, cuts)
    from gia.smt.solvers.horn import Arithmetic, Strategy  # noqa: PLC0415 - Z3 takes time to load

    strategies = (
        Strategy(Arithmetic.INTEGERS),
        Strategy(Arithmetic.INTEGERS, guided=True),
        Strategy(Arithmetic.BOUNDED_INTEGERS, guided=True),
        Strategy(Arithmetic.BIT_VECTORS),
    )
    for solution in solutions(path, segments, strategies, LOOP_SECONDS):
        yield {cut: solution.get(cut, []) for cut in cuts}


def _premises(blocks: Blocks, segment: Segment, known: Sequence[Expression]) -> list[Term]:
    """The facts where a block starts, and that it leads on."""
    terms = [] if segment.start is None else [blocks.at_start(segment.start, e) for e in known]
    return [*terms, blocks.guard(segment.start, segment.target)]


def _inductive(blocks: Blocks, segments: Sequence[Segment], proposed: Facts) -> Facts:
    """The largest part of the facts that is inductive for the segments."""
    kept = {cut: [] if blocks.is_unknown(cut) else list(dict.fromkeys(facts)) for cut, facts in proposed.items()}
    changed = True
    while changed:
        changed = False
        for segment in segments:
            cut = segment.target
            if isinstance(cut, Node) and kept[cut]:
                premises = _premises(blocks, segment, kept[segment.start] if segment.start is not None else ())
                left = following(blocks, segment.start, cut, premises, kept[cut])
                changed |= len(left) < len(kept[cut])
                kept[cut] = left
    return kept


def needed_of(blocks: Blocks, segments: Sequence[Segment], facts: Facts) -> Facts | None:
    """A part of the inductive facts that is inductive too and excludes the claim; ``None`` if all of them do not."""
    needed: dict[Node, list[Expression]] = {cut: [] for cut in facts}
    pending: list[tuple[Segment, Expression | None]] = [(s, None) for s in segments if s.head is None]
    while pending:
        segment, conclusion = pending.pop()
        start, cut = segment.start, segment.target
        refuted = []
        if conclusion is not None:
            assert isinstance(cut, Node)
            refuted = [negation(blocks.at_exit(start, cut, conclusion))]

        def suffices(
            kept: Sequence[Expression], segment: Segment = segment, also: Sequence[Term] = tuple(refuted)
        ) -> bool:
            return blocks.ask(segment.start, [*_premises(blocks, segment, kept), *also]) is Result.UNSAT

        known = needed[start] if start is not None else []
        if suffices(known):
            continue
        if start is None or not suffices(facts[start]):
            return None
        new = [e for e in smallest([*known, *(e for e in facts[start] if e not in known)], suffices) if e not in known]
        needed[start] += new
        pending += [(before, fact) for before in segments if before.target == start for fact in new]
    return needed
