"""Cut points of a control graph and the loop-free blocks between them, each as one formula.

Source: R. W. Floyd, *Assigning meanings to programs*, 1967 (cut points and verification conditions); Beyer, Cimatti,
Griggio, Keremoglu & Sebastiani, *Software model checking via large-block encoding*, FMCAD 2009 (one formula for all
paths of a loop-free block).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Generic

from msgspec import Struct

from gia.cfa.closure import closure
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assume, Call
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState, merge
from gia.smt.encoding.summaries import as_entered, enter, leave, summarise
from gia.smt.invariants.control_graph import (
    Arc,
    ArcKey,
    ArcKind,
    ControlGraph,
    N,
    TooLargeError,
    check_deadline,
    edges_below,
    returning_functions,
)
from gia.smt.terms import BOOL, TRUE, Term, conjunction, negation


class Skeleton(Struct, Generic[N], frozen=True, dict=True):
    """The part of a graph that matters: its arcs, and cut points such that every cycle contains one.

    ``arcs`` has every node from which an edge of ``goals`` can be reached; other arcs are left out, except those of the
    goals. ``claims`` are the arcs of goals and those that the caller named. ``unknown`` are the cuts behind calls of
    which nothing is known: any state is possible there. ``borders`` are the cuts where functions begin and end that are
    looked at once for all calls. ``beyond`` are the goals' edges that may be executed inside unknown calls: nothing can
    be proven about them.
    """

    graph: ControlGraph[N]
    goals: frozenset[int]
    arcs: Mapping[N, tuple[Arc[N], ...]]
    cuts: tuple[N, ...]
    unknown: frozenset[N]
    borders: frozenset[N]
    beyond: frozenset[int]
    claims: frozenset[ArcKey[N]]

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges on its arcs, each once, in the order of their numbers."""
        found = {arc.edge.number: arc.edge for leaving in self.arcs.values() for arc in leaving}
        return tuple(found[number] for number in sorted(found))

    @cached_property
    def claims_on(self) -> Mapping[int, tuple[ArcKey[N], ...]]:
        """The claims about each edge, in the order of the exploration."""
        found: dict[int, list[ArcKey[N]]] = {}
        for node, leaving in self.arcs.items():
            for arc in leaving:
                key = ArcKey(node, arc.edge.number, arc.case)
                if key in self.claims and arc.kind is not ArcKind.ENTER:
                    found.setdefault(arc.edge.number, []).append(key)
        return {edge: tuple(keys) for edge, keys in found.items()}


def skeleton(
    program: Program,
    graph: ControlGraph[N],
    goals: frozenset[int],
    *,
    claimed: Callable[[ArcKey[N]], bool] = lambda arc: False,
    required: Callable[[N], bool] = lambda node: False,
    limit: int = 100_000,
    deadline: float = float("inf"),
) -> Skeleton[N]:
    """Explore a graph from its entry and choose its cut points.

    ``goals`` are edges. ``claimed`` names further arcs whose feasibility is of interest; it is called when everything
    has been explored. Those of them that end count as goals: what is behind them is missing because of the claim.
    ``required`` says which nodes have to be cut points; further ones are the heads of the cycles that remain.
    Raises :class:`TooLargeError` beyond ``limit`` nodes and :class:`OutOfTimeError`.
    """
    explored = _explore(graph, limit, deadline)

    def is_goal(node: N, arc: Arc[N]) -> bool:
        return arc.edge.number in goals or (arc.ends and claimed(ArcKey(node, arc.edge.number, arc.case)))

    useful = _reaching(explored, is_goal)
    arcs = {
        node: tuple(arc for arc in leaving if arc.points_into(useful) or is_goal(node, arc))
        for node, leaving in explored.items()
        if node in useful
    }
    every = [arc for leaving in arcs.values() for arc in leaving if not arc.ends]
    unknown = frozenset(arc.target for arc in every if arc.kind is ArcKind.UNKNOWN)
    borders = frozenset(arc.target for arc in every if arc.kind in (ArcKind.ENTER, ArcKind.LEAVE)) & arcs.keys()
    cuts = {node for node in arcs if node in unknown or node in borders or required(node)}
    cuts |= _cycle_heads(arcs, [node for node in (graph.entry, *arcs) if node in arcs], cuts)
    claims = frozenset(
        key
        for node, leaving in arcs.items()
        for arc in leaving
        if arc.kind is not ArcKind.ENTER
        and (claimed(key := ArcKey(node, arc.edge.number, arc.case)) or arc.edge.number in goals)
    )
    ordered = tuple(node for node in arcs if node in cuts)
    return Skeleton(graph, goals, arcs, ordered, unknown, borders, _beyond(program, explored) & goals, claims)


def _beyond(program: Program, arcs: Mapping[N, tuple[Arc[N], ...]]) -> frozenset[int]:
    """The edges that may be executed inside the calls without a step."""
    calls = {arc.edge.operation for leaving in arcs.values() for arc in leaving if arc.kind is ArcKind.UNKNOWN}
    names = {call.function for call in calls if isinstance(call, Call)}
    returning = returning_functions(program) if names else frozenset()
    return frozenset().union(*(edges_below(program, name, returning) for name in sorted(names)))


def _explore(graph: ControlGraph[N], limit: int, deadline: float) -> dict[N, tuple[Arc[N], ...]]:
    """The arcs of every node that the entry reaches, in the order of discovery."""
    found: dict[N, tuple[Arc[N], ...]] = {}
    pending = [graph.entry]
    while pending:
        node = pending.pop()
        if node in found:
            continue
        if len(found) >= limit:
            raise TooLargeError
        if len(found) % 1024 == 0:
            check_deadline(deadline)
        found[node] = graph.arcs(node)
        pending.extend(arc.target for arc in reversed(found[node]) if not arc.ends)
    return found


def _reaching(arcs: Mapping[N, tuple[Arc[N], ...]], is_goal: Callable[[N, Arc[N]], bool]) -> set[N]:
    """The nodes from which a path leads over a goal."""
    sources: dict[N, list[N]] = {}
    pending = []
    for node, leaving in arcs.items():
        for arc in leaving:
            if arc.points_into(arcs):
                sources.setdefault(arc.target, []).append(node)
                if arc.contract is not None:
                    sources[arc.target].append(arc.contract)
            if is_goal(node, arc):
                pending.append(node)
    return closure(pending, sources)


def _cycle_heads(arcs: Mapping[N, tuple[Arc[N], ...]], roots: Iterable[N], cuts: set[N]) -> set[N]:
    """The targets of the back edges of a depth-first search that does not enter ``cuts``: they cut all other cycles."""
    heads: set[N] = set()
    finished: set[N] = set()
    active: set[N] = set()
    for root in roots:
        trail: list[tuple[N, Iterator[Arc[N]]]] = []
        if root not in finished:
            active.add(root)
            trail.append((root, iter(arcs[root])))
        while trail:
            node, leaving = trail[-1]
            for arc in leaving:
                if arc.target in cuts or arc.target in finished or not arc.leads_into(arcs):
                    continue
                if arc.target in active:
                    heads.add(arc.target)
                    continue
                active.add(arc.target)
                trail.append((arc.target, iter(arcs[arc.target])))
                break
            else:
                trail.pop()
                active.discard(node)
                finished.add(node)
    return heads


class Use(Struct, Generic[N], frozen=True):
    """A call that is summarised: it begins at ``entry`` in the state ``begin``, if the skeleton shows that.

    If ``returned`` holds, it has ended, and what holds at the node ``contract`` does so in ``end``.
    """

    contract: N
    returned: Term
    end: SymbolicState
    entry: N | None = None
    begin: SymbolicState | None = None


class Block(Struct, Generic[N], frozen=True):
    """What happens from one cut point (``start``; ``None``: the program's start) up to the next ones.

    ``initial`` is the state at the start, ``exits`` the state at each cut point that is reached; its guard holds for
    exactly the executions that reach it; of an execution that enters a summarised function by several calls, it is
    the state at any one of them. ``guards`` has the condition under which each claimed arc is taken, ``taking``
    the state in which it is (of an assumption: behind it), with that condition as its guard. ``uses`` are the calls on
    the block's paths that are summarised by contracts.
    """

    start: N | None
    initial: SymbolicState
    exits: Mapping[N, SymbolicState]
    guards: Mapping[ArcKey[N], Term]
    taking: Mapping[ArcKey[N], SymbolicState]
    uses: tuple[Use[N], ...] = ()


def first_block(shape: Skeleton[N], encoder: Encoder, deadline: float = float("inf")) -> Block[N]:
    """The block from the program's start, with its static objects initialised."""
    initial = encoder.initial_state()
    entry = shape.graph.entry
    if entry in shape.cuts:
        return Block(None, initial, {entry: initial}, {}, {})
    return _Execution(shape, encoder, None, initial).block(entry, deadline)


def block_from(shape: Skeleton[N], encoder: Encoder, cut: N, deadline: float = float("inf")) -> Block[N]:
    """The block from a cut point, where every object has an arbitrary value."""
    place = shape.graph.place(cut)
    initial = encoder.arbitrary_state(place)
    if cut in shape.borders:
        initial = as_entered(encoder.world, initial, place)
    return _Execution(shape, encoder, cut, initial).block(cut, deadline)


def block_behind(
    shape: Skeleton[N], encoder: Encoder, cut: N, initial: SymbolicState, deadline: float = float("inf")
) -> Block[N]:
    """The block from a cut point that is reached in a given state."""
    return _Execution(shape, encoder, cut, initial).block(cut, deadline)


class _Execution(Struct, Generic[N], frozen=True):
    """The execution of one block."""

    shape: Skeleton[N]
    encoder: Encoder
    start: N | None
    initial: SymbolicState

    def block(self, node: N, deadline: float) -> Block[N]:
        """Execute all paths from ``node`` up to the next cut points at once: states are merged where paths join."""
        cuts = frozenset(self.shape.cuts)
        states: dict[N, SymbolicState] = {node: self.initial}
        exits: dict[N, SymbolicState] = {}
        guards: dict[ArcKey[N], Term] = {}
        taking: dict[ArcKey[N], SymbolicState] = {}
        uses: list[Use[N]] = []
        for current in reverse_postorder(self.shape, node, cuts):
            check_deadline(deadline)
            state = states.pop(current, None)
            if state is None or state.guard.is_false:
                continue
            behind: dict[int, SymbolicState] = {}  # cases of one edge share what happens on it
            entered: dict[int, tuple[N, SymbolicState]] = {}
            for arc in self.shape.arcs.get(current, ()):
                number = arc.edge.number
                if arc.kind is ArcKind.ENTER:  # stands before the summary of the call
                    entered[number] = (arc.target, self._entering(state, arc, current))
                    if arc.leads_into(self.shape.arcs):
                        self._join_calls(exits, *entered[number])
                    continue
                if number not in behind:
                    behind[number] = self._step(state, arc, current)
                    if arc.contract is not None:
                        behind[number], use = self._summary(state, arc, current, entered.get(number))
                        uses.append(use)
                required = self._required(behind[number], arc)
                key = ArcKey(current, number, arc.case)
                if key in self.shape.claims:  # what ends the program on the edge does not prevent the edge
                    taken = behind[number] if isinstance(arc.edge.operation, Assume) else state
                    guards[key] = conjunction(taken.guard, required)
                    taking[key] = taken.with_guard(guards[key])
                after = behind[number].with_guard(conjunction(behind[number].guard, required))
                if after.guard.is_false or not arc.leads_into(self.shape.arcs):
                    continue
                _join(exits if arc.target in cuts else states, arc.target, after)
        return Block(self.start, self.initial, exits, guards, taking, tuple(uses))

    def _join_calls(self, exits: dict[N, SymbolicState], entry: N, state: SymbolicState) -> None:
        """One execution may enter a summarised function at several calls: which of them is looked at is left open."""
        known = exits.get(entry)
        if known is None:
            exits[entry] = state
            return
        earlier = self.encoder.world.names.fresh("earlier call", BOOL)
        exits[entry] = merge(
            known.with_guard(conjunction(known.guard, earlier)),
            state.with_guard(conjunction(state.guard, negation(earlier))),
        )

    def _entering(self, state: SymbolicState, arc: Arc[N], source: N) -> SymbolicState:
        """The state at the entry of a function that is looked at once for all calls."""
        place = self.shape.graph.place
        return enter(self.encoder.world, state, arc.edge, place(source).context, place(arc.target).context)

    def _summary(
        self, state: SymbolicState, arc: Arc[N], source: N, entered: tuple[N, SymbolicState] | None
    ) -> tuple[SymbolicState, Use[N]]:
        """The state behind a call that is summarised, and the use of its contract."""
        assert arc.contract is not None
        place = self.shape.graph.place
        frame = place(arc.contract).context
        summary = summarise(self.encoder.world, state, arc.edge, place(source).context, frame)
        return summary.after, Use(arc.contract, summary.returned, summary.end, *(entered or ()))

    def _step(self, state: SymbolicState, arc: Arc[N], source: N) -> SymbolicState:
        """The state behind the edge of an arc."""
        if arc.kind is ArcKind.LEAVE:
            return leave(self.encoder.world, state, arc.edge, self.shape.graph.place(source).context)
        if arc.step is None:
            return state
        return self.encoder.step(state, arc.step, self.shape.graph.place(source).context)

    def _required(self, after: SymbolicState, arc: Arc[N]) -> Term:
        """The requirements of an arc in the state behind its edge."""
        context = self.shape.graph.place(arc.target).context
        result = after.inputs.record.term if after.inputs and after.inputs.record else None
        required = TRUE
        for expression, outcome in arc.requirements:
            condition = self.encoder.condition(expression, after, context, result)
            required = conjunction(required, condition if outcome else negation(condition))
        return required


def _join(where: dict[N, SymbolicState], node: N, state: SymbolicState) -> None:
    known = where.get(node)
    where[node] = state if known is None else merge(known, state)


def reverse_postorder(shape: Skeleton[N], start: N, cuts: frozenset[N] = frozenset()) -> list[N]:
    """The nodes that ``start`` reaches without passing a cut point; only targets of back edges follow a predecessor.

    If every cycle has a cut point, each node stands before its successors.
    """
    done: list[N] = []
    seen = {start}
    trail = [(start, iter(shape.arcs.get(start, ())))]
    while trail:
        node, leaving = trail[-1]
        for arc in leaving:
            if arc.target not in seen and arc.target not in cuts and arc.leads_into(shape.arcs):
                seen.add(arc.target)
                trail.append((arc.target, iter(shape.arcs[arc.target])))
                break
        else:
            trail.pop()
            done.append(node)
    done.reverse()
    return done
