"""What the conditions of a GIA say about places of the program: candidate invariants and predicates from other actors.

An invariant of a state, and an assumption on a transition, are taken for what may be worth knowing behind the edges
that lead there. That is a guess and nothing is trusted: whoever uses it checks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gia.analyses.proving.proof import Candidates, Proof
from gia.automaton.model import ANY, Automaton, Condition
from gia.cfa.expressions import Expression, Result, Unary, conjuncts_of, variables_of, walk
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import INT
from gia.errors import GiaError
from gia.smt.invariants.control_graph import visible_variables

Conditions = Mapping[int, tuple[Expression, ...]]
"""Expressions by the location that they may be worth knowing at, in the order of the automaton."""


def conditions_by_location(program: Program, automaton: Automaton, *, quantified: bool = False) -> Conditions:
    r"""The conjuncts of all conditions at the targets of their edges; those with ``\result`` are left out.

    What stands on ``*`` may belong to every location of its scope. ``quantified``: conditions with ``\any``, too.
    """
    parsed: dict[Condition, tuple[Expression, ...]] = {}
    found: dict[int, dict[Expression, None]] = {}
    behind = _Targets(program)
    for transition in automaton.transitions:
        for condition in (transition.assumption, automaton.states[transition.target].invariant):
            if condition is None:
                continue
            if condition not in parsed:
                parsed[condition] = tuple(_parsed(condition, program, quantified=quantified))
            if not parsed[condition]:
                continue
            if transition.edges is ANY:
                function = program.functions.get(condition.scope)
                locations = set(function.leaving) if function else set()
            else:
                edges = [program.by_reference[e] for e in transition.edges if e in program.by_reference]
                locations = {location for edge in edges for location in behind.of(edge)}
            for location in locations:
                found.setdefault(location, {}).update(dict.fromkeys(parsed[condition]))
    return {location: tuple(expressions) for location, expressions in sorted(found.items())}


class _Targets:
    """Where an edge leads in the program: into a callee, or back to all who have called."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._behind_calls: dict[str, list[int]] = {}
        for edge in program.edge_list:
            if isinstance(edge.operation, Call):
                self._behind_calls.setdefault(edge.operation.function, []).append(edge.target)

    def of(self, edge: Edge) -> list[int]:
        """The locations behind an edge."""
        functions = self._program.functions
        match edge.operation:
            case Call(function=name) if name in functions:
                return [functions[name].entry]
            case Return():
                return self._behind_calls.get(edge.reference.function, [])
        return [edge.target]


def _parsed(condition: Condition, program: Program, *, quantified: bool) -> Iterator[Expression]:
    """The conjuncts of a condition that have a meaning in the program."""
    from gia.frontend.exchange_expressions import parse_expression  # noqa: PLC0415 - the first automaton has no condition

    try:
        expression = parse_expression(condition.text, condition.scope, program, quantified=quantified)
    except GiaError:
        return
    for part in conjuncts_of(expression):
        if not any(isinstance(found, Result) for found in walk(part)):
            yield part


def meaningful_at(supergraph: Supergraph, node: Node, expression: Expression) -> bool:
    """Whether every variable of the expression denotes exactly one object at a node."""
    visible = frozenset(visible_variables(supergraph, node))
    return all(variable in visible or variable.is_of_no_frame for variable in variables_of(expression))


def known_invariants(proof: Proof) -> Iterator[Candidates]:
    """The stage that proposes what the GIA of the request says at the cut points."""
    found = conditions_by_location(proof.program, proof.request.gia, quantified=True)
    if found:
        yield {
            cut: [e for e in found.get(cut.location, ()) if meaningful_at(proof.supergraph, cut, e)]
            for cut in proof.shape.cuts
        }


def conditions_at(supergraph: Supergraph, node: Node, conditions: Iterable[Expression]) -> list[Expression]:
    """Those of the program's conditions that have a meaning at a node, and their opposites."""
    found = [condition for condition in conditions if meaningful_at(supergraph, node, condition)]
    return [*found, *(Unary("!", condition, INT) for condition in found)]
