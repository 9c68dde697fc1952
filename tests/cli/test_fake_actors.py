"""Actors that lie, crash, hang or write nonsense cost their own step only."""

import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from gia.automaton.model import Acceptance
from gia.exchange.gia_xml import read_gia
from gia.orchestrator.beside import Beside
from tests.cli.harness import COMMAND, ENVIRONMENT, content, gia, statuses, wait_until

BESIDE = Beside(Path("folder"))
AT_WORK, DECIDED = BESIDE.at_work.name, BESIDE.decided.name
UNCONTAINED = ("--isolation", "plain")
"""For actors that write outside of their folder, and where a container would only cost time."""

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    if (x == 12345) return 1;
  }
  if (x < 0 && x > 5) return 2;
  return 0;
}
"""

ACTOR = """\
name: NAME
kind: KIND
direction: DIRECTION
gia: native
run:
  command: [python3, "{directory}/NAME.py", "{program}", "{gia}", "{out}"]
produces:
  - {type: gia, path: out.xml}
"""

CLAIM = """\
import re, sys
program, known, out = sys.argv[1:4]
text = open(known).read()
sha = re.search('sha256="([0-9a-f]+)"', text)[1]
edge = '<edge id="e1" function="main" line="5" column="5" kind="assume" branch="then"/>'
open(out, "w").write(f'''<gia xmlns="urn:gia:1" version="1.0">
 <metadata><task file="p.c" sha256="{sha}" data-model="LP64" specification=""/></metadata>
 <edges>{edge}EDGES</edges>
 <expressions>EXPRESSIONS</expressions>
 <states><state id="q0" initial="true"/>STATES</states>
 <transitions><transition from="q0" to="q0" edges="*"/>TRANSITIONS</transitions>
</gia>''')
"""

UT = (
    CLAIM.replace("STATES", '<state id="q1" accept="ut"/>')
    .replace("TRANSITIONS", '<transition from="q0" to="q1" edges="e1"/><transition from="q1" to="q1" edges="*"/>')
    .replace("EDGES", "")
    .replace("EXPRESSIONS", "")
)

RT = (
    CLAIM.replace("EDGES", '<edge id="e2" function="main" line="3" column="11" kind="input"/>')
    .replace("EXPRESSIONS", r'<expression id="x1" scope="main">\\result == VALUE</expression>')
    .replace("STATES", '<state id="q1"/><state id="q2" accept="rt"/>')
    .replace(
        "TRANSITIONS",
        '<transition from="q0" to="q1" edges="e2" assumption="x1"/><transition from="q1" to="q1" edges="*"/>'
        '<transition from="q1" to="q2" edges="e1"/><transition from="q2" to="q2" edges="*"/>',
    )
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(PROGRAM)
    return tmp_path


def actor(folder: Path, name: str, script: str, direction: str = "UA") -> None:
    kind = "tester" if direction == "UA" else "verifier"
    text = ACTOR.replace("NAME", name).replace("KIND", kind).replace("DIRECTION", direction)
    (folder / f"{name}.yml").write_text(text)
    (folder / f"{name}.py").write_text(script)


def composition(folder: Path, *steps: str, time: str = "10s") -> str:
    lines = ["name: mine", "steps:"]
    for step in dict.fromkeys(steps):
        known = (folder / f"{step}.yml").exists()
        lines.append(f"  {step}: {{actor: {f'./{step}.yml' if known else step}, time: {time}}}")
    lines += ["run:", f"  sequence: [{', '.join(steps)}]"]
    (folder / "mine.yml").write_text("\n".join(lines))
    return "mine.yml"


def run(folder: Path, *steps: str, time: str = "10s", isolation: str = "plain") -> Any:
    path = composition(folder, *steps, time=time)
    ran = gia("run", path, "p.c", "--json", "--time", "30s", "--isolation", isolation, cwd=folder)
    assert ran.status == 0, ran.err
    return ran.json


def test_a_true_claim_of_a_test_counts(folder: Path) -> None:
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    result = run(folder, "honest")
    assert statuses(result)["main:5:5:then"] == "covered"
    assert statuses(result)["main:4:3:then"] == "covered"
    assert result["steps"][0]["new_rt"] == 2
    assert result["goals"][0]["by"] == "honest"
    assert (folder / "gia-out/p.c/test-suite/testcase-1.xml").exists()


def test_a_test_that_does_not_do_what_was_claimed_counts_for_what_it_does(folder: Path) -> None:
    actor(folder, "liar", RT.replace("VALUE", "11"))
    result = run(folder, "liar")
    assert statuses(result)["main:5:5:then"] == "open"
    assert statuses(result)["main:5:5:else"] == "covered"
    assert any("main:5:5:then" in remark for remark in result["steps"][0]["remarks"])


def test_a_lie_is_found_out_by_an_executed_test(folder: Path) -> None:
    """The wrong proof comes first, the test later: the test stays, the actor is named."""
    actor(folder, "liar", UT, "OA")
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    result = run(folder, "liar", "honest")
    assert statuses(result)["main:5:5:then"] == "covered"
    assert any("liar" in warning and "main:5:5:then" in warning for warning in result["warnings"])


def test_a_lie_after_the_test(folder: Path) -> None:
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    actor(folder, "liar", UT, "OA")
    result = run(folder, "honest", "liar")
    assert statuses(result)["main:5:5:then"] == "covered"
    assert result["steps"][1]["new_ut"] == 0
    assert any("liar" in warning for warning in result["warnings"])


def test_a_claim_without_evidence_is_not_certified(folder: Path) -> None:
    actor(folder, "oracle", UT.replace('line="5" column="5"', 'line="7" column="3"'), "OA")
    goal = next(goal for goal in run(folder, "oracle")["goals"] if goal["id"] == "main:7:3:then")
    assert goal["status"] == "unreachable"
    assert "certified" in goal


@pytest.mark.parametrize(("script", "direction"), [(UT, "UA"), (RT.replace("VALUE", "12345"), "OA")])
def test_a_direction_that_does_not_match_is_refused(folder: Path, script: str, direction: str) -> None:
    actor(folder, "wrong", script, direction)
    result = run(folder, "wrong")
    assert set(statuses(result).values()) == {"open"}
    assert any("refused" in remark for remark in result["steps"][0]["remarks"])


@pytest.mark.parametrize(
    ("script", "status", "remark"),
    [
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "failed", "SIGSEGV"),
        ("import sys\nprint('no licence')\nsys.exit(3)", "failed", "exit status 3: no licence"),
        ("pass", "failed", "has not written out.xml"),
        ("import sys\nopen(sys.argv[3], 'w').write('')", "failed", "out.xml"),
        ("import sys\nopen(sys.argv[3], 'w').write('<gia><edges')", "failed", "out.xml:1"),
        ("import sys\nopen(sys.argv[3], 'wb').write(b'\\xff\\x00' * 1000)", "failed", "out.xml"),
        (
            "import sys\nopen(sys.argv[3], 'w').write(open(sys.argv[2]).read().replace('sha256=\"', 'sha256=\"0'))",
            "failed",
            "another program",
        ),
        ("import sys\nsys.stdout.write('x' * 30_000_000)", "failed", "has not written"),
        ("import time\ntime.sleep(60)", "timeout", "stopped after"),
        (
            "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
            "timeout",
            "stopped after",
        ),
        ("import os\nos.makedirs('out.xml')", "failed", "out.xml"),
        ("import shutil, os\nshutil.rmtree(os.getcwd())", "failed", "has not written"),
    ],
    ids=["crash", "exit", "nothing", "empty", "half", "binary", "other", "flood", "hang", "deaf", "folder", "rm"],
)
def test_a_tool_that_fails_costs_its_own_step_only(folder: Path, script: str, status: str, remark: str) -> None:
    actor(folder, "broken", script)
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    result = run(folder, "broken", "honest", time="1s")
    assert result["steps"][0]["status"] == status
    assert any(remark in text for text in result["steps"][0]["remarks"]), result["steps"][0]["remarks"]
    assert statuses(result)["main:5:5:then"] == "covered"


def test_a_tool_that_fails_in_a_container_costs_its_own_step_only(folder: Path) -> None:
    daemon = "import os, time\nif os.fork() == 0:\n  os.setsid()\n  time.sleep(60)\n"
    scripts = {
        "crash": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",
        "deaf": "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
        "daemon": daemon,
        "rm": "import shutil, os\nshutil.rmtree(os.getcwd())",
        "honest": RT.replace("VALUE", "12345"),
    }
    for name, script in scripts.items():
        actor(folder, name, script)
    result = run(folder, *scripts, time="1500ms", isolation="auto")
    statuses_of_steps = [step["status"] for step in result["steps"]]
    assert statuses_of_steps == ["failed", "timeout", "failed", "failed", "ok"]
    assert len({step["isolation"] for step in result["steps"]}) == 1
    assert result["isolation"] == result["steps"][0]["isolation"]
    assert (result["isolation"] == "benchexec") == (not any("BenchExec" in text for text in result["warnings"]))
    assert statuses(result)["main:5:5:then"] == "covered"


def test_a_tool_that_is_not_installed(folder: Path) -> None:
    actor(folder, "absent", "pass")
    path = folder / "absent.yml"
    path.write_text(path.read_text() + "needs:\n  - {executable: no-such-tool, hint: get it from its authors}\n")
    result = run(folder, "absent")
    assert result["steps"][0]["status"] == "failed"
    assert result["steps"][0]["remarks"] == ["no-such-tool is not installed: get it from its authors"]


@pytest.mark.parametrize("reducer", ["residual", "monitor"])
def test_a_tool_that_reads_only_c(folder: Path, reducer: str) -> None:
    """It gets the reduced program; its tests are executed on the original one."""
    (folder / "c-only.yml").write_text(
        f"name: c-only\nkind: tester\ndirection: UA\ngia: none\nreducer: {reducer}\n"
        'run:\n  command: [python3, "{directory}/c-only.py", "{program}", "{out}"]\n'
        "produces:\n  - {type: test-suite, path: tests}\n"
    )
    (folder / "c-only.py").write_text(
        "import os, subprocess, sys\n"
        "subprocess.run(['gcc', '-fsyntax-only', '-w', sys.argv[1]], check=True)\n"
        "os.mkdir(sys.argv[2])\n"
        "open(sys.argv[2] + '/t.xml', 'w').write('<testcase><input>12345</input></testcase>')\n"
        "open(sys.argv[2] + '/half.xml', 'w').write('<testcase><inp')\n"
    )
    result = run(folder, "c-only")
    assert result["steps"][0]["status"] == "ok", result["steps"]
    assert any("half.xml" in remark and "left out" in remark for remark in result["steps"][0]["remarks"])
    assert statuses(result)["main:5:5:then"] == "covered"


def test_a_bare_verdict(folder: Path) -> None:
    """It is about the marks that stand at the open goals; without marks, it is refused for a coverage task."""
    description = (
        "name: oracle\nkind: verifier\ndirection: OA\ngia: none\nrun:\n  command: [echo, 'RESULT: SAFE']\n"
        "produces:\n  - {type: verdict, path: log.txt, 'true': SAFE, 'false': UNSAFE}\n"
    )
    (folder / "oracle.yml").write_text(f"{description}goals: reach-error\n")
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    result = run(folder, "oracle")
    assert set(statuses(result).values()) == {"unreachable"}
    assert not any(goal["certified"] for goal in result["goals"] if goal["id"] != "main:7:3:then")
    (folder / "oracle.yml").write_text(description)
    refused = gia("run", "mine.yml", "p.c", "--json", "--time", "30s", cwd=folder)
    assert refused.status == 2
    assert "says nothing about goals to cover" in refused.err


def test_what_parallel_branches_find_is_joined(folder: Path) -> None:
    """They know nothing of each other; the contradiction is settled when they are joined."""
    actor(folder, "liar", UT, "OA")
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    composition(folder, "liar", "honest")
    path = folder / "mine.yml"
    path.write_text(path.read_text().replace("sequence:", "parallel:"))
    result = gia("run", "mine.yml", "p.c", "--json", "--time", "30s", cwd=folder).json
    assert statuses(result)["main:5:5:then"] == "covered"
    assert any("liar" in warning for warning in result["warnings"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_interrupted_and_resumed(folder: Path, number: signal.Signals) -> None:
    """What was found is kept whatever ends the run; the finished step is not done again."""
    actor(folder, "honest", "open('ran', 'a').write('x')\n" + RT.replace("VALUE", "12345"))
    actor(folder, "sleeper", "import time\ntime.sleep(50)", "OA")
    composition(folder, "honest", "sleeper", time="50s")
    command = [*COMMAND, "run", "mine.yml", "p.c", "--time", "60s"]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    result = folder / "gia-out/p.c/result.json"
    wait_until(lambda: '"sleeper"' in content(folder / "gia-out/p.c/journal.jsonl"))
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=20)
    if number != signal.SIGKILL:
        assert process.returncode == 1
        assert "what was found until now is in " in err
        assert "--resume " in err
        assert "it was interrupted" in result.read_text()
    assert '"covered"' in result.read_text()
    (folder / "sleeper.py").write_text(UT.replace('line="5" column="5"', 'line="7" column="3"'))
    other = gia("run", "mine.yml", "p.c", "--resume", "gia-out/p.c", "--seed", "7", cwd=folder)
    assert other.status == 2
    assert "its seed was 0, not 7" in other.err
    resumed = gia("run", "mine.yml", "p.c", "--resume", "gia-out/p.c", "--json", cwd=folder).json
    assert [step["actor"] for step in resumed["steps"]] == ["honest", "sleeper"]
    assert (folder / "gia-out/p.c/steps/001-honest/ran").read_text() == "x"
    assert statuses(resumed)["main:5:5:then"] == "covered"
    assert statuses(resumed)["main:7:3:then"] == "unreachable"


def test_a_closed_terminal_ends_the_run_and_what_was_found_is_kept(folder: Path) -> None:
    actor(folder, "honest", RT.replace("VALUE", "12345"))
    actor(folder, "sleeper", "import time\ntime.sleep(50)", "OA")
    composition(folder, "honest", "sleeper", time="50s")
    temporary = folder / "temporary"
    temporary.mkdir()
    environment = ENVIRONMENT | {"TMPDIR": str(temporary)}
    terminal, ours = pty.openpty()
    command = ["setsid", "--ctty", *COMMAND, "run", "mine.yml", "p.c", "--time", "60s"]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=ours, stdout=ours, stderr=ours)
    os.close(ours)
    journal = folder / "gia-out/p.c/journal.jsonl"
    wait_until(lambda: '"sleeper"' in content(journal))
    os.close(terminal)
    for _ in range(20):
        time.sleep(0.01)
        process.send_signal(signal.SIGHUP)  # as the shell of the terminal does
    assert process.wait(timeout=20) == 1
    assert '"covered"' in (folder / "gia-out/p.c/result.json").read_text()
    assert not list(temporary.iterdir()), "a report of a bug, or a folder left"


def test_two_runs_in_one_directory(folder: Path) -> None:
    actor(folder, "sleeper", "import time\ntime.sleep(50)")
    composition(folder, "sleeper", time="50s")
    command = [*COMMAND, "run", "mine.yml", "p.c"]
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_until((folder / "gia-out/p.c/journal.jsonl").exists)
    try:
        ran = gia("run", "mine.yml", "p.c", cwd=folder)
        assert ran.status == 1
        assert "another run is using this directory" in ran.err
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_what_an_interrupted_step_had_written_is_kept(folder: Path) -> None:
    """The run dies while the actor works; the actor is broken ever after."""
    actor(folder, "slow", RT.replace("VALUE", "12345") + "import time\ntime.sleep(50)\n")
    composition(folder, "slow", time="50s")
    command = [*COMMAND, "run", "mine.yml", "p.c", "--time", "60s"]
    process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    out = folder / "gia-out/p.c/steps/001-slow/out.xml"
    wait_until(lambda: content(out).endswith("</gia>"))
    process.kill()
    process.wait()
    (folder / "slow.py").write_text("import sys\nsys.exit(3)\n")
    for _ in range(2):  # resuming once more loses nothing either
        resumed = gia("run", "mine.yml", "p.c", "--resume", "gia-out/p.c", "--json", cwd=folder).json
        assert statuses(resumed)["main:5:5:then"] == "covered"
        assert [step["status"] for step in resumed["steps"]] == ["cancelled", "failed"]


def test_a_race_that_is_interrupted_keeps_what_each_had_written(folder: Path) -> None:
    wait = "import os, time\nopen('process', 'w').write(str(os.getpid()))\ntime.sleep(50)\n"
    actor(folder, "quick", RT.replace("VALUE", "12345") + wait)
    actor(folder, "slow", UT.replace('line="5" column="5"', 'line="7" column="3"') + wait, "OA")
    path = folder / composition(folder, "quick", "slow", time="50s")
    path.write_text(path.read_text().replace("sequence:", "portfolio:"))
    command = [*COMMAND, "run", "mine.yml", "p.c", "--time", "60s", "--cores", "2", *UNCONTAINED]
    process = subprocess.Popen(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    steps = folder / "gia-out/p.c/steps"
    wait_until(lambda: sum(1 for path in steps.glob("*/process") if path.read_text()) == 2)
    waiting = list(steps.glob("*/process"))
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == 1
    result = json.loads((folder / "gia-out/p.c/result.json").read_text())
    assert statuses(result)["main:5:5:then"] == "covered"
    assert statuses(result)["main:7:3:then"] == "unreachable"
    assert [step["status"] for step in result["steps"]] == ["cancelled", "cancelled"]
    for path in waiting:
        assert not Path("/proc", path.read_text()).exists()


HALF = (
    CLAIM.replace(
        "EDGES",
        '<edge id="e2" function="main" line="4" column="3" kind="assume" branch="BRANCH"/>'
        '<edge id="e3" function="main" line="7" column="3" kind="assume" branch="then"/>',
    )
    .replace("EXPRESSIONS", "")
    .replace("STATES", '<state id="q1"/><state id="q2" accept="ut"/>')
    .replace(
        "TRANSITIONS",
        '<transition from="q0" to="q1" edges="e2"/><transition from="q1" to="q1" edges="*"/>'
        '<transition from="q1" to="q2" edges="e3"/><transition from="q2" to="q2" edges="*"/>',
    )
)


def test_what_two_provers_exclude_together_is_decided_and_certified(folder: Path) -> None:
    for name, branch in (("low", "else"), ("high", "then")):
        actor(folder, name, HALF.replace("BRANCH", branch), "OA")
    result = run(folder, "low")
    assert statuses(result)["main:7:3:then"] == "open"
    result = run(folder, "low", "high")
    goal = next(goal for goal in result["goals"] if goal["id"] == "main:7:3:then")
    assert (goal["status"], goal["by"], goal["certified"]) == ("unreachable", "low, high", True)
    assert [step["new_ut"] for step in result["steps"]] == [0, 1]


NEVER_ENDING = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x, y = 0, n = 0;
  while ((x = __VERIFIER_nondet_int())) {
    y += x;
    if (y * y + y == 7) return 1;
    if (++n == 2000000000) return 2;
  }
  return 0;
}
"""

LOOKING = """\
import glob, os, sys, time
steps = os.path.dirname(os.path.dirname(sys.argv[3]))
end = time.monotonic() + 20
while time.monotonic() < end and not glob.glob(os.path.join(steps, "*-tester", "NOTE")):
    time.sleep(0.01)
open(sys.argv[0].replace(".py", ".seen"), "w").write(str(time.monotonic() < end))
"""


@pytest.mark.parametrize("cores", ["1", "2"])
def test_a_built_in_actor_is_told_while_others_are_at_work(folder: Path, cores: str) -> None:
    (folder / "p.c").write_text(NEVER_ENDING)
    actor(
        folder, "looking", LOOKING.replace("+ 20", "+ 20" if cores == "2" else "+ 0.5").replace("NOTE", AT_WORK), "OA"
    )
    steps = "steps: {test: {actor: tester, time: 3s}, look: {actor: ./looking.yml, time: 25s}}"
    (folder / "mine.yml").write_text(f"name: mine\n{steps}\nrun: {{parallel: [test, look]}}\n")
    ran = gia("run", "mine.yml", "p.c", "--json", "--cores", cores, "--time", "40s", *UNCONTAINED, cwd=folder)
    assert ran.status == 0, ran.err
    assert (folder / "looking.seen").read_text() == str(cores == "2")
    assert not list((folder / "gia-out/p.c/steps").glob(f"*/{AT_WORK}"))


@pytest.mark.parametrize("kind", ["portfolio", "parallel"])
def test_what_branches_of_a_portfolio_have_found_is_known_to_the_others_at_once(folder: Path, kind: str) -> None:
    """A tester that does not end is told of a proof; who starts then knows of its tests, which it has written down."""
    (folder / "p.c").write_text(NEVER_ENDING.replace("y * y + y == 7", "x == 0"))
    long = "20" if kind == "portfolio" else "2"
    actor(folder, "looking", LOOKING.replace("+ 20", f"+ {long}").replace("NOTE", DECIDED), "OA")
    wait = LOOKING.replace("+ 20", f"+ {long}").replace("NOTE", "out.xml")
    actor(folder, "waiting", wait, "OA")
    actor(folder, "last", "", "OA")
    steps = ", ".join(f"{name}: {{actor: ./{name}.yml, time: 25s}}" for name in ("looking", "waiting", "last"))
    (folder / "mine.yml").write_text(
        f"name: mine\nsteps: {{test: {{actor: tester, time: 7s}}, prove: {{actor: interval}}, {steps}}}\n"
        f"run: {{{kind}: [test, {{sequence: [prove, looking, waiting, last]}}]}}\n"
    )
    ran = gia("run", "mine.yml", "p.c", "--json", "--cores", "2", "--time", "80s", *UNCONTAINED, cwd=folder)
    assert ran.status == 0, ran.err
    assert (folder / "looking.seen").read_text() == str(kind == "portfolio")
    (given,) = (folder / "gia-out/p.c/steps").glob("*-last/in.xml")
    assert bool(read_gia(given).accepting(Acceptance.RT)) == (kind == "portfolio")
    status = {goal["id"]: goal["status"] for goal in ran.json["goals"] if goal["status"] != "covered"}
    assert status == {"main:6:5:then": "unreachable", "main:7:5:then": "open"}
    gained = {step["actor"]: (step["new_rt"], step["new_ut"]) for step in ran.json["steps"]}
    assert gained == {"tester": (4, 0), "interval": (0, 1), "looking": (0, 0), "waiting": (0, 0), "last": (0, 0)}
    assert not list((folder / "gia-out/p.c/steps").glob(f"*/{DECIDED}*"))


def test_a_prover_is_told_of_tests_while_their_tester_goes_on(folder: Path) -> None:
    (folder / "p.c").write_text(NEVER_ENDING)
    actor(folder, "looking", LOOKING.replace("*-tester", "*-verifier").replace("NOTE", DECIDED), "OA")
    steps = ", ".join(f"{name}: {{actor: {name}, time: 5s}}" for name in ("tester", "verifier"))
    (folder / "mine.yml").write_text(
        f"name: mine\nsteps: {{{steps}, look: {{actor: ./looking.yml, time: 25s}}}}\n"
        "run: {portfolio: [tester, verifier, look]}\n"
    )
    ran = gia("run", "mine.yml", "p.c", "--json", "--cores", "3", "--time", "40s", *UNCONTAINED, cwd=folder)
    assert ran.status == 0, ran.err
    assert (folder / "looking.seen").read_text() == "True"
    ended = {step["actor"]: step["wall"] for step in ran.json["steps"]}
    assert ended["looking"] < ended["tester"]


TURNS = """\
name: mine
steps:
  test: {actor: TESTER, time: 1s}
  look: {actor: ./looking.yml, time: 2s}
run:
  choice:
    - when: {gives-way: test}
      do: {portfolio: [{step: test, time: 100%}, {sequence: [look, look]}]}
    - do: {sequence: [test, look, look]}
"""


@pytest.mark.parametrize("tester", ["tester", "fuzz", "./slow.yml"])
def test_on_one_core_a_tester_of_gia_stops_while_others_of_its_portfolio_work(folder: Path, tester: str) -> None:
    """Any other tester has its turn before them."""
    (folder / "p.c").write_text(NEVER_ENDING)
    (folder / "mine.yml").write_text(TURNS.replace("TESTER", tester))
    looking = LOOKING.replace("+ 20", "+ 1").replace("*-tester", "*").replace("NOTE", BESIDE.core_given.name)
    actor(folder, "looking", looking, "OA")
    actor(folder, "slow", "import time; time.sleep(0.5)", "UA")
    options = ("--json", "--cores", "1", "--time", "6s", "--no-cache", *UNCONTAINED)
    ran = gia("run", "mine.yml", "p.c", *options, cwd=folder)
    assert ran.status == 0, ran.err
    assert (folder / "looking.seen").read_text() == str(tester != "./slow.yml")
    assert [step["actor"] for step in ran.json["steps"]][1:] == ["looking", "looking"]
    assert not list((folder / "gia-out/p.c/steps").glob("*/core-*"))
