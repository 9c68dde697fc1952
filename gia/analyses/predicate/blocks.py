"""Questions about the blocks of a program: one incremental solver for each block, with everything already proven."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from time import monotonic

from msgspec import Struct, field

from gia.analyses.proving.candidates.equations import equations
from gia.analyses.proving.points import Point, point_at
from gia.analyses.proving.proof import Proof
from gia.analyses.proving.sampling import draw_samples
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.smt.invariants.blocks import Block
from gia.smt.invariants.control_graph import ArcKey, OutOfTimeError
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import Term, negation

SAMPLING_SHARE = 0.05
"""The share of the time that random executions may take."""
MOST_SAMPLES = 60
"""So many different samples are drawn for each cut point."""
QUERY_SECONDS = 3.0
"""The most that one question may take."""


class _Prepared(Struct):
    """A block, its solver, and the terms made for it so far."""

    block: Block[Node]
    solver: Solver
    known: list[Term]
    conditions: dict[tuple[Node | None, Expression], Term] = field(default_factory=dict)


class Blocks:
    """The blocks of a proof's skeleton. What the proof has excluded and its invariants hold in every answer."""

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        self.deadline = proof.deadline
        self.cuts = proof.shape.cuts
        self._prepared: dict[Node | None, _Prepared] = {}
        self._points: dict[Node, Point] = {}
        self.queries = 0
        self.unanswered: set[Hashable] = set()
        """Questions for predicates that a source could not answer: it need not be asked again."""
        self.in_modes: dict[bool, Mapping[Node, list[Expression]]] = {}
        """What holds in the modes of the program at the cut points, without counters and with them."""

    @cached_property
    def equations(self) -> Mapping[Node, tuple[Expression, ...]]:
        """Linear equations between variables that hold at the cut points in random executions."""
        proof = self.proof
        places = {cut: proof.integers(cut) for cut in self.cuts}
        now = monotonic()
        deadline = now + SAMPLING_SHARE * max(0.0, self.deadline - now)
        seed = proof.request.seed
        samples = draw_samples(proof.induction, places, seed=seed, most=MOST_SAMPLES, deadline=deadline)
        return {cut: tuple(equations(places[cut], list(found))) for cut, found in samples.values.items()}

    def block(self, start: Node | None) -> Block[Node]:
        """The block from a cut point, in an arbitrary state, or from the program's start (``None``)."""
        return self._prepare(start).block

    def known(self, start: Node | None) -> Sequence[Term]:
        """What is proven already about the executions of a block."""
        return tuple(self._prepare(start).known)

    def point(self, cut: Node) -> Point:
        """The integer variables that formulas at a cut point can speak about."""
        if cut not in self._points:
            self._points[cut] = point_at(self.proof.induction, self.proof.supergraph, cut, self.deadline)
        return self._points[cut]

    def is_unknown(self, cut: Node) -> bool:
        """Whether any state is possible at a cut point, because an unknown call leads there."""
        return cut in self.proof.shape.unknown

    def at_start(self, start: Node, expression: Expression) -> Term:
        """An expression where a block starts."""
        return self._condition(start, None, expression)

    def at_exit(self, start: Node | None, cut: Node, expression: Expression) -> Term:
        """An expression where a block reaches a cut point."""
        return self._condition(start, cut, expression)

    def guard(self, start: Node | None, target: Node | ArcKey[Node]) -> Term:
        """The condition under which a block reaches a cut point, or takes the arc of a claim."""
        block = self.block(start)
        return block.guards[target] if isinstance(target, ArcKey) else block.exits[target].guard

    def ask(self, start: Node | None, assumptions: Sequence[Term]) -> Result:
        """Whether an execution of a block satisfies the assumptions. Raises :class:`OutOfTimeError`."""
        prepared = self._prepare(start)
        left = self.deadline - monotonic()
        if left <= 0:
            raise OutOfTimeError
        asked = [*prepared.known, *assumptions]
        if any(term.is_false for term in asked):
            return Result.UNSAT
        self.queries += 1
        return prepared.solver.check(asked, min(left, QUERY_SECONDS))

    def value(self, start: Node | None, term: Term) -> int:
        """The value of a term in the model of the last question about a block."""
        return self._prepare(start).solver.value(term)

    def implies(self, start: Node | None, premises: Sequence[Term], conclusion: Term) -> bool:
        """Whether the conclusion certainly follows."""
        return conclusion.is_true or self.ask(start, [*premises, negation(conclusion)]) is Result.UNSAT

    def _prepare(self, start: Node | None) -> _Prepared:
        found = self._prepared.get(start)
        if found is None:
            proof = self.proof
            block = proof.induction.block(start, self.deadline)
            known = [negation(guard) for claim, guard in block.guards.items() if claim in proof.excluded]
            if start is not None:
                encoder = proof.induction.encoder
                invariants = proof.invariants.get(start, ())
                known += [encoder.condition(e, block.initial, start.context) for e in invariants]
            found = self._prepared[start] = _Prepared(block, make_solver(), known)
        return found

    def _condition(self, start: Node | None, cut: Node | None, expression: Expression) -> Term:
        prepared = self._prepare(start)
        key = (cut, expression)
        if key not in prepared.conditions:
            node = start if cut is None else cut
            assert node is not None
            state = prepared.block.initial if cut is None else prepared.block.exits[cut]
            encoder = self.proof.induction.encoder
            prepared.conditions[key] = encoder.condition(expression, state, node.context)
        return prepared.conditions[key]
