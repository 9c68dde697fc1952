"""The witness of a finished verification, from what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final, Literal

from msgspec import Struct, field

from gia import __version__
from gia.cfa.goals import Goal
from gia.errors import Position
from gia.exchange.source.program_places import ProgramPlaces, called
from gia.exchange.witness.model import Invariant
from gia.exchange.witness.statements import Alternatives, InvariantExport, stated_inputs
from gia.exchange.witness.writer import (
    WitnessMetadata,
    correctness_graph,
    correctness_witness,
    violation_graph,
    violation_witness,
)
from gia.orchestrator.facts.knowledge import ExecutedTest, Knowledge
from gia.orchestrator.facts.task import Task
from gia.orchestrator.facts.verdicts import verdict_of
from gia.verdict import Verdict

SECONDS: Final = 10.0
"""How long the invariants of a proof are looked for at the end of a run; without them, the witness has none."""


class WrittenWitness(Struct, frozen=True):
    """The text of a witness, and what it could not say."""

    text: str
    notes: tuple[str, ...] = ()


class Witnesses(Struct):
    """The witnesses of one run: its directory is written often, a witness is made once."""

    _made: dict[tuple[object, ...], str | None] = field(default_factory=dict)

    def of(self, knowledge: Knowledge, created: str) -> str | None:
        """The YAML text; ``None`` as long as the verdict is unknown, and for a task that is no verification."""
        verdict = verdict_of(knowledge)
        if verdict not in (Verdict.TRUE, Verdict.FALSE):
            return None
        basis = (verdict, created, len(knowledge.tests), *((p.step, p.certified) for p in knowledge.proofs))
        if basis not in self._made:
            self._made = {basis: _witness_of(knowledge, verdict, created)}
        return self._made[basis]


def _witness_of(knowledge: Knowledge, verdict: Verdict, created: str) -> str:
    task = knowledge.task
    if verdict is Verdict.FALSE:
        test = next(test for test in knowledge.tests if test.reached)
        return write_violation(task, test, created).text
    return write_correctness(task, proven_invariants_of(knowledge, monotonic() + SECONDS), created).text


def proven_invariants_of(knowledge: Knowledge, deadline: float) -> dict[int, list[Alternatives]]:
    """The invariants of locations with which certified proofs exclude the goals, as far as there is time.

    Proofs of different goals need different invariants of one location; all of them hold.
    """
    from gia.checker import proven_invariants  # noqa: PLC0415 - it loads a solver

    task = knowledge.task
    found: dict[int, list[Alternatives]] = {}
    for proof in knowledge.proofs:
        goals = [goal for goal in task.goals if goal.id in proof.certified]
        proven = proven_invariants(task.program, proof.automaton, goals, deadline=deadline, before=do_decisions(task))
        for location, invariants in proven.items():
            found.setdefault(location, []).append(invariants)
    return found


def do_decisions(task: Task) -> dict[int, int]:
    """Where the conditions of ``do`` loops are evaluated, each with the location where a round begins."""
    loops = ProgramPlaces.of(task.program).do_loops
    return {loop.decision: begin for begin, found in loops.items() for loop in found}


WitnessFormat = Literal["2.0", "2.1", "graphml"]
"""YAML in one of its versions, or GraphML 1.0."""


def witness_metadata(task: Task, goals: Sequence[Goal], created: str, format_: WitnessFormat) -> WitnessMetadata:
    """What a witness about these goals of a task says about where it comes from."""
    program = task.program
    version = "2.0" if format_ == "graphml" else format_
    about = (program.main_file, program.sha256, task.property_of(goals), task.data_model, __version__, created)
    return WitnessMetadata(*about, version)


def write_correctness(
    task: Task, found: Mapping[int, Sequence[Alternatives]], created: str, format_: WitnessFormat = "2.0"
) -> WrittenWitness:
    """The witness that the goals cannot be reached."""
    export = InvariantExport(ProgramPlaces.of(task.program))
    invariants = export.invariants(found)
    notes = dict(export.notes)
    if format_ == "graphml":
        for other in _others(invariants):
            notes[f"{other.place}: {other.value} is left out: GraphML knows heads of loops only"] = None
    write = correctness_graph if format_ == "graphml" else correctness_witness
    return WrittenWitness(write(witness_metadata(task, task.goals, created, format_), invariants), tuple(notes))


def _others(invariants: tuple[Invariant, ...]) -> list[Invariant]:
    return [invariant for invariant in invariants if invariant.kind != "loop_invariant"]


def write_violation(task: Task, test: ExecutedTest, created: str, format_: WitnessFormat = "2.0") -> WrittenWitness:
    """The witness for an executed test that reaches a goal."""
    goal = next(goal for goal in task.goals if goal.id in test.reached)
    inputs, notes = stated_inputs(ProgramPlaces.of(task.program), test.reads, test.case.inputs)
    target = Position(goal.file, goal.line, goal.column)
    metadata = witness_metadata(task, [goal], created, format_)
    if format_ == "graphml":
        error_function = called(task.program.edge_list[min(goal.edges)])
        return WrittenWitness(violation_graph(metadata, inputs, target, error_function), tuple(notes))
    return WrittenWitness(violation_witness(metadata, inputs, target, goal.function), tuple(notes))
