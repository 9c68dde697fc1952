#!/usr/bin/env python3
"""Run gia on every task of a benchmark table and print one line per task.

The table is a tab-separated file with the columns ``path``, ``category``, ``data_model`` and
``expected_unreach_call`` (``true``, ``false`` or ``unknown``); paths are relative to its folder.
Each task is run as ``gia test`` or ``gia verify`` in a process of its own. A line ends in ``WRONG``
when a verdict contradicts the table, when a test of the run reaches a goal that the run calls
unreachable, when gcov contradicts the result (``--gcov``), or when gia itself fails; the exit status is then 1.

    python benchmarks/tasks.py ../shared/benchmarks/TASKS.tsv --mode verify --time 10 --jobs 2
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gcov_judge

GRACE_SECONDS = 30.0
"""How long a run may take beyond its budget before it is killed and counted as hanging."""


@dataclass(frozen=True)
class Task:
    """One row of the table."""

    path: Path
    category: str
    data_model: str
    expected: str

    @property
    def name(self) -> str:
        """Category and file name."""
        return f"{self.path.parent.name}/{self.path.name}"


@dataclass(frozen=True)
class Outcome:
    """What one run gave; ``problem`` is empty unless it was wrong or gia failed."""

    task: Task
    verdict: str
    goals: int
    covered: int
    unreachable: int
    certified: int
    wall: float
    problem: str

    @property
    def open(self) -> int:
        """Goals that are neither covered nor proven unreachable."""
        return self.goals - self.covered - self.unreachable


def read_tasks(table: Path, only: str) -> list[Task]:
    """The rows of the table whose path matches the regular expression ``only``."""
    with table.open(newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [
        Task(table.parent / row["path"], row["category"], row["data_model"], row["expected_unreach_call"])
        for row in rows
        if re.search(only, row["path"])
    ]


def run_gia(task: Task, mode: str, seconds: float, directory: Path) -> tuple[int | None, str]:
    """Run gia; its exit status (``None``: killed since it did not end in time) and standard error."""
    command = [sys.executable, "-m", "gia.cli", mode, str(task.path), "--data-model", task.data_model]
    command += ["--time", f"{seconds:g}s", "--out", str(directory), "--quiet", "--no-cache"]
    return run_command(command, seconds)


def run_command(command: Sequence[str], seconds: float) -> tuple[int | None, str]:
    """Run a command of gia, which has so many seconds; answers as :func:`run_gia`."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        _, errors = process.communicate(timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
        return None, errors
    return process.returncode, errors


def judge(task: Task, mode: str, status: int | None, errors: str, result: dict[str, Any]) -> str:
    """What is wrong with a run, or the empty string."""
    if status is None:
        return "HANGS"
    if "Traceback" in errors or "internal error" in errors:
        return "TRACEBACK " + errors.strip().splitlines()[-1][:100]
    if status != 0:
        return f"EXIT {status} " + (errors.strip().splitlines() or [""])[0][:100]
    verdict = result.get("verdict")
    if mode == "verify" and verdict in ("true", "false") and task.expected not in ("unknown", verdict):
        return f"WRONG: {verdict}, expected {task.expected}"
    contradictions = [w for w in result.get("warnings", []) if "contradict" in str(w).lower()]
    return f"WRONG: {contradictions[0]}" if contradictions else ""


def run_task(task: Task, mode: str, seconds: float, with_gcov: bool) -> Outcome:
    """Run and judge one task."""
    with tempfile.TemporaryDirectory(prefix="gia-benchmark-") as directory:
        out = Path(directory) / "out"
        started = time.monotonic()
        status, errors = run_gia(task, mode, seconds, out)
        wall = time.monotonic() - started
        try:
            result = json.loads((out / "result.json").read_text())
        except (OSError, ValueError):
            result = {}
        goals = result.get("goals", [])
        problem = judge(task, mode, status, errors, result)
        if with_gcov and result and not problem:
            problem = "; ".join(gcov_judge.judge(task.path, out, task.data_model))
        count = Counter(goal["status"] for goal in goals)
        return Outcome(
            task=task,
            verdict=result.get("verdict", "-"),
            goals=len(goals),
            covered=count["covered"],
            unreachable=count["unreachable"],
            certified=sum(1 for goal in goals if goal.get("certified")),
            wall=wall,
            problem=problem,
        )


def print_summary(outcomes: Iterable[Outcome]) -> None:
    """Totals by category and over all."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.task.category].append(outcome)
        groups["TOTAL"].append(outcome)
    total = groups.pop("TOTAL", [])
    print(f"\n{'category':28} {'tasks':>5} {'goals':>6} {'decided':>8}  verdicts")
    for name, members in [*sorted(groups.items()), ("TOTAL", total)]:
        goals = sum(m.goals for m in members)
        decided = sum(m.goals - m.open for m in members)
        verdicts = ", ".join(f"{v} {n}" for v, n in sorted(Counter(m.verdict for m in members).items()))
        share = f"{100 * decided / goals:.1f} %" if goals else "-"
        print(f"{name:28} {len(members):5} {goals:6} {share:>8}  {verdicts}")


def main() -> int:
    """Run the table; the exit status is 1 if any line is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--mode", choices=["test", "verify"], default="test")
    parser.add_argument("--time", type=float, default=10.0, help="budget of each task in seconds")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at the same time")
    parser.add_argument("--gcov", action="store_true", help="let gcov judge each result")
    parser.add_argument("--only", default="", help="regular expression on the path")
    arguments = parser.parse_args()
    tasks = read_tasks(arguments.table, arguments.only)
    outcomes: list[Outcome] = []
    print(f"{'task':58} {'verdict':>10} {'expect':>7} goals   cov  unr cert open   wall")
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for o in pool.map(lambda task: run_task(task, arguments.mode, arguments.time, arguments.gcov), tasks):
            outcomes.append(o)
            print(
                f"{o.task.name[:58]:58} {o.verdict:>10} {o.task.expected:>7} {o.goals:5} {o.covered:5} "
                f"{o.unreachable:4} {o.certified:4} {o.open:4} {o.wall:6.1f}  {o.problem}",
                flush=True,
            )
    print_summary(outcomes)
    problems = [o for o in outcomes if o.problem]
    print(f"\n{len(problems)} of {len(outcomes)} tasks with a problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
