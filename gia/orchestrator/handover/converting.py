"""From any format to any other: what a file says is brought into a GIA as DESIGN §8 demands, and a GIA is written out.

Tests are executed on the program, and only what they reach is ``rt``; what cannot be expressed on the way is
reported. A GIA file is taken as it is: what it claims is examined only where the target format promises more than a
claim.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.initial import edge_texts, metadata_of
from gia.automaton.model import Acceptance, Automaton
from gia.cfa.goals import Criterion
from gia.cfa.specification import entry_of, parse_property, property_text
from gia.cfa.types import DataModel
from gia.combiner import combine
from gia.errors import GiaError, InputError, Position
from gia.exchange.cpachecker.automaton_export import export_condition, export_gia
from gia.exchange.cpachecker.automaton_text import TextAutomaton, automaton_text
from gia.exchange.gia_xml import gia_bytes, read_gia
from gia.exchange.imports import ProductType, import_product, is_xml, read_bytes
from gia.exchange.suites.ktest import ktest_bytes, ktest_of
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.testcase import TestCase
from gia.exchange.suites.testcomp_suite import metadata_document, read_metadata, test_document
from gia.exchange.task_definition import read_task_definition, task_definition_text
from gia.exchange.witness.graphml import read_graphml
from gia.exchange.witness.model import WitnessTask
from gia.exchange.witness.yaml_reader import read_yaml_witness
from gia.orchestrator.facts.examination import read_for_program
from gia.orchestrator.facts.knowledge import ExecutedTest, claimed_goals
from gia.orchestrator.facts.replay import Replayer, suite_metadata
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.orchestrator.facts.witnessing import WitnessFormat, do_decisions, write_correctness, write_violation
from gia.orchestrator.handover.intake import only_unreachable


class Source(Struct, frozen=True):
    """A file or folder, and the name of its format (:data:`gia.exchange.formats.READABLE`)."""

    path: Path
    format: str


class Wanted(Struct, frozen=True):
    """What is not said by the file itself; ``seconds`` bounds the checking of proofs."""

    program: Path | None = None
    specification: str | None = None
    data_model: DataModel | None = None
    entry: str | None = None
    seconds: float = 60.0


class Converted(Struct, frozen=True):
    """What came out: a ``text``, or ``files`` by their names, whose ``number`` is what a person counts; and what was
    lost."""

    text: str = ""
    files: Mapping[str, bytes] | None = None
    number: str = ""
    notes: tuple[str, ...] = ()


def convert(source: Source, to: str, wanted: Wanted) -> Converted:
    """What ``source`` says, in the format ``to``.

    Raises :class:`InputError` if something is missing or malformed, :class:`GiaError` if the format promises what is
    not there (a test that reaches the error, a certified proof).
    """
    if not source.path.exists():
        raise InputError("there is no such file or folder", Position(str(source.path)))
    task, remarks = _task(source, wanted)
    known = _known(source, task)
    written = _WRITERS[to](task, known, wanted)
    return replace(written, notes=(*remarks, *known.notes, *written.notes))


# ---- the task


def _task(source: Source, wanted: Wanted) -> tuple[Task, list[str]]:
    """The task: what was asked for, else what the file says, else what its format is usually about."""
    said = _said(source)
    path = wanted.program or _found(said.files, source.path)
    remarks: list[str] = []
    specification = wanted.specification
    if specification is None and said.specification:
        criterion = _criterion(said.specification)
        if criterion is None:
            shown = " ".join(said.specification.split())[:80]
            remarks.append(f"{source.path}: its specification {shown} is not known; it is taken to be unreach-call")
        else:
            specification = criterion.value
    model = wanted.data_model
    if model is None and said.data_model:
        named = {"32bit": "ILP32", "64bit": "LP64"}.get(said.data_model, said.data_model)
        model = DataModel(named) if named in set(DataModel) else None
    default = Criterion.BRANCHES if source.format in _OF_COVERAGE else Criterion.UNREACH_CALL
    request = TaskRequest(path, specification, model, wanted.entry or entry_of(said.specification))
    return load_task(request, default), remarks


_OF_COVERAGE: Final = ("gia", "test-suite", "ktest", "task-definition")


def _criterion(text: str) -> Criterion | None:
    """The criterion of a property, also of its formula alone. Raises :class:`InputError` for another property."""
    for spelling in (text, f"CHECK( init(main()), LTL({text}) )"):
        try:
            return parse_property(spelling)
        except InputError as error:
            problem = error
    if len(text.splitlines()) > 3:
        return None  # CPAchecker's own specification, which it writes out in full
    raise problem


def _said(source: Source) -> WitnessTask:
    """What a file says about its program."""
    path = source.path
    match source.format:
        case "gia":
            metadata = read_gia(path).metadata
            return WitnessTask((metadata.program,), {}, metadata.specification, metadata.data_model)
        case "test-suite":
            elements = read_metadata(path)
            file = elements.get("programfile", "")
            return WitnessTask((file,), {}, elements.get("specification", ""), elements.get("architecture", ""))
        case "violation-witness" | "correctness-witness":
            data = read_bytes(path)
            return read_graphml(data, str(path)).task if is_xml(data) else read_yaml_witness(data, str(path)).task
        case "task-definition":
            properties = read_task_definition(path).properties
            return WitnessTask((str(path),), {}, property_text(properties[0].criterion) if properties else "")
    return WitnessTask()


def _found(names: Sequence[str], source: Path) -> Path:
    """The program that a file names, as it stands or beside the file; :class:`InputError` if there is none."""
    hint = "give it with --program"
    named = [name for name in names if name]
    for name in named:
        beside = source.parent / Path(name.replace("\\", "/")).name
        for candidate in (Path(name), source.parent / name, beside):
            if candidate.is_file():
                return candidate
    if not named:
        raise InputError("it does not say where its program is", Position(str(source)), hint)
    raise InputError(f"its program {named[0]} is not there", Position(str(source)), hint)


# ---- what is known


class _Known(Struct, frozen=True):
    """What a file says: as a GIA, the tests of it that reach a goal, if they were executed already, and its tests.

    The tests of a suite stay in it, whatever they reach; a test that was guessed from a path has to reach a goal.
    """

    automaton: Automaton
    executed: tuple[ExecutedTest, ...] | None = None
    notes: tuple[str, ...] = ()
    cases: tuple[TestCase, ...] | None = None


def _known(source: Source, task: Task) -> _Known:
    if source.format == "task-definition":
        return _Known(task.initial)
    if source.format == "gia":
        request = TaskRequest(task.path, task.criterion.value, task.data_model)
        return _Known(read_for_program(request, source.path)[1])
    if source.format == "verdict":
        _only_for_errors(task, "verdict")
    type_: ProductType = source.format  # type: ignore[assignment]  # all others are types of products
    found = import_product(type_, source.path, task.program, task.goals)
    executed, notes = _execute(task, found.tests)
    parts = [test.automaton for test in executed]
    if source.format in ("test-suite", "ktest", "condition"):
        parts.append(task.initial)  # what they do not decide is still to be decided
    automaton = combine([found.automaton, *parts]) if parts else found.automaton
    automaton = replace(
        automaton,
        metadata=metadata_of(task.program, task.own_specification),
        edge_texts=edge_texts(task.program, automaton),
    )
    cases = found.tests if source.format in ("test-suite", "ktest") else tuple(test.case for test in executed)
    return _Known(automaton, executed, (*found.notes, *notes), cases)


def _execute(task: Task, cases: Sequence[TestCase]) -> tuple[tuple[ExecutedTest, ...], list[str]]:
    """The tests that reach a goal when they are executed, and a note on those that do not."""
    if not cases:
        return (), []
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        executed = Replayer(task, Path(scratch)).replay(cases, Path(scratch) / "tests", "")
    useless = [test for test in executed if not test.reached]
    notes = [f"the test with {test} was executed and reaches no goal" for test in useless[:5]]
    if len(useless) > 5:
        notes.append(f"and {len(useless) - 5} more tests reach no goal")
    return tuple(test for test in executed if test.reached), notes


# ---- writing


def _lost(automaton: Automaton, *kinds: Acceptance) -> tuple[str, ...]:
    """Remarks on accepting states that a format has no words for."""
    words = {
        Acceptance.UT: "what cannot be reached (ut)",
        Acceptance.RT: "what was reached (rt)",
        Acceptance.CAND: "what is still to be decided (cand)",
    }
    return tuple(f"this format does not say {words[kind]}: left out" for kind in kinds if automaton.accepting(kind))


def _write_gia(task: Task, known: _Known, wanted: Wanted) -> Converted:
    return Converted(gia_bytes(known.automaton).decode())


def _cases(task: Task, known: _Known) -> list[TestCase]:
    if known.cases is not None:
        return list(known.cases)
    cases = [test.case for test in tests_of(known.automaton, task.program)]
    if not any(case.then_zeros for case in cases):
        return cases
    executed, _ = _execute(task, cases)  # it shows how many zeros the program reads
    return [test.case for test in executed]


def _write_suite(task: Task, known: _Known, wanted: Wanted) -> Converted:
    files = {"metadata.xml": metadata_document(suite_metadata(task)).encode()}
    for number, case in enumerate(_cases(task, known), start=1):
        files[f"testcase-{number}.xml"] = test_document(case).encode()
    return _suite(files, len(files) - 1, known)


def _suite(files: Mapping[str, bytes], number: int, known: _Known) -> Converted:
    counted = f"{number} test{'' if number == 1 else 's'}"
    return Converted(files=files, number=counted, notes=_lost(known.automaton, Acceptance.UT, Acceptance.CAND))


def _write_ktests(task: Task, known: _Known, wanted: Wanted) -> Converted:
    files = {}
    for number, case in enumerate(_cases(task, known), start=1):
        files[f"test{number:06}.ktest"] = ktest_bytes(ktest_of(case, task.data_model))
    return _suite(files, len(files), known)


def _write_violation(format_: WitnessFormat) -> Callable[[Task, _Known, Wanted], Converted]:
    def write(task: Task, known: _Known, wanted: Wanted) -> Converted:
        _only_for_errors(task)
        executed, notes = known.executed, list[str]()
        if executed is None:
            executed, notes = _execute(task, _cases(task, known))
        if not executed:
            hint = "a violation witness is written for a test that reaches the error when it is executed"
            raise GiaError("nothing in it reaches the error", hint="\n  ".join([hint, *notes]))
        written = write_violation(task, executed[0], _now(), format_)
        lost = [*_lost(known.automaton, Acceptance.UT, Acceptance.CAND)]
        if len(executed) > 1:
            lost.append(f"a witness describes one path: {len(executed) - 1} other tests are left out")
        return Converted(written.text, notes=(*notes, *written.notes, *lost))

    return write


def _write_correctness(format_: WitnessFormat) -> Callable[[Task, _Known, Wanted], Converted]:
    def write(task: Task, known: _Known, wanted: Wanted) -> Converted:
        from gia.checker import certify, proven_invariants  # noqa: PLC0415 - it loads a solver

        _only_for_errors(task)
        deadline = monotonic() + wanted.seconds
        claims = only_unreachable(known.automaton)
        claimed = claimed_goals(task, claims)
        report = certify(task.program, claims, [goal for goal in task.goals if goal.id in claimed], deadline=deadline)
        for goal in task.goals:
            if goal.id not in report.certified:
                reason = next((result.reason for result in report.results if result.goal == goal), "it is not claimed")
                where = Position(goal.file, goal.line, goal.column)
                hint = "a correctness witness is written if every goal is certified"
                raise GiaError(f"it is not certified that {goal.id} cannot be reached: {reason}", where, hint)
        invariants = proven_invariants(task.program, claims, task.goals, deadline=deadline, before=do_decisions(task))
        found = {location: [alternatives] for location, alternatives in invariants.items()}
        written = write_correctness(task, found, _now(), format_)
        lost = _lost(known.automaton, Acceptance.RT, Acceptance.CAND)
        return Converted(written.text, notes=(*report.remarks, *written.notes, *lost))

    return write


def _only_for_errors(task: Task, what: str = "witness") -> None:
    """Raises :class:`InputError` for a task to cover goals: a verdict or a witness says nothing about these."""
    if not task.criterion.is_verification:
        hint = "say so with --spec unreach-call"
        raise InputError(f"a {what} is about calls of error functions, not about {task.criterion}", hint=hint)


def _write_automaton(
    export: Callable[..., tuple[TextAutomaton, tuple[str, ...]]],
) -> Callable[[Task, _Known, Wanted], Converted]:
    def write(task: Task, known: _Known, wanted: Wanted) -> Converted:
        automaton, notes = export(known.automaton, task.program)
        return Converted(automaton_text(automaton), notes=notes)

    return write


def _write_task(task: Task, known: _Known, wanted: Wanted) -> Converted:
    name = task.path.stem
    definition = task_definition_text([str(task.path)], [f"{name}.prp"], task.data_model)
    files = {f"{name}.yml": definition.encode(), f"{name}.prp": f"{task.property_of(task.goals)}\n".encode()}
    lost = _lost(known.automaton, Acceptance.UT, Acceptance.RT)
    return Converted(files=files, number=" and ".join(files), notes=lost)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_WRITERS: Final[Mapping[str, Callable[[Task, _Known, Wanted], Converted]]] = {
    "gia": _write_gia,
    "test-suite": _write_suite,
    "ktest": _write_ktests,
    "violation-witness": _write_violation("2.0"),
    "violation-witness-2.1": _write_violation("2.1"),
    "violation-witness-graphml": _write_violation("graphml"),
    "correctness-witness": _write_correctness("2.0"),
    "correctness-witness-2.1": _write_correctness("2.1"),
    "correctness-witness-graphml": _write_correctness("graphml"),
    "condition": _write_automaton(export_condition),
    "cpachecker-gia": _write_automaton(export_gia),
    "task-definition": _write_task,
}
