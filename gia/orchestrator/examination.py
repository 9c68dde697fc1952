"""A GIA file against a program, outside of any run: what ``gia tests`` and ``gia convert`` do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gia.automaton.model import Automaton
from gia.automaton.wellformed import violations
from gia.cfa.types import DataModel
from gia.errors import DocumentError, Position
from gia.exchange.gia_xml import read_gia
from gia.exchange.test_suite import write_suite
from gia.exchange.tests_gia import tests_of
from gia.orchestrator.replay import suite_metadata
from gia.orchestrator.task import Task, TaskRequest, load_task


def read_for_program(request: TaskRequest, gia: Path) -> tuple[Task, Automaton]:
    """The task and the automaton. What the request does not say (data model, specification) the file says.

    Raises :class:`DocumentError` if the file was made for another program or is not well-formed.
    """
    automaton = read_gia(gia)
    metadata = automaton.metadata
    if request.data_model is None and metadata.data_model in set(DataModel):
        request = replace(request, data_model=DataModel(metadata.data_model))
    if request.specification is None and metadata.specification:
        request = replace(request, specification=metadata.specification)
    task = load_task(request)
    where = Position(str(gia))
    if metadata.sha256 != task.program.sha256:
        made_for = f"{metadata.program or 'another program'} with the hash {metadata.sha256[:12] or 'unknown'}…"
        raise DocumentError(f"it was made for {made_for}, not for {request.program}", where)
    wrong = violations(automaton)
    if wrong:
        raise DocumentError(f"it is not well-formed: {wrong[0]}", where)
    return task, automaton


def write_tests(task: Task, automaton: Automaton, folder: Path) -> int:
    """Writes the tests that the ``rt`` paths describe; how many."""
    found = tests_of(automaton, task.program)
    write_suite(folder, [test.case for test in found], suite_metadata(task))
    return len(found)
