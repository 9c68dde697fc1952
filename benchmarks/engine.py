#!/usr/bin/env python3
"""Measure what the engine adds to the processes that it starts, and print ratios.

Two things are measured, each in one run of this script, because the speed of a machine that does other things changes:

* a step that does nothing: a composition of ``--steps`` steps of an actor that copies a file, against starting the same
  command as often with nothing around it (``subprocess``); the difference is the engine's, per step;
* a whole ``cotest`` run on a program: what passes outside of the actors' processes and is not examining answers
  (compiling the program, executing tests, checking proofs: that is work, not overhead), against the whole.

Times are wall times; of many steps the tenth percentile counts, of runs the best: what disturbs only adds.

    python benchmarks/engine.py [--steps 20] [--repeat 3] [--program examples/thermostat.c] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import pstats
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import gia.orchestrator.asking as asking_module
import gia.orchestrator.run as run_module
from gia.cfa.goals import Criterion
from gia.orchestrator.description.composition import load_composition
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.orchestrator.processes.executors import LocalExecutor
from gia.orchestrator.records import events
from gia.orchestrator.run import RunOptions, run_composition

PROGRAM = (
    "extern int __VERIFIER_nondet_int(void);\nint main(void) { if (__VERIFIER_nondet_int()) return 1; return 0; }\n"
)
NOTHING = """<gia xmlns="urn:gia:1" version="1.0">
<metadata><task file="p.c" sha256="{sha}" data-model="LP64" specification=""/></metadata>
<edges/><expressions/><states><state id="q0" initial="true"/></states><transitions/></gia>
"""
ACTOR = """name: idle
kind: tester
direction: UA
gia: native
run: {command: [cp, "{directory}/nothing.xml", "{out}"]}
produces: [{type: gia, path: out.xml}]
"""
LIMIT_STEP = 20.0
LIMIT_SHARE = 5.0


def main() -> int:
    """Measure and print; the exit status is 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--program", type=Path, default=Path(__file__).parents[1] / "examples/thermostat.c")
    parser.add_argument("--profile", action="store_true", help="show where the time of the steps goes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gia-benchmark-") as name:
        added = step_overhead(Path(name), arguments.steps, arguments.repeat, profile=arguments.profile)
        share = run_overhead(Path(name), arguments.program, arguments.repeat)
    return int(added > LIMIT_STEP or share > LIMIT_SHARE)


def step_overhead(folder: Path, steps: int, repeat: int, *, profile: bool) -> float:
    """Milliseconds that the engine adds to a step."""
    (folder / "p.c").write_text(PROGRAM)
    (folder / "nothing.xml").write_text(NOTHING.format(sha=hashlib.sha256(PROGRAM.encode()).hexdigest()))
    (folder / "idle.yml").write_text(ACTOR)
    wiring = (
        f"name: idle\nsteps:\n  a: {{actor: ./idle.yml, time: 9s}}\nrun:\n  sequence: [{', '.join(['a'] * steps)}]\n"
    )
    (folder / "steps.yml").write_text(wiring)
    task = load_task(TaskRequest(folder / "p.c"), Criterion.BRANCHES)
    run_idle(folder, task, "steps.yml")
    engine: list[float] = []
    bare: list[float] = []
    busy: list[float] = []
    for _ in range(repeat):
        before = time.process_time()
        engine += run_idle(folder, task, "steps.yml")
        busy.append((time.process_time() - before) / steps)
        bare += start_bare(folder, steps)
    if profile:
        profiler = cProfile.Profile()
        profiler.runcall(run_idle, folder, task, "steps.yml")
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    with_engine, without = 1000 * undisturbed(engine), 1000 * undisturbed(bare)
    added = with_engine - without
    print(f"a step that does nothing: {with_engine:.1f} ms, its process alone {without:.1f} ms", end="")
    print(f" (ratio {with_engine / without:.1f}); added {added:.1f} ms of {LIMIT_STEP:g} allowed,")
    print(f"  of which the engine computes {1000 * min(busy):.1f} ms; the rest is waiting for disk and processor")
    return added


def undisturbed(times: list[float]) -> float:
    """The tenth percentile: what else the machine does only adds to a time."""
    return sorted(times)[len(times) // 10]


def run_idle(folder: Path, task: Task, composition: str) -> list[float]:
    """Seconds between the beginnings of successive steps."""
    loaded = load_composition(str(folder / composition))
    moments: list[float] = []

    def observe(event: events.Event) -> None:
        if isinstance(event, events.StepStarted):
            moments.append(time.monotonic())

    run_composition(task, loaded, RunOptions(folder / "out"), observe)
    return [later - earlier for earlier, later in pairwise(moments)]


def start_bare(folder: Path, steps: int) -> list[float]:
    """Seconds for starting the actor's command, each time."""
    times = []
    for _ in range(steps):
        started = time.monotonic()
        subprocess.run(["cp", str(folder / "nothing.xml"), str(folder / "out.xml")], check=True)
        times.append(time.monotonic() - started)
    return times


class Clock:
    """Adds up the time that passes in functions."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, timed."""

        def timed(*positional: Any, **named: Any) -> Any:
            started = time.monotonic()
            try:
                return function(*positional, **named)
            finally:
                self.seconds += time.monotonic() - started

        return timed


def run_overhead(folder: Path, program: Path, repeat: int) -> float:
    """Percent of a ``cotest`` run that are neither actors nor examination."""
    task = load_task(TaskRequest(program), Criterion.BRANCHES)
    loaded = load_composition("cotest")
    shares, numbers = [], (0.0, 0.0, 0.0)
    originals = LocalExecutor.run, asking_module.examine, run_module.decided_by_call_graph
    for _ in range(repeat):
        work = Clock()
        actors = Clock()
        LocalExecutor.run = actors.around(originals[0])  # type: ignore[method-assign]
        asking_module.examine = work.around(originals[1])
        run_module.decided_by_call_graph = work.around(originals[2])
        started = time.monotonic()
        run_composition(task, loaded, RunOptions(folder / "cotest", cores=1))
        whole = time.monotonic() - started
        share = 100 * (whole - work.seconds - actors.seconds) / whole
        if not shares or share < min(shares):
            numbers = whole, actors.seconds, work.seconds
        shares.append(share)
    LocalExecutor.run, asking_module.examine, run_module.decided_by_call_graph = originals  # type: ignore[method-assign]
    whole, in_actors, in_work = numbers
    print(f"cotest on {program.name}: {whole:.2f} s, actors {in_actors:.2f} s, examination {in_work:.2f} s;", end="")
    print(f" the rest is {min(shares):.1f} % of {LIMIT_SHARE:g} allowed")
    return min(shares)


if __name__ == "__main__":
    sys.exit(main())
