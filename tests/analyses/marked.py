"""Programs whose branches say what should be proven: ``if (...) ... // never`` or ``// may be``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.model import Automaton
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.checker import certify
from gia.frontend import load
from gia.verdict import GoalStatus

HEAD = """extern int __VERIFIER_nondet_int(void);
#include <stdlib.h>
#include <string.h>
#define MORE __VERIFIER_nondet_int()
"""


NEVER, MAYBE = "// never", "// may be"


def prove_what_is_marked(text: str, run: Callable[[ActorRequest], Automaton], folder: Path) -> None:
    """The marked branches that are never taken are proven, certifiably, and the others are not."""
    source = folder / "program.c"
    source.write_text(HEAD + text)
    loaded = load(source, data_model=DataModel.LP64)
    lines = (HEAD + text).splitlines()

    def prove(mark: str, seconds: float) -> frozenset[str]:
        goals = [goal for goal in goals_of(loaded.program, Criterion.BRANCHES) if _is_marked(goal, lines, mark)]
        deadline = monotonic() + seconds
        found = run(ActorRequest(loaded, tuple(goals), initial_gia(loaded.program, goals), deadline, folder))
        status = goal_status(loaded.program, found, goals)
        proven = [goal for goal in goals if status[goal.id] is GoalStatus.UNREACHABLE]
        certified = certify(loaded.program, found, proven, deadline=monotonic() + 60).certified
        assert certified == {goal.id for goal in proven}
        missing = {goal.id for goal in goals} - certified
        return missing if mark == NEVER else certified

    assert not prove(NEVER, 60)
    assert not prove(MAYBE, 1)


def _is_marked(goal: Goal, lines: list[str], mark: str) -> bool:
    line = lines[goal.line - 1]
    return goal.id.endswith(":then") and line[goal.column - 1 :].startswith("if") and line.endswith(mark)
