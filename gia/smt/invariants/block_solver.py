"""A block with the solver that is asked about it.

All that may take long checks the deadline, so that a computation ends soon after it, wherever it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from time import monotonic
from typing import Generic

from gia.cfa.expressions import Dereference, Expression, Subscript, walk
from gia.cfa.quantified import is_quantified
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState
from gia.smt.invariants.blocks import Block, Skeleton, Use
from gia.smt.invariants.control_graph import N, OutOfTimeError, check_deadline
from gia.smt.invariants.histories import History
from gia.smt.invariants.instances import NUMBER, indices_in, indices_of, with_number, written_indices
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import Term, conjunction, distinct, equal, implication, negation


class BlockSolver(Generic[N]):
    """A block, those before it, their solver, and the terms made for them so far.

    Every method raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError` after ``deadline``, which its
    user sets.
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
        self._conditions: dict[tuple[int, N, Expression, int], Term] = {}
        self._indices: dict[Term, None] | None = None
        self._numbered: dict[tuple[int, Term], SymbolicState] = {}

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - monotonic())

    def ask(self, assumptions: Sequence[Term], seconds: float = float("inf")) -> Result:
        """Ask the solver, within the time for one query and the deadline."""
        left = self.deadline - monotonic()
        if left <= 0:
            raise OutOfTimeError
        return self._solver.check(assumptions, min(left, self._query_seconds, seconds))

    def core(self) -> frozenset[Term]:
        """Assumptions of the last query that cannot hold together, as far as the solver says which."""
        return self._solver.core()

    def premises(self, invariants: Mapping[N, Collection[Expression]]) -> dict[Term, tuple[N, Expression] | None]:
        """What is known in the block, with the invariant that says so.

        Invariants hold at its start, and at the end of each call that is summarised by a contract; a call whose end is
        not reached does not return, which no single invariant says (``None``).
        """
        found: dict[Term, tuple[N, Expression] | None] = {}
        start = self.block.start
        if start is not None:
            for expression in sorted(invariants[start], key=is_quantified):
                found.setdefault(self.condition(None, expression), (start, expression))
        for use in self.block.uses:
            if use.contract not in invariants:
                found[negation(use.returned)] = None
                continue
            for expression in invariants[use.contract]:
                term = implication(use.returned, self.condition_after(use, expression))
                found.setdefault(term, (use.contract, expression))
        return found

    def value(self, term: Term) -> int:
        """The value of a term in the model of the last query."""
        check_deadline(self.deadline)
        return self._solver.value(term)

    def condition(self, cut: N | None, expression: Expression) -> Term:
        r"""The expression as a term at an exit of the block, or at its start (``None``).

        What is quantified (:mod:`gia.cfa.quantified`) is to be proven at an exit: it speaks of one arbitrary number
        there. Elsewhere it is known: it says what it says about some numbers.
        """
        if cut is None:
            return self.condition_before(self.block, expression)
        return self._condition(expression, self.block.exits[cut], cut, known=False)

    def cases(self, cut: N, expression: Expression) -> Mapping[Term, Term]:
        """A quantified expression at an exit of the block, case by case: each under its condition.

        One case for each index that was written on the way, where much becomes equal, and one for the other numbers.
        """
        state = self.block.exits[cut]
        context = self._shape.graph.place(cut).context
        found: dict[Term, Term] = {}
        others: list[Term] = []
        for number in written_indices(state):
            with_written = self._encoder.condition(expression, self._with_number(state, number), context)
            found[equal(NUMBER, number)] = with_written
            others.append(distinct(NUMBER, number))
        found[conjunction(*others)] = self.condition(cut, expression)
        return found

    def condition_before(self, block: Block[N], expression: Expression) -> Term:
        """The expression as a term at the start of this or an earlier block, one from a cut point."""
        assert block.start is not None
        return self._condition(expression, block.initial, block.start, known=True)

    def condition_after(self, use: Use[N], expression: Expression) -> Term:
        """The expression as a term at the end of a call that is summarised."""
        return self._condition(expression, use.end, use.contract, known=True)

    def start_value(self, reference: Expression) -> Term:
        """The value of an expression at the start of the block, one from a cut point."""
        check_deadline(self.deadline)
        assert self.block.start is not None
        context = self._shape.graph.place(self.block.start).context
        return self._encoder.evaluate(reference, self.block.initial, context)

    def _condition(self, expression: Expression, state: SymbolicState, node: N, *, known: bool) -> Term:
        plain = self._conditions.get((id(state), node, expression, 0))
        if plain is not None:
            return plain
        quantified = is_quantified(expression)
        numbers = (NUMBER, *(self._read_indices() if known else ())) if quantified else ()
        key = (id(state), node, expression, len(numbers))
        found = self._conditions.get(key)
        if found is None:
            check_deadline(self.deadline)
            context = self._shape.graph.place(node).context
            states = [self._with_number(state, number) for number in numbers] if quantified else [state]
            conditions = [self._encoder.condition(expression, each, context) for each in states]
            found = self._conditions[key] = conjunction(*conditions)
            if known and not quantified and _reads_memory(expression):  # more is worth knowing of such elements
                self._read_indices().update(dict.fromkeys(indices_in(conditions)))
        return found

    def _read_indices(self) -> dict[Term, None]:
        """The indices at which arrays are read by the block, by those before it, and by what is known of them."""
        if self._indices is None:
            blocks = (self.block, *(past.block for past in self.past))
            self._indices = dict.fromkeys(indices_of(blocks))
        return self._indices

    def _with_number(self, state: SymbolicState, number: Term) -> SymbolicState:
        key = (id(state), number)
        if key not in self._numbered:
            self._numbered[key] = with_number(state, number)
        return self._numbered[key]


def _reads_memory(expression: Expression) -> bool:
    """Whether an expression has an element of an array, or what a pointer points to."""
    return any(isinstance(part, Subscript | Dereference) for part in walk(expression))
