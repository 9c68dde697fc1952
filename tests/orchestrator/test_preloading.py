"""Processes that go on from a loaded Python must not differ from those that start their own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gia.analyses.registry import ACTORS
from gia.orchestrator.processes.preloading import BUILTIN, modules_for, modules_of
from gia.orchestrator.processes.process import SUPERVISOR, Ended, Limits, Outcome, Supervision, answer_of, job_text
from tests.cli.harness import ENVIRONMENT

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 1;
  while (__VERIFIER_nondet_int()) { x = -x; }
  if (x == 0) { reach_error(); }
  return 0;
}
"""

PROBE = """\
import json, os, signal, sys
handlers = [str(signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
open_ = sorted(int(name) for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name))
print(json.dumps({"arguments": sys.argv[1:], "name": __name__, "folder": os.getcwd(), "open": open_,
    "handlers": handlers, "leads": os.getsid(0) == os.getpid(), "loaded": "tabnanny" in sys.modules}))
print("to the other stream", file=sys.stderr)
sys.exit(int(sys.argv[1]))
"""


SLOW_SECONDS = 0.3
SLOW = f"""\
import time
while time.process_time() < {SLOW_SECONDS}: pass
"""


def supervised(tmp_path: Path, argv: list[str], modules: list[str], expected: Sequence[str] = ()) -> tuple[Ended, str]:
    """Runs one job that lists modules, which may be expected; how it ended and what it wrote."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = subprocess.Popen(SUPERVISOR, stdin=theirs.fileno(), env=environment)
    theirs.close()
    job = json.loads(job_text(argv, tmp_path, tmp_path / "log", Limits(wall=30, memory=10**9)))
    with ours:
        if expected:
            ours.send(json.dumps({"modules": expected}).encode())
            time.sleep(1)
        engine, other = socket.socketpair()
        with engine:
            with other:
                socket.send_fds(ours, [json.dumps(job | {"modules": modules}).encode()], [other.fileno()])
            answer: dict[str, Any] = json.loads(answer_of(engine, (), 30))
    server.wait()
    return Ended(**(answer | {"outcome": Outcome(answer["outcome"])})), (tmp_path / "log").read_text()


@pytest.mark.parametrize("status", [0, 3])
def test_a_loaded_process_is_like_one_that_was_started(tmp_path: Path, status: int) -> None:
    (tmp_path / "probe.py").write_text(PROBE)
    argv = [sys.executable, "-P", "-m", "probe", str(status), "second"]
    alone, said = supervised(tmp_path, argv, [])
    forked, also_said = supervised(tmp_path, argv, ["json", "tabnanny"])
    assert (alone.outcome, alone.status) == (forked.outcome, forked.status) == (Outcome.EXITED, status)
    assert said.splitlines()[1:] == also_said.splitlines()[1:] == ["to the other stream"]
    expected, found = json.loads(said.splitlines()[0]), json.loads(also_said.splitlines()[0])
    assert (expected.pop("loaded"), found.pop("loaded")) == (False, True)
    assert expected == found


def test_what_cannot_be_loaded_starts_a_python_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "probe.py").write_text(PROBE)
    ended, said = supervised(tmp_path, [sys.executable, "-P", "-m", "probe", "0"], ["no_such_module_anywhere"])
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 0)
    assert json.loads(said.splitlines()[0])["loaded"] is False


def test_an_error_is_seen_in_the_log(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise ValueError('as intended')")
    ended, said = supervised(tmp_path, [sys.executable, "-P", "-m", "broken"], ["json"])
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 1)
    assert said.splitlines()[-1] == "ValueError: as intended"


def test_what_is_expected_is_loaded_at_the_cost_of_the_first_job(tmp_path: Path) -> None:
    (tmp_path / "probe.py").write_text(PROBE)
    (tmp_path / "slow.py").write_text(SLOW)
    argv = [sys.executable, "-P", "-m", "probe", "0"]
    ended, said = supervised(tmp_path, argv, ["slow", "json"], ["tabnanny", "no_such_module_anywhere", "slow"])
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 0)
    assert json.loads(said.splitlines()[0])["loaded"] is True
    assert ended.cpu >= SLOW_SECONDS / 2


def test_only_built_in_actors_are_loaded() -> None:
    for name, entry in ACTORS.items():
        assert entry.module in modules_of([*BUILTIN, name, "--time", "3"])
    assert modules_of([*BUILTIN, "klee"]) == modules_of(BUILTIN) == modules_of(["klee", *BUILTIN]) == []
    assert modules_for(["klee", "fuzz", "tester.yml"]) == modules_of([*BUILTIN, "fuzz"])
    assert modules_for(["klee"]) == []


def test_built_in_actors_say_and_write_the_same(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    with Supervision() as supervision:
        for options in (["--time", "20s"], ["--time", "nonsense"], ["--time", "20s", "--option", "seed=x"]):
            arguments = ["interval", "--program", "p.c", "--spec", "unreach-call", "--out", "out.xml", *options]
            argv = [*BUILTIN, *arguments]
            ended = supervision.run(argv, directory=tmp_path, log=tmp_path / "log", limits=Limits(wall=60))
            written = states(tmp_path / "out.xml")
            streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            alone = subprocess.run(argv, check=False, cwd=tmp_path, env=ENVIRONMENT, text=True, **streams)
            assert (ended.outcome, ended.status) == (Outcome.EXITED, alone.returncode)
            assert (tmp_path / "log").read_text() == alone.stdout
            assert states(tmp_path / "out.xml") == written


def states(path: Path) -> str:
    """What was found, without when; nothing if nothing was written. Removes the file."""
    text = path.read_text() if path.exists() else ""
    path.unlink(missing_ok=True)
    return text.partition("<edges>")[2]


def test_a_loaded_actor_writes_down_what_it_has_when_it_is_asked_to_end(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM.replace("x == 0", "x * x * x == 1000003 * x * x + 12345 && x % 1021 == 77"))
    argv = [*BUILTIN, "fuzz", "--program", "p.c", "--spec", "branches", "--out", "out.xml", "--time", "100s"]
    with Supervision() as supervision:
        ended = supervision.run(argv, directory=tmp_path, log=tmp_path / "log", limits=Limits(wall=4, grace=10))
    assert ended.outcome is Outcome.TIMEOUT
    assert ended.wall < 14
    assert (tmp_path / "out.xml").exists()
