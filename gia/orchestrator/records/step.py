"""The life of a step, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from gia.errors import InternalError
from gia.exchange.obstacles import Obstacles


class StepState(StrEnum):
    """Where in its life a step is; the values of the last four are what ``result.json`` says."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "ok"
    FAILED = "failed"
    TIMED_OUT = "timeout"
    CANCELLED = "cancelled"


class StepEvent(StrEnum):
    """What can happen to a step."""

    START = "start"
    ENDED = "ended"
    BROKE = "broke"
    TIME_UP = "time up"
    CANCEL = "cancel"


LIFE: Final[Mapping[tuple[StepState, StepEvent], StepState]] = MappingProxyType(
    {
        (StepState.PENDING, StepEvent.START): StepState.RUNNING,
        (StepState.PENDING, StepEvent.CANCEL): StepState.CANCELLED,
        (StepState.RUNNING, StepEvent.ENDED): StepState.DONE,
        (StepState.RUNNING, StepEvent.BROKE): StepState.FAILED,
        (StepState.RUNNING, StepEvent.TIME_UP): StepState.TIMED_OUT,
        (StepState.RUNNING, StepEvent.CANCEL): StepState.CANCELLED,
    }
)
"""All transitions: from the other four states, none leads on."""


def advance(state: StepState, event: StepEvent) -> StepState:
    """The state after the event; an event that cannot happen there is a bug of the engine."""
    following = LIFE.get((state, event))
    if following is None:
        raise InternalError(f"a step that is {state.name.lower()} cannot see the event {event.value!r}")
    return following


class StepRecord(Struct, frozen=True):
    """One step of a run. ``place`` is its name in the journal: where in the composition, in which rounds.

    ``wall`` and ``cpu`` are seconds, ``memory`` bytes; ``new_rt`` and ``new_ut`` count the goals that it decided.
    ``remarks`` are for people: why it failed, what was dropped. ``cached``: its products are those of an earlier step.
    ``obstacles`` is what its output says about what stood in the way.
    ``isolation`` says how its processes were limited, empty if there were none.
    """

    number: int
    place: str
    actor: str
    direction: str
    round: int
    state: StepState = StepState.PENDING
    wall: float = 0.0
    cpu: float = 0.0
    memory: int = 0
    new_rt: int = 0
    new_ut: int = 0
    remarks: tuple[str, ...] = ()
    cached: bool = False
    obstacles: Obstacles = field(default_factory=Obstacles)
    isolation: str = ""

    @property
    def folder(self) -> str:
        """The name of the folder with the files of the step."""
        return f"{self.number:03d}-{self.actor}"
