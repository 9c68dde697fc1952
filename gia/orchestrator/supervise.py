"""Runs one program as a child, limits it and its descendants, and leaves none of them alive.

This file is a script of its own (``python -I -S supervise.py JOB``, standard library only, nothing of gia): one small
process between the engine and each actor. As the *subreaper* of everything below it, it gets every orphan of
the actor as its own child, so that even a daemon that has left its session is found and killed. It is told of the
engine's death by the kernel (``PR_SET_PDEATHSIG``) and then ends everything as well.

``JOB`` is a JSON object: ``argv``, ``directory``, ``log`` (file for the output of the actor), ``log_bytes``, ``wall``
(seconds until SIGTERM), ``grace`` (further seconds until SIGKILL), ``cpu`` (seconds, or null), ``memory``
(bytes of address space, or null), ``file_bytes``, ``parent`` (process id of the engine). One JSON object is printed:
``outcome`` (``exited``, ``signalled``, ``timeout``, ``cancelled``, ``not-started``), ``status`` (exit status or
signal), ``wall``, ``cpu`` (seconds), ``memory`` (bytes, of the largest process), ``log_truncated``, ``error``.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import sys
import time
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CHUNK = 65536


def prctl(option: int, value: int) -> None:
    """The system call of that name; a kernel that refuses costs the safety net, not the run."""
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def limit(kind: int, value: int | None) -> None:
    """Sets a resource limit, never above the one that is in force."""
    if value is None:
        return
    hard = resource.getrlimit(kind)[1]
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


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
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_CPU, job["cpu"])
        limit(resource.RLIMIT_AS, job["memory"])
        limit(resource.RLIMIT_FSIZE, job["file_bytes"])
        os.execvp(job["argv"][0], job["argv"])
    except OSError as error:
        os.write(failure, (error.strerror or "unknown error").encode())
    finally:
        os._exit(127)


def descendants() -> list[int]:
    """The ids of all processes below this one, zombies included."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue  # it has ended since the listing
            parents.setdefault(int(fields[1]), []).append(int(name))
    found: list[int] = []
    pending = [os.getpid()]
    while pending:
        below = parents.get(pending.pop(), [])
        found.extend(below)
        pending.extend(below)
    return found


def end_all() -> None:
    """Kills and reaps until nothing is left below this process (a process may fork while it is being killed)."""
    while True:
        for process in descendants():
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


class Watch:
    """Waits for the child, copies its output to the log, and keeps the time."""

    def __init__(self, job: dict[str, Any], child: int, output: int, wakeup: int, started: float) -> None:
        self.job = job
        self.child = child
        self.started = started
        self.left = job["log_bytes"]
        self.truncated = False
        self.stopping: str | None = None
        self.kill_at = started + job["wall"]
        self.log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        self.output = output
        self.wakeup = wakeup
        self.selector = selectors.DefaultSelector()
        self.selector.register(output, selectors.EVENT_READ)
        self.selector.register(wakeup, selectors.EVENT_READ)

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

    def wait(self) -> int:
        """Waits until the child has ended; its wait status."""
        while True:
            for key, _ in self.selector.select(max(0.0, self.kill_at - time.monotonic())):
                if key.fd == self.output:
                    self.copy()
                else:
                    received = os.read(self.wakeup, CHUNK)
                    if signal.SIGTERM in received or signal.SIGINT in received:
                        self.stop("cancelled")
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                return status
            if time.monotonic() >= self.kill_at:
                self.stop("timeout")


def main() -> None:
    """Runs the job of the command line and prints what became of it."""
    job = json.loads(sys.argv[1])
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
    started = time.monotonic()
    if os.getppid() != job["parent"]:
        return  # the engine died before the kernel was asked to tell us
    child = os.fork()
    if child == 0:
        become(job, child_output, child_failure)
    os.close(child_output)
    os.close(child_failure)
    watch = Watch(job, child, output, wakeup, started)
    status = watch.wait()
    wall = time.monotonic() - started
    end_all()
    while watch.copy():
        pass
    error = os.read(failure, CHUNK).decode(errors="replace")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = "not-started" if error else watch.stopping or ("exited" if os.WIFEXITED(status) else "signalled")
    answer = {
        "outcome": outcome,
        "status": os.WEXITSTATUS(status) if os.WIFEXITED(status) else os.WTERMSIG(status),
        "wall": wall,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory": usage.ru_maxrss * 1024,
        "log_truncated": watch.truncated,
        "error": error,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
