"""Runs one supervisor in a container of BenchExec: a script of its own, started by :mod:`.contained`.

BenchExec forks, and to fork is safe only in a process without other threads; so this is one. Its argument is a JSON
object: ``command`` (the supervisor's), ``directory`` (of the step, the one place that can be written), ``wall`` and
``cpu`` (seconds, or null), ``memory`` (bytes, or null). Standard input is the socket of the job. One JSON object is
printed: ``problem`` (why there was no container, or null) and what BenchExec has measured.
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


def contain(job: dict[str, Any]) -> dict[str, Any]:
    """Runs the command of a job in a container; what BenchExec says."""
    from benchexec.runexecutor import RunExecutor  # noqa: PLC0415 - an optional dependency

    directory = Path(job["directory"])
    temporary, output = directory / ".tmp", directory / ".container"
    temporary.mkdir()
    try:
        executor = RunExecutor(
            use_namespaces=True,
            network_access=False,
            container_system_config=False,
            dir_modes={"/": "read-only", str(directory): "full-access"},
        )
        result = executor.execute_run(
            args=job["command"],
            output_filename=str(output),
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
        output.unlink(missing_ok=True)
    return {name: result[name] for name in MEASURED if name in result}


def main() -> None:
    """Runs the job of the command line."""
    logging.getLogger().addHandler(logging.NullHandler())  # what BenchExec remarks is no message of gia
    problem, result = None, {}
    try:
        result = contain(json.loads(sys.argv[1]))
    except ImportError:
        problem = "it is not installed"
    except (Exception, SystemExit) as error:  # it has no common class of errors, and some of them end the program
        problem = str(error) or type(error).__name__
    os.write(1, json.dumps({"problem": problem} | result).encode())


if __name__ == "__main__":
    main()
