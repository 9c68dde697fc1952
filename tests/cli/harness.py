"""Runs the command line as a person would: a process, its output, its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-P", "-m", "gia.cli"]


@dataclass(frozen=True)
class Ran:
    """What a command printed and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What ``--json`` printed."""
        return json.loads(self.out)


def gia(*arguments: object, cwd: Path | None = None, timeout: float = 60) -> Ran:
    """Runs one command; no command may show a traceback."""
    ended = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=os.environ | {"TERM": "dumb", "COLUMNS": "100"},
    )
    assert "Traceback" not in ended.stdout + ended.stderr
    assert "internal error" not in ended.stderr
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def statuses(result: Any) -> dict[str, str]:
    """The status of each goal of a result."""
    return {goal["id"]: goal["status"] for goal in result["goals"]}
