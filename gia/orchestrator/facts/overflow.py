"""Whether a verdict ``false`` rests on signed overflow, of which C does not say what it does."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Final

from gia.errors import GiaError
from gia.native.overflow import overflow_before
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.task import kept_builds
from gia.orchestrator.facts.verdicts import verdict_of
from gia.verdict import Verdict

SECONDS: Final = 10.0
"""How long is looked for overflows at the end of a run, at most."""


def note_on_overflow(knowledge: Knowledge, directory: Path, deadline: float) -> str | None:
    """What is to be said of a verdict ``false`` if the first test that reaches an error overflows before.

    A folder is made in ``directory``. Nothing is said if that cannot be found out before the deadline.
    """
    if verdict_of(knowledge) is not Verdict.FALSE:
        return None
    task = knowledge.task
    test = next(test for test in knowledge.tests if test.reached)
    goals = frozenset(edge for goal in task.goals if goal.id in test.reached for edge in goal.edges)
    values = [value for _, value in test.case.inputs]
    deadline = min(deadline, monotonic() + SECONDS)
    own = directory / "overflow"
    own.mkdir()
    try:
        found = overflow_before(goals, task.loaded, values, own, deadline=deadline, cache=kept_builds())
    except GiaError:
        return None
    if found is None:
        return None
    place = f" (after {found.after.file}:{found.after.line})" if found.after else ""
    return f"the error is reached after a signed overflow{place}: here it wraps around, C leaves undefined what happens"
