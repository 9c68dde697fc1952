"""Distances to goals, compared with those in the graph in which all calls are inlined."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from random import Random

import pytest

from gia.analyses.testing.distances import UNREACHABLE, Distances
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call, Return
from gia.cfa.supergraph import Node, Step, Supergraph
from gia.cfa.types import DataModel
from gia.frontend import load
from tests.analyses.test_tester import HEADER

CALLS = """extern void exit(int);
static int leaf(int x) { if (x) exit(1); return 2; }
static int twice(int x) { int y = leaf(x); while (y > x) y--; return leaf(y) + leaf(x + 1); }
static void never(void) { for (;;) ; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < 3; i++) if (twice(n) > i) { n = leaf(i); continue; } else n++;
  if (n == 7) never();
  switch (twice(n)) { case 1: return leaf(n); case 2: break; default: n = 0; }
  return n;
}
"""


def loaded(folder: Path, text: str) -> Program:
    file = folder / "program.c"
    file.write_text(HEADER + text)
    return load(file, data_model=DataModel.LP64).program


def inlined(program: Program) -> Mapping[Node, Collection[Step]]:
    """All nodes of the inlined graph with their steps."""
    graph = Supergraph(program)
    found: dict[Node, Collection[Step]] = {}
    pending = [graph.entry]
    while pending:
        node = pending.pop()
        if node not in found:
            found[node] = graph.successors(node)
            pending += [step.target for step in found[node]]
    return found


def counted(graph: Mapping[Node, Collection[Step]], goals: Collection[int]) -> Mapping[Node, int]:
    """The distances, made smaller until nothing changes."""
    found = dict.fromkeys(graph, UNREACHABLE)
    changed = True
    while changed:
        changed = False
        for node, steps in graph.items():
            far = [1 if step.edge.number in goals else found[step.target] + 1 for step in steps]
            if far and min(far) < found[node]:
                found[node] = min(far)
                changed = True
    return found


def calls_of(program: Program, name: str) -> list[Edge]:
    """The call edges of a function, in the order of the program."""
    return [e for e in program.edge_list if isinstance(e.operation, Call) and e.operation.function == name]


def calling(random: Random) -> str:
    """Functions that call those before them, in branches and loops; some never return."""
    statements = ("if (x > {k}) {call} else x--;", "while (x < {k}) {{ {call} }}", "{call}", "if (x == {k}) return x;")
    lines = []
    for number in range(5):
        calls = [f"x += f{random.randrange(number)}(x);" for _ in range(4)] if number else ["x++;"] * 4
        body = (random.choice(statements).format(k=random.randrange(9), call=call) for call in calls)
        end = random.choice(["return x;", "return x;", "exit(x);"])
        lines.append(f"static int f{number}(int x) {{ {' '.join(body)} {end} }}")
    return "\n".join(["extern void exit(int);", *lines, "int main(void) { return f4(__VERIFIER_nondet_int()); }"])


@pytest.mark.parametrize("seed", [None, *range(8)])
def test_distances_are_those_of_the_inlined_graph(tmp_path: Path, seed: int | None) -> None:
    program = loaded(tmp_path, CALLS if seed is None else calling(Random(seed)))
    graph, distances = inlined(program), Distances(program)
    for edge in program.edge_list[:: max(1, len(program.edge_list) // 12)]:
        wanted, near = counted(graph, {edge.number}), distances.to({edge.number})
        assert {node: near.at(node) for node in graph} == wanted


def test_distances_count_edges_through_calls(tmp_path: Path) -> None:
    text = """static int g(int x) { if (x) return 1; return 2; }
      int main(void) { int y = g(__VERIFIER_nondet_int()); if (y == 2) return 3; return 4; }"""
    program = loaded(tmp_path, text)
    goal = next(e for e in program.edge_list if e.reference.branch == "then" and e.reference.function == "main")
    near = Distances(program).to({goal.number})
    (call,) = calls_of(program, "g")
    returning = [edge for edge in program.functions["g"].edges if isinstance(edge.operation, Return)]
    begin, end = Node((call.number,), program.functions["g"].entry), Node((call.number,), returning[0].source)
    assert near.at(Node((), goal.source)) == 1
    assert near.at(Node((), call.target)) < near.at(end) < near.at(begin) < near.at(Node((), call.source)) < UNREACHABLE
    assert near.at(end) == near.at(Node((), call.target)) + 1
    assert near.at(Node((), goal.target)) == UNREACHABLE
    assert near.of(goal.number, Node((), goal.target)) == 0


def test_a_function_is_near_to_what_its_caller_does_next(tmp_path: Path) -> None:
    """Seen from the second call, the goal is nearer, and only the first call is followed by another one."""
    text = """static int g(int x) { if (x) return 1; return 2; }
      int main(void) { if (g(1)) if (g(__VERIFIER_nondet_int()) == 2) return 3; return 4; }"""
    program = loaded(tmp_path, text)
    first, second = (edge.number for edge in calls_of(program, "g"))
    *_, goal = (e for e in program.edge_list if e.reference.branch == "then" and e.reference.function == "main")
    near, entry = Distances(program).to({goal.number}), program.functions["g"].entry
    assert near.at(Node((second,), entry)) < near.at(Node((first,), entry)) < UNREACHABLE
    before = Distances(program).to({second})
    assert before.at(Node((first,), entry)) < UNREACHABLE
    assert before.at(Node((second,), entry)) == UNREACHABLE
