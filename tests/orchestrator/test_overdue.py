"""An actor whose time is over ends in time, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """\
import hashlib, os, signal, subprocess, threading, time
from pathlib import Path
from gia.orchestrator.overdue import ended_when_overdue

def leave(calling):
    Path("left").write_text("what there is")
    return True

def count(end):
    number = 0
    while time.monotonic() < end:
        number += 1

class HalfMade:
    def __init__(self):
        count(time.monotonic() + 5)
        self.content = []

    def __del__(self):
        self.content.clear()

def ask_later():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()

with ended_when_overdue(time.monotonic() + {seconds}, leave, asked={asked}):
    {work}
Path("ended").touch()
"""


def ends(work: str, folder: Path, *, seconds: float = 0.2, asked: bool = False) -> tuple[int, bool, bool]:
    """Exit status, whether it was made to leave, and whether it came to its end."""
    command = [sys.executable, "-c", PROGRAM.format(work=work, seconds=seconds, asked=asked)]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": ":".join(sys.path)}, timeout=120, check=False)
    return done.returncode, (folder / "left").exists(), (folder / "ended").exists()


def test_a_call_that_does_not_return_is_left(tmp_path: Path) -> None:
    assert ends("hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)", tmp_path) == (0, True, False)


def test_what_runs_python_ends_by_itself(tmp_path: Path) -> None:
    assert ends("count(time.monotonic() + 1.5)", tmp_path) == (0, False, True)


def test_who_waits_for_a_process_ends_by_itself(tmp_path: Path) -> None:
    assert ends("subprocess.run(['sleep', '1.5'])", tmp_path) == (0, False, True)


def test_who_is_in_time_is_left_alone(tmp_path: Path) -> None:
    assert ends("pass", tmp_path) == (0, False, True)


@pytest.mark.parametrize(
    "work",
    [
        "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)",
        "subprocess.run(['sleep', '5'])",
        "count(time.monotonic() + 5)",
        "HalfMade()",
    ],
    ids=["call", "process", "python", "constructor"],
)
def test_who_is_asked_to_end_leaves_at_once(tmp_path: Path, work: str, capfd: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    assert ends(f"ask_later(); {work}", tmp_path, seconds=60, asked=True) == (1, True, False)
    assert time.monotonic() - started < 5
    assert capfd.readouterr() == ("", "")


def test_the_time_may_end_and_somebody_ask_as_well(tmp_path: Path) -> None:
    assert ends("ask_later(); count(time.monotonic() + 5)", tmp_path, seconds=0.1, asked=True) == (1, True, False)
