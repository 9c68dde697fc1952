"""Reduced programs as C: they compile, and behave as the original does until the path is no longer needed."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Call
from gia.cfa.types import DataModel
from gia.cfa.writer import write_c
from gia.frontend import load
from gia.frontend.exchange_expressions import parse_expression
from gia.reducer import reduce_program
from tests.cfa.native import behaviours, compiled

PROGRAMS = sorted((Path(__file__).parents[1] / "cfa" / "programs").glob("*.c"))


def marked(program: Program, goals: frozenset[int]) -> Program:
    """The program with a call of ``__mark`` after each of the edges ``goals``."""
    location = 1 + max(place for function in program.functions.values() for place in function.leaving)
    number = len(program.edge_list)
    functions = {}
    for name, function in program.functions.items():
        edges: list[Edge] = []
        for edge in function.edges:
            if edge.number in goals:
                edges.append(replace(edge, target=location))
                edges.append(replace(edge, number=number, source=location, operation=Call(None, "__mark", ())))
                location, number = location + 1, number + 1
            else:
                edges.append(edge)
        functions[name] = replace(function, edges=tuple(edges))
    return replace(program, functions=functions)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("share", [1, 5])
def test_paths_to_open_goals_stay_and_others_end_early(path: Path, share: int, tmp_path: Path) -> None:
    program = load(path, data_model=DataModel.LP64).program
    open_goals = goals_of(program, Criterion.BRANCHES)[2::share]
    reduced = reduce_program(program, initial_gia(program, open_goals), Acceptance.UT, parse_expression)
    edges = frozenset(edge for goal in open_goals for edge in goal.edges)
    seeds = range(10)
    texts = {"original": program, "marked": marked(program, edges), "reduced": reduced.program}
    runs = {name: behaviours(compiled(tmp_path, name, write_c(text), text), seeds) for name, text in texts.items()}
    for original, with_marks, left in zip(runs["original"], runs["marked"], runs["reduced"], strict=True):
        if b"[mark]" in with_marks.output:
            assert left == original
        elif left != original:
            assert left.status == 0
            assert original.output.startswith(left.output)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_is_open_stays_a_goal_of_the_reduced_program(path: Path) -> None:
    program = load(path, data_model=DataModel.LP64).program
    goals = goals_of(program, Criterion.BRANCHES)
    reduced = reduce_program(program, initial_gia(program, goals[::4]), Acceptance.UT, parse_expression)
    left = {goal.id for goal in goals_of(reduced.program, Criterion.BRANCHES)}
    assert left <= {goal.id for goal in goals}
    assert left >= {goal.id for goal in goals[::4]}
    unchanged = reduce_program(program, initial_gia(program, ()), Acceptance.UT, parse_expression)
    assert unchanged.statistics.cuts == 0
