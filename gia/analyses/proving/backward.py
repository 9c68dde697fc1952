"""Backwards through blocks: what must hold at a cut point so that something holds later, as expressions.

Source: E. W. Dijkstra, *Guarded commands, nondeterminacy and formal derivation of programs*, CACM 1975 (weakest
preconditions). Deviation: what depends on inputs or memory is left out of the guard, so that the condition may be
stronger than the weakest one; it is only a proposal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gia.analyses.proving.points import Point, conjuncts, point_at
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node, Supergraph
from gia.smt.encoding.to_expression import to_expression
from gia.smt.invariants.blocks import Block
from gia.smt.invariants.control_graph import ArcKey, check_deadline
from gia.smt.invariants.induction import Induction
from gia.smt.terms import Term, conjunction, implication, negation, variables_of

MOST = 200
"""So many conditions are kept for one cut point."""


class Backward:
    """Preconditions over the blocks of one skeleton."""

    def __init__(self, induction: Induction[Node], supergraph: Supergraph, deadline: float) -> None:
        self.induction = induction
        self.supergraph = supergraph
        self.deadline = deadline
        self._points: dict[Node, Point] = {}

    def point(self, cut: Node) -> Point:
        """The variables that conditions at a cut point speak about."""
        if cut not in self._points:
            self._points[cut] = point_at(self.induction, self.supergraph, cut, self.deadline)
        return self._points[cut]

    def avoiding(self, block: Block[Node], claim: ArcKey[Node]) -> Iterator[Expression]:
        """What at the start of a block keeps it from taking the arc of a claim."""
        if block.start is not None:
            leaves = self.point(block.start).leaves
            known = [part for part in conjuncts(block.guards[claim]) if _is_about(part, leaves)]
            yield from _expressions(negation(conjunction(*known)), leaves)

    def leaving(self, block: Block[Node], cut: Node) -> Iterator[Expression]:
        """What at the start of a block keeps it from reaching ``cut``."""
        if block.start is not None:
            leaves = self.point(block.start).leaves
            known = [part for part in conjuncts(block.exits[cut].guard) if _is_about(part, leaves)]
            yield from _expressions(negation(conjunction(*known)), leaves)

    def before(self, block: Block[Node], cut: Node, expression: Expression) -> Iterator[Expression]:
        """What at the start of a block makes the expression hold where the block reaches ``cut``."""
        if block.start is None:
            return
        leaves = self.point(block.start).leaves
        state = block.exits[cut]
        wanted = self.induction.encoder.condition(expression, state, cut.context)
        known = [part for part in conjuncts(state.guard) if _is_about(part, leaves)]
        for part in conjuncts(wanted):
            if _is_about(part, leaves):
                yield from _expressions(implication(conjunction(*known), part), leaves)

    def strengthened(
        self, seeds: Mapping[Node, Sequence[Expression]], claims: Iterable[ArcKey[Node]], steps: int
    ) -> dict[Node, tuple[Expression, ...]]:
        """The seeds, what avoids the claims, and what leads there over at most ``steps`` blocks.

        Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`.
        """
        wanted = list(claims)
        blocks = [self.induction.block(cut, self.deadline) for cut in self.induction.shape.cuts]
        found: dict[Node, dict[Expression, None]] = {cut: dict.fromkeys(known) for cut, known in seeds.items()}
        for block in blocks:
            for claim in wanted:
                if claim in block.guards and block.start is not None:
                    found.setdefault(block.start, {}).update(dict.fromkeys(self.avoiding(block, claim)))
        newest = {cut: list(known) for cut, known in found.items()}
        for _ in range(steps):
            following: dict[Node, list[Expression]] = {}
            for block in blocks:
                check_deadline(self.deadline)
                for cut in block.exits:
                    for expression in newest.get(cut, ()):
                        self._extend(found, following, block, cut, expression)
            newest = following
        return {cut: tuple(known) for cut, known in found.items()}

    def _extend(
        self,
        found: dict[Node, dict[Expression, None]],
        following: dict[Node, list[Expression]],
        block: Block[Node],
        cut: Node,
        expression: Expression,
    ) -> None:
        """Add the preconditions of one expression over one block that are new."""
        for condition in self.before(block, cut, expression):
            assert block.start is not None
            known = found.setdefault(block.start, {})
            if condition not in known and len(known) < MOST:
                known[condition] = None
                following.setdefault(block.start, []).append(condition)


def _is_about(term: Term, leaves: Mapping[Term, Expression]) -> bool:
    return all(variable in leaves for variable in variables_of(term))


def _expressions(term: Term, leaves: Mapping[Term, Expression]) -> Iterator[Expression]:
    """The parts of a conjunction that can be written as expressions and say something."""
    for part in conjuncts(term):
        expression = None if part.is_true or part.is_false else to_expression(part, leaves)
        if expression is not None:
            yield expression
