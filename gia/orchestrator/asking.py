"""One step of a run: an actor is started, and what it wrote is examined."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from gia.errors import GiaError, InternalError
from gia.orchestrator.composition import StepDefinition
from gia.orchestrator.engine import SHORTEST, Done, Scope
from gia.orchestrator.intake import Facts, examine, examine_together
from gia.orchestrator.invocation import Call, failure, note_end, prepare
from gia.orchestrator.journal import Entry
from gia.orchestrator.knowledge import Knowledge
from gia.orchestrator.process import Ended, Isolation, Outcome
from gia.orchestrator.recorder import Recorder
from gia.orchestrator.replay import Replayer
from gia.orchestrator.step import StepEvent, StepRecord, StepState, advance
from gia.orchestrator.store import STEPS, RunDirectory
from gia.orchestrator.wiring import ConfiguredActor
from gia.verdict import GoalStatus, StopKind, StopReason

CHECK_SECONDS: Final = 10.0
"""A proof may be checked for so long, even if the time of the run is over: what was found is not thrown away."""

NEARLY_ALL: Final = 0.9
"""An actor that used so much of its time is taken to have stopped because of it."""


@dataclass(frozen=True)
class Asker:
    """Runs the steps of one run. ``finished`` are the journal's entries of steps that are not to be done again."""

    actors: Mapping[str, ConfiguredActor]
    directory: RunDirectory
    recorder: Recorder
    replayer: Replayer
    finished: Mapping[str, Entry]
    examining: threading.Lock
    isolation: Isolation

    def ask(self, name: str, definition: StepDefinition, scope: Scope, knowledge: Knowledge) -> Done:
        """Runs one step in its scope."""
        actor, options = self.actors[name]
        limits = actor.description.limits
        seconds = limits.time.of(scope.left) if limits.time is not None else scope.left
        repeated = self.finished.get(scope.place)
        if repeated is None and seconds < SHORTEST:
            return Done(knowledge, StopReason(StopKind.TIME), limited=True)
        number = int(repeated["number"]) if repeated is not None else 0
        record = self.recorder.new_step(
            StepRecord(number, scope.place, actor.name, actor.description.direction, scope.round)
        )
        memory = min((bytes_ for bytes_ in (limits.memory, scope.memory) if bytes_), default=None)
        folder = self.directory.file(STEPS) / record.folder
        call = Call(actor, folder, seconds, memory, options, scope.cpu)
        if repeated is not None:
            return self._repeat(call, record, repeated, knowledge)
        record = replace(record, state=advance(record.state, StepEvent.START))
        self.recorder.step_started(record, seconds)
        try:
            ended, problem = self._start(call, record, scope, knowledge)
        except BaseException as error:
            event = StepEvent.CANCEL if isinstance(error, KeyboardInterrupt) else StepEvent.BROKE
            record = replace(record, state=advance(record.state, event), remarks=(str(error),))
            self.recorder.step_ended(record, knowledge, repeated=False)
            raise
        record = replace(record, wall=ended.wall, cpu=ended.cpu, memory=ended.memory)
        started = ended.outcome is not Outcome.NOT_STARTED
        facts = self._examine(call, knowledge, record.folder) if started else Facts()
        if not facts.usable and ended.outcome is Outcome.EXITED and not problem:
            problem = "it has left nothing that could be used"
        record = replace(record, state=advance(record.state, _event(ended, problem)))
        facts = replace(facts, remarks=((problem,) if problem else ()) + facts.remarks)
        return self._conclude(call, record, facts, knowledge)

    def _repeat(self, call: Call, record: StepRecord, entry: Entry, knowledge: Knowledge) -> Done:
        """Takes in once more what a step of an interrupted run has left; the actor is not asked again."""
        if not call.folder.is_dir():
            raise InternalError(f"the folder {call.folder} of a finished step is gone")
        facts = self._examine(call, knowledge, record.folder)
        state = StepState(entry["status"])
        record = replace(
            record, state=state, wall=float(entry["wall"]), cpu=float(entry["cpu"]), memory=int(entry["memory"])
        )
        return self._conclude(call, record, replace(facts, remarks=tuple(entry["remarks"])), knowledge, repeated=True)

    def _start(self, call: Call, record: StepRecord, scope: Scope, knowledge: Knowledge) -> tuple[Ended, str]:
        """Runs the actor's process; how it ended and, if it failed, why."""
        self.directory.step_folder(record.folder)
        missing = call.actor.missing()
        if missing:
            return NOT_STARTED, f"{missing[0].executable} is not installed: {missing[0].hint}"
        try:
            argv = prepare(call, knowledge)
        except GiaError as error:
            return NOT_STARTED, f"its input could not be made: {error}"
        ended = self.isolation.run(
            argv, directory=call.folder, log=call.log, limits=call.limits, cancellations=scope.cancellations
        )
        note_end(call, ended)
        return ended, failure(call, ended)

    def _examine(self, call: Call, knowledge: Knowledge, step: str) -> Facts:
        """One at a time: solvers are not made for threads."""
        with self.examining:
            return examine(call, knowledge, self.replayer, step, monotonic() + CHECK_SECONDS)

    def _conclude(
        self, call: Call, record: StepRecord, facts: Facts, knowledge: Knowledge, *, repeated: bool = False
    ) -> Done:
        """Adds the facts to what is known and records the step."""
        after = knowledge.extended(facts.tests, [facts.proof] if facts.proof is not None else [])
        with self.examining:
            after = examine_together(after, monotonic() + CHECK_SECONDS)
        gained = {status: max(0, after.count(status) - knowledge.count(status)) for status in GoalStatus}
        record = replace(
            record,
            new_rt=gained[GoalStatus.COVERED],
            new_ut=gained[GoalStatus.UNREACHABLE],
            remarks=facts.remarks,
        )
        self.recorder.step_ended(record, after, repeated=repeated)
        limited = record.state is StepState.TIMED_OUT or record.wall >= NEARLY_ALL * call.seconds
        return Done(after, StopReason(StopKind.EXHAUSTED), limited, 0.0 if repeated else record.cpu)


NOT_STARTED: Final = Ended(Outcome.NOT_STARTED, 0, 0.0, 0.0, 0)


def _event(ended: Ended, problem: str) -> StepEvent:
    """What the end of the process means for the step."""
    if ended.outcome in (Outcome.TIMEOUT, Outcome.CPU):
        return StepEvent.TIME_UP
    if ended.outcome is Outcome.CANCELLED:
        return StepEvent.CANCEL
    return StepEvent.BROKE if problem else StepEvent.ENDED
