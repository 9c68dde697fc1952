"""A GIA file against a program, outside of any run: what ``gia check``, ``gia tests`` and ``gia convert`` do."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from gia.automaton.initial import edge_texts
from gia.automaton.model import Automaton
from gia.automaton.wellformed import violations
from gia.cfa.types import DataModel
from gia.checker import CheckReport, certify
from gia.combiner import combine
from gia.errors import DocumentError, InputError, Position
from gia.exchange.gia_xml import read_gia
from gia.exchange.test_suite import read_suite, write_suite
from gia.exchange.tests_gia import tests_of
from gia.orchestrator.intake import only_unreachable
from gia.orchestrator.knowledge import ExecutedTest, claimed_goals
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


@dataclass(frozen=True)
class ClaimReport:
    """What became of the claims of a GIA file: the tests that were executed, the proofs that were checked."""

    task: Task
    tests: tuple[ExecutedTest, ...]
    promised: tuple[frozenset[str], ...]
    proofs: CheckReport

    def lines(self) -> Iterator[str]:
        """One line for each claim, and the numbers."""
        places = {goal.id: f"{goal.file}:{goal.line}:{goal.column}" for goal in self.task.goals}
        reached = {goal for test in self.tests for goal in test.reached}
        for number, (test, promised) in enumerate(zip(self.tests, self.promised, strict=True), start=1):
            for missed in sorted(promised - test.reached):
                yield f"wrong        {places[missed]}  {missed}: test {number} was executed and does not reach it"
        for goal in self.task.goals:
            if goal.id in reached:
                yield f"executed     {places[goal.id]}  {goal.id}"
        for result in self.proofs.results:
            contradicted = " BUT a test reaches it" if result.goal.id in reached else ""
            reason = f": {result.reason}" if result.reason else ""
            yield f"{result.outcome.value:<12} {places[result.goal.id]}  {result.goal.id}{reason}{contradicted}"
        yield from (f"remark: {remark}" for remark in self.proofs.remarks)
        certified = len(self.proofs.certified)
        yield (
            f"{len(self.tests)} tests executed, they reach {len(reached)} goals; "
            f"{certified} of {len(self.proofs.results)} claims that a goal is unreachable are certified"
        )


def check_claims(task: Task, automaton: Automaton, seconds: float) -> ClaimReport:
    """Executes the tests and checks the evidence, for at most so many seconds of checking."""
    deadline = monotonic() + seconds
    found = tests_of(automaton, task.program)
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        folder = Path(scratch)
        executed = Replayer(task, folder).replay([test.case for test in found], folder / "tests", "") if found else ()
    by_edge = {task.program.edge_list[n].reference: goal.id for goal in task.goals for n in goal.edges}
    promised = tuple(frozenset(by_edge[edge] for edge in test.goals if edge in by_edge) for test in found)
    claimed = claimed_goals(task, automaton)
    goals = [goal for goal in task.goals if goal.id in claimed]
    report = certify(task.program, only_unreachable(automaton), goals, deadline=deadline) if goals else CheckReport(())
    return ClaimReport(task, executed, promised, report)


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
