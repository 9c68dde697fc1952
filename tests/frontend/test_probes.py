"""Probes nest or are disjoint, name fitting edges, and leave no goal out."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gia.cfa.goals import Criterion, goals_of
from gia.cfa.operations import Assume, Call, Halt, Input
from gia.cfa.types import DataModel
from gia.frontend.probes import CallProbe, ConditionProbe, SwitchProbe
from tests.frontend.support import PROGRAMS, load_program, load_text


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_probes_nest_or_are_disjoint_and_name_fitting_edges(path: Path) -> None:
    loaded = load_program(path, DataModel.LP64, atomic=True)
    edges = loaded.program.edge_list
    open_ends: list[int] = []
    for probe in sorted(loaded.source.probes, key=lambda p: (p.start, -p.end)):
        while open_ends and open_ends[-1] <= probe.start:
            open_ends.pop()
        assert not open_ends or probe.end <= open_ends[-1]
        open_ends.append(probe.end)
    assert [probe.number for probe in loaded.source.probes] == list(range(len(loaded.source.probes)))
    for probe in loaded.source.probes:
        match probe:
            case ConditionProbe(edges=(positive, negative)):
                outcomes = [edges[positive].operation, edges[negative].operation]
                assert [o.outcome for o in outcomes if isinstance(o, Assume)] == [True, False]
                assert edges[positive].source == edges[negative].source
            case CallProbe(edge=edge):
                assert isinstance(edges[edge].operation, Call | Halt | Input)


def test_every_goal_edge_of_the_source_has_a_probe(tmp_path: Path) -> None:
    loaded = load_text(
        "int main(void) { int x = 1; if (x) x = 2; for (;;) { switch (x) { case 1: x ? 1 : 2; } break; } }", tmp_path
    )
    probed: set[int] = set()
    for probe in loaded.source.probes:
        match probe:
            case ConditionProbe(edges=pair):
                probed.update(pair)
            case SwitchProbe(cases=cases, default=default):
                probed.update(edge for _, edge in cases)
                probed.add(default)
    assert {edge.number for edge in loaded.program.edge_list if edge.reference.branch} == probed


def test_every_failing_assertion_has_a_probe(tmp_path: Path) -> None:
    text = """#include <assert.h>
        #define CHECK(x) assert((x) && "checked")
        int main(int n, char **v) { assert(n); for (; n > 1; n--) assert(n != 5); CHECK(n); return 0; }"""
    loaded = load_text(text, tmp_path)
    called = {probe.edge for probe in loaded.source.probes if isinstance(probe, CallProbe)}
    goals = goals_of(loaded.program, Criterion.UNREACH_CALL)
    assert len(goals) == 3
    assert all(goal.edges & called for goal in goals)


def nested(depth: int, directory: Path) -> int:
    """How many bytes it takes to keep what was read of a chain of that many decisions."""
    chain = " else ".join(f"if (x == {number}) {{ int y = x; x = y; }}" for number in range(100, 100 + depth))
    return len(pickle.dumps(load_text(f"int main(int x) {{ {chain} return x; }}", directory)))


def test_a_long_chain_of_decisions_takes_as_much_for_each_as_a_short_one(tmp_path: Path) -> None:
    few, more, many = (nested(depth, tmp_path) for depth in (100, 300, 500))
    assert many - more < 1.1 * (more - few)
