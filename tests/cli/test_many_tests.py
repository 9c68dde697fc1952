"""Actors that write more tests than can be executed in the time that there is."""

import json
import re
import signal
import subprocess
from pathlib import Path

from tests.cli.harness import COMMAND, ENVIRONMENT, wait_until
from tests.cli.test_fake_actors import RT, UNCONTAINED, actor, composition

PROGRAM = """\
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
int main(void) { usleep(200000);
  int x = __VERIFIER_nondet_int();
    if (x == 12345) return 1;
  return 0;
}
"""
COUNT = 500


def many(values: range) -> str:
    """A script that promises to reach the goal with each of these values."""
    expressions = "".join(rf'<expression id="x{n}" scope="main">\\result == {n}</expression>' for n in values)
    transitions = "".join(f'<transition from="q0" to="q1" edges="e2" assumption="x{n}"/>' for n in values)
    script = re.sub("<expression .*</expression>", lambda _: expressions, RT)
    script = re.sub('<transition from="q0" to="q1"[^>]*/>', lambda _: transitions, script)
    return script.replace('line="3" column="11" kind="input"', 'line="4" column="11" kind="input"')


def test_an_interruption_does_not_wait_for_tests_that_bring_nothing(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    actor(tmp_path, "many", many(range(COUNT)))
    actor(tmp_path, "slow", "import time\ntime.sleep(60)\n", "OA")
    path = tmp_path / composition(tmp_path, "many", "slow", time="100s")
    path.write_text(path.read_text().replace("sequence:", "parallel:"))
    command = [*COMMAND, "run", "mine.yml", "p.c", "--time", "200s", "--cores", "2", *UNCONTAINED]
    process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    wait_until((tmp_path / "gia-out/p.c/steps/001-many/executed-tests").exists)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 1  # all of them take 100 s
    (step,) = (
        s for s in json.loads((tmp_path / "gia-out/p.c/result.json").read_text())["steps"] if s["actor"] == "many"
    )
    assert any(re.search("^[0-9]+ of its tests were not executed", remark) for remark in step["remarks"])
