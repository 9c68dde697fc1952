"""Ordinary programs, which read standard input and arguments: their tests are true of the program without gia.

Each program is compiled by gcc alone and run on the bytes and arguments of each test. Lines that are executed just when
a goal is reached say so in a comment; gcov tells which these are.
"""

import gzip
import json
import re
import subprocess
from pathlib import Path

import pytest

from gia.automaton.status import goal_status
from gia.cfa.goals import Goal
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.verdict import GoalStatus
from tests.checker.programs import branches, verify
from tests.cli.harness import gia

PROGRAMS = Path(__file__).parent / "reading"


def marked(text: str) -> dict[int, str]:
    """The goals by the lines that are executed when they are reached."""
    lines = enumerate(text.splitlines(), 1)
    return {number: f"main:{found[1]}" for number, line in lines if (found := re.search(r"// (\d+:\d+:.*)$", line))}


def executed_lines(directory: Path) -> set[int]:
    """The lines of the program that have been executed."""
    (counts,) = directory.glob("*.gcda")
    subprocess.run(["gcov", "--json-format", counts.stem], cwd=directory, capture_output=True, check=True)
    (report,) = directory.glob("*.gcov.json.gz")
    files = json.loads(gzip.decompress(report.read_bytes()))["files"]
    report.unlink()
    return {line["line_number"] for file in files for line in file["lines"] if line["count"]}


def partition(names: set[str], goals: tuple[Goal, ...]) -> tuple[tuple[Goal, ...], tuple[Goal, ...]]:
    """The goals with these names, and the others."""
    return tuple(g for g in goals if g.id in names), tuple(g for g in goals if g.id not in names)


@pytest.mark.parametrize(
    ("name", "executions", "missing"),
    [("calculator", 3000, 0), ("menu", 9000, 0), ("options", 3000, 4), ("records", 6000, 1), ("words", 4000, 0)],
)
def test_the_real_program_takes_the_branches_that_are_claimed(
    name: str, executions: int, missing: int, tmp_path: Path
) -> None:
    program = PROGRAMS / f"{name}.c"
    options = ("--program", program, "--spec", "branches", "--option", f"executions={executions}", "--time", "60s")
    assert gia("actor", "run", "fuzz", *options, "--out", "out.xml", cwd=tmp_path).status == 0
    ran = gia("tests", "out.xml", "--program", program, "--format", "stdin", "-o", "suite", cwd=tmp_path)
    assert ran.status == 0 and "left out" not in ran.err
    goals = marked(program.read_text())
    subprocess.run(["gcc", "-w", "--coverage", "-o", "real", program], cwd=tmp_path, check=True)
    covered: set[str] = set()
    for script in sorted((tmp_path / "suite").glob("*.sh")):
        claimed = set(re.findall(r"^# (main:.*)$", script.read_text("latin-1"), re.MULTILINE))
        for old in tmp_path.glob("*.gcda"):
            old.unlink()
        subprocess.run(["sh", script, "./real"], cwd=tmp_path, capture_output=True, timeout=20, check=False)
        reached = {goals[line] for line in executed_lines(tmp_path) & goals.keys()}
        claimed &= set(goals.values())
        assert claimed and claimed <= reached, script.read_text("latin-1")
        covered |= claimed
    assert covered <= set(goals.values()) and len(covered) >= len(goals) - missing


def proven_unreachable(program: Path, directory: Path) -> set[str]:
    """The goals that the prover shows to be unreachable."""
    options = ("--program", program, "--spec", "branches", "--time", "20s")
    assert gia("actor", "run", "verifier", *options, "--out", "out.xml", cwd=directory).status == 0
    lines = [line.split() for line in gia("status", program, "out.xml", cwd=directory).out.splitlines()]
    return {goal for status, _, goal in lines[:-1] if status == "unreachable"}


def test_proofs_are_about_all_inputs_not_only_about_those_that_tests_have(tmp_path: Path) -> None:
    found = proven_unreachable(PROGRAMS / "proofs" / "limits.c", tmp_path)
    assert found == {f"main:{line}:5:then" for line in (8, 10, 13, 15)}


def test_proofs_are_about_all_files_and_disks(tmp_path: Path) -> None:
    program = PROGRAMS / "proofs" / "files.c"
    said = enumerate(program.read_text().splitlines())  # the line before has the decision
    never = {f"main:{number}:{9 if number < 20 else 5}:then" for number, line in said if "/* no" in line}
    loaded = load(program, data_model=DataModel.LP64)
    simple, others = partition({"main:11:9:then", "main:13:9:then"}, branches(loaded))

    def proven(goals: tuple[Goal, ...], seconds: float) -> set[str]:
        status = goal_status(loaded.program, verify(loaded, goals, tmp_path, seconds), goals)
        return {name for name, state in status.items() if state is GoalStatus.UNREACHABLE}

    assert proven(simple, 60.0) == {goal.id for goal in simple}
    assert proven(others, 4.0) <= never


def test_witnesses_speak_of_the_program_and_not_of_models(tmp_path: Path) -> None:
    """The proof needs that the end of standard input is the end, which only variables of the models say."""
    ran = gia("verify", PROGRAMS / "proofs" / "end.c", "--time", "60s", "--json", "--out", "out", cwd=tmp_path)
    assert ran.json["verdict"] == "true"
    witness = (tmp_path / "out" / "witness.yml").read_text()
    assert "invariant_set" in witness and "__gia" not in witness
