#!/usr/bin/env python3
"""Compare testers on the tasks of a benchmark table: goals covered over time, tests, and what their searches cost.

Each tester runs alone on each task, in a process of its own, with the same time. Names are those of built-in actors,
with options behind a colon (``concolic:search=dfs``); of other actors, such as ``klee``, ``afl`` and ``libfuzzer``,
which run where they are installed; and of compositions (``cotest``). Time is from the C program to the end: that of the
whole process for what is built in, which reads, compiles and tests the program; of the compiler and of the tool for
another actor, which gets the program with a harness.

Printed are a table, coverage over time, what each two cover together, and for each built-in tester or composition and
each tool three judgements; ``--plot`` writes a quantile plot and coverage over time (SVG).

Modules of gia are compiled once, into a folder that goes at the end: where it is installed, they are compiled, too. A
column has a cache of its own, which is empty at first: what does not depend on the program is compiled once, too.

With ``--clock cpu`` all times are processor times of the tester and of the processes that it starts, so that numbers
from a busy machine can be compared. Tools and compositions are stopped when it is used up; what a tool would have
written at its end is lost.

    python benchmarks/testers.py ../shared/benchmarks/TASKS.tsv --time 10 --every 6 tester cotest klee afl libfuzzer
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import product
from pathlib import Path

from comparison import Measurement, judgements, over_time, plots, table, together
from tasks import Task, read_tasks

import gia
from gia.analyses.registry import ACTORS
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.exchange.suites.ktest import read_ktest, test_of_ktest
from gia.frontend import load
from gia.native import Missing, Runner, Tracing, compile_instrumented
from gia.orchestrator.description.actor import BINARY, load_actor
from gia.tools.input_bytes import ByteReader

GRACE_SECONDS = 30.0

ONE_TESTER = Path(__file__).with_name("one_tester.py")

BUSY = 20
"""How many times longer than its processor time a run may take."""

TOOLS = {"klee": "klee", "afl": "afl-fuzz", "libfuzzer": "clang"}
"""Columns that need an executable."""

COMPOSITIONS = ("cotest", "fuzz-and-prove", "cc-gia")


def run_column(task: Task, tester: str, seconds: float, clock: str, caches: Path) -> Measurement | None:
    """Measure a tester in a process of its own; ``None`` if it fails."""
    name = tester.partition(":")[0]
    with environment(XDG_CACHE_HOME=str(caches / tester)):
        if name in ACTORS:
            return run_elsewhere(task, tester, seconds, clock)
        with tempfile.TemporaryDirectory() as scratch:
            return run_composition(task, tester, seconds, clock, Path(scratch))


def run_elsewhere(task: Task, tester: str, seconds: float, clock: str) -> Measurement | None:
    """Measure a built-in actor."""
    command = [sys.executable, str(ONE_TESTER), str(task.path), task.data_model, tester, f"{seconds:g}"]
    longest = seconds * (BUSY if clock == "cpu" else 1) + GRACE_SECONDS
    command += [str(time.time()), clock]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=longest, check=False)
        values = json.loads(done.stdout.strip().splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError):
        return None
    lists = {name: tuple(values[name]) for name in ("notes", "reached")}
    return Measurement(**{**values, **lists, "series": tuple(map(tuple, values["series"]))})


def run_composition(task: Task, name: str, seconds: float, clock: str, scratch: Path) -> Measurement | None:
    """Run a composition, or another actor as the only one of a composition, with all the time for itself."""
    longest = seconds * (BUSY if clock == "cpu" else 1)
    out, alone, given, total = scratch / "out", name not in COMPOSITIONS, name, longest
    if alone:
        given, total = str(scratch / "alone.yml"), longest + GRACE_SECONDS
        limits = f"time: {longest:g}s, cpu: {seconds:g}s" if clock == "cpu" else f"time: {seconds:g}s"
        step = f"  only: {{actor: {name}, {limits}}}"
        Path(given).write_text(f"name: alone\ndescription: one tool alone\nsteps:\n{step}\nrun: only\n")
    command = [sys.executable, "-m", "gia.cli", "run", given, str(task.path), "--quiet"]
    command += ["--data-model", task.data_model, "--time", f"{total:g}s", "--out", str(out), "--spec", "branches"]
    if clock == "cpu":
        command += ["--cpu", f"{seconds:g}s"]
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, capture_output=True, timeout=total + GRACE_SECONDS, check=False)
        result = json.loads((out / "result.json").read_text())
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return None
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    waited_for = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cpu = max(waited_for, result["resources"]["cpu"])  # nobody waits for what is killed
    summary, step = result["summary"], result["steps"][0]
    series: tuple[tuple[float, int], ...] = ()
    if alone:
        if step["status"] not in ("ok", "timeout"):
            return None
        wall, cpu = step["wall"], step["cpu"]
        speed = cpu / max(wall, 0.01) if clock == "cpu" else 1.0
        before_it = compiled_in(out / step["folder"])
        found = covered_over_time(task, name, out / step["folder"])
        series = tuple((round((before_it + when) * speed, 2), n) for when, n in found)
        wall, cpu = wall + before_it, cpu + before_it * speed
    used = round(cpu if clock == "cpu" else wall, 2)
    return Measurement(
        goals=summary["goals"],
        covered=summary["covered"],
        decided=summary["covered"] + summary["unreachable"],
        tests=summary["tests"],
        seconds=used,
        cpu=round(cpu, 2),
        series=(*series, (used, summary["covered"])),
        reached=tuple(goal["id"] for goal in result["goals"] if goal["status"] == "covered"),
    )


def compiled_in(folder: Path) -> float:
    """How long the compiler of a tool took: seconds from its sources, which are written just before, to the binary."""
    binary = folder / BINARY
    if not binary.exists():
        return 0.0
    return max(0.0, binary.stat().st_mtime - max(path.stat().st_mtime for path in folder.glob("*.c")))


def covered_over_time(task: Task, tool: str, folder: Path) -> Iterator[tuple[float, int]]:
    """The goals that the tests of a tool cover, by the times of their files: seconds after the step began."""
    begun = (folder / "specification.prp").stat().st_mtime
    kinds = [kind for kind in load_actor(tool).description.produces if kind.type in ("ktest", "input-bytes")]
    files = sorted((path.stat().st_mtime, path, kind.type) for kind in kinds for path in folder.glob(kind.path))
    loaded = load(task.path, data_model=DataModel(task.data_model))
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    covered: set[int] = set()
    with tempfile.TemporaryDirectory() as scratch, Runner() as runner:
        program = compile_instrumented(loaded, Path(scratch), watch=frozenset().union(*(goal.edges for goal in goals)))
        reader = ByteReader(runner, program)
        for when, path, kind in files:
            if kind == "input-bytes":
                execution = reader.read(path.read_bytes())
            else:
                test = test_of_ktest(read_ktest(path.read_bytes(), path.name), loaded.program.types.data_model)
                inputs = [literal for _, literal in test.inputs]
                execution = runner.run(program, inputs, missing=Missing.ZERO, tracing=Tracing.NONE)
            if not execution.covered_edges <= covered:
                covered |= execution.covered_edges
                yield when - begun, sum(not goal.edges.isdisjoint(covered) for goal in goals)


def installed(tester: str) -> bool:
    """Whether what a column needs is there."""
    return tester not in TOOLS or shutil.which(TOOLS[tester]) is not None


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """The environment with these values meanwhile; not that of :mod:`unittest.mock`, which testers would load, too."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def compiled_modules() -> Iterator[None]:
    """Processes that are started meanwhile find the modules of Python compiled, whatever the environment says."""
    with (
        tempfile.TemporaryDirectory() as folder,
        environment(PYTHONPYCACHEPREFIX=folder, PYTHONDONTWRITEBYTECODE=""),
    ):
        subprocess.run([sys.executable, "-m", "compileall", "-q", *gia.__path__], check=True)
        yield


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("testers", nargs="+")
    parser.add_argument("--time", type=float, default=10.0, help="seconds for each tester on each task")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="what is measured as time")
    parser.add_argument("--only", default="", help="regular expression on the path")
    parser.add_argument("--every", type=int, default=1, help="take every n-th task only")
    parser.add_argument("--plot", type=Path, help="where the plots go (SVG)")
    parser.add_argument("--json", type=Path, help="where all numbers go")
    arguments = parser.parse_args()
    testers = [tester for tester in arguments.testers if installed(tester)]
    results: dict[str, dict[str, Measurement | None]] = {}
    with compiled_modules(), tempfile.TemporaryDirectory() as caches:
        for task in read_tasks(arguments.table, arguments.only)[:: arguments.every]:
            results[task.name] = {
                t: run_column(task, t, arguments.time, arguments.clock, Path(caches)) for t in testers
            }
            print(f"{task.name}: " + ", ".join(f"{t} {m.covered if m else '-'}" for t, m in results[task.name].items()),
                  file=sys.stderr, flush=True)  # fmt: skip
    print("\n".join([*table(results, testers), "", *over_time(results, testers, arguments.time), ""]))
    print("\n".join(together(results, testers)))
    ours = [tester for tester in testers if tester not in TOOLS]
    for first, second in product(ours, [tester for tester in testers if tester in TOOLS] or ours):
        if first != second:
            print("", *judgements(results, first, second, arguments.time), sep="\n")
    if arguments.plot:
        arguments.plot.write_text(plots(results, testers, arguments.time))
    if arguments.json:
        plain = {name: {t: asdict(m) if m else None for t, m in row.items()} for name, row in results.items()}
        arguments.json.write_text(json.dumps(plain, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
