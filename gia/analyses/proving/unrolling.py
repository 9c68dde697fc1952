"""Complete unrolling: programs whose loops and recursion end soon are executed as one formula, nothing is left over.

Source: A. Biere et al., *Symbolic model checking without BDDs*, TACAS 1999 (bounded model checking), with the check
that no execution goes beyond the bound (E. Clarke, D. Kroening & F. Lerda, TACAS 2004: unwinding assertions). The
evidence is an automaton with one state for each iteration of the loops of the inlined stack, and without invariants:
whoever follows it meets no cycle.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from time import monotonic
from typing import Final

from msgspec import Struct, field

from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.cfa.graph import EdgeReference, Program
from gia.cfa.order import Iterations, Key, UnfoldingOrder, UnfoldNode, UnfoldStep
from gia.cfa.relevance import Relevance
from gia.cfa.supergraph import UNROLLED_RECURSION, Context, StepKind, Supergraph
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState, merge
from gia.smt.invariants.control_graph import check_deadline
from gia.smt.solvers.solver import Result, Solver
from gia.smt.terms import Term, disjunction

_QUERY_SECONDS = 2.0
_INITIAL: Final = 0
_UNREACHABLE: Final = 1

_Phase = tuple[Context, Iterations]
"""The iterations of all loops on the stack: what a state of the evidence stands for."""


class Limits(Struct, frozen=True):
    """What is given up: more ``nodes`` (evidence would be as large), and loops and recursion that do not end soon.

    These begin more than so many ``iterations``, or calls within each other; ``undecided`` ones depend on inputs, and
    to ask whether they begin takes more than so many ``seconds``.
    """

    nodes: int
    iterations: int
    undecided: int
    seconds: float


COMPLETE: Final = Limits(20_000, 20_000, 64, float("inf"))
SHORT: Final = Limits(5_000, 16, 4, 0.2)
"""Whether these suffice is soon known: most of what is beyond them is so at the first nodes."""
SINGLE: Final = Limits(100_000, 100_000, 16, 1.0)
"""A single execution is followed for long: nothing of it is left to the solver, and each step takes little time."""


class _GaveUpError(Exception):
    """The program does not end within the limits."""


class Unrolling(Struct):
    """All executions of a program, as far as they can reach one of the ``goals`` (edges).

    ``feasible`` has those of them that some execution may take; the others are excluded. For those in ``reached``
    there is a model: no other way of looking at the program will exclude them. ``moves`` are the steps
    between phases; ``None`` is the step of an edge that no execution takes.
    """

    start: _Phase
    goals: frozenset[int]
    feasible: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)
    moves: dict[tuple[_Phase, EdgeReference], _Phase | None] = field(default_factory=dict)

    @property
    def excluded(self) -> frozenset[int]:
        """The edges that no execution takes."""
        return self.goals - self.feasible


def unroll(
    program: Program,
    goals: frozenset[int],
    encoder: Encoder,
    solver: Solver,
    deadline: float,
    *,
    limits: Limits = COMPLETE,
) -> Unrolling | None:
    """Unroll the program completely, as far as it leads to ``goals`` (edges); ``None`` if it goes beyond the limits.

    Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`.
    """
    try:
        return _Run(program, goals, encoder, solver, deadline, limits=limits).run()
    except _GaveUpError:
        return None


class _Run:
    """One unrolling in progress."""

    def __init__(
        self,
        program: Program,
        goals: frozenset[int],
        encoder: Encoder,
        solver: Solver,
        deadline: float,
        *,
        limits: Limits,
    ) -> None:
        self.limits = limits
        self.asking_left = limits.seconds
        self.supergraph = Supergraph(program, UNROLLED_RECURSION)
        self.order = UnfoldingOrder(self.supergraph)
        self.goals = goals
        self.relevance = Relevance(program, goals)
        self.encoder = encoder
        self.solver = solver
        self.deadline = deadline
        start = self.order.start()
        self.result = Unrolling(_phase(start), goals)
        self.guards: dict[int, list[Term]] = {}
        self.pending: dict[UnfoldNode, SymbolicState] = {start: encoder.initial_state()}
        self.heap: list[tuple[Key, UnfoldNode]] = [(self.order.priority(start), start)]

    def run(self) -> Unrolling:
        """Execute everything, then ask which goals are feasible."""
        count = 0
        while self.heap:
            count += 1
            if count > self.limits.nodes:
                raise _GaveUpError
            if count % 16 == 0:
                check_deadline(self.deadline)
            _, node = heapq.heappop(self.heap)
            self._execute(node, self.pending.pop(node))
        for asked, (edge, guards) in enumerate(self.guards.items()):
            share = (self.deadline - monotonic()) / (len(self.guards) - asked)
            answer = self._ask(disjunction(*guards), max(share, _QUERY_SECONDS))
            if answer is not Result.UNSAT:
                self.result.feasible.add(edge)
            if answer is Result.SAT:
                self.result.reached.add(edge)
        return self.result

    def _execute(self, node: UnfoldNode, state: SymbolicState) -> None:
        for move in self.order.successors(node):
            edge = move.step.edge
            is_goal = edge.number in self.goals
            leads_on = self.relevance.leads_to_goal(self.supergraph, move.step.target)
            if not leads_on and not is_goal:
                continue
            after = self.encoder.step(state, move.step, node.node.context)
            label = (_phase(node), edge.reference)
            self.result.moves[label] = None
            if after.guard.is_false or not self._begins(move, after.guard):
                continue
            self.result.moves[label] = _phase(move.target)
            if is_goal:
                self.guards.setdefault(edge.number, []).append(after.guard)
            if leads_on:
                self._enter(move.target, after)
        if self.supergraph.cut_calls:
            raise _GaveUpError

    def _begins(self, move: UnfoldStep, guard: Term) -> bool:
        """Whether the step is possible, as far as that is asked: where an iteration or recursion depends on inputs."""
        repetition = self._repetition(move)
        if repetition > self.limits.iterations:
            raise _GaveUpError
        if not repetition or guard.is_true:
            return True
        check_deadline(self.deadline)
        begun = monotonic()
        answer = self._ask(guard, min(self.asking_left, _QUERY_SECONDS))
        self.asking_left -= monotonic() - begun
        if answer is not Result.UNSAT and (repetition > self.limits.undecided or self.asking_left <= 0.0):
            raise _GaveUpError
        return answer is not Result.UNSAT

    def _repetition(self, move: UnfoldStep) -> int:
        """The iteration that a step begins, or how deep the recursion is that it enters; else 0."""
        if move.back_edge is not None:
            return move.back_edge.iteration
        if move.step.kind is not StepKind.CALL:
            return 0
        *around, called = self.supergraph.stack(move.step.target.context)
        return around.count(called)

    def _ask(self, guard: Term, most: float) -> Result:
        """The solver's answer within the time that is left; after the deadline nothing is known any more."""
        seconds = min(most, self.deadline - monotonic())
        return self.solver.check([guard], seconds) if seconds > 0 else Result.UNKNOWN

    def _enter(self, node: UnfoldNode, state: SymbolicState) -> None:
        known = self.pending.get(node)
        if known is None:
            heapq.heappush(self.heap, (self.order.priority(node), node))
        self.pending[node] = state if known is None else merge(known, state)


def _phase(node: UnfoldNode) -> _Phase:
    return node.node.context, node.iterations


def unrolled_automaton(unrolling: Unrolling, edges: Collection[EdgeReference]) -> Automaton:
    """The automaton that claims the goals' ``edges``, and the edges that no execution takes, to be infeasible."""
    numbers = {unrolling.start: _INITIAL}
    states = [State(), State(None, Acceptance.UT)]
    moves: dict[tuple[int, int], set[EdgeReference]] = {}
    for (source, edge), target in unrolling.moves.items():
        for phase in (source, target):
            if phase is not None and phase not in numbers:
                numbers[phase] = len(states)
                states.append(State())
        end = _UNREACHABLE if target is None or edge in edges else numbers[target]
        moves.setdefault((numbers[source], end), set()).add(edge)
    ordered = sorted(moves.items(), key=lambda move: move[0])
    transitions = [Transition(source, target, frozenset(taken)) for (source, target), taken in ordered]
    transitions.append(Transition(_UNREACHABLE, _UNREACHABLE, ANY))
    return Automaton(tuple(states), tuple(transitions), _INITIAL)
