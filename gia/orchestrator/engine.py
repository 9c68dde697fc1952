"""Runs a composition: who is asked next, for how long, and when it is over.

Combinators are functions from knowledge to knowledge, each with a bound and a reason for ending. A step is one actor
process; what it brings goes through :mod:`gia.orchestrator.intake`. Branches that run at the same time start from the
same knowledge, and what they find is joined in the order of the composition: it does not depend on who is first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from gia.orchestrator.composition import Case, Cycle, Node, StepDefinition
from gia.orchestrator.conditions import Progress, holds
from gia.orchestrator.knowledge import Knowledge
from gia.orchestrator.process import Cancellation
from gia.orchestrator.quantities import Budget
from gia.orchestrator.verdicts import is_settled, verdict_of
from gia.verdict import StopKind, StopReason

SHORTEST: Final = 0.3
"""Seconds: with less, no actor is started."""


@dataclass(frozen=True)
class Scope:
    """What surrounds a node: its name in the journal, when its time ends, the rounds of the cycles around it."""

    place: str
    deadline: float
    round: int = 1
    before_round: int = 0
    cancellations: tuple[Cancellation, ...] = ()

    @property
    def left(self) -> float:
        """Seconds that are left, never negative."""
        return max(0.0, self.deadline - monotonic())

    @property
    def cancelled(self) -> bool:
        """Whether somebody has thrown a switch."""
        return any(cancellation.thrown for cancellation in self.cancellations)


@dataclass(frozen=True, slots=True)
class Done:
    """What came out of a node. ``limited``: some actor ended because its time was up, and might find more with more."""

    knowledge: Knowledge
    stop: StopReason
    limited: bool = False


AskActor = Callable[[str, StepDefinition, Scope, Knowledge], Done]
"""Runs one step (its name, what it is) in a scope, whose time is the step's."""


class Engine:
    """One run of one composition. ``started`` and ``deadline`` are values of :func:`time.monotonic`."""

    def __init__(
        self, steps: dict[str, StepDefinition], ask: AskActor, *, started: float, deadline: float, cores: int
    ) -> None:
        self._steps = steps
        self._ask = ask
        self._started = started
        self._deadline = deadline
        self._cores = threading.BoundedSemaphore(max(1, cores))

    def run(self, node: Node, knowledge: Knowledge, cancellation: Cancellation) -> Done:
        """Runs the composition from what is known."""
        whole = Scope("run", self._deadline, cancellations=(cancellation,))
        return self._node(node, self._within(node, whole, ""), knowledge)

    def _within(self, node: Node, scope: Scope, name: object, given: float = 0.0) -> Scope:
        """The scope of a part. ``given`` are the shares that parts before it had: what they left over is passed on."""
        budget = self._budget(node, scope.round)
        seconds = scope.left
        if budget.seconds is not None:
            seconds = budget.seconds
        elif budget.share is not None:
            seconds = scope.left * min(1.0, budget.share / max(budget.share, 1.0 - given))
        place = f"{scope.place}/{name}" if name != "" else scope.place
        return replace(scope, place=place, deadline=min(scope.deadline, monotonic() + seconds))

    def _budget(self, node: Node, number: int) -> Budget:
        """The node's own budget, else its step's, grown to this round; without both, all of the time."""
        if node.time is not None:
            return node.time
        definition = self._steps[node.step] if node.step is not None else None
        if definition is None or definition.time is None:
            return Budget()
        factor = definition.growth ** (number - 1)
        if definition.time.seconds is not None:
            return Budget(seconds=definition.time.seconds * factor)
        return Budget(share=min(1.0, (definition.time.share or 0.0) * factor))

    def _node(self, node: Node, scope: Scope, knowledge: Knowledge) -> Done:
        stopped = self._stopped(scope, knowledge)
        if stopped is not None:
            return Done(knowledge, stopped)
        if node.step is not None:
            place = replace(scope, place=f"{scope.place}/{node.step}")
            with self._cores:
                return self._ask(node.step, self._steps[node.step], place, knowledge)
        if node.sequence is not None:
            return self._sequence(node.sequence, scope, knowledge)
        if node.cycle is not None:
            return self._cycle(node.cycle, scope, knowledge)
        if node.choice is not None:
            return self._choice(node.choice, scope, knowledge)
        if node.portfolio is not None:
            return self._together(node.portfolio, scope, knowledge, first_wins=True)
        return self._together(node.parallel or (), scope, knowledge, first_wins=False)

    def _stopped(self, scope: Scope, knowledge: Knowledge) -> StopReason | None:
        """Why nothing more is to be done; ``None`` if something is."""
        if scope.cancelled:
            return StopReason(StopKind.CANCELLED)
        if is_settled(knowledge):
            return StopReason(StopKind.DECIDED)
        if self._deadline - monotonic() < SHORTEST:
            return StopReason(StopKind.TIME, round(self._deadline - self._started, 3))
        return None

    def _sequence(self, nodes: Sequence[Node], scope: Scope, knowledge: Knowledge) -> Done:
        stop = StopReason(StopKind.EXHAUSTED)
        limited = False
        given = 0.0
        for index, node in enumerate(nodes):
            done = self._node(node, self._within(node, scope, index, given), knowledge)
            knowledge, stop, limited = done.knowledge, done.stop, limited or done.limited
            given += self._budget(node, scope.round).share or 0.0
        return Done(knowledge, stop, limited)

    def _cycle(self, cycle: Cycle, scope: Scope, knowledge: Knowledge) -> Done:
        """Rounds until the condition holds, nothing is open, time is up, or a round has shown that more are useless."""
        limited = False
        for number in range(1, cycle.max_rounds + 1):
            before = len(knowledge.open_goals)
            inside = replace(scope, place=f"{scope.place}/{number}", round=number, before_round=before)
            done = self._sequence(cycle.body, inside, knowledge)
            knowledge, limited = done.knowledge, done.limited
            stopped = self._stopped(scope, knowledge)
            if stopped is not None:
                return Done(knowledge, stopped, limited)
            if cycle.until is not None and holds(cycle.until, self._progress(inside, knowledge, number)):
                reason = StopReason(StopKind.EXHAUSTED, number, "the condition of the cycle holds")
                return Done(knowledge, reason, limited)
            if scope.left < SHORTEST:
                return Done(knowledge, StopReason(StopKind.TIME, detail="of the cycle"), True)
            if len(knowledge.open_goals) == before and not limited:
                return Done(knowledge, StopReason(StopKind.NO_PROGRESS, number), limited)
        return Done(knowledge, StopReason(StopKind.ROUNDS, cycle.max_rounds), limited)

    def _choice(self, cases: Sequence[Case], scope: Scope, knowledge: Knowledge) -> Done:
        progress = self._progress(scope, knowledge, scope.round - 1)
        for index, case in enumerate(cases):
            if case.when is None or holds(case.when, progress):
                return self._node(case.do, self._within(case.do, scope, index), knowledge)
        return Done(knowledge, StopReason(StopKind.EXHAUSTED, detail="no case of the choice applies"))

    def _together(self, nodes: Sequence[Node], scope: Scope, knowledge: Knowledge, *, first_wins: bool) -> Done:
        """All at the same time; with ``first_wins``, the first that leaves no goal open ends the others."""
        with Cancellation() as others, ThreadPoolExecutor(len(nodes)) as pool:

            def branch(index: int, node: Node) -> Done:
                inside = self._within(node, scope, index)
                inside = replace(inside, cancellations=(*inside.cancellations, others))
                try:
                    done = self._node(node, inside, knowledge)
                except BaseException:
                    others.throw()
                    raise
                if first_wins and is_settled(done.knowledge):
                    others.throw()
                return done

            futures = [pool.submit(branch, index, node) for index, node in enumerate(nodes)]
            try:
                finished = [future.result() for future in futures]
            except BaseException:
                others.throw()
                raise
        joined = knowledge.joined(done.knowledge for done in finished)
        stop = self._stopped(scope, joined) or finished[0].stop
        return Done(joined, stop, any(done.limited for done in finished))

    def _progress(self, scope: Scope, knowledge: Knowledge, rounds: int) -> Progress:
        left_open = len(knowledge.open_goals)
        return Progress(
            open_goals=left_open,
            new_facts=max(0, scope.before_round - left_open),
            rounds=rounds,
            used=monotonic() - self._started,
            total=self._deadline - self._started,
            verdict=verdict_of(knowledge),
        )
