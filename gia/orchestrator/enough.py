"""When a step may end before its time: what its actor has written so far decides all that is open.

An actor knows what was known when it began. In a portfolio, others find more meanwhile: a tester cannot know that the
goal that it still looks for was proven unreachable, a prover not that its goal was reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

from gia.errors import GiaError
from gia.exchange.gia_xml import read_gia
from gia.exchange.suites.tests_gia import tests_of
from gia.orchestrator.facts.knowledge import Knowledge, claimed_goals
from gia.orchestrator.facts.replay import goals_promised
from gia.orchestrator.facts.task import Task
from gia.orchestrator.handover.invocation import Call
from gia.orchestrator.processes.process import Cancellation

SECONDS: Final = 0.2
"""Seconds between two looks."""

SHARE: Final = 0.1
"""The share of the time that looking may take."""


@contextmanager
def thrown_when_enough(
    call: Call, knowledge: Knowledge, still_open: Callable[[], frozenset[str]]
) -> Iterator[Cancellation]:
    """A switch that is thrown when what the actor of ``call`` has written claims all goals that are ``still_open``.

    That is looked at as soon as fewer goals are open than in the ``knowledge`` that it was given: before, it knows
    itself what is left. What it claims is examined when it has ended; a claim that does not hold leaves its goal open.
    """
    over = Event()
    with Cancellation() as switch:
        thread = Thread(target=_watch, args=(call, knowledge, still_open, switch, over), name="gia-enough", daemon=True)
        thread.start()
        try:
            yield switch
        finally:
            over.set()
            thread.join()


def _watch(
    call: Call, knowledge: Knowledge, still_open: Callable[[], frozenset[str]], switch: Cancellation, over: Event
) -> None:
    given, seen, pause = frozenset(goal.id for goal in knowledge.open_goals), (0, 0), SECONDS
    while not over.wait(pause):
        left, written = given & still_open(), _written(call)
        if left == given or written is None:
            continue
        state = written.stat().st_mtime_ns, len(left)
        if state == seen:
            continue
        begun, seen = monotonic(), state
        if left <= _claimed(knowledge.task, written):
            switch.throw()
            return
        pause = max(SECONDS, (monotonic() - begun) / SHARE)


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
