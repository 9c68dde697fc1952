"""Which parts of a program can still lead to given edges: the rest need not be executed symbolically."""

from __future__ import annotations

from collections.abc import Mapping

from gia.cfa.closure import closure
from gia.cfa.graph import Function, Program
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Context, Node, Supergraph


class Relevance:
    """The nodes of a supergraph from which a path leads over one of ``edges`` (numbers), as the control flow says.

    Conditions are ignored, and a call returns if its function has a path to its exit.
    """

    def __init__(self, program: Program, edges: frozenset[int]) -> None:
        self._program = program
        self._edges = edges
        self._entering = {name: _entering(function) for name, function in program.functions.items()}
        self._returning = {name: self._locations_before_return(name) for name in program.functions}
        self._leading = self._locations_before_goals()
        self._behind: dict[Context, bool] = {}

    def leads_to_goal(self, supergraph: Supergraph, node: Node) -> bool:
        """Whether a path from ``node`` executes one of the edges."""
        context, location = node.context, node.location
        name = supergraph.stack(context)[-1]
        if location in self._leading[name]:
            return True
        return bool(context) and location in self._returning[name] and self._leads_on(supergraph, context)

    def _leads_on(self, supergraph: Supergraph, context: Context) -> bool:
        """Whether a path from behind the call that opened a frame executes one of the edges."""
        unknown = []  # frames from the innermost one: a loop, since there may be thousands
        while (known := self._behind.get(context)) is None:
            unknown.append(context)
            context = context[:-1]
            location, name = supergraph.call_edge(unknown[-1]).target, supergraph.stack(context)[-1]
            if location in self._leading[name]:
                known = True
                break
            if not context or location not in self._returning[name]:
                known = False
                break
        self._behind.update(dict.fromkeys(unknown, known))
        return known

    def _locations_before_return(self, name: str) -> frozenset[int]:
        """The locations of a function from which its exit can be reached."""
        function = self._program.functions[name]
        return frozenset(closure({function.exit}, self._entering[name]))

    def _locations_before_goals(self) -> dict[str, frozenset[int]]:
        """For each function the locations from which it, or what it calls, executes one of the edges."""
        functions = self._program.functions
        leading: dict[str, frozenset[int]] = {name: frozenset() for name in functions}
        changed = True
        while changed:
            changed = False
            for name, function in functions.items():
                entered = {other for other in functions if functions[other].entry in leading[other]}
                found = {
                    edge.source
                    for edge in function.edges
                    if edge.number in self._edges
                    or (isinstance(edge.operation, Call) and edge.operation.function in entered)
                }
                before = frozenset(closure(found, self._entering[name]))
                if before != leading[name]:
                    leading[name] = before
                    changed = True
        return leading


def _entering(function: Function) -> Mapping[int, list[int]]:
    """The sources of the edges into each location."""
    found: dict[int, list[int]] = {}
    for edge in function.edges:
        target = function.exit if isinstance(edge.operation, Return) else edge.target
        found.setdefault(target, []).append(edge.source)
    return found
