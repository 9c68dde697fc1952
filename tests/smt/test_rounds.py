"""With loops unrolled, a graph still has every path, whatever was thought of the numbers of their rounds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.wto import order
from gia.smt.invariants.control_graph import InlinedGraph
from gia.smt.invariants.rounds import Rounds
from tests.cfa.graphs import graphs, program_of


def plain(node: Node) -> Node:
    return node._replace(rounds=())


@settings(max_examples=150, deadline=None, derandomize=True)
@given(main=graphs(callees=("main", "f")), callee=graphs(callees=("f",)), contracts=st.booleans(), data=st.data())
def test_each_node_has_the_arcs_that_it_has_without_rounds(main, callee, contracts, data):
    program = program_of({"main": main, "f": callee})
    heads = [head for function in program.functions.values() for head in order(function).heads]
    short = {head: data.draw(st.integers(0, 2)) for head in heads if data.draw(st.booleans())}
    supergraph = Supergraph(program)
    whole = InlinedGraph(supergraph, contracts)
    unrolled = InlinedGraph(supergraph, contracts, Rounds(supergraph, short))
    pending = [unrolled.entry]
    seen = {unrolled.entry: None}
    while pending:
        node = pending.pop()
        arcs = unrolled.arcs(node)
        assert [arc._replace(target=plain(arc.target)) for arc in arcs] == [*whole.arcs(plain(node))]
        for arc in arcs:
            assert all(most <= 3 for frame in arc.target.rounds for most in frame)
            if arc.target not in seen:
                seen[arc.target] = None
                pending.append(arc.target)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(main=graphs(callees=("main", "f")), callee=graphs(callees=("f",)), contracts=st.booleans(), data=st.data())
def test_copies_are_told_apart_by_the_loops_that_are_unrolled(main, callee, contracts, data):
    """The same paths in three graphs: with all loops unrolled, with some of them, and with the others."""
    program = program_of({"main": main, "f": callee})
    heads = [head for function in program.functions.values() for head in order(function).heads]
    short = {head: data.draw(st.integers(0, 2)) for head in heads if data.draw(st.booleans())}
    told = {head: number for head, number in short.items() if data.draw(st.booleans())}
    others = {head: number for head, number in short.items() if head not in told}
    supergraph = Supergraph(program)
    rounds = Rounds(supergraph, short, told)
    graphs_ = [InlinedGraph(supergraph, contracts, r) for r in (rounds, Rounds(supergraph, others))]
    with_told = InlinedGraph(supergraph, contracts, Rounds(supergraph, told))
    pending = [(graphs_[0].entry, graphs_[1].entry, with_told.entry)]
    seen = set(pending)
    while pending:
        node, with_others, alone = pending.pop()
        assert rounds.without(node, told.keys()) == with_others
        assert rounds.told(node) == alone.rounds
        assert rounds.without(node, short.keys()) == plain(node)
        leaving = (graphs_[0].arcs(node), graphs_[1].arcs(with_others), with_told.arcs(alone))
        for arcs in zip(*leaving, strict=True):
            targets = tuple(arc.target for arc in arcs)
            if targets not in seen:
                seen.add(targets)
                pending.append(targets)
