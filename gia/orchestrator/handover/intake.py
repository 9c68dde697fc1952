"""What an actor wrote is evidence to be examined, not the truth (DESIGN §8).

Of a UA actor only tests are taken, and of those what their execution shows; of an OA actor only the ``ut`` part, with a
note on each goal whether the checker accepts its evidence. Everything else is refused with a remark.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gia.automaton.initial import excluding_gia
from gia.automaton.model import ANY, Acceptance, Automaton, State
from gia.automaton.trimming import trim
from gia.automaton.wellformed import violations
from gia.errors import DocumentError, GiaError
from gia.exchange.gia_xml import read_gia
from gia.exchange.suites.reading_tests import tests_of
from gia.exchange.suites.testcase import TestCase
from gia.orchestrator.description.actor import Product
from gia.orchestrator.facts.knowledge import (
    ExecutedTest,
    Knowledge,
    Proof,
    claimed_goals,
    edges_of,
    without_claims,
)
from gia.orchestrator.facts.replay import NO_PROMISES, Promises, Replayer, promises_of
from gia.orchestrator.facts.task import Task
from gia.orchestrator.handover.invocation import Call

REPLAYED = "executed-tests"


class Facts(Struct, frozen=True):
    """What stood the examination, remarks about what did not, and whether there was anything to examine.

    ``candidates`` are the paths that the actor wants others to look at; ``None`` if it has left no automaton.
    ``refuted`` are goals that it claims, and that the checker has found a way to from the start of the program.
    """

    tests: tuple[ExecutedTest, ...] = ()
    proof: Proof | None = None
    remarks: tuple[str, ...] = ()
    usable: bool = True
    candidates: Automaton | None = None
    refuted: frozenset[str] = frozenset()

    def followed_by(self, later: Facts) -> Facts:
        """The facts of one product together with those of the next.

        Of two proofs the stronger one is kept. A bare claim stays if the evidence for it is too weak, not if it is
        wrong.
        """
        refuted = self.refuted | later.refuted
        proofs = [proof for proof in (later.proof, self.proof) if proof is not None and not proof.claimed & refuted]
        return Facts(
            self.tests + later.tests,
            max(proofs, key=lambda proof: (len(proof.certified), len(proof.claimed)), default=None),
            self.remarks + later.remarks,
            candidates=later.candidates or self.candidates,
            refuted=refuted,
        )


def examine(call: Call, knowledge: Knowledge, replayer: Replayer, step: str, deadline: float) -> Facts:
    """Reads all products of a call and examines them.

    ``deadline`` bounds the checking of proofs, and the execution of tests that bring nothing new.
    """
    examination = _Examination(call, knowledge, replayer, step, deadline)
    found = Facts(usable=False)
    for product in call.actor.description.produces:
        paths = call.files(product)
        if not paths:
            if not product.optional:
                found = replace(found, remarks=(*found.remarks, f"it has not written {product.path}"))
            continue
        try:
            facts = examination.product(product, paths)
        except GiaError as error:
            found = replace(found, remarks=(*found.remarks, f"{product.path} is refused: {_first_line(error)}"))
            continue
        found = found.followed_by(facts)
    holding = [product for product in call.actor.description.produces if _holds(product)]
    tester = call.actor.description.direction == "UA"
    if tester and holding and not found.remarks and not any(call.files(product) for product in holding):
        found = replace(found, remarks=("it has left no tests",))
    return found


def _holds(product: Product) -> bool:
    """Whether a product can hold anything that decides a goal: an answer alone does not, next to tests."""
    return product.type != "verdict"


def _first_line(error: GiaError) -> str:
    return str(error).splitlines()[0]


class _Examination(Struct, frozen=True):
    """The examination of one call."""

    call: Call
    knowledge: Knowledge
    replayer: Replayer
    step: str
    deadline: float

    @property
    def task(self) -> Task:
        """The task of the run."""
        return self.knowledge.task

    @property
    def actor(self) -> str:
        """Who wrote it."""
        return self.call.actor.name

    def product(self, product: Product, paths: Sequence[Path]) -> Facts:
        """Examines one product. Raises :class:`GiaError` if it cannot be used at all."""
        if product.type == "gia":
            return self.automaton(read_gia(paths[0], product.path))
        from gia.orchestrator.handover.products import Reading, read_product  # noqa: PLC0415 - it knows many formats

        reading = Reading(product, paths, self.call, self.knowledge, self.replayer, self.deadline)
        try:
            findings = read_product(reading)
        except OSError as error:
            raise GiaError(f"it cannot be read: {error.strerror}") from None
        direction = self.call.actor.description.direction
        remarks = findings.remarks
        if product.type == "violation-witness":  # a candidate, which anybody may propose: its execution decides
            facts = self.tests(findings.tests)
            candidates = None if facts.tests else findings.candidates
            return replace(facts, remarks=remarks + facts.remarks, candidates=candidates)
        if findings.tests and direction == "OA":
            remarks = (*remarks, "it is an OA actor: the tests that it claims are refused")
        if findings.unreachable and direction == "UA":
            remarks = (*remarks, "it is a UA actor: its claims that goals cannot be reached are refused")
        if direction == "UA":
            facts = self.tests(findings.tests)
        elif findings.evidence is not None:
            facts = self.proof(findings.evidence, claimed_goals(self.task, findings.evidence))
        else:
            facts = self.claims(findings.unreachable)
        return replace(facts, remarks=remarks + facts.remarks)

    def automaton(self, automaton: Automaton) -> Facts:
        """Examines a GIA."""
        if automaton.metadata.sha256 != self.task.program.sha256:
            raise DocumentError(f"it was made for another program ({automaton.metadata.sha256[:12] or 'unknown'})")
        wrong = violations(automaton)
        if wrong:
            raise DocumentError(f"it is not well-formed: {wrong[0]}")
        return replace(self._claims_of(automaton), candidates=candidate_paths(automaton))

    def _claims_of(self, automaton: Automaton) -> Facts:
        """Examines what a GIA says is so."""
        claimed = claimed_goals(self.task, automaton)
        tests = tests_of(automaton, self.task.program)
        cases = tuple(test.case for test in tests)
        if self.call.actor.description.direction == "UA":
            new = self._not_yet_unreachable(claimed)
            facts = self.tests(cases, promises_of(self.task, tests))
            if new:
                refused = f"it is a UA actor: its claim that {_some(new)} cannot be reached is refused"
                facts = replace(facts, remarks=(*facts.remarks, refused))
            return facts
        known = {test.case.inputs for test in self.knowledge.tests}
        facts = self.proof(only_unreachable(automaton), claimed)
        if any(case.inputs not in known for case in cases):
            facts = replace(facts, remarks=(*facts.remarks, "it is an OA actor: the tests that it claims are refused"))
        proposed = tests_of(as_claims(automaton), self.task.program)
        return replace(facts, tests=self.tests(tuple(test.case for test in proposed), remark=False).tests)

    def _not_yet_unreachable(self, claimed: frozenset[str]) -> list[str]:
        known = {goal for proof in self.knowledge.proofs for goal in proof.claimed}
        return sorted(claimed - known)

    def tests(self, cases: tuple[TestCase, ...], promises: Promises = NO_PROMISES, *, remark: bool = True) -> Facts:
        """Runs the tests that are new; one is remarked upon if nothing reaches a goal that it was to reach.

        New is also one that promises more than was seen: an execution may have ended early.
        """
        known = {test.case.inputs: test.reached for test in self.knowledge.tests}
        covered = frozenset().union(*known.values())

        def is_new(case: TestCase) -> bool:
            promised = promises.get(case.inputs, frozenset())
            if case.then_zeros:  # how many is not known before it is executed
                return not promised or not promised <= covered
            return case.inputs not in known or not promised <= known[case.inputs]

        new = {case.inputs: case for case in cases if is_new(case)}
        if not new:
            return Facts()
        foreign = self.call.actor.description.gia == "none"
        executed = self.replayer.replay(
            tuple(new.values()),
            self.call.folder / REPLAYED,
            self.actor,
            as_read=foreign,
            promises=promises,
            longest=self.call.seconds,
            deadline=self.deadline,
        )
        remarks = []
        reached = covered.union(*(test.reached for test in executed))
        if len(executed) < len(new):
            remarks.append(f"{len(new) - len(executed)} of its tests were not executed: there was no time left")
        for case, test in zip(new.values(), executed, strict=False) if remark else ():
            # In an automaton, what is common to several tests does not say which of them reaches a goal.
            missed = sorted(promises.get(case.inputs, frozenset()) - reached)
            if missed:
                remarks.append(f"its test with {test} was executed and does not reach {_some(missed)}")
            elif not test.reached:
                remarks.append(f"its test with {test} was executed and reaches no goal")
        return Facts(tuple(test for test in executed if test.reached), None, _at_most(remarks))

    def proof(self, automaton: Automaton, claimed: frozenset[str]) -> Facts:
        """Lets the checker look at the claims that are not certified yet.

        Claims without evidence are kept as such, claims with wrong evidence are not. An automaton that excludes paths,
        but no goal, is kept for the actors that come later; it decides nothing.
        """
        if not automaton.accepting(Acceptance.UT):
            return Facts()
        known = frozenset(goal for proof in self.knowledge.proofs for goal in proof.certified)
        new = [goal for goal in self.task.goals if goal.id in claimed - known]
        certified, refuted, wrong = known & claimed, frozenset[str](), frozenset[str]()
        if new:
            from gia.checker import Outcome, certify  # noqa: PLC0415 - it loads a solver

            report = certify(self.task.program, automaton, new, deadline=self.deadline)
            certified |= report.certified
            if any(state.invariant is not None for state in automaton.states):
                against = [result for result in report.results if result.outcome is Outcome.REFUTED]
                refuted = frozenset(result.goal.id for result in against)
                wrong = frozenset(result.goal.id for result in against if result.from_start)
        remarks = (f"its evidence for {_some(sorted(refuted))} does not hold",) if refuted else ()
        kept = claimed - refuted
        if refuted:
            automaton = without_claims(automaton, edges_of(self.task, refuted))
            if not kept or claimed_goals(self.task, automaton) != kept:
                return Facts(remarks=remarks, refuted=wrong)
        return Facts((), Proof(automaton, kept, certified, self.actor, self.step), remarks, refuted=wrong)

    def claims(self, unreachable: frozenset[str]) -> Facts:
        """Goals that are said to be unreachable, without evidence."""
        goals = [goal for goal in self.knowledge.open_goals if goal.id in unreachable]
        if not goals:
            return Facts()
        claim = excluding_gia(self.task.program, (number for goal in goals for number in goal.edges))
        return self.proof(claim, frozenset(goal.id for goal in goals))


def examine_together(knowledge: Knowledge, deadline: float) -> Knowledge:
    """Lets the checker look at the goals that proofs exclude only together, as far as it has not done so yet.

    As for the proofs of one actor, what is not certified is kept as a claim unless its evidence is wrong.
    """
    for proof in [proof for proof in knowledge.proofs if not proof.examined]:
        from gia.checker import Outcome, certify  # noqa: PLC0415 - it loads a solver

        goals = [goal for goal in knowledge.task.goals if goal.id in proof.claimed]
        report = certify(knowledge.task.program, proof.automaton, goals, deadline=deadline)
        refuted = frozenset(result.goal.id for result in report.results if result.outcome is Outcome.REFUTED)
        evidence = any(state.invariant is not None for state in proof.automaton.states)
        knowledge = knowledge.examined(proof, report.certified, refuted if evidence else frozenset())
    return knowledge


def only_unreachable(automaton: Automaton) -> Automaton:
    """The automaton with its ``ut`` states as the only accepting ones: what it claims to be unreachable."""
    return _accepting_only(automaton, Acceptance.UT)


def candidate_paths(automaton: Automaton) -> Automaton:
    """The candidates of an automaton, without tests that are only to be executed."""
    kept = [t for t in automaton.transitions if t.assumption is None or r"\result" not in t.assumption.text]
    return _accepting_only(replace(automaton, transitions=tuple(kept)), Acceptance.CAND)


def as_claims(automaton: Automaton) -> Automaton:
    """The candidates of an automaton that are spelled out, not left on any edge (``*``), as if they were claims.

    The tests that can be read off them are worth executing.
    """
    only = _accepting_only(automaton, Acceptance.CAND)
    kept = [t for t in only.transitions if t.edges is not ANY or only.states[t.source].accept]
    states = tuple(state._replace(accept=Acceptance.RT) if state.accept else state for state in only.states)
    return trim(replace(only, states=states, transitions=tuple(kept)))


def _accepting_only(automaton: Automaton, kind: Acceptance) -> Automaton:
    """The automaton with one kind of accepting states."""
    dropped = frozenset(n for n, state in enumerate(automaton.states) if state.accept not in (None, kind))
    transitions = tuple(t for t in automaton.transitions if t.source not in dropped and t.target not in dropped)
    states = tuple(State() if index in dropped else state for index, state in enumerate(automaton.states))
    return trim(replace(automaton, states=states, transitions=transitions))


def _at_most(remarks: list[str], most: int = 5) -> tuple[str, ...]:
    """The first remarks, and how many more there are."""
    more = len(remarks) - most
    return (*remarks[:most], f"and {more} more of this kind") if more > 0 else tuple(remarks)


def _some(goals: list[str]) -> str:
    return goals[0] if len(goals) == 1 else f"{goals[0]} and {len(goals) - 1} more"
