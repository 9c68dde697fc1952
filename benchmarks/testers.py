#!/usr/bin/env python3
"""Compare testers on the tasks of a benchmark table: goals covered over time, tests, and what their searches cost.

Each tester runs alone on each task, in a process of its own, with the same time. Names are those of built-in actors,
with options behind a colon (``concolic:search=dfs``); ``klee``, ``afl`` and ``libfuzzer`` run through the actors of
these names where they are installed. Printed are a table and, with ``--plot``, a quantile plot (SVG): the shares of
goals covered, sorted, over the tasks.

    python benchmarks/testers.py ../shared/benchmarks/TASKS.tsv --time 10 --every 6 fuzz concolic bmc tester
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tasks import Task, read_tasks

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance, Automaton
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.exchange.suites.tests_gia import tests_of
from gia.frontend import load
from gia.verdict import GoalStatus

GRACE_SECONDS = 30.0


@dataclass(frozen=True)
class Measurement:
    """One run: ``series`` has pairs of seconds and goals covered by then."""

    goals: int
    covered: int
    tests: int
    seconds: float
    series: tuple[tuple[float, int], ...] = ()
    notes: tuple[str, ...] = field(default=())


def measure(path: Path, data_model: str, tester: str, seconds: float) -> Measurement:
    """Run a built-in actor here and now."""
    name, _, listed = tester.partition(":")
    options = dict(pair.split("=", 1) for pair in listed.split(",") if pair)
    loaded = load(path, data_model=DataModel(data_model))
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    goal_of = {loaded.program.edge_list[number].reference: goal.id for goal in goals for number in goal.edges}
    started = time.monotonic()
    series: list[tuple[float, int]] = []
    notes: list[str] = []

    def publish(found: object) -> bool:
        automaton = found() if callable(found) else None
        assert isinstance(automaton, Automaton)
        final = automaton.accepting(Acceptance.RT)
        edges = {e for t in automaton.transitions if t.target in final and t.edges for e in t.edges}
        series.append((round(time.monotonic() - started, 2), len({goal_of[e] for e in edges if e in goal_of})))
        return True

    with tempfile.TemporaryDirectory() as scratch:
        known = initial_gia(loaded.program, goals)
        request = ActorRequest(
            loaded, goals, known, started + seconds, Path(scratch), options, report=notes.append, publish=publish
        )
        found = ACTORS[name].load()(request)
    used = time.monotonic() - started
    status = goal_status(loaded.program, found, goals)
    covered = sum(1 for state in status.values() if state is GoalStatus.COVERED)
    tests = len(tests_of(found, loaded.program))
    return Measurement(len(goals), covered, tests, round(used, 2), (*series, (round(used, 2), covered)), tuple(notes))


def run_elsewhere(task: Task, tester: str, seconds: float) -> Measurement | None:
    """Measure in a process of its own; ``None`` if it fails."""
    if tester.partition(":")[0] in ("klee", "afl", "libfuzzer"):
        return run_tool(task, tester, seconds)
    command = [sys.executable, __file__, "--worker", str(task.path), task.data_model, tester, f"{seconds:g}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + GRACE_SECONDS, check=False)
        values = json.loads(done.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return None
    return Measurement(**{**values, "series": tuple(map(tuple, values["series"])), "notes": tuple(values["notes"])})


def run_tool(task: Task, tester: str, seconds: float) -> Measurement | None:
    """Run a tool that is installed through its actor, as the only one of a composition."""
    with tempfile.TemporaryDirectory() as scratch:
        composition = Path(scratch) / "alone.yml"
        composition.write_text(
            f"name: alone\ndescription: one tool alone\nsteps:\n  only: {{actor: {tester}}}\nrun: only\n"
        )
        out = Path(scratch) / "out"
        command = [sys.executable, "-m", "gia.cli", "run", str(composition), str(task.path), "--quiet"]
        command += ["--data-model", task.data_model, "--time", f"{seconds:g}s", "--out", str(out)]
        try:
            subprocess.run(command, capture_output=True, timeout=seconds + GRACE_SECONDS, check=False)
            result = json.loads((out / "result.json").read_text())
        except (subprocess.TimeoutExpired, OSError, ValueError):
            return None
    summary = result["summary"]
    wall = result["resources"]["wall"]
    return Measurement(summary["goals"], summary["covered"], summary["tests"], wall, ((wall, summary["covered"]),))


def print_table(results: Mapping[str, Mapping[str, Measurement | None]], testers: Sequence[str]) -> None:
    """A line for each task, then sums: covered goals, tests, seconds, and on how many tasks each was the best."""
    width = max(18, *(len(tester) + 2 for tester in testers))
    print(f"{'task':46} {'goals':>6}" + "".join(f"{tester:>{width}}" for tester in testers))
    best: dict[str, int] = defaultdict(int)
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0.0])
    for name, row in results.items():
        most = max((found.covered for found in row.values() if found), default=0)
        goals = max((found.goals for found in row.values() if found), default=0)
        cells = []
        for tester in testers:
            found = row.get(tester)
            if found is None:
                cells.append("failed")
                continue
            best[tester] += found.covered == most
            for place, value in enumerate((found.covered, found.tests, found.seconds)):
                sums[tester][place] += value
            cells.append(
                f"{found.covered}{'*' if found.covered == most else ' '}{found.tests:4}t {found.seconds:5.1f}s"
            )
        print(f"{name[:46]:46} {goals:6}" + "".join(f"{cell:>{width}}" for cell in cells), flush=True)
    for title, place in (("covered goals", 0), ("tests", 1), ("seconds", 2)):
        print(f"{title:53}" + "".join(f"{sums[tester][place]:>{width}.0f}" for tester in testers))
    print(f"{'best or as good (of ' + str(len(results)) + ')':53}" + "".join(f"{best[t]:>{width}}" for t in testers))


def quantile_plot(results: Mapping[str, Mapping[str, Measurement | None]], testers: Sequence[str]) -> str:
    """SVG: for each tester its shares of covered goals, sorted, over the number of tasks."""
    colours = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f")
    width, height, left, top = 640, 360, 50, 20
    count = max(2, len(results))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 200}" height="{height + 70}" '
        'font-family="sans-serif">',
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>',
        f'<text x="{left + width / 2}" y="{height + 60}" text-anchor="middle" font-size="13">tasks</text>',
    ]
    for percent in (0, 25, 50, 75, 100):
        y = top + height * (1 - percent / 100)
        lines.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end" font-size="11">{percent} %</text>')
    for number, tester in enumerate(testers):
        found = [row.get(tester) for row in results.values()]
        shares = sorted(m.covered / m.goals if m and m.goals else 0.0 for m in found)
        points = " ".join(
            f"{left + width * place / (count - 1):.1f},{top + height * (1 - share):.1f}"
            for place, share in enumerate(shares)
        )
        colour = colours[number % len(colours)]
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = top + 20 + 18 * number
        lines.append(f'<text x="{left + width + 10}" y="{y}" font-size="12" fill="{colour}">{tester}</text>')
    return "\n".join([*lines, "</svg>", ""])


def installed(tester: str) -> bool:
    """Whether what a column needs is there."""
    needs = {"klee": "klee", "afl": "afl-fuzz", "libfuzzer": "clang"}
    return tester not in needs or shutil.which(needs[tester]) is not None


def main() -> int:
    """Measure and print."""
    if sys.argv[1:2] == ["--worker"]:
        path, model, tester, seconds = sys.argv[2:]
        print(json.dumps(asdict(measure(Path(path), model, tester, float(seconds)))))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("testers", nargs="+")
    parser.add_argument("--time", type=float, default=10.0, help="seconds for each tester on each task")
    parser.add_argument("--only", default="", help="regular expression on the path")
    parser.add_argument("--every", type=int, default=1, help="take every n-th task only")
    parser.add_argument("--plot", type=Path, help="where the quantile plot goes (SVG)")
    parser.add_argument("--json", type=Path, help="where all numbers go")
    arguments = parser.parse_args()
    testers = [tester for tester in arguments.testers if installed(tester)]
    results: dict[str, dict[str, Measurement | None]] = {}
    for task in read_tasks(arguments.table, arguments.only)[:: arguments.every]:
        results[task.name] = {tester: run_elsewhere(task, tester, arguments.time) for tester in testers}
        print(f"{task.name}: " + ", ".join(f"{t} {m.covered if m else '-'}" for t, m in results[task.name].items()),
              file=sys.stderr, flush=True)  # fmt: skip
    print_table(results, testers)
    if arguments.plot:
        arguments.plot.write_text(quantile_plot(results, testers))
    if arguments.json:
        plain = {name: {t: asdict(m) if m else None for t, m in row.items()} for name, row in results.items()}
        arguments.json.write_text(json.dumps(plain, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
