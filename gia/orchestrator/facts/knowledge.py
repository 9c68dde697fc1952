"""What a run knows: a value that only grows.

Two kinds of facts come in. An :class:`ExecutedTest` was run on the program; nothing can take it back. A
:class:`Proof` is what an over-approximating actor claims; it stands until a test shows one of its claims wrong, and
then goes with all that rests on it (DESIGN §8). The automaton of a run is the combination of all of them: Theorem 3 of
Haltermann & Wehrheim (SoSyM 2024), ``P_rt`` and ``P_ut`` never lose a correct path.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from gia.automaton.model import ANY, Acceptance, Automaton
from gia.automaton.operations import reduce
from gia.automaton.status import unreachable_goals
from gia.cfa.goals import Goal
from gia.cfa.graph import EdgeReference
from gia.combiner import Contradiction, combine, without_decided
from gia.errors import InternalError
from gia.exchange.suites.testcase import TestCase, minimise
from gia.native import Crash, InputValue
from gia.orchestrator.facts.task import Task
from gia.verdict import GoalStatus, Trust

CALL_GRAPH = "call graph"
"""Who decided the goals in functions that are never called."""
CONTROL_FLOW = "control flow"
"""Who decided the goals that are taken, or come to, only under a condition that is a constant and does not hold."""


class ExecutedTest(Struct, frozen=True):
    """A test that was run natively: its inputs, the goals that it reached, its path as a GIA, and who found it.

    ``reads`` are the numbers of the edges on which its inputs were read, as far as they were recorded. ``inputs`` are
    those that it has read.
    """

    case: TestCase
    reached: frozenset[str]
    automaton: Automaton
    actor: str
    reads: tuple[int | None, ...] = ()
    inputs: tuple[InputValue, ...] = ()
    crash: Crash | None = None

    def __str__(self) -> str:
        values = [value for _, value in self.case.inputs]
        shown = ", ".join([*values[:10], *(["…"] if len(values) > 10 else [])])
        return f"the inputs {shown}" if values else "no inputs"


def smallest_suite(tests: Iterable[ExecutedTest]) -> tuple[ExecutedTest, ...]:
    """So few of the tests that they reach all that is reached: short ones first, then those with short values.

    The numbers that people see are places in this order, wherever the tests were read from.
    """
    ordered = sorted(
        tests, key=lambda test: (len(test.case.inputs), sum(map(len, test.case.literals)), test.case.inputs)
    )
    return tuple(ordered[i] for i in minimise([(len(test.case.inputs), test.reached) for test in ordered]))


class Proof(Struct, frozen=True):
    """The ``ut`` part of what an actor wrote: the goals it claims unreachable, and those whose evidence was checked.

    ``automaton`` has no ``rt`` and no ``cand`` state. ``certified`` ⊆ ``claimed``; both are empty if it only excludes
    some of the paths to goals. ``partners`` are all the actors whose proofs exclude the goals only together; then
    ``actor`` lists their names. ``examined``: the checker has looked at it.
    """

    automaton: Automaton
    claimed: frozenset[str]
    certified: frozenset[str]
    actor: str
    step: str
    partners: tuple[str, ...] = ()
    examined: bool = True

    @property
    def actors(self) -> tuple[str, ...]:
        """All whose claims it rests on."""
        return self.partners or (self.actor,)


class Conflict(Struct, frozen=True):
    """An actor claimed what a test refutes: the claim is dropped, and unchecked claims of the actor are as well."""

    actor: str
    step: str
    goals: tuple[str, ...]
    test_actor: str
    detail: str
    partners: tuple[str, ...] = ()

    @property
    def actors(self) -> tuple[str, ...]:
        """Those of whom one at least was wrong."""
        return self.partners or (self.actor,)

    def __str__(self) -> str:
        what = f"that {', '.join(self.goals)} cannot be reached" if self.goals else "that a path is infeasible"
        return f"{self.actor} claimed in {self.step} {what}, but a test of {self.test_actor} does it: {self.detail}"


class Decision(Struct, frozen=True):
    """What is known about one goal. ``test`` is the index of the first test of the suite that reaches it."""

    status: GoalStatus
    by: str | None = None
    trust: Trust | None = None
    test: int | None = None


OPEN = Decision(GoalStatus.OPEN)


class Knowledge(Struct, frozen=True, dict=True):
    """All facts of a run. Built by :func:`nothing_known` and the methods only.

    ``combined`` is the combination of the initial GIA, the proofs and the tests, reduced. No proof claims what a test
    reaches.
    """

    task: Task
    combined: Automaton
    tests: tuple[ExecutedTest, ...] = ()
    proofs: tuple[Proof, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    doubtful: frozenset[str] = frozenset()
    """Goals that proofs exclude only together, on evidence that does not hold."""
    candidates: Mapping[str, Automaton] = field(default_factory=dict)
    """The candidate paths that each actor has proposed last: work for others, and no facts."""

    @cached_property
    def suite(self) -> tuple[ExecutedTest, ...]:
        """So few of the tests that they reach all that is reached, short ones first."""
        return smallest_suite(self.tests)

    @cached_property
    def decisions(self) -> Mapping[str, Decision]:
        """What is known about each goal, in their order; the strongest trust wins, then the first to come."""
        found: dict[str, Decision] = {}
        place = {goal: index for index, test in reversed(list(enumerate(self.suite))) for goal in test.reached}
        for test in self.tests:
            for goal in test.reached:
                found.setdefault(goal, Decision(GoalStatus.COVERED, test.actor, Trust.EXECUTED, place[goal]))
        for trust in (Trust.CERTIFIED, Trust.CLAIMED):
            for proof in self.proofs:
                for goal in proof.certified if trust is Trust.CERTIFIED else proof.claimed:
                    found.setdefault(goal, Decision(GoalStatus.UNREACHABLE, proof.actor, trust))
        return {goal.id: found.get(goal.id, OPEN) for goal in self.task.goals}

    @cached_property
    def open_goals(self) -> tuple[Goal, ...]:
        """The goals that nobody has decided."""
        return tuple(goal for goal in self.task.goals if self.decisions[goal.id].status is GoalStatus.OPEN)

    def count(self, status: GoalStatus) -> int:
        """How many goals have that status."""
        return sum(decision.status is status for decision in self.decisions.values())

    @property
    def distrusted(self) -> frozenset[str]:
        """The actors that have claimed what is not so."""
        return frozenset(actor for conflict in self.conflicts for actor in conflict.actors)

    @cached_property
    def automaton(self) -> Automaton:
        """Everything as one GIA, in which the undecided goals are the candidates."""
        still_open = {goal.id for goal in self.open_goals}
        decided = edges_of(self.task, (goal.id for goal in self.task.goals if goal.id not in still_open))
        proposed = [candidates for _, candidates in sorted(self.candidates.items())]
        known = combine([self.combined, *proposed]) if proposed else self.combined
        return without_decided(known, decided) if decided else known

    def proposing(self, actor: str, candidates: Automaton) -> Knowledge:
        """This with other candidates of an actor in place of those that it had before."""
        others = {name: known for name, known in self.candidates.items() if name != actor}
        if candidates.accepting(Acceptance.CAND):
            others[actor] = candidates
        return self if others == self.candidates else replace(self, candidates=others)

    def extended(self, tests: Iterable[ExecutedTest] = (), proofs: Iterable[Proof] = ()) -> Knowledge:
        """This and the new facts. Tests that reach nothing new are left out; contradictions are settled."""
        covered = {goal for test in self.tests for goal in test.reached}
        new_tests = []
        for test in tests:
            if not test.reached <= covered:
                new_tests.append(test)
                covered |= test.reached
        new_proofs = [proof for proof in proofs if proof not in self.proofs]
        if not new_tests and not new_proofs:
            return self
        return self._with(tuple(new_tests), tuple(new_proofs))

    def examined(self, proof: Proof, certified: frozenset[str], refuted: frozenset[str]) -> Knowledge:
        """This after the evidence of a proof that several actors make together was checked."""
        kept = replace(proof, claimed=proof.claimed - refuted, certified=certified, examined=True)
        proofs = tuple(kept if known == proof else known for known in self.proofs if known != proof or kept.claimed)
        return replace(self, proofs=proofs, doubtful=self.doubtful | refuted)

    def joined(self, others: Iterable[Knowledge]) -> Knowledge:
        """This with all that others have found who started from it, in their order."""
        result = self
        for other in others:
            newer, older = other.continues(result), result.continues(other)
            if newer is not older:
                result = other if newer else result
                continue
            new = tuple(conflict for conflict in other.conflicts if conflict not in result.conflicts)
            doubtful = result.doubtful | other.doubtful
            if new or doubtful != result.doubtful:
                result = replace(result, conflicts=result.conflicts + new, doubtful=doubtful)
            result = result.extended(other.tests, other.proofs)
            candidates = {**result.candidates, **other.candidates}
            result = result if candidates == result.candidates else replace(result, candidates=candidates)
        return result

    def continues(self, earlier: Knowledge) -> bool:
        """Whether this is ``earlier`` with more facts, none of which took one back."""
        return (
            self.tests[: len(earlier.tests)] == earlier.tests
            and self.proofs[: len(earlier.proofs)] == earlier.proofs
            and self.conflicts[: len(earlier.conflicts)] == earlier.conflicts
        )

    def _with(self, new_tests: tuple[ExecutedTest, ...], new_proofs: tuple[Proof, ...]) -> Knowledge:
        """All facts after contradictions are settled: the executed tests stay, wrong claims go."""
        tests, proofs = self.tests + new_tests, self.proofs + new_proofs
        conflicts = tuple(dict.fromkeys([*self.conflicts, *refuted_goals(proofs, tests)]))
        settled = tuple(dict.fromkeys(trusted(self.task, proofs, tests, conflicts)))
        known = settled[: len(self.proofs)] == self.proofs
        parts = [proof.automaton for proof in (settled[len(self.proofs) :] if known else settled)]
        parts += [test.automaton for test in (new_tests if known else tests)]
        try:
            combined = combine([self.combined if known else self.task.initial, *parts])
        except Contradiction as error:
            wrong = refuted_paths(settled, tests)
            if not wrong:
                raise InternalError(f"the executed tests contradict each other: {error.message}") from error
            conflicts += tuple(wrong.values())
            settled = tuple(trusted(self.task, (p for p in settled if p not in wrong), tests, conflicts))
            parts = [*(proof.automaton for proof in settled), *(test.automaton for test in tests)]
            combined = combine([self.task.initial, *parts])
        joint = claimed_together(self.task, settled, tests, self.doubtful)
        proofs = (*settled, *joint)
        return Knowledge(self.task, combined, tests, proofs, conflicts, self.doubtful, self.candidates)


def nothing_known(task: Task) -> Knowledge:
    """The start of a run."""
    return Knowledge(task, reduce(task.initial))


def edges_of(task: Task, goals: Iterable[str]) -> frozenset[EdgeReference]:
    """The edges of the goals with these ids."""
    wanted = frozenset(goals)
    edges = task.program.edge_list
    return frozenset(edges[number].reference for goal in task.goals if goal.id in wanted for number in goal.edges)


def claimed_goals(task: Task, automaton: Automaton) -> frozenset[str]:
    """The goals that the automaton says are unreachable."""
    return unreachable_goals(task.program, automaton, task.goals)


def claimed_together(
    task: Task, proofs: Sequence[Proof], tests: Iterable[ExecutedTest], doubtful: frozenset[str]
) -> tuple[Proof, ...]:
    """The proof of the goals that several proofs exclude, but none of them alone; nobody has checked it yet.

    ``doubtful`` goals are left out, and those that tests reach.
    """
    parts = [proof for proof in proofs if not proof.partners and proof.automaton.accepting(Acceptance.UT)]
    decided = doubtful.union(*(test.reached for test in tests), *(proof.claimed for proof in proofs))
    if len(parts) < 2 or all(goal.id in decided for goal in task.goals):
        return ()
    together = combine([proof.automaton for proof in parts])
    claimed = claimed_goals(task, together) - decided
    if not claimed:
        return ()
    actors = tuple(dict.fromkeys(proof.actor for proof in parts))
    steps = dict.fromkeys(proof.step for proof in parts)
    return (Proof(together, claimed, frozenset(), ", ".join(actors), ", ".join(steps), actors, False),)


def refuted_goals(proofs: Iterable[Proof], tests: Sequence[ExecutedTest]) -> Iterator[Conflict]:
    """For each proof that claims what a test reaches, the first such test."""
    for proof in proofs:
        test = next((test for test in tests if test.reached & proof.claimed), None)
        if test is not None:
            wrong = tuple(sorted(proof.claimed & test.reached))
            yield Conflict(proof.actor, proof.step, wrong, test.actor, str(test), proof.partners)


def refuted_paths(proofs: Iterable[Proof], tests: Sequence[ExecutedTest]) -> dict[Proof, Conflict]:
    """The proofs that claim of the path of a test that it is infeasible or reaches nothing."""
    found = {}
    for proof in proofs:
        for test in tests:
            try:
                combine([proof.automaton, test.automaton])
            except Contradiction as error:
                detail = f"{test}; {error.message}"
                found[proof] = Conflict(proof.actor, proof.step, (), test.actor, detail, proof.partners)
                break
    return found


def trusted(
    task: Task, proofs: Iterable[Proof], tests: Iterable[ExecutedTest], conflicts: Iterable[Conflict]
) -> Iterator[Proof]:
    """The proofs without what tests reach; of actors that were in conflict with tests, only what is certified."""
    distrusted = {actor for conflict in conflicts for actor in conflict.actors}
    reached = {goal for test in tests for goal in test.reached}
    for proof in proofs:
        kept = proof if distrusted.isdisjoint(proof.actors) else only_certified(task, proof, reached)
        if kept is not None:
            yield kept


def only_certified(task: Task, proof: Proof, reached: Collection[str]) -> Proof | None:
    """The proof without the claims that nobody has checked or that are wrong; ``None`` if nothing is left of it."""
    kept = proof.certified.difference(reached)
    if not kept:
        return None
    if kept == proof.claimed:
        return proof
    dropped = edges_of(task, proof.claimed - kept)
    automaton = without_claims(proof.automaton, dropped)
    if claimed_goals(task, automaton) != kept:
        return None
    return replace(proof, automaton=automaton, claimed=kept, certified=kept)


def without_claims(automaton: Automaton, edges: frozenset[EdgeReference]) -> Automaton:
    """The automaton without its transitions over these edges into ``ut`` states."""
    refused = automaton.accepting(Acceptance.UT)
    transitions = []
    for transition in automaton.transitions:
        if transition.target in refused and transition.source not in refused and transition.edges is not ANY:
            left = transition.edges - edges
            if not left:
                continue
            transitions.append(transition._replace(edges=left))
        else:
            transitions.append(transition)
    return replace(automaton, transitions=tuple(transitions))
