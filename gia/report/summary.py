"""What a run has found, as a table for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gia.orchestrator.description.quantities import seconds_text
from gia.orchestrator.facts.knowledge import CALL_GRAPH
from gia.orchestrator.records.reasons import OpenKind, OpenReason
from gia.orchestrator.records.result import CrashResult, GoalResult, Result
from gia.orchestrator.store import GIA, RESULT, SUITE, WITNESS
from gia.verdict import GoalStatus, Verdict

MOST: Final = 40
"""With more goals than this, the covered ones, and those in functions that are never called, are not listed one by one;
of the others, so many are."""

MOST_CRASHES: Final = 3
"""So many tests in which the program crashes are named."""

LONG_FOLDER: Final = 50
"""So many characters of a folder are shown for each goal, at most."""

LEFT_OUT: Final = "…/"

STYLES: Final = {GoalStatus.COVERED: "green", GoalStatus.UNREACHABLE: "cyan", GoalStatus.OPEN: "yellow"}


def rows(result: Result) -> list[GoalResult]:
    """The goals that are listed: all, or, of many, those that are open, and then those that were proven unreachable."""
    if len(result.goals) <= MOST:
        return result.goals
    undecided = [goal for goal in result.goals if goal.status is GoalStatus.OPEN]
    proven = [goal for goal in result.goals if goal.status is GoalStatus.UNREACHABLE and goal.by != CALL_GRAPH]
    return [*undecided, *proven][:MOST]


def common_folder(goals: Sequence[GoalResult]) -> str:
    """The folder that is left out where goals are listed, with a ``/``: that of all their files, if its name is long.

    What a preprocessor has written names files as they were called on another machine.
    """
    files = {goal.file for goal in goals}
    folder = os.path.commonpath(files) if files and all(map(os.path.isabs, files)) else ""
    if len(files) == 1:
        folder = os.path.dirname(folder)
    return f"{folder}/" if len(folder) > LONG_FOLDER else ""


def table_of(result: Result) -> list[tuple[str, str, str, str]]:
    """The cells of the goals that are listed."""
    listed = rows(result)
    folder = common_folder(listed)
    return [cells(goal, folder) for goal in listed]


def cells(goal: GoalResult, folder: str) -> tuple[str, str, str, str]:
    """Place, what, status, and by whom of one goal; ``folder`` is left out of the name of its file."""
    what = goal.id.split(":", 3)[3]
    by = goal.by or ""
    if goal.test is not None:
        by = f"{goal.test} ({by})"
    elif goal.status is GoalStatus.UNREACHABLE:
        by = f"{by}, {'certified' if goal.certified else 'not certified'}"
    elif goal.reasons:
        by = obstacle(goal.reasons)
    file = f"{LEFT_OUT}{goal.file.removeprefix(folder)}" if folder else goal.file
    return f"{file}:{goal.line}:{goal.column}", f"{goal.function} {what}", goal.status.value, by


def obstacle(reasons: Sequence[OpenReason]) -> str:
    """What stands in the way of an open goal: a budget that is used up, and what is said of the goal or its program.

    What the models of the library lack is near many goals and seldom the cause; it is named if nothing else is known.
    """
    in_models = [reason for reason in reasons if reason.kind is OpenKind.UNMODELLED and reason.line is None]
    others = [reason for reason in reasons if reason not in in_models]
    budgets = [reason for reason in others if reason.kind is OpenKind.BUDGET]
    said = [reason for reason in others if reason.kind is not OpenKind.BUDGET]
    return "; ".join(map(_said, (*budgets[:1], *said[:1]) or in_models[:1]))


def _said(reason: OpenReason) -> str:
    if reason.line is not None:
        return f"line {reason.line}: {reason.detail}"
    return f"{reason.by}: {reason.detail}" if reason.by else reason.detail


def closing_lines(result: Result, out: Path) -> Iterator[str]:
    """The verdict, the numbers, and where the results lie."""
    summary = result.summary
    never_called = sum(goal.by == CALL_GRAPH for goal in result.goals)
    among = f" ({never_called} in functions that are never called)" if never_called else ""
    parts = [f"{summary.covered} covered", f"{summary.unreachable} unreachable{among}", f"{summary.open} open"]
    listed = rows(result)
    if hidden := len(result.goals) - len(listed):
        yield f"(and {hidden} more in {RESULT})"
    if folder := common_folder(listed):
        yield f"({LEFT_OUT} is {folder})"
    wall = seconds_text(result.resources.wall)
    goals = f"{summary.goals} goal{'' if summary.goals == 1 else 's'}"
    yield f"{result.verdict.value}: {', '.join(parts)} of {goals} in {wall}"
    if result.verdict in (Verdict.INCOMPLETE, Verdict.UNKNOWN):
        detail = f": {result.stop.detail}" if result.stop.detail else ""
        yield f"stopped because {result.stop.reason.value}{detail}"
    if result.crashes:
        yield crashes_line(result.crashes)
    tests = f"{SUITE}/ ({summary.tests} test{'' if summary.tests == 1 else 's'})"
    witness = [WITNESS] if result.verdict in (Verdict.TRUE, Verdict.FALSE) else []
    yield f"results in {out}/: {', '.join([RESULT, GIA, tests, *witness])}"


def crashes_line(crashes: Sequence[CrashResult]) -> str:
    """Which tests make the program crash, and after which decision; of many the first few."""
    shown = [
        f"{crash.test} ({crash.signal}{f' after {crash.file}:{crash.line}' if crash.file else ''})" for crash in crashes
    ]
    listed = ", ".join(shown[:MOST_CRASHES]) + (", …" if len(shown) > MOST_CRASHES else "")
    return f"the program crashes in {len(shown)} test{'' if len(shown) == 1 else 's'}: {listed}"


def print_summary(result: Result, out: Path) -> None:
    """Prints the table and what follows it to the standard output."""
    if sys.stdout.isatty():
        _print_coloured(result, out)
        return
    table = table_of(result)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for line in closing_lines(result, out):
        print(line)


def _print_coloured(result: Result, out: Path) -> None:
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console()
    if result.goals:
        table = Table("where", "goal", "status", "by")
        for place, what, status, by in table_of(result):
            table.add_row(Text(place), Text(what), Text(status, STYLES[GoalStatus(status)]), Text(by))
        console.print(table)
    good = result.verdict in (Verdict.COMPLETE, Verdict.TRUE, Verdict.FALSE)
    for line in closing_lines(result, out):
        style = ("bold green" if good else "bold yellow") if line.startswith(f"{result.verdict.value}:") else ""
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
