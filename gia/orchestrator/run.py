"""One run from beginning to end: the task, the composition, the directory, and whoever watches."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from gia.orchestrator.asking import CHECK_SECONDS, Asker, gives_way
from gia.orchestrator.description.composition import LoadedComposition, Totals
from gia.orchestrator.engine import Engine
from gia.orchestrator.facts.beforehand import known_beforehand
from gia.orchestrator.facts.overflow import note_on_overflow
from gia.orchestrator.facts.replay import Replayer
from gia.orchestrator.facts.task import Task
from gia.orchestrator.processes.executors import LocalExecutor
from gia.orchestrator.processes.job import Executor
from gia.orchestrator.processes.process import Cancellation
from gia.orchestrator.records import events
from gia.orchestrator.records.cache import StepCache
from gia.orchestrator.records.history import History, identity, read_history
from gia.orchestrator.records.journal import Journal
from gia.orchestrator.records.recorder import Recorder
from gia.orchestrator.records.result import Result
from gia.orchestrator.store import JOURNAL, open_run_directory
from gia.orchestrator.wiring import check_wiring
from gia.verdict import StopKind, StopReason

_DEFAULT_SECONDS: Final = 60.0


class RunOptions(Struct, frozen=True):
    """How a run is done: where results go, seconds of wall and CPU time, bytes of memory of all actors that run at
    the same time, cores, what is added to the seeds of actors, whether a run in ``out`` goes on, and from when
    (``time.monotonic``) time counts.

    What is ``None`` the composition may say; else it is a minute of wall time, all cores, and no bound. ``executor``
    makes what runs the actors; ``cache`` is the folder of results of earlier steps, ``None`` for none.
    """

    out: Path
    seconds: float | None = None
    cpu: float | None = None
    memory: int | None = None
    cores: int | None = None
    seed: int = 0
    resume: bool = False
    executor: Callable[[], AbstractContextManager[Executor]] = LocalExecutor
    cache: Path | None = None
    started: float = field(default_factory=monotonic)


def run_composition(
    task: Task, loaded: LoadedComposition, options: RunOptions, observer: events.Observer = events.nobody
) -> Result:
    """Runs the composition on the task; when this returns or raises, no actor is alive and the directory is whole.

    A ``KeyboardInterrupt`` is passed on after all that was found is written. Raises :class:`CompositionError` before
    the first actor starts if something in the composition does not fit.
    """
    actors = check_wiring(loaded, is_verification=task.criterion.is_verification, seed=options.seed)
    options = _with_totals(options, loaded.composition.budget)
    seconds = seconds_of(loaded, options.seconds)
    with (
        options.executor() as executor,  # before the directory is emptied: perhaps there is none
        open_run_directory(options.out.absolute(), resume=options.resume) as directory,
    ):
        same = identity(task, loaded, options.seed)
        history = read_history(directory, same) if options.resume else History()
        with (
            Journal(directory.file(JOURNAL)) as journal,
            tempfile.TemporaryDirectory(prefix="gia-") as scratch,
            Cancellation() as cancellation,
        ):
            journal.append("run", same | {"seconds": seconds})
            observer(events.RunStarted(task, loaded.composition.name, seconds))
            start = known_beforehand(task, monotonic() + CHECK_SECONDS)
            recorder = Recorder(
                start,
                loaded.composition.name,
                directory,
                journal,
                scratch=Path(scratch),
                observer=observer,
                started=options.started,
                taken=history.numbers,
                executor=executor,
            )
            cache = StepCache(options.cache) if options.cache is not None else None
            deadline = options.started + seconds
            replayer = Replayer(task, Path(scratch), lambda: cancellation.thrown)
            asker = Asker(actors, directory, recorder, replayer, history, executor, deadline, cache)
            engine = _engine(loaded, options, asker, deadline)
            recorder.introduce()
            try:
                done = engine.run(loaded.composition.run, start, cancellation)
                if note := note_on_overflow(done.knowledge, Path(scratch), deadline):
                    recorder.warn(note)
            except BaseException as error:
                cancelled = isinstance(error, KeyboardInterrupt)
                recorder.finish(StopReason(StopKind.CANCELLED if cancelled else StopKind.FAILED, detail=str(error)))
                raise
            if cache is not None:
                cache.tidy()
            return recorder.finish(done.stop, done.knowledge)


def seconds_of(loaded: LoadedComposition, wanted: float | None) -> float:
    """The wall time of a run of a composition: what is wanted, else what it says itself, else a minute."""
    totals = loaded.composition.budget
    return wanted or (totals.time.seconds if totals and totals.time else None) or _DEFAULT_SECONDS


def _engine(loaded: LoadedComposition, options: RunOptions, asker: Asker, deadline: float) -> Engine:
    return Engine(
        loaded.composition.steps,
        asker.ask,
        started=options.started,
        deadline=deadline,
        cores=options.cores or len(os.sched_getaffinity(0)),
        cpu=options.cpu,
        memory=options.memory,
        settle=asker.settle,
        preparation=monotonic() - options.started,
        giving_way=frozenset(name for name, (actor, _) in asker.actors.items() if gives_way(actor)),
    )


def _with_totals(options: RunOptions, totals: Totals | None) -> RunOptions:
    """The options with what the composition says where they say nothing."""
    if totals is None:
        return options
    return replace(
        options,
        cpu=options.cpu or (totals.cpu.seconds if totals.cpu else None),
        memory=options.memory or totals.memory,
        cores=options.cores or totals.cores,
    )
