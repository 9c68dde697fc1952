"""Reading what another tool wrote, whatever its format, as claims about a program and tests to be executed.

One function for the products of actors and for ``gia convert``. Formats of one type are told apart by their content.
What is read is checked against nothing but the program's text: who asked executes the tests and checks the claims
(DESIGN §8).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from msgspec.structs import replace

from gia.automaton.initial import initial_gia, metadata_of
from gia.automaton.model import ANY, Acceptance, Automaton, Transition
from gia.automaton.trimming import trim
from gia.automaton.wellformed import violations
from gia.cfa.goals import Goal
from gia.cfa.graph import Program
from gia.cfa.types import DataModel
from gia.errors import DocumentError, InputError, Position
from gia.exchange.cpachecker.automaton_import import import_automaton
from gia.exchange.cpachecker.automaton_text import read_automaton_text
from gia.exchange.gia_xml import read_gia
from gia.exchange.imported import Imported, check_hashes
from gia.exchange.suites.ktest import read_ktest, test_of_ktest
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.testcase import TestCase
from gia.exchange.suites.testcomp_suite import read_foreign_suite, read_metadata
from gia.exchange.witness.graphml import read_graphml
from gia.exchange.witness.graphml_import import import_correctness_graph, import_violation_graph
from gia.exchange.witness.invariants import import_invariants
from gia.exchange.witness.model import WitnessTask
from gia.exchange.witness.violations import import_violation
from gia.exchange.witness.yaml_reader import read_yaml_witness

ProductType = Literal["gia", "test-suite", "ktest", "violation-witness", "correctness-witness", "condition", "verdict"]
"""The types of what an actor may leave (DESIGN §4), and KLEE's tests."""

MAXIMAL_BYTES: Final = 64 << 20
"""A file that is larger is refused."""


def import_product(type_: ProductType, path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    """What the file or folder at ``path`` says about ``program`` and its ``goals``.

    Raises :class:`DocumentError` with file and line if it is not of that type or was made for another program,
    :class:`InputError` if it cannot be read.
    """
    return _IMPORTERS[type_](path, program, goals)


def read_bytes(path: Path) -> bytes:
    """The content of a file of bounded size."""
    try:
        with path.open("rb") as file:
            data = file.read(MAXIMAL_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", Position(str(path))) from None
    if len(data) > MAXIMAL_BYTES:
        raise DocumentError(f"a file of more than {MAXIMAL_BYTES} bytes is too large", Position(str(path)))
    return data


def _import_gia(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    automaton = read_gia(path)
    if automaton.metadata.sha256 != program.sha256:
        made_for = automaton.metadata.sha256[:12] or "unknown"
        raise DocumentError(f"it was made for another program ({made_for})", Position(str(path)))
    wrong = violations(automaton)
    if wrong:
        raise DocumentError(f"it is not well-formed: {wrong[0]}", Position(str(path)))
    return Imported(claims_of(automaton), tuple(test.case for test in tests_of(automaton, program)))


def claims_of(automaton: Automaton) -> Automaton:
    """The automaton with its ``rt`` states as candidates: what is left to believe before tests are executed."""
    states = tuple(
        state._replace(accept=Acceptance.CAND) if state.accept is Acceptance.RT else state for state in automaton.states
    )
    loops = automaton.accepting(Acceptance.RT)
    transitions = dict.fromkeys((*automaton.transitions, *(Transition(state, state, ANY) for state in sorted(loops))))
    return trim(replace(automaton, states=states, transitions=tuple(transitions)))


def _import_suite(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    del goals
    if not path.exists():
        raise InputError("there is no such file or folder", Position(str(path)))
    tests, notes = read_foreign_suite(path)
    stated = read_metadata(path).get("programhash", "").lower()
    if len(stated) == 64 and stated != program.sha256:
        other = f"{path}: says the hash {stated[:12]}… of its program, which is not that of {program.main_file}"
        notes = (*notes, other)
    return Imported(tests=tests, notes=notes)


def _import_ktests(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    """A file, or all in a folder; in a folder, what cannot be read is left out with a note."""
    del goals
    model = program.types.data_model
    if not path.is_dir():
        return Imported(tests=(test_of_ktest(read_ktest(read_bytes(path), str(path)), model),))
    tests, notes = tests_of_ktests(sorted(path.rglob("*.ktest")), model)
    return Imported(tests=tests, notes=notes)


def tests_of_ktests(files: Iterable[Path], model: DataModel) -> tuple[tuple[TestCase, ...], tuple[str, ...]]:
    """The tests of KLEE's files; what cannot be read is left out, with a note."""
    tests, notes = [], []
    for file in files:
        try:
            tests.append(test_of_ktest(read_ktest(read_bytes(file), str(file)), model))
        except InputError as error:
            notes.append(f"{str(error).splitlines()[0]}; left out")
    return tuple(tests), tuple(notes)


def _import_violation(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    data, name = read_bytes(path), str(path)
    if is_xml(data):
        graph = read_graphml(data, name)
        if not graph.is_violation:
            raise DocumentError("this witness describes no violation", Position(name))
        return _for_task(import_violation_graph(graph, program, goals, name), graph.task, program, name)
    witness = read_yaml_witness(data, name)
    if witness.segments is None:
        raise DocumentError("this witness describes no violation", Position(name))
    return _for_task(import_violation(program, goals, witness.segments), witness.task, program, name, witness.notes)


def _import_correctness(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    data, name = read_bytes(path), str(path)
    if is_xml(data):
        graph = read_graphml(data, name)
        if graph.is_violation:
            raise DocumentError("this witness claims no correctness", Position(name))
        return _for_task(import_correctness_graph(graph, program, goals, name), graph.task, program, name)
    witness = read_yaml_witness(data, name)
    if witness.invariants is None:
        raise DocumentError("this witness claims no correctness", Position(name))
    return _for_task(import_invariants(program, goals, witness.invariants), witness.task, program, name, witness.notes)


def is_xml(data: bytes) -> bool:
    """Whether a file is XML rather than YAML or text, by its first character."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def _for_task(found: Imported, task: WitnessTask, program: Program, name: str, notes: Sequence[str] = ()) -> Imported:
    """What was found with the remarks about the file; refused if it was made for another program."""
    remarks = check_hashes(task.hashes.values(), program, name)
    model = {"32bit": "ILP32", "64bit": "LP64"}.get(task.data_model, task.data_model)
    if model and model != program.types.data_model.value:
        remarks = (*remarks, f"{name}: it was made for the data model {model}, not {program.types.data_model.value}")
    return replace(found, notes=(*remarks, *notes, *found.notes))


def _import_condition(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    found = import_automaton(read_automaton_text(read_bytes(path), str(path)), program, goals, str(path))
    remark = f"{path}: it does not say for which program it was made; it is taken to be {program.main_file}"
    return replace(found, notes=(remark, *found.notes))


def _import_verdict(path: Path, program: Program, goals: Sequence[Goal]) -> Imported:
    text = read_bytes(path).decode("utf-8", "replace")
    return import_verdict(text, program, goals)


def verdict_in(text: str, true: str | None = None, false: str | None = None) -> Literal["true", "false", ""]:
    """The answer in a text, empty if there is none; ``false`` counts if both are there.

    ``true`` and ``false`` are regular expressions, for any line; by default the words, in any case.
    """
    if re.search(false or r"(?i)\bfalse\b", text, re.MULTILINE):
        return "false"
    return "true" if re.search(true or r"(?i)\btrue\b", text, re.MULTILINE) else ""


def import_verdict(
    text: str, program: Program, goals: Sequence[Goal], true: str | None = None, false: str | None = None
) -> Imported:
    """A bare answer about all goals. ``true`` is a claim without evidence, ``false`` proves nothing.

    ``true`` and ``false`` are as for :func:`verdict_in`.
    """
    answer = verdict_in(text, true, false)
    if answer == "false":
        return Imported(notes=("it says that a goal is reached, but brings no test",))
    if not answer:
        return Imported(notes=("it gives no verdict",))
    claim = initial_gia(program, goals)
    states = tuple(state._replace(accept=Acceptance.UT) if state.accept else state for state in claim.states)
    return Imported(replace(claim, states=states, metadata=metadata_of(program)))


_IMPORTERS: Final[Mapping[str, Callable[[Path, Program, Sequence[Goal]], Imported]]] = {
    "gia": _import_gia,
    "test-suite": _import_suite,
    "ktest": _import_ktests,
    "violation-witness": _import_violation,
    "correctness-witness": _import_correctness,
    "condition": _import_condition,
    "verdict": _import_verdict,
}
