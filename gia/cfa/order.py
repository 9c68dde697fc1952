"""The unfolding of a supergraph: loops unwound iteration by iteration, each node after all its predecessors.

A node of the unfolding is a node of the supergraph together with the current iteration of each loop around it, over
the whole inlined stack. The unfolding is acyclic. Its *iterations* are defined on the weak topological order of each
function (:mod:`gia.cfa.wto`): a loop is in iteration 0 when its component is entered from outside (at the head or, in
an irreducible loop, anywhere else); each edge from inside the component to its head begins the next iteration; leaving
the component ends the count. So the unfolding up to iteration ``k`` of every loop holds exactly the paths that, between
entering and leaving a loop, take a back edge to its head at most ``k`` times.
"""

from __future__ import annotations

from typing import NamedTuple

from gia.cfa.supergraph import Context, Node, Step, StepKind, Supergraph
from gia.cfa.wto import Order, order

Iterations = tuple[tuple[int, ...], ...]
Key = tuple[int, ...]


class UnfoldNode(NamedTuple):
    """A node in given iterations of the loops around it.

    ``iterations[d]`` belongs to the frame at depth ``d`` of the stack (0: the entry function): the iteration, from 0,
    of each loop around the frame's location, outermost first. The location of an outer frame is the source of its call.
    """

    node: Node
    iterations: Iterations


class LoopEntry(NamedTuple):
    """The back edge that a step takes: the loop head it leads to, and the iteration (from 1) it begins."""

    head: Node
    iteration: int


class UnfoldStep(NamedTuple):
    """A step of the unfolding; ``back_edge`` is ``None`` if it begins no further iteration."""

    step: Step
    target: UnfoldNode
    back_edge: LoopEntry | None


class UnfoldingOrder:
    """The unfolding of a supergraph, node by node, and a linear order of its nodes.

    For every step from ``u`` to ``v``: ``priority(u) < priority(v)``. So a heap that always gives the node of least
    priority gives each node after all its predecessors, and the states that meet in it can be merged at once.
    """

    def __init__(self, supergraph: Supergraph) -> None:
        self.supergraph = supergraph
        self._orders: dict[str, Order] = {}
        self._prefixes: dict[tuple[Context, Iterations], Key] = {((), ()): ()}

    def start(self) -> UnfoldNode:
        """The entry of the program, in iteration 0 of the loop it may be the head of."""
        return self.first(self.supergraph.entry)

    def first(self, node: Node) -> UnfoldNode:
        """The node in iteration 0 of all loops around it and around the calls on its stack."""
        context = node.context
        frames = [self._source(context[: depth + 1]) for depth in range(len(context))]
        return UnfoldNode(node, tuple((0,) * len(self.nest(frame)) for frame in [*frames, node]))

    def nest(self, node: Node) -> tuple[int, ...]:
        """The heads of the loops around a node in its own frame, outermost first."""
        return self.order_of(node).nest[node.location]

    def order_of(self, node: Node) -> Order:
        """The weak topological order of the function that a node is in."""
        program = self.supergraph.program
        name = program.function_of_location[node.location]
        found = self._orders.get(name)
        if found is None:
            found = self._orders[name] = order(program.functions[name])
        return found

    def successors(self, unfold_node: UnfoldNode) -> tuple[UnfoldStep, ...]:
        """The steps that leave a node, in the order of the source."""
        return tuple(self.follow(unfold_node, step) for step in self.supergraph.successors(unfold_node.node))

    def follow(self, unfold_node: UnfoldNode, step: Step) -> UnfoldStep:
        """Where a step that leaves ``unfold_node.node`` in the supergraph leads in the unfolding."""
        node, iterations = unfold_node
        if step.kind is StepKind.CALL:
            entered = (0,) * len(self.nest(step.target))
            return UnfoldStep(step, UnfoldNode(step.target, (*iterations, entered)), None)
        if step.kind is StepKind.RETURN:
            node, iterations = self._source(node.context), iterations[:-1]
        inner, back_edge = self._move(node, iterations[-1], step.target)
        return UnfoldStep(step, UnfoldNode(step.target, (*iterations[:-1], inner)), back_edge)

    def priority(self, unfold_node: UnfoldNode) -> Key:
        """The key that orders the nodes of the unfolding.

        Per frame it alternates the position of a loop with its iteration and ends with the position of the location;
        a callee's key extends that of its call, by the number of the call edge.
        """
        node, iterations = unfold_node
        return self._prefix(node.context, iterations[:-1]) + self._frame_key(node, iterations[-1])

    def _prefix(self, context: Context, outer: Iterations) -> Key:
        """The part of the key that belongs to the frames around the innermost one."""
        found = self._prefixes.get((context, outer))
        if found is None:
            call = self._source(context)
            found = (*self._prefix(call.context, outer[:-1]), *self._frame_key(call, outer[-1]), context[-1])
            self._prefixes[context, outer] = found
        return found

    def _frame_key(self, node: Node, inner: tuple[int, ...]) -> Key:
        order_ = self.order_of(node)
        key: list[int] = []
        for head, iteration in zip(order_.nest[node.location], inner, strict=True):
            key += (order_.position[head], iteration)
        key.append(order_.position[node.location])
        return tuple(key)

    def _move(self, source: Node, inner: tuple[int, ...], target: Node) -> tuple[tuple[int, ...], LoopEntry | None]:
        """The iterations of one frame after an edge from ``source`` to ``target`` in it."""
        old, new = self.nest(source), self.nest(target)
        common = 0
        while common < min(len(old), len(new)) and old[common] == new[common]:
            common += 1
        kept = inner[:common]
        if target.location in old:  # a back edge; the loops that are inside that loop have been left
            iteration = inner[len(new) - 1] + 1
            return (*kept[:-1], iteration), LoopEntry(target, iteration)
        return kept + (0,) * (len(new) - common), None

    def _source(self, context: Context) -> Node:
        """The node that the call which opened the innermost frame of ``context`` leaves."""
        return Node(context[:-1], self.supergraph.call_edge(context).source)
