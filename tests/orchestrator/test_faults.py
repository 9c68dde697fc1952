"""Whatever ends a run, at any moment: nothing that was found is lost, no process stays, and resuming gives the same."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from gia.cfa.goals import Criterion
from gia.errors import GiaError
from gia.exchange.gia_xml import gia_bytes, read_gia
from gia.orchestrator.description.composition import LoadedComposition, load_composition
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.orchestrator.processes.executors import LocalExecutor
from gia.orchestrator.processes.job import Executor, Job
from gia.orchestrator.processes.process import Cancellation, Ended
from gia.orchestrator.records.result import Result
from gia.orchestrator.run import RunOptions, run_composition
from tests.cli.test_fake_actors import PROGRAM, RT, UT, actor

DEAD = UT.replace('line="5" column="5"', 'line="7" column="3"')
COMPOSITION = """\
name: mine
steps:
  first: {actor: ./first.yml, time: 20s}
  second: {actor: ./second.yml, time: 20s}
  dead: {actor: ./dead.yml, time: 20s}
run:
  sequence: [first, {parallel: [second, dead]}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.c").write_text(PROGRAM)
    actor(tmp_path, "first", RT.replace("VALUE", "11").replace('branch="then"', 'branch="else"'))
    actor(tmp_path, "second", RT.replace("VALUE", "12345"))
    actor(tmp_path, "dead", DEAD, "OA")
    (tmp_path / "mine.yml").write_text(COMPOSITION)
    return tmp_path


@pytest.fixture
def task(folder: Path) -> Task:
    return load_task(TaskRequest(folder / "p.c"), Criterion.BRANCHES)


@pytest.fixture
def loaded(folder: Path) -> LoadedComposition:
    return load_composition(str(folder / "mine.yml"))


def decided(result: Result) -> list[tuple[str, str, str | None]]:
    return [(goal.id, goal.status.value, goal.by) for goal in result.goals]


def run(task: Task, loaded: LoadedComposition, out: Path, *, resume: bool = False) -> Result:
    return run_composition(task, loaded, RunOptions(out, seconds=60.0, resume=resume))


def test_a_journal_that_was_cut_anywhere(folder: Path, task: Task, loaded: LoadedComposition) -> None:
    """Each complete line, and each with half of the next one, is a state in which a run may have died."""
    whole = run(task, loaded, folder / "whole")
    assert [status for _, status, _ in decided(whole)].count("covered") == 4
    assert [status for _, status, _ in decided(whole)].count("unreachable") == 1
    lines = (folder / "whole/journal.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 8
    for number in range(1, len(lines)):
        out = folder / f"cut-{number}"
        shutil.copytree(folder / "whole", out)
        rest = lines[number][: len(lines[number]) // 2] if number % 2 else b""
        (out / "journal.jsonl").write_bytes(b"".join(lines[:number]) + rest)
        again = run(task, loaded, out, resume=True)
        assert decided(again) == decided(whole), number
        done = sum(b"step-ended" in line for line in lines[:number])
        started = sum(b"step-started" in line for line in (out / "journal.jsonl").read_bytes().splitlines()[number:])
        assert started <= 3 - done


KILLED = """\
import os, signal, sys
from pathlib import Path
from gia.cfa.goals import Criterion
from gia.orchestrator.records import journal
from gia.orchestrator.description.composition import load_composition
from gia.orchestrator.run import RunOptions, run_composition
from gia.orchestrator.facts.task import TaskRequest, load_task
folder, position = Path(sys.argv[1]), int(sys.argv[2])
append, count = journal.Journal.append, 0
def append_and_die(self, *arguments, **options):
    global count
    append(self, *arguments, **options)
    count += 1
    if count == position:
        os.kill(os.getpid(), signal.SIGKILL)
journal.Journal.append = append_and_die
task = load_task(TaskRequest(folder / "p.c"), Criterion.BRANCHES)
run_composition(task, load_composition(str(folder / "mine.yml")), RunOptions(folder / "killed", seconds=60.0))
"""


def test_killed_at_each_journal_position(folder: Path, task: Task, loaded: LoadedComposition) -> None:
    """For real: kill -9 right after each entry; no process is left, and resuming decides the same goals."""
    whole = decided(run(task, loaded, folder / "whole"))
    for position in range(1, 9):
        process = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(position)], timeout=60, check=False)
        assert process.returncode == -signal.SIGKILL
        assert nobody_works_in(folder)
        assert decided(run(task, loaded, folder / "killed", resume=True)) == whole, position
        shutil.rmtree(folder / "killed")


def nobody_works_in(folder: Path) -> bool:
    """Whether soon no process has the folder in its command line."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        marked = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and str(folder).encode() in (entry / "cmdline").read_bytes():
                    marked.append(entry.name)
            except OSError:
                continue
        if not marked:
            return True
        time.sleep(0.05)
    return False


class Ordered(LocalExecutor):
    """Lets the jobs of parallel steps finish in a given order, by the names of their actors."""

    def __init__(self, order: Sequence[str]) -> None:
        super().__init__()
        self._order = list(order)
        self._ready = threading.Barrier(len(order), timeout=30)
        self._turn = threading.Condition()

    def run(self, job: Job, cancellations: Sequence[Cancellation]) -> Ended:
        ended = super().run(job, cancellations)
        name = job.folder.name.partition("-")[2]
        self._ready.wait()
        with self._turn:
            assert self._turn.wait_for(lambda: self._order[0] == name, timeout=30)
        threading.Timer(0.15, self._next).start()  # this one is examined first
        return ended

    def _next(self) -> None:
        with self._turn:
            self._order.pop(0)
            self._turn.notify_all()


def test_the_order_in_which_parallel_steps_finish_does_not_count(folder: Path, task: Task) -> None:
    """A liar is among them: even what is dropped is the same."""
    actor(folder, "dead", UT, "OA")  # claims what the second one reaches
    text = COMPOSITION.replace("[first, {parallel: [second, dead]}]", "[{parallel: [first, second, dead]}]")
    (folder / "mine.yml").write_text(text)
    loaded = load_composition(str(folder / "mine.yml"))
    seen = set()
    for number, order in enumerate(itertools.permutations(["first", "second", "dead"])):

        def executor(order: Sequence[str] = order) -> Executor:
            return Ordered(order)

        out = folder / f"order-{number}"
        options = RunOptions(out, seconds=60.0, cores=3, executor=executor)
        result = run_composition(task, loaded, options)
        automaton = read_gia(out / "gia.xml")
        automaton = replace(automaton, metadata=replace(automaton.metadata, created="", actors=()))
        suite = tuple(path.read_text() for path in sorted((out / "test-suite").glob("testcase-*.xml")))
        warnings = tuple(
            warning.replace("001-", "").replace("002-", "").replace("003-", "") for warning in result.warnings
        )
        seen.add((tuple(decided(result)), gia_bytes(automaton), suite, warnings))
    assert len(seen) == 1
    ((goals, _, _, warnings),) = seen
    assert ("main:5:5:then", "covered", "second") in goals
    assert len(warnings) == 1
    assert "dead claimed" in warnings[0]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A file system of its own; the function mounts it with other options."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.getuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], check=False).returncode != 0:
        pytest.skip("only root may make a file system that is full")

    def remount(options: str) -> Path:
        subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)
        return place

    yield remount
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk(folder: Path, task: Task, loaded: LoadedComposition, small_disk: Callable[[str], Path]) -> None:
    """At whichever write it is full: a clear message, and what was found is there when there is room again."""
    whole = {goal[:2] for goal in decided(run(task, loaded, folder / "whole"))}
    ended_early = 0
    for size in ("8k", "48k", "80k"):
        out = small_disk(f"size={size}") / "run"
        try:
            run(task, loaded, out)
        except GiaError as error:
            ended_early += 1
            assert "No space left on device" in error.message
            assert "make room" in str(error)
        small_disk("size=10m")
        resumed = run(task, loaded, out, resume=(out / "journal.jsonl").exists())
        assert {goal[:2] for goal in decided(resumed)} == whole, size
        shutil.rmtree(out)
    assert ended_early >= 2


def test_a_directory_that_cannot_be_written(
    folder: Path, task: Task, loaded: LoadedComposition, small_disk: Callable[[str], Path]
) -> None:
    place = small_disk("ro")
    with pytest.raises(GiaError, match="Read-only file system") as caught:
        run(task, loaded, place / "run")
    assert "choose" in str(caught.value)
    assert caught.value.exit_status == 1
