r"""Witnesses in GraphML as GIAs: a violation's path as a candidate, the invariants of a proof as a claim.

An edge of a witness is for the edges of our CFA that stand on its line and do what it says (enter a function, return
from one, decide a condition); what our CFA has no edge for is passed silently. In a node control stays on every edge
but the outcomes of conditions that the witness decides there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from gia.automaton.initial import metadata_of
from gia.automaton.model import ANY, Acceptance, Condition, State
from gia.cfa.goals import Goal
from gia.cfa.graph import Edge, EdgeReference, Program
from gia.cfa.operations import Assume, Input, Return
from gia.errors import DocumentError, InputError, Position
from gia.exchange.imported import Imported
from gia.exchange.source.program_places import ProgramPlaces, called
from gia.exchange.source.statement_text import references
from gia.exchange.steps import SILENT, Step, automaton_of
from gia.exchange.suites.input_values import InputGuess, reads_input
from gia.exchange.suites.testcase import TestCase
from gia.exchange.witness.graphml import GraphEdge, GraphNode, WitnessGraph
from gia.exchange.witness.invariants import claim_by_invariants
from gia.exchange.witness.model import Place
from gia.frontend.exchange_expressions import parse_expression

_LONGEST: Final = 20
"""How many lines an edge of a witness may span."""


def import_violation_graph(graph: WitnessGraph, program: Program, goals: Sequence[Goal], name: str) -> Imported:
    """The path of a violation witness as a candidate, and the test that its values make."""
    del goals
    return _Violation(graph, program, name).run()


def import_correctness_graph(graph: WitnessGraph, program: Program, goals: Sequence[Goal], name: str) -> Imported:
    """The invariants of a correctness witness as the claim that no goal can be reached."""
    return _Correctness(graph, program, name).run(goals)


class _Reading:
    """What both kinds share: finding the edges of the program."""

    def __init__(self, graph: WitnessGraph, program: Program, name: str) -> None:
        self.graph = graph
        self.program = program
        self.name = name
        self.places = ProgramPlaces.of(program)
        self.notes: dict[str, None] = {}
        self.numbers = {node.name: number for number, node in enumerate(graph.nodes)}
        for edge in graph.edges:
            for end in (edge.source, edge.target):
                if end not in self.numbers:
                    raise DocumentError(f"there is no node {end}", Position(name, edge.line))
        self._found: dict[int, tuple[Edge, ...]] = {}

    def note(self, line: int, text: str) -> None:
        """Remember something for the user."""
        self.notes[f"{Position(self.name, line)}: {text}"] = None

    def edges(self, edge: GraphEdge) -> tuple[Edge, ...]:
        """The edges of the program that a witness edge is for."""
        if id(edge) not in self._found:
            self._found[id(edge)] = tuple(self._edges(edge))
        return self._found[id(edge)]

    def _edges(self, edge: GraphEdge) -> list[Edge]:
        line = edge.number("startline") or 0
        entered, left = edge.data.get("enterFunction"), edge.data.get("returnFromFunction")
        if left is not None and left in self.program.functions:
            returns = [e for e in self.program.functions[left].edges if isinstance(e.operation, Return)]
            return [e for e in returns if e.reference.line == line] or returns
        last = min(max(line, edge.number("endline") or line), line + _LONGEST)
        found = [e for number in range(line, last + 1) for e in self.places.on_line(Place("", number))]
        if entered is not None:
            return [e for e in found if called(e) == entered]
        control = {"condition-true": "then", "condition-false": "else"}.get(edge.data.get("control", ""))
        if control is not None:
            outcomes = [e for e in found if isinstance(e.operation, Assume) and e.reference.branch == control]
            return self._covering(edge, outcomes)
        return [e for e in found if not isinstance(e.operation, Assume)]

    def _covering(self, edge: GraphEdge, outcomes: list[Edge]) -> list[Edge]:
        """Of several decisions on a line, that in whose condition the witness edge stands."""
        offset = edge.number("startoffset")
        if offset is None or len(outcomes) < 2 or offset >= len(self.places.text.text):
            return outcomes
        point = self.places.text.point(offset)
        before = [e for e in outcomes if (e.reference.line, e.reference.column) <= point]
        nearest = max((e.reference.column for e in before), default=0)
        return [e for e in before if e.reference.column == nearest] or outcomes

    def parsed(self, text: str, scopes: Sequence[str], edge: Edge | None = None) -> Condition | None:
        """The condition in the first scope in which it has a meaning; ``None`` if there is none."""
        result = edge.operation.type if edge is not None and isinstance(edge.operation, Input) else None
        for scope in scopes:
            try:
                parse_expression(text, scope, self.program, result=result)
            except InputError:
                continue
            return Condition(text, scope)
        return None


class _Violation(_Reading):
    """The import of a violation witness."""

    def run(self) -> Imported:
        """The automaton and the test."""
        entries = [number for number, node in enumerate(self.graph.nodes) if node.is_("entry")]
        if len(entries) != 1:
            raise DocumentError(f"expected one entry node, found {len(entries)}", Position(self.name))
        states = [State(None, Acceptance.CAND if node.is_("violation") else None) for node in self.graph.nodes]
        steps: list[Step] = []
        decided: dict[int, set[EdgeReference]] = {}
        for edge in self.graph.edges:
            source, target = self.numbers[edge.source], self.numbers[edge.target]
            outcomes = decided.setdefault(source, set())
            found = self.edges(edge)
            if edge.data.get("control"):
                outcomes |= references(found)
            if self.graph.nodes[target].is_("sink"):
                continue
            steps += self._steps(edge, source, target)
        everything = references(self.program.edge_list)
        for number, node in enumerate(self.graph.nodes):
            if not node.is_("sink") and states[number].accept is None:
                left = decided.get(number)
                steps.append(Step(number, number, everything - left if left else ANY))
        automaton = automaton_of(states, steps, entries[0], metadata_of(self.program))
        test = self._guess(entries[0])
        return Imported(automaton, test, tuple(self.notes))

    def _steps(self, edge: GraphEdge, source: int, target: int) -> list[Step]:
        found = self.edges(edge)
        texts = _assumptions(edge)
        if not found:
            if texts:
                self.note(edge.line, f"the assumption {'; '.join(texts)} is left out: its edge is not in the program")
            return [Step(source, target, SILENT)]
        if not texts:
            return [Step(source, target, references(found))]
        steps = []
        for single in found:
            assumption = self._assumption(edge, single, texts)
            steps.append(Step(source, target, frozenset({single.reference}), assumption))
        return list(dict.fromkeys(steps))

    def _assumption(self, edge: GraphEdge, found: Edge, texts: Sequence[str]) -> Condition | None:
        """What a witness edge assumes, as far as it has a meaning behind an edge of the program."""
        scopes = [edge.data.get("assumption.scope", ""), found.reference.function, ""]
        known = [scope for scope in dict.fromkeys(scopes) if not scope or scope in self.program.functions]
        kept = []
        for text in texts:
            condition = self.parsed(text, known, found)
            if condition is not None:
                kept.append(condition)
            elif r"\result" not in text or isinstance(found.operation, Input):
                self.note(
                    edge.line, f"the assumption {text} is left out: it has no meaning in {found.reference.function}"
                )
        if not kept:
            return None
        scope = next((condition.scope for condition in kept if condition.scope), "")
        same = [condition.text for condition in kept if condition.scope in ("", scope)]
        return Condition(same[0] if len(same) == 1 else " && ".join(f"({text})" for text in same), scope)

    def _guess(self, entry: int) -> tuple[TestCase, ...]:
        """The values of inputs along the shortest way to a violation."""
        leaving: dict[int, list[GraphEdge]] = {}
        for edge in self.graph.edges:
            leaving.setdefault(self.numbers[edge.source], []).append(edge)
        before: dict[int, tuple[int, GraphEdge] | None] = {entry: None}
        pending = deque([entry])
        while pending:
            number = pending.popleft()
            if self.graph.nodes[number].is_("violation"):
                return (self._test(before, number),)
            for edge in leaving.get(number, ()):
                target = self.numbers[edge.target]
                if target not in before:
                    before[target] = (number, edge)
                    pending.append(target)
        self.note(0, "no violation can be reached from its entry")
        return ()

    def _test(self, before: dict[int, tuple[int, GraphEdge] | None], last: int) -> TestCase:
        path = []
        step = before[last]
        while step is not None:
            path.append(step[1])
            step = before[step[0]]
        guess = InputGuess(self.program)
        for edge in reversed(path):
            texts = _assumptions(edge)
            for found in self.edges(edge) if texts else ():
                wanted = edge.data.get("assumption.resultfunction")
                if reads_input(self.program, found) and wanted in (None, called(found)):
                    condition = self._assumption(edge, found, texts)
                    if condition is not None:
                        guess.learn(found, condition)
                        break
        return guess.test()


def _assumptions(edge: GraphEdge) -> list[str]:
    """The conditions of an edge; ``;`` separates and ends them."""
    parts = [part.strip() for part in edge.data.get("assumption", "").split(";")]
    return [part for part in parts if part and part not in ("1", "true")]


class _Correctness(_Reading):
    """The import of a correctness witness."""

    def run(self, goals: Sequence[Goal]) -> Imported:
        """The claim, with each invariant at every location to which the edges into its node lead."""
        entering: dict[str, list[GraphEdge]] = {}
        for edge in self.graph.edges:
            entering.setdefault(edge.target, []).append(edge)
        located: dict[tuple[int, Condition], None] = {}
        for node in self.graph.nodes:
            text = node.data.get("invariant", "").strip().rstrip(";")
            if text and text not in ("1", "true"):
                for pair in self._located(node, text, entering.get(node.name, [])):
                    located[pair] = None
        return Imported(claim_by_invariants(self.program, goals, located), (), tuple(self.notes))

    def _located(self, node: GraphNode, text: str, entering: Sequence[GraphEdge]) -> list[tuple[int, Condition]]:
        found = []
        for location in dict.fromkeys(place for edge in entering for place in self._behind(edge)):
            function = self.program.function_of_location[location]
            scopes = list(dict.fromkeys([function, node.data.get("invariant.scope", ""), ""]))
            condition = self.parsed(text, [scope for scope in scopes if scope in (function, "")])
            if condition is not None:
                found.append((location, condition))
        if not found:
            self.note(
                node.line, f"the invariant {text} of {node.name} is left out: its place or its meaning is not found"
            )
        return found

    def _behind(self, edge: GraphEdge) -> list[int]:
        """The locations to which control comes by a witness edge."""
        locations = []
        for found in self.edges(edge):
            function = called(found)
            if edge.data.get("enterFunction") and function is not None and function in self.program.functions:
                locations.append(self.program.functions[function].entry)
            elif isinstance(found.operation, Return):
                callers = (e for e in self.program.edge_list if called(e) == found.reference.function)
                locations += [caller.target for caller in callers]
            else:
                locations.append(found.target)
        if edge.data.get("enterLoopHead", "").strip().lower() == "true":
            line = edge.number("startline") or 0
            heads = self.places.loop_heads(Place("", line)) if line else []
            return [*heads, *(head for location in locations for head in self._next_head(location))]
        return locations

    def _next_head(self, location: int) -> list[int]:
        """The head of a loop to which control comes from a location without a decision."""
        for _ in range(1000):
            if location in self.places.loops:
                return [location]
            leaving = self.program.functions[self.program.function_of_location[location]].leaving[location]
            if len(leaving) != 1:
                return []
            location = leaving[0].target
        return []
