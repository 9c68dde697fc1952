"""Every claim of a GIA file, executed or checked on its program: what ``gia check --program`` does."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from time import monotonic

from msgspec import Struct

from gia.automaton.model import Automaton
from gia.checker import (
    CheckReport,
    ClaimResult,
    Exclusion,
    Outcome,
    Reached,
    certify,
    check_exclusions,
    check_reached,
    claims_beyond,
)
from gia.checker.counterexample import concrete_counterexample
from gia.exchange.suites.reading_tests import tests_of
from gia.orchestrator.facts.knowledge import ExecutedTest, claimed_goals
from gia.orchestrator.facts.replay import Replayer, goals_promised, promises_of
from gia.orchestrator.facts.task import Task
from gia.orchestrator.handover.intake import only_unreachable


class ClaimReport(Struct, frozen=True):
    """What became of the claims of a GIA file.

    ``tests`` were executed, ``promised`` are the goals that the file says they reach. ``reached`` is what
    became of the ``rt`` claims on more than what was executed, ``proofs`` of the claims that goals are unreachable,
    ``exclusions`` of the single ``ut`` claims. ``examples`` has executions that take what is claimed impossible, by the
    numbers of the edges.
    """

    task: Task
    tests: tuple[ExecutedTest, ...]
    promised: tuple[frozenset[str], ...]
    reached: tuple[Reached, ...]
    proofs: CheckReport
    exclusions: tuple[Exclusion, ...]
    examples: Mapping[frozenset[int], str]

    @property
    def correct(self) -> bool:
        """Whether the file is correct in the sense of Definition 4: every claim is true of every path."""
        return self.confirmed and not any(found.wider for found in self.reached)

    @property
    def confirmed(self) -> bool:
        """Whether every claim was executed or certified. An ``rt`` claim may describe infeasible paths as well."""
        return (
            all(found.outcome is Outcome.CERTIFIED for found in self.reached)
            and all(promised <= test.reached for test, promised in zip(self.tests, self.promised, strict=True))
            and all(result.outcome is Outcome.CERTIFIED for result in self.proofs.results)
            and all(found.outcome is Outcome.CERTIFIED for found in self.exclusions)
        )

    def lines(self) -> Iterator[str]:
        """One line for each claim, and the numbers."""
        places = {goal.id: f"{goal.file}:{goal.line}:{goal.column}" for goal in self.task.goals}
        reached = {goal for test in self.tests for goal in test.reached}
        yield from self._about_tests(places, reached)
        for result in self.proofs.results:
            contradicted = " BUT a test reaches it" if result.goal.id in reached else ""
            what = f"{places[result.goal.id]}  {result.goal.id}"
            yield f"{result.outcome.value:<12} {what}{self._why(result)}{contradicted}"
        for found in self.exclusions:
            if found.outcome is not Outcome.CERTIFIED:
                edge = self.task.program.edge_list[found.edge]
                step = f"q{found.transition.source} -> q{found.transition.target}"
                what = f"the paths excluded by {step} on {edge.text or edge.reference.kind}"
                yield f"{found.outcome.value:<12} {edge.position}  {what}{self._why(found)}"
        yield from (f"remark: {remark}" for remark in self.proofs.remarks)
        certified = len(self.proofs.certified)
        yield (
            f"{len(self.tests)} tests executed, they reach {len(reached)} goals; "
            f"{certified} of {len(self.proofs.results)} claims that a goal is unreachable are certified"
        )
        sure = sum(found.outcome is Outcome.CERTIFIED for found in self.exclusions)
        yield f"{sure} of {len(self.exclusions)} claims that paths are excluded are certified"
        wide = "" if self.correct else ", but some describe paths as well that no execution takes"
        yield (
            f"every claim is executed or certified{wide}"
            if self.confirmed
            else "not every claim is executed or certified"
        )

    def _about_tests(self, places: Mapping[str, str], reached: Collection[str]) -> Iterator[str]:
        for number, (test, promised) in enumerate(zip(self.tests, self.promised, strict=True), start=1):
            for missed in sorted(promised - test.reached):
                why = f"test {number} with {test} was executed and does not reach it"
                yield f"wrong        {places[missed]}  {missed}: {why}"
        for goal in self.task.goals:
            if goal.id in reached:
                yield f"executed     {places[goal.id]}  {goal.id}"
        for claim in self.reached:
            edge = self.task.program.by_reference.get(min(claim.edges)) if claim.edges else None
            where = (
                f"{edge.position}  the paths reached over {edge.text or edge.reference.kind}" if edge else "every path"
            )
            wider = f"; {claim.wider}" if claim.wider else ""
            yield f"{claim.outcome.value:<12} {where}: {claim.reason}{wider}"

    def _why(self, found: ClaimResult | Exclusion) -> str:
        """Why a claim is not certified, with an execution against it if one is known."""
        edges = found.goal.edges if isinstance(found, ClaimResult) else frozenset({found.edge})
        reasons = [text for text in (self.examples.get(edges, ""), found.reason) if text]
        return f": {'; '.join(reasons)}" if reasons else ""


MOST_EXAMPLES = 10
"""For so many refuted claims an execution is looked for that shows it."""


def check_claims(task: Task, automaton: Automaton, seconds: float) -> ClaimReport:
    """Executes the tests and checks the evidence, for at most so many seconds of checking."""
    found = tests_of(automaton, task.program)
    with tempfile.TemporaryDirectory(prefix="gia-") as scratch:
        folder = Path(scratch)
        cases, promises = [test.case for test in found], promises_of(task, found)
        followed = Replayer(task, folder).follow(cases, folder / "tests", promises) if found else ()
    executed = tuple(test for test, _ in followed)
    promised = tuple(goals_promised(task, test) for test in found)
    deadline = monotonic() + seconds
    excluding = only_unreachable(automaton)
    claimed = claimed_goals(task, excluding)
    goals = [goal for goal in task.goals if goal.id in claimed]
    half = monotonic() + seconds / 2
    report = certify(task.program, excluding, goals, deadline=half) if goals else CheckReport(())
    exclusions = check_exclusions(task.program, excluding, task.goals, deadline=deadline)
    refuted = [r.goal.edges for r in report.results if r.outcome is Outcome.REFUTED]
    refuted += [frozenset({e.edge}) for e in exclusions if e.outcome is Outcome.REFUTED]
    examples = {
        edges: concrete_counterexample(task.program, excluding, edges, deadline)
        for edges in list(dict.fromkeys(refuted))[:MOST_EXAMPLES]
    }
    beyond = claims_beyond(automaton, [test.automaton for test in executed])
    reached = check_reached(
        task.program, beyond, [run for _, run in followed], task.goal_of_edge.keys(), deadline=deadline
    )
    return ClaimReport(task, executed, promised, reached, report, exclusions, examples)
