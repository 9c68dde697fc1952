"""Built-in actors as processes: what they have found is on the disk before they end."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from gia.automaton.model import Automaton, State
from gia.automaton.status import goal_status
from gia.automaton.wellformed import violations
from gia.exchange.gia_xml import read_gia
from gia.orchestrator.builtin import BuiltinCall, Publisher, run_builtin
from gia.orchestrator.facts.task import TaskRequest, load_task
from gia.verdict import GoalStatus
from tests.cli.harness import COMMAND, ENVIRONMENT

PROGRAM = """\
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
  int even = 0;
  if (x == 77) { even = 2; }
  if (even > 2) { return 1; }
  unsigned s = 0, t = 0;
  for (unsigned i = 0; i < n; i++) { s = s * x + y * y; t = t * x + y * y + 1; }
  if (s * s * s == 1000003u * t * x + 12345u && (x ^ y) * s == 4242424243u && t % 1021 == 77 && n > 20) { return 2; }
  return 0;
}
"""


@pytest.mark.parametrize(("actor", "status"), [("tester", "covered"), ("verifier", "unreachable")])
def test_an_actor_that_is_killed_has_left_what_it_had(tmp_path: Path, actor: str, status: str) -> None:
    """The last condition keeps it busy; what it decided before is in a complete file."""
    (tmp_path / "p.c").write_text(PROGRAM)
    command = [*COMMAND, "actor", "run", actor, "--program", "p.c", "--spec", "branches", "--out", "out.xml"]
    process = subprocess.Popen([*command, "--time", "100s"], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 30
    wanted = GoalStatus(status)
    task = load_task(TaskRequest(tmp_path / "p.c", "branches"))
    goal = "main:5:3:then" if wanted is GoalStatus.COVERED else "main:6:3:then"
    found: dict[str, GoalStatus] = {}
    while found.get(goal) is not wanted and time.monotonic() < deadline:
        time.sleep(0.1)
        assert process.poll() is None, "it has ended before it could be killed"
        if (tmp_path / "out.xml").exists():
            automaton = read_gia(tmp_path / "out.xml")
            assert not violations(automaton)
            found = dict(goal_status(task.program, automaton, task.goals))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert found.get(goal) is wanted
    last = read_gia(tmp_path / "out.xml")
    assert last.metadata.actors[0].name == actor
    assert last.metadata.sha256 == task.program.sha256


def test_what_is_held_back_is_not_lost() -> None:
    written: list[int] = []
    publisher = Publisher(lambda automaton: written.append(len(automaton.states)), interval=0.2)

    def found(states: int) -> Automaton:
        return Automaton((State(),) * states, ())

    assert publisher(lambda: found(1))
    assert not publisher(lambda: found(2))
    assert not publisher(lambda: found(3))
    assert written == [1]
    publisher.flush()
    publisher.flush()
    assert written == [1, 3]
    time.sleep(0.2)
    assert publisher(lambda: found(4))
    assert written == [1, 3, 4]


def test_writing_costs_a_small_share_of_the_time() -> None:
    """A write that takes 10 ms is followed by 20 times as long without one."""
    writes = 0

    def write(automaton: Automaton) -> None:
        nonlocal writes
        writes += 1
        time.sleep(0.01)

    publisher = Publisher(write, interval=0.0)
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        publisher(lambda: Automaton((State(),), ()))
    assert 1 <= writes <= 4


def test_a_compiler_that_needs_longer_than_there_is_time_leaves_an_empty_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIA_NO_CACHE", "1")
    conditions = "\n".join(f"if (__VERIFIER_nondet_uint() == {number}) s += {number};" for number in range(500))
    (tmp_path / "p.c").write_text(
        f"extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {{ int s = 0; {conditions} return s; }}"
    )
    lines: list[str] = []
    out = tmp_path / "out.xml"
    call = BuiltinCall("tester", tmp_path / "p.c", "branches", None, out, 0.0, time.monotonic())
    run_builtin(call, lines.append)
    task = load_task(TaskRequest(tmp_path / "p.c", "branches"))
    assert set(goal_status(task.program, read_gia(out), task.goals).values()) == {GoalStatus.OPEN}
    assert any("did not end within" in line for line in lines)
