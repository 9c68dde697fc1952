"""Where the processes of steps run. An executor is asked for one job at a time by each thread that has one.

What goes in and out are files of the step's folder, so that a job can be done on a machine that sees none of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

from gia.errors import InputError
from gia.orchestrator.processes.isolations import IsolationName, Isolations
from gia.orchestrator.processes.process import Cancellation, Ended, Limits


@dataclass(frozen=True, slots=True)
class Job:
    """One process tree to run: ``argv`` in ``folder`` (absolute), output to ``log`` in there, within ``limits``.

    ``program`` is the program under test, which ``argv`` may name; ``products`` are the names, relative to the folder,
    of the files and folders that are wanted back. ``foreign``: the tool is somebody else's, not a part of gia.
    """

    argv: tuple[str, ...]
    folder: Path
    log: Path
    limits: Limits
    program: Path
    products: tuple[str, ...]
    foreign: bool = True


class Executor(Protocol):
    """Runs jobs; used from several threads. ``name`` is what ``result.json`` says.

    A job may be done more than once (a machine was lost while it was at it); what counts is the last time.
    """

    @property
    def name(self) -> str:
        """``local`` or ``dask``."""

    def run(self, job: Job, cancellations: Sequence[Cancellation]) -> Ended:
        """Runs the job; when this returns or raises, its products are in its folder and none of it is alive."""

    def __enter__(self) -> Executor:
        """Gets ready."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends everything."""


def make_executor(text: str, isolation: IsolationName = "auto", cores: int | None = None) -> Executor:
    """The executor that ``local``, ``dask`` or ``dask:ADDRESS`` stands for.

    Raises :class:`InputError` for anything else, and what making it raises.
    """
    name, colon, address = text.partition(":")
    if name == "dask":
        from gia.orchestrator.processes.dask_executor import DaskExecutor  # noqa: PLC0415 - an optional dependency

        return DaskExecutor(address if colon else None, isolation, cores)
    if text != "local":
        raise InputError(f"there is no executor {text!r}", hint="give local, dask or dask:ADDRESS")
    return LocalExecutor(isolation)


class LocalExecutor:
    """Processes on this machine."""

    name = "local"

    def __init__(self, isolation: IsolationName = "plain") -> None:
        self._isolations = Isolations(isolation)

    def run(self, job: Job, cancellations: Sequence[Cancellation]) -> Ended:
        """See :class:`Executor`."""
        isolation = self._isolations.of(foreign=job.foreign)
        return isolation.run(
            job.argv, directory=job.folder, log=job.log, limits=job.limits, cancellations=cancellations
        )

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._isolations.close()
