"""Real programs: each strategy leaves what is needed as it was, and what it writes is C for other tools."""

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from gia.automaton.model import Acceptance
from gia.cfa.goals import Criterion, goals_of
from gia.frontend import load
from gia.reducer import Strategy, reduce_to_c
from tests.reducer import tasks
from tests.shared import SHARED

TABLE = SHARED / "benchmarks" / "TASKS.tsv"
SAMPLE = 15


def sample() -> list[tuple[Path, str]]:
    """Tasks spread over the table, without the longest."""
    if not TABLE.exists():
        return []
    with TABLE.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t") if int(row["loc"]) < 400]
    chosen = rows[:: max(1, len(rows) // SAMPLE)][:SAMPLE]
    return [(TABLE.parent / row["path"], row["data_model"]) for row in chosen]


needs_tasks = pytest.mark.skipif(not TABLE.exists(), reason="there is no ../shared/benchmarks/TASKS.tsv")


@needs_tasks
@pytest.mark.parametrize(("path", "model"), sample(), ids=[path.stem[:30] for path, _ in sample()])
def test_needed_runs_stay_as_they_are(path: Path, model: str, tmp_path: Path) -> None:
    program, goals = tasks.loaded(path, model)
    kind = (Acceptance.UT, Acceptance.RT)[len(path.stem) % 2]
    task = tasks.with_facts(program.program, goals, kind)
    assert tasks.Original(program, goals, tmp_path).differences(task, Strategy) == []


@needs_tasks
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("strategy", Strategy)
def test_compilers_say_nothing_new(compiler: str, strategy: Strategy, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    for path, model in sample()[3::6]:
        program, goals = tasks.loaded(path, model)
        assert program.source.editable is not None
        types = program.program.types.data_model
        before = tasks.warnings_of(compiler, program.source.editable.text, types, tmp_path)
        task = tasks.with_facts(program.program, goals, Acceptance.UT)
        text = reduce_to_c(strategy, program, goals, task.automaton, task.wrt).text
        assert tasks.warnings_of(compiler, text, types, tmp_path) <= before


@needs_tasks
@pytest.mark.skipif(shutil.which("frama-c") is None, reason="frama-c is not installed: apt-get install frama-c-base")
@pytest.mark.parametrize("strategy", Strategy)
def test_frama_c_reads_it(strategy: Strategy, tmp_path: Path) -> None:
    for path, model in sample()[2::11]:
        program, goals = tasks.loaded(path, model)
        task = tasks.with_facts(program.program, goals, Acceptance.UT)
        source = tmp_path / f"{path.stem}.c"
        source.write_text(reduce_to_c(strategy, program, goals, task.automaton, task.wrt).text)
        machine = "gcc_x86_32" if model == "ILP32" else "gcc_x86_64"
        command = ["frama-c", "-machdep", machine, "-typecheck", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@needs_tasks
@pytest.mark.parametrize("strategy", Strategy)
def test_the_map_names_goals_of_the_reduced_program(strategy: Strategy, tmp_path: Path) -> None:
    for path, model in sample()[1::5]:
        program, goals = tasks.loaded(path, model)
        task = tasks.with_facts(program.program, goals, Acceptance.UT)
        reduction = reduce_to_c(strategy, program, goals, task.automaton, task.wrt)
        reduced = tmp_path / "reduced.c"
        reduced.write_text(reduction.text)
        there = load(reduced, data_model=program.program.types.data_model).program
        found = {goal.id for goal in goals_of(there, Criterion.BRANCHES)}
        named = [name for names in reduction.goals.values() for name in names]
        assert set(named) <= found
        assert len(set(named)) == len(named)
        removed = {edge.number for edge in program.program.edges() if edge.reference in reduction.removed_edges}
        for goal in goals:
            assert bool(reduction.goals[goal.id]) == (not goal.edges <= removed), goal.id
