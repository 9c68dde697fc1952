"""Requests to end are heard wherever they come."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

IN_A_DESTRUCTOR = """
import os, time
import gia.cli, gia.cli.app

class Dying:
    def __del__(self):
        os.kill(os.getpid(), {number})
        time.sleep(5)  # Python handles the signal here, and drops what the handler raises

def app():
    Dying()
    time.sleep(60)

gia.cli.app.app = app
gia.cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_in_a_destructor_is_not_lost(number: signal.Signals) -> None:
    command = [sys.executable, "-c", IN_A_DESTRUCTOR.format(number=int(number))]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=50)
    assert (ran.returncode, ran.stderr) == (1, "interrupted\n")
