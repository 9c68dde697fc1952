r"""Violation witnesses in YAML as GIAs: the paths that pass the waypoints are candidates, and their values make a test.

A witness is a claim of another tool, so that its path is ``cand`` until a test was executed (DESIGN §8). A segment is a
state; the path stays there on every edge (but for those that a waypoint to be avoided excludes) and may leave it on the
edges of the segment's last waypoint. Deviations from the format, all towards more candidates: a waypoint that cannot be
found in the program is passed silently, an assumption that cannot be evaluated is true. Each is reported.
"""

from __future__ import annotations

from collections.abc import Sequence

from gia.automaton.initial import metadata_of
from gia.automaton.model import ANY, Acceptance, Condition, State
from gia.automaton.wellformed import READING_KINDS
from gia.cfa.goals import Goal
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Input
from gia.errors import InputError
from gia.exchange.imported import Imported, goal_edges
from gia.exchange.source.program_places import ProgramPlaces
from gia.exchange.steps import SILENT, Step, automaton_of
from gia.exchange.suites.input_values import InputGuess
from gia.exchange.witness.model import Segment, Waypoint
from gia.frontend.exchange_expressions import parse_expression


def import_violation(program: Program, goals: Sequence[Goal], segments: Sequence[Segment]) -> Imported:
    """The path of a violation witness as a candidate, and the test that its values make."""
    return _Import(program, goals).run(segments)


class _Import:
    """One import; collects notes and the values of inputs."""

    def __init__(self, program: Program, goals: Sequence[Goal]) -> None:
        self._program = program
        self._places = ProgramPlaces.of(program)
        self._goals = goals
        self._goal_edges = goal_edges(program, goals)
        self._notes: dict[str, None] = {}
        self._guess = InputGuess(program)

    def run(self, segments: Sequence[Segment]) -> Imported:
        """The whole witness."""
        steps: list[Step] = []
        for state, segment in enumerate(segments):
            steps += self._segment(state, segment)
        last = len(segments)
        if not segments or not any(waypoint.kind == "target" for waypoint in segments[-1]):
            steps += [Step(last, last, ANY), Step(last, last + 1, self._goal_edges)]
            last += 1
        states = [*(State() for _ in range(last)), State(None, Acceptance.CAND)]
        automaton = automaton_of(states, steps, 0, metadata_of(self._program))
        return Imported(automaton, (self._guess.test(),), tuple(self._notes))

    def _note(self, waypoint: Waypoint, text: str) -> None:
        self._notes[f"{waypoint.place}: the waypoint {waypoint.kind} {text}"] = None

    def _segment(self, state: int, segment: Segment) -> list[Step]:
        """The steps from one segment to the next."""
        avoided: list[Step] = []
        follow = None
        for waypoint in segment:
            if waypoint.follow:
                follow = waypoint
            else:
                avoided += self._avoided(state, waypoint)
        steps = self._staying(state, avoided)
        if follow is None:
            return [*steps, Step(state, state + 1, SILENT)]
        found = self._passing(follow, state, state + 1)
        if not found:
            self._note(follow, "is not found in the program and is passed over")
            found = [Step(state, state + 1, SILENT)]
        return [*steps, *found]

    def _staying(self, state: int, avoided: list[Step]) -> list[Step]:
        """The loops of a segment: on every edge, under the negated assumption on those to be avoided."""
        if not avoided:
            return [Step(state, state, ANY)]
        assumptions: dict[EdgeReference, Condition | None] = {}
        for step in avoided:
            for edge in step.edges or ():
                if edge in assumptions or step.assumption is None:
                    assumptions[edge] = None
                else:
                    assumptions[edge] = Condition(f"!({step.assumption.text})", step.assumption.scope)
        free = _references(self._program.edge_list) - frozenset(assumptions)
        loops = [Step(state, state, frozenset({edge}), other) for edge, other in assumptions.items() if other]
        return [Step(state, state, free), *loops]

    def _avoided(self, state: int, waypoint: Waypoint) -> list[Step]:
        """The edges that a waypoint forbids, each only if that is exactly what it means."""
        found = self._passing(waypoint, state, state, avoiding=True)
        if waypoint.constraint and waypoint.kind != "branching" and any(step.assumption is None for step in found):
            self._note(waypoint, "is to be avoided under a condition that cannot be expressed, and is not avoided")
            return []
        if not found:
            self._note(waypoint, "is to be avoided, but is not found in the program")
        return found

    # ---- one waypoint

    def _passing(self, waypoint: Waypoint, source: int, target: int, *, avoiding: bool = False) -> list[Step]:
        """The steps that pass a waypoint; empty if it cannot be found."""
        if not self._places.is_here(waypoint.place):
            return []
        match waypoint.kind:
            case "branching":
                edges = self._branches(waypoint)
                return [Step(source, target, _references(edges))] if edges else []
            case "assumption":
                return self._assumption(waypoint, source, target, avoiding)
            case "function_enter":
                edges = self._places.calls(waypoint.place)
                return [Step(source, target, _references(edges))] if edges else []
            case "function_return":
                return self._returning(waypoint, source, target, avoiding)
        return [Step(source, target, self._targets(waypoint))]

    def _branches(self, waypoint: Waypoint) -> list[Edge]:
        wanted = waypoint.constraint.strip().lower()
        names = {"true": ("then",), "false": ("else",), "default": ("default", "none")}.get(wanted, (f"case {wanted}",))
        found = self._places.decisions(waypoint.place)
        return [edge for edge in found if edge.reference.branch in names]

    def _assumption(self, waypoint: Waypoint, source: int, target: int, avoiding: bool) -> list[Step]:
        """A condition in front of a statement holds behind every edge that leads there."""
        steps = []
        for location in self._places.statement_starts(waypoint.place):
            scope = self._program.function_of_location[location]
            assumption = self._condition(waypoint, Condition(waypoint.constraint, scope))
            entering = self._places.entering.get(location, [])
            if location == self._program.functions[self._program.entry].entry:
                self._note(waypoint, "stands where the program begins; its assumption is left out")
                steps.append(Step(source, target, SILENT))
            steps += [Step(source, target, frozenset({edge.reference}), assumption) for edge in entering]
            if not avoiding and assumption is not None:
                for edge in entering:
                    self._guess.learn(edge, assumption)
        return steps

    def _returning(self, waypoint: Waypoint, source: int, target: int, avoiding: bool) -> list[Step]:
        r"""A constraint on ``\result`` behind a call."""
        steps = []
        for edge in self._places.calls(waypoint.place):
            assumption = None
            if isinstance(edge.operation, Input) and edge.reference.kind in READING_KINDS:
                scope = edge.reference.function
                assumption = self._condition(waypoint, Condition(waypoint.constraint, scope), edge)
                if not avoiding:
                    self._guess.read(edge, assumption)
            elif waypoint.constraint:
                self._note(
                    waypoint, f"constrains what {edge.text} returns, which is no input; the constraint is left out"
                )
            steps.append(Step(source, target, frozenset({edge.reference}), assumption))
        return steps

    def _targets(self, waypoint: Waypoint) -> frozenset[EdgeReference]:
        """The edges of the goals at the place; of all goals if there is none."""
        here = {edge.reference for edge in self._places.on_line(waypoint.place)} & self._goal_edges
        column = {edge for edge in here if edge.column == waypoint.place.column}
        if not here:
            self._note(waypoint, "is no goal of the task; every goal is taken instead")
        return frozenset(column or here) or self._goal_edges

    def _condition(self, waypoint: Waypoint, condition: Condition, edge: Edge | None = None) -> Condition | None:
        """The condition, or ``None`` and a note if it cannot be evaluated."""
        if not condition.text.strip() or condition.text.strip() in ("1", "true"):
            return None
        result = edge.operation.type if edge is not None and isinstance(edge.operation, Input) else None
        try:
            parse_expression(condition.text, condition.scope, self._program, result=result)
        except InputError as problem:
            self._note(waypoint, f"has an assumption that is left out: {problem.message}")
            return None
        return condition


def _references(edges: Sequence[Edge]) -> frozenset[EdgeReference]:
    return frozenset(edge.reference for edge in edges)
