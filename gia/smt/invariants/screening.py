"""Which of many formulas have a model under what is known: asked together while that is easy, else in small groups.

A group that has no model is a lemma for those that follow. Formulas about one block are given in the order of its
paths, so that each is asked when those before it are settled: where a disjunction of all is far too hard, each of them
is often a small step (incremental lemmas as in A. Bradley & Z. Manna, *Checking safety by inductive generalization of
counterexamples to induction*, FMCAD 2007, section 2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import Generic, TypeVar

from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.control_graph import N
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, disjunction, negation

K = TypeVar("K")

TOGETHER_SECONDS = 2.0
"""How long all formulas are tried together at most, and the share of the time left that this may take."""

TOGETHER_SHARE = 0.1

LEAST_SECONDS = 0.05
"""A group may take so long in any case; else twice as long as so many formulas took so far that have no model."""


def _none(keys: Sequence[K]) -> Iterable[K]:
    return ()


class Screening(Generic[K, N]):
    """One pass over formulas by their keys: :attr:`left` are not looked at yet, :attr:`failed` may have a model.

    ``met`` is told which of the formulas hold in a model that the solver has (it may still be asked for values), and
    ``given_up`` which ones the solver does not decide; both return keys that need not be asked for any more.
    """

    def __init__(
        self,
        solver: BlockSolver[N],
        known: Sequence[Term],
        formulas: Mapping[K, Term],
        met: Callable[[Sequence[K]], Iterable[K]] = _none,
        given_up: Callable[[Sequence[K]], Iterable[K]] = _none,
    ) -> None:
        self.left = dict(formulas)
        self.failed: list[K] = []
        self._solver = solver
        self._known = list(known)
        self._met = met
        self._given_up = given_up
        self._excluded = 0
        self._spent = 0.0
        """The seconds in which so many formulas were found to have no model."""

    def run(self) -> None:
        """Ask until nothing is left; raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`.

        It can be run again.
        """
        most = size = len(self.left)
        while self.left:
            chosen = list(islice(self.left, size))
            begun = monotonic()
            answer = self._ask(chosen)
            if answer is Result.UNSAT:
                self._excluded += len(chosen)
                self._spent += monotonic() - begun
                self._known += [negation(self.left.pop(key)) for key in chosen]
                size = min(2 * size, most)
                continue
            hit = [key for key, term in self.left.items() if self._solver.value(term)] if answer is Result.SAT else []
            if hit:
                self._fail(hit, self._met(hit))
            elif len(chosen) == 1 or answer is Result.SAT:
                self._fail(chosen, self._given_up(chosen))
            else:
                most, size = max(1, len(chosen) // 2), 1

    def _ask(self, chosen: Sequence[K]) -> Result:
        seconds = float("inf")
        if len(chosen) > 1 and self._excluded:
            seconds = max(LEAST_SECONDS, 2 * len(chosen) * self._spent / self._excluded)
        elif len(chosen) > 1:
            seconds = min(TOGETHER_SECONDS, TOGETHER_SHARE * self._solver.seconds_left)
        return self._solver.ask([*self._known, disjunction(*(self.left[key] for key in chosen))], seconds)

    def _fail(self, keys: Sequence[K], others: Iterable[K]) -> None:
        self.failed += keys
        for key in (*keys, *others):
            self.left.pop(key, None)
