"""Which invariants the proof of some claims needs: an inductive validity core.

Source: E. Ghassabani, A. Gacek & M. Whalen, *Efficient generation of inductive validity cores for safety properties*,
FSE 2016 (IVC_UC): the unsatisfiable core of each step of the proof says which premises it needs; these are proven in
turn. Deviations: a step is the block between two cut points; what has no core, since the solver does not decide it in
one query (it is not asked about products of variables), needs all premises of its block. So the result need not be
minimal, and it is a proposal: what is left out may have been part of a proof that takes more than one query.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Generic

from gia.cfa.expressions import Expression
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.control_graph import ArcKey, N
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, disjunction, negation

Invariants = Mapping[N, Sequence[Expression]]

SECONDS = 1.0
"""So long one query may take."""


def needed_invariants(
    induction: Induction[N], invariants: Invariants[N], claims: Collection[ArcKey[N]], deadline: float
) -> dict[N, list[Expression]]:
    """A subset of inductive ``invariants`` that ``claims`` need to be infeasible, as far as the solver says.

    Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`.
    """
    asking = induction.with_solvers(partial(make_solver, cores=True))
    return _Search(asking, invariants, claims, deadline).result()


class _Search(Generic[N]):
    """One search: what is needed, and of that, what is still to be explained."""

    def __init__(
        self, induction: Induction[N], invariants: Invariants[N], claims: Collection[ArcKey[N]], deadline: float
    ) -> None:
        self._invariants = invariants
        self._claims = claims
        self._products = induction.products
        self._solvers = [induction.solver_of(start, deadline) for start in (None, *invariants)]
        self._needed: dict[N, dict[Expression, None]] = {cut: {} for cut in invariants}
        self._pending: dict[N, list[Expression]] = {}

    def result(self) -> dict[N, list[Expression]]:
        """Explain the claims, the cut points that are not reached, and then what that needs."""
        for solver in self._solvers:
            self._explain(solver, [], [guard for claim, guard in solver.block.guards.items() if claim in self._claims])
            unreached = [state.guard for cut, state in solver.block.exits.items() if cut not in self._invariants]
            self._explain(solver, self._excluded(solver), unreached)
        while self._pending:
            cut, wanted = self._pending.popitem()
            for solver in self._solvers:
                if cut in solver.block.exits:
                    known = [*self._excluded(solver), solver.block.exits[cut].guard]
                    self._explain(solver, known, [negation(solver.condition(cut, each)) for each in wanted])
        return {cut: [each for each in kept if each in self._needed[cut]] for cut, kept in self._invariants.items()}

    def _excluded(self, solver: BlockSolver[N]) -> list[Term]:
        """The claims about a block, which are known to be infeasible where its exits are looked at."""
        return [negation(guard) for claim, guard in solver.block.guards.items() if claim in self._claims]

    def _explain(self, solver: BlockSolver[N], known: Sequence[Term], formulas: Sequence[Term]) -> None:
        """Note what is needed so that none of the formulas can hold in the block."""
        if not formulas:
            return
        premises = solver.premises(self._invariants)
        linear = [term for term in (*premises, *known) if not self._products.is_nonlinear(term)]
        answer = Result.UNKNOWN
        if not any(map(self._products.is_nonlinear, formulas)):
            answer = solver.ask([*linear, disjunction(*formulas)], SECONDS)
        if answer is not Result.UNSAT and len(formulas) > 1:
            for formula in formulas:
                self._explain(solver, known, [formula])
            return
        core = solver.core() if answer is Result.UNSAT else premises
        for term, source in premises.items():
            if term in core and source is not None:
                self._need(*source)

    def _need(self, cut: N, expression: Expression) -> None:
        if expression not in self._needed[cut]:
            self._needed[cut][expression] = None
            self._pending.setdefault(cut, []).append(expression)
