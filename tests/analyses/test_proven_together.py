"""Goals are proven together exactly if all of them are unreachable, and the evidence is accepted."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving.candidates.intervals import interval_candidates
from gia.analyses.proving.proof import begin
from gia.analyses.proving.together import prove_together
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.checker import certify
from tests.checker.programs import EXAMPLES, branches, load_text

BEHIND = """int main(void) {
  int p = 3, r = 0;
  while (__VERIFIER_nondet_int()) {
    if (p > 3) {
      r = 9;
      while (r > 0) {
        r--;
        if (p > 4)
          p++;
      }
    }
    if (r > 6)
      p = 7;
    if (p >= 3)
      p -= 3;
  }
  return 0;
}
"""
"""The loop inside and what r becomes there matter only if p is greater than 3: without them, all is a small step."""


def prepared(folder: Path, text: str, chosen=None):
    loaded = load_text(folder, text)
    goals = [goal for goal in branches(loaded) if chosen is None or goal.id in chosen]
    gia = initial_gia(loaded.program, goals)
    proof = begin(ActorRequest(loaded, tuple(goals), gia, monotonic() + 60, folder), contracts=True)
    assert proof is not None
    return loaded, goals, proof


def proven(goals, proof):
    prove_together(proof, interval_candidates(proof.program, proof.supergraph, proof.shape, proof.deadline))
    return {goal.id for goal in goals if proof.is_proven(goal)}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_only_what_is_unreachable_is_proven(name, tmp_path):
    text, unreachable = EXAMPLES[name]
    loaded, goals, proof = prepared(tmp_path, text)
    found = proven(goals, proof)
    assert found <= unreachable
    report = certify(loaded.program, proof.automaton(), goals, deadline=monotonic() + 30)
    assert found <= report.certified <= unreachable


def test_what_lies_behind_unreachable_goals_is_proven_with_them(tmp_path):
    loaded, goals, proof = prepared(tmp_path, BEHIND)
    every = {goal.id for goal in goals}
    found = proven(goals, proof)
    inside = {name for name in every if int(name.split(":")[1]) in (8, 10)}
    expected = inside | {name for name in every if name.startswith(("main:6:", "main:14:")) and name.endswith("then")}
    assert found == expected
    report = certify(loaded.program, proof.automaton(), goals, deadline=monotonic() + 30)
    assert report.certified == expected


def test_other_stages_go_on_from_there(tmp_path):
    _, goals, proof = prepared(tmp_path, BEHIND)
    found = proven(goals, proof)
    proof.add({})
    assert {goal.id for goal in goals if proof.is_proven(goal)} == found


BESIDE = """int main(void) {
  int x = 0, y = __VERIFIER_nondet_int();
  while (__VERIFIER_nondet_int())
    x = 5 - x;
  if (x > 5)
    x = 0;
  while (y > 0) {
    y--;
    if (y == 7)
      x = 1;
  }
  return 0;
}
"""


def test_loops_from_which_no_proven_goal_can_be_reached_stay(tmp_path):
    _, goals, proof = prepared(tmp_path, BESIDE)
    assert any(name.startswith("main:7:") for name in proven(goals, proof))
    assert proof.cuts == proof.shape.cuts
