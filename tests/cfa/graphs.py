"""Programs without data, made from drawn graphs: what the algorithms on control flow need."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from gia.cfa.expressions import IntegerConstant
from gia.cfa.graph import Edge, EdgeReference, Function, Program
from gia.cfa.operations import Assume, Call, Operation, Return, Skip
from gia.cfa.types import INT, VOID, DataModel, FunctionType, TypeTable
from gia.errors import Position

Test = TypeVar("Test", bound=Callable[..., Any])


def law(examples: int) -> Callable[[Test], Test]:
    """Settings of a property test: always the same examples, however busy the machine is; others each night."""
    quick = os.environ.get("GIA_TEST_FACTOR", "1") == "1"
    health = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=None, derandomize=quick, suppress_health_check=health)


SIGNATURE = FunctionType(VOID, ())


class Graph:
    """Edges ``(source, target, callee or None)`` of one function; location 0 is the entry, the last one the exit."""

    def __init__(self, size: int, edges: Sequence[tuple[int, int, str | None]]) -> None:
        self.size = size
        self.edges = tuple(edges)

    def __repr__(self) -> str:
        return f"Graph({self.size}, {list(self.edges)})"


def program_of(graphs: Mapping[str, Graph], entry: str = "main") -> Program:
    """A program whose functions have these graphs; every edge into a last location is a return."""
    functions: dict[str, Function] = {}
    number = 0
    base = 0
    for name, graph in graphs.items():
        edges = []
        for source, target, callee in graph.edges:
            operation: Operation
            if target == graph.size - 1:
                operation = Return(None)
            elif callee is not None:
                operation = Call(None, callee, ())
            else:
                operation = Assume(IntegerConstant(1, INT), True) if number % 2 else Skip()
            kind = type(operation).__name__.lower()
            reference = EdgeReference(name, number + 1, 1, kind)
            edges.append(Edge(number, base + source, base + target, operation, reference, "p.c", kind))
            number += 1
        functions[name] = Function(
            name, SIGNATURE, (), (), base, base + graph.size - 1, tuple(edges), Position("p.c", 1, 1)
        )
        base += graph.size
    return Program("p.c", "", TypeTable(DataModel.LP64), functions, (), {}, entry)


@st.composite
def graphs(draw: st.DrawFn, callees: Sequence[str] = (), max_size: int = 8) -> Graph:
    """Any graph: loops of every shape, unreachable parts, several edges between the same locations."""
    size = draw(st.integers(2, max_size))
    inner = st.integers(0, size - 2)
    callee = st.sampled_from([None, None, *callees])
    edges = draw(st.lists(st.tuples(inner, st.integers(0, size - 1), callee), max_size=2 * size))
    chain = [(i, i + 1, None) for i in range(size - 1) if draw(st.booleans())]
    return Graph(size, [*chain, *edges])


@st.composite
def programs(draw: st.DrawFn, max_size: int = 6) -> Program:
    """A program of up to three functions that call each other, recursively as well."""
    names = ["main", "f", "g"][: draw(st.integers(1, 3))]
    return program_of({name: draw(graphs(names[1:], max_size)) for name in names})
