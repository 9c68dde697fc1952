"""A GIA file against a program, outside of any run: what ``gia tests`` and ``gia convert`` do."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from gia.automaton.initial import edge_texts
from gia.automaton.model import Automaton
from gia.automaton.wellformed import violations
from gia.cfa.types import DataModel
from gia.combiner import combine
from gia.errors import DocumentError, InputError, Position
from gia.exchange.gia_xml import read_gia
from gia.exchange.test_suite import read_suite, write_suite
from gia.exchange.tests_gia import tests_of
from gia.orchestrator.replay import Replayer, suite_metadata
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


def gia_of_suite(task: Task, folder: Path) -> Automaton:
    """The GIA of what the tests of a suite reach when they are executed."""
    if not folder.exists():
        raise InputError("there is no such file or folder", Position(str(folder)))
    cases = read_suite(folder)
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        executed = Replayer(task, Path(scratch)).replay(cases, Path(scratch) / "tests", "test-suite")
    automaton = combine([task.initial, *(test.automaton for test in executed if test.reached)])
    return replace(automaton, edge_texts=edge_texts(task.program, automaton))


def program_of(source: Path) -> Path:
    """The program that a GIA file names, as it stands or beside the file; :class:`InputError` if there is none."""
    hint = "give it with --program"
    if source.is_dir() or source.suffix == ".zip":
        raise InputError("a test suite does not say where its program is", Position(str(source)), hint)
    name = read_gia(source).metadata.program
    for candidate in (Path(name), source.parent / Path(name).name):
        if name and candidate.is_file():
            return candidate
    raise InputError(f"its program {name or '(not named)'} is not there", Position(str(source)), hint)
