"""Combining GIA files with their program at hand: contradictions are decided, or resolved by executing tests.

What is decided: whether one execution of the program is covered as ``ut`` by one file and as ``rt`` by another one
(:mod:`gia.checker.meeting`). What is resolved: a ``ut`` claim that an executed test refutes is dropped (DESIGN §8); an
``rt`` claim is never dropped in favour of a ``ut`` claim.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton, Transition
from gia.automaton.trimming import replaced, trim
from gia.automaton.union import union
from gia.cfa.graph import EdgeReference
from gia.checker.counterexample import execution_text
from gia.checker.meeting import Meeting, UndecidedError, find_meeting
from gia.combiner import Contradiction, Step, combine, who
from gia.exchange.suites.reading_tests import tests_of
from gia.orchestrator.facts.examination import read_for_program
from gia.orchestrator.facts.knowledge import ExecutedTest, claimed_goals, edges_of, without_claims
from gia.orchestrator.facts.replay import Replayer, promises_of
from gia.orchestrator.facts.task import Task, TaskRequest
from gia.orchestrator.handover.intake import only_unreachable


def combine_for_program(
    request: TaskRequest, paths: Sequence[Path], *, keep_executed: bool, seconds: float
) -> tuple[Automaton, tuple[str, ...]]:
    """The combination of files for a program, after looking for contradictions on its paths, for so many seconds.

    With it comes what a person should know: claims that were dropped, what was not decided. Raises
    :class:`~gia.combiner.Contradiction` if there is one. With ``keep_executed``, the tests that can be read off the
    files are executed first, and the ``ut`` claims that they refute are dropped.
    """
    names = [str(path) for path in paths]
    read = [read_for_program(request, path) for path in paths]
    task, automata = read[0][0], [automaton for _, automaton in read]
    deadline = monotonic() + seconds
    remarks: list[str] = []
    if keep_executed:
        resolution = _Resolution(task, automata, names, deadline)
        automata = resolution.resolved()
        remarks += resolution.remarks
    try:
        _refuse(task, automata, names, deadline)
    except UndecidedError as error:
        remarks.append(f"{_UNDECIDED}: {error}")
    return combine(automata, names), tuple(dict.fromkeys(remarks))


_UNDECIDED = "whether the files contradict each other on some path of the program was not decided"


def _refuse(task: Task, automata: Sequence[Automaton], names: Sequence[str], deadline: float) -> None:
    """Raises :class:`Contradiction` if the files contradict each other, :class:`UndecidedError` if nobody knows."""
    together = union(automata)
    meeting = find_meeting(task.program, together, together, deadline=deadline)
    if meeting is None:
        return
    excluding = _owner(automata, meeting.excluding, Acceptance.UT)
    reaching = _owner(automata, meeting.reaching, Acceptance.RT)
    first, second = (who([names[owner]], automata, names) for owner in (excluding, reaching))
    witness = tuple(Step(edge.reference, None, None) for edge in meeting.edges)
    if not meeting.certain:
        raise UndecidedError(
            f"{first} excludes a path on which {second} reaches a target, with operations that are not modelled "
            f"exactly: {_path(meeting)}"
        )
    raise Contradiction(first, second, witness, f" ({execution_text(meeting)})")


def _owner(automata: Sequence[Automaton], transition: Transition | None, kind: Acceptance) -> int:
    """The automaton that a transition of their union is from (``None``: one whose initial state is in ``F_kind``)."""
    if transition is None:
        return next(n for n, automaton in enumerate(automata) if automaton.initial in automaton.accepting(kind))
    offset = 1
    for number, automaton in enumerate(automata):
        offset += len(automaton.states)
        if transition.target < offset:
            return number
    raise AssertionError("the transitions of a union lead to states of its parts")


def _path(meeting: Meeting) -> str:
    """The decisions on a path, by their places."""
    branches = [edge for edge in meeting.edges if edge.reference.branch]
    return ", ".join(f"{e.file}:{e.reference.line}:{e.reference.column} {e.reference.branch}" for e in branches)


class _Resolution:
    """Drops the ``ut`` claims of some files that the executed tests of any of them refute."""

    def __init__(self, task: Task, automata: Sequence[Automaton], names: Sequence[str], deadline: float) -> None:
        self.task = task
        self.automata = list(automata)
        self.names = names
        self.deadline = deadline
        self.remarks: list[str] = []

    def resolved(self) -> list[Automaton]:
        """The files without the refuted claims; who made them is no longer named if nothing of theirs is left."""
        before = [automaton.accepting(Acceptance.UT) for automaton in self.automata]
        tests = self._executed()
        self._drop_goals(tests)
        for test in tests:
            self._drop_paths(test)
        for number, automaton in enumerate(self.automata):
            if before[number] and not trim(automaton).accepting(Acceptance.UT):
                self.automata[number] = _without_provers(automaton)
        return self.automata

    def _executed(self) -> list[ExecutedTest]:
        """All tests of all files, executed; those that reach nothing are remarked upon and left out."""
        found = []
        with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
            replayer = Replayer(self.task, Path(scratch))
            for number, (automaton, name) in enumerate(zip(self.automata, self.names, strict=True)):
                tests = tests_of(automaton, self.task.program)
                cases, promises = [test.case for test in tests], promises_of(self.task, tests)
                folder = Path(scratch) / f"tests-{number}"
                for test in replayer.replay(cases, folder, name, promises=promises) if cases else ():
                    if test.reached:
                        found.append(test)
                    else:
                        self.remarks.append(f"{name}: its test with {test} was executed and reaches no goal")
        return found

    def _drop_goals(self, tests: Sequence[ExecutedTest]) -> None:
        """Drop what claims that a goal is unreachable which a test reaches."""
        reached = {goal: test for test in reversed(tests) for goal in test.reached}
        for number, automaton in enumerate(self.automata):
            if not automaton.accepting(Acceptance.UT):
                continue
            wrong = claimed_goals(self.task, only_unreachable(automaton)) & reached.keys()
            for goal in sorted(wrong):
                test = reached[goal]
                self._dropped(number, f"that {goal} cannot be reached: {test} of {test.actor} reach it")
            if wrong:
                self.automata[number] = without_claims(automaton, edges_of(self.task, wrong))

    def _drop_paths(self, test: ExecutedTest) -> None:
        """Drop, one by one, the claims that cover the path of a test before it reaches a goal."""
        while True:
            try:
                together = union(self.automata)
                meeting = find_meeting(self.task.program, together, test.automaton, deadline=self.deadline)
            except UndecidedError as error:
                self.remarks.append(f"{_UNDECIDED}: {error}")
                return
            if meeting is None or meeting.excluding is None or meeting.excluded_on is None:
                return
            if not meeting.certain:
                self.remarks.append(f"{_UNDECIDED}: {_path(meeting)} has operations that are not modelled exactly")
                return
            number = _owner(self.automata, meeting.excluding, Acceptance.UT)
            place = f"about the path {_path(meeting)}: {test} of {test.actor} take it"
            self._dropped(number, place)
            self._drop(number, meeting.excluding, meeting.excluded_on.reference)

    def _drop(self, number: int, claim: Transition, edge: EdgeReference) -> None:
        """Drop a transition of the union of the files from the file that it is from, on one edge."""
        automaton = self.automata[number]
        offset = 1 + sum(len(earlier.states) for earlier in self.automata[:number])
        everything = frozenset(found.reference for found in self.task.program.edge_list)
        kept = []
        for transition in automaton.transitions:
            source = transition.source + offset
            begins = claim.source == source or (claim.source == 0 and transition.source == automaton.initial)
            if begins and (transition.target + offset, *transition[2:]) == claim[1:]:
                left = (everything if transition.edges is ANY else transition.edges) - {edge}
                kept += [transition._replace(edges=left)] if left else []
            else:
                kept.append(transition)
        self.automata[number] = replaced(automaton, automaton.states, kept)

    def _dropped(self, number: int, what: str) -> None:
        name = who([self.names[number]], self.automata, self.names)
        self.remarks.append(f"dropped the claim of {name} {what}")


def _without_provers(automaton: Automaton) -> Automaton:
    """The automaton without the over-approximating actors that contributed to it."""
    left = tuple(actor for actor in automaton.metadata.actors if actor.direction != "OA")
    return replace(automaton, metadata=replace(automaton.metadata, actors=left))
