"""Runs a composition: who is asked next, for how long, and when it is over.

Combinators are functions from knowledge to knowledge, each with a bound and a reason for ending. A step is one actor
process; what it brings goes through :mod:`.handover.intake`. Branches that run at the same time start from the
same knowledge, and what they find is joined in the order of the composition: it does not depend on who is first.
Those of a portfolio tell each other at once (:mod:`.portfolio`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from gia.orchestrator.cores import Cores
from gia.orchestrator.description.composition import Case, Cycle, Node, StepDefinition
from gia.orchestrator.description.conditions import Progress, holds
from gia.orchestrator.description.quantities import Budget, Memory, portion
from gia.orchestrator.facts.knowledge import Knowledge
from gia.orchestrator.facts.verdicts import is_settled, verdict_of
from gia.orchestrator.portfolio import Portfolio
from gia.orchestrator.processes.process import Cancellation
from gia.verdict import StopKind, StopReason

SHORTEST: Final = 0.3
"""Seconds: with less, no actor is started."""

LAST_SHARE: Final = 0.05
"""The share of the time of a run that is kept for what comes last: to examine what the actors have found."""

LAST_SECONDS: Final = 3.0
"""The most that is kept."""

USEFUL: Final = 0.5
"""The share of the time that it took to read the program with less than which a cycle begins no further round: an actor
must read it as well before it can do anything."""

SHORT_ROUND: Final = 0.1
"""Nor one that would have less than this share of the time of the round before."""

LAST_ROUND: Final = 1.5
"""If a cycle has time for less than so many of its next rounds, that one gets all of it: to begin another costs more
than it brings."""


class Scope(Struct, frozen=True):
    """What surrounds a node: its name in the journal, what it may use up, the rounds of the cycles around it.

    ``deadline`` is a value of :func:`time.monotonic`; ``cpu`` is in seconds and ``memory`` in bytes, ``None`` for no
    bound. ``portfolio`` is the innermost one: what runs beside it looks for the same.
    ``stretch`` is how many times as long as usual growing steps may take in this round. ``cores`` are those of the run;
    a step occupies so many of them.
    """

    place: str
    deadline: float
    cores: Cores
    round: int = 1
    before_round: int = 0
    cancellations: tuple[Cancellation, ...] = ()
    cpu: float | None = None
    memory: int | None = None
    portfolio: Portfolio | None = None
    stretch: float = 1.0
    occupied: int = 0

    @property
    def left(self) -> float:
        """Seconds that are left, never negative."""
        return max(0.0, self.deadline - monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether somebody has thrown a switch."""
        return any(cancellation.thrown for cancellation in self.cancellations)

    def after(self, used: float) -> Scope:
        """The scope when so many seconds of CPU time are used up."""
        return self if self.cpu is None else replace(self, cpu=max(0.0, self.cpu - used))


class Done(Struct, frozen=True):
    """What came out of a node. ``limited``: some actor ended because its time was up, and might find more with more.

    ``cpu`` is the CPU time that its actors used, in seconds.
    """

    knowledge: Knowledge
    stop: StopReason
    limited: bool = False
    cpu: float = 0.0


class Shares(Struct, frozen=True):
    """The shares of time and of CPU time that the earlier parts of a sequence had."""

    time: float = 0.0
    cpu: float = 0.0


_NOTHING_GIVEN: Final = Shares()


AskActor = Callable[[str, StepDefinition, Scope, Knowledge], Done]
"""Runs one step (its name, what it is) in a scope, whose budgets are the step's."""


class Engine:
    """One run of one composition.

    ``started`` and ``deadline`` are values of :func:`time.monotonic`, ``cpu`` is in seconds and ``memory`` in bytes.
    Actors end a little before the deadline, so that there is time to examine what they have found.
    ``settle`` looks at what branches have found together: there may be more in it than in each alone.
    ``preparation`` are the seconds that it took to read the program. The compiler takes half to two thirds of that,
    so that a tester with less would find nothing: in the first rounds, a step whose time grows has at least as much.
    ``giving_way`` are the steps that stop for a while, where they are in a portfolio, when others wait for their cores.
    """

    def __init__(
        self,
        steps: dict[str, StepDefinition],
        ask: AskActor,
        *,
        started: float,
        deadline: float,
        cores: int,
        cpu: float | None = None,
        memory: int | None = None,
        settle: Callable[[Knowledge], Knowledge] = lambda joined: joined,
        preparation: float = 0.0,
        giving_way: Collection[str] = (),
    ) -> None:
        self._steps = steps
        self._ask = ask
        self._started = started
        self._seconds = deadline - started
        self._deadline = deadline - min(LAST_SECONDS, LAST_SHARE * self._seconds)
        self._cores = Cores(cores)
        self._cpu = cpu
        self._memory = memory
        self._settle = settle
        self._preparation = preparation
        self._giving_way = giving_way

    def run(self, node: Node, knowledge: Knowledge, cancellation: Cancellation) -> Done:
        """Runs the composition from what is known."""
        whole = Scope(
            "run", self._deadline, self._cores, cancellations=(cancellation,), cpu=self._cpu, memory=self._memory
        )
        return self._node(node, whole, "", knowledge)

    def _within(self, node: Node, scope: Scope, name: object, given: Shares) -> Scope:
        """The scope of a part: what it gets of the budgets of what encloses it."""
        time, cpu = self._budgets(node, scope)
        seconds = portion(time, scope.left, given.time)
        cpu_left = scope.cpu
        if cpu_left is not None:
            cpu_left = portion(cpu, cpu_left, given.cpu)
        elif cpu.seconds is not None or cpu.share is not None:
            cpu_left = cpu.of(scope.left if cpu.seconds is None else cpu.seconds)
        place = f"{scope.place}/{name}" if name != "" else scope.place
        return replace(scope, place=place, deadline=min(scope.deadline, monotonic() + seconds), cpu=cpu_left)

    def _budgets(self, node: Node, scope: Scope) -> tuple[Budget, Budget]:
        """Time and CPU time of the node, else of its step, grown to this round; without both, all that there is."""
        definition = self._steps[node.step] if node.step is not None else None
        if definition is None:
            return node.time or Budget(), node.cpu or Budget()
        factor = definition.growth ** (scope.round - 1)
        if definition.growth > 1:
            factor *= scope.stretch
        time, cpu = definition.time or Budget(), definition.cpu or Budget()
        time = time.grown(factor)
        if definition.growth > 1 and time.seconds is not None:
            time = Budget(seconds=max(time.seconds, self._preparation))
        return node.time or time, node.cpu or cpu.grown(factor)

    def _node(
        self,
        node: Node,
        scope: Scope,
        name: object,
        knowledge: Knowledge,
        given: Shares = _NOTHING_GIVEN,
    ) -> Done:
        """Runs a part of what ``scope`` surrounds, under its name there."""
        if node.step is not None:
            return self._step(node, scope, name, knowledge, given)
        inside = self._within(node, scope, name, given)
        stopped = self._stopped(inside, knowledge)
        if stopped is not None:
            return Done(knowledge, stopped)
        if node.sequence is not None:
            return self._sequence(node.sequence, inside, knowledge)
        if node.cycle is not None:
            return self._cycle(node.cycle, inside, knowledge)
        if node.choice is not None:
            return self._choice(node.choice, inside, knowledge)
        if node.portfolio is not None:
            return self._together(node.portfolio, inside, knowledge, first_wins=True)
        return self._together(node.parallel or (), inside, knowledge, first_wins=False)

    def _step(self, node: Node, scope: Scope, name: object, knowledge: Knowledge, given: Shares) -> Done:
        """Asks an actor when there are cores for it; its time begins then."""
        step = str(node.step)
        definition = self._steps[step]
        seconds = self._within(node, scope, name, given).left
        with self._cores.taken(definition.cores, seconds) as occupied:
            inside = replace(self._within(node, scope, name, given), occupied=occupied)
            if inside.portfolio is not None:
                knowledge = inside.portfolio.joined(knowledge)
            stopped = self._stopped(inside, knowledge)
            if stopped is not None:
                return Done(knowledge, stopped)
            place = f"{inside.place}/{step}"
            memory = memory_of(definition.memory, scope.memory)
            done = self._ask(step, definition, replace(inside, place=place, memory=memory), knowledge)
        return done if scope.portfolio is None else replace(done, knowledge=scope.portfolio.joined(done.knowledge))

    def _stopped(self, scope: Scope, knowledge: Knowledge) -> StopReason | None:
        """Why nothing more is to be done; ``None`` if something is."""
        if scope.cancelled:
            return StopReason(StopKind.CANCELLED)
        if is_settled(knowledge):
            return StopReason(StopKind.DECIDED)
        if self._deadline - monotonic() < SHORTEST:
            return self._time_over(scope)
        if scope.cpu is not None and scope.cpu < SHORTEST:
            return StopReason(StopKind.CPU)
        return None

    def _time_over(self, scope: Scope) -> StopReason:
        """That the time of the run is over, or that of a part of it."""
        if self._deadline - max(scope.deadline, monotonic()) >= SHORTEST:
            return StopReason(StopKind.TIME, detail="of the cycle")
        return StopReason(StopKind.TIME, round(self._seconds, 3))

    def _sequence(self, nodes: Sequence[Node], scope: Scope, knowledge: Knowledge) -> Done:
        done = Done(knowledge, StopReason(StopKind.EXHAUSTED))
        given = Shares()
        for index, node in enumerate(nodes):
            part = self._node(node, scope.after(done.cpu), index, done.knowledge, given)
            done = Done(part.knowledge, part.stop, done.limited or part.limited, done.cpu + part.cpu)
            time, cpu = self._budgets(node, scope)
            given = Shares(given.time + (time.share or 0.0), given.cpu + (cpu.share or 0.0))
        return done

    def _cycle(self, cycle: Cycle, scope: Scope, knowledge: Knowledge) -> Done:
        """Rounds until the condition holds, nothing is open, time is up, or a round has shown that more are useless."""
        used = expected = 0.0
        growth = self._growth(cycle.body)
        for number in range(1, cycle.max_rounds + 1):
            before, begun = knowledge, monotonic()
            inside = replace(
                scope.after(used),
                place=f"{scope.place}/{number}",
                round=number,
                before_round=len(before.open_goals),
                stretch=stretch_of_round(expected, scope.left),
            )
            done = self._sequence(cycle.body, inside, knowledge)
            knowledge, used = done.knowledge, used + done.cpu
            took = monotonic() - begun
            reason = self._end_of_cycle(cycle, scope.after(used), inside, before, done)
            if reason is None and scope.left < max(SHORTEST, USEFUL * self._preparation, SHORT_ROUND * took):
                reason = self._time_over(scope)
            if reason is not None:
                return Done(knowledge, reason, done.limited or reason.kind is StopKind.TIME, used)
            expected = growth * took
        return Done(knowledge, StopReason(StopKind.ROUNDS, cycle.max_rounds), done.limited, used)

    def _growth(self, nodes: Iterable[Node]) -> float:
        """How many times longer the next round of these parts may take."""
        found = 1.0
        for node in nodes:
            own = self._steps[node.step].growth if node.step is not None else 1.0
            found = max(found, own, self._growth(child for _, child in node.children()))
        return found

    def _end_of_cycle(
        self, cycle: Cycle, scope: Scope, round_: Scope, before: Knowledge, done: Done
    ) -> StopReason | None:
        """Why a cycle ends after this round; ``None`` if it goes on."""
        knowledge = done.knowledge
        stopped = self._stopped(scope, knowledge)
        if stopped is not None:
            return stopped
        if cycle.until is not None and holds(cycle.until, self._progress(round_, knowledge, round_.round)):
            return StopReason(StopKind.EXHAUSTED, round_.round, "the condition of the cycle holds")
        if knowledge.open_goals == before.open_goals and not done.limited and knowledge.automaton == before.automaton:
            return StopReason(StopKind.NO_PROGRESS, round_.round)
        return None

    def _choice(self, cases: Sequence[Case], scope: Scope, knowledge: Knowledge) -> Done:
        progress = self._progress(scope, knowledge, scope.round - 1)
        for index, case in enumerate(cases):
            if case.when is None or holds(case.when, progress):
                return self._node(case.do, scope, index, knowledge)
        return Done(knowledge, StopReason(StopKind.EXHAUSTED, detail="no case of the choice applies"))

    def _together(self, nodes: Sequence[Node], scope: Scope, knowledge: Knowledge, *, first_wins: bool) -> Done:
        """All at the same time; with ``first_wins``, the first that leaves no goal open ends the others.

        Then, what one has found the others start from in their next steps.
        Each branch may use an equal part of CPU time, and of memory as many parts as steps can run at the same time, so
        that together they keep to what there is; who gives way to others keeps its memory.
        """
        in_memory = self._cores.total + (sum(map(self._gives_way, nodes)) if first_wins else 0)
        running = min(len(nodes), in_memory)
        each = replace(
            scope,
            cpu=scope.cpu / len(nodes) if scope.cpu is not None else None,
            memory=scope.memory // running if scope.memory is not None else None,
        )
        portfolio = Portfolio(knowledge) if first_wins else None
        with Cancellation() as others, ThreadPoolExecutor(len(nodes)) as pool:
            inside = replace(each, cancellations=(*scope.cancellations, others), portfolio=portfolio)

            def branch(index: int, node: Node) -> Done:
                try:
                    done = self._node(node, inside, index, knowledge)
                except BaseException:
                    others.throw()
                    raise
                if portfolio is not None:
                    done = replace(done, knowledge=portfolio.joined(done.knowledge))
                    if is_settled(done.knowledge):
                        others.throw()
                return done

            futures = [pool.submit(branch, index, node) for index, node in enumerate(nodes)]
            try:
                finished = [future.result() for future in futures]
            except BaseException:  # as it ends all that encloses this, whoever looks at these switches may know now
                for cancellation in inside.cancellations:
                    cancellation.throw()
                raise
        found = [done.knowledge for done in finished] if portfolio is None else [portfolio.known]
        joined = self._settle(knowledge.joined(found))
        stop = self._stopped(scope, joined) or finished[0].stop
        return Done(joined, stop, any(done.limited for done in finished), sum(done.cpu for done in finished))

    def _gives_way(self, node: Node) -> bool:
        """Whether it has a step that does."""
        return node.step in self._giving_way or any(self._gives_way(child) for _, child in node.children())

    def _progress(self, scope: Scope, knowledge: Knowledge, rounds: int) -> Progress:
        left_open = len(knowledge.open_goals)
        return Progress(
            open_goals=left_open,
            new_facts=max(0, scope.before_round - left_open),
            rounds=rounds,
            used=monotonic() - self._started,
            total=self._seconds,
            verdict=verdict_of(knowledge),
            cores=self._cores.total,
            giving_way=self._giving_way,
        )


def stretch_of_round(expected: float, left: float) -> float:
    """How many times as long as ``expected`` (0: not known) a round takes that uses up the seconds that are left.

    1 if there is time for another one after it; less than 1 if there is not enough: else who comes first in the round
    would leave nothing to the others.
    """
    return left / expected if expected and left < LAST_ROUND * expected else 1.0


def memory_of(wanted: Memory | None, available: int | None) -> int | None:
    """The bytes that a step may use: a share of an unbounded run is one of the machine's memory."""
    if wanted is None:
        return available
    if available is None and wanted.amount is not None:
        return wanted.amount
    return wanted.of(available if available is not None else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
