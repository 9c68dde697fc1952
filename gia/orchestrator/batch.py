"""Many programs: a run for each, some at a time, a table of all, and no work lost when it is interrupted.

Each run is a process of its own (``gia run``) with a directory of its own: what kills one costs no other. What is done
is read off the directories, so a batch is resumed by running what is not done yet, and resuming what was interrupted.
"""

from __future__ import annotations

import glob
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from gia.errors import GiaError, InputError, Position
from gia.orchestrator.processes.process import Cancellation, Limits, Outcome, Supervision
from gia.orchestrator.store import JOURNAL, RESULT, explained, write_whole
from gia.verdict import StopKind

BATCH: Final = "batch.json"
SUMMARY: Final = "summary.json"
LOG: Final = "log.txt"
GRACE: Final = 30.0
"""Seconds that a run may take beyond its time, for loading its program and examining the last answers."""

PROGRAMS: Final = (".c", ".i", ".yml", ".yaml")


class Row(Struct, frozen=True):
    """One line of the table: a task and what became of it. ``problem`` says why there is no result."""

    task: str
    out: str
    verdict: str = "error"
    goals: int = 0
    covered: int = 0
    unreachable: int = 0
    open: int = 0
    wall: float = 0.0
    cpu: float = 0.0
    problem: str = ""


def collect(texts: Sequence[str]) -> list[Path]:
    """The tasks that the texts stand for, each once, in their order.

    A text is a program or a task definition, a pattern (``loops/*.yml``), or a file with one of these a line, relative
    to its own folder (``.set`` as in SV-COMP, or ``.txt``; ``#`` begins a comment). Raises :class:`InputError` for a
    text that stands for nothing.
    """
    found: dict[Path, None] = {}
    for text in texts:
        path = Path(text)
        if path.suffix in (".set", ".txt"):
            listed = _listed(path)
            if not listed:
                raise InputError("there is no task in this list", Position(text))
            found |= dict.fromkeys(listed)
        elif path.is_file():
            found[path] = None
        else:
            matching = _matching(text)
            if not matching:
                raise InputError(f"there is no task {text}", hint="give programs, task definitions, patterns or lists")
            found |= dict.fromkeys(matching)
    return list(found)


def _matching(pattern: str) -> list[Path]:
    return [Path(name) for name in sorted(glob.glob(pattern, recursive=True)) if name.endswith(PROGRAMS)]


def _listed(path: Path) -> list[Path]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"the list cannot be read: {reason}", Position(str(path))) from None
    found: list[Path] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            matching = _matching(str(path.parent / text))
            if not matching:
                raise InputError(f"there is no task {text}", Position(str(path), number))
            found += matching
    return found


def directories(tasks: Sequence[Path], out: Path) -> dict[Path, Path]:
    """The directory of each task's run: where it lies below what all tasks have in common."""
    absolute = [task.resolve() for task in tasks]
    common = Path(os.path.commonpath([path.parent for path in absolute])) if absolute else Path()
    return {task: out / "runs" / path.relative_to(common) for task, path in zip(tasks, absolute, strict=True)}


def begin(out: Path, identity: Mapping[str, Any], *, resume: bool) -> None:
    """Makes the directory of a batch, or makes sure that it is of the same one.

    Raises :class:`InputError` if it holds another batch, or one that was not to be resumed.
    """
    path = out / BATCH
    where = Position(str(out))
    if path.exists():
        if not resume:
            raise InputError(
                "there is a batch in this directory", where, "go on with --resume, or choose another --out"
            )
        earlier = json.loads(path.read_text(encoding="utf-8"))
        for key, value in identity.items():
            if earlier.get(key) != value:
                raise InputError(f"the batch in there was another one: its {key} was {earlier.get(key)}", where)
        return
    if resume:
        raise InputError(f"there is no batch to resume: no {BATCH} in it", where)
    with explained(out):
        out.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(identity, indent=1).encode())


class Batch:
    """Runs tasks. ``command`` is the command line of a run but for its task and its directory."""

    def __init__(self, command: Sequence[str], out: Path, seconds: float, report: Callable[[Row], None]) -> None:
        self._command = command
        self._out = out
        self._limits = Limits(wall=seconds + 2 * GRACE, grace=GRACE, processes=10**6, disk=1 << 50)
        self._report = report

    def run(self, tasks: Sequence[Path], jobs: int) -> list[Row]:
        """Runs what is not done yet, ``jobs`` at a time; the rows of all tasks, in their order.

        On ``KeyboardInterrupt`` all runs are ended; each writes what it has found, and the table is written.
        """
        places = directories(tasks, self._out)
        rows: dict[Path, Row] = {}
        with Supervision() as supervision, Cancellation() as cancellation, ThreadPoolExecutor(jobs) as pool:

            def work(task: Path) -> None:
                row = finished(task, places[task])
                if row is None and not cancellation.thrown:
                    row = self._one(task, places[task], supervision, cancellation)
                if row is not None:
                    rows[task] = row
                    self._report(row)

            futures = [pool.submit(work, task) for task in tasks]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                cancellation.throw()
                pool.shutdown(cancel_futures=True)
                raise
            finally:
                self._summarise([rows[task] for task in tasks if task in rows])
        return [rows[task] for task in tasks]

    def _one(self, task: Path, place: Path, supervision: Supervision, cancellation: Cancellation) -> Row | None:
        """Runs one task; ``None`` if it was cancelled."""
        with explained(place):
            place.mkdir(parents=True, exist_ok=True)
        log = place.with_name(f"{place.name}.{LOG}")
        known = ["--resume", str(place)] if (place / JOURNAL).is_file() else ["--out", str(place)]
        ended = supervision.run(
            [sys.executable, "-P", "-m", "gia.cli", *self._command, str(task.resolve()), "--quiet", *known],
            directory=Path.cwd(),
            log=log,
            limits=self._limits,
            cancellations=[cancellation],
        )
        if ended.outcome is Outcome.CANCELLED:
            return None
        row = finished(task, place) if ended.status == 0 else None
        if row is not None:
            return row
        text = log.read_text(encoding="utf-8", errors="replace").strip() if log.is_file() else ""
        problem = text.partition("\n")[0].removeprefix("error: ") or str(ended)
        return Row(str(task), str(place), wall=ended.wall, cpu=ended.cpu, problem=problem)

    def _summarise(self, rows: Sequence[Row]) -> None:
        with explained(self._out):
            write_whole(self._out / SUMMARY, (json.dumps(summary(rows), indent=1) + "\n").encode())


def finished(task: Path, place: Path) -> Row | None:
    """The row of a run that has come to its end; ``None`` if it has not begun, or was interrupted."""
    try:
        result = json.loads((place / RESULT).read_text(encoding="utf-8"))
        if result["stop"]["reason"] in (StopKind.CANCELLED, StopKind.FAILED):
            return None
        numbers, resources = result["summary"], result["resources"]
        return Row(
            str(task),
            str(place),
            str(result["verdict"]),
            goals=int(numbers["goals"]),
            covered=int(numbers["covered"]),
            unreachable=int(numbers["unreachable"]),
            open=int(numbers["open"]),
            wall=float(resources["wall"]),
            cpu=float(resources["cpu"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """The table with its totals, as JSON can carry it."""
    verdicts = sorted({row.verdict for row in rows})
    return {
        "tasks": len(rows),
        "verdicts": {verdict: sum(row.verdict == verdict for row in rows) for verdict in verdicts},
        "goals": sum(row.goals for row in rows),
        "covered": sum(row.covered for row in rows),
        "unreachable": sum(row.unreachable for row in rows),
        "open": sum(row.open for row in rows),
        "cpu": round(sum(row.cpu for row in rows), 3),
        "rows": [asdict(row) for row in rows],
    }


class UndoneError(GiaError):
    """Some tasks of a batch could not be done; the others were."""
