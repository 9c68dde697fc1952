"""What a built-in actor is asked to do, and the signature that all of them share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct, field

from gia.automaton.model import Automaton
from gia.cache import FolderCache
from gia.cfa.goals import Goal
from gia.errors import InputError, Position
from gia.exchange.obstacles import unmodelled_line

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram


def report_nothing(message: str) -> None:
    """The reporter of a caller that wants no progress messages."""


def flush_nothing() -> None:
    """For a caller that holds nothing back."""


class Others:
    """Those who work on the same task at the same time: nobody, for a caller that runs nothing beside the actor."""

    def at_work(self) -> bool:
        """Whether they run on cores of their own: to end early helps nobody then."""
        return False

    def decided(self) -> frozenset[str]:
        """The goals that they have decided since the request was made; cheap enough to be asked often."""
        return frozenset()

    def waiting(self) -> float | None:
        """The seconds for which somebody waits for the core of this actor; ``None`` if nobody does."""
        return None

    def give_way(self, until: float) -> None:
        """Let them have the core; returns when they need it no longer, or at a :func:`time.monotonic`."""


def publish_nothing(found: Callable[[], Automaton]) -> bool:
    """The publisher of a caller that waits for the end."""
    return True


class ActorRequest(Struct, frozen=True):
    """One run of an actor on one task.

    ``gia`` is what is known so far; the goals that it leaves open are the actor's work. ``deadline``
    is a value of :func:`time.monotonic`; an actor returns before it with what it has found.
    ``options`` come from the actor's description and the composition. ``directory`` exists, is
    writable and is the actor's own. Two runs with the same ``seed`` that are not stopped by the
    deadline give the same answer. ``report`` takes one line of progress for people; it must be cheap.
    ``publish`` may be called whenever there is something new: it writes down what ``found()`` returns, a correct answer
    so far, for the case that the actor is killed. It returns whether it did: not if it did so only just now.
    ``flush`` writes down what ``publish`` has held back: before what cannot be interrupted. ``builds`` is where
    compiled programs are kept. ``one_suffices``: when one goal is reached, nobody needs to know of the others.
    ``others`` are those who work on the task at the same time: what they decide need not be looked at any more.
    """

    loaded: LoadedProgram
    goals: tuple[Goal, ...]
    gia: Automaton
    deadline: float
    directory: Path
    options: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0
    report: Callable[[str], None] = report_nothing
    publish: Callable[[Callable[[], Automaton]], bool] = publish_nothing
    flush: Callable[[], None] = flush_nothing
    builds: FolderCache | None = None
    one_suffices: bool = False
    others: Others = field(default_factory=Others)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(0.0, self.deadline - monotonic())


def whole_number(request: ActorRequest, option: str, default: int) -> int:
    """The value of an option that is a whole number ≥ 1; :class:`InputError` for anything else."""
    text = request.options.get(option, str(default))
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"the option {option} must be a whole number of at least 1, not {text!r}")
    return int(text)


def search_deadline(request: ActorRequest) -> float:
    """When an actor should end its search, so that it can still put together what it has found."""
    left = request.seconds_left
    return request.deadline - min(1.0, 0.1 * left)


def report_unmodelled(request: ActorRequest, found: Iterable[tuple[Position, str]]) -> None:
    """Say which constructs (where, and what) were not followed exactly."""
    for position, reason in sorted(set(found)):
        request.report(unmodelled_line(position, reason))


ActorFunction = Callable[[ActorRequest], Automaton]
"""A built-in actor: returns what it has found out as a GIA (it need not repeat what ``request.gia`` says).

Soundness (DESIGN §2): an actor of direction ``UA`` returns a correct ``rt`` set and no ``ut``
state, one of direction ``OA`` the mirror image.
"""
