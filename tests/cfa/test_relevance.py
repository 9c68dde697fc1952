"""What the tester leaves out of its formulas: the parts of a program that lead to no open goal."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.graph import Program
from gia.cfa.relevance import Relevance
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import DataModel
from gia.frontend import load

TEXT = """\
extern int __VERIFIER_nondet_int(void);
static int early(int x) {
  if (x > 5) return 1;
  return 0;
}
static int late(int x) {
  if (x < 9) return 2;
  return 3;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = early(x);
  int z = late(y);
  return z;
}
"""


def reachable(graph: Supergraph) -> list[Node]:
    seen, pending = {graph.entry}, [graph.entry]
    while pending:
        for step in graph.successors(pending.pop()):
            if step.target not in seen:
                seen.add(step.target)
                pending.append(step.target)
    return sorted(seen)


def leading(path: Path, line: int) -> set[tuple[str, int]]:
    """Function and line of the edges that leave nodes from which the branches on a line can be reached."""
    program = load(path, data_model=DataModel.LP64).program
    goals = [goal for goal in goals_of(program, Criterion.BRANCHES) if goal.line == line]
    relevance = Relevance(program, frozenset().union(*(goal.edges for goal in goals)))
    graph = Supergraph(program)
    return {
        (graph.function_of(node).name, step.edge.reference.line)
        for node in reachable(graph)
        if relevance.leads_to_goal(graph, node)
        for step in graph.successors(node)
    }


def test_what_comes_after_the_goals_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(TEXT)
    assert leading(path, 3) == {("main", 11), ("main", 12), ("early", 3)}


def test_a_callee_without_goals_counts_if_its_caller_goes_on_to_one(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(TEXT)
    found = leading(path, 7)
    assert {("early", 3), ("early", 4), ("late", 7), ("main", 13)} <= found
    assert ("main", 14) not in found


NESTED = """\
extern int __VERIFIER_nondet_int(void);
int last(int x) { if (x == 3) return 1; return 0; }
void never(void) { for (;;) ; }
int down(int n) {
  if (n <= 0) return last(n);
  int m = down(n - 1);
  if (m > 7) never();
  return m + last(m);
}
int main(void) {
  int x = down(__VERIFIER_nondet_int());
  if (x == 5) never();
  if (x == 6) return last(x);
  return 0;
}
"""


@pytest.fixture(scope="module")
def nested(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("nested") / "program.c"
    path.write_text(NESTED)
    return load(path, data_model=DataModel.LP64).program


@pytest.mark.parametrize("line", [2, 5, 7, 12, 13])
@given(seed=st.integers(0, 1000))
@settings(max_examples=5)
def test_it_is_what_paths_say(nested: Program, line: int, seed: int) -> None:
    """Whatever nodes were asked for before; calls beyond the limit of recursion are not followed by the paths."""
    goals = [goal for goal in goals_of(nested, Criterion.BRANCHES) if goal.line == line]
    edges = frozenset().union(*(goal.edges for goal in goals))
    graph = Supergraph(nested, recursion_limit=4)
    nodes = reachable(graph)
    leading = {node for node in nodes if any(step.edge.number in edges for step in graph.successors(node))}
    while more := {n for n in nodes if any(step.target in leading for step in graph.successors(n))} - leading:
        leading |= more
    cut = {call.context for call in graph.cut_calls}
    relevance = Relevance(nested, edges)
    asked = Random(seed).sample(nodes, len(nodes))
    found = {node for node in asked if relevance.leads_to_goal(graph, node)}
    assert leading <= found
    assert all(node.context in cut for node in found - leading)
