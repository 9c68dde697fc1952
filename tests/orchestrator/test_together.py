"""Goals that only several proofs together exclude are decided, checked and taken back like others."""

from pathlib import Path
from time import monotonic

import pytest

from gia.automaton.model import ANY, Acceptance, Automaton, Condition, State, Transition
from gia.exchange.suites.testcase import TestCase
from gia.orchestrator.facts.knowledge import ExecutedTest, Knowledge, Proof, claimed_goals, nothing_known
from gia.orchestrator.facts.replay import Replayer
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.orchestrator.handover.intake import examine_together
from gia.verdict import GoalStatus, Trust

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int a = __VERIFIER_nondet_int(), x = 0;
  if (a)
    x = 1;
  if (x + LIMIT > 3)
    return 1;
  return 0;
}
"""
GOAL = "main:6:3:then"
UT = State(None, Acceptance.UT)


def task_of(directory: Path, limit: int) -> Task:
    path = directory / "p.c"
    path.write_text(PROGRAM.replace("LIMIT", str(limit)))
    return load_task(TaskRequest(path, "branches"))


def half(task: Task, branch: str, actor: str, invariant: Condition | None = None) -> Proof:
    """The claim that no path over this branch of the first condition reaches the goal."""
    edges = {(e.reference.line, e.reference.branch): e.reference for e in task.program.edge_list}
    first, last = frozenset({edges[4, branch]}), frozenset({edges[6, "then"]})
    rest = frozenset(e.reference for e in task.program.edge_list) - last - {edges[4, "then"], edges[4, "else"]}
    transitions = (
        Transition(0, 0, rest),
        Transition(0, 1, first),
        Transition(1, 1, rest),
        Transition(1, 2, last),
        Transition(2, 2, ANY),
    )
    automaton = Automaton((State(), State(invariant), UT), transitions, 0)
    assert not claimed_goals(task, automaton)
    return Proof(automaton, frozenset(), frozenset(), actor, f"step of {actor}")


def examined(knowledge: Knowledge) -> Knowledge:
    return examine_together(knowledge, monotonic() + 30)


@pytest.mark.parametrize("parallel", [False, True])
def test_two_halves_decide_the_goal_and_are_certified(tmp_path: Path, parallel: bool) -> None:
    task = task_of(tmp_path, 0)
    start = nothing_known(task)
    one, two = half(task, "then", "one"), half(task, "else", "two")
    both = start.extended(proofs=[one])
    assert both.decisions[GOAL].status is GoalStatus.OPEN
    both = both.joined([start.extended(proofs=[two])]) if parallel else both.extended(proofs=[two])
    assert both.decisions[GOAL].trust is Trust.CLAIMED
    both = examined(both)
    decision = both.decisions[GOAL]
    assert (decision.status, decision.trust) == (GoalStatus.UNREACHABLE, Trust.CERTIFIED)
    assert decision.by == "one, two"
    assert examined(both) is both


def test_an_executed_test_takes_the_joint_claim_back(tmp_path: Path) -> None:
    task = task_of(tmp_path, 3)
    both = examined(nothing_known(task).extended(proofs=[half(task, "then", "one"), half(task, "else", "two")]))
    assert both.decisions[GOAL].trust is Trust.CLAIMED
    test = _test(task, tmp_path, 1)
    assert GOAL in test.reached
    after = both.extended([test])
    assert after.decisions[GOAL].status is GoalStatus.COVERED
    assert after.distrusted == {"one", "two"}
    assert "one, two claimed" in str(after.conflicts[0])


def _test(task: Task, directory: Path, value: int) -> ExecutedTest:
    case = TestCase((("int", str(value)),))
    (executed,) = Replayer(task, directory).replay([case], directory / "suite", "tester")
    return executed


def test_wrong_evidence_decides_nothing(tmp_path: Path) -> None:
    task = task_of(tmp_path, 3)
    wrong = Condition("x == 0", "main")
    halves = [half(task, "then", "one", wrong), half(task, "else", "two")]
    both = nothing_known(task).extended(proofs=halves)
    assert both.decisions[GOAL].status is GoalStatus.UNREACHABLE
    both = examined(both)
    assert both.decisions[GOAL].status is GoalStatus.OPEN
    assert both.extended(proofs=[half(task, "then", "three")]).decisions[GOAL].status is GoalStatus.OPEN
