"""A hostile program gets a clear outcome and harms nothing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gia.cfa.types import DataModel
from gia.errors import ToolError
from gia.native import Execution, InstrumentedProgram, Limits, Outcome, Runner, compile_instrumented
from tests.native.handmade import handmade

HOSTILE = r"""
extern int fork(void), vfork(void), getpid(void), getppid(void), kill(int, int);
extern int execl(const char *, const char *, ...);
extern int system(const char *), socket(int, int, int), rmdir(const char *), unlink(const char *), close(int);
extern int pause(void);
extern int open(const char *, int, ...), raise(int), sleep(unsigned), mkdir(const char *, int), setrlimit(int, void *);
extern long write(int, const void *, unsigned long), ptrace(int, int, void *, void *), syscall(long, ...);
extern void *signal(int, void *), *fopen(const char *, const char *);
extern int fputs(const char *, void *), fclose(void *), fflush(void *), sprintf(char *, const char *, ...);
extern int pthread_create(void *, void *, void *(*)(void *), void *);
extern int truncate(const char *, long), chmod(const char *, int), mkfifo(const char *, int);
extern int link(const char *, const char *), symlink(const char *, const char *);
extern char *strcpy(char *, const char *), *getcwd(char *, unsigned long), *fgets(char *, int, void *);
extern int sscanf(const char *, const char *, ...);
char page[1 << 16];
void *thread(void *x) { return x; }

int scribble(void)  /* over all memory that is shared with others */
{
    unsigned long from, to; char line[512], rights[8]; int n = 0;
    void *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &from, &to, rights) == 3 && rights[1] == 'w' && rights[3] == 's')
            for (n = 1; from < to; from++)
                *(volatile unsigned char *)from = 0xee;
    return n;
}

int main(void)
{
    unsigned long limits[2] = {~0ul, ~0ul}, id[4]; int n, m; char name[64];
    switch (__VERIFIER_nondet_int()) {
    case 1: return fork() == -1 ? 10 : 11;
    case 2: n = vfork(); return n == -1 ? 10 : 11;
    case 3: return execl("/bin/sh", "sh", "-c", "exit 7", (char *)0) == -1 ? 10 : 11;
    case 4: return system("touch /tmp/gia-was-here") != 0 ? 10 : 11;
    case 5: return socket(2, 1, 0) == -1 ? 10 : 11;
    case 6: return kill(getppid(), 9) == -1 ? 10 : 11;
    case 7: return kill(-1, 9) == -1 && kill(0, 9) == -1 ? 10 : 11;
    case 8: return ptrace(16, getppid(), 0, 0) == -1 ? 10 : 11;
    case 9: return pthread_create(id, 0, thread, 0) != 0 ? 10 : 11;
    case 10: return setrlimit(0, limits) == -1 && setrlimit(9, limits) == -1 ? 10 : 11;
    case 11: n = open("/tmp/gia-was-here", 0102, 0600); return n == -1 ? 10 : 11;
    case 12: return truncate("../program", 0) == -1
            && unlink("../program") == -1 && chmod("../program", 0) == -1 ? 10 : 11;
    case 13: getcwd(page, sizeof page); n = rmdir(page); return n == -1 ? 10 : 11;
    case 14: for (;;) printf("%s", "gigabytes and gigabytes and gigabytes of output\n");
    case 15: signal(25, (void *)1); for (n = 0; n < 2000; n++) write(1, page, sizeof page); return 10;
    case 16: for (n = 0; n < 1000; n++) close(n); printf("nobody hears this"); fflush(0); return 10;
    case 17: for (n = 0;; n++) { sprintf(name, "file%d", n);
            m = open(name, 0102, 0600); write(m, page, sizeof page); close(m); }
    case 18: for (n = 1; n < 65; n++) signal(n, (void *)1); for (;;) ;
    case 19: pause(); return 11;
    case 20: return scribble() ? 10 : 11;
    case 21: raise(19); return 11;
    case 22: for (n = 0; n < 100 && open("/dev/null", 0) != -1; n++) ; return n < 100 ? 10 : 11;
    case 23: return fputs("kept", fopen("inside", "w")) >= 0 ? 10 : 11;
    case 24: return syscall(sizeof(long) == 8 ? 101 : 26, 16, getppid(), 0, 0) == -1 ? 10 : 11;
    case 25: for (;;) if (!malloc(1 << 20)) return 11;
    case 26: return symlink("../program", "way") == 0 && open("way", 1) == -1 && unlink("way") == 0 ? 10 : 11;
    case 27: return link("../program", "mine") == -1 && symlink("x", "../y") == -1
            && mkfifo("../z", 0600) == -1 ? 10 : 11;
    }
    return 0;
}
"""

KILLED_MEANWHILE = """
import sys
from pathlib import Path
from gia.native import InstrumentedProgram, Limits, Runner
from tests.native.handmade import handmade
program = InstrumentedProgram(Path(sys.argv[1]), handmade("").program, (), (), ())
Runner().run(program, ["19"], limits=Limits(wall=60))
"""
ROOT = Path(__file__).resolve().parents[2]

LIMITS = Limits(wall=0.6, memory=256 << 20)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        yield runner


@pytest.fixture(scope="module", params=list(DataModel))
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> InstrumentedProgram:
    return compile_instrumented(handmade(HOSTILE, request.param), tmp_path_factory.mktemp("hostile"))  # type: ignore[arg-type]


def run(runner: Runner, program: InstrumentedProgram, what: int, limits: Limits = LIMITS) -> Execution:
    execution = runner.run(program, [str(what)], limits=limits)
    assert execution.wall < limits.wall + 2
    return execution


@pytest.mark.parametrize("what", [*range(3, 9), *range(10, 14), 15, 16, 22, 23, 24, 26, 27])
def test_it_is_refused_and_the_program_goes_on(runner: Runner, hostile: InstrumentedProgram, what: int) -> None:
    execution = run(runner, hostile, what)
    if not (execution.confined_calls and execution.confined_files):
        pytest.skip("this kernel cannot confine processes")
    assert (execution.outcome, execution.exit_code) == (Outcome.EXITED, 10)
    assert not Path("/tmp/gia-was-here").exists()
    assert runner.run(hostile, ["0"]).exit_code == 0


@pytest.mark.parametrize("what", [1, 2, 9])
def test_without_its_processes_and_threads_the_run_ends(
    runner: Runner, hostile: InstrumentedProgram, what: int
) -> None:
    execution = run(runner, hostile, what)
    if not (execution.confined_calls and execution.confined_files):
        pytest.skip("this kernel cannot confine processes")
    assert (execution.outcome, execution.signal) == (Outcome.SIGNALLED, signal.SIGSYS)
    assert runner.run(hostile, ["0"]).exit_code == 0


@pytest.mark.parametrize(
    ("what", "outcome"),
    [
        (14, Outcome.OUTPUT_LIMIT),
        (18, Outcome.TIMEOUT),
        (19, Outcome.TIMEOUT),
        (21, Outcome.TIMEOUT),
        (25, Outcome.OUT_OF_MEMORY),
    ],
)
def test_it_is_ended(runner: Runner, hostile: InstrumentedProgram, what: int, outcome: Outcome) -> None:
    assert run(runner, hostile, what).outcome is outcome
    assert runner.run(hostile, ["0"]).exit_code == 0


def test_reports_that_the_program_overwrote_are_survived(runner: Runner, hostile: InstrumentedProgram) -> None:
    execution = run(runner, hostile, 20)
    assert (execution.outcome, execution.inputs, execution.events) == (Outcome.EXITED, (), ())
    assert runner.run(hostile, ["0"]).exit_code == 0


def test_output_is_cut(runner: Runner, hostile: InstrumentedProgram) -> None:
    execution = run(runner, hostile, 14)
    assert execution.output.startswith(b"gigabytes") and len(execution.output) <= 1 << 16
    assert execution.signal == signal.SIGXFSZ


def test_many_files_are_too_much(runner: Runner, hostile: InstrumentedProgram) -> None:
    execution = run(runner, hostile, 17, Limits(wall=10, output=1 << 17))
    assert execution.outcome is Outcome.OUTPUT_LIMIT
    assert runner.run(hostile, ["23"]).exit_code == 10


def test_nothing_is_left_when_the_runner_is_closed(hostile: InstrumentedProgram) -> None:
    runner = Runner()
    before = set(hostile.binary.parent.iterdir())
    runner.run(hostile, ["23"])
    server = next(iter(runner._servers.values()))._resources
    assert set(hostile.binary.parent.iterdir()) - before == {Path(server.directory)}
    runner.close()
    assert set(hostile.binary.parent.iterdir()) == before
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_dead_server_is_an_error_once(hostile: InstrumentedProgram) -> None:
    with Runner() as runner:
        runner.run(hostile, ["0"])
        os.kill(next(iter(runner._servers.values()))._resources.pid, signal.SIGKILL)
        with pytest.raises(ToolError, match="unexpectedly"):
            runner.run(hostile, ["0"])
        assert runner.run(hostile, ["0"]).exit_code == 0


def test_the_run_dies_with_its_server(hostile: InstrumentedProgram) -> None:
    before = _processes(hostile.binary)
    child = subprocess.Popen([sys.executable, "-c", KILLED_MEANWHILE, str(hostile.binary)], cwd=ROOT)
    deadline = time.monotonic() + 10
    while len(_processes(hostile.binary) - before) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(_processes(hostile.binary) - before) == 2
    child.kill()
    child.wait()
    while _processes(hostile.binary) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _processes(hostile.binary) == before


def _processes(binary: Path) -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.readlink(entry / "exe") == str(binary):
                    found.add(int(entry.name))
            except OSError:
                continue
    return found
