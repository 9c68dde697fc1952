"""The monitor: a variable that follows the runs of an automaton, woven into the text of a program."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from gia.cfa.c_expressions import expression_to_c
from gia.cfa.expressions import COMPARISONS, Binary, Expression, Variable, variables_of
from gia.cfa.graph import Program
from gia.cfa.types import StructType
from gia.errors import InternalError
from gia.frontend.probes import ConditionProbe, StatementProbe, Visible
from gia.reducer.flow import BEFORE, Flow, Node, backwards
from gia.reducer.points import Point, Points
from gia.reducer.tracking import ANYTHING, Decision, Test, Track
from gia.reducer.woven import STATE, STOP, Woven


class _Names(Struct, frozen=True):
    """How the text mentions what a test is about: see :class:`gia.cfa.naming.Namer`."""

    visible: Visible | None
    results: frozenset[Variable]

    def variable(self, variable: Variable) -> str:
        name = variable.name if variable in self.results else self.visible and self.visible.name_of(variable)
        if not name:
            raise InternalError(f"the variable {variable} cannot be mentioned here")
        return name

    def function(self, name: str) -> str:
        return name

    def type(self, type_: StructType) -> str:
        return str(type_)

    def member(self, name: str) -> str:
        return name


class _Place(Struct):
    """One point, and for each edge that is taken (:data:`BEFORE` for statements) the nodes that decide there."""

    point: Point
    nodes: dict[int, list[Node]] = field(default_factory=dict)


class Weaver:
    """Turns what :class:`~gia.reducer.flow.Flow` has found into text."""

    def __init__(self, program: Program, points: Points, flow: Flow, entry: Node, needed: set[Node]) -> None:
        self._program = program
        self._points = points
        self._flow = flow
        self._entry = entry
        self._needed = needed
        self._results = {variable: probe for probe, variable in points.results.values()}
        self._used: dict[Variable, None] = {}
        self._numbers: dict[Track, int] = {}
        self._assigned = False
        self.woven = Woven(program, points)

    def weave(self) -> Woven:
        """All that is to be added; nothing if no path is to be cut."""
        nodes = self._flow.nodes
        self._cutting = backwards(nodes, [node for node in nodes if self._cuts_at(node)])
        if self._entry not in self._cutting:
            return self.woven
        self._number(self._entry.state)
        places = self._places()
        bodies = [(place, self._body(place)) for place in places]
        for place, body in bodies:
            if body is not None:
                self._add(place, *body)
        for variable in self._used:
            self.woven.keep_result(self._results[variable], variable)
        return self.woven

    # ------------------------------------------------------------------ what matters
    def _goes_to(self, node: Node, key: int, leaf: Decision) -> Node | None:
        """Where the program goes on after a leaf of a decision; ``None`` where its path is not needed."""
        if not isinstance(leaf, Track) or leaf.is_dead:
            return None
        target = self._flow.nodes[node].leads[key, leaf]
        return target if target in self._needed else None

    def _cuts_at(self, node: Node) -> bool:
        """Whether some path ends in a decision at this node."""
        return any(
            self._goes_to(node, key, leaf) is None
            for key, decision in self._flow.nodes[node].decisions.items()
            for leaf in _leaves(decision)
        )

    def _places(self) -> list[_Place]:
        """The places at which the monitor is at work, in the order of the text."""
        found: dict[int, _Place] = {}
        seen, pending = {self._entry}, [self._entry]
        while pending:
            node = pending.pop()
            followed = self._flow.nodes[node]
            following = list(followed.unobserved)
            for key, decision in followed.decisions.items():
                point = self._points.before[node.location] if key == BEFORE else self._points.behind[key]
                place = found.setdefault(point.number, _Place(point))
                place.nodes.setdefault(key, []).append(node)
                leads = (self._goes_to(node, key, leaf) for leaf in _leaves(decision))
                following += [target for target in leads if target is not None and target in self._cutting]
            for target in following:
                if target not in seen:
                    seen.add(target)
                    pending.append(target)
        return sorted(found.values(), key=lambda place: (place.point.start, -place.point.end, place.point.number))

    # ------------------------------------------------------------------ the text of one place
    def _number(self, state: Track) -> int:
        return self._numbers.setdefault(state, len(self._numbers))

    def _body(self, place: _Place) -> tuple[list[str], dict[int, dict[str, list[Track]]]] | None:
        """The tests to make at a place, and for each edge the code with the states in which it is to run."""
        visible = place.point.visible if isinstance(place.point, ConditionProbe | StatementProbe) else None
        names = _Names(visible, frozenset(self._results))
        tests: dict[str, str] = {}
        code: dict[int, dict[str, list[Track]]] = {}
        for key in sorted(place.nodes):
            for node in place.nodes[key]:
                text = self._code(self._flow.nodes[node].decisions[key], node, key, names, tests)
                if text:
                    code.setdefault(key, {}).setdefault(text, []).append(node.state)
        return (list(tests), code) if code else None

    def _code(self, decision: Decision, node: Node, key: int, names: _Names, tests: dict[str, str]) -> str:
        """What a decision does, as C; empty if it changes nothing."""
        if isinstance(decision, Test):
            self.woven.tests += 1
            holds = self._code(decision.holds, node, key, names, tests)
            fails = self._code(decision.fails, node, key, names, tests)
            if holds == fails:
                return holds
            test = tests.setdefault(self._truth(decision.condition, names), f"test{len(tests) + 1}")
            if not holds:
                return f"if (!{test}) {{ {fails} }}"
            return f"if ({test}) {{ {holds} }}" + (f" else {{ {fails} }}" if fails else "")
        target = self._goes_to(node, key, decision)
        if target is None:
            self.woven.cuts += 1
            return f"{STOP}();"
        after = target.state if target in self._cutting else ANYTHING
        if after == node.state:
            return ""
        self._assigned = True
        return f"{STATE} = {self._number(after)};"

    def _truth(self, test: Expression, names: _Names) -> str:
        mentioned = variables_of(test)
        self._used.update(dict.fromkeys(variable for variable in self._results if variable in mentioned))
        text = expression_to_c(test, names)
        return text if isinstance(test, Binary) and test.operator in COMPARISONS else f"!!({text})"

    # ------------------------------------------------------------------ functions and wraps
    def _add(self, place: _Place, tests: list[str], code: dict[int, dict[str, list[Track]]]) -> None:
        point = place.point
        if isinstance(point, StatementProbe):
            (body,) = (self._by_state(found) for found in code.values())
            self.woven.add_statement(point, tests, body)
        elif isinstance(point, ConditionProbe):
            outcomes = [self._by_state(code[edge]) if edge in code else "" for edge in point.edges]
            self.woven.add_condition(point, tests, outcomes)
        else:
            self.woven.add_switch(point, tests, {edge: self._by_state(found) for edge, found in code.items()})

    def _by_state(self, code: Mapping[str, list[Track]]) -> str:
        """Code that depends on the monitor state."""
        if not self._assigned:
            (only,) = code
            return only
        pieces = []
        for text, states in code.items():
            labels = " ".join(f"case {number}:" for number in sorted(self._number(state) for state in states))
            pieces.append(f"{labels} {text} break;")
        return f"switch ({STATE}) {{ {' '.join(pieces)} }}"


def _leaves(decision: Decision) -> list[Decision]:
    """What a decision may come to, each once."""
    found: list[Decision] = []
    seen: set[Decision] = set()
    pending = [decision]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        if isinstance(current, Test):
            pending += [current.fails, current.holds]
        else:
            found.append(current)
    return found
