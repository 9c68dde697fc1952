"""What the branches of a portfolio tell each other while they run.

They look for the same: what one has found spares the others their work. Whoever begins a step starts from all that is
known by then; a running actor of gia finds the goals that others have decided meanwhile in a file of its folder.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gia.orchestrator.facts.knowledge import Decision, Knowledge
from gia.orchestrator.handover.invocation import Call
from gia.orchestrator.store import write_whole
from gia.verdict import Trust


def is_certain(decision: Decision) -> bool:
    """Whether running actors are told of it."""
    return decision.trust in (Trust.EXECUTED, Trust.CERTIFIED)


class Listener:
    """A step in which an actor of gia runs or has run, and what it was given.

    ``reached`` are the goals that tests reach which it had written down before it ended. ``was_told``: of something.
    ``examining`` is held by who looks at what it has written.
    """

    def __init__(self, call: Call, given: Knowledge) -> None:
        self.call = call
        self.reached: frozenset[str] = frozenset()
        self.was_told = False
        self.examining = threading.Lock()
        self._given = given
        self._told: list[str] = []
        self._read = 0

    def tell(self, known: Knowledge) -> None:
        """Name what others have decided by now, but for bare claims, which a test may still refute.

        Where that is impossible (a full disk), the actor works more than it has to.
        """
        left = [goal.id for goal in self._given.open_goals if goal.id not in self.reached]
        decided = [goal for goal in left if is_certain(known.decisions[goal])]
        if decided == self._told:
            return
        self._told, self.was_told = decided, True
        with suppress(OSError):
            write_whole(self.call.beside.decided, "\n".join(decided).encode())

    def has_news(self) -> bool:
        """Whether it has written something since this was asked last."""
        before = self._read
        with suppress(OSError):
            self._read = self.call.product().stat().st_mtime_ns
        return self._read != before


class Portfolio:
    """The facts of all branches of one portfolio. Several threads may use it."""

    def __init__(self, start: Knowledge) -> None:
        self._known = start
        self._listeners: dict[Path, Listener] = {}
        self._running: list[Listener] = []
        self._lock = threading.RLock()

    @property
    def known(self) -> Knowledge:
        """All that is known by now."""
        with self._lock:
            return self._known

    def extended(self, extend: Callable[[Knowledge], Knowledge]) -> tuple[Knowledge, Knowledge]:
        """All that was known, and what ``extend`` makes of it by adding facts: that is known from now on."""
        with self._lock:
            before = self._known
            self._known = extend(before)
            if self._known is not before:
                for step in self._running:
                    step.tell(self._known)
            return before, self._known

    def joined(self, found: Knowledge) -> Knowledge:
        """All that is known, with what a branch knows."""
        _, known = self.extended(lambda known: known.joined([found]))
        return known

    def listener(self, call: Call) -> Listener | None:
        """The step of a call, if an actor of gia runs or has run in it."""
        with self._lock:
            return self._listeners.get(call.folder)

    @property
    def testers(self) -> list[Listener]:
        """The testers that are running."""
        with self._lock:
            return [step for step in self._running if step.call.actor.description.direction == "UA"]

    @contextmanager
    def running(self, call: Call, given: Knowledge) -> Iterator[None]:
        """While an actor of gia runs that started from what was ``given``, it is told of what others decide."""
        step = Listener(call, given)
        with self._lock:
            self._listeners[call.folder] = step
            self._running.append(step)
            step.tell(self._known)
        try:
            yield
        finally:
            with self._lock:
                self._running.remove(step)
            with suppress(OSError):
                call.beside.decided.unlink(missing_ok=True)
