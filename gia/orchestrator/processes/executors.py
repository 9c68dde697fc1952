"""Executors by name, and the one of this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType

from gia.errors import InputError
from gia.orchestrator.processes.isolations import IsolationName, Isolations
from gia.orchestrator.processes.job import Executor, Job
from gia.orchestrator.processes.process import Cancellation, Ended


def make_executor(
    text: str, isolation: IsolationName = "auto", cores: int | None = None, actors: Iterable[str] = ()
) -> Executor:
    """The executor that ``local``, ``dask`` or ``dask:ADDRESS`` stands for. ``actors`` are those that it will run.

    Raises :class:`InputError` for anything else, and what making it raises.
    """
    name, colon, address = text.partition(":")
    if name == "dask":
        from gia.orchestrator.processes.dask_executor import DaskExecutor  # noqa: PLC0415 - an optional dependency

        return DaskExecutor(address if colon else None, isolation, cores)
    if text != "local":
        raise InputError(f"there is no executor {text!r}", hint="give local, dask or dask:ADDRESS")
    return LocalExecutor(isolation, actors)


class LocalExecutor:
    """Processes on this machine. It gets ready for ``actors`` at once."""

    name = "local"

    def __init__(self, isolation: IsolationName = "plain", actors: Iterable[str] = ()) -> None:
        self._isolations = Isolations(isolation, actors)

    def run(self, job: Job, cancellations: Sequence[Cancellation]) -> Ended:
        """See :class:`~gia.orchestrator.processes.job.Executor`."""
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
