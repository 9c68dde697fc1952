"""What a predicate analysis hands over as GIAs: reachability graphs, paths, and tests that are still to be executed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gia.analyses.predicate.reachability import ArgNode, ReachabilityGraph
from gia.analyses.predicate.states import as_expressions
from gia.analyses.proving.proof import Proof
from gia.analyses.proving.runs import Arrival, Guide, run_automaton
from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.expressions import Expression
from gia.cfa.graph import Program
from gia.cfa.operations import Input
from gia.cfa.supergraph import Node
from gia.exchange.suites.input_assumptions import equation
from gia.native import InputValue
from gia.smt.encoding.state import InputBits
from gia.smt.invariants.control_graph import ArcKey


def graph_automaton(proof: Proof, graph: ReachabilityGraph, given_up: Collection[ArcKey[Node]]) -> Automaton:
    """A reachability graph, finished or not: nodes with their abstract states as invariants.

    What the abstraction excludes is ``ut``. The nodes that are still to be explored are candidates, and so are the
    arcs of the claims ``given_up``.
    """
    by_number = graph.nodes

    def standing(node: ArgNode) -> ArgNode:
        while node.covered_by is not None:
            node = node.covered_by
        return node

    def arrive(place: int, cut: Node) -> Arrival[int] | None:
        children = by_number[place].children.get(cut)
        if children is None:
            return Arrival(place, (), Acceptance.CAND)
        if not children:
            return Arrival(place, (), Acceptance.UT)
        (child,) = children
        node = standing(child)
        if not node.finished:
            return Arrival(node.number, invariant(node), Acceptance.CAND)
        return Arrival(node.number, invariant(node))

    def invariant(node: ArgNode) -> Sequence[Expression]:
        return () if node.state == (frozenset(),) else as_expressions([node.state])

    def take(place: int, claim: ArcKey[Node]) -> Acceptance | None:
        if claim in by_number[place].safe:
            return Acceptance.UT
        return Acceptance.CAND if claim in given_up else None

    return run_automaton(proof.program, proof.shape, Guide(0, arrive, take))


def path_automaton(
    proof: Proof,
    cuts: Sequence[Node],
    claims: Collection[ArcKey[Node]],
    accept: Acceptance,
    facts: Sequence[Sequence[Expression]] | None = None,
) -> Automaton:
    """All paths that pass exactly these cut points, with the ``facts`` as invariants, and then the arc of a claim."""

    def arrive(place: int, cut: Node) -> Arrival[int] | None:
        if place >= len(cuts) or cuts[place] != cut:
            return None
        return Arrival(place + 1, facts[place] if facts else ())

    def take(place: int, found: ArcKey[Node]) -> Acceptance | None:
        return accept if place == len(cuts) and found in claims else None

    return run_automaton(proof.program, proof.shape, Guide(0, arrive, take))


def loop_automaton(proof: Proof, claim: ArcKey[Node], loops: Mapping[Node, Sequence[Expression]]) -> Automaton:
    """All paths that pass only these cut points, and then take the claim's arc, as ``ut``: ``loops`` exclude them."""
    places = {cut: place for place, cut in enumerate(loops, start=1)}

    def arrive(_: int, cut: Node) -> Arrival[int] | None:
        return Arrival(places[cut], loops[cut]) if cut in places else None

    def take(_: int, found: ArcKey[Node]) -> Acceptance | None:
        return Acceptance.UT if found == claim else None

    return run_automaton(proof.program, proof.shape, Guide(0, arrive, take))


def candidate_test(program: Program, inputs: Sequence[InputBits], edges: Collection[int]) -> Automaton:
    r"""A test that is to be executed: a state for each input, left with ``\result == value``, then a goal's edge.

    Between the inputs, the run takes any edge that reads none.
    """
    others = frozenset(e.reference for e in program.edge_list if not isinstance(e.operation, Input))
    states = [*(State() for _ in range(len(inputs) + 1)), State(None, Acceptance.CAND)]
    transitions = [Transition(number, number, others) for number in range(len(inputs) + 1)]
    for number, found in enumerate(inputs):
        edge = program.edge_list[found.edge].reference
        text = equation(InputValue(found.function, found.type, found.bits))
        transitions.append(Transition(number, number + 1, frozenset({edge}), Condition(text, edge.function)))
    last = len(inputs)
    goals = frozenset(program.edge_list[number].reference for number in edges)
    transitions += [Transition(last, last + 1, goals), Transition(last + 1, last + 1, ANY)]
    return Automaton(tuple(states), tuple(transitions))
