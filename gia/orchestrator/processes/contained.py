"""Process trees in containers, through BenchExec (optional extra ``benchexec``): cgroups, namespaces, no network.

Source: Beyer, Löwe & Wendler, *Reliable benchmarking: requirements and solutions*, STTT 21 (2019). Inside of each
container works the same supervisor as in :class:`~.process.Supervision`, so that requests to end,
output and answers are the same; BenchExec adds what the kernel enforces: memory and CPU time of a control group, a
namespace of processes that dies as a whole, a read-only file system but for the step's folder, no network.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from gia.errors import ToolError
from gia.orchestrator.processes.process import (
    SUPERVISOR,
    Cancellation,
    Ended,
    Limits,
    Outcome,
    answer_of,
    ended_of,
    job_text,
)

HINT: Final = "pip install 'gia[benchexec]', see its installation page for cgroups, or use --isolation plain"
HELPER: Final = Path(__file__).with_name("contain.py")
_PATIENCE: Final = 10.0


class Containment:
    """Runs process trees in containers, if this machine allows it."""

    def require(self) -> None:
        """Tries it. Raises :class:`ToolError` if this machine does not allow it."""
        with tempfile.TemporaryDirectory(prefix="gia-probe-") as folder:
            limits = Limits(10.0, memory=100_000_000)
            ended = self.run(["true"], directory=Path(folder), log=Path(folder, "log"), limits=limits)
        if ended.outcome is not Outcome.EXITED or ended.status != 0:
            why = ended.uncontained or str(ended)
            raise ToolError(f"containers cannot be used here: BenchExec: {why}", hint=HINT)

    def run(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        log: Path,
        limits: Limits,
        cancellations: Sequence[Cancellation] = (),
    ) -> Ended:
        """See :class:`~gia.orchestrator.processes.process.Isolation`. Without a container, nothing was started."""
        supervised = job_text(argv, directory, log, replace(limits, memory=None))
        job = {
            "command": [*SUPERVISOR, supervised],
            "directory": str(directory),
            "log": str(log),
            "wall": ceil(limits.wall + limits.grace + _PATIENCE),
            "cpu": None if limits.cpu is None else ceil(limits.cpu + limits.grace + 1),
            "memory": limits.memory,
        }
        ours, theirs = socket.socketpair()
        with ours:
            try:
                with theirs:
                    helper = subprocess.Popen(
                        [sys.executable, "-P", str(HELPER), json.dumps(job)],
                        stdin=theirs.fileno(),
                        stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL,
                        start_new_session=True,
                    )
                answer = answer_of(ours, cancellations, limits.wall + 2 * limits.grace + 2 * _PATIENCE)
            except BaseException:  # whatever was begun has the other end of the socket until it has ended and tidied up
                ours.shutdown(socket.SHUT_WR)
                answer_of(ours, (), 2 * limits.grace + _PATIENCE)
                raise
        with helper:
            output, _ = helper.communicate()
        return replace(_ended(answer, json.loads(output) if output else {}), isolation="benchexec")

    def close(self) -> None:
        """Nothing outlives :meth:`run`."""


def _ended(answer: bytes, result: Mapping[str, Any]) -> Ended:
    """What became of a process tree, by its supervisor and by BenchExec, which measures more exactly."""
    wall, cpu = float(result.get("walltime", 0.0)), float(result.get("cputime", 0.0))
    memory = int(result.get("memory", 0))
    reason = result.get("terminationreason")
    if reason == "memory":
        return Ended(Outcome.MEMORY, 9, wall, cpu, memory)
    if answer and "cputime" in result:
        return replace(ended_of(answer), cpu=cpu, memory=memory)
    if answer:
        return ended_of(answer)
    problem = result.get("problem")
    if problem is not None:
        return Ended(Outcome.NOT_STARTED, 0, 0.0, 0.0, 0, error=f"BenchExec: {problem}", uncontained=problem)
    outcome = {"walltime": Outcome.TIMEOUT, "cputime": Outcome.CPU, "killed": Outcome.CANCELLED}.get(str(reason))
    return Ended(outcome or Outcome.SIGNALLED, 9, wall, cpu, memory)
