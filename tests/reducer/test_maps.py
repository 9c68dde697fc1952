"""The map of goals: each goal that is left has its places in the reduced text, whatever the criterion."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.errors import GiaError
from gia.frontend import LoadedProgram, load
from gia.reducer import Strategy, reduce_to_c
from gia.reducer.strategies import Reduction
from tests.cfa.graphs import law
from tests.reducer import tasks
from tests.reducer.text_programs import sources

PROGRAMS = Path(__file__).parents[1] / "cfa" / "programs"


def read(path: Path, criterion: Criterion) -> tuple[LoadedProgram, tuple[Goal, ...]]:
    program = load(path, data_model=DataModel.LP64, atomic=criterion is Criterion.ATOMIC)
    return program, goals_of(program.program, criterion)


def assert_mapped(
    program: LoadedProgram, goals: Sequence[Goal], task: tasks.Reduced, strategy: Strategy, criterion: Criterion
) -> Reduction:
    reduction = reduce_to_c(strategy, program, goals, task.automaton, task.wrt)
    with TemporaryDirectory() as folder:
        (Path(folder) / "reduced.c").write_text(reduction.text)
        _, there = read(Path(folder) / "reduced.c", criterion)
    named = [name for names in reduction.goals.values() for name in names]
    assert set(named) <= {goal.id for goal in there}
    assert len(set(named)) == len(named)
    removed = {edge.number for edge in program.program.edges() if edge.reference in reduction.removed_edges}
    for goal in goals:
        assert bool(reduction.goals[goal.id]) == (not goal.edges <= removed), goal.id
    return reduction


@pytest.mark.parametrize("criterion", [Criterion.ATOMIC, Criterion.STATEMENTS, Criterion.ERROR_CALL])
@pytest.mark.parametrize("strategy", Strategy)
def test_goals_of_all_criteria_are_mapped(strategy: Strategy, criterion: Criterion) -> None:
    program, goals = read(PROGRAMS / "control.c", criterion)
    task = tasks.with_facts(program.program, goals, Acceptance.UT)
    if criterion is Criterion.ERROR_CALL:
        assert len(goals) == 1
        task = tasks.initial(program.program, goals)
    assert_mapped(program, goals, task, strategy, criterion)


ERROR_LABELS = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y = 0;
  if (x > 3) y = 1;
  if (x < 9) {
ERROR:
    x = y;
  }
  return x;
}
"""


@pytest.mark.parametrize("strategy", Strategy)
def test_labels_that_mark_the_error_stay(strategy: Strategy, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(ERROR_LABELS)
    program, goals = read(tmp_path / "p.c", Criterion.UNREACH_CALL)
    reduction = assert_mapped(program, goals, tasks.initial(program.program, goals), strategy, Criterion.UNREACH_CALL)
    assert [len(names) for names in reduction.goals.values()] == [1]


def test_an_error_label_is_not_lost_where_several_would_be_needed(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(ERROR_LABELS)
    program, goals = read(tmp_path / "p.c", Criterion.UNREACH_CALL)
    first = frozenset(e.reference for e in program.program.edges() if "y = 1" in e.text)
    last = frozenset(e.reference for e in program.program.edges() if e.reference.kind == "return")
    moves = (Transition(0, 0, ANY), Transition(0, 1, first), Transition(1, 1, ANY), Transition(1, 2, last))
    automaton = Automaton((State(), State(), State(None, Acceptance.UT)), (*moves, Transition(2, 2, ANY)))
    with pytest.raises(GiaError, match="several places"):
        reduce_to_c(Strategy.RESIDUAL, program, goals, automaton, Acceptance.UT)
    assert "\nERROR:\n" in reduce_to_c(Strategy.MONITOR, program, goals, automaton, Acceptance.UT).text


def test_statements_that_begin_with_a_designation_have_a_place(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text("int main(void) {\n  struct { int a[2]; } s = {.a = {1}};\n  return s.a[1];\n}\n")
    _, goals = read(tmp_path / "p.c", Criterion.STATEMENTS)
    assert [(goal.line, goal.column) for goal in goals] == [(2, 28), (3, 3)]


@pytest.mark.parametrize("criterion", [Criterion.BRANCHES, Criterion.ATOMIC, Criterion.STATEMENTS])
@given(st.data())
@law(4)
def test_goals_of_drawn_programs_are_mapped(criterion: Criterion, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "p.c"
        path.write_text(data.draw(sources()))
        program, goals = read(path, criterion)
    task = tasks.with_facts(program.program, goals, data.draw(st.sampled_from([Acceptance.UT, Acceptance.RT])))
    for strategy in Strategy:
        assert_mapped(program, goals, task, strategy, criterion)
