"""A GIA file against a program, outside of any run: what ``gia tests`` and ``gia convert`` do."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from gia.automaton.model import Automaton
from gia.automaton.wellformed import violations
from gia.errors import DocumentError, Position
from gia.exchange.gia_xml import read_gia
from gia.exchange.suites.c_suite import c_suite
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.real_inputs import real_inputs
from gia.exchange.suites.stdin_suite import write_stdin_suite
from gia.exchange.suites.testcomp_suite import write_suite
from gia.orchestrator.facts.knowledge import ExecutedTest, smallest_suite
from gia.orchestrator.facts.replay import Replayer, promises_of, suite_metadata
from gia.orchestrator.facts.task import Task, TaskRequest, as_in, load_task


def read_for_program(request: TaskRequest, gia: Path) -> tuple[Task, Automaton]:
    """The task and the automaton. What the request does not say (data model, specification, function) the file says.

    Raises :class:`DocumentError` if the file was made for another program or is not well-formed.
    """
    automaton = read_gia(gia)
    metadata = automaton.metadata
    task = load_task(as_in(metadata, request))
    where = Position(str(gia))
    if metadata.sha256 != task.program.sha256:
        made_for = f"{metadata.program or 'another program'} with the hash {metadata.sha256[:12] or 'unknown'}…"
        raise DocumentError(f"it was made for {made_for}, not for {request.program}", where)
    wrong = violations(automaton)
    if wrong:
        raise DocumentError(f"it is not well-formed: {wrong[0]}", where)
    return task, automaton


def suite_of(task: Task, automaton: Automaton) -> tuple[ExecutedTest, ...]:
    """The tests that the ``rt`` paths describe, executed: as few as reach all that they reach, short ones first.

    Inputs have the types with which the program has read them.
    """
    found = tests_of(automaton, task.program)
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        folder = Path(scratch)
        executed = Replayer(task, folder).replay(
            [test.case for test in found], folder / "tests", "", as_read=True, promises=promises_of(task, found)
        )
    return smallest_suite(executed)


def write_tests(task: Task, tests: Sequence[ExecutedTest], folder: Path) -> None:
    """Writes tests as a suite in the format of Test-Comp."""
    write_suite(folder, [test.case for test in tests], suite_metadata(task))


def write_stdin_tests(tests: Sequence[ExecutedTest], folder: Path) -> tuple[str, ...]:
    """Writes tests as what the real program reads; the remarks on what is left out."""
    return write_stdin_suite(folder, [(real_inputs(test.inputs), test.reached) for test in tests])


def tests_as_c(task: Task, tests: Sequence[ExecutedTest], name: str) -> str:
    """Tests as the C file ``name``, which can be compiled and run as it is."""
    cases = [test.case for test in tests]
    places = [known.place for known in task.loaded.places]
    goals = [test.reached for test in tests]
    return c_suite(task.program, task.loaded.source.text, cases, goals, name, places=places)
