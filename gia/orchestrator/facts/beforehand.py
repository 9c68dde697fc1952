"""What is known before anybody is asked, from the graph alone."""

from __future__ import annotations

from gia.automaton.initial import excluding_gia
from gia.cfa.hiding import hidden
from gia.cfa.impossible import is_impossible, never_taken
from gia.orchestrator.facts.knowledge import CALL_GRAPH, CONTROL_FLOW, Knowledge, Proof, claimed_goals, nothing_known
from gia.orchestrator.facts.task import Task


def known_beforehand(task: Task, deadline: float) -> Knowledge:
    """The goals to which no call leads, and those that constants exclude; ``deadline`` is a ``time.monotonic``."""
    never = _never_taken(task)
    proofs = (_by_calls(task, never, deadline), _by_constants(task, never))
    return nothing_known(task).extended(proofs=[proof for proof in proofs if proof.claimed])


def _never_taken(task: Task) -> frozenset[str]:
    """The goals that the checker certifies without a solver."""
    if hidden(task.program) is not None:
        return frozenset()
    never = task.program.derived(never_taken)
    return frozenset(goal.id for goal in task.goals if goal.edges <= never)


def _by_calls(task: Task, never: frozenset[str], deadline: float) -> Proof:
    claimed = claimed_goals(task, task.initial)
    certified, left = claimed & never, claimed - never
    if left:
        from gia.checker import certify  # noqa: PLC0415 - it loads a solver, and most programs do not need it here

        goals = [goal for goal in task.goals if goal.id in left]
        certified |= certify(task.program, task.initial, goals, deadline=deadline).certified
    return Proof(task.initial, claimed, certified, CALL_GRAPH, CALL_GRAPH)


def _by_constants(task: Task, never: frozenset[str]) -> Proof:
    impossible = (edge.number for edge in task.program.edge_list if is_impossible(edge))
    return Proof(excluding_gia(task.program, impossible), never, never, CONTROL_FLOW, CONTROL_FLOW)
