#!/usr/bin/env python3
"""Run every built-in actor alone on tasks of a benchmark table, and look for what must never be.

That is: a traceback, a step that failed or reached its memory limit, a step that ended more than ``--slack`` seconds
after its budget (on a busy machine everything is late), a run that hangs. Each actor is the only step of a composition,
for all branches of the program. The table is described in ``benchmarks/tasks.py``.

All pairs of an actor and a task are run in a random order, so that the first ones are a fair sample of all:
``--pairs`` or ``--minutes`` end earlier, ``--done`` leaves out the pairs that earlier tables have. The exit status is 1
if anything was found.

    python benchmarks/robustness.py ../shared/benchmarks/TASKS.tsv --time 10 --memory 2GB --pairs 100
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tasks import Task, judge, read_tasks, run_command
from verdicts import oddities, read_json

from gia.analyses.registry import ACTORS

COMPOSITION = """\
name: alone
description: one actor
steps: {{only: {{actor: {actor}}}}}
run: {{sequence: [only]}}
"""


@dataclass(frozen=True)
class Outcome:
    """One run of an actor on a task: seconds and bytes of its step, and what was found."""

    actor: str
    wall: float
    memory: int
    problems: tuple[str, ...]


def run_pair(actor: str, task: Task, seconds: float, memory: str, slack: float) -> Outcome:
    """Run one actor on one task."""
    with tempfile.TemporaryDirectory(prefix="gia-robustness-") as folder:
        composition, out = Path(folder) / "alone.yml", Path(folder) / "out"
        composition.write_text(COMPOSITION.format(actor=actor))
        command = [sys.executable, "-m", "gia.cli", "run", str(composition), str(task.path)]
        command += ["--data-model", task.data_model, "--time", f"{seconds:g}s", "--memory", memory]
        command += ["--out", str(out), "--quiet", "--no-cache"]
        status, errors = run_command(command, seconds)
        result = read_json(out / "result.json")
        found = [text for text in (judge(task, "test", status, errors, result), *oddities(out, result, slack)) if text]
        steps = result.get("steps", [])
        return Outcome(
            actor,
            max((step["wall"] for step in steps), default=0.0),
            max((step["memory"] for step in steps), default=0),
            tuple(found),
        )


def pair_columns(actor: str, task: Task) -> str:
    """The columns of a table that say which pair a line is about."""
    return f"{actor:20} {task.name:50} "


def print_summary(outcomes: list[Outcome]) -> None:
    """For each actor: runs, the longest one, the largest one, problems."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.actor].append(outcome)
    print(f"\n{'actor':20} {'runs':>5} {'longest':>9} {'most MiB':>9} {'problems':>9}")
    for actor, members in sorted(groups.items()):
        longest, most = max(m.wall for m in members), max(m.memory for m in members)
        problems = sum(1 for m in members if m.problems)
        print(f"{actor:20} {len(members):5} {longest:7.1f} s {most / 2**20:9.0f} {problems:9}")


def main() -> int:
    """Run the pairs; the exit status is 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--time", type=float, default=10.0, help="budget of each run in seconds")
    parser.add_argument("--memory", default="2GB", help="memory limit of each run")
    parser.add_argument("--slack", type=float, default=1.0, help="seconds that a step may be late")
    parser.add_argument("--only", default="", help="regular expression on the path")
    parser.add_argument("--actors", nargs="+", help="names of actors; all that are built in")
    parser.add_argument("--pairs", type=int, help="so many runs")
    parser.add_argument("--minutes", type=float, help="begin no run later")
    parser.add_argument("--done", nargs="+", type=Path, default=[], help="tables of pairs that are not run again")
    parser.add_argument("--seed", type=int, default=0, help="of the order")
    arguments = parser.parse_args()
    tasks = read_tasks(arguments.table, arguments.only)
    done_before = tuple(line for table in arguments.done for line in table.read_text().splitlines())
    pairs = [
        (actor, task)
        for actor in arguments.actors or ACTORS
        for task in tasks
        if not any(line.startswith(pair_columns(actor, task)) for line in done_before)
    ]
    random.Random(arguments.seed).shuffle(pairs)
    end = time.monotonic() + 60 * (arguments.minutes if arguments.minutes is not None else float("inf"))

    def outcomes() -> Iterator[Outcome]:
        for actor, task in pairs[: arguments.pairs]:
            if time.monotonic() > end:
                return
            outcome = run_pair(actor, task, arguments.time, arguments.memory, arguments.slack)
            said = "  ".join(outcome.problems)
            print(f"{pair_columns(actor, task)}{outcome.wall:6.1f} {outcome.memory >> 20:5}  {said}", flush=True)
            yield outcome

    print(f"{'actor':20} {'task':50} {'wall':>6} {'MiB':>5}")
    done = list(outcomes())
    print_summary(done)
    found = sum(1 for outcome in done if outcome.problems)
    print(f"\n{found} of {len(done)} runs with a problem ({len(pairs)} pairs in all)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
