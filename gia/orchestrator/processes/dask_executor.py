"""Jobs on the workers of a dask.distributed cluster (optional extra ``dask``): machines of a lab, Slurm, Kubernetes.

A job travels as a value: its input files go with it, its products come back, so that no file system need be shared.
If a worker is lost, the scheduler gives the job to another one: it is done at least once, and what counts is the
answer that arrives. If the engine goes away, the scheduler releases its jobs, and each worker ends the processes of a
job that was released: no orphans. If a worker dies, its supervisors end what is below them.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final
from uuid import uuid4

from msgspec import Struct, field

from gia.errors import InputError, ToolError
from gia.orchestrator.processes.isolations import IsolationName, Isolations
from gia.orchestrator.processes.job import Job
from gia.orchestrator.processes.meanwhile import meanwhile
from gia.orchestrator.processes.process import Cancellation, Ended, Limits, Outcome
from gia.orchestrator.store import files_of

HINT: Final = "pip install 'gia[dask]'"
LOOK: Final = 0.2
"""Seconds between two looks whether a job is still wanted."""

CONNECT_SECONDS: Final = 20.0


class Parcel(Struct, frozen=True):
    """A job as it travels: paths of the engine's machine, which the worker replaces by its own.

    ``files`` are the contents of the step's folder by name; ``content`` is the program's.
    """

    argv: tuple[str, ...]
    folder: str
    log: str
    limits: Limits
    program: str
    content: bytes
    products: tuple[str, ...]
    python: str
    isolation: IsolationName
    foreign: bool
    files: Mapping[str, bytes] = field(default_factory=dict)


def pack(job: Job, isolation: IsolationName) -> Parcel:
    """The job with everything that it reads."""
    files = {path.relative_to(job.folder).as_posix(): path.read_bytes() for path in files_of(job.folder, ["."])}
    return Parcel(
        argv=job.argv,
        folder=str(job.folder),
        log=job.log.name,
        limits=job.limits,
        program=str(job.program),
        content=job.program.read_bytes(),
        products=job.products,
        python=sys.executable,
        isolation=isolation,
        foreign=job.foreign,
        files=files,
    )


def unpack(parcel: Parcel, folder: Path) -> list[str]:
    """Writes the files of a job into a folder of this machine; its command line here.

    The program is used where it was, if this machine has the same file there: it may include others.
    """
    for name, content in parcel.files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    program = Path(parcel.program)
    if not program.is_file() or program.read_bytes() != parcel.content:
        program = folder / "program" / program.name
        program.parent.mkdir(exist_ok=True)
        program.write_bytes(parcel.content)
    argv = [argument.replace(parcel.folder, str(folder)) for argument in parcel.argv]
    argv = [argument.replace(parcel.program, str(program)) for argument in argv]
    if argv[0] == parcel.python:
        argv[0] = sys.executable
    return argv


def do_job(parcel: Parcel) -> tuple[Ended, dict[str, bytes]]:
    """On a worker: runs the job as long as it is wanted; how it ended, and its products by name."""
    from distributed import get_worker  # noqa: PLC0415 - an optional dependency

    worker = get_worker()
    key = worker.get_current_task()

    def watch(cancellation: Cancellation, over: threading.Event) -> None:
        while not over.wait(LOOK):
            task = worker.state.tasks.get(key)
            if task is None or task.state not in ("executing", "long-running"):
                cancellation.throw()
                return

    with tempfile.TemporaryDirectory(prefix="gia-job-") as name, Cancellation() as cancellation:
        folder = Path(name).resolve()
        argv = unpack(parcel, folder)
        log, limits = folder / parcel.log, parcel.limits
        with Isolations(parcel.isolation) as isolations, meanwhile(partial(watch, cancellation), "gia-wanted"):
            isolation = isolations.of(foreign=parcel.foreign)
            ended = isolation.run(argv, directory=folder, log=log, limits=limits, cancellations=[cancellation])
        found = files_of(folder, parcel.products) if folder.is_dir() else []
        return ended, {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


class DaskExecutor:
    """Runs jobs on the cluster at ``address`` (``tcp://HOST:PORT``); without one, on a small one in this process.

    Raises :class:`ToolError` if dask is not installed, :class:`InputError` if there is no cluster.
    """

    name = "dask"

    def __init__(self, address: str | None, isolation: IsolationName = "auto", cores: int | None = None) -> None:
        try:
            from distributed import Client, LocalCluster  # noqa: PLC0415 - an optional dependency
        except ImportError:
            raise ToolError("dask.distributed is not installed", hint=HINT) from None
        self._isolation: IsolationName = isolation
        self._cluster: Any = None
        if address is None:
            self._cluster = LocalCluster(
                n_workers=1, threads_per_worker=cores, processes=False, dashboard_address=None, silence_logs=50
            )
        try:
            self._client: Any = Client(address or self._cluster, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise InputError(f"there is no dask scheduler at {address}: {error}") from None

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return str(self._client.scheduler.address)

    def run(self, job: Job, cancellations: Sequence[Cancellation]) -> Ended:
        """See :class:`~gia.orchestrator.processes.job.Executor`."""
        future = self._client.submit(
            do_job, pack(job, self._isolation), key=f"gia-{job.folder.name}-{uuid4().hex}", pure=False
        )
        answered = threading.Event()
        future.add_done_callback(lambda _: answered.set())
        try:
            while not answered.wait(LOOK / 4):
                if any(cancellation.thrown for cancellation in cancellations):
                    return Ended(Outcome.CANCELLED, 0, 0.0, 0.0, 0)
            try:
                ended, products = future.result()
            except Exception as error:  # whatever happened on the way: workers lost, out of memory, another version
                return Ended(Outcome.NOT_STARTED, 0, 0.0, 0.0, 0, error=f"the cluster failed: {error}")
        finally:
            future.cancel()
        for product in files_of(job.folder, job.products):
            product.unlink()
        for name, content in products.items():
            target = job.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return ended if isinstance(ended, Ended) else Ended(Outcome.NOT_STARTED, 0, 0.0, 0.0, 0, error="no answer")

    def __enter__(self) -> DaskExecutor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
