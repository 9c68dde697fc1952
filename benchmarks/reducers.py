#!/usr/bin/env python3
"""Reduce every task of a benchmark table with each strategy: how long it takes, how large it gets, whether it holds.

The table is described in ``benchmarks/tasks.py``. For each task the program is read once; the time for that (front end
and compiler, as every command needs it) is the unit for the times of the reducers, and the size of the program's file
that for the sizes of the results. With ``--check`` each result is compiled and run beside the original one
on random inputs: needed runs must stay as they are (``tests/reducer/tasks.py``). Of runs that do not end, the
beginnings are compared. Each task has a process of its own, which ends after ``--limit`` seconds. A generated program
of 5,000 lines is measured as well. The exit status is 1 if something does not hold or was not finished, or if
``monitor`` exceeds its limits.

    python benchmarks/reducers.py ../shared/benchmarks/TASKS.tsv --only nsichneu --check
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from tasks import read_tasks

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from gia.automaton.model import Acceptance
from gia.reducer import Strategy, reduce_to_c
from tests.reducer import tasks as reduced_tasks

MOST_TIME, MOST_SIZE = 2.0, 3.0
"""What ``monitor`` may take of a program with at least ``LONG`` lines: times the parse time, times the size."""
LONG = 1000


def generated(lines: int) -> str:
    """A program of about so many lines: functions with loops and branches that call each other."""
    count = max(1, lines // 10)
    pieces = ["extern int __VERIFIER_nondet_int(void);", "int total;"]
    for number in range(count):
        called = f"f{number - 1}(x - 1)" if number else "0"
        pieces += [
            f"int f{number}(int x) {{",
            "  int y = __VERIFIER_nondet_int();",
            f"  while (y > {number % 7}) {{",
            "    y = y - 2;",
            "  }",
            f"  if (x == y + {number % 11}) {{",
            "    total = total + 1;",
            f"    return {called};",
            "  }",
            "  return x + y; }",
        ]
    return "\n".join([*pieces, f"int main(void) {{ return f{count - 1}(__VERIFIER_nondet_int()); }}", ""])


def measure(path: Path, data_model: str, check: bool, folder: Path) -> Iterator[tuple[str, bool]]:
    """One line for each automaton and strategy, and whether all holds."""
    started = perf_counter()
    program, goals = reduced_tasks.loaded(path, data_model)
    unit = perf_counter() - started
    size = path.stat().st_size
    original = reduced_tasks.Original(program, goals, folder) if check else None
    known = {
        "initial": reduced_tasks.initial(program.program, goals),
        "ut facts": reduced_tasks.with_facts(program.program, goals, Acceptance.UT),
        "rt facts": reduced_tasks.with_facts(program.program, goals, Acceptance.RT),
    }
    for name, task in known.items():
        for strategy in Strategy:
            started = perf_counter()
            reduction = reduce_to_c(strategy, program, goals, task.automaton, task.wrt)
            time, ratio = (perf_counter() - started) / unit, len(reduction.text.encode()) / size
            wrong = [] if original is None else original.differences(task, [strategy])
            large = reduction.before.lines >= LONG and strategy is Strategy.MONITOR
            holds = not wrong and not (large and (time > MOST_TIME or ratio > MOST_SIZE))
            shown = f"{path.name[:40]:<40} {reduction.before.lines:>5} lines  {name:<8} {strategy.value:<8} "
            shown += f"time {time:5.2f}  size {ratio:5.2f}  cuts {reduction.statistics.cuts:>4}"
            yield shown + "".join(f"  WRONG {text[:200]}" for text in wrong) + ("" if holds else "  TOO MUCH"), holds


def measured(path: Path, data_model: str, check: bool) -> None:
    """Prints all about one task; the exit status of the process says whether it holds."""
    os.setsid()
    sound = True
    try:
        with tempfile.TemporaryDirectory(prefix="gia-") as folder:
            for line, holds in measure(path, data_model, check, Path(folder)):
                sound &= holds
                print(line, flush=True)
    except AssertionError as problem:
        print(f"{path.name[:40]:<40} cannot be linked: {str(problem).splitlines()[0][:80]}", flush=True)
    sys.exit(0 if sound else 1)


def holds_in_time(path: Path, data_model: str, check: bool, limit: float) -> bool:
    """Measure one task in a process of its own; whether all holds and was done in time."""
    process = get_context("fork").Process(target=measured, args=(path, data_model, check))
    process.start()
    process.join(limit)
    if process.exitcode is None and process.pid is not None:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        print(f"{path.name[:40]:<40} STOPPED after {limit:g} seconds", flush=True)
    return process.exitcode == 0


def main() -> int:
    """Measure; 1 if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--only", default="", help="a regular expression that the path of a task must match")
    parser.add_argument("--check", action="store_true", help="run the reduced programs beside the original ones")
    parser.add_argument("--limit", type=float, default=300, help="how many seconds one task may take")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        source = Path(scratch) / "generated.c"
        source.write_text(generated(5000))
        found = [(source, "LP64", False)]
        found += [(task.path, task.data_model, options.check) for task in read_tasks(options.table, options.only)]
        sound = [holds_in_time(path, data_model, check, options.limit) for path, data_model, check in found]
    return 0 if all(sound) else 1


if __name__ == "__main__":
    sys.exit(main())
