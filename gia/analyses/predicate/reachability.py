"""The abstract reachability graph: explored lazily, with covering, and repaired after a refinement.

Source: T. Henzinger, R. Jhala, R. Majumdar & G. Sutre, *Lazy abstraction*, POPL 2002 (refinement removes the subtree
behind the first node that has to become more precise, and nothing else); Beyer, Keremoglu & Wendler, FMCAD 2010 (nodes
at block ends only). Precisions belong to cut points. All claims are looked at in one exploration.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec import Struct, field

from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.states import EVERYTHING, AbstractState, as_term, covered
from gia.cfa.expressions import Expression
from gia.cfa.supergraph import Node
from gia.smt.invariants.control_graph import ArcKey, check_deadline
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term, disjunction


class Domain(Protocol):
    """How abstract states are computed.

    Law: every execution of a block from a state in ``state`` to ``cut`` ends in one of ``successors``.
    """

    def successors(
        self, start: Node | None, state: AbstractState, cut: Node, precision: tuple[Expression, ...]
    ) -> tuple[AbstractState, ...]:
        """The abstract states at ``cut``; none if it is not reached."""
        ...

    def predicates(self, facts: Sequence[Expression]) -> Sequence[Expression]:
        """What to add to a precision that has to express the facts: these, and what may be useful with them."""
        ...


class ArgNode(Struct):
    """A node: an abstract state at a cut point (``None``: the program's start), computed with ``precision``.

    ``children`` has the successors at each cut point that was looked at; ``safe`` the claims that cannot be violated
    in the block that starts here, ``excused`` those whose violation is known.
    """

    number: int
    cut: Node | None
    state: AbstractState
    parent: ArgNode | None = None
    precision: tuple[Expression, ...] = ()
    children: dict[Node, list[ArgNode]] = field(default_factory=dict)
    safe: set[ArcKey[Node]] = field(default_factory=set)
    excused: set[ArcKey[Node]] = field(default_factory=set)
    finished: bool = False
    covered_by: ArgNode | None = None

    @property
    def path(self) -> list[ArgNode]:
        """The nodes from the root to this one."""
        found = [self]
        while found[-1].parent is not None:
            found.append(found[-1].parent)
        return found[::-1]


class Hit(NamedTuple):
    """An abstract counterexample: the block that starts at the node may take the arc of the claim."""

    node: ArgNode
    claim: ArcKey[Node]


class ReachabilityGraph:
    """The graph as far as it was explored; ``precisions`` are the predicates at each cut point."""

    def __init__(self, blocks: Blocks, domain: Domain, precisions: Mapping[Node, Sequence[Expression]]) -> None:
        self.blocks = blocks
        self.domain = domain
        self.precisions: dict[Node, tuple[Expression, ...]] = {cut: tuple(found) for cut, found in precisions.items()}
        self.root = ArgNode(0, None, EVERYTHING)
        self.nodes: dict[int, ArgNode] = {0: self.root}
        self._terms: dict[tuple[Node, AbstractState], Term] = {}
        self._count = 1
        self._pending: list[tuple[int, int]] = [(0, 0)]  # length of the path, number

    def explore(self, claims: Collection[ArcKey[Node]]) -> Hit | None:
        """Go on until a claim may be violated; ``None`` if there is no such claim in the whole graph.

        Raises :class:`~gia.smt.invariants.control_graph.OutOfTimeError`; the graph can be explored further after that.
        """
        while self._pending:
            check_deadline(self.blocks.deadline)
            node = self.nodes.get(self._pending[0][1])
            if node is not None and node.covered_by is None and not node.finished:
                hit = self._violated(node, claims)
                if hit is not None:
                    return hit
                self._expand(node)
            heapq.heappop(self._pending)
        return None

    def excuse(self, hit: Hit) -> None:
        """Do not report this hit again."""
        hit.node.excused.add(hit.claim)

    def _violated(self, node: ArgNode, claims: Collection[ArcKey[Node]]) -> Hit | None:
        """A claim that the block behind a node may violate."""
        block = self.blocks.block(node.cut)
        known = node.safe | node.excused
        open_ = {claim: guard for claim, guard in block.guards.items() if claim in claims and claim not in known}
        while open_:
            answer = self.blocks.ask(node.cut, [*self._premises(node), disjunction(*open_.values())])
            if answer is Result.UNSAT:
                break
            if answer is Result.SAT:
                violated = [claim for claim, guard in open_.items() if self.blocks.value(node.cut, guard)]
                return Hit(node, (violated or list(open_))[0])
            if len(open_) == 1:
                return Hit(node, next(iter(open_)))
            asked = dict(open_)
            for claim, guard in asked.items():
                if self.blocks.ask(node.cut, [*self._premises(node), guard]) is not Result.UNSAT:
                    return Hit(node, claim)
                node.safe.add(claim)
                del open_[claim]
        node.safe.update(open_)
        return None

    def _premises(self, node: ArgNode) -> list[Term]:
        """The state of a node where its block starts."""
        return [] if node.cut is None else [self._term(node.cut, node.state)]

    def _term(self, cut: Node, state: AbstractState) -> Term:
        key = (cut, state)
        if key not in self._terms:
            self._terms[key] = as_term(state, lambda expression: self.blocks.at_start(cut, expression))
        return self._terms[key]

    def _expand(self, node: ArgNode) -> None:
        """Compute the successors of a node that are missing."""
        for cut in self.blocks.block(node.cut).exits:
            if cut in node.children:
                continue
            precision = self.precisions.get(cut, ())
            found = []
            for state in self.domain.successors(node.cut, node.state, cut, precision):
                child = ArgNode(self._count, cut, state, node, precision)
                self._count += 1
                self.nodes[child.number] = child
                found.append(child)
                child.covered_by = self._covering(child)
                if child.covered_by is None:
                    self._schedule(child)
            node.children[cut] = found
        node.finished = True

    def _schedule(self, node: ArgNode) -> None:
        heapq.heappush(self._pending, (len(node.path), node.number))

    def _covering(self, node: ArgNode) -> ArgNode | None:
        """An older node that is not covered itself and whose state this one's implies."""
        cut = node.cut
        assert cut is not None
        others = [
            other
            for other in self.nodes.values()
            if other.cut == cut and other.covered_by is None and other.number < node.number
        ]
        for other in others:
            if covered(node.state, other.state):
                return other
        mine = self._term(cut, node.state)
        while others and self.blocks.ask(cut, [mine]) is Result.SAT:  # a model shows which ones cannot cover it
            others = [other for other in others if self.blocks.value(cut, self._term(cut, other.state))]
            if others and self.blocks.implies(cut, [mine], self._term(cut, others[0].state)):
                return others[0]
            others = others[1:]
        return None

    def refine(self, path: Sequence[ArgNode], facts: Sequence[Sequence[Expression]]) -> bool:
        """Make the precisions at the nodes of a path (the root left out) contain the facts; whether that changes it.

        Of the facts it matters that they are there; what else they bring into the precision is up to the domain.
        The subtree behind the first node that was computed without one of its facts is removed and computed again.
        """
        pivot: ArgNode | None = None
        for node, needed in zip(path[1:], facts, strict=True):
            assert node.cut is not None
            self.add_predicates(node.cut, self.domain.predicates(needed))
            if pivot is None and not frozenset(needed) <= frozenset(node.precision):
                pivot = node
        if pivot is None:
            return False
        self._recompute(pivot)
        return True

    def add_predicates(self, cut: Node, predicates: Sequence[Expression]) -> None:
        """Let new nodes at a cut point have these predicates too."""
        self.precisions[cut] = tuple(dict.fromkeys((*self.precisions.get(cut, ()), *predicates)))

    def _recompute(self, pivot: ArgNode) -> None:
        """Remove a node with its siblings of the same block end and all behind them, and schedule its parent."""
        parent, cut = pivot.parent, pivot.cut
        assert parent is not None
        assert cut is not None
        removed = {node.number for sibling in parent.children.pop(cut) for node in _subtree(sibling)}
        for number in removed:
            del self.nodes[number]
        parent.finished = False
        self._schedule(parent)
        for node in self.nodes.values():
            if node.covered_by is not None and node.covered_by.number in removed:
                node.covered_by = None
                self._schedule(node)

    @property
    def frontier(self) -> list[ArgNode]:
        """The nodes that are still to be explored."""
        return [node for node in self.nodes.values() if node.covered_by is None and not node.finished]

    def states_at(self, cut: Node) -> list[AbstractState]:
        """The abstract states at a cut point that are not covered by others."""
        return [node.state for node in self.nodes.values() if node.cut == cut and node.covered_by is None]


def _subtree(node: ArgNode) -> Iterator[ArgNode]:
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        for children in current.children.values():
            pending += children
