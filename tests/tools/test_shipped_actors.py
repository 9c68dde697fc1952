"""Every shipped actor, with a stand-in for its tool: what it leaves comes in, and what it breaks is its own step."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from gia.orchestrator.actor import all_actors
from tests.cli.harness import ENVIRONMENT, gia, statuses
from tests.tools import fakes

HONEST = """\
name: honest
kind: tester
direction: UA
gia: none
run: {command: [sh, -c, 'echo "<testcase><input>12345</input></testcase>" > t.xml']}
produces: [{type: test-suite, path: t.xml}]
"""
pytest.importorskip("benchexec", reason="BenchExec is not installed: pip install -e '.[dev]'")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "p.c").write_text(fakes.PROGRAM)
    (tmp_path / "honest.yml").write_text(HONEST)
    monkeypatch.setitem(ENVIRONMENT, "PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path


def run(folder: Path, *actors: str, time: str = "20s", parallel: bool = False) -> Any:
    known = {name: f"./{name}.yml" if name == "honest" else name for name in actors}
    together = "parallel" if parallel else "sequence"
    steps = "".join(f"  s-{name}: {{actor: {path}, time: {time}}}\n" for name, path in known.items())
    sequence = ", ".join(f"s-{name}" for name in actors)
    (folder / "mine.yml").write_text(f"name: mine\nsteps:\n{steps}run:\n  {together}: [{sequence}]\n")
    ran = gia("run", "mine.yml", "p.c", "--json", "--time", "200s", cwd=folder)
    assert ran.status == 0, ran.err
    return ran.json


@pytest.mark.parametrize("name", fakes.TESTERS)
def test_the_tests_of_a_tester_come_in(folder: Path, name: str) -> None:
    fakes.install(folder / "bin", fakes.TESTERS[name], sys.executable)
    result = run(folder, name)
    assert result["steps"][0]["status"] == "ok", result["steps"]
    assert statuses(result)[fakes.WANTED] == "covered"
    assert {goal["by"] for goal in result["goals"] if goal["status"] == "covered"} == {name}
    assert 'type="int"' in (folder / "gia-out/p.c/test-suite/testcase-1.xml").read_text()


@pytest.mark.parametrize("name", fakes.PROVERS)
def test_the_claims_of_a_prover_come_in(folder: Path, name: str) -> None:
    fakes.install(folder / "bin", fakes.PROVERS[name], sys.executable)
    result = run(folder, name)
    assert result["steps"][0]["status"] == "ok", result["steps"]
    assert [goal for goal, status in statuses(result).items() if status == "unreachable"] == [fakes.NEVER]


@pytest.mark.parametrize("name", fakes.ORACLES)
def test_a_wrong_answer_is_found_out_and_its_actor_named(folder: Path, name: str) -> None:
    fakes.install(folder / "bin", fakes.ORACLES[name], sys.executable)
    result = run(folder, name, "honest", parallel=True)
    assert sorted(step["new_ut"] for step in result["steps"]) == [0, 6]
    assert statuses(result)[fakes.WANTED] == "covered"
    assert any(name in warning and fakes.WANTED in warning for warning in result["warnings"])
    unchecked = [g for g in result["goals"] if g["status"] == "unreachable" and not g["certified"]]
    assert not unchecked  # the claims that nobody has checked went with the wrong one


def test_a_validator_decides_nothing(folder: Path) -> None:
    fakes.install(folder / "bin", fakes.VALIDATORS["testcov"], sys.executable)
    result = run(folder, "honest", "testcov")
    assert result["steps"][1]["status"] == "ok", result["steps"]
    assert "it measures 50.0 % of 6 goals with 1 tests" in result["steps"][1]["remarks"]


BROKEN = {
    "silent": ("", ""),
    "crash": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "licence": ("import sys\nsys.exit('no licence')", "exit status 1: no licence"),
    "flood": ("import sys\nsys.stdout.write('[' * 20_000_000)", ""),
    "nonsense": (
        "import os, pathlib, sys\n"
        "for name in ('klee-out/a.ktest', 'crest-inputs.txt', 'fuzzing/default/queue/id:0', 'seeds/x',\n"
        "             'test-suite/t.xml', 'output/witness.yml', 'target'):\n"
        "    path = pathlib.Path(name)\n"
        "    path.parent.mkdir(parents=True, exist_ok=True)\n"
        "    path.write_bytes(bytes(range(256)) * 9)\n"
        "sys.stdout.buffer.write(bytes(range(256)))",
        "",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_tool_costs_its_own_step_only(folder: Path, how: str) -> None:
    """All of them, one after the other, and then one that works."""
    script, remark = BROKEN[how]
    for tools in fakes.ALL.values():
        fakes.install(folder / "bin", dict.fromkeys(tools, script), sys.executable)
    result = run(folder, *fakes.ALL, "honest")
    assert statuses(result)[fakes.WANTED] == "covered"
    assert "unreachable" not in statuses(result).values()
    *broken, honest = result["steps"]
    assert honest["status"] == "ok"
    for step in broken:
        if step["new_rt"] and how == "nonsense":  # to a program that reads bytes, none are wrong
            assert step["actor"] in ("afl", "libfuzzer"), step
            continue
        assert step["new_rt"] == step["new_ut"] == 0
        assert step["remarks"], step
        remarks = " ".join(step["remarks"]).replace("Segmentation fault", "SIGSEGV")  # as a shell calls it
        assert remark in remarks or "could not be asked" in step["remarks"][0], step


def test_half_a_file_is_taken_as_far_as_it_goes(folder: Path) -> None:
    """A tool that is killed while it writes: what is whole counts, what is not is refused."""
    half = fakes.KLEE + "(folder / 'test000002.ktest').write_bytes((folder / 'test000001.ktest').read_bytes()[:30])\n"
    fakes.install(folder / "bin", {**fakes.TESTERS["klee"], "klee": half}, sys.executable)
    fakes.install(folder / "bin", {"frama-c": fakes.FRAMA_C.rpartition("print")[0]}, sys.executable)
    result = run(folder, "klee", "frama-c")
    assert statuses(result)[fakes.WANTED] == "covered"
    assert statuses(result)[fakes.NEVER] == "open"
    assert any("test000002.ktest" in remark for remark in result["steps"][0]["remarks"])
    assert any("not complete" in remark for remark in result["steps"][1]["remarks"])


def test_a_tool_that_hangs_is_ended(folder: Path) -> None:
    fakes.install(folder / "bin", {"frama-c": "import time\ntime.sleep(60)"}, sys.executable)
    result = run(folder, "frama-c", "honest", time="1s")
    assert [step["status"] for step in result["steps"]] == ["timeout", "ok"]


def test_tools_that_are_not_installed_are_named(folder: Path) -> None:
    (folder / "bin").mkdir()
    for tool in ("gcc", "sh", "env", "as", "ld"):
        (folder / "bin" / tool).symlink_to(str(shutil.which(tool)))
    ENVIRONMENT["PATH"] = str(folder / "bin")  # the fixture gives the old one back
    result = run(folder, *fakes.ALL, "uautomizer", "honest")
    assert statuses(result)[fakes.WANTED] == "covered"
    for step in result["steps"][:-1]:
        assert step["status"] == "failed", step
        assert "is not installed" in step["remarks"][0], step
        assert ";" in step["remarks"][0] or ": " in step["remarks"][0]
    doctor = gia("actor", "doctor", cwd=folder).out
    assert doctor.count("missing") >= len(fakes.ALL)
    assert "sudo apt-get install frama-c-base" in doctor


def command_of(folder: Path, name: str) -> list[str]:
    """The command that starts the actor's tool, written down by a shell in its place."""
    actor = all_actors()[name]
    tool = {"symbiotic": "symbiotic", "fusebmc": "fusebmc.py", "cpachecker": "cpachecker"}.get(name)
    command = actor.description.run.command or ()
    wanted = tool or next(word for word in command if shutil.which(word, path=str(folder / "bin")))
    script = "import json, sys\nopen('command.json', 'w').write(json.dumps(sys.argv[1:]))\n"
    fakes.install(folder / "bin", {wanted: script}, sys.executable)
    run(folder, name)
    step = folder / "gia-out/p.c/steps" / f"001-{name}"
    words = json.loads((step / "command.json").read_text())
    return [wanted, *(word.replace(f"{step}/", "").replace(f"{folder}/", "") for word in words)]


COMMANDS = {
    "klee": "klee --output-dir=klee-out --max-time=19s --max-memory=4000 --only-output-states-covering-new "
    "--search=random-path --search=nurs:covnew --external-calls=concrete --check-overshift=false target",
    "afl": "afl-fuzz -i seeds -o fuzzing -m none -t 1000 -s 1 -c 0 -V 19 -- target",
    "frama-c": "frama-c -machdep gcc_x86_64 -no-warn-signed-overflow -no-warn-left-shift-negative "
    "-no-warn-right-shift-negative -warn-special-float none -eva -eva-precision 5 -eva-initialized-locals "
    "-eva-verbose 0 harness.c -then -report",
    "cbmc": "cbmc harness.c --64 --unwind 20 --unwinding-assertions --no-built-in-assertions --no-standard-checks "
    "--no-malloc-may-fail --json-ui",
    "cbmc-cover": "cbmc harness.c --64 --cover cover --show-test-suite --unwind 5 --no-standard-checks "
    "--no-malloc-may-fail --json-ui",
    "esbmc": "esbmc program.c --64 --floatbv --k-induction --unlimited-k-steps --no-bounds-check --no-pointer-check "
    "--no-div-by-zero-check --no-align-check --no-vla-size-check --timeout 19s",
    "fusebmc": "fusebmc.py -s incr -p specification.prp --arch 64 program.c",
    "testcov": "testcov --no-isolation --no-plots --timelimit-per-run 3 --output testcov --goal specification.prp -64 "
    "--test-suite tests.zip p.c",
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_the_exact_command_line(folder: Path, name: str) -> None:
    fakes.install(folder / "bin", fakes.ALL[name], sys.executable)
    assert " ".join(command_of(folder, name)) == COMMANDS[name]


def test_the_command_line_of_a_module_of_benchexec(folder: Path) -> None:
    """The rest is the module's business, and changes with the version of BenchExec."""
    fakes.install(folder / "bin", fakes.ALL["cpachecker"], sys.executable)
    words = " ".join(command_of(folder, "cpachecker"))
    assert words.startswith("cpachecker --svcomp26 --heap 4000M --benchmark ")
    assert words.endswith(" program.c")
    assert "--spec specification.prp" in words
    assert "--64" in words


@pytest.mark.parametrize(("invariant", "certified"), [("x == y", True), ("x == 0U", False), ("x >= 0U", False)])
def test_the_witness_of_a_verifier_is_evidence(folder: Path, invariant: str, certified: bool) -> None:
    """A verifier that is right, with an invariant that shows it, one that does not hold, and one that is too weak."""
    fakes.install(folder / "bin", {"cpachecker": fakes.WITNESS.replace("INVARIANT", invariant)}, sys.executable)
    (folder / "p.c").write_text(fakes.LOOP)
    (folder / "mine.yml").write_text(
        "name: mine\ntask: verification\nsteps:\n  prove: {actor: cpachecker, time: 20s}\nrun: {sequence: [prove]}\n"
    )
    result = gia("run", "mine.yml", "p.c", "--json", cwd=folder).json
    assert result["steps"][0]["status"] == "ok", result["steps"]
    assert [(goal["status"], goal["certified"]) for goal in result["goals"]] == [("unreachable", certified)]
    assert any("does not hold" in remark for remark in result["steps"][0]["remarks"]) is not certified
