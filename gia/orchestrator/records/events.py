"""What the engine tells whoever watches a run: plain values, in the order in which things happen."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from gia.orchestrator.facts.task import Task
from gia.orchestrator.records.step import StepRecord
from gia.verdict import StopReason


class RunStarted(Struct, frozen=True):
    """A run begins; ``seconds`` is its whole time."""

    task: Task
    composition: str
    seconds: float


class StepStarted(Struct, frozen=True):
    """An actor begins to work; ``seconds`` is its time."""

    step: StepRecord
    seconds: float


class StepEnded(Struct, frozen=True):
    """An actor has ended and what it wrote is examined; ``repeated`` says that a resumed run did not ask again."""

    step: StepRecord
    repeated: bool = False


class GoalsDecided(Struct, frozen=True):
    """How many goals are covered, unreachable and open now."""

    covered: int
    unreachable: int
    open: int


class Remark(Struct, frozen=True):
    """Something that a person should know: a warning of the front end, a lie of an actor."""

    text: str


class RunStopped(Struct, frozen=True):
    """The run is over."""

    reason: StopReason


Event = RunStarted | StepStarted | StepEnded | GoalsDecided | Remark | RunStopped


class Observer(Protocol):
    """Somebody who watches. Called under the engine's lock: it must be quick and must not raise."""

    def __call__(self, event: Event) -> None:
        """Takes note of the event."""


def nobody(event: Event) -> None:
    """An observer that does not look."""
