"""Evidence that follows loops and recursion to where they end: what is beyond is claimed to be infeasible.

Here a call of a recursive function is inlined like any other one. What keeps that finite is the evidence: nothing
follows an edge that it claims. In return these claims have to hold. If no cycle is left, each block on the heap is one
by itself, too. Source: E. Clarke, D. Kroening & F. Lerda, TACAS 2004 (unwinding assertions).
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec import Struct
from msgspec.structs import replace

from gia.checker.product import ProductGraph, ProductNode
from gia.smt.invariants.blocks import Skeleton, skeleton
from gia.smt.invariants.control_graph import Arc, ArcKey, EndingGraph, OutOfTimeError, TooLargeError

ATTEMPTS = 3
"""How often claims that do not hold are left out of the evidence."""

Prover = Callable[[Skeleton[ProductNode]], Collection[ArcKey[ProductNode]]]
"""Which claims of a shape hold."""


class Unrolled(Struct, frozen=True):
    """An unrolled graph that has all executions: its skeleton, and those of its claims that hold."""

    shape: Skeleton[ProductNode]
    proven: frozenset[ArcKey[ProductNode]]

    def excludes(self, edges: frozenset[int]) -> bool:
        """Whether no execution takes one of ``edges``, which are goals of the skeleton."""
        return all(self.proven.issuperset(self.shape.claims_on.get(edge, ())) for edge in edges)


def unrolled(
    product: ProductGraph,
    goals: frozenset[int],
    leads_on: Callable[[ProductNode], bool],
    prove: Prover,
    *,
    limit: int,
    deadline: float,
) -> Unrolled | None:
    """Follow the program as far as the evidence goes, which has to be everywhere that ``leads_on`` holds.

    ``None`` if it goes on beyond ``limit`` nodes, the deadline, or the limit of recursion of the product's supergraph,
    or if its claims do not hold. Else no execution is lost where the graph ends: it would have to take one of the
    claims first, and behind those that do not hold the graph goes on.
    """
    failed: set[ArcKey[ProductNode]] = set()
    claimed = product.claimed.__contains__

    def ended(node: ProductNode, arc: Arc[ProductNode]) -> bool:
        if product.supergraph.cut_calls:
            raise TooLargeError  # it goes on beyond the limit of recursion
        claim = ArcKey(node, arc.edge.number, arc.case)
        return (claim in product.claimed and claim not in failed) or not leads_on(arc.target)

    graph = EndingGraph(product, ended)
    try:
        for _ in range(ATTEMPTS):
            shape = skeleton(product.supergraph.program, graph, goals, claimed=claimed, limit=limit, deadline=deadline)
            if product.supergraph.cut_calls:  # by the last step
                return None
            proven = frozenset(prove(replace(shape, goals=frozenset())))  # each claim by itself
            wrong = {claim for claim in shape.claims - proven if claim in product.claimed} - failed
            if not wrong:
                return Unrolled(shape, proven)
            failed |= wrong
    except (OutOfTimeError, TooLargeError):
        pass
    return None
