"""Loops that end soon wherever they are entered, found by executing them: unrolled, they need no invariants.

As complete unrolling (E. Clarke, D. Kroening & F. Lerda, TACAS 2004: unwinding assertions), but of one loop, from the
states in which what is known lets executions come to it. So it does not matter what other loops do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gia.analyses.proving.candidates.intervals import interval_candidates
from gia.analyses.proving.proof import Candidates, Proof
from gia.cfa.closure import closure
from gia.cfa.order import UnfoldingOrder
from gia.cfa.supergraph import Node
from gia.smt.invariants.block_solver import BlockSolver
from gia.smt.invariants.blocks import block_behind
from gia.smt.invariants.control_graph import TooLargeError
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, negation

MOST_ROUNDS: Final = 40
"""Loops with more rounds do not end soon."""
MOST_NODES: Final = 1_000
"""So many nodes a loop has when it is unrolled."""
MOST_NODES_IN_ALL: Final = 10_000
"""So many have all of them that are found at once."""
_NESTED: Final = 3
"""So often it is asked whether loops end in which others have been found to do so."""
_SECONDS: Final = 0.5
"""A query may take so long."""


def ending_loops(proof: Proof) -> Iterator[Candidates]:
    """No candidates: what is open is proven, if possible, with the loops unrolled that end soon, the inner ones first.

    That is a proof of its own. Where loops have no cut points, nothing is known of all elements that they go through.
    """
    unrolled = proof
    for _ in range(_NESTED):
        found = _rounds_of_loops(unrolled) if unrolled.open_goals else {}
        if not found:
            return
        try:
            unrolled = unrolled.unrolled(found)
        except TooLargeError:
            return
        unrolled.add({})
        yield {}
        if unrolled.open_goals:
            unrolled.add(interval_candidates(proof.program, unrolled.supergraph, unrolled.shape, proof.deadline))
            yield {}


def _rounds_of_loops(proof: Proof) -> Mapping[int, int]:
    """The heads of the loops that always end soon, and after how many rounds; loops around others are no such."""
    places = _Places(proof)
    found: dict[int, int] = {}
    whole = 0
    for head, cuts in places.loops().items():
        sizes = {cut: places.size(cut) for cut in cuts}
        most = min(MOST_ROUNDS, MOST_NODES // max(sizes.values()) - 1)
        rounds = _most_rounds(proof, cuts, most)
        if rounds is not None:
            whole += sum((rounds + 1) * size for size in sizes.values())
            if whole > MOST_NODES_IN_ALL:
                break
            found[head] = rounds
    return found


class _Places:
    """Which nodes of the inlined program belong to which loops."""

    def __init__(self, proof: Proof) -> None:
        self._shape = proof.shape
        self._cuts = proof.cuts
        self._unrolled = proof.rounds.heads
        self._order = UnfoldingOrder(proof.supergraph)

    def loops(self) -> Mapping[int, list[Node]]:
        """The cut points at the heads of loops in which executions come to no others, by the head."""
        found: dict[int, list[Node]] = {}
        for cut in self._cuts:
            if cut.location in self._order.nest(cut) and cut.location not in self._unrolled:
                found.setdefault(cut.location, []).append(cut)
        return {head: cuts for head, cuts in found.items() if all(map(self._is_innermost, cuts))}

    def _is_innermost(self, cut: Node) -> bool:
        inside = [node for node in self._cuts if node != cut and self._contains(cut, node)]
        return not inside and cut not in self._shape.unknown and cut not in self._shape.borders

    def _contains(self, head: Node, node: Node) -> bool:
        """Whether a node is in the loop with this head, or in a call that is in it."""
        depth = len(head.context)
        return node.context[:depth] == head.context and head.location in self._order.nests(node)[depth]

    def size(self, head: Node) -> int:
        """How many nodes one round has."""
        inside = {
            node: [arc.target for arc in leaving if self._contains(head, arc.target)]
            for node, leaving in self._shape.arcs.items()
            if self._contains(head, node)
        }
        return len(closure([head], inside))


def _most_rounds(proof: Proof, cuts: list[Node], most: int) -> int | None:
    """After how many rounds a loop ends wherever it is entered; ``None`` if there may be more than ``most``."""
    found = 0
    for cut in cuts:
        for start in (None, *proof.cuts):
            if start != cut:
                solver = proof.induction.solver_of(start, proof.deadline)
                rounds = _rounds_from(proof, solver, cut, most)
                if rounds is None:
                    return None
                found = max(found, rounds)
    return found


def _rounds_from(proof: Proof, solver: BlockSolver[Node], cut: Node, most: int) -> int | None:
    """The rounds of the loop that begins where a block comes to its head."""
    holding = _holding(proof, solver)
    state = solver.block.exits.get(cut)
    for begun in range(most + 2):
        if state is None or solver.ask([*holding, state.guard], _SECONDS) is Result.UNSAT:
            return max(0, begun - 1)
        following = block_behind(proof.shape, proof.induction.encoder, cut, state, proof.deadline)
        state = following.exits.get(cut)
    return None


def _holding(proof: Proof, solver: BlockSolver[Node]) -> list[Term]:
    """What is known of a block."""
    guards = solver.block.guards
    known = {cut: proof.invariants.get(cut, ()) for cut in proof.cuts}
    return [*solver.premises(known), *(negation(guards[claim]) for claim in guards if claim in proof.excluded)]
