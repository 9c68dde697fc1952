"""What is known about a goal and a task, how far it can be trusted, and why something stopped."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class GoalStatus(StrEnum):
    """What is known about one goal."""

    COVERED = "covered"
    UNREACHABLE = "unreachable"
    OPEN = "open"


class Verdict(StrEnum):
    """The outcome of a whole run: the first two for test generation, the next three for verification."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"
    ERROR = "error"


class Trust(StrEnum):
    """How far a claim can be trusted; a weaker one never overrides a stronger one."""

    CLAIMED = "claimed"
    """Somebody says so, without evidence."""
    CERTIFIED = "certified"
    """The checker accepted the evidence for ``ut``."""
    EXECUTED = "executed"
    """A test was run on the program and reached the goal."""


class StopKind(StrEnum):
    """Why a run, a cycle or an analysis stopped."""

    DECIDED = "every goal is decided"
    TIME = "time is used up"
    CPU = "CPU time is used up"
    MEMORY = "memory is used up"
    ROUNDS = "the number of rounds is used up"
    NO_PROGRESS = "a round brought nothing new"
    EXHAUSTED = "nothing is left to explore"
    CANCELLED = "cancelled"
    FAILED = "failed"


class StopReason(Struct, frozen=True):
    """Why something stopped, with the number that tripped it (seconds, bytes, rounds)."""

    kind: StopKind
    value: float | None = None
    detail: str = ""

    def __str__(self) -> str:
        number = "" if self.value is None else f" ({self.value:g})"
        return f"{self.kind.value}{number}{': ' + self.detail if self.detail else ''}"
