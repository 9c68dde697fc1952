"""The runs of an automaton along a program whose text can follow them only at some places.

Source: the product in Algorithm 1 of Haltermann & Wehrheim, SoSyM 2024; the monitor is that of Daca, Gupta & Henzinger,
VMCAI 2016. Deviations: the program is not unrolled. It keeps one *monitor state*, the track with which it left the last
place where it was observed; what happens between two places is computed here, for each location and monitor state, and
joined where ways meet (of what is surely covered the intersection, of what may be a candidate the union). Calls
are followed without contexts: a function returns to all that call it. Both only make the reduction less exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct, field

from gia.automaton.model import Condition
from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.closure import closure
from gia.cfa.expressions import Expression, Variable, variables_of
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call, Input, Return
from gia.frontend.probes import ConditionProbe, StatementProbe, Visible
from gia.reducer.conditions import Conditions, Value
from gia.reducer.effects import Writes
from gia.reducer.exploration import tracks_of
from gia.reducer.pending import Open, Pending, join, pending
from gia.reducer.points import Point, Points, can_be_tested
from gia.reducer.tracking import ANYTHING, COVERED, Covered, Decision, Test, Track, Tracker

DEAD = Open(frozenset(), frozenset())
"""What is known on paths that are not needed: they are covered, or can no longer become candidates."""

_MOST_OPEN = 6
"""How many conditions one run may leave to be tested later."""
_MOST_LEAVES = 600
"""How large the text of one decision may be."""


class Node(NamedTuple):
    """A location, before or behind (``passed``) the place of the statement that begins there, and a monitor state."""

    location: int
    passed: bool
    state: Track


class Followed(Struct):
    """What is known at a node: the runs, and how the monitor goes on from here.

    ``decisions`` has the decision for each edge whose condition is observed, and under -1 that of the place before
    the statement; ``leads`` says where each of its tracks leads. ``successors`` are all nodes that can be next,
    ``unobserved`` those to which no decision leads.
    """

    runs: Open
    decisions: dict[int, Decision] = field(default_factory=dict)
    leads: dict[tuple[int, Track], Node] = field(default_factory=dict)
    successors: list[Node] = field(default_factory=list)
    unobserved: list[Node] = field(default_factory=list)


BEFORE = -1
"""The key of the decision before a statement in :attr:`Followed.decisions`."""


class Flow:
    """Follows the runs through the program.

    ``left_alone`` names functions of which nothing is observed. Beyond ``most_nodes`` no new monitor states are made.
    """

    def __init__(
        self,
        program: Program,
        tracker: Tracker,
        conditions: Conditions,
        points: Points,
        *,
        left_alone: frozenset[str],
        most_nodes: int,
    ) -> None:
        self.nodes: dict[Node, Followed] = {}
        self.gave_up = False
        self._program = program
        self._tracker = tracker
        self._conditions = conditions
        self._points = points
        self.left_alone = left_alone
        self._most_nodes = most_nodes
        self._writes = Writes(program)
        self._results = frozenset(variable for _, variable in points.results.values())
        self._function_of = program.function_of_location
        self._leaving = {
            location: edges for function in program.functions.values() for location, edges in function.leaving.items()
        }
        self._exits = {function.exit: name for name, function in program.functions.items()}
        self._callers: dict[str, dict[int, Edge]] = {}
        self._ends: dict[str, dict[Node, None]] = {}
        self._pending: dict[Node, None] = {}
        self._sayable: dict[tuple[int, Expression], bool] = {}
        self._texts: dict[Expression, str] = {}

    def run(self) -> Node:
        """Follow everything from the entry on; the node where the program starts."""
        start = self._tracker.start()
        live = isinstance(start, Track) and not start.is_dead
        state = start if isinstance(start, Track) else Track(frozenset(), frozenset())
        entry = Node(self._program.functions[self._program.entry].entry, False, state)
        self._reach(entry, self._runs_of(state) if live else DEAD)
        while self._pending:
            node = next(iter(self._pending))
            del self._pending[node]
            self._visit(node)
        return entry

    def needed(self) -> set[Node]:
        """The nodes from which a path can still become (or has become) needed: lines 3 to 13 of Algorithm 1."""
        return backwards(self.nodes, (node for node, found in self.nodes.items() if found.runs.maybe is None))

    # ------------------------------------------------------------------ the work list
    def _reach(self, node: Node, runs: Open) -> Node:
        known = self.nodes.get(node)
        if known is None:
            self.nodes[node] = Followed(runs)
            self._pending[node] = None
        else:
            joined = join(known.runs, runs)
            if joined != known.runs:
                known.runs = joined
                self._pending[node] = None
        return node

    def _visit(self, node: Node) -> None:
        found = self.nodes[node]
        found.successors, found.unobserved, found.decisions, found.leads = [], [], {}, {}
        if node.state == ANYTHING:
            return  # nothing is cut from here on
        place = None if node.passed else self._points.before.get(node.location)
        if place is not None:
            self._observe(node, BEFORE, found.runs, node.location, place, passed=True)
            return
        for edge in self._leaving[node.location]:
            self._follow(node, found, edge)
        if node.location in self._exits:
            name = self._exits[node.location]
            self._ends.setdefault(name, {})[node] = None
            for call in list(self._callers.get(name, {}).values()):
                self._return(node, call)

    def _follow(self, node: Node, found: Followed, edge: Edge) -> None:
        """Follow one edge from a node."""
        runs = self._after(found.runs, edge)
        operation = edge.operation
        decider = self._points.behind.get(edge.number)
        if decider is not None:
            self._observe(node, edge.number, runs, edge.target, decider, passed=False)
        elif isinstance(operation, Call) and operation.function in self._program.functions:
            if operation.function in self.left_alone:
                runs = self._after_anything(runs)
                self._go(found, Node(edge.target, False, node.state), runs)
            else:
                self._call(node, found, edge, operation.function, runs)
        else:
            self._go(found, Node(edge.target, False, node.state), runs)

    def _go(self, found: Followed, target: Node, runs: Open) -> None:
        found.successors.append(self._reach(target, runs))
        found.unobserved.append(target)

    def _call(self, node: Node, found: Followed, edge: Edge, callee: str, runs: Open) -> None:
        self._go(found, Node(self._program.functions[callee].entry, False, node.state), runs)
        callers = self._callers.setdefault(callee, {})
        if edge.number not in callers:
            callers[edge.number] = edge
            for end in list(self._ends.get(callee, {})):
                self._return(end, edge)

    def _return(self, end: Node, call: Edge) -> None:
        """Go on behind a call of the function at whose exit ``end`` is."""
        runs = self.nodes[end].runs

        def keeps(move: Pending) -> bool:
            return not any(self._writes.stored_by(call.operation, variables_of(test)) for test, _ in move.open)

        if any(move.open for move in (*runs.sure, *(runs.maybe or ()))):
            maybe: frozenset[Pending] | None = None
            if runs.maybe is not None:
                maybe = self._maybe(move if keeps(move) else Pending(move.target, frozenset()) for move in runs.maybe)
            runs = Open(frozenset(filter(keeps, runs.sure)), maybe)
        self._go(self.nodes[end], Node(call.target, False, end.state), runs)

    # ------------------------------------------------------------------ places
    def _observe(self, node: Node, key: int, runs: Open, location: int, point: Point, *, passed: bool) -> None:
        """Let the program decide at a place, and go on with the states that come of it."""
        found = self.nodes[node]
        if runs == DEAD:
            found.decisions[key] = COVERED
            return
        decision = self._decision(runs, point)
        found.decisions[key] = decision
        for track in tracks_of(decision):
            target = Node(location, passed, self._admitted(location, passed, track))
            found.successors.append(self._reach(target, self._runs_of(track)))
            found.leads[key, track] = target

    def _admitted(self, location: int, passed: bool, track: Track) -> Track:
        """The track as monitor state, unless there are too many nodes."""
        if Node(location, passed, track) in self.nodes or len(self.nodes) < self._most_nodes:
            return track
        self.gave_up |= track != ANYTHING
        return ANYTHING

    def _decision(self, runs: Open, point: Point) -> Decision:
        tests = self._tests(runs, point)
        while True:
            decision = self._tracker.settle(runs, tests)
            if not tests or leaves(decision) <= _MOST_LEAVES:
                return decision
            tests = tests[: len(tests) // 2]

    def _tests(self, runs: Open, point: Point) -> list[Expression]:
        """The open conditions that the text can evaluate at a place, in a fixed order."""
        visible = point.visible if isinstance(point, ConditionProbe | StatementProbe) else None
        found = {test for move in (*runs.sure, *(runs.maybe or ())) for test, _ in move.open}
        return sorted((test for test in found if self._can_be_tested(test, visible, point)), key=self._text)

    def _can_be_tested(self, test: Expression, visible: Visible | None, point: Point) -> bool:
        key = (point.number, test)
        if key not in self._sayable:
            self._sayable[key] = can_be_tested(test, visible, self._results)
        return self._sayable[key]

    def _text(self, test: Expression) -> str:
        if test not in self._texts:
            self._texts[test] = expression_to_gia(test, "")
        return self._texts[test]

    # ------------------------------------------------------------------ edges
    def _after(self, runs: Open, edge: Edge) -> Open:
        """The runs after an edge."""
        if runs == DEAD or (not runs.sure and runs.maybe is None):
            return runs
        sure = frozenset(self._moved(runs.sure, edge, sure=True))
        if any(not move.open and move.target in self._tracker.final for move in sure):
            return DEAD
        maybe = None
        if runs.maybe is not None:
            maybe = self._maybe(self._moved(runs.maybe, edge, sure=False))
        return DEAD if maybe is not None and not maybe else Open(sure, maybe)

    def _maybe(self, moves: Iterable[Pending]) -> frozenset[Pending] | None:
        """The moves, or ``None`` if one of them has made the path a candidate."""
        found = frozenset(moves)
        done = any(not move.open and move.target in self._tracker.candidates for move in found)
        return None if done else found

    def _moved(self, moves: Iterable[Pending], edge: Edge, *, sure: bool) -> Iterator[Pending]:
        arrived = self._tracker.final if sure else self._tracker.candidates
        for move in moves:
            still_open = frozenset(need for need in move.open if not self._is_changed(need[0], edge))
            if sure and len(still_open) < len(move.open):
                continue
            if move.target in arrived:
                yield Pending(move.target, still_open)
                continue
            ways = self._tracker.moves_of(move.target, edge.reference, sure=sure)
            values = {condition: self._value(condition, edge) for way in ways for condition in way.conditions}
            for following in pending(ways, values, sure=sure):
                needs = still_open | following.open
                if any((test, not outcome) in needs for test, outcome in needs):
                    continue
                if len(needs) <= _MOST_OPEN:
                    yield Pending(following.target, needs)
                elif not sure:
                    yield Pending(following.target, still_open)

    def _is_changed(self, test: Expression, edge: Edge) -> bool:
        result = self._points.results.get(edge.number)
        variables = variables_of(test)
        if result is not None and result[1] in variables:
            return True
        return any(self._writes.may_change(edge.operation, v) for v in variables if v not in self._results)

    def _value(self, condition: Condition, edge: Edge) -> Value:
        """The value of a condition after an edge, in the function that goes on."""
        function = self._function_of[edge.source]
        result: Variable | None = None
        match edge.operation:
            case Call(function=name) if name in self._program.functions:
                function = name
            case Return():
                function = ""  # who called is not known
            case Input():
                result = self._points.results[edge.number][1] if edge.number in self._points.results else None
        return self._conditions.after(condition, edge, function, result)

    def _after_anything(self, runs: Open) -> Open:
        """The runs after a function of which nothing is observed."""
        if runs == DEAD:
            return DEAD
        sure = frozenset(move.target for move in runs.sure if not move.open)
        maybe = None if runs.maybe is None else frozenset(move.target for move in runs.maybe)
        after = self._tracker.after_anything(Track(sure, maybe))
        return DEAD if isinstance(after, Covered) or after.is_dead else self._runs_of(after)

    @staticmethod
    def _runs_of(track: Track) -> Open:
        nothing: frozenset[tuple[Expression, bool]] = frozenset()
        sure = frozenset(Pending(state, nothing) for state in track.sure)
        return Open(sure, None if track.maybe is None else frozenset(Pending(state, nothing) for state in track.maybe))


def backwards(nodes: dict[Node, Followed], goals: Iterable[Node]) -> set[Node]:
    """The nodes from which one of ``goals`` can be reached."""
    before: dict[Node, list[Node]] = {}
    for node, found in nodes.items():
        for successor in found.successors:
            before.setdefault(successor, []).append(node)
    return closure(goals, before)


def leaves(decision: Decision) -> int:
    """How many leaves a decision has when it is written as a tree."""
    known: dict[Decision, int] = {}

    def count(current: Decision) -> int:
        if not isinstance(current, Test):
            return 1
        if current not in known:
            known[current] = count(current.holds) + count(current.fails)
        return known[current]

    return count(decision)
