"""What an actor has written is examined: what is refused is said, and nothing else."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from msgspec.structs import replace

from gia.automaton.model import Automaton
from gia.combiner import combine
from gia.exchange.gia_xml import write_gia
from gia.exchange.suites.tests_gia import LONG_TAIL, test_to_gia
from gia.native import Missing, Runner, compile_instrumented
from gia.orchestrator.description.actor import load_actor
from gia.orchestrator.facts.knowledge import nothing_known
from gia.orchestrator.facts.replay import Replayer
from gia.orchestrator.facts.task import Task, TaskRequest, load_task
from gia.orchestrator.handover.intake import Facts, examine
from gia.orchestrator.handover.invocation import Call

PROGRAM = f"""\
extern int __VERIFIER_nondet_int(void);
int main(void) {{
  int wanted = __VERIFIER_nondet_int(), found = 0;
  for (int i = 0; i < {LONG_TAIL + 1}; i++)
    if (__VERIFIER_nondet_int() == wanted)
      found = 1;
  if (found)
    return 1;
  return 0;
}}
"""


def load(folder: Path) -> Task:
    (folder / "p.c").write_text(PROGRAM)
    return load_task(TaskRequest(folder / "p.c", "branches"))


def written_test(task: Task, folder: Path, first: str) -> Automaton:
    """What a tester writes down of an execution that reads ``first`` and then zeros."""
    with Runner() as runner:
        execution = runner.run(compile_instrumented(task.loaded, folder), [first], missing=Missing.ZERO)
    return replace(test_to_gia(task.program, execution, task.goals), metadata=task.initial.metadata)


def examined(task: Task, folder: Path, written: Automaton) -> Facts:
    call = Call(load_actor("tester"), folder, 20.0, None, {})
    write_gia(written, call.product())
    return examine(call, nothing_known(task), Replayer(task, folder), "step", monotonic() + 20)


def test_what_one_of_two_tests_reaches_is_not_missed_by_the_other(tmp_path: Path) -> None:
    """Both are loops that read zeros, so that their automaton does not say which of the two takes a branch."""
    task = load(tmp_path)
    facts = examined(task, tmp_path, combine([written_test(task, tmp_path, first) for first in ("0", "1")]))
    assert len(facts.tests) == 2
    assert {goal.id for goal in task.goals} == facts.tests[0].reached | facts.tests[1].reached
    assert facts.remarks == ()


def test_a_goal_that_no_test_reaches_is_missed(tmp_path: Path) -> None:
    task = load(tmp_path)
    written = written_test(task, tmp_path, "0")
    taken = next(goal for goal in task.goals if goal.id == "main:7:3:then").edges
    other = next(goal for goal in task.goals if goal.id == "main:7:3:else").edges
    edges = task.program.edge_list
    swapped = {edges[one].reference: edges[two].reference for one, two in zip(taken, other, strict=True)}
    transitions = tuple(
        t._replace(edges=t.edges and frozenset(swapped.get(edge, edge) for edge in t.edges), assumption=None)
        if t.edges and not t.edges.isdisjoint(swapped)
        else t
        for t in written.transitions
    )
    facts = examined(task, tmp_path, replace(written, transitions=transitions))
    assert any("does not reach main:7:3:else" in remark for remark in facts.remarks)
