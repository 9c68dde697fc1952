"""The processes of steps as values, and what runs them: an executor is asked for one job at a time by each thread.

What goes in and out are files of the step's folder, so that a job can be done on a machine that sees none of ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

from msgspec import Struct

from gia.orchestrator.processes.process import Cancellation, Ended, Limits


class Job(Struct, frozen=True):
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
