"""What a check of a proof has shown about locations of the program: the invariants that a correctness witness may
state.

An inductive set of invariants belongs to nodes of the product of the inlined program with an automaton. A location
has one node for each way to call its function and each state of the automaton there. What holds at the location is
the disjunction over its nodes of the conjunction of what holds at each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final

from gia.automaton.model import Automaton
from gia.automaton.wellformed import violations
from gia.cfa.expressions import Expression
from gia.cfa.goals import Goal
from gia.cfa.graph import Program
from gia.cfa.hiding import hidden
from gia.cfa.operations import Call
from gia.checker.certify import Certification
from gia.checker.product import ProductGraph, ProductNode
from gia.smt.invariants.blocks import Skeleton
from gia.smt.invariants.control_graph import OutOfTimeError, TooLargeError, edges_below, returning_functions
from gia.smt.invariants.fixpoint import Fixpoint

Alternatives = tuple[tuple[Expression, ...], ...]
"""A disjunction of conjunctions."""

NODE_LIMIT: Final = 100_000


def proven_invariants(
    program: Program,
    automaton: Automaton,
    goals: Iterable[Goal],
    *,
    deadline: float,
    before: Mapping[int, int] | None = None,
) -> Mapping[int, Alternatives]:
    """What is shown about locations on the way to proving that the goals are unreachable (:func:`certify`).

    ``before`` are further locations, each with one behind it whose invariants are to be tried there, too.
    Empty if it cannot be shown by ``deadline``, a value of ``time.monotonic``.
    """
    claimed = tuple(goals)
    if violations(automaton) or hidden(program) is not None or not claimed:
        return {}
    check = Certification(program, automaton, claimed, deadline)
    edges = frozenset(number for goal in claimed for number in goal.edges)
    for cuts in check.ways:
        with suppress(OutOfTimeError, TooLargeError):
            shape = check.shape(edges, cuts, deadline)
            fixpoint = check.fixpoint(shape, deadline)
            claims = [claim for edge in edges for claim in shape.claims_on.get(edge, ())]
            if fixpoint.proven.issuperset(claims) and not shape.beyond & edges:
                if before:
                    shape, fixpoint = _also_before(check, edges, shape, fixpoint, before)
                return at_locations(program, check.product, shape, fixpoint)
    return {}


def _also_before(
    check: Certification,
    edges: frozenset[int],
    shape: Skeleton[ProductNode],
    fixpoint: Fixpoint[ProductNode],
    before: Mapping[int, int],
) -> tuple[Skeleton[ProductNode], Fixpoint[ProductNode]]:
    """The same proof with further cut points; as it was, if it does not succeed with them."""
    cuts, graph = frozenset(shape.cuts), check.product

    def tried(node: ProductNode) -> tuple[Expression, ...]:
        behind = before.get(graph.place(node).location)
        if node in cuts or behind is None:
            return tuple(fixpoint.invariants.get(node) or ())
        targets = [arc.target for arc in graph.arcs(node) if not arc.ends]
        found = [fixpoint.invariants.get(node) or () for node in targets if graph.place(node).location == behind]
        return tuple(dict.fromkeys(expression for kept in found for expression in kept))

    with suppress(OutOfTimeError, TooLargeError):
        finer = check.shape_with(edges, lambda node: node in cuts or graph.place(node).location in before)
        again = check.induction(finer).fixpoint({cut: tried(cut) for cut in finer.cuts}, finer.claims, check.deadline)
        if again.proven >= fixpoint.proven and not finer.beyond & edges:
            return finer, again
    return shape, fixpoint


def at_locations(
    program: Program, graph: ProductGraph, shape: Skeleton[ProductNode], fixpoint: Fixpoint[ProductNode]
) -> Mapping[int, Alternatives]:
    """The invariants of the locations of which something is known at every node, in the order of the exploration.

    Only the claims that ``fixpoint`` has proven are taken to be infeasible. Nothing is known of locations that the
    skeleton leaves out in some context, because no goal can be reached from there, or that unknown calls may come to.
    """
    nodes = _nodes(graph, fixpoint)
    if nodes is None:
        return {}
    unknown = _inside_unknown_calls(program, graph, nodes)
    cuts = frozenset(shape.cuts)
    found: dict[int, dict[tuple[Expression, ...], None] | None] = {}
    for node in nodes:
        location = graph.place(node).location
        known = node in cuts and program.function_of_location[location] not in unknown
        kept = fixpoint.invariants.get(node) if known else ()
        if kept is None:
            continue  # no execution comes to this node
        alternatives = found.setdefault(location, {})
        if not kept:
            found[location] = None
        elif alternatives is not None:
            alternatives[kept] = None
    return {location: tuple(alternatives) for location, alternatives in found.items() if alternatives}


def _nodes(graph: ProductGraph, fixpoint: Fixpoint[ProductNode]) -> list[ProductNode] | None:
    """The nodes to which an execution may come as far as the control flow and the proven claims tell."""
    found = {graph.entry: None}
    pending = [graph.entry]
    while pending:
        node = pending.pop()
        for arc in graph.arcs(node):
            if not arc.ends and arc.target not in found and (node, arc.edge.number, arc.case) not in fixpoint.proven:
                found[arc.target] = None
                pending.append(arc.target)
        if len(found) > NODE_LIMIT:
            return None
    return list(found)


def _inside_unknown_calls(program: Program, graph: ProductGraph, nodes: list[ProductNode]) -> frozenset[str]:
    """The functions that may be executed inside calls that are not followed."""
    called = set()
    for node in nodes:
        for arc in graph.arcs(node):
            if arc.step is None and isinstance(arc.edge.operation, Call):
                called.add(arc.edge.operation.function)
    returning = returning_functions(program) if called else frozenset()
    numbers = frozenset().union(*(edges_below(program, name, returning) for name in sorted(called)))
    return frozenset(program.edge_list[number].reference.function for number in numbers)
