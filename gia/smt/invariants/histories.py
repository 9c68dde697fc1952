"""Blocks with what happened before them: the states at a cut point that some sequence of earlier blocks leads to.

Source: M. Sheeran, S. Singh & G. Stålmarck, *Checking safety properties using induction and a SAT-solver*, FMCAD 2000
(k-induction), on cut points and large blocks: a state at a cut point is looked at together with the ``depth`` blocks
that were executed before it, or with all of them if there are fewer. Which predecessors they are is left to the
solver, by one Boolean variable for each choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic

from msgspec import Struct

from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState, merge
from gia.smt.invariants.blocks import Block, Skeleton, block_behind, block_from, first_block
from gia.smt.invariants.control_graph import N, check_deadline
from gia.smt.terms import TRUE, Term, bool_variable, conjunction, disjunction, negation


class Past(Struct, Generic[N], frozen=True):
    """One of the blocks before: it was executed if ``chosen`` holds."""

    chosen: Term
    block: Block[N]


class History(Struct, Generic[N], frozen=True):
    """A block and all that may have been executed before it."""

    block: Block[N]
    past: tuple[Past[N], ...] = ()


class Histories(Generic[N]):
    """The blocks of a skeleton with the blocks before them; each is made once."""

    def __init__(self, shape: Skeleton[N], encoder: Encoder) -> None:
        self.shape = shape
        self.encoder = encoder
        self._predecessors: Mapping[N, list[N | None]] | None = None
        self._made: dict[tuple[N | None, int], History[N]] = {}

    def of(self, start: N | None, depth: int, deadline: float) -> History[N]:
        """The block from a cut point (``None``: the program's start) behind ``depth`` others.

        Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`.
        """
        key = (start, 0 if start is None else depth)
        if key not in self._made:
            check_deadline(deadline)
            self._made[key] = self._make(start, key[1], deadline)
        return self._made[key]

    def _make(self, start: N | None, depth: int, deadline: float) -> History[N]:
        if start is None:
            return History(first_block(self.shape, self.encoder, deadline))
        if depth == 0 or start in self.shape.unknown:  # what an unknown call has done is not in the state
            return History(block_from(self.shape, self.encoder, start, deadline))
        state: SymbolicState | None = None
        past: dict[int, Past[N]] = {}
        others: list[Term] = []
        before = self._before(start, deadline)
        for number, previous in enumerate(before):
            known = self.of(previous, depth - 1, deadline)
            if start not in known.block.exits:
                continue
            choice = bool_variable(f"before{self.shape.cuts.index(start)}.{depth}.{number}")
            chosen = conjunction(*others, choice)
            others.append(negation(choice))
            entering = known.block.exits[start]
            entering = entering.with_guard(conjunction(entering.guard, chosen))
            state = entering if state is None else merge(state, entering)
            for found in (*known.past, Past(TRUE, known.block)):
                way = conjunction(found.chosen, chosen)
                same = past.get(id(found.block))
                past[id(found.block)] = Past(disjunction(same.chosen, way) if same else way, found.block)
        if state is None:  # no block leads here
            return History(block_from(self.shape, self.encoder, start, deadline))
        return History(block_behind(self.shape, self.encoder, start, state, deadline), tuple(past.values()))

    def _before(self, cut: N, deadline: float) -> list[N | None]:
        """The starts of the blocks that lead to a cut point."""
        if self._predecessors is None:
            found: dict[N, list[N | None]] = {}
            for start in (None, *self.shape.cuts):
                for reached in self.of(start, 0, deadline).block.exits:
                    found.setdefault(reached, []).append(start)
            self._predecessors = found
        return self._predecessors.get(cut, [])
