"""Requests to end are heard wherever they come."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

COMMAND = """
import os, signal, threading, time
import sys
import gia.cli, gia.cli.app
{app}
gia.cli.app.COMMANDS = dict(work=work)
sys.argv[1:] = ["work"]
gia.cli.main()
"""
IN_A_DESTRUCTOR = """

class Dying:
    def __del__(self):
        os.kill(os.getpid(), {number})
        time.sleep(5)  # Python handles the signal here, and drops what the handler raises

def work():
    Dying()
    time.sleep(60)
"""
IN_A_CONSTRUCTOR = """

class HalfMade:
    def __init__(self):
        os.kill(os.getpid(), {number})
        time.sleep(5)
        self.content = []

    def __del__(self):
        self.content.clear()  # there is none: Python says so, and goes on

def work():
    HalfMade()
    time.sleep(60)
"""
IN_A_SOLVER = """
from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver
from gia.smt.terms import bv_const, bv_mul, bv_sort, equal, ult, variable

def work():
    solver = BitwuzlaSolver()
    left, right = (variable(name, bv_sort(128)) for name in "xy")
    solver.add(equal(bv_mul(left, right), bv_const((2**61 - 1) * (2**31 - 1), 128)))
    solver.add(*(ult(bv_const(1, 128), factor) for factor in (left, right)))
    solver.add(*(ult(factor, bv_const(2**62, 128)) for factor in (left, right)))
    threading.Timer(1, os.kill, (os.getpid(), {number})).start()
    solver.check(timeout=3)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "app", [IN_A_DESTRUCTOR, IN_A_CONSTRUCTOR, IN_A_SOLVER], ids=["destructor", "constructor", "solver"]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_is_heard_wherever_it_comes_and_nothing_else_is_said(app: str, number: signal.Signals) -> None:
    command = [sys.executable, "-c", COMMAND.format(app=app.format(number=int(number)))]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=50)
    assert (ran.returncode, ran.stderr) == (1, "error: interrupted\n")
