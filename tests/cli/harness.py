"""Runs the command line as a person would: arguments, output, exit status."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from gia.cli import main
from tests.conftest import BYTECODE

CACHE = os.environ["XDG_CACHE_HOME"]

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
    "TERM": "dumb",
    "COLUMNS": "100",
    "XDG_CACHE_HOME": CACHE,
    "PYTHONPYCACHEPREFIX": BYTECODE,
}
"""Without byte code, each of the many processes would compile gia again."""

COMMAND = [sys.executable, "-P", "-m", "gia.cli"]
"""The command as a process of its own."""


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


def gia(*arguments: object, cwd: Path | None = None) -> Ran:
    """Runs one command in this process, which is faster; no command may show a traceback."""
    out, err, status = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.dict(os.environ, ENVIRONMENT, clear=True),
        mock.patch.object(sys, "argv", ["gia", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd or Path()),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
    assert "Traceback" not in out.getvalue() + err.getvalue()
    assert "internal error" not in err.getvalue()
    return Ran(status, out.getvalue(), err.getvalue())


def statuses(result: Any) -> dict[str, str]:
    """The status of each goal of a result."""
    return {goal["id"]: goal["status"] for goal in result["goals"]}


def wait_until(holds: Callable[[], object], seconds: float = 60) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def content(path: Path) -> str:
    """What a file holds; nothing if it is not there yet."""
    return path.read_text() if path.exists() else ""
