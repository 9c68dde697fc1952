"""Whether claims that paths reach targets are true, where the executed tests alone do not say so.

Source: Haltermann & Wehrheim, SoSyM 2024, Definition 4: a path in ``P_rt`` is feasible and reaches a target. Of an
automaton whose ``rt`` runs say nothing about some decision, three questions are asked one after the other.

1. Does each feasible path that it describes reach a target? Yes, if its runs end on the edges of targets; else an
   execution that it describes and that passes no such edge refutes it.
2. Was one of these paths executed? A test is followed through the program together with the runs of the automaton. If
   the solver excludes every execution of a path that is described, the claim is wrong.
3. Does it describe infeasible paths, too? The first decision of such a path that does not hold is one that an execution
   takes the other way. So looked for is an execution up to there.

The executions are those of :mod:`gia.checker.meeting`. Claims are certified after the first two questions: what is said
about executions is true then. If the answer to the third is yes, or unknown, it is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from gia.automaton.conditions import implies
from gia.automaton.guards import guard_of
from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.automaton.product import Stepper, reaching
from gia.automaton.trimming import replaced
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Call, Return
from gia.checker.beyond import Beyond, only
from gia.checker.certify import Outcome
from gia.checker.counterexample import execution_text
from gia.checker.meeting import Meeting, UndecidedError, find_meeting
from gia.exchange.suites.tests_gia import ending_on

PAIR_LIMIT = 500_000
"""Larger products of program and automaton are not searched for infeasible paths."""

_EVERY_PATH = Automaton((State(None, Acceptance.UT),), ())


class Reached(Struct, frozen=True):
    """What became of an ``rt`` claim on ``edges``. ``wider``: which infeasible paths it describes, if any."""

    edges: frozenset[EdgeReference] | None
    outcome: Outcome
    reason: str
    wider: str = ""


def check_reached(
    program: Program,
    claims: Sequence[Beyond],
    runs: Sequence[Automaton],
    goals: Collection[EdgeReference],
    *,
    deadline: float,
) -> tuple[Reached, ...]:
    """What became of each claim. ``runs`` are the executed tests (``run_to_gia``), ``goals`` the edges of the targets.

    Before: the automata of the claims are well-formed. What is not decided at ``deadline`` (a value of
    ``time.monotonic``) is not checkable.
    """
    judge = _Judge(program, runs, frozenset(goals), deadline)
    return tuple(judge.judged(claim) for claim in claims)


class _Judge(Struct, frozen=True):
    """The checks of claims about one program."""

    program: Program
    runs: Sequence[Automaton]
    goals: frozenset[EdgeReference]
    deadline: float

    def judged(self, claim: Beyond) -> Reached:
        """What became of a claim."""
        try:
            wrong = self._missing(claim)
            if wrong:
                return Reached(claim.edges, Outcome.REFUTED, wrong)
            number = self._executed(claim)
            if number is None:
                return self._not_executed(claim)
        except UndecidedError as error:
            return Reached(claim.edges, Outcome.NOT_CHECKABLE, str(error))
        try:
            wider = self._wider(claim)
        except UndecidedError as error:
            wider = f"whether it describes paths as well that no execution takes was not decided: {error}"
        return Reached(claim.edges, Outcome.CERTIFIED, f"test {number} was executed on such a path", wider)

    def _missing(self, claim: Beyond) -> str:
        """An execution that the claim describes and that reaches no target; empty if there is none."""
        if claim.edges is not ANY and claim.edges <= self.goals:
            return ""
        others = frozenset(edge.reference for edge in self.program.edge_list) - self.goals
        without = (
            t._replace(edges=others if t.edges is ANY else t.edges & others) for t in claim.automaton.transitions
        )
        aside = replaced(claim.automaton, claim.automaton.states, (t for t in without if t.edges))
        found = self._execution(aside)
        return f"{execution_text(found)} and reaches no goal" if found is not None else ""

    def _executed(self, claim: Beyond) -> int | None:
        """The number of a test, from 1, whose execution takes a path of the claim."""
        described = only(claim.automaton, Acceptance.RT, Acceptance.UT)
        unclear: UndecidedError | None = None
        for number, run in enumerate(self.runs, start=1):
            try:
                found = find_meeting(self.program, described, ending_on(run, claim.edges), deadline=self.deadline)
            except UndecidedError as error:
                unclear = error
                continue
            if found is not None and found.certain:
                return number
            if found is not None:
                unclear = UndecidedError("its path has operations that are not modelled exactly")
        if unclear is not None:
            raise unclear
        return None

    def _not_executed(self, claim: Beyond) -> Reached:
        """The answer on a claim of which no path was executed."""
        found = self._execution(claim.automaton)
        if found is None:
            return Reached(claim.edges, Outcome.REFUTED, "no execution takes such a path")
        return Reached(
            claim.edges, Outcome.NOT_CHECKABLE, f"no test was executed on such a path; {execution_text(found)}"
        )

    def _wider(self, claim: Beyond) -> str:
        """Whether the claim describes infeasible paths; empty if not."""
        aside, decisions = _one_decision_aside(self.program, claim.automaton)
        found = find_meeting(self.program, _EVERY_PATH, aside, deadline=self.deadline)
        if found is None:
            return ""
        assert found.reaching is not None
        edge = decisions[found.reaching.target]
        place = f"{edge.file}:{edge.reference.line}:{edge.reference.column} {edge.reference.branch}"
        how = "describes" if found.certain else "may describe"
        return f"it {how} paths as well that no execution takes, over {place} where {execution_text(found)}"

    def _execution(self, automaton: Automaton) -> Meeting | None:
        """An execution of a path in ``P_rt(automaton)``, ``None`` if there is none."""
        found = find_meeting(self.program, _EVERY_PATH, automaton, deadline=self.deadline)
        if found is not None and not found.certain:
            raise UndecidedError("its paths have operations that are not modelled exactly")
        return found


def _one_decision_aside(program: Program, automaton: Automaton) -> tuple[Automaton, dict[int, Edge]]:
    """An automaton for the feasible paths after which a run could go on to ``rt`` over a decision that does not hold.

    Its paths end with the decision that does hold. For each of its accepting states, the other one is given.
    """
    states = [State(state.invariant) for state in automaton.states]
    transitions = [t for t in automaton.transitions if t.target not in automaton.accepting(Acceptance.RT)]
    decisions: dict[int, Edge] = {}
    for edge, transition in _unguarded(program, automaton):
        others = program.functions[edge.reference.function].leaving[edge.source]
        aside = frozenset(other.reference for other in others) - {edge.reference}
        if not aside:
            raise UndecidedError(f"what happens if {edge.text} does not hold is no edge of the program")
        decisions[len(states)] = edge
        transitions.append(Transition(transition.source, len(states), aside, transition.assumption))
        states.append(State(automaton.states[transition.target].invariant, Acceptance.RT))
    return replaced(automaton, states, transitions), decisions


def _unguarded(program: Program, automaton: Automaton) -> Iterator[tuple[Edge, Transition]]:
    """Where a run can take a decision without its condition and then come to ``rt`` on some path of the graph."""
    explored = _Pairs(program, automaton)
    for location, state in explored.completing:
        for edge in explored.leaving[location]:
            guard = guard_of(edge, program)
            if guard is None:
                continue
            for transition in automaton.leaving[state]:
                matches = transition.edges is ANY or edge.reference in transition.edges
                unguarded = matches and not implies(transition.assumption, guard)
                if unguarded and explored.completes(edge, transition.target):
                    yield edge, transition


class _Pairs:
    """The pairs of location and state that paths of the graph reach; a return may go back to any call."""

    def __init__(self, program: Program, automaton: Automaton) -> None:
        self.program = program
        self.leaving = {place: edges for f in program.functions.values() for place, edges in f.leaving.items()}
        self.final = automaton.accepting(Acceptance.RT)
        self._stepper = Stepper(automaton, reaching(automaton, Acceptance.RT))
        self._returns: dict[str, list[int]] = {}
        for edge in program.edge_list:
            if isinstance(edge.operation, Call):
                self._returns.setdefault(edge.operation.function, []).append(edge.target)
        self.completing = self._completing((program.functions[program.entry].entry, automaton.initial))

    def completes(self, edge: Edge, state: int) -> bool:
        """Whether a run that is in ``state`` behind ``edge`` can come to ``rt``."""
        return state in self.final or any((place, state) in self.completing for place in self._behind(edge))

    def _behind(self, edge: Edge) -> list[int]:
        match edge.operation:
            case Call(function=name) if name in self.program.functions:
                return [self.program.functions[name].entry]
            case Return():
                return self._returns.get(edge.reference.function, [])
        return [edge.target]

    def _completing(self, start: tuple[int, int]) -> dict[tuple[int, int], None]:
        """The reached pairs from which a run can come to ``rt``, in the order of their discovery."""
        sources: dict[tuple[int, int], list[tuple[int, int]]] = {start: []}
        pending, ends = [start], []
        for pair in pending:
            place, state = pair
            for edge in self.leaving.get(place, ()):
                for target, _ in self._stepper.successors(state, edge.reference):
                    if target in self.final:
                        ends.append(pair)
                        continue
                    for behind in self._behind(edge):
                        after = (behind, target)
                        if after not in sources:
                            if len(sources) >= PAIR_LIMIT:
                                raise UndecidedError("program and automaton together are too large")
                            sources[after] = []
                            pending.append(after)
                        sources[after].append(pair)
        found = set[tuple[int, int]]()
        while ends:
            pair = ends.pop()
            if pair not in found:
                found.add(pair)
                ends.extend(sources[pair])
        return {pair: None for pair in pending if pair in found}
