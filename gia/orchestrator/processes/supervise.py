"""Runs programs as children, limits each of them and its descendants, and leaves none of them alive.

This is a program of its own (:data:`.process.SUPERVISOR`; to start quickly it imports the standard library only),
started once for a run with the socket of the engine as standard input. For each job that it reads there it forks a
*supervisor*: a small process between the engine and one actor. As the *subreaper* of all that is below it, a supervisor
gets every orphan of the actor as its own child, so that even a daemon that has left its session is found and killed. It
is told of the death of the engine by the end of its socket and by the kernel (``PR_SET_PDEATHSIG``), and then ends
everything as well.

A job is a message with a JSON object and one file descriptor, the socket on which its answer is awaited. What the
engine writes there, or its end, means that the job is cancelled. The object holds ``argv``, ``directory``, ``log``
(file for the output of the actor), ``log_bytes``, ``wall`` (seconds until SIGTERM), ``grace`` (further seconds until
SIGKILL), ``modules`` (see below), and, for the whole process tree, ``cpu`` (seconds, or null), ``memory`` (bytes, or
null), ``processes`` (number) and ``disk`` (bytes in ``directory`` and of temporary files). The answer is one JSON
object: ``outcome`` (``exited``, ``signalled``, ``timeout``, ``cpu``, ``memory``, ``processes``, ``disk``,
``cancelled``, ``not-started``), ``status`` (exit status or signal), ``wall``, ``cpu`` (seconds), ``memory`` (bytes, of
all processes together, as far as it was seen), ``log_truncated``, ``error``.

Most of the time of a short built-in actor would be the start of Python and the import of its modules. So a job whose
``argv`` is ``PYTHON -P -m MODULE ARGUMENT...`` may list in ``modules`` what that will import. This process imports them
when they are asked for first, and the job's process, forked from here, goes on from there instead of starting Python
anew. It is a process of its own as any other: own session, limits, directory, output. The time of the import is charged
to the job for which it was done. A message without a descriptor lists in ``modules`` what jobs will probably need: as
long as there is none, they are imported, at the cost of the first one.

``TMPDIR`` of each job is a folder of its own, which goes when the job has ended: what is killed cannot tidy up.

The limits on the tree are enforced by looking at it a few times a second. What may happen between two looks is bounded
by limits of the kernel on each process.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import runpy
import select
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
from typing import Any, NoReturn

from gia.orchestrator.processes.tree import descendants, disk_usage, end_all, proportional_memory, usage

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CHUNK = 65536
LOOK = 0.2
"""Seconds between two looks at the process tree."""
LOOK_AT_DISK = 2.0
KERNEL_FACTOR = 2
"""How much longer the kernel lets each process go on: it counts ticks then, on a busy machine a seventh too many."""
LONGEST = 10_000_000
"""Bytes of the longest job."""


def prctl(option: int, value: int) -> None:
    """The system call of that name; a kernel that refuses costs the safety net, not the run."""
    LIBC.prctl(option, value, 0, 0, 0)


def limit(kind: int, value: int | None) -> None:
    """Sets a resource limit, never above the one that is in force."""
    if value is None:
        return
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


def load(modules: list[str]) -> tuple[float, float] | None:
    """Imports what a job will need; the wall and CPU seconds that it took, ``None`` if this Python cannot do it."""
    started, used = time.monotonic(), time.process_time()
    missing = [name for name in modules if name not in sys.modules]
    if not missing:
        return 0.0, 0.0
    gc.disable()  # there is no garbage in modules, and to look for it is a tenth of the time
    try:
        for name in missing:
            importlib.import_module(name)
    except Exception:  # the job starts a Python of its own, and whatever is wrong is said there
        return None
    finally:
        gc.freeze()  # what is shared with the children is not to be touched by their garbage collectors
        gc.enable()
    return time.monotonic() - started, time.process_time() - used


def prepare(modules: list[str], requests: socket.socket) -> float:
    """Imports what will be needed until there is something to do; the CPU seconds that it took."""
    spent = 0.0
    for name in modules:
        if select.select([requests], [], [], 0)[0]:
            break
        loaded = load([name])
        spent += loaded[1] if loaded is not None else 0.0
    return spent


def temporary_folder() -> str | None:
    """A new folder for temporary files; ``None`` if that is impossible, and the job has to do with the usual one."""
    with contextlib.suppress(OSError):
        return tempfile.mkdtemp(prefix="gia-step-")
    return None


def become(job: dict[str, Any], output: int, failure: int) -> None:
    """In the child: becomes the actor, or writes to ``failure`` why it could not."""
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        os.chdir(job["directory"])
        if job["temporary"] is not None:
            os.environ["TMPDIR"] = tempfile.tempdir = job["temporary"]
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_CPU, None if job["cpu"] is None else int(KERNEL_FACTOR * job["cpu"] + job["grace"]) + 2)
        limit(resource.RLIMIT_DATA, job["memory"])  # not the address space: that is no memory yet
        limit(resource.RLIMIT_FSIZE, job["disk"])
        if job.get("loaded") is not None:
            go_on(job["argv"][3:])
        os.execvp(job["argv"][0], job["argv"])
    except OSError as error:
        os.write(failure, (error.strerror or "unknown error").encode())
    finally:
        os._exit(127)


def go_on(argv: list[str]) -> NoReturn:
    """Does what ``python -P -m MODULE ARGUMENT...`` does after its start; ``argv`` begins with the module."""
    status: Any = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        sys.argv = list(argv)
        runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status if isinstance(status, int) else 1)


class Watch:
    """Waits for the child, copies its output to the log, and keeps the time."""

    def __init__(self, job: dict[str, Any], child: int, output: int, wakeup: int, *, engine: socket.socket) -> None:
        self.job = job
        self.child = child
        self.started = started = time.monotonic()
        self.left = job["log_bytes"]
        self.truncated = False
        self.stopping: str | None = None
        self.kill_at = started + job["wall"]
        self.look_at = started + LOOK
        self.look_at_disk = started + LOOK_AT_DISK
        self.memory = 0
        self.log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        self.output = output
        self.wakeup = wakeup
        self.selector = selectors.DefaultSelector()
        self.selector.register(output, selectors.EVENT_READ)
        self.selector.register(wakeup, selectors.EVENT_READ)
        self.selector.register(engine, selectors.EVENT_READ)

    def copy(self) -> bool:
        """Copies what can be read at once; whether there was anything."""
        try:
            data = os.read(self.output, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            if self.output in self.selector.get_map():
                self.selector.unregister(self.output)
            return False
        self.truncated = self.truncated or len(data) > self.left
        if self.left > 0:
            try:
                os.write(self.log, data[: self.left])
            except OSError:
                self.left = 0  # a full disk costs the log, not the run
        self.left -= len(data)
        return True

    def stop(self, why: str) -> None:
        """Asks the child's process group to end, and kills it when it was asked before."""
        number = signal.SIGTERM if self.stopping is None else signal.SIGKILL
        self.stopping = self.stopping or why
        self.kill_at = time.monotonic() + (self.job["grace"] if number == signal.SIGTERM else 1.0)
        with contextlib.suppress(ProcessLookupError):  # it may have ended already; the wait sees it
            os.killpg(self.child, number)

    def look(self) -> None:
        """Stops what uses more than it may; who has used up its CPU time may still write down what it has."""
        now = time.monotonic()
        self.look_at = now + LOOK
        number, cpu, memory = usage()
        if self.job["memory"] is not None and memory > self.job["memory"]:
            memory = proportional_memory()
        self.memory = max(self.memory, memory)
        exceeded = None
        if self.job["memory"] is not None and memory > self.job["memory"]:
            exceeded = "memory"
        elif number > self.job["processes"]:
            exceeded = "processes"
        elif now >= self.look_at_disk:
            folders = filter(None, (self.job["directory"], self.job["temporary"]))
            exceeded = "disk" if sum(map(disk_usage, folders)) > self.job["disk"] else None
            self.look_at_disk = time.monotonic() + LOOK_AT_DISK
        if exceeded is not None:
            self.stopping = exceeded
            self.stop(exceeded)
        elif self.job["cpu"] is not None and cpu >= self.job["cpu"] and self.stopping is None:
            self.stop("cpu")

    def wait(self) -> int:
        """Waits until the child has ended; its wait status."""
        while True:
            for key, _ in self.selector.select(max(0.0, min(self.kill_at, self.look_at) - time.monotonic())):
                if key.fd == self.output:
                    self.copy()
                elif key.fd != self.wakeup:
                    self.selector.unregister(key.fileobj)
                    self.stop("cancelled")
                else:
                    received = os.read(self.wakeup, CHUNK)
                    if signal.SIGTERM in received or signal.SIGINT in received:
                        self.stop("cancelled")
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                return status
            if time.monotonic() >= self.look_at:
                self.look()
            if time.monotonic() >= self.kill_at:
                self.stop("timeout")


def supervise(job: dict[str, Any], engine: socket.socket, parent: int) -> None:
    """Runs one job and sends what became of it; ``parent`` is the id of the process that forked this one."""
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    wakeup, signalled = os.pipe()
    for end in (wakeup, signalled):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, lambda *_: None)
    output, child_output = os.pipe()
    failure, child_failure = os.pipe()
    os.set_blocking(output, False)
    if os.getppid() != parent:
        return  # it died before the kernel was asked to tell us
    if select.select([engine], [], [], 0)[0]:  # nobody wants it any more: a container takes its time to get ready
        nothing = {"status": 0, "wall": 0.0, "cpu": 0.0, "memory": 0}
        with contextlib.suppress(OSError):
            engine.sendall(json.dumps({"outcome": "cancelled", **nothing}).encode())
        return
    job["temporary"] = temporary_folder()
    child = os.fork()
    if child == 0:
        become(job, child_output, child_failure)
    os.close(child_output)
    os.close(child_failure)
    watch = Watch(job, child, output, wakeup, engine=engine)
    status = watch.wait()
    loading_wall, loading_cpu = job.get("loaded") or (0.0, 0.0)
    wall = time.monotonic() - watch.started + loading_wall
    end_all()
    if job["temporary"] is not None:
        shutil.rmtree(job["temporary"], ignore_errors=True)
    while watch.copy():
        pass
    error = os.read(failure, CHUNK).decode(errors="replace")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = "not-started" if error else watch.stopping or ("exited" if os.WIFEXITED(status) else "signalled")
    answer = {
        "outcome": outcome,
        "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else os.WTERMSIG(status),
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime + loading_cpu,
        "memory": max(watch.memory, used.ru_maxrss * 1024),
        "log_truncated": watch.truncated,
        "error": error,
    }
    engine.sendall(json.dumps(answer).encode())


def main() -> None:
    """Forks a supervisor for each job, until the engine closes its socket; then ends all that is left.

    With a job as an argument, this process is its only supervisor, and standard input the socket of the job.
    """
    if len(sys.argv) > 1:
        supervise(json.loads(sys.argv[1]), socket.socket(fileno=0), os.getppid())
        return
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that have ended need no one to wait for them
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    requests = socket.socket(fileno=0)
    parent = os.getpid()
    spent = 0.0
    while True:
        message, descriptors, _, _ = socket.recv_fds(requests, LONGEST, 1)
        if not message:
            break
        job = json.loads(message)
        if not descriptors:
            spent += prepare(job["modules"], requests)
            continue
        engine = socket.socket(fileno=descriptors[0])
        engine.set_inheritable(False)
        job["loaded"] = load(job["modules"]) if job["modules"] else None
        if job["loaded"] is not None:
            wall, cpu = job["loaded"]
            job["loaded"], spent = (wall, cpu + spent), 0.0
        if os.fork() == 0:
            status = 1
            try:
                requests.close()
                supervise(job, engine, parent)
                status = 0
            finally:
                os._exit(status)
        engine.close()
    for process in descendants():
        with contextlib.suppress(OSError):
            os.kill(process, signal.SIGTERM)  # supervisors end what is below them
    deadline = time.monotonic() + 10
    while descendants() and time.monotonic() < deadline:
        time.sleep(0.01)
    end_all()


if __name__ == "__main__":
    main()
