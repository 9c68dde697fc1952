"""What a computation of inductive invariants (:mod:`.induction`) says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic

from msgspec import Struct

from gia.cfa.expressions import Expression
from gia.smt.invariants.control_graph import ArcKey, N


class Counterexample(Struct, Generic[N], frozen=True):
    """Why a claim does not hold: an execution of the block from ``start`` takes the arc.

    ``start`` is ``None`` for the block from the program's start. ``values`` are the values of integer variables at the
    start of the block, as text, by name. ``summarised``: only a contract is known of some
    calls.
    """

    start: N | None
    arc: ArcKey[N]
    values: tuple[tuple[str, str], ...] = ()
    summarised: bool = False


class Fixpoint(Struct, Generic[N], frozen=True):
    """The result: what holds at each cut point that may be reached, and what became of each claim.

    ``invariants`` has the reached cut points only. A claim in ``proven`` is infeasible in every execution; one in
    ``refuted`` may be feasible as far as the invariants tell; ``undecided`` ones made the solver give up. Of a goal's
    edge that some claim about it lost, the other claims may be missing. ``interrupted``: there was no time for some of
    the undecided ones.
    """

    invariants: Mapping[N, tuple[Expression, ...]]
    proven: frozenset[ArcKey[N]]
    refuted: Mapping[ArcKey[N], Counterexample[N]]
    undecided: frozenset[ArcKey[N]]
    interrupted: bool = False

    @staticmethod
    def nothing() -> Fixpoint[N]:
        """What is known before any computation."""
        return Fixpoint({}, frozenset(), {}, frozenset())
