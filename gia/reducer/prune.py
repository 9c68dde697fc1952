"""Pruning: what no needed path passes is cut where it begins, and taken out of the text; the rest stays as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call, Return
from gia.frontend.probes import ConditionProbe, InstrumentableSource, StatementProbe
from gia.reducer.left import Left
from gia.reducer.points import Decider, Points
from gia.reducer.woven import STOP, Woven

_JUMP = re.compile(r"(return|goto|break|continue)\b")


class Pruner:
    """Cuts the program where ``left`` ends."""

    def __init__(self, program: Program, points: Points, left: Left) -> None:
        self._program = program
        self._points = points
        self._left = left
        self._leaving = {place: edges for f in program.functions.values() for place, edges in f.leaving.items()}
        self._callers: dict[str, list[int]] = {}
        for edge in program.edge_list:
            if isinstance(edge.operation, Call) and edge.operation.function in program.functions:
                self._callers.setdefault(edge.operation.function, []).append(edge.target)
        self._statements: dict[int, StatementProbe] = {}
        self._decisions: dict[int, tuple[Decider, set[int]]] = {}
        self._passed: set[int] = set()

    def prune(self) -> Woven:
        """What ends the paths that leave what is needed."""
        self._find_ends()
        woven = Woven(self._program, self._points)
        for _, statement in sorted(self._statements.items()):
            woven.add_statement(statement, [], f"{STOP}();")
        for _, (point, edges) in sorted(self._decisions.items()):
            if isinstance(point, ConditionProbe):
                woven.add_condition(point, [], [f"{STOP}();" if edge in edges else "" for edge in point.edges])
            else:
                woven.add_switch(point, [], dict.fromkeys(edges, f"{STOP}();"))
        woven.cuts = len(self._statements) + sum(len(edges) for _, edges in self._decisions.values())
        return woven

    def blanked(self, source: InstrumentableSource, kept: Collection[str]) -> str:
        """The text with simple statements that nothing executes any more blanked; jumps and declarations stay.

        ``kept`` are the functions that stay as they are.
        """
        assert source.editable is not None
        text, edges = source.editable.text, self._program.edge_list
        executed = self._left.edges | self._passed
        for probe in source.probes:
            if not isinstance(probe, StatementProbe) or probe.is_declaration or probe.edge in executed:
                continue
            reference = edges[probe.edge].reference
            if reference.kind == "label" or reference.function in kept or probe.number not in self._points.extents:
                continue
            start, end = self._points.extents[probe.number]
            if _JUMP.match(text, start) or "({" in text[start:end]:
                continue
            # what begins with # in the statement are directives, by which lines are counted
            lines = text[start:end].split("\n")
            blank = "\n".join(line if line.lstrip().startswith("#") else " " * len(line) for line in lines)
            if probe.number not in self._statements:
                blank = ";" + blank[1:]
            text = text[:start] + blank + text[end:]
        return text

    # ------------------------------------------------------------------ where what is needed ends
    def _find_ends(self) -> None:
        """Follow the paths that leave what is needed to the first place where each can be ended.

        What they pass until then is executed: without it, they would be no paths of the original.
        """
        entry = self._program.functions[self._program.entry].entry
        seen: set[int] = set()
        pending = [] if entry in self._left.locations else [entry]
        for edge in self._program.edge_list:
            if edge.source in self._left.locations and edge.number not in self._left.edges:
                pending += self._behind(edge)
        while pending:
            place = pending.pop()
            if place in seen or place in self._left.locations:
                continue
            seen.add(place)
            statement = self._points.before.get(place)
            if statement is not None:
                self._statements[statement.number] = statement
                continue
            for edge in self._leaving[place]:
                pending += self._behind(edge)

    def _behind(self, edge: Edge) -> Iterator[int]:
        """Where paths that take an edge go on; nowhere if they are ended there."""
        self._passed.add(edge.number)
        decider = self._points.behind.get(edge.number)
        if decider is not None and (edge.target in self._left.locations or edge.target not in self._points.before):
            self._decisions.setdefault(decider.number, (decider, set()))[1].add(edge.number)
        elif isinstance(edge.operation, Call) and edge.operation.function in self._program.functions:
            yield self._program.functions[edge.operation.function].entry
        elif isinstance(edge.operation, Return):
            yield from self._callers.get(self._program.function_of_location[edge.source], ())
        else:
            yield edge.target
