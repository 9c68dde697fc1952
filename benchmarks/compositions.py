#!/usr/bin/env python3
"""Compare compositions on programs, or on single functions of them: goals decided, and time.

A target is a C file, or a file and a function that is tested alone (``list.c:insert``). Each composition (a name, or a
file) runs alone on each target, with the same time; who is first changes from target to target. A goal that one run
covers and another one calls unreachable is a contradiction, and makes the exit status 1, as does a run that fails.

    python benchmarks/compositions.py --time 20 cotest benchmarks/rounds.yml --on list.c:insert list.c:remove program.c
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks import run_command


@dataclass(frozen=True)
class Target:
    """A program, and the function that is tested if it is not ``main``."""

    path: Path
    entry: str

    @staticmethod
    def of(text: str) -> Target:
        """``FILE`` or ``FILE:FUNCTION``."""
        path, _, entry = text.partition(":")
        return Target(Path(path), entry or "main")

    def __str__(self) -> str:
        return self.path.name if self.entry == "main" else f"{self.path.name}:{self.entry}"


@dataclass(frozen=True)
class Outcome:
    """The status of each goal by its id, and the seconds that it took; ``error`` is empty unless the run failed."""

    statuses: dict[str, str]
    wall: float
    error: str = ""

    def count(self, status: str) -> int:
        """How many goals have that status."""
        return Counter(self.statuses.values())[status]


def run(composition: str, target: Target, data_model: str, seconds: float) -> Outcome:
    """One run, without anything that an earlier one has kept."""
    with tempfile.TemporaryDirectory(prefix="gia-benchmark-") as directory:
        out = Path(directory) / "out"
        command = [sys.executable, "-m", "gia.cli", "run", composition, str(target.path), "--entry", target.entry]
        command += ["--data-model", data_model, "--time", f"{seconds:g}s", "--out", str(out), "--quiet", "--no-cache"]
        started = time.monotonic()
        status, errors = run_command(command, seconds)
        wall = time.monotonic() - started
        if status != 0:
            return Outcome({}, wall, (errors.strip().splitlines() or ["it did not end"])[0])
        goals = json.loads((out / "result.json").read_text())["goals"]
        return Outcome({goal["id"]: goal["status"] for goal in goals}, wall)


def contradictions(outcomes: Sequence[Outcome]) -> list[str]:
    """The goals that some run covers and another one calls unreachable."""
    seen: dict[str, set[str]] = {}
    for outcome in outcomes:
        for goal, status in outcome.statuses.items():
            seen.setdefault(goal, set()).add(status)
    return sorted(goal for goal, statuses in seen.items() if {"covered", "unreachable"} <= statuses)


def print_totals(compositions: Sequence[str], rows: Sequence[dict[str, Outcome]]) -> None:
    """Sums over all targets, and what they are of those of the first composition."""
    totals = {
        name: (
            sum(row[name].count("covered") for row in rows),
            sum(row[name].count("unreachable") for row in rows),
            sum(row[name].wall for row in rows),
        )
        for name in compositions
    }
    first = totals[compositions[0]]
    print(f"\n{'TOTAL':40} {'covered':>15} {'unreachable':>15} {'seconds':>15}")
    for name, numbers in totals.items():
        shares = (
            f"{number:.0f} ({number / base if base else 1:.2f})" for number, base in zip(numbers, first, strict=True)
        )
        print(f"{Path(name).name:40}", *(f"{share:>15}" for share in shares))


def main() -> int:
    """Run all; the exit status is 1 if a run failed or two contradict each other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compositions", nargs="+")
    parser.add_argument("--on", nargs="+", type=Target.of, required=True, metavar="FILE[:FUNCTION]", help="the targets")
    parser.add_argument("--time", type=float, default=20.0, help="seconds for each run")
    parser.add_argument("--data-model", default="LP64", choices=["ILP32", "LP64"])
    arguments = parser.parse_args()
    rows: list[dict[str, Outcome]] = []
    problems = 0
    print(f"{'target':40} {'composition':20} {'covered':>8} {'unreach.':>8} {'open':>5} {'seconds':>8}")
    for number, target in enumerate(arguments.on):
        turn = number % len(arguments.compositions)
        row: dict[str, Outcome] = {}
        for name in (*arguments.compositions[turn:], *arguments.compositions[:turn]):
            row[name] = found = run(name, target, arguments.data_model, arguments.time)
            numbers = [found.count(status) for status in ("covered", "unreachable", "open")]
            print(
                f"{target!s:40} {Path(name).name:20}", "{:8} {:8} {:5}".format(*numbers), f"{found.wall:8.1f}", end=""
            )
            print(f"  FAILED: {found.error}" if found.error else "", flush=True)
            problems += bool(found.error)
        for goal in contradictions(list(row.values())):
            problems += 1
            print(f"WRONG: {target} {goal} is covered and unreachable")
        rows.append(row)
    print_totals(arguments.compositions, rows)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
