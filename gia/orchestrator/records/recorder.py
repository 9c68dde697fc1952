"""Losing nothing: after each step, all that is known is on the disk before the next one starts."""

from __future__ import annotations

import threading
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec.structs import replace

from gia import __version__
from gia.automaton.initial import edge_texts
from gia.automaton.model import ActorRecord, Automaton
from gia.exchange.gia_xml import gia_bytes
from gia.exchange.suites.testcomp_suite import write_suite
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.replay import suite_metadata
from gia.orchestrator.facts.witnessing import Witnesses
from gia.orchestrator.processes.job import Executor
from gia.orchestrator.records import events
from gia.orchestrator.records.journal import Journal
from gia.orchestrator.records.result import Result, result_of
from gia.orchestrator.records.step import StepRecord, StepState
from gia.orchestrator.store import GIA, RESULT, SUITE, WITNESS, RunDirectory, make_durable
from gia.verdict import GoalStatus, StopKind, StopReason

UNFINISHED: Final = StopReason(StopKind.CANCELLED, detail="the run was not finished")
"""What ``result.json`` says as long as the run goes on."""


class Recorder:
    """What has been found so far by all branches of a run, its steps, and the one writer of the run's directory."""

    def __init__(
        self,
        start: Knowledge,
        composition: str,
        directory: RunDirectory,
        journal: Journal,
        *,
        scratch: Path,
        observer: events.Observer,
        started: float,
        taken: Collection[int],
        executor: Executor,
    ) -> None:
        self._executor = executor
        self._composition = composition
        self._directory = directory
        self._journal = journal
        self._scratch = scratch
        self._observer = observer
        self._started = started
        self._created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._last_number = max(taken, default=0)
        self._steps: dict[int, StepRecord] = {}
        self._warnings = [str(warning) for warning in start.task.loaded.warnings]
        if not start.task.goals:
            kind = start.task.criterion.kind_of_goal
            self._warnings.append(f"there is nothing to decide: the program has no {kind}")
        self._everything = start
        self._written: Knowledge | None = None
        self._witnesses = Witnesses()
        self._lock = threading.RLock()

    def introduce(self) -> None:
        """Tells the observer what is known before the first step."""
        for warning in self._warnings:
            self._observer(events.Remark(warning))
        self._tell_goals()

    def warn(self, text: str) -> None:
        """Tells the user something about the whole run, once."""
        with self._lock:
            if text not in self._warnings:
                self._warnings.append(text)
                self._observer(events.Remark(text))

    def next_number(self) -> int:
        """The number of the next step."""
        with self._lock:
            self._last_number += 1
            return self._last_number

    def new_step(self, record: StepRecord) -> StepRecord:
        """Takes note of a step."""
        with self._lock:
            self._steps[record.number] = record
            return record

    def step_started(self, record: StepRecord, seconds: float) -> None:
        """Notes that a step begins."""
        with self._lock:
            self._steps[record.number] = record
            values = {"number": record.number, "place": record.place, "actor": record.actor}
            self._journal.append("step-started", values | {"seconds": seconds}, durable=False)
            self._observer(events.StepStarted(record, seconds))

    def learned(self, known: Knowledge) -> None:
        """Tells the observer what is known while steps run; it is written when the next one has ended."""
        with self._lock:
            self._everything = self._everything.joined([known])
            self._tell_goals()

    def step_ended(self, record: StepRecord, knowledge: Knowledge, *, repeated: bool, seconds: float = 0.0) -> None:
        """Notes how a step that had so many seconds ended, and writes what ``knowledge`` adds to all that was found."""
        with self._lock:
            before = self._everything
            self._everything = before.joined([knowledge])
            self._steps[record.number] = record
            self._write(UNFINISHED)
            if not repeated:
                event = "step-cancelled" if record.state is StepState.CANCELLED else "step-ended"
                self._journal.append(event, journal_values(record) | {"seconds": seconds})
            self._observer(events.StepEnded(record, repeated))
            for conflict in self._everything.conflicts[len(before.conflicts) :]:
                self._observer(events.Remark(str(conflict)))
            self._tell_goals()

    def _tell_goals(self) -> None:
        counts = [self._everything.count(status) for status in GoalStatus]
        self._observer(events.GoalsDecided(*counts))

    def finish(self, stop: StopReason, final: Knowledge | None = None) -> Result:
        """Writes the end result; without ``final``, of all that was found until something broke off."""
        with self._lock:
            if final is not None:
                self._everything = final
            result = self._write(stop)
            values = {"reason": stop.kind.value, "detail": stop.detail, "verdict": result.verdict.value}
            self._journal.append("stop", values)
            make_durable(self._directory.path, (GIA, WITNESS, SUITE, RESULT))
            self._observer(events.RunStopped(stop))
            return result

    def _write(self, stop: StopReason) -> Result:
        """Brings the directory up to date: what the result refers to is there before the result is."""
        knowledge = self._everything
        if knowledge is not self._written or stop is not UNFINISHED:  # a step that found nothing changes no facts
            self._write_facts(knowledge)
            self._written = knowledge
        steps = [self._steps[number] for number in sorted(self._steps)]
        wall = monotonic() - self._started
        result = result_of(
            knowledge,
            self._composition,
            steps,
            stop,
            wall=wall,
            executor=self._executor.name,
            warnings=self._warnings,
        )
        self._directory.write(RESULT, result.as_json().encode())
        return result

    def _write_facts(self, knowledge: Knowledge) -> None:
        self._write_suite(knowledge)
        self._directory.write(GIA, gia_bytes(self._described(knowledge)))
        witness = self._witnesses.of(knowledge, self._created)
        if witness is not None:
            self._directory.write(WITNESS, witness.encode())

    def _write_suite(self, knowledge: Knowledge) -> None:
        folder = self._scratch / SUITE
        cases = [test.case for test in knowledge.suite]
        written = write_suite(folder, cases, suite_metadata(knowledge.task, self._created))
        for path in written:
            self._directory.write(f"{SUITE}/{path.name}", path.read_bytes())
        self._directory.keep_only(SUITE, {path.name for path in written})

    def _described(self, knowledge: Knowledge) -> Automaton:
        """The automaton with who contributed to it."""
        actors = []
        for _, step in sorted(self._steps.items()):
            actors.append(ActorRecord(step.actor, __version__, step.direction, round(step.wall, 3), round(step.cpu, 3)))
        automaton = knowledge.automaton
        metadata = replace(knowledge.task.initial.metadata, created=self._created, actors=tuple(actors))
        return replace(automaton, metadata=metadata, edge_texts=edge_texts(knowledge.task.program, automaton))


def journal_values(record: StepRecord) -> dict[str, object]:
    """What the journal keeps of a step."""
    return {
        "number": record.number,
        "place": record.place,
        "actor": record.actor,
        "status": record.state.value,
        "wall": round(record.wall, 3),
        "cpu": round(record.cpu, 3),
        "memory": record.memory,
        "new_rt": record.new_rt,
        "new_ut": record.new_ut,
        "isolation": record.isolation,
        "remarks": list(record.remarks),
    }
