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
