"""An actor whose time is over ends in time, whatever it is doing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import hashlib, time
from pathlib import Path
from gia.orchestrator.overdue import ended_when_overdue

def leave():
    Path("left").write_text("what there is")
    return True

def count(end):
    number = 0
    while time.monotonic() < end:
        number += 1

with ended_when_overdue(time.monotonic() + 0.2, leave):
    {work}
Path("ended").touch()
"""


def ends(work: str, folder: Path) -> tuple[int, bool, bool]:
    """Exit status, whether it was made to leave, and whether it came to its end."""
    command = [sys.executable, "-c", PROGRAM.format(work=work)]
    done = subprocess.run(command, cwd=folder, env={"PYTHONPATH": ":".join(sys.path)}, timeout=120, check=False)
    return done.returncode, (folder / "left").exists(), (folder / "ended").exists()


def test_a_call_that_does_not_return_is_left(tmp_path: Path) -> None:
    assert ends("hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)", tmp_path) == (0, True, False)


def test_what_runs_python_ends_by_itself(tmp_path: Path) -> None:
    assert ends("count(time.monotonic() + 1.5)", tmp_path) == (0, False, True)


def test_who_waits_for_a_process_ends_by_itself(tmp_path: Path) -> None:
    assert ends("import subprocess; subprocess.run(['sleep', '1.5'])", tmp_path) == (0, False, True)


def test_who_is_in_time_is_left_alone(tmp_path: Path) -> None:
    assert ends("pass", tmp_path) == (0, False, True)
