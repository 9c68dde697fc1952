"""Process trees in containers, through BenchExec (optional extra ``benchexec``): cgroups, namespaces, no network.

Source: Beyer, Löwe & Wendler, *Reliable benchmarking: requirements and solutions*, STTT 21 (2019). Inside of each
container works the same supervisor as in :class:`~gia.orchestrator.process.Supervision`, so that requests to end,
output and answers are the same; BenchExec adds what the kernel enforces: memory and CPU time of a control group, a
namespace of processes that dies as a whole, a read-only file system but for the step's folder, no network.
"""

from __future__ import annotations

import logging
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any, Final

from gia.errors import ToolError
from gia.orchestrator.process import SUPERVISOR, Cancellation, Ended, Limits, Outcome, answer_of, ended_of, job_text

HINT: Final = (
    "pip install 'gia[benchexec]', and see the installation page of BenchExec for cgroups; or --isolation plain"
)
_PATIENCE: Final = 10.0


class Containment:
    """Runs process trees in containers. Raises :class:`ToolError` if this machine does not allow it."""

    name = "benchexec"

    def __init__(self) -> None:
        logging.getLogger().addHandler(logging.NullHandler())  # what BenchExec remarks is no message of gia
        problem = self._problem()
        if problem:
            raise ToolError(f"BenchExec cannot be used here: {problem}", hint=HINT)

    def _problem(self) -> str:
        """Why containers do not work here; empty if they do."""
        try:
            with tempfile.TemporaryDirectory(prefix="gia-probe-") as folder:
                ended = self.run(
                    ["true"], directory=Path(folder), log=Path(folder, "log"), limits=Limits(10.0, memory=100_000_000)
                )
        except ImportError:
            return "it is not installed"
        except (Exception, SystemExit) as error:  # it has no common class of errors, and some of them end the program
            return str(error) or type(error).__name__
        return "" if ended.outcome is Outcome.EXITED and ended.status == 0 else str(ended)

    def run(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        log: Path,
        limits: Limits,
        cancellations: Sequence[Cancellation] = (),
    ) -> Ended:
        """See :class:`~gia.orchestrator.process.Isolation`."""
        from benchexec.runexecutor import RunExecutor  # noqa: PLC0415 - an optional dependency

        executor = RunExecutor(
            use_namespaces=True,
            network_access=False,
            container_system_config=False,
            dir_modes={"/": "read-only", str(directory): "full-access"},
        )
        job = job_text(argv, directory, log, replace(limits, memory=None))
        temporary = directory / ".tmp"
        temporary.mkdir()
        ours, theirs = socket.socketpair()
        result: dict[str, Any] = {}

        def contain() -> None:
            with theirs:
                try:
                    result.update(
                        executor.execute_run(
                            args=[sys.executable, "-I", "-S", str(SUPERVISOR), job],
                            output_filename=str(directory / ".container"),
                            stdin=theirs,
                            workingDir=str(directory),
                            walltimelimit=ceil(limits.wall + limits.grace + _PATIENCE),
                            hardtimelimit=None if limits.cpu is None else ceil(limits.cpu + limits.grace + 1),
                            memlimit=limits.memory,
                            environments={"newEnv": {"TMPDIR": str(temporary)}},
                            write_header=False,
                        )
                    )
                except BaseException as error:
                    result["failure"] = error

        worker = threading.Thread(target=contain, name="container")
        worker.start()
        answer = b""
        try:
            with ours:
                theirs_open = limits.wall + 2 * limits.grace + 2 * _PATIENCE
                answer = answer_of(ours, cancellations, theirs_open)
        finally:
            if worker.is_alive() and not answer:  # interrupted, or without an answer for too long
                executor.stop()
            worker.join()
            shutil.rmtree(temporary, ignore_errors=True)
            (directory / ".container").unlink(missing_ok=True)
        if "failure" in result:
            raise result["failure"]
        return _ended(answer, result)

    def close(self) -> None:
        """Nothing outlives :meth:`run`."""


def _ended(answer: bytes, result: Mapping[str, Any]) -> Ended:
    """What became of a process tree, by its supervisor and by BenchExec, which measures more exactly."""
    wall, cpu = float(result.get("walltime", 0.0)), float(result.get("cputime", 0.0))
    memory = int(result.get("memory", 0))
    reason = result.get("terminationreason")
    if reason == "memory":
        return Ended(Outcome.MEMORY, 9, wall, cpu, memory)
    if answer:
        return replace(ended_of(answer), cpu=cpu, memory=memory)
    if "walltime" not in result:  # a container that is killed as a whole while it is made, for lack of memory
        return Ended(Outcome.NOT_STARTED, 0, 0.0, 0.0, 0, error="BenchExec could not make its container")
    outcome = {"walltime": Outcome.TIMEOUT, "cputime": Outcome.CPU, "killed": Outcome.CANCELLED}.get(str(reason))
    return Ended(outcome or Outcome.SIGNALLED, 9, wall, cpu, memory)
