"""Jobs on a dask cluster with workers that are processes: they come back, are redone, are cancelled, leave nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gia.errors import InputError
from gia.orchestrator.processes.executors import make_executor
from gia.orchestrator.processes.job import Executor, Job
from gia.orchestrator.processes.process import Cancellation, Limits, Outcome
from tests.cli.harness import gia, statuses
from tests.cli.test_fake_actors import PROGRAM, RT, actor, composition
from tests.orchestrator.test_process import alive

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as found:
        yield found


@pytest.fixture
def executor(cluster: Any) -> Iterator[Executor]:
    with make_executor(f"dask:{cluster.scheduler_address}", "plain") as found:
        yield found


def job(folder: Path, script: str, *, wall: float = 60.0) -> Job:
    """A job of Python that gets the path of the program and of its answer."""
    (folder / "in.xml").write_text("known")
    (folder / "p.c").write_text("int main(void) { return 0; }")
    argv = (sys.executable, "-c", script, str(folder / "p.c"), str(folder / "out.xml"), str(folder))
    return Job(argv, folder, folder / "log.txt", Limits(wall, grace=0.3), folder / "p.c", ("out.xml", "log.txt"))


def test_files_travel_with_a_job(executor: Executor, tmp_path: Path) -> None:
    script = (
        "import os, sys\nprint('working')\nassert os.getcwd() != sys.argv[0]\n"
        "open(sys.argv[2], 'w').write(open('in.xml').read() + ' ' + open(sys.argv[1]).read()[:3])"
    )
    ended = executor.run(job(tmp_path, script), [])
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 0), ended
    assert (tmp_path / "out.xml").read_text() == "known int"
    assert (tmp_path / "log.txt").read_text() == "working\n"
    assert executor.name == "dask"
    (tmp_path / "out.xml").unlink()
    ended = executor.run(job(tmp_path, "import time; time.sleep(60)", wall=0.3), [])
    assert ended.outcome is Outcome.TIMEOUT
    assert not (tmp_path / "out.xml").exists()


def test_a_job_is_cancelled_where_it_runs(executor: Executor, tmp_path: Path) -> None:
    with Cancellation() as cancellation:
        timer = threading.Timer(1.0, cancellation.throw)
        timer.start()
        mark = f"mark-{os.getpid()}-cancelled"
        ended = executor.run(job(tmp_path, f"import time; time.sleep(60)  # {mark}"), [cancellation])
        timer.join()
    assert ended.outcome is Outcome.CANCELLED
    assert gone(mark)


def test_a_worker_that_is_lost_costs_nothing_but_time(cluster: Any, executor: Executor, tmp_path: Path) -> None:
    """The job is done again elsewhere, and nothing of the first attempt is left."""
    pid_file = tmp_path / "attempts"
    script = (
        f"import os, sys, time\nopen({str(pid_file)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        f"n = len(open({str(pid_file)!r}).readlines())\nif n == 1: time.sleep(60)\nopen(sys.argv[2], 'w').write('done')"
    )
    (tmp_path / "step").mkdir()

    def kill_worker() -> None:
        deadline = time.monotonic() + 20
        while not (pid_file.exists() and pid_file.read_text().endswith("\n")) and time.monotonic() < deadline:
            time.sleep(0.05)
        for worker in list(cluster.workers.values()):
            supervisors = descendants(worker.process.process.pid)
            if int(pid_file.read_text()) in supervisors:
                os.kill(worker.process.process.pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_worker)
    killer.start()
    ended = executor.run(job(tmp_path / "step", script), [])
    killer.join()
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 0), ended
    assert (tmp_path / "step/out.xml").read_text() == "done"
    first = int(pid_file.read_text().splitlines()[0])
    deadline = time.monotonic() + 10
    while Path(f"/proc/{first}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{first}").exists()


def test_the_death_of_the_engine_ends_its_jobs(cluster: Any, tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-orphan"
    (tmp_path / "p.c").write_text("int main(void) { return 0; }")
    script = (
        "import sys\nfrom pathlib import Path\nfrom gia.orchestrator.processes.executors import make_executor\n"
        "from gia.orchestrator.processes.job import Job\n"
        "from gia.orchestrator.processes.process import Limits\n"
        f"folder = Path({str(tmp_path)!r})\n"
        f"argv = (sys.executable, '-c', 'import time; time.sleep(60)  # {mark}')\n"
        "job = Job(argv, folder, folder / 'log.txt', Limits(60.0), folder / 'p.c', ())\n"
        f"make_executor('dask:{cluster.scheduler_address}').run(job, [])\n"
    )
    engine = subprocess.Popen([sys.executable, "-c", script])
    try:
        deadline = time.monotonic() + 60
        while len(running(mark)) < 2 and time.monotonic() < deadline:  # the engine itself, and the job
            time.sleep(0.1)
        assert len(running(mark)) >= 2
    finally:
        engine.kill()
        engine.wait()
    assert gone(mark)


def test_where_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gia.orchestrator.processes.dask_executor.CONNECT_SECONDS", 1.0)
    with pytest.raises(InputError, match="no dask scheduler at tcp://127"):
        make_executor("dask:tcp://127.0.0.1:1")
    with pytest.raises(InputError, match="no executor 'slurm'"):
        make_executor("slurm")


def running(mark: str) -> list[int]:
    """The processes whose command line holds the mark."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def gone(mark: str) -> bool:
    """Whether no process has the mark any more, soon."""
    deadline = time.monotonic() + 10
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(mark)


def descendants(pid: int) -> set[int]:
    """All processes below one."""
    found: set[int] = set()
    pending = [pid]
    while pending:
        parent = pending.pop()
        for folder in Path(f"/proc/{parent}/task").glob("*/children"):
            below = {int(child) for child in folder.read_text().split()} - found
            found |= below
            pending.extend(below)
    return found


def test_a_whole_run_on_an_embedded_cluster(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(PROGRAM)
    actor(tmp_path, "honest", RT.replace("VALUE", "12345"))
    actor(tmp_path, "broken", "import sys\nsys.exit('no licence')")
    composition(tmp_path, "broken", "honest")
    ran = gia("run", "mine.yml", "p.c", "--json", "--executor", "dask", "--time", "60s", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert ran.json["executor"] == "dask"
    assert [step["status"] for step in ran.json["steps"]] == ["failed", "ok"]
    assert "exit status 1: no licence" in ran.json["steps"][0]["remarks"]
    assert statuses(ran.json)["main:5:5:then"] == "covered"
    assert (tmp_path / "gia-out/p.c/steps/002-honest/out.xml").exists()
