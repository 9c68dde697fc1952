"""The region automaton: invariants at cut points and the goals that they exclude, as a GIA that a checker can follow.

One state for each call context, one for each cut point with an invariant, and one accepting ``ut`` state that the
excluded edges lead into. Source: Haltermann & Wehrheim, SoSyM 2024, section 5 (abstract reachability graphs as GIA),
with all nodes of one context merged that carry no invariant.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gia.analyses.proving.runs import Arrival, Guide, run_automaton
from gia.automaton.model import Acceptance, Automaton
from gia.cfa.expressions import Expression
from gia.cfa.graph import Program
from gia.cfa.supergraph import Node
from gia.smt.invariants.blocks import Skeleton
from gia.smt.invariants.control_graph import ArcKey


def region_automaton(
    program: Program,
    shape: Skeleton[Node],
    invariants: Mapping[Node, Sequence[Expression]],
    excluded: Collection[int],
    undecided: Collection[int] = (),
) -> Automaton:
    """The automaton that claims the edges ``excluded`` to be infeasible, everywhere, because of ``invariants``.

    Cut points without invariants, and those that are missing in ``invariants``, have no state of their own. The edges
    ``undecided`` lead to candidates.
    """

    def arrive(place: None, cut: Node) -> Arrival[None]:
        return Arrival(place, invariants.get(cut, ()))

    def take(_: None, claim: ArcKey[Node]) -> Acceptance | None:
        if claim.edge in excluded:
            return Acceptance.UT
        return Acceptance.CAND if claim.edge in undecided else None

    return run_automaton(program, shape, Guide(None, arrive, take))
