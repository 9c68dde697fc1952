"""The one place that starts actors: a process tree with limits, which never outlives its step.

The work is done by :mod:`.supervise`, small processes between the engine and the actors. Here stands
what the engine sees of them: a :class:`Supervision`, which runs process trees, and values.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from gia.errors import InternalError
from gia.orchestrator.processes.preloading import modules_for, modules_of

LOG_BYTES: Final = 10 * 1000 * 1000
DISK_BYTES: Final = 4 * 1000 * 1000 * 1000
PROCESSES: Final = 1000
_MESSAGE: Final = 2 * 1000 * 1000
SUPERVISOR: Final = (sys.executable, "-P", "-m", "gia.orchestrator.processes.supervise")
"""The command of the process that forks supervisors; with a job as one more argument, of a single supervisor."""


class Outcome(StrEnum):
    """How a process ended."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMEOUT = "timeout"
    CPU = "cpu"
    MEMORY = "memory"
    PROCESSES = "processes"
    DISK = "disk"
    CANCELLED = "cancelled"
    NOT_STARTED = "not-started"


class Limits(Struct, frozen=True):
    """Limits on one process tree.

    ``wall`` seconds until it is asked to end (SIGTERM) and ``grace`` seconds more until it is killed; ``cpu`` seconds
    and ``memory`` bytes of all processes together, ``None`` for none; ``log`` bytes of output that are kept;
    ``processes`` at the same time; ``disk`` bytes of files in its directory.
    """

    wall: float
    grace: float = 1.0
    cpu: float | None = None
    memory: int | None = None
    log: int = LOG_BYTES
    processes: int = PROCESSES
    disk: int = DISK_BYTES


class Ended(Struct, frozen=True):
    """What became of a process tree: exit status or signal, seconds of wall and CPU time, bytes of memory.

    ``isolation`` is how it was limited, ``plain`` or ``benchexec``; ``uncontained`` says why there was no container
    although there should have been one.
    """

    outcome: Outcome
    status: int
    wall: float
    cpu: float
    memory: int
    log_truncated: bool = False
    error: str = ""
    isolation: str = "plain"
    uncontained: str = ""

    def __str__(self) -> str:
        match self.outcome:
            case Outcome.EXITED:
                return f"exit status {self.status}"
            case Outcome.SIGNALLED:
                return f"killed by signal {self.status} ({_signal_name(self.status)})"
            case Outcome.TIMEOUT:
                return f"stopped after {self.wall:.1f} s"
            case Outcome.CPU:
                return f"stopped after {self.cpu:.1f} s of CPU time"
            case Outcome.MEMORY:
                return f"killed because it used more memory than it may ({self.memory / 1e6:.0f} MB)"
            case Outcome.PROCESSES:
                return "killed because it started more processes than it may"
            case Outcome.DISK:
                return "killed because it wrote more files than it may"
            case Outcome.NOT_STARTED:
                return f"could not be started: {self.error}"
        return self.outcome.value


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


class Cancellation:
    """A switch that ends running processes at once; it can be thrown from any thread, once."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        self.thrown = False

    def throw(self) -> None:
        """Ends every process that runs under this switch, and every one that is started later."""
        if not self.thrown:
            self.thrown = True
            os.write(self._write, b"!")

    def fileno(self) -> int:
        """Readable from the moment the switch is thrown."""
        return self._read

    def close(self) -> None:
        """Gives its file descriptors back."""
        os.close(self._read)
        os.close(self._write)

    def __enter__(self) -> Cancellation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Isolation(Protocol):
    """Runs process trees within limits; what became of them says how well that could be done."""

    def run(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        log: Path,
        limits: Limits,
        cancellations: Sequence[Cancellation] = (),
    ) -> Ended:
        """Runs ``argv`` in ``directory`` to its end; when this returns or raises, no process of its tree is alive.

        Output (both streams) goes to ``log``, cut after ``limits.log`` bytes; standard input is empty.
        """

    def close(self) -> None:
        """Ends everything that is still running."""


def job_text(argv: Sequence[str], directory: Path, log: Path, limits: Limits) -> str:
    """The job as :mod:`gia.orchestrator.processes.supervise` reads it."""
    job = {
        "argv": list(argv),
        "directory": str(directory),
        "log": str(log),
        "log_bytes": limits.log,
        "wall": limits.wall,
        "grace": limits.grace,
        "cpu": limits.cpu,
        "memory": limits.memory,
        "processes": limits.processes,
        "disk": limits.disk,
        "modules": modules_of(argv),
    }
    return json.dumps(job)


def ended_of(answer: bytes) -> Ended:
    """What a supervisor has answered. Raises :class:`ValueError` if that is no answer."""
    values = json.loads(answer)
    return Ended(**(values | {"outcome": Outcome(values["outcome"])}))


class Supervision:
    """The plain way: resource limits, supervisors that watch. Made as a context; used from any of its threads.

    The process that forks supervisors is started at once and gets ready while the engine does other things: it imports
    what these actors will need.
    """

    def __init__(self, actors: Iterable[str] = ()) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = subprocess.Popen(
                SUPERVISOR,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _MESSAGE)
        self._requests = ours
        self._lock = threading.Lock()
        if expected := modules_for(actors):
            with suppress(OSError):  # it has ended: the first job will say so
                ours.send(json.dumps({"modules": expected}).encode())

    def run(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        log: Path,
        limits: Limits,
        cancellations: Sequence[Cancellation] = (),
    ) -> Ended:
        """See :class:`Isolation`."""
        job = job_text(argv, directory, log, limits)
        ours, theirs = socket.socketpair()
        with ours:
            try:
                with theirs, self._lock:
                    socket.send_fds(self._requests, [job.encode()], [theirs.fileno()])
                answer = answer_of(ours, cancellations, limits.wall + 2 * limits.grace + 10)
            except BaseException:
                ours.shutdown(socket.SHUT_WR)  # the supervisor answers when it has ended the whole tree
                answer_of(ours, (), 2 * limits.grace + 10)
                raise
        if not answer and self._server.poll() is None:  # somebody has killed the supervisor
            return Ended(Outcome.SIGNALLED, signal.SIGKILL, 0.0, 0.0, 0)
        try:
            return ended_of(answer)
        except ValueError:
            raise InternalError(f"the supervisor of {argv[0]} failed{self._complaint()}") from None

    def _complaint(self) -> str:
        """What the server said before it ended, if it did."""
        if self._server.poll() is None:
            return ""
        assert self._server.stderr is not None
        return f": {self._server.stderr.read().decode(errors='replace').strip()}"

    def close(self) -> None:
        """See :class:`Isolation`."""
        self._requests.close()
        self._server.wait()
        assert self._server.stderr is not None
        self._server.stderr.close()

    def __enter__(self) -> Supervision:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def answer_of(engine: socket.socket, cancellations: Sequence[Cancellation], patience: float) -> bytes:
    """Waits until the supervisor sends its answer; tells it of a cancellation. Empty if it has none to give."""
    answer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(engine, selectors.EVENT_READ)
        for cancellation in cancellations:
            selector.register(cancellation, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select(patience)}
            if engine in ready:
                received = engine.recv(65536)
                if not received:
                    return answer
                answer += received
            elif not ready:
                return answer
            else:
                engine.shutdown(socket.SHUT_WR)
                for cancellation in cancellations:
                    selector.unregister(cancellation)
                patience = 10.0
