"""The inlined graph and its unfolding: acyclic in the order of the keys, and complete up to the bound."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from gia.cfa.graph import Program
from gia.cfa.order import UnfoldingOrder, UnfoldNode
from gia.cfa.supergraph import CutCall, Node, StepKind, Supergraph
from tests.cfa.graphs import Graph, law, program_of, programs


def reachable(order: UnfoldingOrder, bound: int, limit: int = 400) -> list[UnfoldNode]:
    """The nodes of the unfolding up to ``bound`` iterations of each loop, found breadth first."""
    seen = {order.start(): None}
    pending = [order.start()]
    while pending and len(seen) < limit:
        node = pending.pop(0)
        for step in order.successors(node):
            if (step.back_edge is None or step.back_edge.iteration <= bound) and step.target not in seen:
                seen[step.target] = None
                pending.append(step.target)
    return list(seen)


@given(programs(), st.integers(0, 1))
@law(100)
def test_every_step_of_the_unfolding_goes_to_a_greater_key(program: Program, recursion: int) -> None:
    order = UnfoldingOrder(Supergraph(program, recursion))
    nodes = reachable(order, bound=2)
    assert len({order.priority(node) for node in nodes}) == len(nodes)
    for node in nodes:
        for step in order.successors(node):
            assert order.priority(node) < order.priority(step.target)


@given(programs(), st.integers(0, 1))
@law(100)
def test_the_unfolding_has_the_steps_of_the_supergraph(program: Program, recursion: int) -> None:
    supergraph = Supergraph(program, recursion)
    order = UnfoldingOrder(supergraph)
    for node in reachable(order, bound=1):
        assert tuple(found.step for found in order.successors(node)) == supergraph.successors(node.node)
        assert all(found.target.node == found.step.target for found in order.successors(node))


def paths(supergraph: Supergraph, length: int) -> Iterator[list[Node]]:
    pending = [[supergraph.entry]]
    for _ in range(length):
        yield from pending
        pending = [[*path, step.target] for path in pending for step in supergraph.successors(path[-1])][:200]


@given(programs(max_size=5))
@law(100)
def test_iterations_count_the_back_edges_since_the_loop_was_entered(program: Program) -> None:
    """The definition in the module's docstring, computed the slow way on whole paths."""
    supergraph = Supergraph(program)
    order = UnfoldingOrder(supergraph)
    for path in paths(supergraph, 7):
        unfolded = order.start()
        for node in path[1:]:
            unfolded = next(s.target for s in order.successors(unfolded) if s.target.node == node)
        frame = [(i, n) for i, n in enumerate(path) if n.context == path[-1].context]
        since_call = [n for i, n in frame if all(len(m.context) >= len(n.context) for m in path[i:])]
        for head, counted in zip(order.nest(path[-1]), unfolded.iterations[-1], strict=True):
            inside = []
            for node in reversed(since_call):
                if head not in order.nest(node):
                    break
                inside.append(node)
            assert counted == sum(1 for node in inside[:-1] if node.location == head)


def test_calls_and_returns() -> None:
    program = program_of({"main": Graph(3, [(0, 1, "f"), (1, 2, None)]), "f": Graph(2, [(0, 1, None)])})
    supergraph = Supergraph(program)
    (call,) = supergraph.successors(supergraph.entry)
    assert (call.kind, call.target) == (StepKind.CALL, Node((0,), 3))
    assert supergraph.function_of(call.target).name == "f"
    (back,) = supergraph.successors(call.target)
    assert (back.kind, back.target) == (StepKind.RETURN, Node((), 1))
    (end,) = supergraph.successors(back.target)
    assert (end.kind, end.target) == (StepKind.INTRA, Node((), 2))
    assert supergraph.successors(end.target) == ()
    assert supergraph.call_edge((0,)).number == 0


def test_an_external_call_stays_in_its_frame() -> None:
    supergraph = Supergraph(program_of({"main": Graph(3, [(0, 1, "puts"), (1, 2, None)])}))
    (step,) = supergraph.successors(supergraph.entry)
    assert (step.kind, step.target) == (StepKind.EXTERNAL, Node((), 1))


def test_recursion_is_cut_at_its_limit_and_recorded() -> None:
    program = program_of({"main": Graph(3, [(0, 1, "f"), (1, 2, None)]), "f": Graph(3, [(0, 1, "f"), (1, 2, None)])})
    cut = Supergraph(program)
    entered = cut.successors(cut.entry)[0].target
    assert not cut.cut_calls
    assert cut.successors(entered) == ()
    assert cut.cut_calls == (CutCall((0,), 2),)
    deeper = Supergraph(program, recursion_limit=1)
    second = deeper.successors(entered)[0].target
    assert second == Node((0, 2), 3)
    assert deeper.stack(second.context) == ("main", "f", "f")
    assert deeper.successors(second) == ()


def test_the_first_node_of_a_context_is_in_iteration_zero_everywhere() -> None:
    loop = Graph(3, [(0, 1, "f"), (1, 0, None), (1, 2, None)])
    program = program_of({"main": loop, "f": Graph(3, [(0, 1, None), (1, 0, None), (1, 2, None)])})
    order = UnfoldingOrder(Supergraph(program))
    assert order.first(Node((0,), 4)).iterations == ((0,), (0,))
    assert order.start() == UnfoldNode(Node((), 0), ((0,),))
