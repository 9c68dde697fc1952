#!/usr/bin/env python3
"""Run the provers side by side on the tasks of a benchmark table: who proves the error call unreachable, and how fast.

Each actor is run alone (``gia actor run``), and its proof is given to ``gia check``; only certified proofs count. With
``--cc-gia`` the composition of three actors and a composition of ``predicate`` alone are run (``gia run``), and their
times are compared: of the actors' processes (with the modules loaded for them), and of the whole runs. With
``--sources`` the sources of predicates are compared instead of actors. A line ends in ``WRONG`` if something is proven
that the table says is reachable; the exit status is then 1.

    python benchmarks/verifiers.py ../shared/benchmarks/TASKS.tsv --time 20 --only '^loop' --cc-gia
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks import Task, read_tasks

ACTORS = ("interval", "value", "kinduction", "chc", "predicate", "verifier")
SOURCES = ("modes", "loops", "invariants", "atoms", "interpolants", "weakest", "strongest")
GIA = (sys.executable, "-m", "gia.cli")
ALONE = "predicate alone"
"""The column of a composition with one step."""
ALONE_COMPOSITION = """\
name: predicate-alone
description: predicate abstraction as one actor
task: verification
steps: {prove: {actor: predicate}}
run: {sequence: [prove]}
"""


@dataclass(frozen=True)
class Outcome:
    """What one prover did: the answer (``true``, ``false`` for a test, or why there is none), CPU and wall seconds.

    Of a composition these are those of its actors; ``whole_cpu`` and ``whole_wall`` are those of the run.
    """

    answer: str
    cpu: float
    wall: float
    whole_cpu: float = 0.0
    whole_wall: float = 0.0


def timed(command: Sequence[str], seconds: float) -> tuple[int, float, float, str]:
    """Run a command: exit status, CPU seconds of it and its children, wall seconds, and what it wrote."""
    started = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        status = 124
        while time.monotonic() - started < seconds:
            pid, code, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                status = os.waitstatus_to_exitcode(code)
                break
            time.sleep(0.02)
        else:
            os.killpg(process.pid, 9)
            _, _, usage = os.wait4(process.pid, 0)
        process.returncode = status
        output.seek(0)
        text = output.read().decode(errors="replace")
    return status, usage.ru_utime + usage.ru_stime, time.monotonic() - started, text


def run_actor(task: Task, actor: str, seconds: float, options: Sequence[str] = ()) -> Outcome:
    """Run one actor alone and check its proof."""
    with tempfile.TemporaryDirectory(prefix="gia-verifiers-") as folder:
        out = Path(folder) / "out.xml"
        command = [
            *GIA,
            "actor",
            "run",
            actor,
            "--program",
            str(task.path),
            "--spec",
            "unreach-call",
            "--out",
            str(out),
        ]
        command += ["--time", f"{seconds:g}s", "--data-model", task.data_model]
        for option in options:
            command += ["--option", option]
        status, cpu, wall, text = timed(command, seconds + 20)
        if status:
            return Outcome("TRACEBACK" if "internal error" in text else f"exit {status}", cpu, wall)
        _, _, _, checked = timed([*GIA, "check", str(out), "--program", str(task.path)], 60)
        if "1 of 1 claims that a goal is unreachable are certified" in checked:
            return Outcome("true", cpu, wall)
        if "\nrefuted" in checked or "\nnot checkable" in checked:
            return Outcome("UNCERTIFIED", cpu, wall)
        return Outcome("test" if "1 candidate tests" in text else "-", cpu, wall)


def run_composition(task: Task, composition: str, seconds: float) -> Outcome:
    """Run a composition, by name or as text."""
    with tempfile.TemporaryDirectory(prefix="gia-verifiers-") as folder:
        out, name = Path(folder) / "out", composition
        if "\n" in composition:
            name = str(Path(folder) / "composition.yml")
            Path(name).write_text(composition, encoding="utf-8")
        command = [*GIA, "run", name, str(task.path), "--data-model", task.data_model, "--time", f"{seconds:g}s"]
        command += ["--spec", "unreach-call", "--out", str(out), "--quiet", "--no-cache"]
        status, cpu, wall, text = timed(command, seconds + 30)
        if status:
            return Outcome("TRACEBACK" if "internal error" in text else f"exit {status}", cpu, wall)
        result = json.loads((out / "result.json").read_text())
        steps, whole = result["steps"], result["resources"]
        rounds = max((step["round"] for step in steps), default=0)
        answer = {"true": "true", "false": "test"}.get(result["verdict"], "-")
        if answer == "true" and not all(goal["certified"] for goal in result["goals"]):
            answer = "UNCERTIFIED"
        cpu, wall = sum(step["cpu"] for step in steps), sum(step["wall"] for step in steps)
        return Outcome(f"{answer}/{rounds}", cpu, wall, whole["cpu"], whole["wall"])


def is_wrong(task: Task, outcome: Outcome) -> bool:
    """Whether something reachable was proven unreachable."""
    proven = outcome.answer.startswith("true")
    return (proven and task.expected == "false") or outcome.answer.startswith(("UNCERTIFIED", "TRACEBACK"))


def summary(columns: Sequence[str], rows: Sequence[tuple[Task, dict[str, Outcome]]]) -> None:
    """How many tasks of each category each column has proven, and the CPU seconds for these."""
    groups: dict[str, list[dict[str, Outcome]]] = defaultdict(list)
    for task, outcomes in rows:
        groups[task.category].append(outcomes)
        groups["TOTAL"].append(outcomes)
    print("\n" + f"{'proven':28} {'tasks':>5} " + " ".join(f"{name:>13}" for name in columns))
    for name, members in sorted(groups.items(), key=lambda item: (item[0] == "TOTAL", item[0])):
        cells = []
        for column in columns:
            solved = [m[column] for m in members if m[column].answer.startswith("true")]
            cells.append(f"{len(solved):3} {sum(o.cpu for o in solved):7.1f} s" if solved else f"{'-':>13}")
        print(f"{name:28} {len(members):5} " + " ".join(cell.rjust(13) for cell in cells))


def overhead(rows: Sequence[tuple[Task, dict[str, Outcome]]]) -> None:
    """The times of ``cc-gia`` over those of ``predicate`` where both have proven the same, and an actor was needed."""
    pairs = [(outcomes["cc-gia"], outcomes[ALONE]) for _, outcomes in rows]
    both = [pair for pair in pairs if all(outcome.answer.startswith("true") and outcome.cpu for outcome in pair)]
    print(f"\n{'cc-gia / predicate':28} {'median':>7} {'most':>7}   on {len(both)} tasks that both have proven")
    for label, of in (
        ("CPU time of the actors", lambda outcome: outcome.cpu),
        ("CPU time of the runs", lambda outcome: outcome.whole_cpu),
        ("wall time of the actors", lambda outcome: outcome.wall),
        ("wall time of the runs", lambda outcome: outcome.whole_wall),
    ):
        ratios = [of(taken_apart) / of(whole) for taken_apart, whole in both]
        if ratios:
            print(f"{label:28} {statistics.median(ratios):7.2f} {max(ratios):7.2f}")
    for name, other in ((ALONE, "cc-gia"), ("cc-gia", ALONE)):
        proven = [o[name].answer.startswith("true") and not o[other].answer.startswith("true") for _, o in rows]
        print(f"proven by {name} only: {sum(proven)}")


def main() -> int:
    """Run the table; the exit status is 1 if any line is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("--time", type=float, default=10.0, help="budget of each actor in seconds")
    parser.add_argument("--only", default="", help="regular expression on the path")
    parser.add_argument("--actors", default=" ".join(ACTORS), help="names of actors")
    parser.add_argument("--cc-gia", action="store_true", help="compare predicate with the composition cc-gia")
    parser.add_argument("--sources", action="store_true", help="compare the sources of predicates, each alone")
    parser.add_argument("--expected", default="", help="only tasks with this verdict in the table")
    arguments = parser.parse_args()
    tasks = [t for t in read_tasks(arguments.table, arguments.only) if arguments.expected in ("", t.expected)]
    columns = list(SOURCES) if arguments.sources else arguments.actors.split()
    if arguments.cc_gia:
        columns += [ALONE, "cc-gia"]
    print(f"{'task':46} {'expect':>7} " + " ".join(f"{name:>17}" for name in columns))
    rows: list[tuple[Task, dict[str, Outcome]]] = []
    wrong = 0
    for task in tasks:
        outcomes = {}
        for name in columns:
            if arguments.sources:
                outcomes[name] = run_actor(task, "predicate", arguments.time, [f"sources={name}"])
            elif name in (ALONE, "cc-gia"):
                composition, factor = (name, 2) if name == "cc-gia" else (ALONE_COMPOSITION, 1)
                outcomes[name] = run_composition(task, composition, factor * arguments.time)
            else:
                outcomes[name] = run_actor(task, name, arguments.time)
        rows.append((task, outcomes))
        bad = [name for name, outcome in outcomes.items() if is_wrong(task, outcome)]
        wrong += bool(bad)
        cells = " ".join(f"{o.answer:>11} {o.cpu:5.1f}" for o in outcomes.values())
        print(f"{task.name[:46]:46} {task.expected:>7} {cells}{'  WRONG ' + ' '.join(bad) if bad else ''}", flush=True)
    summary(columns, rows)
    if "cc-gia" in columns:
        overhead(rows)
    print(f"\n{wrong} of {len(rows)} tasks with a problem")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
