"""The product of a program and the runs of an automaton, function by function.

A *copy* of a function is the function with the track at its entry. What a copy's callers need to know of it are its
*outcomes*: how the runs can go on over its return edges. Copies and outcomes are found together, by a work list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from gia.cfa.closure import closure
from gia.cfa.expressions import Storage, Variable
from gia.cfa.graph import Edge, Function, Program
from gia.cfa.operations import Call, Input, Return
from gia.cfa.types import CType
from gia.reducer.conditions import Conditions
from gia.reducer.tracking import ANYTHING, Decision, Moves, Test, Track, Tracker


class CopyKey(NamedTuple):
    """A function, entered with this track."""

    function: str
    track: Track


class ProductNode(NamedTuple):
    """A location of a copy's function, reached with this track."""

    location: int
    track: Track


class Copy(Struct):
    """A copy of a function and what is known of it.

    ``decisions`` says how each edge that leaves a node goes on: after the edge, for a call of a defined function
    before it. ``returns`` are the outcomes of the return edges.
    """

    key: CopyKey
    function: Function
    nodes: dict[ProductNode, None] = field(default_factory=dict)
    decisions: dict[tuple[ProductNode, int], Decision] = field(default_factory=dict)
    returns: dict[tuple[ProductNode, int], Moves] = field(default_factory=dict)
    outcomes: dict[Moves, None] = field(default_factory=dict)
    callers: list[tuple[Copy, ProductNode, Edge]] = field(default_factory=list)

    @property
    def entry(self) -> ProductNode:
        """Where the copy begins."""
        return ProductNode(self.function.entry, self.key.track)


Place = tuple[CopyKey, ProductNode]


class Exploration:
    """The reachable part of the product.

    ``unfollowed`` names functions that are called as they are, not copied. Beyond ``most_nodes`` nodes new tracks
    are given up for :data:`ANYTHING`, of which nothing is cut.
    """

    def __init__(
        self, program: Program, tracker: Tracker, conditions: Conditions, unfollowed: frozenset[str], most_nodes: int
    ) -> None:
        self.program = program
        self.tracker = tracker
        self.conditions = conditions
        self.unfollowed = unfollowed
        self.copies: dict[CopyKey, Copy] = {}
        self.gave_up = False
        self._most_nodes = most_nodes
        self._size = 0
        self._pending: list[tuple[Copy, ProductNode]] = []
        self._before: dict[Place, set[Place]] = {}
        self._results: list[tuple[str, Variable]] = []
        self._after_return: dict[tuple[str, int, Moves], Decision] = {}

    def run(self, start: Track) -> CopyKey:
        """Explore all that is reachable from the entry function with this track; the key of its copy."""
        root = self._copy(self.program.entry, start)
        while self._pending:
            copy, node = self._pending.pop()
            for edge in copy.function.leaving[node.location]:
                self._visit(copy, node, edge, is_root=copy is root)
        return root.key

    def needed(self) -> frozenset[Place]:
        """The nodes from which a path can still become (or has become) needed: lines 3 to 13 of Algorithm 1."""
        sure = {(copy.key, node) for copy in self.copies.values() for node in copy.nodes if node.track.maybe is None}
        return frozenset(closure(sure, self._before))

    def copy_of(self, function: str, track: Track) -> Copy:
        """The copy that a call with this track enters."""
        return self.copies.get(CopyKey(function, track)) or self.copies[CopyKey(function, ANYTHING)]

    @staticmethod
    def node_of(copy: Copy, location: int, track: Track) -> ProductNode:
        """The node that a step to ``location`` with this track reaches."""
        node = ProductNode(location, track)
        return node if node in copy.nodes else ProductNode(location, ANYTHING)

    def after_return(self, caller: Copy, call: Edge, outcome: Moves) -> Decision:
        """How the caller goes on after a call that ended with ``outcome``."""
        function = caller.key.function
        key = (function, call.number, outcome)
        if key not in self._after_return:
            self._after_return[key] = self.tracker.decide(
                outcome, lambda condition: self.conditions.after(condition, call, function)
            )
        return self._after_return[key]

    def result_variable(self, function: str, type_: CType) -> Variable:
        """The temporary of a function that holds what an input of this type returned, for conditions to test."""
        found = [variable for name, variable in self._results if name == function]
        for variable in found:
            if variable.type == type_:
                return variable
        name = "$result" if not found else f"$result${len(found) + 1}"
        made = Variable(name, type_, Storage.TEMPORARY, function)
        self._results.append((function, made))
        return made

    def _copy(self, function: str, track: Track) -> Copy:
        """The copy with this key; a new one begins to be explored."""
        key = CopyKey(function, track)
        if key not in self.copies:
            if self._is_full(track):
                return self._copy(function, ANYTHING)
            copy = self.copies[key] = Copy(key, self.program.functions[function])
            self._node(copy, copy.function.entry, track)
        return self.copies[key]

    def _is_full(self, track: Track) -> bool:
        full = self._size >= self._most_nodes and track != ANYTHING
        self.gave_up |= full
        return full

    def _node(self, copy: Copy, location: int, track: Track) -> ProductNode:
        node = ProductNode(location, track)
        if node not in copy.nodes:
            if self._is_full(track):
                return self._node(copy, location, ANYTHING)
            copy.nodes[node] = None
            self._size += 1
            self._pending.append((copy, node))
        return node

    def _visit(self, copy: Copy, node: ProductNode, edge: Edge, *, is_root: bool) -> None:
        """Follow one edge from a node."""
        moves = self.tracker.moves(node.track, edge.reference)
        function = copy.key.function
        match edge.operation:
            case Call(function=name) if name in self.program.functions:
                decision = self.tracker.decide(
                    moves, lambda condition: self.conditions.before_call(condition, edge, function)
                )
                copy.decisions[node, edge.number] = decision
                for track in tracks_of(decision):
                    self._call(copy, node, edge, track)
                return
            case Return():
                copy.returns[node, edge.number] = moves
                copy.outcomes[moves] = None
                for caller, _, call in list(copy.callers):
                    self._return(copy, node, caller, call, moves)
                if not is_root:
                    return
        result = None
        if isinstance(edge.operation, Input):
            result = self.result_variable(function, edge.operation.type)
        decision = self.tracker.decide(
            moves, lambda condition: self.conditions.after(condition, edge, function, result)
        )
        copy.decisions[node, edge.number] = decision
        for track in tracks_of(decision):
            self._link((copy.key, node), (copy.key, self._node(copy, edge.target, track)))

    def _call(self, copy: Copy, node: ProductNode, edge: Edge, track: Track) -> None:
        """Enter the callee of ``edge`` with a track."""
        operation = edge.operation
        assert isinstance(operation, Call)
        if operation.function in self.unfollowed:
            after = self.tracker.after_anything(track)
            if isinstance(after, Track) and not after.is_dead:
                self._link((copy.key, node), (copy.key, self._node(copy, edge.target, after)))
            return
        callee = self._copy(operation.function, track)
        self._link((copy.key, node), (callee.key, callee.entry))
        callee.callers.append((copy, node, edge))
        for (source, _), moves in list(callee.returns.items()):
            self._return(callee, source, copy, edge, moves)

    def _return(self, callee: Copy, source: ProductNode, caller: Copy, call: Edge, outcome: Moves) -> None:
        """Go on in the caller after the return from node ``source`` of its callee."""
        for track in tracks_of(self.after_return(caller, call, outcome)):
            self._link((callee.key, source), (caller.key, self._node(caller, call.target, track)))

    def _link(self, source: Place, target: Place) -> None:
        self._before.setdefault(target, set()).add(source)


def tracks_of(decision: Decision) -> Iterator[Track]:
    """The tracks with which a decision may go on, each once, without those that make it pointless to go on."""
    found: dict[Track, None] = {}
    seen: set[Decision] = set()
    pending = [decision]
    while pending:
        current = pending.pop()
        if isinstance(current, Test):
            if current not in seen:
                seen.add(current)
                pending += [current.fails, current.holds]
        elif isinstance(current, Track) and not current.is_dead:
            found[current] = None
    yield from found
