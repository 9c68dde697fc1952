"""One step of a run: an actor is started, and what it wrote is examined."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from time import monotonic
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from gia.errors import GiaError, InputError, Position
from gia.orchestrator.description.actor import Actor
from gia.orchestrator.description.composition import StepDefinition
from gia.orchestrator.engine import SHORTEST, Done, Scope
from gia.orchestrator.enough import Watch, thrown_when_enough
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.replay import Replayer
from gia.orchestrator.facts.verdicts import is_settled
from gia.orchestrator.handover.intake import Facts, examine, examine_together
from gia.orchestrator.handover.invocation import ENDED, LOG, Call, failure, given_to, note_end, prepare
from gia.orchestrator.news import again_and_again
from gia.orchestrator.portfolio import Listener, Portfolio, is_certain
from gia.orchestrator.processes.job import Executor, Job
from gia.orchestrator.processes.process import Cancellation, Ended, Outcome
from gia.orchestrator.records.cache import StepCache
from gia.orchestrator.records.history import History
from gia.orchestrator.records.journal import Entry
from gia.orchestrator.records.recorder import Recorder
from gia.orchestrator.records.step import StepEvent, StepRecord, StepState, advance
from gia.orchestrator.store import STEPS, RunDirectory, explained, make_durable
from gia.orchestrator.wiring import ConfiguredActor
from gia.verdict import GoalStatus, StopKind, StopReason

CHECK_SECONDS: Final = 10.0
"""A proof may be checked for so long, even if the time of the run is over: what was found is not thrown away."""

NEARLY_ALL: Final = 0.9
"""An actor that used so much of its time is taken to have stopped because of it."""


class Ran(Struct, frozen=True):
    """How an actor's process ended, why that is no success, and under which key its products may be kept."""

    ended: Ended
    problem: str = ""
    key: str | None = None
    cached: bool = False


class Given(Struct, frozen=True):
    """What an actor starts from, and the portfolio in which it works, if it is in one."""

    knowledge: Knowledge
    portfolio: Portfolio | None = None

    @property
    def known_by_now(self) -> Knowledge:
        """That, and what others have found meanwhile."""
        return self.knowledge if self.portfolio is None else self.portfolio.known

    def extended(self, extend: Callable[[Knowledge], Knowledge]) -> tuple[Knowledge, Knowledge]:
        """All that is known before and after ``extend`` has added facts to it."""
        if self.portfolio is None:
            return self.knowledge, extend(self.knowledge)
        return self.portfolio.extended(extend)

    def gained(self, call: Call, before: Knowledge, after: Knowledge) -> Mapping[GoalStatus, int]:
        """How many goals got which status by what the actor has found, not by what others found meanwhile."""
        listener = self._listener(call)
        early = listener.reached if listener is not None else frozenset()
        changed = (
            decision.status
            for goal, decision in after.decisions.items()
            if decision.status is not self.knowledge.decisions[goal].status
            and (goal in early or decision.status is not before.decisions[goal].status)
        )
        return Counter(changed)

    def was_told(self, call: Call) -> bool:
        """Whether the actor knew more than it was given: alone, it might have answered something else."""
        listener = self._listener(call)
        return listener is not None and listener.was_told

    def _listener(self, call: Call) -> Listener | None:
        return self.portfolio.listener(call) if self.portfolio is not None else None


class Asker(Struct, frozen=True):
    """Runs the steps of one run. ``history`` is what earlier runs in its directory have done.

    ``deadline`` is when the time of the run is over, a value of :func:`time.monotonic`.
    """

    actors: Mapping[str, ConfiguredActor]
    directory: RunDirectory
    recorder: Recorder
    replayer: Replayer
    history: History
    executor: Executor
    deadline: float
    cache: StepCache | None = None
    examining: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, name: str, definition: StepDefinition, scope: Scope, knowledge: Knowledge) -> Done:
        """Runs one step in its scope."""
        for number in self.history.unfinished.get(scope.place, ()):
            record, call = self._call(name, scope, number)
            knowledge = self._salvage(call, record, Given(knowledge, scope.portfolio))
        repeated = self.history.finished.get(scope.place)
        if repeated is not None:
            record, call = self._call(name, scope, int(repeated["number"]))
            return self._repeat(call, self.recorder.new_step(record), repeated, Given(knowledge, scope.portfolio))
        if scope.portfolio is not None:
            for tester in scope.portfolio.testers:
                self._take_in(scope.portfolio, tester)
            knowledge = scope.portfolio.known
        if is_settled(knowledge):
            return Done(knowledge, StopReason(StopKind.DECIDED))
        limit = self.actors[name][0].description.limits.time
        seconds = rounded(limit.of(scope.left) if limit is not None else scope.left)
        if seconds < SHORTEST:
            return Done(knowledge, StopReason(StopKind.TIME), limited=True)
        record, call = self._call(name, scope, self.recorder.next_number(), seconds)
        record = replace(record, state=advance(record.state, StepEvent.START))
        self.recorder.step_started(record, seconds)
        try:
            ran = self._start(call, record, scope, knowledge)
        except BaseException as error:
            event = StepEvent.CANCEL if isinstance(error, KeyboardInterrupt) else StepEvent.BROKE
            record = replace(record, state=advance(record.state, event), remarks=(str(error) or "it was interrupted",))
            self.recorder.step_ended(record, knowledge, repeated=False)
            raise
        return self._take(call, record, ran, Given(knowledge, scope.portfolio))

    def _take_in(self, portfolio: Portfolio, tester: Listener) -> None:
        """Adds what the tests show that a running tester has written down since this was done last.

        Who wants the same meanwhile waits until it is done.
        """
        with tester.examining:
            if not tester.has_news():
                return
            tests = self._examine(tester.call, portfolio.known, tester.call.folder.name).tests
            tester.reached = tester.reached.union(*(test.reached for test in tests))
            _, known = portfolio.extended(partial(Knowledge.extended, tests=tests))
            self.recorder.learned(known)

    def settle(self, joined: Knowledge) -> Knowledge:
        """What the proofs of branches that ran side by side exclude together."""
        with self.examining:
            return examine_together(joined, monotonic() + CHECK_SECONDS)

    def _call(self, name: str, scope: Scope, number: int, seconds: float = 0.0) -> tuple[StepRecord, Call]:
        """The record of a step and the call of its actor."""
        actor, options = self.actors[name]
        description = actor.description
        record = StepRecord(number, scope.place, actor.name, description.direction, scope.round)
        memory = min((bytes_ for bytes_ in (description.limits.memory, scope.memory) if bytes_), default=None)
        folder = self.directory.file(STEPS) / record.folder
        return record, Call(actor, folder, seconds, memory, options, scope.cpu)

    def _take(self, call: Call, record: StepRecord, ran: Ran, given: Given) -> Done:
        """Takes in what an actor has left, however it ended."""
        ended, problem = ran.ended, ran.problem
        record = replace(record, wall=ended.wall, cpu=ended.cpu, memory=ended.memory, cached=ran.cached)
        record = replace(record, obstacles=call.obstacles())
        started = ended.outcome is not Outcome.NOT_STARTED
        if started and not ran.cached:
            record = replace(record, isolation=ended.isolation)
        facts = self._examine(call, given.known_by_now, record.folder, ended.wall) if started else Facts()
        if ended.outcome in (Outcome.CANCELLED, Outcome.TIMEOUT, Outcome.CPU) and not facts.usable:
            facts = Facts(remarks=("it has left nothing",) if ended.outcome is not Outcome.CANCELLED else ())
        if ended.outcome is Outcome.CANCELLED:  # no fault of the actor
            problem = ""
        elif not facts.usable and ended.outcome is Outcome.EXITED and not problem:
            problem = "it has left nothing that could be used"
        record = replace(record, state=advance(record.state, _event(ended, problem)))
        facts = replace(facts, remarks=((problem,) if problem else ()) + facts.remarks)
        repeatable = record.state is StepState.DONE and not self._limited(call, record) and not given.was_told(call)
        if self.cache is not None and ran.key is not None and repeatable and not ran.cached:
            self.cache.store(ran.key, call.folder, products_of(call))
        return self._conclude(call, record, facts, given)

    def _repeat(self, call: Call, record: StepRecord, entry: Entry, given: Given) -> Done:
        """Takes in once more what a step of an interrupted run has left; the actor is not asked again."""
        if not call.folder.is_dir():
            hint = "begin again without --resume"
            raise InputError("the folder of a finished step is gone", Position(str(call.folder)), hint)
        facts = self._examine(call, given.known_by_now, record.folder)
        state = StepState(entry["status"])
        record = replace(
            record,
            state=state,
            wall=float(entry["wall"]),
            cpu=float(entry["cpu"]),
            memory=int(entry["memory"]),
            isolation=str(entry.get("isolation", "")),
        )
        record = replace(record, obstacles=call.obstacles())
        facts = replace(facts, remarks=tuple(entry["remarks"]))
        call = replace(call, seconds=float(entry["seconds"]))
        return self._conclude(call, record, facts, given, repeated=True)

    def _salvage(self, call: Call, record: StepRecord, given: Given) -> Knowledge:
        """Takes in what a step had written when it was cut off."""
        if not any(call.files(product) for product in call.actor.description.produces if product.path != LOG):
            return given.knowledge
        facts = self._examine(call, given.known_by_now, record.folder)
        record = self.recorder.new_step(replace(record, state=StepState.CANCELLED))
        facts = replace(facts, remarks=("it was interrupted; what it had written is kept",))
        return self._conclude(call, record, facts, given, repeated=True).knowledge

    def _start(self, call: Call, record: StepRecord, scope: Scope, knowledge: Knowledge) -> Ran:
        """Runs the actor's process, unless it is known what it will write."""
        self.directory.step_folder(record.folder)
        missing = call.actor.missing()
        if missing:
            return Ran(NOT_STARTED, f"{missing[0].executable} is not installed: {missing[0].hint}")
        try:
            with explained(call.folder):
                argv = prepare(call, knowledge)
        except GiaError as error:
            hint = f"; {error.hint}" if error.hint else ""
            return Ran(NOT_STARTED, f"it could not be asked: {error.message}{hint}")
        products = products_of(call)
        foreign = call.actor.description.run.builtin is None
        job = Job(tuple(argv), call.folder, call.log, call.limits, knowledge.task.path, products, foreign)
        key = None
        if self.cache is not None and call.actor.description.deterministic:
            source = hashlib.sha256(knowledge.task.loaded.source.text.encode()).hexdigest()
            limits = f"{call.memory} {call.cpu if call.cpu is None else rounded(call.cpu)}"
            description = call.actor.description.model_dump_json()
            key = self.cache.key(argv, call.folder, source, limits, description, *given_to(call))
            if self.cache.fetch(key, call.folder):
                return Ran(REMEMBERED, key=key, cached=True)
        ended = self._run(job, call, scope, knowledge)
        if ended.uncontained:
            self.recorder.warn(UNCONTAINED.format(ended.uncontained))
        note_end(call, ended)
        return Ran(ended, failure(call, ended), key)

    def _run(self, job: Job, call: Call, scope: Scope, knowledge: Knowledge) -> Ended:
        """Runs the process; in a portfolio until what it has written decides all that the others leave open."""
        with ExitStack() as around:
            cancellations = scope.cancellations
            if not job.foreign:
                around.enter_context(scope.cores.noted(call.beside.at_work))
            if scope.portfolio is not None:
                if gives_way(call.actor):
                    around.enter_context(scope.cores.lent(scope.occupied, call.beside))
                enough = _taking_part(scope.portfolio, call, knowledge, is_builtin=not job.foreign)
                cancellations = (*cancellations, around.enter_context(enough))
                tester = scope.portfolio.listener(call) if gives_way(call.actor) else None
                if tester is not None:
                    around.enter_context(again_and_again(partial(self._take_in, scope.portfolio, tester)))
            return self.executor.run(job, cancellations)

    def _limited(self, call: Call, record: StepRecord) -> bool:
        """Whether the actor was ended, or ended because of its time, and might find more with more."""
        return record.state in (StepState.TIMED_OUT, StepState.CANCELLED) or record.wall >= NEARLY_ALL * call.seconds

    def _examine(self, call: Call, knowledge: Knowledge, step: str, found_in: float = 0.0) -> Facts:
        """One at a time: solvers are not made for threads.

        While the run has time, checking may take as long as the actor had: large programs take both long.
        """
        with self.examining:
            now = monotonic()
            deadline = max(now + CHECK_SECONDS, min(now + found_in, self.deadline))
            return examine(call, knowledge, self.replayer, step, deadline)

    def _conclude(self, call: Call, record: StepRecord, facts: Facts, given: Given, *, repeated: bool = False) -> Done:
        """Adds the facts to what is known and records the step."""

        def with_facts(known: Knowledge) -> Knowledge:
            found = known.extended(facts.tests, [facts.proof] if facts.proof is not None else [])
            if facts.candidates is not None:
                found = found.proposing(record.actor, facts.candidates)
            return self.settle(found)

        before, after = given.extended(with_facts)
        gained = given.gained(call, before, after)
        record = replace(
            record,
            new_rt=gained[GoalStatus.COVERED],
            new_ut=gained[GoalStatus.UNREACHABLE],
            remarks=facts.remarks,
        )
        if not repeated:
            make_durable(call.folder, [product.path for product in call.actor.description.produces])
        self.recorder.step_ended(record, after, repeated=repeated, seconds=call.seconds)
        limited = self._limited(call, record)
        return Done(after, StopReason(StopKind.EXHAUSTED), limited, 0.0 if repeated else record.cpu)


def gives_way(actor: Actor) -> bool:
    """Whether the actor stops for a while, if it is asked to, so that others may have its core: testers of gia do."""
    return actor.description.run.builtin is not None and actor.description.direction == "UA"


@contextmanager
def _taking_part(portfolio: Portfolio, call: Call, given: Knowledge, *, is_builtin: bool) -> Iterator[Cancellation]:
    """While an actor runs, it is told of what others find, if it listens; thrown when it has written enough."""
    is_tester = call.actor.description.direction == "UA"  # a prover listens, too, but less often
    watch = Watch(call, given, lambda: portfolio.known, is_certain if is_builtin and is_tester else lambda _: False)
    with portfolio.running(call, given) if is_builtin else nullcontext(), thrown_when_enough(watch) as enough:
        yield enough


UNCONTAINED: Final = "the tools of others had no container, only the plain limits: BenchExec: {}"
NOT_STARTED: Final = Ended(Outcome.NOT_STARTED, 0, 0.0, 0.0, 0)
REMEMBERED: Final = Ended(Outcome.EXITED, 0, 0.0, 0.0, 0)


def products_of(call: Call) -> tuple[str, ...]:
    """The names (or patterns) of the files and folders that are of use when the process of a step has ended."""
    return tuple(dict.fromkeys([*(product.path for product in call.actor.description.produces), LOG, ENDED]))


def rounded(seconds: float) -> float:
    """The seconds to three digits: a difference that means nothing shall not make two steps different."""
    return float(f"{seconds:.3g}")


def _event(ended: Ended, problem: str) -> StepEvent:
    """What the end of the process means for the step."""
    if ended.outcome in (Outcome.TIMEOUT, Outcome.CPU):
        return StepEvent.TIME_UP
    if ended.outcome is Outcome.CANCELLED:
        return StepEvent.CANCEL
    return StepEvent.BROKE if problem else StepEvent.ENDED
