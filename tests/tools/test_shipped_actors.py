"""Every shipped actor, with a stand-in for its tool: what it leaves comes in, and what it breaks is its own step."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gia.automaton.model import ANY, Acceptance
from gia.cfa.types import DataModel
from gia.exchange.gia_xml import read_gia
from gia.orchestrator.description.actor import all_actors
from gia.tools.bench_exec import BenchExecTool, ToolTask
from tests.cli.harness import ENVIRONMENT, gia, statuses
from tests.cli.test_fake_actors import UNCONTAINED
from tests.shared import SHARED, needs_shared
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


CONTAINED = ("--isolation", "auto")


def run(
    folder: Path, *actors: str, time: str = "20s", parallel: bool = False, isolation: Sequence[str] = UNCONTAINED
) -> Any:
    """The result of a run; without containers, which take most of the time, unless what they change matters."""
    known = {name: f"./{name}.yml" if name == "honest" else name for name in actors}
    together = "parallel" if parallel else "sequence"
    steps = "".join(f"  s-{name}: {{actor: {path}, time: {time}}}\n" for name, path in known.items())
    sequence = ", ".join(f"s-{name}" for name in actors)
    (folder / "mine.yml").write_text(f"name: mine\nsteps:\n{steps}run:\n  {together}: [{sequence}]\n")
    ran = gia("run", "mine.yml", "p.c", "--json", "--time", "200s", *isolation, cwd=folder)
    assert ran.status == 0, ran.err
    return ran.json


@pytest.mark.parametrize("name", fakes.TESTERS)
def test_the_tests_of_a_tester_come_in(folder: Path, name: str) -> None:
    fakes.install(folder / "bin", fakes.TESTERS[name], sys.executable)
    result = run(folder, name, isolation=CONTAINED)
    assert result["steps"][0]["status"] == "ok", result["steps"]
    assert statuses(result)[fakes.WANTED] == "covered"
    assert {goal["by"] for goal in result["goals"] if goal["status"] == "covered"} == {name}
    assert 'type="int"' in (folder / "gia-out/p.c/test-suite/testcase-1.xml").read_text()


@pytest.mark.parametrize("name", fakes.PROVERS)
def test_the_claims_of_a_prover_come_in(folder: Path, name: str) -> None:
    fakes.install(folder / "bin", fakes.PROVERS[name], sys.executable)
    result = run(folder, name, isolation=CONTAINED)
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
    result = run(folder, "honest", "testcov", isolation=CONTAINED)
    assert result["steps"][1]["status"] == "ok", result["steps"]
    assert "it measures 50.0 % of 6 goals with 1 tests" in result["steps"][1]["remarks"]


BROKEN = {
    "silent": ("", ""),
    "crash": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "licence": ("import sys\nprint('no licence')\nsys.exit(3)", "exit status 3: no licence"),
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
    result = run(folder, "frama-c", "honest", time="1s", isolation=CONTAINED)
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


TOOLS = {
    "symbiotic": "symbiotic",
    "fusebmc": "fusebmc.py",
    "cpachecker": "cpachecker",
    "crest": "run_crest",
    "libfuzzer": "target",
    "uautomizer": "Ultimate.py",
}
"""Executables that the actor's command does not begin with."""


def command_of(folder: Path, name: str) -> list[str]:
    """The command that starts the actor's tool, written down by a shell in its place."""
    actor = all_actors()[name]
    command = actor.description.run.command or ()
    wanted = TOOLS.get(name) or next(word for word in command if shutil.which(word, path=str(folder / "bin")))
    script = "import json, sys\nopen('command.json', 'w').write(json.dumps(sys.argv[1:]))\n"
    if name == "uautomizer":
        fakes.install_ultimate(folder / "bin", script, sys.executable)
    elif name == "libfuzzer":  # the tool is what the compiler makes
        made = f"#!{sys.executable}\n{script}"
        compiler = f"import pathlib\nt = pathlib.Path('target')\nt.write_text({made!r})\nt.chmod(0o755)\n"
        fakes.install(folder / "bin", {"clang": compiler}, sys.executable)
    else:
        fakes.install(folder / "bin", {wanted: script}, sys.executable)
    run(folder, name)
    step = folder / "gia-out/p.c/steps" / f"001-{name}"
    words = json.loads((step / "command.json").read_text())
    return [wanted, *(word.replace(f"{step}/", "").replace(f"{folder}/", "") for word in words)]


COMMANDS = {
    "klee": "klee --output-dir=klee-out --max-time=19s --max-memory=4000 --only-output-states-covering-new "
    "--search=random-path --search=nurs:covnew --external-calls=concrete "
    "--kdalloc-globals-start-address=0x10000 --kdalloc-globals-size=1 "
    "--kdalloc-stack-start-address=0x40010000 --kdalloc-stack-size=1 "
    "--kdalloc-heap-start-address=0x80010000 --kdalloc-heap-size=1 "
    "--kdalloc-constants-start-address=0xc0010000 --kdalloc-constants-size=1 --check-overshift=false target",
    "afl": "afl-fuzz -i seeds -o fuzzing -m none -t 1000 -s 1 -c 0 -V 19 -- target",
    "frama-c": "frama-c -machdep gcc_x86_64 -no-warn-signed-overflow -no-warn-left-shift-negative "
    "-no-warn-right-shift-negative -warn-special-float none -eva -eva-precision 5 -eva-initialized-locals "
    "-eva-verbose 0 harness.c -then -report",
    "cbmc": "cbmc harness.c --64 --unwind 20 --unwinding-assertions --no-built-in-assertions --no-standard-checks "
    "--no-malloc-may-fail --json-ui",
    "cbmc-cover": "cbmc harness.c --64 --cover cover --show-test-suite --unwind 5 --no-standard-checks "
    "--no-malloc-may-fail --json-ui",
    "esbmc": "esbmc program.c --64 --floatbv --k-induction --unlimited-k-steps --no-bounds-check --no-pointer-check "
    "--no-div-by-zero-check --no-align-check --no-vla-size-check --timeout 19s --witness-output-yaml witness.yml",
    "crest": "run_crest ./harness 10000 -cfg",
    "libfuzzer": "target seeds -fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 -use_value_profile=1 "
    "-timeout=1 -rss_limit_mb=2048 -detect_leaks=0 -seed=1 -max_total_time=19 -artifact_prefix=crash-",
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
    words = " ".join(command_of(folder, "cpachecker"))
    assert words.startswith("cpachecker --svcomp26 --heap 4000M --benchmark ")
    assert words.endswith(" program.c")
    assert "--spec specification.prp" in words
    assert "--64" in words


def test_the_command_line_of_symbiotic(folder: Path) -> None:
    words = " ".join(command_of(folder, "symbiotic"))
    assert words.startswith("symbiotic ")
    assert "--test-comp" in words
    assert "--prp=specification.prp" in words
    assert words.endswith(" program.c")


def test_the_command_line_of_uautomizer(folder: Path) -> None:
    assert " ".join(command_of(folder, "uautomizer")) == (
        "Ultimate.py --spec specification.prp --file program.c --witness-dir . --architecture 64bit"
    )


def test_the_compiler_of_crest_gets_the_harness(folder: Path) -> None:
    compiler = "import json, sys\nopen('compiler.json', 'w').write(json.dumps(sys.argv[1:]))\n"
    fakes.install(folder / "bin", {"crestc": compiler, "run_crest": fakes.RUN_CREST}, sys.executable)
    run(folder, "crest")
    step = folder / "gia-out/p.c/steps/001-crest"
    assert json.loads((step / "compiler.json").read_text()) == [str(step / "harness.c")]


def verify(folder: Path, actor: str, text: str, *options: str) -> Any:
    (folder / "p.c").write_text(text)
    (folder / "mine.yml").write_text(
        f"name: mine\ntask: verification\nsteps:\n  prove: {{actor: {actor}, time: 20s}}\nrun: {{sequence: [prove]}}\n"
    )
    ran = gia("run", "mine.yml", "p.c", "--json", *options, cwd=folder)
    assert ran.status == 0, ran.err
    return ran.json


def test_the_answers_of_uautomizer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.install_ultimate(folder / "bin", "print('Result:\\nTRUE')", sys.executable)
    result = verify(folder, "uautomizer", fakes.LOOP)
    assert [(goal["status"], goal["certified"]) for goal in result["goals"]] == [("unreachable", False)]
    monkeypatch.setenv("PATH", ENVIRONMENT["PATH"])
    tool = BenchExecTool("ultimateautomizer")
    command = tool.command(ToolTask(folder / "p.c", folder / "s.prp", DataModel.ILP32, (), 9.0, None))
    assert command[-2:] == ["--architecture", "32bit"]
    says = {
        "Result:\nTRUE\n": "true",
        "Result:\nFALSE\n": "false",
        "Result:\nFALSE(OVERFLOW)\n": "false",
        "Result:\nUNKNOWN: Overapproximated counterexample\n": "unknown",
        "Result:\nERROR: INVALID WITNESS FILE\n": "ERROR (invalid witness file)",
        "Calling Ultimate with: java": "unknown",
    }
    for said, answer in says.items():
        assert tool.verdict(command, said, 0, signalled=False, timeout=False) == answer


VIOLATIONS = {
    "cpachecker": ("Verification result: FALSE. Property violation (unreach-call) found", "output/witness"),
    "uautomizer": ("Result:\nFALSE", "witness"),
    "esbmc": ("VERIFICATION FAILED", "witness"),
}


def install_verifier(folder: Path, name: str, suffixes: tuple[str, ...], value: int) -> None:
    answer, path = VIOLATIONS[name]
    script = fakes.violation(answer, tuple(path + suffix for suffix in suffixes), value)
    if name == "uautomizer":
        fakes.install_ultimate(folder / "bin", script, sys.executable)
    else:
        fakes.install(folder / "bin", {name: script}, sys.executable)


@pytest.mark.parametrize(
    ("name", "suffixes"),
    [
        ("cpachecker", (".graphml",)),
        ("cpachecker", (".graphml", ".yml")),
        ("uautomizer", (".graphml",)),
        ("esbmc", (".yml",)),
    ],
)
def test_a_violation_witness_becomes_a_test(folder: Path, name: str, suffixes: tuple[str, ...]) -> None:
    install_verifier(folder, name, suffixes, 12345)
    result = verify(folder, name, fakes.ERROR)
    assert result["verdict"] == "false", result["steps"]
    assert result["steps"][0]["status"] == "ok"
    assert result["steps"][0]["new_rt"] == 1
    assert "12345" in (folder / "gia-out/p.c/test-suite/testcase-1.xml").read_text()


@pytest.mark.parametrize("suffix", [".graphml", ".yml"])
def test_a_violation_witness_whose_test_misses_the_error_does_not_count(folder: Path, suffix: str) -> None:
    install_verifier(folder, "cpachecker", (suffix,), 12346)
    result = verify(folder, "cpachecker", fakes.ERROR)
    assert result["verdict"] == "unknown"
    assert result["steps"][0]["new_rt"] == 0
    assert any("12346 was executed and reaches no goal" in remark for remark in result["steps"][0]["remarks"])


@pytest.mark.parametrize("name", ["cpachecker", "esbmc"])
def test_a_violation_witness_of_the_residual_program_becomes_a_test(folder: Path, name: str) -> None:
    """The tool has read another program than the one that the test is for: its places are those of that program."""
    install_verifier(folder, name, (".yml",), 12345)
    result = run(folder, name)
    assert statuses(result)[fakes.WANTED] == "covered", result["steps"]
    assert result["steps"][0]["status"] == "ok"


def test_places_in_a_residual_program_without_marks_are_those_of_its_text(folder: Path) -> None:
    """There, only tools that leave no witnesses are told the places in the original program (``#line``)."""
    fakes.install(folder / "bin", {"prover": fakes.violation("", ("witness.yml",), 12345)}, sys.executable)
    (folder / "honest.yml").write_text(
        "name: honest\nkind: verifier\ndirection: OA\ngia: none\nrun: {command: [prover, '{program}']}\n"
        "produces: [{type: violation-witness, path: witness.yml}]\n"
    )
    assert statuses(run(folder, "honest"))[fakes.WANTED] == "covered"


def test_a_damaged_witness_does_not_spoil_the_other(folder: Path) -> None:
    install_verifier(folder, "cpachecker", (".graphml", ".yml"), 12345)
    with (folder / "bin/cpachecker").open("a") as script:
        script.write("pathlib.Path('output/witness.yml').write_text('- entry_type: [')\n")
    result = verify(folder, "cpachecker", fakes.ERROR)
    assert result["verdict"] == "false", result["steps"]
    assert any("witness.yml" in remark for remark in result["steps"][0]["remarks"])


RECORDED = {
    "corwit-jain11": ("jain_1-1.c", "TRUE.", "true"),
    "cex1-sumt2": ("sumt2.c", "FALSE.", "unknown"),
    "infeasible-ce-jain11": ("jain_1-1.c", "FALSE.", "unknown"),
}
"""Witnesses of CPAchecker: a correct one, and two paths of abstract counterexamples that no execution follows."""


@needs_shared
@pytest.mark.parametrize("name", RECORDED)
def test_recorded_witnesses_count_as_far_as_they_are_right(folder: Path, name: str) -> None:
    program, answer, verdict = RECORDED[name]
    fixtures = SHARED / "fixtures" / "cpachecker-gia"
    script = (
        f"import pathlib, shutil\nprint('Verification result: {answer}')\npathlib.Path('output').mkdir()\n"
        f"shutil.copy({str(fixtures / f'{name}.graphml')!r}, 'output/witness.graphml')\n"
    )
    fakes.install(folder / "bin", {"cpachecker": script}, sys.executable)
    result = verify(folder, "cpachecker", (fixtures / program).read_text(), "--data-model", "ILP32")
    assert result["verdict"] == verdict, result["steps"]
    assert result["steps"][0]["status"] == "ok"
    assert result["steps"][0]["new_rt"] == 0
    assert [goal.get("certified", False) for goal in result["goals"]] == [verdict == "true"]
    refused = "its test with no inputs was executed and reaches no goal"
    assert result["steps"][0]["remarks"] == ([] if verdict == "true" else [refused])


GUARDED = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 100) {
    if (CONDITION) reach_error();
  }
  return 0;
}
"""
PATHS = {
    "witness.yml": """\
- entry_type: violation_sequence
  metadata: {format_version: "2.0", producer: {name: t, version: "1"}, task: {input_files: [g.c], language: C}}
  content:
  - segment: [{waypoint: {type: branching, action: follow, constraint: {value: "true"},
                          location: {file_name: g.c, line: 5, column: 3}}}]
  - segment: [{waypoint: {type: branching, action: follow, constraint: {value: "true"},
                          location: {file_name: g.c, line: 6, column: 5}}}]
  - segment: [{waypoint: {type: target, action: follow, location: {file_name: g.c, line: 6}}}]
""",
    "witness.graphml": """\
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">
<data key="witness-type">violation_witness</data><data key="sourcecodelang">C</data>
<node id="a"><data key="entry">true</data></node><node id="b"/><node id="c"/>
<node id="e"><data key="violation">true</data></node>
<edge source="a" target="b"><data key="startline">5</data><data key="control">condition-true</data></edge>
<edge source="b" target="c"><data key="startline">6</data><data key="control">condition-true</data></edge>
<edge source="c" target="e"><data key="startline">6</data></edge>
</graph></graphml>
""",
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize(
    ("condition", "second", "verdict"),
    [
        ("x * x == 1522756", "feasibility-checker", "false"),
        ("x < 100", "feasibility-checker", "unknown"),
        ("x < 100", "predicate", "true"),
    ],
)
def test_the_path_of_a_witness_without_inputs_is_left_to_others(
    folder: Path, name: str, condition: str, second: str, verdict: str
) -> None:
    """It is a candidate: executed by who follows it, and no fact before that."""
    (folder / name).write_text(PATHS[name])
    (folder / "prover.yml").write_text(
        f"name: prover\nkind: verifier\ndirection: OA\ngia: none\ngoals: reach-error\n"
        f"run: {{command: [cp, '{{directory}}/{name}', '{name}']}}\n"
        f"produces: [{{type: violation-witness, path: {name}}}]\n"
    )
    (folder / "two.yml").write_text(
        "name: two\ntask: verification\nsteps:\n  first: {actor: ./prover.yml, time: 20s}\n"
        f"  second: {{actor: {second}, time: 40s}}\nrun: {{sequence: [first, second]}}\n"
    )
    (folder / "g.c").write_text(GUARDED.replace("CONDITION", condition))
    result = gia("run", folder / "two.yml", "g.c", "--json", *UNCONTAINED, cwd=folder).json
    assert (result["verdict"], result["steps"][0]["new_rt"], result["steps"][0]["new_ut"]) == (verdict, 0, 0)
    given = read_gia(folder / f"gia-out/g.c/steps/002-{second}/in.xml")
    assert {state.accept for state in given.states} == {None, Acceptance.CAND}
    assert any(t.edges is not ANY and len(t.edges) == 1 and t.source != given.initial for t in given.transitions)


def test_the_property_names_the_error_function_of_the_program(folder: Path) -> None:
    """A tool that is asked about a function that is not there finds that it is never called."""
    (folder / "prover.yml").write_text(
        "name: prover\nkind: verifier\ndirection: OA\ngia: none\ngoals: reach-error\n"
        "run: {command: ['true']}\nproduces: [{type: violation-witness, path: w.yml}]\n"
    )
    (folder / "one.yml").write_text(
        "name: one\ntask: verification\nsteps:\n  first: {actor: ./prover.yml, time: 5s}\nrun: {sequence: [first]}\n"
    )
    for function in ("__VERIFIER_error", "reach_error"):
        text = GUARDED.replace("reach_error", function).replace("CONDITION", "x == 5")
        (folder / f"{function}.c").write_text(text)
        gia("run", folder / "one.yml", f"{function}.c", "--time", "10s", *UNCONTAINED, cwd=folder)
        out = folder / "gia-out" / f"{function}.c"
        wanted = f"CHECK( init(main()), LTL(G ! call({function}())) )"
        assert (out / "steps/001-prover/specification.prp").read_text() == f"{wanted}\n"
        assert wanted in (out / "gia.xml").read_text()


def test_exit_statuses_that_a_tool_documents_are_no_failures(folder: Path) -> None:
    """A fuzzer that has seen a crash, a model checker whose assertion fails."""
    crashing = fakes.CLANG.replace(", 'little'))", ", 'little'))\\nraise SystemExit(77)")
    fakes.install(folder / "bin", {"clang": crashing}, sys.executable)
    fakes.install(folder / "bin", {"cbmc": fakes.CBMC + "raise SystemExit(10)\n"}, sys.executable)
    result = run(folder, "libfuzzer", "cbmc")
    assert [step["status"] for step in result["steps"]] == ["ok", "ok"], result["steps"]
    assert (statuses(result)[fakes.WANTED], statuses(result)[fakes.NEVER]) == ("covered", "unreachable")
    fakes.install(folder / "bin", {"cbmc": fakes.CBMC + "raise SystemExit(6)\n"}, sys.executable)
    assert run(folder, "cbmc")["steps"][0]["status"] == "failed"
    fakes.install(folder / "bin", {"esbmc": "print('unrecognised option')\nraise SystemExit(1)"}, sys.executable)
    assert run(folder, "esbmc")["steps"][0]["remarks"] == ["it gives no verdict; its last line is: unrecognised option"]


@pytest.mark.parametrize(("invariant", "certified"), [("x == y", True), ("x == 0U", False), ("x >= 0U", False)])
def test_the_witness_of_a_verifier_is_evidence(folder: Path, invariant: str, certified: bool) -> None:
    """A verifier that is right, with an invariant that shows it, one that does not hold, and one that is too weak."""
    fakes.install(folder / "bin", {"cpachecker": fakes.WITNESS.replace("INVARIANT", invariant)}, sys.executable)
    result = verify(folder, "cpachecker", fakes.LOOP)
    assert result["steps"][0]["status"] == "ok", result["steps"]
    assert [(goal["status"], goal["certified"]) for goal in result["goals"]] == [("unreachable", certified)]
    assert any("does not hold" in remark for remark in result["steps"][0]["remarks"]) is not certified
