"""When a step may end before its time: what its actor has written so far decides all that is open.

An actor knows what was known when it began. In a portfolio, others find more meanwhile: a tool of somebody else cannot
know that the goal that it still looks for is decided. A prover of gia is told (:mod:`.portfolio`), but looks at it only
between its stages; and nobody is told of bare claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Final

from msgspec import Struct

from gia.errors import GiaError
from gia.exchange.gia_xml import read_gia
from gia.exchange.suites.reading_tests import tests_of
from gia.orchestrator.facts.knowledge import Decision, Knowledge, claimed_goals
from gia.orchestrator.facts.replay import goals_promised
from gia.orchestrator.facts.task import Task
from gia.orchestrator.handover.invocation import Call
from gia.orchestrator.processes.meanwhile import meanwhile
from gia.orchestrator.processes.process import Cancellation
from gia.verdict import GoalStatus

SECONDS: Final = 0.2
"""Seconds between two looks."""

SHARE: Final = 0.1
"""The share of the time that looking may take."""


class Watch(Struct, frozen=True):
    """The actor of ``call``, what it was ``given``, and what is ``known_by_now``.

    ``knows`` says of which decisions of others it knows by itself.
    """

    call: Call
    given: Knowledge
    known_by_now: Callable[[], Knowledge]
    knows: Callable[[Decision], bool]

    def until(self, switch: Cancellation, over: Event) -> None:
        """Look again and again, and throw the switch when the actor has written enough."""
        seen, pause = (0, 0), SECONDS
        while not over.wait(pause):
            known, written = self.known_by_now(), _written(self.call)
            if written is None or not self._has_news(known):
                continue
            left = {goal.id for goal in self.given.open_goals if known.decisions[goal.id].status is GoalStatus.OPEN}
            state = written.stat().st_mtime_ns, len(left)
            if state == seen:
                continue
            begun, seen = monotonic(), state
            if left <= _claimed(self.given.task, written):
                switch.throw()
                return
            pause = max(SECONDS, (monotonic() - begun) / SHARE)

    def _has_news(self, known: Knowledge) -> bool:
        """Whether a goal of the actor is decided, and it does not know that."""
        decisions = (known.decisions[goal.id] for goal in self.given.open_goals)
        return any(decision.status is not GoalStatus.OPEN and not self.knows(decision) for decision in decisions)


@contextmanager
def thrown_when_enough(watch: Watch) -> Iterator[Cancellation]:
    """A switch that is thrown when what an actor has written claims all of its goals that are still open.

    That is looked at as soon as one is decided and the actor does not know that. What it claims is examined when it has
    ended; a claim that does not hold leaves its goal open.
    """
    with Cancellation() as switch, meanwhile(partial(watch.until, switch), "gia-enough"):
        yield switch


def _written(call: Call) -> Path | None:
    """The automaton that the actor has written, if it writes one."""
    paths = (
        path for product in call.actor.description.produces if product.type == "gia" for path in call.files(product)
    )
    return next(paths, None)


def _claimed(task: Task, written: Path) -> frozenset[str]:
    """The goals that are claimed to be reached or unreachable; none if that cannot be read."""
    try:
        automaton = read_gia(written)
        reached = (goals_promised(task, test) for test in tests_of(automaton, task.program))
        return claimed_goals(task, automaton).union(*reached)
    except (GiaError, OSError):
        return frozenset()
