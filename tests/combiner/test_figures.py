"""The worked examples of Haltermann & Wehrheim (SoSyM 2024), figures 8, 14 and 16, on C programs.

The programs are ours: the figures of the article are drawings. What is said about them is the article's.
"""

from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.automaton.status import goal_status
from gia.cfa.goals import Goal
from gia.cfa.graph import EdgeReference, Program
from gia.checker import Outcome, certify, check_exclusions
from gia.combiner import combine
from gia.exchange.suites.reading_tests import tests_of
from gia.verdict import GoalStatus
from tests.checker.programs import branches, load_text

UT, RT, CAND = (State(None, kind) for kind in Acceptance)


@dataclass(frozen=True)
class Example:
    """A program with its branches as goals, and its edges by line and branch (or kind)."""

    program: Program
    goals: tuple[Goal, ...]

    def on(self, line: int, what: str) -> frozenset[EdgeReference]:
        found = (edge.reference for edge in self.program.edge_list)
        edges = frozenset(e for e in found if e.line == line and what in (e.branch, e.kind))
        assert edges, (line, what)
        return edges

    def others(self, *edges: frozenset[EdgeReference]) -> frozenset[EdgeReference]:
        """All edges but these: what a drawing leaves out."""
        return frozenset(edge.reference for edge in self.program.edge_list).difference(*edges)

    def status(self, automaton: Automaton) -> dict[str, str]:
        found = goal_status(self.program, automaton, self.goals)
        return {goal.removeprefix("main:"): status.value for goal, status in found.items()}


def example(directory: Path, text: str) -> Example:
    loaded = load_text(directory, text)
    return Example(loaded.program, branches(loaded))


def where(text: str) -> Condition:
    return Condition(text, "main")


# ---- figures 8 and 14: test generation

RUNNING = """\
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x < 5) {
    return 3;
  }
  x = x % 100 + 6;
  if (x <= 5) return 7;
  return 9;
}
"""
"""``l3`` and ``l5`` are the branches in line 5, ``l7`` and ``l9`` those in line 9; ``l7`` cannot be reached."""

L3, L5, L7, L9 = "5:3:then", "5:3:else", "9:3:then", "9:3:else"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return example(tmp_path_factory.mktemp("running"), RUNNING)


def chain(example: Example, first: Condition | None, steps: list[tuple[int, str]], last: State) -> Automaton:
    """A run that reads the input under a condition and then takes these branches, to a state that accepts."""
    edges = [example.on(4, "input"), *(example.on(line, branch) for line, branch in steps)]
    rest = example.others(*edges, example.on(5, "then"), example.on(5, "else"), example.on(9, "then"))
    transitions = []
    for number, edge in enumerate(edges):
        transitions.append(Transition(number, number, rest))
        transitions.append(Transition(number, number + 1, edge, first if number == 0 else None))
    return Automaton((*[State()] * len(edges), last), (*transitions, Transition(len(edges), len(edges), ANY)))


def a1(example: Example) -> Automaton:
    """Figure 14a: a tester has reached ``l3``; how to reach ``l7`` and ``l9`` is open."""
    reached = chain(example, where("\\result == 0"), [(5, "then")], RT)
    candidates = [chain(example, None, [(5, "else"), (9, branch)], CAND) for branch in ("then", "else")]
    return combine([reached, *candidates])


def a2(example: Example) -> Automaton:
    """Figure 14b: a verifier has excluded ``l7``; a path to ``l5`` and ``l9`` may exist if ``x`` is 5."""
    excluded = chain(example, None, [(5, "else"), (9, "then")], UT)
    return combine([excluded, chain(example, where("\\result == 5"), [(5, "else"), (9, "else")], CAND)])


def test_figure_14(running: Example) -> None:
    """What both know is in the combination; ``l7`` is no candidate any more, and the condition ``x == 5`` stays."""
    assert running.status(a1(running)) == {L3: "covered", L5: "open", L7: "open", L9: "open"}
    assert running.status(a2(running)) == {L3: "open", L5: "open", L7: "unreachable", L9: "open"}
    a3 = combine([a1(running), a2(running)])
    assert running.status(a3) == {L3: "covered", L5: "open", L7: "unreachable", L9: "open"}
    (test,) = tests_of(a3, running.program)
    assert [value.bits for value in test.inputs] == [0]
    candidates = a3.accepting(Acceptance.CAND)
    entering = [t for t in a3.transitions if t.target in candidates and t.source != t.target]
    assert {edge for t in entering for edge in t.edges or ()} == running.on(9, "else")
    assert {t.assumption.text for t in a3.transitions if t.assumption} == {"\\result == 0", "\\result == 5"}
    assert a3 == combine([a2(running), a1(running)]) == combine([a3, a1(running), a2(running)])


def test_figure_8(running: Example) -> None:
    """The combination says what figure 8 shows, and the checker confirms what it excludes."""
    a3 = combine([a1(running), a2(running)])
    kinds = [state.accept for state in a3.states]
    assert (kinds.count(Acceptance.RT), kinds.count(Acceptance.UT), kinds.count(Acceptance.CAND)) == (1, 1, 1)
    (l7,) = (goal for goal in running.goals if goal.id == f"main:{L7}")
    report = certify(running.program, a3, [l7], deadline=monotonic() + 20)
    assert report.certified == {f"main:{L7}"}


def test_the_task_of_figure_14_can_be_completed(running: Example) -> None:
    """A tester that tries the candidate's condition decides the rest."""
    reached = [
        chain(running, where("\\result == 5"), steps, RT) for steps in ([(5, "else")], [(5, "else"), (9, "else")])
    ]
    done = combine([a1(running), a2(running), *reached])
    assert running.status(done) == {L3: "covered", L5: "covered", L7: "unreachable", L9: "covered"}
    assert not done.accepting(Acceptance.CAND)


# ---- figure 16: refutations with precision increments

LOOP = """\
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = 0;
  while (__VERIFIER_nondet_int()) {
    x = 0;
    y = x;
  }
  if (y != 0) return 11;
  return 0;
}
"""
"""``x == 0`` holds after the first iteration of the loop, and not before."""


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return example(tmp_path_factory.mktemp("loop"), LOOP)


def figure_16a(example: Example) -> Automaton:
    """The path past the loop is infeasible, for ``y == 0`` holds behind the loop."""
    leave, error = example.on(6, "else"), example.on(10, "then")
    rest = example.others(leave, error, example.on(6, "then"))
    steps = (Transition(0, 1, leave, where("y == 0")), Transition(1, 2, error), Transition(2, 2, ANY))
    loops = (Transition(0, 0, rest), Transition(1, 1, rest))
    return Automaton((State(), State(), UT), (*steps, *loops))


def figure_16c(example: Example) -> Automaton:
    """The path through the loop once is infeasible, for ``x == 0`` holds after the assignment in it."""
    enter, leave, error = example.on(6, "then"), example.on(6, "else"), example.on(10, "then")
    zero = example.on(7, "assign")
    rest = example.others(enter, leave, error, zero)
    steps = (
        Transition(0, 1, enter),
        Transition(1, 2, zero, where("x == 0")),
        Transition(2, 3, leave),
        Transition(3, 4, error),
        Transition(4, 4, ANY),
    )
    return Automaton((*[State()] * 4, UT), (*steps, *(Transition(n, n, rest) for n in range(4))))


def test_figure_16(loop: Example) -> None:
    """Both refutations are in the combination, each with its own predicate where it holds; each is certified."""
    both = combine([figure_16a(loop), figure_16c(loop)])
    assert sorted(t.assumption.text for t in both.transitions if t.assumption)[-1] == "y == 0"
    assert {t.assumption.text for t in both.transitions if t.assumption} == {"x == 0", "y == 0"}
    for automaton in (figure_16a(loop), figure_16c(loop), both):
        results = check_exclusions(loop.program, automaton, loop.goals, deadline=monotonic() + 20)
        assert results
        assert {result.outcome for result in results} == {Outcome.CERTIFIED}
        assert loop.status(automaton)["10:3:then"] == GoalStatus.OPEN  # longer paths are left
    later = figure_16a(loop).transitions[0]._replace(assumption=where("x == 0"))
    assert combine([figure_16a(loop), figure_16c(loop)]) == combine([both, figure_16c(loop)])
    wrong = Automaton((State(), UT), (Transition(0, 0, ANY), later._replace(target=1)))
    results = check_exclusions(loop.program, wrong, loop.goals, deadline=monotonic() + 20)
    assert Outcome.REFUTED in {result.outcome for result in results}
