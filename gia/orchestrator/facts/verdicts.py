"""The outcome of a run as DESIGN §7 defines it, from what is known."""

from __future__ import annotations

from gia.orchestrator.facts.knowledge import Knowledge
from gia.verdict import GoalStatus, Trust, Verdict


def verdict_of(knowledge: Knowledge) -> Verdict:
    """``false`` only by an executed test, ``true`` only if every error goal is certified unreachable.

    Coverage is complete if every goal is decided.
    """
    decisions = knowledge.decisions.values()
    if not knowledge.task.criterion.is_verification:
        return Verdict.INCOMPLETE if knowledge.open_goals else Verdict.COMPLETE
    if any(decision.status is GoalStatus.COVERED for decision in decisions):
        return Verdict.FALSE
    if all(decision.trust is Trust.CERTIFIED for decision in decisions):
        return Verdict.TRUE
    return Verdict.UNKNOWN


def is_settled(knowledge: Knowledge) -> bool:
    """Whether nothing that could still be found out would change the outcome."""
    return not knowledge.open_goals or verdict_of(knowledge) is Verdict.FALSE
