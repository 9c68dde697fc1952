"""Reading candidate paths off a GIA: which sequences of blocks its runs to ``F_cand`` describe."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from gia.analyses.proving.proof import Proof
from gia.automaton.model import ANY, Acceptance, Automaton
from gia.automaton.product import reaching
from gia.cfa.graph import Edge, EdgeReference
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Node
from gia.smt.invariants.control_graph import Arc, ArcKey

MOST_PATHS = 40
"""So many candidates are read, the shortest first."""
MOST_BLOCKS = 400
"""Longer sequences of blocks are not followed."""


class CandidatePath(NamedTuple):
    """All paths that pass exactly these cut points and then take the arc of the claim."""

    cuts: tuple[Node, ...]
    claim: ArcKey[Node]


class _Leaving(Struct, frozen=True):
    """How runs leave a block: with the arcs of claims, and at cut points."""

    claims: tuple[ArcKey[Node], ...]
    exits: tuple[tuple[Node, frozenset[int]], ...]


def candidate_paths(proof: Proof, automaton: Automaton, kind: Acceptance = Acceptance.CAND) -> list[CandidatePath]:
    r"""The candidates that are spelled out as paths, for the open goals of a proof, the shortest first.

    A run that stays somewhere on any edge (``*``) describes no path, and one that reads given inputs (``\result``) is a
    test. Assumptions and invariants are not looked at: the sequence of blocks stands for all of its paths. With another
    ``kind``, the paths that lead to that accepting set.
    """
    return list(dict.fromkeys(_Reader(proof, automaton, kind).paths()))[:MOST_PATHS]


class _Reader:
    """The product of the skeleton with the runs to an accepting set."""

    def __init__(self, proof: Proof, automaton: Automaton, kind: Acceptance) -> None:
        self.proof = proof
        self.automaton = automaton
        self.final = automaton.accepting(kind)
        self.useful = reaching(automaton, kind)
        self.cuts = frozenset(proof.shape.cuts)
        self.moves: dict[int, list[tuple[frozenset[EdgeReference], int]]] = {}
        for source, target, edges, assumption in automaton.transitions:
            reads = assumption is not None and r"\result" in assumption.text
            if edges is not ANY and not reads and target in self.useful and source not in self.final:
                self.moves.setdefault(source, []).append((edges, target))
        self._blocks: dict[tuple[Node | None, frozenset[int]], _Leaving] = {}

    def paths(self) -> Iterable[CandidatePath]:
        """Breadth first over sequences of blocks."""
        if self.automaton.initial in self.final:
            return
        pending: deque[tuple[tuple[Node, ...], frozenset[int]]] = deque([((), frozenset({self.automaton.initial}))])
        found = looked_at = 0
        while pending and found < MOST_PATHS and looked_at < 100 * MOST_PATHS:
            cuts, states = pending.popleft()
            looked_at += 1
            leaving = self._block(cuts[-1] if cuts else None, states)
            for claim in leaving.claims:
                found += 1
                yield CandidatePath(cuts, claim)
            if len(cuts) < MOST_BLOCKS:
                pending.extend(((*cuts, cut), after) for cut, after in leaving.exits)

    def _block(self, start: Node | None, states: frozenset[int]) -> _Leaving:
        """Follow the runs through the block that starts at a cut point (``None``: at the program's start)."""
        key = (start, states)
        if key in self._blocks:
            return self._blocks[key]
        entry = self.proof.shape.graph.entry
        claims: dict[ArcKey[Node], None] = {}
        exits: dict[Node, set[int]] = {}
        if start is None and entry in self.cuts:
            exits[entry] = set(states)
            pending = []
        else:
            pending = [(start if start is not None else entry, state) for state in sorted(states)]
        seen = set(pending)
        while pending:
            node, state = pending.pop()
            for arc in self.proof.shape.arcs.get(node, ()):
                for target in sorted(self._after(state, arc)):
                    if target in self.final:
                        arc_key = ArcKey(node, arc.edge.number, arc.case)
                        if arc_key in self.proof.shape.claims:
                            claims[arc_key] = None
                    elif not arc.leads_into(self.proof.shape.arcs):
                        continue
                    elif arc.target in self.cuts:
                        exits.setdefault(arc.target, set()).add(target)
                    elif (arc.target, target) not in seen:
                        seen.add((arc.target, target))
                        pending.append((arc.target, target))
        leaving = _Leaving(tuple(claims), tuple((cut, frozenset(after)) for cut, after in exits.items()))
        self._blocks[key] = leaving
        return leaving

    def _after(self, state: int, arc: Arc[Node]) -> set[int]:
        """Where a run may be after an arc; after an unknown call, behind one of the callee's return edges."""
        behind = {target for edges, target in self.moves.get(state, ()) if arc.edge.reference in edges}
        if arc.step is not None:
            return behind
        returns = self._returns(arc.edge)
        inside = behind - self.final
        return (behind & self.final) | {
            target for inner in inside for edges, target in self.moves.get(inner, ()) if not returns.isdisjoint(edges)
        }

    def _returns(self, call: Edge) -> frozenset[EdgeReference]:
        assert isinstance(call.operation, Call)
        callee = self.proof.program.functions[call.operation.function]
        return frozenset(edge.reference for edge in callee.edges if isinstance(edge.operation, Return))
