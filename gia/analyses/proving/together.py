"""Goals that hold together: their claims are tried as if nothing were executed behind their edges.

When testers have reached what can be reached, all that is left open is unreachable, and what lies behind it is so, too.
A program without all that is often a small one. If every claim about such goals is infeasible there, none of them can
be executed at all: an execution that takes one is, up to the first one, an execution of the smaller program.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from gia.analyses.proving.proof import NODE_LIMIT, Candidates, Proof
from gia.cfa.goals import Goal
from gia.cfa.supergraph import Node
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.invariants.blocks import Skeleton, skeleton
from gia.smt.invariants.control_graph import ArcKind, EndingGraph, OutOfTimeError
from gia.smt.invariants.fixpoint import Fixpoint
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver

_SHARE = 0.35
"""The share of the time left that this may take."""
_TRIALS = 10
"""How often goals are tried; those that do not hold are left out the next time."""


def prove_together(proof: Proof, candidates: Candidates) -> None:
    """Prove as many open goals as hold together, with invariants among the candidates and those that are known.

    Nothing happens if that takes too long, or if nothing is executed behind the goals anyway.
    """
    end = monotonic() + _SHARE * max(0.0, proof.deadline - monotonic())
    goals = proof.open_goals if _goes_on(proof.shape) else []
    for _ in range(_TRIALS):
        if not goals:
            return
        try:
            shape, found = _before(proof, goals, candidates, end)
        except OutOfTimeError:
            return
        holding = [goal for goal in goals if _holds(goal, shape, found)]
        if len(holding) == len(goals):
            proof.adopt(found, frozenset(shape.cuts), goals)
            return
        goals = holding


def _goes_on(shape: Skeleton[Node]) -> bool:
    """Whether something that matters is executed behind a goal."""
    leaving = (arc for arcs in shape.arcs.values() for arc in arcs if arc.edge.number in shape.goals)
    return any(arc.kind is ArcKind.STEP and arc.leads_into(shape.arcs) for arc in leaving)


def _before(
    proof: Proof, goals: Sequence[Goal], candidates: Candidates, deadline: float
) -> tuple[Skeleton[Node], Fixpoint[Node]]:
    """What holds in the program that ends at the goals, with the same cut points."""
    edges = frozenset(number for goal in goals for number in goal.edges)
    cuts = frozenset(proof.shape.cuts)
    shape = skeleton(
        proof.program,
        EndingGraph(proof.shape.graph, lambda _, arc: arc.edge.number in edges),
        edges,
        required=cuts.__contains__,
        limit=NODE_LIMIT,
        deadline=deadline,
    )
    encoder = Encoder(proof.program, Mode.OVER)
    proof.encoders.append(encoder)
    together = {cut: (*proof.invariants.get(cut, ()), *candidates.get(cut, ())) for cut in shape.cuts}
    return shape, Induction(shape, encoder, make_solver).fixpoint(together, shape.claims, deadline)


def _holds(goal: Goal, shape: Skeleton[Node], found: Fixpoint[Node]) -> bool:
    return all(found.proven.issuperset(shape.claims_on.get(edge, ())) for edge in goal.edges)
