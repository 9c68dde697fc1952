"""The witness of a finished verification, from what is known."""

from __future__ import annotations

import re

from gia import __version__
from gia.cfa.operations import Input
from gia.cfa.specification import property_text
from gia.errors import Position
from gia.exchange.witness import ReturnedInput, WitnessMetadata, correctness_witness, violation_witness
from gia.orchestrator.knowledge import ExecutedTest, Knowledge
from gia.orchestrator.task import Task
from gia.orchestrator.verdicts import verdict_of
from gia.verdict import Verdict

_INTEGER = re.compile(r"-?\d+")


def witness_of(knowledge: Knowledge, created: str) -> str | None:
    """The YAML text; ``None`` as long as the verdict is unknown, and for a task that is no verification."""
    task = knowledge.task
    metadata = WitnessMetadata(
        task.program.main_file,
        task.program.sha256,
        property_text(task.criterion),
        task.data_model,
        __version__,
        created,
    )
    match verdict_of(knowledge):
        case Verdict.TRUE:
            return correctness_witness(metadata)
        case Verdict.FALSE:
            test = next(test for test in knowledge.tests if test.reached)
            goal = next(goal for goal in task.goals if goal.id in test.reached)
            target = Position(goal.file, goal.line, goal.column)
            return violation_witness(metadata, _inputs(task, test), target, goal.function)
    return None


def _inputs(task: Task, test: ExecutedTest) -> list[ReturnedInput]:
    """The inputs whose place and value a witness can state."""
    lines = task.path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = []
    for number, (_, literal) in zip(test.reads, test.case.inputs, strict=False):
        edge = task.program.edge_list[number] if number is not None else None
        if edge is None or not isinstance(edge.operation, Input) or not _INTEGER.fullmatch(literal):
            continue
        closing = _closing(lines, edge.position, edge.operation.function)
        if closing is not None and edge.file == task.program.main_file:
            found.append(ReturnedInput(closing, edge.reference.function, literal))
    return found


def _closing(lines: list[str], position: Position, function: str) -> Position | None:
    """The parenthesis that closes a call ``function()`` without arguments, if it stands on that line."""
    if not 1 <= position.line <= len(lines):
        return None
    pattern = re.compile(rf"\b{re.escape(function)}\s*\(\s*(?:void\s*)?\)")
    match = pattern.search(lines[position.line - 1], max(0, position.column - 1))
    return Position(position.file, position.line, match.end()) if match else None
