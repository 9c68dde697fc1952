"""A block with the solver that is asked about it.

All that may take long checks the deadline, so that a computation ends soon after it, wherever it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Generic

from gia.cfa.expressions import Expression
from gia.smt.blocks import Block, Skeleton, Use
from gia.smt.control_graph import N, OutOfTimeError, check_deadline
from gia.smt.encoder import Encoder
from gia.smt.histories import History
from gia.smt.solver import Result, Solver
from gia.smt.state import SymbolicState
from gia.smt.terms import Term


class BlockSolver(Generic[N]):
    """A block, those before it, their solver, and the terms made for them so far.

    Every method raises :class:`~gia.smt.control_graph.OutOfTimeError` after ``deadline``, which its user sets.
    """

    def __init__(
        self, shape: Skeleton[N], encoder: Encoder, history: History[N], solver: Solver, query_seconds: float
    ) -> None:
        self.block = history.block
        self.past = history.past
        self.deadline = float("inf")
        self._shape = shape
        self._encoder = encoder
        self._solver = solver
        self._query_seconds = query_seconds
        self._conditions: dict[tuple[int, N, Expression], Term] = {}

    def ask(self, assumptions: Sequence[Term], seconds: float = float("inf")) -> Result:
        """Ask the solver, within the time for one query and the deadline."""
        left = self.deadline - monotonic()
        if left <= 0:
            raise OutOfTimeError
        if any(term.is_false for term in assumptions):
            return Result.UNSAT
        return self._solver.check(assumptions, min(left, self._query_seconds, seconds))

    def value(self, term: Term) -> int:
        """The value of a term in the model of the last query."""
        check_deadline(self.deadline)
        return self._solver.value(term)

    def condition(self, cut: N | None, expression: Expression) -> Term:
        """The expression as a term at an exit of the block, or at its start (``None``)."""
        if cut is None:
            return self.condition_before(self.block, expression)
        return self._condition(expression, self.block.exits[cut], cut)

    def condition_before(self, block: Block[N], expression: Expression) -> Term:
        """The expression as a term at the start of this or an earlier block, one from a cut point."""
        assert block.start is not None
        return self._condition(expression, block.initial, block.start)

    def condition_after(self, use: Use[N], expression: Expression) -> Term:
        """The expression as a term at the end of a call that is summarised."""
        return self._condition(expression, use.end, use.contract)

    def start_value(self, reference: Expression) -> Term:
        """The value of an expression at the start of the block, one from a cut point."""
        check_deadline(self.deadline)
        assert self.block.start is not None
        context = self._shape.graph.place(self.block.start).context
        return self._encoder.evaluate(reference, self.block.initial, context)

    def _condition(self, expression: Expression, state: SymbolicState, node: N) -> Term:
        key = (id(state), node, expression)
        found = self._conditions.get(key)
        if found is None:
            check_deadline(self.deadline)
            context = self._shape.graph.place(node).context
            found = self._conditions[key] = self._encoder.condition(expression, state, context)
        return found
