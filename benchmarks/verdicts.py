#!/usr/bin/env python3
"""Run ``gia verify`` or ``gia test`` on the tasks of a benchmark table, judge each run, print tables by category.

The table is described in ``benchmarks/tasks.py``. ``--mode verify`` prints for each category how many tasks are
solved, unknown and WRONG, and how many of the verdicts ``true`` ``gia check`` certifies. ``--mode test`` prints how
many of all goals of the tasks with fewer than ``--lines`` lines are decided, and ``--reasons`` every open goal with
its reasons.

A run is also looked at for what must never be: a verdict that contradicts the table, a contradiction between a proof
and a test, a traceback, a step that failed, a step or a run that ended more than ``--slack`` seconds late (on a busy
machine everything is late). The exit status is 1 if there is any of these. With ``--json FILE`` each run is added to
the file as one line when it ends; a task that is in the file already is not run again, so that an interrupted table
goes on.

    python benchmarks/verdicts.py ../shared/benchmarks/TASKS.tsv --mode verify --time 20 --every 6 --json verify.jsonl
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tasks import Task, judge, read_tasks, run_gia

CHECK_SECONDS = 60.0


@dataclass(frozen=True)
class OpenGoal:
    """A goal that a run has left open, and why: (kind, who says so, where and what)."""

    id: str
    reasons: list[tuple[str, str, str]]


@dataclass(frozen=True)
class Run:
    """What one run gave. ``checked``: whether ``gia check`` certifies a verdict ``true``; ``wrong`` must be empty."""

    task: str
    category: str
    lines: int
    expected: str
    verdict: str
    checked: bool | None
    goals: int
    covered: int
    unreachable: int
    certified: int
    wall: float
    open: list[OpenGoal] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def is_wrong(self) -> bool:
        """Whether the verdict contradicts the table."""
        return any(text.startswith("WRONG") for text in self.wrong)

    @property
    def decided(self) -> int:
        """The goals that are covered or unreachable."""
        return self.covered + self.unreachable


def run_task(task: Task, mode: str, seconds: float, slack: float) -> Run:
    """Run one task, and judge what comes out."""
    with tempfile.TemporaryDirectory(prefix="gia-verdicts-") as folder:
        out = Path(folder) / "out"
        started = time.monotonic()
        status, errors = run_gia(task, mode, seconds, out)
        wall = time.monotonic() - started
        result = read_json(out / "result.json")
        wrong = [found] if (found := judge(task, mode, status, errors, result)) else []
        wrong += oddities(out, result, slack)
        if status is not None and result.get("resources", {}).get("wall", 0.0) > seconds + slack:
            wrong.append(f"LATE: {result['resources']['wall']:.1f} of {seconds:g} seconds")
        verdict, goals = result.get("verdict", "-"), result.get("goals", [])
        checked = is_certified(out / "gia.xml", task, len(goals)) if verdict == "true" else None
        if checked is False:
            wrong.append("NOT CERTIFIED")
        count = Counter(goal["status"] for goal in goals)
        return Run(
            task=task.name,
            category=task.category,
            lines=sum(1 for _ in task.path.open(errors="replace")),
            expected=task.expected,
            verdict=verdict,
            checked=checked,
            goals=len(goals),
            covered=count["covered"],
            unreachable=count["unreachable"],
            certified=sum(1 for goal in goals if goal.get("certified")),
            wall=round(wall, 1),
            open=[open_goal(goal) for goal in goals if goal["status"] == "open"],
            wrong=wrong,
        )


def read_json(path: Path) -> dict[str, Any]:
    """The content of a file, empty if there is none."""
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return content


def oddities(out: Path, result: dict[str, Any], slack: float) -> Iterator[str]:
    """The steps that failed or were late, and the tracebacks in their logs."""
    granted = {}
    journal = out / "journal.jsonl"
    for line in journal.read_text().splitlines() if journal.exists() else []:
        entry = json.loads(line)
        if entry["event"] == "step-started":
            granted[f"{entry['number']:03d}-{entry['actor']}"] = float(entry["seconds"])
    for step in result.get("steps", []):
        folder = Path(step["folder"]).name
        name = f"{folder} (round {step['round']})"
        if step["status"] not in ("ok", "timeout", "cancelled"):
            yield f"STEP {name} {step['status']}: {'; '.join(step.get('remarks', []))[:200]}"
        late = step["wall"] - granted.get(folder, step["wall"])
        if late > slack:
            yield f"LATE {name}: {late:.1f} s"
        log = out / step["folder"] / "log.txt"
        if log.exists() and "Traceback" in log.read_text(errors="replace"):
            yield f"TRACEBACK {name}"


def open_goal(goal: dict[str, Any]) -> OpenGoal:
    """A goal of ``result.json`` that is open."""
    reasons = []
    for reason in goal.get("reasons", []):
        place = ":".join(str(reason[key]) for key in ("file", "line", "column") if key in reason)
        reasons.append(
            (reason["kind"], reason.get("by", ""), f"{place}: {reason['detail']}" if place else reason["detail"])
        )
    return OpenGoal(goal["id"], reasons)


def is_certified(gia: Path, task: Task, goals: int) -> bool:
    """Whether ``gia check`` certifies all claims of a verdict ``true``; without a call of an error there are none."""
    command = [
        sys.executable,
        "-m",
        "gia.cli",
        "check",
        str(gia),
        "--program",
        str(task.path),
        "--time",
        f"{CHECK_SECONDS:g}s",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * CHECK_SECONDS, check=False)
    found = [
        line
        for line in done.stdout.splitlines()
        if "claims that a goal is unreachable are certified" in line
        or "claim that a goal is unreachable is certified" in line
    ]
    if done.returncode or not found:
        return False
    numbers = [int(word) for word in found[0].replace(";", " ").split() if word.isdigit()]
    return len(numbers) >= 2 and numbers[-1] == numbers[-2] >= goals


def restored(line: str) -> Run:
    """A run from its line in the file of ``--json``."""
    values = json.loads(line)
    values["open"] = [OpenGoal(goal["id"], [tuple(reason) for reason in goal["reasons"]]) for goal in values["open"]]
    return Run(**values)


def by_category(runs: Sequence[Run]) -> Iterator[tuple[str, list[Run]]]:
    """The runs of each category, and all at the end."""
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.category].append(run)
    yield from sorted(groups.items())
    yield "TOTAL", list(runs)


def share(part: int, whole: int) -> str:
    """A percentage."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def print_verification(runs: Sequence[Run]) -> None:
    """Solved, unknown and wrong by category, of the tasks with a known verdict; and who certifies ``true``."""
    heads = f"{'solved':>6} {'unknown':>7} {'WRONG':>5} {'true':>4} {'certified':>9}"
    print(f"\n{'category':24} {'tasks':>5} {'known':>5} {heads}")
    for name, members in by_category(runs):
        known = [run for run in members if run.expected in ("true", "false")]
        wrong = sum(run.is_wrong for run in members)
        solved = sum(run.verdict == run.expected for run in known)
        true = [run for run in members if run.verdict == "true"]
        print(
            f"{name:24} {len(members):5} {len(known):5} {solved:6} {len(known) - solved - wrong:7} {wrong:5} "
            f"{len(true):4} {sum(run.checked is True for run in true):9}"
        )
    known = [run for run in runs if run.expected in ("true", "false")]
    true = [run for run in runs if run.verdict == "true"]
    solved, checked = sum(run.verdict == run.expected for run in known), sum(run.checked is True for run in true)
    print(f"\nsolved: {share(solved, len(known))} of {len(known)} tasks with a known verdict")
    print(f"certified by gia check: {share(checked, len(true))} of {len(true)} verdicts true")


def print_coverage(runs: Sequence[Run], lines: int) -> None:
    """The goals that are decided by category, and what keeps the others open."""
    heads = f"{'covered':>7} {'unreach':>7} {'certified':>9} {'open':>5} {'decided':>8}"
    print(f"\n{'category':24} {'tasks':>5} {'goals':>6} {heads}")
    for name, members in by_category(runs):
        goals = sum(run.goals for run in members)
        decided = sum(run.decided for run in members)
        print(
            f"{name:24} {len(members):5} {goals:6} {sum(run.covered for run in members):7} "
            f"{sum(run.unreachable for run in members):7} {sum(run.certified for run in members):9} "
            f"{goals - decided:5} {share(decided, goals):>8}"
        )
    small = [run for run in runs if run.lines < lines]
    goals, decided = sum(run.goals for run in small), sum(run.decided for run in small)
    print(f"\ndecided in tasks under {lines} lines: {share(decided, goals)} of {goals} goals")
    kinds = Counter(
        " + ".join(dict.fromkeys(kind for kind, _, _ in goal.reasons)) or "NO REASON"
        for run in runs
        for goal in run.open
    )
    for kind, number in kinds.most_common():
        print(f"  open: {number:5}  {kind}")


def print_reasons(runs: Sequence[Run]) -> None:
    """Every open goal with its reasons."""
    for run in runs:
        for goal in run.open:
            texts = [f"{kind}: {text}{f' ({by})' if by else ''}" for kind, by, text in goal.reasons]
            print(f"{run.task} {goal.id}  {'; '.join(texts) or 'NO REASON'}")


def main() -> int:
    """Run the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--mode", choices=["test", "verify"], default="verify")
    parser.add_argument("--time", type=float, default=60.0, help="budget of each task in seconds")
    parser.add_argument("--every", type=int, default=1, help="take every n-th task only")
    parser.add_argument("--offset", type=int, default=0, help="begin with the task of this index")
    parser.add_argument("--only", default="", help="regular expression on the path")
    parser.add_argument("--jobs", type=int, default=1, help="tasks at the same time")
    parser.add_argument("--json", type=Path, help="file with one line for each run; those in it are not done again")
    parser.add_argument("--lines", type=int, default=1000, help="which tasks count as small")
    parser.add_argument("--slack", type=float, default=1.0, help="how many seconds after its time something is late")
    parser.add_argument("--reasons", action="store_true", help="print every open goal and its reasons")
    arguments = parser.parse_args()
    tasks = read_tasks(arguments.table, arguments.only)[arguments.offset :: arguments.every]
    before = arguments.json.read_text().splitlines() if arguments.json and arguments.json.exists() else []
    known = {run.task: run for run in map(restored, before)}

    def done(task: Task) -> Run:
        return known.get(task.name) or run_task(task, arguments.mode, arguments.time, arguments.slack)

    runs: list[Run] = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for run in pool.map(done, tasks):
            runs.append(run)
            if arguments.json and run.task not in known:
                with arguments.json.open("a") as stream:
                    stream.write(json.dumps(asdict(run)) + "\n")
            numbers = f"{run.decided:5}/{run.goals:<5} {run.wall:6.1f}"
            print(
                f"{run.task[:58]:58} {run.verdict:>10} {run.expected:>7} {numbers}  {'; '.join(run.wrong)}", flush=True
            )
    if arguments.mode == "verify":
        print_verification(runs)
    else:
        print_coverage(runs, arguments.lines)
    if arguments.reasons:
        print_reasons(runs)
    bad = [run for run in runs if run.wrong]
    print(f"\n{len(bad)} of {len(runs)} runs with what must not be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
