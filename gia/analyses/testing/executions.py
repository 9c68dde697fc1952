"""What an execution of a program shows."""

from __future__ import annotations

from collections.abc import Mapping

from gia.cfa.goals import Goal
from gia.native import Execution, InputEvent, Outcome


def reached_by(execution: Execution, goals: Mapping[str, Goal]) -> tuple[str, ...]:
    """The ids of those of ``goals`` that an execution has reached."""
    return tuple(name for name, goal in goals.items() if not goal.edges.isdisjoint(execution.covered_edges))


def inputs_until(execution: Execution, goals: Mapping[str, Goal]) -> int | None:
    """How many inputs a traced execution has read when the last of ``goals`` is reached first; ``None`` if not all are.

    A goal that reading an input reaches is reached after that input.
    """
    missing = set(goals)
    names: dict[int, list[str]] = {}
    for name, goal in goals.items():
        for edge in goal.edges:
            names.setdefault(edge, []).append(name)
    read = 0
    for event in execution.events:
        read += isinstance(event, InputEvent)
        if event.edge in names:
            missing.difference_update(names.pop(event.edge))
            if not missing:
                return read
    return None


def timed_out(execution: Execution) -> bool:
    """Whether the execution was ended because it took too long."""
    return execution.outcome in (Outcome.TIMEOUT, Outcome.OUTPUT_LIMIT, Outcome.INPUT_LIMIT)
