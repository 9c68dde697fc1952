"""Symbolic replay: the path that a native execution took, with the conditions on its inputs under which it is taken.

Source: concolic execution (P. Godefroid, N. Klarlund & K. Sen, *DART*, PLDI 2005; K. Sen, D. Marinov & G. Agha, *CUTE*,
ESEC/FSE 2005), lines 4-15 of algorithm 1 in P. Daca, A. Gupta & T. A. Henzinger, *Abstraction-driven concolic testing*,
VMCAI 2016. Deviations: the program is executed first, and its trace is replayed; decisions come from the trace, so that
what the theory cannot express cannot lead the replay astray. The result of a library function that is not modelled is
what it was in the execution; everything else stays a free variable. ``encoder.imprecisions`` lists both, with their
positions. A decision that no input can change is none that could be negated.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic, thread_time

from gia.analyses.testing.symbolic_path import Alternative, Decision, Snapshot, SymbolicPath
from gia.automaton.model import Acceptance, Automaton
from gia.automaton.status import CertainRuns
from gia.cfa.graph import Edge, Program
from gia.cfa.hiding import hidden
from gia.cfa.operations import Assume, Input
from gia.cfa.supergraph import Node, Step, Supergraph
from gia.native import BranchEvent, Execution, InputEvent, Outcome, ResultEvent
from gia.smt.encoding.encoder import Encoder, Mode, PathEncoder
from gia.smt.encoding.state import SymbolicState
from gia.smt.terms import TRUE, Kind, Term, Value, conjunction, evaluate_all, factors, variables_of

MOST_EDGES = 40_000
"""A path is followed for so many edges; what comes later is not looked at."""

MOST_WITHOUT_INPUT = 4_000
"""An execution that was still running when its time was over is followed for so many edges behind each input and
behind what it was made for: a loop without end shows the same again and again."""

MOST_DECISIONS = 5_000
"""And for so many decisions that depend on inputs."""

MOST_VARIABLES = 200_000
"""And until the variables of its decisions are so many in all: formulas about thousands of inputs are of no use."""

MOST_SNAPSHOTS = 100
"""States that are kept of one path."""

MOST_SECONDS = 2.0
"""And for so long: calls of unknown functions that may change all of a large memory take long."""

_NO_LIMIT = 1 << 30
_RUNNING = frozenset({Outcome.TIMEOUT, Outcome.OUTPUT_LIMIT})


class Replayer:
    """Replays executions of one program; ``observed`` are the edges whose execution is noticed.

    ``monitor`` is what is known: what it says about infeasible paths is not offered as an alternative
    (the product of Daca et al., section 5, made while replaying). ``edges`` were executed symbolically in ``seconds``
    of processor time.
    """

    def __init__(self, program: Program, observed: frozenset[int], monitor: Automaton | None = None) -> None:
        self.edges = 0
        self.seconds = 0.0
        self._program = program
        self._observed = observed
        self._supergraph = Supergraph(program, _NO_LIMIT)
        self._monitor = Monitor(program, monitor)

    def replay(
        self, execution: Execution, like: tuple[SymbolicPath, int] | None = None, deadline: float = float("inf")
    ) -> SymbolicPath:
        """The path of an execution that was traced in full, followed until ``deadline`` at most.

        What it has in common with the beginning of another path, up to a decision of that, is not executed again.
        """
        begun = thread_time()
        replay = _Replay(self._program, self._observed, self._supergraph, self._monitor, execution)
        if like is None or not replay.resume(*like):
            replay.begin(PathEncoder(self._program, Mode.UNDER))
        path = replay.run(min(deadline, monotonic() + MOST_SECONDS))
        self.edges += replay.executed
        self.seconds += thread_time() - begun
        return path


class Monitor:
    """What an automaton says about the paths that are still worth following."""

    def __init__(self, program: Program, automaton: Automaton | None) -> None:
        proofs = automaton is not None and automaton.accepting(Acceptance.UT) and hidden(program) is None
        self._runs = CertainRuns(program, automaton) if proofs and automaton is not None else None
        self._final = automaton.accepting(Acceptance.UT) if automaton is not None else frozenset()
        self.start = self._runs.start if self._runs is not None else frozenset()

    def after(self, edge: Edge, states: frozenset[int]) -> frozenset[int]:
        """The states of the runs after an edge, as far as they do not depend on data."""
        if self._runs is None or not states:
            return states
        return frozenset.intersection(*self._runs.after(edge, states))

    def excludes(self, states: frozenset[int]) -> bool:
        """Whether the paths that lead here are infeasible or reach no goal."""
        return not self._final.isdisjoint(states)


class _Replay:
    """One replay in progress."""

    encoder: Encoder

    def __init__(
        self, program: Program, observed: frozenset[int], supergraph: Supergraph, monitor: Monitor, execution: Execution
    ) -> None:
        self.executed = 0
        self._sets = _VariableSets()
        self._observed = observed
        self._supergraph = supergraph
        self._monitor = monitor
        self._execution = execution
        self._branches = tuple(e.edge for e in execution.events if isinstance(e, BranchEvent))
        self._results = tuple(e for e in execution.events if isinstance(e, ResultEvent))
        self._next_branch = self._next_result = 0
        self._values = [e.value.bits for e in execution.events if isinstance(e, InputEvent)]
        self._assignment: dict[Term, Value] = {}
        self._variables: list[Term] = []
        self._decisions: list[Decision] = []
        self._conditions: set[Term] = set()
        self._snapshots: list[Snapshot] = []
        self._listed = 0
        self._pruned = 0
        self._diverged: Edge | None = None

    def begin(self, encoder: Encoder) -> None:
        """Start where the program does."""
        self.encoder = encoder
        state = encoder.initial_state()
        self._now = Snapshot(0, 0, 0, 0, self._supergraph.entry, state, self._monitor.start, 0)
        self._snapshots = [self._now]

    def resume(self, other: SymbolicPath, position: int) -> bool:
        """Start at a decision of another path; whether the execution comes there in the same way."""
        snapshot = other.before(position)
        known = snapshot.state.inputs
        read = known.record.number if known is not None and known.record is not None else 0
        if self._branches[: snapshot.branches] != other.branches[: snapshot.branches] or read > len(self._values):
            return False
        if self._results[: snapshot.results] != other.results[: snapshot.results]:
            return False
        self.encoder = other.encoder
        self._now = snapshot
        self._next_branch, self._next_result = snapshot.branches, snapshot.results
        self._decisions = list(other.decisions[: snapshot.decisions])
        self._conditions = {decision.condition for decision in self._decisions}
        self._snapshots = [found for found in other.snapshots if found.decisions <= snapshot.decisions]
        self._variables = list(other.variables[:read])
        self._assignment = dict(zip(self._variables, self._values, strict=False))
        return True

    def run(self, deadline: float) -> SymbolicPath:
        """Follow the trace to its end, or as far as it can be followed until the deadline."""
        _, _, _, edges, node, state, known, key = self._now
        end, is_whole = self._end(edges), False
        while edges < end and len(self._decisions) < MOST_DECISIONS and self._listed < MOST_VARIABLES:
            steps = self._supergraph.successors(node)
            is_whole = not steps or self._monitor.excludes(known)
            if is_whole or monotonic() >= deadline:
                break
            before = self._next_branch, self._next_result
            step, after = self._choose(node, state, steps)
            if step is None or after is None:
                break
            if not after.guard.is_true:
                here = Snapshot(len(self._decisions), *before, edges, node, state, known, key)
                key = self._decide(here, steps, step, after.guard)
            edges += 1
            self.executed += 1
            if isinstance(step.edge.operation, Input):
                if not self._read(after):
                    break
                end = self._end(edges)
            state = after if after.guard is TRUE else after.with_guard(TRUE)
            node, known = step.target, self._monitor.after(step.edge, known)
        return SymbolicPath(
            self._execution,
            self.encoder,
            self._branches,
            self._results,
            tuple(self._decisions),
            _thinned(self._snapshots),
            tuple(self._variables),
            edges,
            is_whole,
            self._pruned,
            self._diverged,
        )

    def _end(self, edges: int) -> int:
        """After how many edges the path ends if no input is read behind so many."""
        return min(MOST_EDGES, edges + MOST_WITHOUT_INPUT) if self._execution.outcome in _RUNNING else MOST_EDGES

    def _choose(
        self, node: Node, state: SymbolicState, steps: Sequence[Step]
    ) -> tuple[Step | None, SymbolicState | None]:
        """The step that the execution took and the state after it; ``None`` where the trace ends or contradicts it."""
        first = steps[0].edge
        if not isinstance(first.operation, Assume):
            self.encoder.given = self._given(first)
            return self._checked(steps[0], self.encoder.step(state, steps[0], node.context))
        if first.number not in self._observed:
            return self._evaluate(node, state, steps)
        if self._next_branch == len(self._branches):
            return None, None
        taken = self._branches[self._next_branch]
        self._next_branch += 1
        for step in steps:
            if step.edge.number == taken:
                return self._checked(step, self.encoder.step(state, step, node.context))
        self._diverged = first
        return None, None

    def _given(self, edge: Edge) -> int | None:
        """The bits that a call of the library on ``edge`` gave, if that is the next result that was observed."""
        if self._next_result == len(self._results) or self._results[self._next_result].edge != edge.number:
            return None
        self._next_result += 1
        return self._results[self._next_result - 1].bits

    def _checked(self, step: Step, after: SymbolicState) -> tuple[Step | None, SymbolicState | None]:
        if after.guard.is_false:
            self._diverged = step.edge
            return None, None
        return step, after

    def _evaluate(
        self, node: Node, state: SymbolicState, steps: Sequence[Step]
    ) -> tuple[Step | None, SymbolicState | None]:
        """A condition that is not observed holds or not as its formula says for the inputs of this execution."""
        for step in steps:
            after = self.encoder.step(state, step, node.context)
            if after.guard.is_true or (not after.guard.is_false and self._holds(after.guard)):
                return step, after
        self._diverged = steps[0].edge
        return None, None

    def _holds(self, condition: Term) -> bool:
        return bool(evaluate_all((condition,), self._assignment)[0])

    def _decide(self, before: Snapshot, steps: Sequence[Step], taken: Step, condition: Term) -> int:
        """Note a decision and what else could have happened; the key of what follows."""
        self._snapshots.append(before)
        others = []
        for step in steps:
            if step is taken or not isinstance(step.edge.operation, Assume):
                continue
            guard = self.encoder.step(before.state, step, before.node.context).guard
            if guard.is_false:
                continue
            if self._monitor.excludes(self._monitor.after(step.edge, before.known)):
                self._pruned += 1
                continue
            wanted = conjunction(*(factor for factor in factors(guard) if factor not in self._conditions))
            others.append(Alternative(step.edge.number, wanted, step.target))
        number = taken.edge.number
        self._note(number, condition, tuple(others), before.key)
        return hash((before.key, number))

    def _note(self, taken: int, condition: Term, others: tuple[Alternative, ...], key: int) -> None:
        """Add a decision; what it takes are several, so that each is about few inputs, and none that is there."""
        for factor in factors(condition):
            if factor in self._conditions and not others:
                continue
            self._conditions.add(factor)
            variables = self._sets.of(factor)
            self._listed += len(variables)
            self._decisions.append(Decision(taken, factor, variables, others, key))
            others = ()

    def _read(self, after: SymbolicState) -> bool:
        """Note the variable of the input that was just read; whether the execution has read it, too."""
        record = after.inputs.record if after.inputs is not None else None
        if record is None or record.number != len(self._variables) + 1:
            return True  # an input that is no scalar
        if len(self._variables) >= len(self._values):
            return False
        (variable,) = variables_of(record.term)
        self._assignment[variable] = self._values[len(self._variables)]
        self._variables.append(variable)
        return True


class _VariableSets:
    """The variables of terms that grow along a path: those of a term are put together from those of its parts."""

    def __init__(self) -> None:
        self._known: dict[Term, frozenset[Term]] = {}

    def of(self, root: Term) -> tuple[Term, ...]:
        """The variables of a term, the oldest first."""
        pending = [root]
        while pending:
            term = pending[-1]
            missing = [child for child in term.children if child not in self._known]
            if missing and term not in self._known:
                pending.extend(missing)
                continue
            pending.pop()
            if term not in self._known:
                self._known[term] = self._joined(term)
        return tuple(sorted(self._known[root], key=lambda variable: variable.number))

    def _joined(self, term: Term) -> frozenset[Term]:
        """Those of the parts; the set of one part is used again if it has those of the others."""
        if term.kind is Kind.VARIABLE:
            return frozenset((term,))
        largest: frozenset[Term] = frozenset()
        for child in term.children:
            found = self._known[child]
            if not found <= largest:
                largest = found if largest <= found else largest | found
        return largest


def _thinned(snapshots: Sequence[Snapshot]) -> tuple[Snapshot, ...]:
    """So many snapshots, the first among them, that memory suffices."""
    return tuple(snapshots[:: len(snapshots) // MOST_SNAPSHOTS + 1])
