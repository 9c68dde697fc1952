"""The tree of processes below this one, as the kernel shows it in ``/proc``: who is there, what they use, their end."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def children_of(process: int) -> list[int]:
    """The ids of the children of a process, zombies included; of one that has ended, none."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", "rb") as file:
                found.extend(map(int, file.read().split()))
    except OSError:
        return found
    return found


def descendants() -> list[int]:
    """The ids of all processes below this one, zombies included."""
    parents: dict[int, list[int]] = {}
    known = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # a kernel may be built without it
    for name in () if known else os.listdir("/proc"):
        if name.isdigit():
            try:
                parents.setdefault(int(stat_of(int(name))[1]), []).append(int(name))
            except OSError:
                continue  # it has ended since the listing
    found: list[int] = []
    pending = [os.getpid()]
    while pending:
        process = pending.pop()
        below = children_of(process) if known else parents.get(process, [])
        found.extend(below)
        pending.extend(below)
    return found


def stat_of(process: int) -> list[bytes]:
    """The fields of ``/proc/PID/stat`` from the third on. Raises :class:`OSError` if it has ended."""
    with open(f"/proc/{process}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def usage() -> tuple[int, float, int]:
    """Number of processes below this one, CPU time that they and those that have ended used, resident bytes."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    number, cpu, memory = 0, ended.ru_utime + ended.ru_stime, 0
    for process in descendants():
        try:
            fields = stat_of(process)
        except OSError:
            continue
        number += 1
        cpu += sum(map(int, fields[11:15])) / TICKS
        memory += int(fields[21]) * PAGE
    return number, cpu, memory


def proportional_memory() -> int:
    """Bytes of all processes below this one, each page that several share counted once."""
    total = 0
    for process in descendants():
        try:
            with open(f"/proc/{process}/smaps_rollup", "rb") as file:
                total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith((b"Pss:", b"SwapPss:")))
        except OSError:
            continue
    return total


def disk_usage(folder: str) -> int:
    """Bytes of the files in a folder and below."""
    total = 0
    pending = [folder]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue  # it was removed meanwhile
    return total


def end_all() -> None:
    """Kills and reaps until nothing is left below this process (a process may fork while it is being killed)."""
    while True:
        for process in descendants():
            with contextlib.suppress(OSError, ValueError):
                resource.prlimit(process, resource.RLIMIT_NPROC, (0, 0))
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)
