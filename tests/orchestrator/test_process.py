import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from gia.errors import ToolError
from gia.orchestrator.processes.contained import Containment
from gia.orchestrator.processes.isolations import Isolations
from gia.orchestrator.processes.process import Cancellation, Ended, Limits, Outcome, Supervision


@pytest.fixture(scope="module")
def containment() -> Containment:
    containment = Containment()
    try:
        containment.require()
    except ToolError as error:
        pytest.skip(str(error))
    return containment


def contained(containment: Containment, tmp_path: Path, *argv: str, **limits: float) -> Ended:
    values = {"wall": 5.0, "grace": 0.3} | limits
    return containment.run(argv, directory=tmp_path, log=tmp_path / "log", limits=Limits(**values))  # type: ignore[arg-type]


def ran(tmp_path: Path, *argv: str, **limits: float) -> Ended:
    values = {"wall": 5.0, "grace": 0.3} | limits
    with Supervision() as supervision:
        return supervision.run(argv, directory=tmp_path, log=tmp_path / "log", limits=Limits(**values))  # type: ignore[arg-type]


def alive(mark: str) -> bool:
    """Whether a process whose command line contains the mark is alive."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


def test_exit_status_output_and_usage(tmp_path: Path) -> None:
    ended = ran(tmp_path, "sh", "-c", "echo out; echo err >&2; cat; exit 3")
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 3)
    assert (tmp_path / "log").read_text() == "out\nerr\n"
    assert 0 < ended.wall < 5
    assert ended.memory > 0


def test_a_signal_is_named(tmp_path: Path) -> None:
    ended = ran(tmp_path, "sh", "-c", "kill -SEGV $$")
    assert (ended.outcome, ended.status) == (Outcome.SIGNALLED, signal.SIGSEGV)
    assert "SIGSEGV" in str(ended)


def test_what_cannot_be_started(tmp_path: Path) -> None:
    ended = ran(tmp_path, "./no-such-tool")
    assert ended.outcome is Outcome.NOT_STARTED
    assert "No such file" in str(ended)


def test_time_is_up_even_for_who_does_not_listen(tmp_path: Path) -> None:
    started = time.monotonic()
    ended = ran(tmp_path, "sh", "-c", "trap '' TERM; while :; do :; done", wall=0.3, grace=0.2)
    assert ended.outcome is Outcome.TIMEOUT
    assert time.monotonic() - started < 3


def test_who_listens_may_write_down_what_it_has(tmp_path: Path) -> None:
    ended = ran(tmp_path, "sh", "-c", "trap 'echo saved; exit 0' TERM; while :; do sleep 0.01; done", wall=0.3, grace=2)
    assert ended.outcome is Outcome.TIMEOUT
    assert (tmp_path / "log").read_text().endswith("saved\n")


def test_a_flood_of_output_is_cut(tmp_path: Path) -> None:
    ended = ran(tmp_path, "sh", "-c", "head -c 3000000 /dev/zero", log=1000)
    assert ended.log_truncated
    assert (tmp_path / "log").stat().st_size == 1000


def test_no_descendant_survives(tmp_path: Path) -> None:
    """Daemons that leave the session and the process group are killed as well."""
    daemon = f"import os, time; os.setsid(); os.fork() and os._exit(0); time.sleep(100)  # {tmp_path}"
    ended = ran(tmp_path, "sh", "-c", '"$0" -c "$1" & sleep 0.2', sys.executable, daemon)
    assert ended.outcome is Outcome.EXITED
    assert not alive(str(tmp_path) + "\0")


def test_memory_is_limited(tmp_path: Path) -> None:
    ended = ran(tmp_path, sys.executable, "-c", "x = bytearray(2 * 10**9)", memory=500_000_000)
    assert ended.status != 0
    assert "MemoryError" in (tmp_path / "log").read_text()


def test_memory_of_all_processes_together_is_limited(tmp_path: Path) -> None:
    hog = "import os, time; os.fork(); os.fork(); x = bytearray(os.urandom(60_000_000)); time.sleep(30)"
    ended = ran(tmp_path, sys.executable, "-c", hog, memory=150_000_000, wall=20)
    assert ended.outcome is Outcome.MEMORY
    assert ended.memory > 150_000_000
    assert "more memory" in str(ended)


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    sharer = "import os, time; x = bytearray(os.urandom(60_000_000)); os.fork(); os.fork(); time.sleep(1)"
    ended = ran(tmp_path, sys.executable, "-c", sharer, memory=150_000_000, wall=20)
    assert ended.outcome is Outcome.EXITED


def test_cpu_time_of_all_processes_together_is_limited(tmp_path: Path) -> None:
    ended = ran(
        tmp_path, "sh", "-c", "trap 'echo saved; exit' TERM; (while :; do :; done) & while :; do :; done", cpu=0.6
    )
    assert ended.outcome is Outcome.CPU
    assert 0.5 < ended.cpu < 2.5
    assert "saved" in (tmp_path / "log").read_text()


def test_the_kernel_does_not_end_who_has_cpu_time_left(tmp_path: Path) -> None:
    """Where it enforces the limit itself, it counts ticks: 33 of them are 29 seconds, on a busy machine."""
    ended = ran(tmp_path, "sh", "-c", "ulimit -t", cpu=30.0)
    assert ended.outcome is Outcome.EXITED
    assert 45 < int((tmp_path / "log").read_text()) < 90


def test_the_number_of_processes_is_limited(tmp_path: Path) -> None:
    bomb = "import os, time\nfor _ in range(6): os.fork()\ntime.sleep(30)"
    ended = ran(tmp_path, sys.executable, "-S", "-c", bomb, str(tmp_path), processes=20, wall=20)
    assert ended.outcome is Outcome.PROCESSES
    assert not alive(f"\0{tmp_path}\0")


def test_the_files_that_it_writes_are_limited(tmp_path: Path) -> None:
    script = "mkdir d; for i in 1 2 3 4 5; do head -c 1000000 /dev/zero > d/$i; done; sleep 30"
    ended = ran(tmp_path, "sh", "-c", script, disk=2_000_000, wall=20)
    assert ended.outcome is Outcome.DISK
    ended = ran(tmp_path, "sh", "-c", "head -c 9000000 /dev/zero > big", disk=8_000_000)
    assert ended.status != 0
    assert (tmp_path / "big").stat().st_size == 8_000_000


def test_temporary_files_are_limited_and_go_with_the_job(tmp_path: Path) -> None:
    """Also those of who is killed: compilers, and tools that are asked to end and do not."""
    script = """
import pathlib, sys, tempfile
folder = pathlib.Path(tempfile.mkdtemp())
pathlib.Path("folder").write_text(str(folder))
for name in ("one", "two"):
    (folder / name).write_bytes(bytes(int(sys.argv[1])))
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(30)
"""
    for size, outcome, limits in ((1, Outcome.TIMEOUT, {"wall": 1.0}), (1_500_000, Outcome.DISK, {"disk": 2_000_000})):
        ended = ran(tmp_path, sys.executable, "-c", script, str(size), **({"wall": 20.0} | limits))
        assert ended.outcome is outcome
        folder = Path((tmp_path / "folder").read_text())
        assert not folder.exists()
        assert not folder.parent.exists()
        assert folder.parent.parent == Path(tempfile.gettempdir())


def test_without_a_place_for_temporary_files_a_job_runs_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gia.orchestrator.processes.process.SUPERVISOR", (sys.executable, "-P", "-c", NO_ROOM))
    ended = ran(tmp_path, "sh", "-c", "echo done")
    assert ended.outcome is Outcome.EXITED
    assert (tmp_path / "log").read_text() == "done\n"


NO_ROOM = """
import tempfile
def mkdtemp(**_): raise OSError(28, "No space left on device")
tempfile.mkdtemp = mkdtemp
from gia.orchestrator.processes.supervise import main
main()
"""


def test_cancellation_ends_it_at_once(tmp_path: Path) -> None:
    with Cancellation() as cancellation, Supervision() as supervision:
        timer = threading.Timer(0.2, cancellation.throw)
        timer.start()
        limits = Limits(wall=30, grace=0.2)
        ended = supervision.run(
            ["sleep", "30"], directory=tmp_path, log=tmp_path / "log", limits=limits, cancellations=[cancellation]
        )
        timer.join()
    assert ended.outcome is Outcome.CANCELLED
    assert ended.wall < 5


def test_cancellation_before_it_begins(tmp_path: Path) -> None:
    with Cancellation() as cancellation, Supervision() as supervision:
        cancellation.throw()
        ended = supervision.run(
            ["sleep", "30"], directory=tmp_path, log=tmp_path / "log", limits=Limits(30), cancellations=[cancellation]
        )
    assert ended.outcome is Outcome.CANCELLED


@pytest.mark.parametrize("isolation", ["plain", "benchexec"])
def test_the_death_of_the_engine_ends_its_actors(
    tmp_path: Path, isolation: str, request: pytest.FixtureRequest
) -> None:
    if isolation == "benchexec":
        request.getfixturevalue("containment")
    script = (
        "import sys\nfrom pathlib import Path\nfrom gia.orchestrator.processes.process import *\n"
        "from gia.orchestrator.processes.isolations import Isolations\n"
        f"folder = Path({str(tmp_path)!r})\n"
        f"isolation = Isolations({isolation!r}).of(foreign=True)\n"
        "isolation.run([sys.executable, '-c', 'import time; time.sleep(60)', str(folder)], directory=folder,"
        " log=folder / 'log', limits=Limits(wall=60))\n"
    )
    engine = subprocess.Popen([sys.executable, "-c", script])
    mark = f"\0{tmp_path}\0"
    deadline = time.monotonic() + 10
    while not alive(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert alive(mark)
    os.kill(engine.pid, signal.SIGKILL)
    engine.wait()
    while alive(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(mark)


@pytest.mark.parametrize("error", [KeyboardInterrupt])
def test_an_interrupt_leaves_no_process(tmp_path: Path, error: type[BaseException]) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(error):
        ran(tmp_path, sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path), wall=60)
    assert not alive(f"\0{tmp_path}\0")


def test_the_death_of_a_supervisor_costs_its_own_job(tmp_path: Path) -> None:
    limits = Limits(wall=30, grace=0.2)
    with Supervision() as supervision:
        killer = threading.Thread(target=kill_parent_of, args=(f"\0{tmp_path}\0",))
        killer.start()
        sleeper = [sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path)]
        ended = supervision.run(sleeper, directory=tmp_path, log=tmp_path / "log", limits=limits)
        killer.join()
        assert (ended.outcome, ended.status) == (Outcome.SIGNALLED, signal.SIGKILL)
        again = supervision.run(["true"], directory=tmp_path, log=tmp_path / "log", limits=limits)
        assert (again.outcome, again.status) == (Outcome.EXITED, 0)
    assert not alive(f"\0{tmp_path}\0")


def kill_parent_of(mark: str) -> None:
    """Kills the parent of that process as soon as it is running."""
    while not alive(mark):
        time.sleep(0.05)
    os.kill(parent_of(mark), signal.SIGKILL)


def parent_of(mark: str) -> int:
    """The parent of the process whose command line contains the mark."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    raise AssertionError("it is not running")


def test_in_a_container_all_is_as_without(containment: Containment, tmp_path: Path) -> None:
    ended = contained(containment, tmp_path, "sh", "-c", "echo out; echo err >&2; cat; exit 3")
    assert (ended.outcome, ended.status) == (Outcome.EXITED, 3)
    assert (tmp_path / "log").read_text() == "out\nerr\n"
    ended = contained(containment, tmp_path, "./no-such-tool")
    assert ended.outcome is Outcome.NOT_STARTED
    script = "trap 'echo saved; exit 0' TERM; while :; do sleep 0.01; done"
    ended = contained(containment, tmp_path, "sh", "-c", script, wall=2.0, grace=5)  # on a busy machine, sh starts late
    assert ended.outcome is Outcome.TIMEOUT
    assert (tmp_path / "log").read_text().endswith("saved\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log"]


def test_the_kernel_limits_a_container(containment: Containment, tmp_path: Path) -> None:
    hog = "import os, time; os.fork(); os.fork(); x = bytearray(os.urandom(200_000_000)); time.sleep(30)"
    ended = contained(containment, tmp_path, sys.executable, "-c", hog, memory=500_000_000, wall=20)
    assert ended.outcome is Outcome.MEMORY
    (tmp_path / "inner").mkdir()
    script = f"echo no > {tmp_path}/outside; echo yes > inside; ls /sys/class/net"
    ended = containment.run(
        ["sh", "-c", script], directory=tmp_path / "inner", log=tmp_path / "inner/log", limits=Limits(5.0)
    )
    assert (tmp_path / "inner/inside").read_text() == "yes\n"
    assert not (tmp_path / "outside").exists()


def test_a_container_is_cancelled(containment: Containment, tmp_path: Path) -> None:
    with Cancellation() as cancellation:
        timer = threading.Timer(0.4, cancellation.throw)
        timer.start()
        ended = containment.run(
            [sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path)],
            directory=tmp_path,
            log=tmp_path / "log",
            limits=Limits(wall=30, grace=0.2),
            cancellations=[cancellation],
        )
        timer.join()
    assert ended.outcome is Outcome.CANCELLED
    assert not alive(f"\0{tmp_path}\0")


def test_in_a_container_tools_can_write_where_they_use_to(containment: Containment, tmp_path: Path) -> None:
    home, name = Path.home(), f"gia-test-{tmp_path.name}-{os.getpid()}"
    script = f'for i in /tmp /var/tmp /dev/shm {home} "$TMPDIR" .; do echo x > $i/{name} && echo $i; done; true'
    ended = contained(containment, tmp_path, "sh", "-c", script)
    assert (ended.outcome, ended.isolation) == (Outcome.EXITED, "benchexec")
    written = (tmp_path / "log").read_text().splitlines()
    assert "/dev/shm" in written
    assert any(folder.startswith(str(tmp_path / ".tmp")) for folder in written)
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "log"]
    assert not [folder for folder in ("/tmp", "/var/tmp", "/dev/shm", home) if Path(folder, name).exists()]


def test_a_container_has_no_network(containment: Containment, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 2)"
        assert ran(tmp_path, sys.executable, "-c", script).status == 0
        assert contained(containment, tmp_path, sys.executable, "-c", script).status == 1


def test_the_end_of_what_made_a_container_ends_all_in_it(containment: Containment, tmp_path: Path) -> None:
    stubborn = "import os, signal, time; signal.signal(15, signal.SIG_IGN); os.fork() or os.setsid(); time.sleep(60)"
    ended = contained(containment, tmp_path, sys.executable, "-c", stubborn, str(tmp_path), wall=0.4, grace=0.2)
    assert ended.outcome is Outcome.TIMEOUT
    assert not alive(f"\0{tmp_path}\0")

    begun = time.monotonic()

    def end_helpers() -> None:
        while not alive(f"\0{tmp_path}\0") and time.monotonic() < begun + 20:
            time.sleep(0.01)
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                line = (folder / "cmdline").read_bytes()
                if b"contain.py" in line and str(tmp_path).encode() in line:
                    os.kill(int(folder.name), signal.SIGKILL)

    thread = threading.Thread(target=end_helpers)
    thread.start()
    ended = contained(containment, tmp_path, sys.executable, "-c", stubborn, str(tmp_path), wall=30)
    thread.join()
    assert not ended.error
    assert ended.outcome in (Outcome.SIGNALLED, Outcome.CANCELLED)
    assert not ended.uncontained
    deadline = time.monotonic() + 10
    while alive(f"\0{tmp_path}\0") and time.monotonic() < deadline:
        time.sleep(0.02)  # the kernel ends the processes of the container
    assert not alive(f"\0{tmp_path}\0")


def test_what_nobody_waits_for_is_not_started(containment: Containment, tmp_path: Path) -> None:
    with Cancellation() as cancellation, Supervision() as supervision:
        cancellation.throw()
        for isolation in (supervision, containment):
            ended = isolation.run(
                ["touch", "started"],
                directory=tmp_path,
                log=tmp_path / "log",
                limits=Limits(5.0),
                cancellations=[cancellation],
            )
            assert ended.outcome is Outcome.CANCELLED
    assert not (tmp_path / "started").exists()


def test_the_tools_of_others_get_containers(containment: Containment, tmp_path: Path) -> None:
    del containment
    with Isolations("auto") as isolations:
        for foreign, name in ((True, "benchexec"), (False, "plain")):
            ended = isolations.of(foreign=foreign).run(
                ["true"], directory=tmp_path, log=tmp_path / "log", limits=Limits(5.0)
            )
            assert (ended.isolation, ended.uncontained) == (name, "")


@pytest.mark.parametrize(
    ("benchexec", "reason"),
    [
        ("raise ImportError", "it is not installed"),
        ("class RunExecutor:\n def __init__(self, **_): raise SystemExit('no cgroups')", "no cgroups"),
        (
            "import logging\nclass RunExecutor:\n def __init__(self, **_): pass\n"
            " def execute_run(self, **_):\n"
            "  logging.critical('no user namespaces'); return {'terminationreason': 'failed'}",
            "no user namespaces",
        ),
    ],
)
def test_without_containers_the_plain_way_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchexec: str, reason: str
) -> None:
    (tmp_path / "benchexec").mkdir()
    (tmp_path / "benchexec/__init__.py").touch()
    (tmp_path / "benchexec/runexecutor.py").write_text(benchexec)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    folder = tmp_path / "step"
    folder.mkdir()
    with Isolations("auto") as isolations:
        for _ in range(2):
            ended = isolations.of(foreign=True).run(
                ["sh", "-c", "echo x >> ran"], directory=folder, log=folder / "log", limits=Limits(5.0)
            )
            assert (ended.outcome, ended.isolation, ended.uncontained) == (Outcome.EXITED, "plain", reason)
    assert (folder / "ran").read_text() == "x\nx\n"
    assert sorted(path.name for path in folder.iterdir()) == ["log", "ran"]
    with pytest.raises(ToolError, match=f"containers cannot be used here: BenchExec: {reason}"):
        Isolations("benchexec")
