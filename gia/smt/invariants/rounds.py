"""Short loops unrolled in a graph of the inlined program: they need no cut points, and so no invariants.

Each round of such a loop has nodes of its own. Should a loop go on behind its last round, it does so in one more, which
is a loop then; so the graph has every execution, whether the number of rounds is right or not.
"""

from __future__ import annotations

from collections.abc import Mapping

from gia.cfa.graph import Edge
from gia.cfa.order import Iterations, UnfoldingOrder, UnfoldNode
from gia.cfa.short_loops import short_loops
from gia.cfa.supergraph import Node, Step, StepKind, Supergraph


class Rounds:
    """Gives nodes their rounds; ``short`` has the heads of the loops to unroll, and how often each goes round."""

    def __init__(self, supergraph: Supergraph, short: Mapping[int, int]) -> None:
        self._short = short
        self._order = UnfoldingOrder(supergraph)

    @classmethod
    def of(cls, supergraph: Supergraph) -> Rounds:
        """Those of all short loops of the program."""
        return cls(supergraph, supergraph.program.derived(short_loops))

    def behind(self, node: Node, edge: Edge, step: Step | None, target: Node) -> Node:
        """The node ``target``, to which an edge leads, in the round that begins or goes on there.

        Without a step, the edge is a call that leads to where it returns.
        """
        if not (node.rounds or target.location in self._short):
            return target
        source = UnfoldNode(node, node.rounds) if node.rounds else self._order.first(node)
        followed = self._order.follow(source, step or Step(edge, StepKind.EXTERNAL, target))
        return target._replace(rounds=self._counted(target, followed.target.iterations))

    def _counted(self, node: Node, iterations: Iterations) -> Iterations:
        """The iterations of the loops that are unrolled, up to one behind the last; nothing if all are the first."""
        most = (self._short.get(head, -1) + 1 for head in self._order.nest(node))
        counted = (*iterations[:-1], tuple(map(min, iterations[-1], most)))
        return counted if any(map(any, counted)) else ()
