"""Component-based CEGAR: three actors that exchange nothing but GIA files find what one actor finds alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest
from msgspec.structs import replace

from gia.analyses.predicate.candidates import candidate_paths
from gia.analyses.predicate.evidence import path_automaton
from gia.analyses.proving.candidates.known import conditions_by_location
from gia.analyses.proving.proof import Proof, begin
from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.model import Acceptance
from gia.automaton.wellformed import violations
from gia.cfa.types import DataModel
from gia.checker import certify
from gia.exchange.gia_xml import read_gia, write_gia
from gia.exchange.suites.reading_tests import tests_of
from gia.orchestrator.facts import knowledge as facts
from gia.orchestrator.facts.knowledge import Knowledge, claimed_goals, nothing_known
from gia.orchestrator.facts.task import TaskRequest, load_task
from gia.orchestrator.handover.intake import candidate_paths as proposed
from gia.orchestrator.handover.intake import only_unreachable
from tests.analyses.machines import LATER

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
TWO_PLACES = """int main(void) {
  int x = 1, y = 0;
  while (__VERIFIER_nondet_int()) {
    x = 0;
    while (__VERIFIER_nondet_int())
      y = x;
  }
  if (y != 0)
    reach_error();
  return 0;
}
"""
"""``y == 0`` at the outer loop is learned first; then ``x == 0``, which holds at the inner loop only."""

EVEN = """int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_int())
    x += 2;
  if (x == 5)
    reach_error();
  return 0;
}
"""
REACHABLE = """int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int() == 7)
    x++;
  if (x == 2)
    reach_error();
  return 0;
}
"""


class Rounds:
    """The cycle of the composition ``cc-gia``, in one process; whatever passes is written to a file and read back."""

    def __init__(self, folder: Path, text: str, **options: str) -> None:
        source = folder / "program.c"
        source.write_text(HEADER + text)
        self.folder = folder
        self.options = options
        self.knowledge: Knowledge = nothing_known(load_task(TaskRequest(source, "unreach-call", DataModel.LP64)))
        self.inputs: list[tuple[str, ...]] = []
        self.learned: list[frozenset[str]] = []
        self.round = 0

    def ask(self, name: str) -> None:
        """One step: the actor starts from a file and leaves one."""
        task = self.knowledge.task
        write_gia(self.knowledge.automaton, self.folder / "in.xml")
        gia = read_gia(self.folder / "in.xml")
        request = ActorRequest(task.loaded, task.goals, gia, monotonic() + 60, self.folder, self.options)
        found = ACTORS[name].load()(request)
        assert not violations(found)
        write_gia(replace(found, metadata=task.initial.metadata), self.folder / "out.xml")
        found = read_gia(self.folder / "out.xml")
        proof = only_unreachable(found)
        claimed = claimed_goals(task, proof)
        goals = [goal for goal in task.goals if goal.id in claimed]
        assert certify(task.program, proof, goals, deadline=monotonic() + 20).certified == claimed
        new = [facts.Proof(proof, claimed, claimed, name, f"{self.round}-{name}")]
        self.inputs += [tuple(value for _, value in test.case.inputs) for test in tests_of(found, task.program)]
        self.knowledge = self.knowledge.extended(proofs=new if proof.accepting(Acceptance.UT) else []).proposing(
            name, proposed(found)
        )

    def go(self, most: int) -> int:
        """Rounds until the goal is decided; how many."""
        for self.round in range(1, most + 1):
            for name in ("model-explorer", "feasibility-checker", "precision-refiner"):
                self.ask(name)
                if not self.knowledge.open_goals or self.inputs:
                    self.learned.append(self.conditions)
                    return self.round
            self.learned.append(self.conditions)
        return most + 1

    @property
    def proof(self) -> Proof:
        """The skeleton of the program with nothing proven."""
        task = self.knowledge.task
        found = begin(ActorRequest(task.loaded, task.goals, self.knowledge.automaton, monotonic() + 60, self.folder))
        assert found is not None
        return found

    @property
    def conditions(self) -> frozenset[str]:
        """The texts of all conditions in the combined GIA."""
        return frozenset(state.invariant.text for state in self.knowledge.automaton.states if state.invariant)


def test_two_predicates_of_different_rounds_and_places_are_both_in_the_combined_gia(tmp_path: Path):
    rounds = Rounds(tmp_path, TWO_PLACES, sources="invariants atoms weakest interpolants strongest")
    assert rounds.go(4) <= 4
    assert not rounds.knowledge.open_goals
    first, later = rounds.learned[0], frozenset().union(*rounds.learned[1:])
    assert any("y" in text and "x" not in text for text in first)
    assert not any("x" in text for text in first)
    assert any("x == 0" in text for text in later - first)
    assert first <= rounds.conditions
    assert any("x == 0" in text for text in rounds.conditions)


@pytest.mark.parametrize(("text", "variables"), [(TWO_PLACES, "xy"), (EVEN, "x")])
def test_the_invariants_of_all_loops_around_a_candidate_are_learned_at_once(tmp_path: Path, text: str, variables: str):
    rounds = Rounds(tmp_path, text, sources="loops")
    assert rounds.go(2) <= 2
    assert not rounds.knowledge.open_goals
    assert all(any(name in condition for condition in rounds.conditions) for name in variables)


def test_a_precision_of_round_1_is_still_there_in_round_30(tmp_path: Path):
    rounds = Rounds(tmp_path, EVEN, sources="strongest")  # constants only: a new predicate in each round, never enough
    proof = rounds.proof
    (head,) = proof.shape.cuts
    (claim,) = proof.claims_of(proof.goals[0])
    for iterations in range(1, 31):
        candidate = path_automaton(proof, [head] * iterations, [claim], Acceptance.CAND)
        rounds.knowledge = rounds.knowledge.proposing("model-explorer", candidate)
        rounds.ask("precision-refiner")
        rounds.learned.append(rounds.conditions)
        assert f"x == {2 * (iterations - 1)}U" in rounds.conditions
    assert all(earlier < later for earlier, later in pairwise(rounds.learned))
    program = rounds.knowledge.task.program
    known = conditions_by_location(program, rounds.knowledge.automaton)
    assert len(known[head.location]) == 30  # and the next explorer reads all of them


def test_a_candidate_that_is_feasible_becomes_a_test(tmp_path: Path):
    rounds = Rounds(tmp_path, REACHABLE)
    assert rounds.go(6) <= 6
    assert list(rounds.inputs[0][:2]) == ["7", "7"]


def test_candidates_are_read_as_they_were_written(tmp_path: Path):
    rounds = Rounds(tmp_path, TWO_PLACES)
    rounds.ask("model-explorer")
    (path,) = candidate_paths(rounds.proof, rounds.knowledge.automaton)
    assert len(path.cuts) == 1  # past the loop, without entering it


@pytest.mark.parametrize("text", [TWO_PLACES, REACHABLE])
def test_predicate_alone_decides_the_same(text: str, tmp_path: Path):
    rounds = Rounds(tmp_path, text)
    rounds.ask("predicate")
    assert bool(rounds.knowledge.open_goals) == (text == REACHABLE)


def test_what_holds_in_the_modes_of_a_state_machine_passes_through_the_gia(tmp_path: Path):
    rounds = Rounds(tmp_path, LATER.replace("return 1;", "reach_error();"), sources="modes")
    assert rounds.go(2) <= 2
    assert not rounds.knowledge.open_goals
    assert any("next" in condition and "s" in condition for condition in rounds.conditions)
