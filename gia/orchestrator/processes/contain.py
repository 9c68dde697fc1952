"""Runs one supervisor in a container of BenchExec: a script of its own, started by :mod:`.contained`.

BenchExec forks, and to fork is safe only in a process without other threads; so this is one. Its argument is a JSON
object: ``command`` (the supervisor's), ``directory`` (of the step, the one place where what is written stays), ``log``
(which the supervisor writes), ``wall`` and ``cpu`` (seconds, or null), ``memory`` (bytes, or null). Standard input is
the socket of the job. One JSON object is printed: ``problem`` (why there was no container, or null) and what BenchExec
has measured.

In the container, ``/tmp`` and the home directory can be written as well, in a layer of their own that is thrown away
(tools keep their caches, Java its files there); where the kernel has no such layers, they cannot be written. The
variable ``TMPDIR`` leads into the step's folder, where the limit on the disk counts.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import Any

MEASURED = ("walltime", "cputime", "memory", "terminationreason")
FAILED = "failed"
"""The reason of BenchExec for having started nothing."""


class Remarks(logging.Handler):
    """The first serious remark of BenchExec: the later ones follow from it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.first = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps it."""
        self.first = self.first or record.getMessage()


def scratch_folders() -> dict[str, str]:
    """The folders with a layer of their own. The root folder cannot have one."""
    home = os.path.realpath(os.path.expanduser("~"))
    folders = [folder for folder in ("/tmp", "/var/tmp", home) if os.path.isdir(folder) and folder != "/"]
    return dict.fromkeys(folders, "overlay")


def contain(job: dict[str, Any]) -> dict[str, Any]:
    """Runs the command of a job in a container; what BenchExec says."""
    result = contain_with(job, scratch_folders())
    begun = os.path.exists(job["log"])  # what has begun is not done again, whatever went wrong behind it
    return contain_with(job, {}) if result.get("terminationreason") == FAILED and not begun else result


def contain_with(job: dict[str, Any], layers: dict[str, str]) -> dict[str, Any]:
    """The same, with such modes of folders beside the step's."""
    from benchexec.runexecutor import RunExecutor  # noqa: PLC0415 - an optional dependency

    directory = Path(job["directory"])
    temporary = directory / ".tmp"
    temporary.mkdir(exist_ok=True)
    try:
        executor = RunExecutor(
            use_namespaces=True,
            network_access=False,
            container_system_config=False,
            dir_modes={"/": "read-only", **layers, str(directory): "full-access"},
        )
        result = executor.execute_run(
            args=job["command"],
            output_filename=os.devnull,  # the supervisor keeps the log
            stdin=sys.stdin,
            workingDir=str(directory),
            walltimelimit=job["wall"],
            hardtimelimit=job["cpu"],
            memlimit=job["memory"],
            environments={"newEnv": {"TMPDIR": str(temporary)}},
            write_header=False,
        )
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return {name: result[name] for name in MEASURED if name in result}


def main() -> None:
    """Runs the job of the command line."""
    remarks = Remarks()  # what BenchExec remarks is no message of gia
    logging.getLogger().addHandler(remarks)
    problem, result = None, {}
    try:
        result = contain(json.loads(sys.argv[1]))
    except ImportError:
        problem = "it is not installed"
    except (Exception, SystemExit) as error:  # it has no common class of errors, and some of them end the program
        problem = str(error) or type(error).__name__
    if result.get("terminationreason") == FAILED:
        problem = remarks.first or "it gives no reason"
    os.write(1, json.dumps({"problem": problem} | result).encode())


if __name__ == "__main__":
    main()
