"""The files that a tool has left, read: what it says it has found out.

One function for each type of product that is not a GIA. Nothing is believed here; see :mod:`.intake`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton, Transition
from gia.automaton.trimming import trim
from gia.cfa.goals import Criterion
from gia.cfa.graph import EdgeReference
from gia.cfa.types import FunctionType, PointerType, StructType
from gia.errors import GiaError, InternalError
from gia.exchange.detection import detect
from gia.exchange.imports import import_product, tests_of_ktests, verdict_in
from gia.exchange.suites.testcase import TestCase
from gia.exchange.suites.testcomp_suite import read_foreign_suite
from gia.native import Runner
from gia.native.stubs import input_functions
from gia.orchestrator.description.actor import Product, ProductType
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.replay import Replayer
from gia.orchestrator.facts.task import TaskRequest, load_task
from gia.orchestrator.handover.invocation import Call, bench_exec_verdict
from gia.orchestrator.handover.presenting import PROGRAM, marked_goals
from gia.tools.cbmc import read_cbmc_json
from gia.tools.coverage import read_coverage_report
from gia.tools.crest import read_crest_inputs
from gia.tools.eva import read_eva_report
from gia.tools.findings import Findings
from gia.tools.harness import ANY_BYTE
from gia.tools.input_bytes import ByteReader
from gia.tools.marking import Mark
from gia.verdict import GoalStatus

MOST_FILES: Final = 20_000
"""So many files of a fuzzer are looked at."""
MOST_STATES: Final = 2000
"""The path of a witness that has more is not handed on: everyone who comes later would have to read it."""
MOST_BYTES: Final = 256 << 20
"""A report that is longer is cut."""
HARMLESS: Final = frozenset(
    ["abort", "exit", "_exit", "__assert_fail", "reach_error", "__VERIFIER_error", "printf", "puts", "putchar"]
)
"""Functions that change nothing that a program can see, should they return at all."""


class Reading(Struct, frozen=True):
    """One product of one call: its files in the order of their names, and until when reading may take."""

    product: Product
    paths: Sequence[Path]
    call: Call
    knowledge: Knowledge
    replayer: Replayer
    deadline: float

    @property
    def text(self) -> str:
        """The text of the first file."""
        with self.paths[0].open("rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", errors="replace")


def read_product(reading: Reading) -> Findings:
    """What the product says. Raises :class:`~gia.errors.GiaError` if it cannot be used at all."""
    return READERS[reading.product.type](reading)


def _suites(reading: Reading) -> Findings:
    """Suites of tests; a test that cannot be read costs only itself."""
    found = [read_foreign_suite(path) for path in reading.paths]
    notes = tuple(note for _, remarks in found for note in remarks)
    return Findings(tuple(test for tests, _ in found for test in tests), remarks=notes[:3])


def _verdict(reading: Reading) -> Findings:
    """A bare answer about all open goals: ``true`` is a claim without evidence, ``false`` proves nothing."""
    product = reading.product
    if reading.call.actor.description.run.benchexec is not None:
        answer = bench_exec_verdict(reading.call, reading.text)
    else:
        answer = verdict_in(reading.text, product.true_, product.false_)
    if reading.call.actor.description.direction == "UA":
        return Findings()
    if answer == "true":
        return Findings(unreachable=frozenset(goal.id for goal in reading.knowledge.open_goals))
    if answer == "false":
        brings = any(reading.call.files(other) for other in _products(reading) if other.type == "violation-witness")
        return Findings(remarks=() if brings else ("it says that a goal is reached, but brings no test",))
    last = reading.text.rstrip().rpartition("\n")[2].strip()[:200]
    instead = f", but {answer}" if answer else f"; its last line is: {last}" if last else ""
    return Findings(remarks=(f"it gives no verdict{instead}",))


def _products(reading: Reading) -> tuple[Product, ...]:
    """All products of the actor."""
    return reading.call.actor.description.produces


def _ktests(reading: Reading) -> Findings:
    """KLEE's tests; a file that is damaged is left out."""
    tests, notes = tests_of_ktests(reading.paths[:MOST_FILES], reading.knowledge.task.data_model)
    return Findings(tests, remarks=notes[:3])


def _witnesses(reading: Reading) -> Findings:
    """What witnesses and conditions say of the program that the tool has read.

    If that was the residual program, the inputs of a violation mean the same for the original one, but places and
    invariants do not.
    """
    task = reading.knowledge.task
    read = reading.call.folder / PROGRAM
    residual = read.is_file()
    if residual:
        marked = reading.call.actor.description.goals is Mark.REACH_ERROR
        wanted = Criterion.ERROR_CALL if marked else task.criterion
        task = load_task(TaskRequest(read, wanted.value, task.data_model))
    found, refused = [], []
    for path in _of_its_kind(reading):
        try:
            found.append(import_product(_importer(reading.product.type), path, task.program, task.goals))
        except GiaError as error:  # the tool may have left the same in another format as well
            refused.append(error)
    if refused and not found:
        raise refused[0]
    notes = tuple(dict.fromkeys([*map(_first_line, refused), *(note for imported in found for note in imported.notes)]))
    tests = tuple(test for imported in found for test in imported.tests)
    evidence = next((imported.automaton for imported in found if imported.automaton.accepting(Acceptance.UT)), None)
    if evidence is not None and residual:
        evidence, notes = None, (*notes, "its evidence speaks of the residual program, and cannot be checked")
    candidates = None
    if reading.product.type == "violation-witness" and not residual:
        paths = (imported.automaton for imported in found if imported.automaton.accepting(Acceptance.CAND))
        short = next((automaton for automaton in paths if len(automaton.states) <= MOST_STATES), None)
        if short is not None and short.initial not in short.accepting(Acceptance.CAND):
            candidates = spelled_out(short, frozenset(edge.reference for edge in task.program.edge_list))
    return Findings(tests, remarks=notes[:3], evidence=evidence, candidates=candidates)


def spelled_out(automaton: Automaton, everything: frozenset[EdgeReference]) -> Automaton:
    """The path of a witness as the readers of candidates want it: where it goes on any edge, each is named.

    What it says about inputs is left out, since the test with these inputs was executed. The first state is a new one,
    which no run comes back to: in a combination it is shared with others, the loops behind it are not.
    """
    first = len(automaton.states)
    loops = automaton.accepting(Acceptance.CAND)
    found: dict[Transition, None] = {}
    for source, target, edges, assumption in automaton.transitions:
        named = everything if edges is ANY and source not in loops else edges
        kept = assumption if assumption is not None and r"\result" not in assumption.text else None
        found[Transition(source, target, named, kept)] = None
        if source == automaton.initial:
            found[Transition(first, target, named, kept)] = None
    states = (*automaton.states, automaton.states[automaton.initial])
    return trim(replace(automaton, states=states, transitions=tuple(found), initial=first))


def _of_its_kind(reading: Reading) -> list[Path]:
    """The files without those that hold what another product of the actor is: of the two kinds of witnesses, tools
    write the one that they have under the same name.
    """
    others = {product.type for product in _products(reading)} - {reading.product.type}
    return [path for path in reading.paths if _kind(path) not in others]


def _kind(path: Path) -> str:
    """The format of a file, empty for one that is none: its reader says why."""
    try:
        return detect(path)
    except GiaError:
        return ""


def _first_line(error: GiaError) -> str:
    return str(error).splitlines()[0]


def _importer(type_: ProductType) -> Literal["violation-witness", "correctness-witness", "condition"]:
    if type_ in ("violation-witness", "correctness-witness", "condition"):
        return type_
    raise InternalError(f"{type_} is no witness")


def _input_bytes(reading: Reading) -> Findings:
    """Of the files of a fuzzer, those that reach what nobody has reached before."""
    program = reading.replayer.programs()[0]
    wanted = {
        goal.id: goal.edges
        for goal in reading.knowledge.task.goals
        if reading.knowledge.decisions[goal.id].status is not GoalStatus.COVERED
    }
    tests = []
    files = [path for path in reading.paths if path.name != "README.txt"]
    with Runner() as runner:
        reader = ByteReader(runner, program)
        for path in sorted(files, key=lambda path: (path.stat().st_size, path.name))[:MOST_FILES]:
            if not wanted or monotonic() > reading.deadline:
                break
            execution = reader.read(path.read_bytes())
            reached = [goal for goal, edges in wanted.items() if edges & execution.covered_edges]
            if reached:
                tests.append(TestCase.of(execution.inputs))
            for goal in reached:
                del wanted[goal]
    return Findings(tuple(tests))


def _eva_report(reading: Reading) -> Findings:
    program = reading.knowledge.task.program
    harmless = {f.name for f in input_functions(program) if not isinstance(f.type.result, PointerType | StructType)}
    harmless |= {name for name, external in program.externals.items() if _only_values(external.type)}
    harmless |= HARMLESS | {ANY_BYTE}
    return read_eva_report(reading.text, marked_goals(reading.call.folder), harmless)


def _only_values(type_: FunctionType) -> bool:
    """Whether a function gets and gives nothing but numbers: without a body, all that it can do is give any."""
    parts = (type_.result, *type_.parameters)
    return not type_.variadic and not any(isinstance(part, PointerType | StructType) for part in parts)


READERS: Final[Mapping[ProductType, Callable[[Reading], Findings]]] = MappingProxyType(
    {
        "test-suite": _suites,
        "ktest": _ktests,
        "violation-witness": _witnesses,
        "correctness-witness": _witnesses,
        "condition": _witnesses,
        "input-bytes": _input_bytes,
        "verdict": _verdict,
        "eva-report": _eva_report,
        "cbmc-json": lambda reading: read_cbmc_json(
            reading.text, marked_goals(reading.call.folder), reading.product.path
        ),
        "coverage-report": lambda reading: read_coverage_report(reading.text),
        "crest-inputs": lambda reading: Findings(read_crest_inputs(reading.text, reading.product.path)),
    }
)
