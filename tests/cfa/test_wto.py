"""The weak topological order: its defining property on any graph, and its loops on known ones."""

from hypothesis import given

from gia.cfa.wto import Order, order, order_of
from tests.cfa.graphs import Graph, graphs, law, program_of


def order_of_graph(graph: Graph) -> Order:
    return order(program_of({"main": graph}).functions["main"])


@given(graphs(max_size=12))
@law(100)
def test_every_edge_goes_forward_or_to_the_head_of_a_loop_around_its_source(graph: Graph) -> None:
    found = order_of_graph(graph)
    assert sorted(found.position.values()) == list(range(len(found.nest)))
    for source, target, _ in graph.edges:
        forward = found.position[source] < found.position[target]
        assert forward != (target in found.nest[source])


@given(graphs(max_size=12))
@law(100)
def test_loops_are_nested_and_consecutive_and_begin_with_their_head(graph: Graph) -> None:
    found = order_of_graph(graph)
    for head in found.heads:
        members = [location for location, nest in found.nest.items() if head in nest]
        positions = sorted(found.position[member] for member in members)
        assert positions == list(range(found.position[head], found.position[head] + len(members)))
        around = found.nest[head]
        assert around[-1] == head
        assert all(found.nest[member][: len(around)] == around for member in members)


@given(graphs(max_size=12))
@law(100)
def test_a_loop_is_strongly_connected(graph: Graph) -> None:
    found = order_of_graph(graph)
    for head in found.heads:
        members = {location for location, nest in found.nest.items() if head in nest}
        edges = [(s, t) for s, t, _ in graph.edges if s in members and t in members]
        for flow in (edges, [(t, s) for s, t in edges]):
            seen, pending = {head}, [head]
            while pending:
                current = pending.pop()
                reached = {t for s, t in flow if s == current} - seen
                seen |= reached
                pending += reached
            assert seen == members


def test_bourdoncles_example() -> None:
    graph = {1: [2], 2: [3, 8], 3: [4], 4: [5, 7], 5: [6], 6: [5, 7], 7: [3, 8], 8: []}
    found = order_of(graph, 1)
    assert sorted(graph, key=found.position.__getitem__) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert found.heads == (3, 5)
    assert found.nest[6] == (3, 5)
    assert found.nest[7] == (3,)


def test_a_long_chain_and_deeply_nested_loops_need_no_recursion() -> None:
    size = 3000
    chain = {i: [i + 1] for i in range(size)} | {size: []}
    assert order_of(chain, 0).position[size] == size
    depth = 300
    nested = {i: [i + 1] for i in range(depth)} | {depth + i: [depth + i + 1, depth - i] for i in range(depth)}
    nested[2 * depth] = []
    assert len(order_of(nested, 0).nest[depth]) == depth
