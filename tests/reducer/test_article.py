"""The examples of the article (Haltermann & Wehrheim, SoSyM 2024) as far as they concern reducers."""

from pathlib import Path

import pytest

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.graph import EdgeReference
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load
from gia.reducer import Strategy, reduce_to_c

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 5) {
    x = x + 1;
  } else {
    if (x <= 4) {
      x = 0;
    } else {
      x = x - 1;
    }
  }
  return x;
}
"""
"""After figure 2: the targets are the four branches; the inner ``then`` is infeasible."""


def branch(line: int, column: int, outcome: str) -> EdgeReference:
    return EdgeReference("main", line, column, "assume", outcome)


INPUT = EdgeReference("main", 3, 11, "input")
SMALL, LARGE = branch(4, 3, "then"), branch(4, 3, "else")
ODD, USUAL = branch(7, 5, "then"), branch(7, 5, "else")


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedProgram:
    (tmp_path / "example.c").write_text(PROGRAM)
    return load(tmp_path / "example.c", data_model=DataModel.LP64)


def after_input(*added: Transition, accepts: dict[int, Acceptance]) -> Automaton:
    """States: 0 before the input, 1 behind it; what is added leads on from there."""
    last = max(max(t.source, t.target) for t in added)
    states = tuple(State(None, accepts.get(number)) for number in range(last + 1))
    loops = tuple(Transition(number, number, ANY) for number in accepts)
    return Automaton(states, (Transition(0, 1, frozenset([INPUT])), *added, *loops))


def figure_8() -> Automaton:
    """A test reaches the first branch, the inner ``then`` is unreachable, two branches are candidates."""
    return after_input(
        Transition(1, 2, frozenset([SMALL]), Condition("x == 0", "main")),
        Transition(1, 3, frozenset([LARGE])),
        Transition(3, 4, frozenset([ODD])),
        Transition(3, 5, frozenset([USUAL])),
        accepts={2: Acceptance.RT, 4: Acceptance.UT, 5: Acceptance.CAND},
    )


def lines_left(
    loaded: LoadedProgram, automaton: Automaton, wrt: Acceptance, strategy: Strategy
) -> set[tuple[int, str]]:
    """The branches that the reduced program still has."""
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    reduction = reduce_to_c(strategy, loaded, goals, automaton, wrt)
    return {(goal.line, goal.outcome) for goal in goals if reduction.goals[goal.id]}


@pytest.mark.parametrize("strategy", Strategy)
def test_figure_8_the_unreachable_branch_and_the_one_without_candidates_go(
    loaded: LoadedProgram, strategy: Strategy
) -> None:
    assert lines_left(loaded, figure_8(), Acceptance.UT, strategy) == {(4, "else"), (7, "else")}


@pytest.mark.parametrize("strategy", Strategy)
def test_figure_14_only_the_else_branch_is_left_for_the_second_iteration(
    loaded: LoadedProgram, strategy: Strategy
) -> None:
    """The combined automaton of tester and verifier: the else branch under a condition is all that is open."""
    combined = after_input(
        Transition(1, 2, frozenset([SMALL]), Condition("x == 0", "main")),
        Transition(1, 3, frozenset([LARGE]), Condition("x == 5", "main")),
        Transition(3, 4, frozenset([ODD])),
        Transition(3, 5, frozenset([USUAL])),
        accepts={2: Acceptance.RT, 4: Acceptance.UT, 5: Acceptance.CAND},
    )
    assert lines_left(loaded, combined, Acceptance.UT, strategy) == {(4, "else"), (7, "else")}


def test_figure_14_the_monitor_tests_the_condition_of_the_candidate(loaded: LoadedProgram) -> None:
    combined = after_input(
        Transition(1, 2, frozenset([LARGE]), Condition("x == 5", "main")),
        accepts={2: Acceptance.CAND},
    )
    text = reduce_to_c(Strategy.MONITOR, loaded, (), combined, Acceptance.UT).text
    assert "if ((__gia_taken = !!(x < 5), __gia_1(x == 5))) {" in text
    assert text.endswith(PROGRAM.split("if (x < 5)")[1])


def test_what_is_pruned_keeps_its_line(loaded: LoadedProgram) -> None:
    """Without candidates only what is surely unreachable goes."""
    automaton = after_input(
        Transition(1, 2, frozenset([LARGE])), Transition(2, 3, frozenset([ODD])), accepts={3: Acceptance.UT}
    )
    reduction = reduce_to_c(Strategy.PRUNE, loaded, (), automaton, Acceptance.UT)
    program = reduction.text.split('example.c"\n')[1].split("\n")
    original = PROGRAM.split("\n")
    changed = [number for number, line in enumerate(original, start=1) if program[number - 1] != line]
    assert changed == [8]
    assert program[7].startswith("      { __gia_stop(); ")


CEGAR = """\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 1, y = 0;
  while (__VERIFIER_nondet_int()) {
    x = 0;
    y = x;
  }
  if (y != 0) {
    reach_error();
  }
  return 0;
}
"""
"""After figure 15."""


def test_figure_16_invariants_of_states_are_tested_on_the_way(tmp_path: Path) -> None:
    """``y == 0`` at the head of the loop excludes the error: as long as it holds, the branch is cut."""
    (tmp_path / "cegar.c").write_text(CEGAR)
    loaded = load(tmp_path / "cegar.c", data_model=DataModel.LP64)
    before = [edge.reference for edge in loaded.program.edges() if edge.reference.line < 9]
    ends = frozenset(edge for edge in before if edge.kind == "assign" and edge.line in (4, 7))
    leave = branch(5, 3, "else")
    states = (State(), State(Condition("y == 0", "main")), State(), State(None, Acceptance.UT))
    transitions = (
        Transition(0, 0, frozenset(before) - {leave}),
        Transition(0, 1, ends),
        Transition(1, 0, frozenset(before) - {leave}),
        Transition(1, 2, frozenset(edge for edge in before if edge.kind == "input")),
        Transition(2, 1, frozenset([leave])),
        Transition(1, 3, frozenset([branch(9, 3, "then")])),
        Transition(3, 3, ANY),
    )
    reduction = reduce_to_c(Strategy.MONITOR, loaded, (), Automaton(states, transitions), Acceptance.UT)
    assert "while ((__gia_taken = !!(__VERIFIER_nondet_int()), __gia_1(!!(y)))) {" in reduction.text
    assert reduction.statistics.cuts == 1
    assert not reduction.statistics.untestable
