"""The one place that starts actors: a process tree with limits, which never outlives its step.

The work is done by :mod:`gia.orchestrator.supervise`, a small process of its own between the engine and the actor.
Here stands what the engine sees of it: :func:`run_process` and values.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from gia.errors import InternalError

LOG_BYTES: Final = 10 * 1000 * 1000
DISK_BYTES: Final = 4 * 1000 * 1000 * 1000
PROCESSES: Final = 1000
_SUPERVISOR: Final = Path(__file__).with_name("supervise.py")


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


@dataclass(frozen=True, slots=True)
class Limits:
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


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of a process tree: exit status or signal, seconds of wall and CPU time, bytes of memory."""

    outcome: Outcome
    status: int
    wall: float
    cpu: float
    memory: int
    log_truncated: bool = False
    error: str = ""

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


def run_process(
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
        "parent": os.getpid(),
    }
    command = [sys.executable, "-I", "-S", str(_SUPERVISOR), json.dumps(job)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as supervisor:
        try:
            _wait(supervisor, cancellations, limits.wall + 2 * limits.grace + 10)
        except BaseException:
            supervisor.terminate()  # the supervisor answers by ending the whole tree
            supervisor.communicate()
            raise
        answer, complaint = supervisor.communicate()
    if not answer and supervisor.returncode == -signal.SIGTERM:  # it was told before it had started anything
        return Ended(Outcome.CANCELLED, 0, 0.0, 0.0, 0)
    try:
        values = json.loads(answer)
    except ValueError:
        message = complaint.decode(errors="replace").strip() or f"status {supervisor.returncode}"
        raise InternalError(f"the supervisor of {argv[0]} failed: {message}") from None
    return Ended(**(values | {"outcome": Outcome(values["outcome"])}))


def _wait(supervisor: subprocess.Popen[bytes], cancellations: Sequence[Cancellation], patience: float) -> None:
    """Waits until the supervisor prints its answer; tells it of a cancellation."""
    assert supervisor.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(supervisor.stdout, selectors.EVENT_READ)
        for cancellation in cancellations:
            selector.register(cancellation, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select(patience)}
            if supervisor.stdout in ready:
                return
            if not ready:
                supervisor.kill()
                return
            supervisor.terminate()
            for cancellation in cancellations:
                selector.unregister(cancellation)
            patience = 10
