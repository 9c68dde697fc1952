"""Symbolic execution of the unfolding: all paths up to a bound as one formula, states merged where paths meet.

Source: the order of :mod:`gia.cfa.order` makes a heap of nodes enough (each node after its predecessors); merging as in
Kuznetsov, Kinder, Bucur & Candea, *Efficient state merging in symbolic execution*, PLDI 2012, always and everywhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple

from msgspec import Struct, field

from gia.cfa.expressions import variables_of
from gia.cfa.operations import Assume
from gia.cfa.order import Iterations, Key, LoopEntry, UnfoldingOrder, UnfoldNode
from gia.cfa.supergraph import Node, Supergraph
from gia.smt.encoding.encoder import Encoder, Imprecision
from gia.smt.encoding.state import SymbolicState, merge
from gia.smt.terms import TRUE, Term, bool_variable, conjunction, negation
from gia.verdict import StopKind

FREE_NODES = 20_000
"""While so many nodes have been executed, iterations of a loop that certainly stays in it do not count."""


class Reached(NamedTuple):
    """A watched edge was taken: ``state`` is the state after it, ``guard`` the condition for taking it."""

    guard: Term
    state: SymbolicState


class Beyond(NamedTuple):
    """A place where the unfolding ends before the program does; ``guard`` is the condition for getting there."""

    node: Node
    guard: Term


class Unfolding(Struct):
    """What an unfolding found.

    ``reached``: per watched edge, in the order of exploration. ``stopped``: the states at the nodes where ``stop`` said
    so. ``beyond``: where executions go on; empty if the unfolding is complete. ``stop_reason`` is ``EXHAUSTED``, or
    says which limit ended it: ``TIME`` or ``ROUNDS`` (too many nodes). ``nodes`` and ``edges`` count what was executed.
    """

    reached: dict[int, list[Reached]] = field(default_factory=dict)
    stopped: dict[Node, SymbolicState] = field(default_factory=dict)
    beyond: list[Beyond] = field(default_factory=list)
    stop_reason: StopKind = StopKind.EXHAUSTED
    imprecisions: tuple[Imprecision, ...] = ()
    nodes: int = 0
    edges: int = 0


def never(_: Node) -> bool:
    """Stop nowhere."""
    return False


def everywhere(_: Node) -> bool:
    """Go everywhere."""
    return True


def always(_: Term) -> bool:
    """Take every guard that is not constantly false for feasible."""
    return True


def unfold(
    supergraph: Supergraph,
    encoder: Encoder,
    start: Sequence[tuple[UnfoldNode, SymbolicState]] | None = None,
    *,
    stop: Callable[[Node], bool] = never,
    useful: Callable[[Node], bool] = everywhere,
    bound: int | Callable[[Node], int] = 10,
    watch: frozenset[int] = frozenset(),
    deadline: float = float("inf"),
    free_nodes: int = FREE_NODES,
    most_nodes: int = 1_000_000,
    feasible: Callable[[Term], bool] = always,
) -> Unfolding:
    """Execute everything from ``start`` (by default, the start of the program) up to the limits.

    ``bound`` is how often a loop (given by its head, if a function) may begin a further iteration after it might have
    been left: iterations in which leaving is impossible by constants are free, until ``free_nodes`` nodes have been
    executed. ``deadline`` is a value of ``time.monotonic``. ``stop`` is not asked about start nodes. Nodes that are not
    ``useful`` are left out, as if the program ended there. ``feasible`` is asked about the guard of every node where
    paths are merged or an iteration begins; what it denies is pruned. With several start states, a variable per state
    makes their guards exclusive.
    """
    run = _Run(UnfoldingOrder(supergraph), encoder, watch)
    run.stop, run.useful, run.feasible = stop, useful, feasible
    run.bound = bound if callable(bound) else lambda _: bound
    run.free_nodes = free_nodes
    run.begin(start if start is not None else [(run.order.start(), encoder.initial_state())])
    run.explore(deadline, most_nodes)
    run.result.imprecisions = encoder.imprecisions
    return run.result


class _Run:
    """One unfolding in progress."""

    stop: Callable[[Node], bool]
    useful: Callable[[Node], bool]
    feasible: Callable[[Term], bool]
    bound: Callable[[Node], int]
    free_nodes: int

    def __init__(self, order: UnfoldingOrder, encoder: Encoder, watch: frozenset[int]) -> None:
        self.order = order
        self.encoder = encoder
        self.watch = watch
        self.result = Unfolding()
        self._pending: dict[UnfoldNode, SymbolicState] = {}
        self._heap: list[tuple[Key, UnfoldNode]] = []
        self._questionable: set[UnfoldNode] = set()
        self._leaving: dict[tuple[Node, Iterations], list[int]] = {}  # iterations that may be left, of each loop
        self._can_be_left: dict[Node, bool] = {}

    def begin(self, start: Sequence[tuple[UnfoldNode, SymbolicState]]) -> None:
        """Enter the start states, each under its own choice."""
        others: list[Term] = []
        for number, (node, state) in enumerate(start):
            choice = bool_variable(f"start{number}") if number < len(start) - 1 else TRUE
            self._enter(node, state.with_guard(conjunction(state.guard, *others, choice)))
            others.append(negation(choice))

    def explore(self, deadline: float, most_nodes: int) -> None:
        """Process nodes by priority until nothing is left or a limit is met."""
        result = self.result
        while self._heap:
            if result.nodes >= most_nodes:
                self._give_up(StopKind.ROUNDS)
                return
            if result.nodes % 64 == 0 and monotonic() >= deadline:
                self._give_up(StopKind.TIME)
                return
            _, node = heapq.heappop(self._heap)
            state = self._pending.pop(node)
            result.nodes += 1
            if node in self._questionable:
                self._questionable.discard(node)
                if not self.feasible(state.guard):
                    continue
            self._execute(node, state)

    def _execute(self, node: UnfoldNode, state: SymbolicState) -> None:
        result = self.result
        for move in self.order.successors(node):
            after = self.encoder.step(state, move.step, node.node.context)
            result.edges += 1
            if after.guard.is_false:
                continue
            number, target = move.step.edge.number, move.target
            if number in self.watch:
                result.reached.setdefault(number, []).append(Reached(after.guard, after))
            if node.iterations[-1]:
                self._note_leaving(node, target)
            if not self.useful(target.node):
                continue
            if move.back_edge is not None:
                if not self._may_begin(target, move.back_edge):
                    result.beyond.append(Beyond(target.node, after.guard))
                    continue
                self._questionable.add(target)
            if self.stop(target.node):
                known = result.stopped.get(target.node)
                result.stopped[target.node] = after if known is None else merge(known, after)
            else:
                self._enter(target, after)

    def _note_leaving(self, source: UnfoldNode, target: UnfoldNode) -> None:
        """Remember of each loop around ``source`` but not around ``target`` that its iteration may be left."""
        kept = self.order.nest(target.node) if target.node.context == source.node.context else ()
        if len(target.node.context) > len(source.node.context):
            return
        for depth, head in enumerate(self.order.nest(source.node)):
            if head not in kept:
                noted = self._leaving.setdefault(_occurrence(source, depth, head), [])
                iteration = source.iterations[-1][depth]
                if not noted or noted[-1] != iteration:
                    noted.append(iteration)

    def _may_begin(self, target: UnfoldNode, entry: LoopEntry) -> bool:
        """Whether a loop may begin its next iteration within the bound."""
        counted = entry.iteration
        if self.result.nodes < self.free_nodes and self._has_exit(entry.head):
            noted = self._leaving.get(_occurrence(target, len(target.iterations[-1]) - 1, entry.head.location), [])
            counted = len(set(noted))
        return counted <= self.bound(entry.head)

    def _has_exit(self, head: Node) -> bool:
        """Whether an edge leads out of a loop other than against a constant condition, as in ``while (1)``.

        A loop without exit has to be bounded by its iterations.
        """
        found = self._can_be_left.get(head)
        if found is None:
            order = self.order.order_of(head)
            function = self.order.supergraph.function_of(head)
            found = self._can_be_left[head] = any(
                head.location in order.nest[edge.source]
                and head.location not in order.nest[edge.target]
                and not (isinstance(edge.operation, Assume) and not variables_of(edge.operation.condition))
                for edge in function.edges
            )
        return found

    def _enter(self, node: UnfoldNode, state: SymbolicState) -> None:
        known = self._pending.get(node)
        if known is None:
            self._pending[node] = state
            heapq.heappush(self._heap, (self.order.priority(node), node))
        else:
            self._pending[node] = merge(known, state)
            self._questionable.add(node)

    def _give_up(self, reason: StopKind) -> None:
        self.result.stop_reason = reason
        for _, node in sorted(self._heap):
            self.result.beyond.append(Beyond(node.node, self._pending[node].guard))


def _occurrence(node: UnfoldNode, depth: int, head: int) -> tuple[Node, Iterations]:
    """Identifies one execution of a loop: its head, and the iterations of everything around it."""
    return Node(node.node.context, head), (*node.iterations[:-1], node.iterations[-1][:depth])
