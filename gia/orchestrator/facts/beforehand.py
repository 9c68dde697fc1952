"""What is known before anybody is asked, from the graph alone."""

from __future__ import annotations

from gia.automaton.initial import excluding_gia
from gia.cfa.hiding import hidden
from gia.cfa.impossible import is_impossible, never_taken
from gia.orchestrator.facts.knowledge import CALL_GRAPH, CONTROL_FLOW, Knowledge, Proof, claimed_goals, nothing_known
from gia.orchestrator.facts.task import Task


def known_beforehand(task: Task, deadline: float) -> Knowledge:
    """The goals to which no call leads, and those that constants exclude; ``deadline`` is a ``time.monotonic``."""
    proofs = (_never_called(task, deadline), _never_taken(task))
    return nothing_known(task).extended(proofs=[proof for proof in proofs if proof.claimed])


def _never_called(task: Task, deadline: float) -> Proof:
    claimed = claimed_goals(task, task.initial)
    certified = claimed
    if claimed:
        from gia.checker import certify  # noqa: PLC0415 - it loads a solver, and most programs do not need it here

        goals = [goal for goal in task.goals if goal.id in claimed]
        certified = certify(task.program, task.initial, goals, deadline=deadline).certified
    return Proof(task.initial, claimed, certified, CALL_GRAPH, CALL_GRAPH)


def _never_taken(task: Task) -> Proof:
    """The checker certifies such goals for the same reason, without a solver."""
    program = task.program
    never = program.derived(never_taken) if hidden(program) is None else frozenset[int]()
    claimed = frozenset(goal.id for goal in task.goals if goal.edges <= never)
    automaton = excluding_gia(program, (edge.number for edge in program.edge_list if is_impossible(edge)))
    return Proof(automaton, claimed, claimed, CONTROL_FLOW, CONTROL_FLOW)
