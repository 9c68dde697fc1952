"""Programs as tools see them, compiled and run without gia's own runtime."""

from __future__ import annotations

import subprocess
from pathlib import Path

from gia.automaton.model import Acceptance
from gia.frontend.exchange_expressions import parse_expression
from gia.native.build import SEMANTICS
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.reducer import reduce_program
from gia.tools.harness import HarnessKind, write_harness
from gia.tools.marking import Mark, MarkedProgram, write_marked

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

PRINTER = """\
#include <stdio.h>
void __CPROVER_assert(int holds, const char *name) { if (!holds) dprintf(1, "%s\\n", name); }
"""
"""What a marked program calls at each goal."""


def task_of(program: Path) -> Task:
    return load_task(TaskRequest(program))


def marked(task: Task, mark: Mark) -> MarkedProgram:
    """The residual program of somebody who knows nothing, with all goals marked."""
    reduced = reduce_program(task.program, task.initial, Acceptance.UT, parse_expression)
    return write_marked(reduced.program, task.program, task.goals, mark)


def build(task: Task, folder: Path) -> tuple[Path, MarkedProgram]:
    """The program with printing marks and the harness that reads standard input, compiled with gcc."""
    reduced = reduce_program(task.program, task.initial, Acceptance.UT, parse_expression)
    text = write_marked(reduced.program, task.program, task.goals, Mark.CBMC_ASSERT)
    (folder / "program.c").write_text("void __CPROVER_assert(int, const char *);\n" + text.text)
    (folder / "printer.c").write_text(PRINTER)
    harness = write_harness(HarnessKind.STDIN, reduced.program, folder / "program.c", folder)
    binary = folder / "target"
    sources = [str(source) for source in (*harness.sources, folder / "printer.c")]
    subprocess.run(["gcc", *SEMANTICS, "-w", "-O1", *sources, "-o", binary], check=True, cwd=folder)
    return binary, text


def reached(binary: Path, text: MarkedProgram, data: bytes) -> frozenset[str]:
    """The goals whose marks are passed on a run with these bytes."""
    ran = subprocess.run([binary], input=data, capture_output=True, check=True, timeout=10)
    return frozenset(text.goals[int(line.removeprefix(b"gia_goal_"))] for line in ran.stdout.split())
