"""Component-based CEGAR as a run: candidates pass from actor to actor, and tests among them are executed."""

from __future__ import annotations

from pathlib import Path

from gia.exchange.gia_xml import read_gia
from tests.cli.harness import gia

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n"
SAFE = """int main(void) {
  int x = 1, y = 0;
  while (__VERIFIER_nondet_int()) {
    x = 0;
    y = x;
  }
  if (y != 0)
    reach_error();
  return 0;
}
"""
UNSAFE = SAFE.replace("y = x;", "y = __VERIFIER_nondet_int() == 12345;")
MODES = """int main(void) {
  int state = 1, flag = 0;
  while (__VERIFIER_nondet_int()) {
    if (state == 1) {
      state = 2;
      flag = 1;
    } else {
      state = 1;
      flag = 0;
    }
  }
  if (state == 1 && flag)
    reach_error();
  return 0;
}
"""
"""No condition of the program is an invariant; the abstraction from both is what holds."""
ALONE = "name: alone\ntask: verification\nsteps:\n  abstract:\n    actor: predicate\nrun: abstract\n"


def test_the_predicates_of_the_refiner_make_the_explorer_prove_it(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(HEADER + MODES)
    result = gia("run", "cc-gia", "p.c", "--time", "60s", "--json", "--param", "sources=atoms", cwd=tmp_path).json
    assert result["verdict"] == "true"
    assert result["goals"][0]["by"] == "model-explorer"
    assert result["goals"][0]["certified"]
    assert max(step["round"] for step in result["steps"]) <= 4
    known = read_gia(tmp_path / "gia-out/p.c/gia.xml")
    assert any("flag" in state.invariant.text for state in known.states if state.invariant)


def test_predicates_of_the_refiner_that_are_inductive_are_a_proof(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(HEADER + SAFE)
    result = gia("run", "cc-gia", "p.c", "--time", "60s", "--json", "--param", "sources=atoms", cwd=tmp_path).json
    assert result["verdict"] == "true"
    assert result["goals"][0]["by"] == "precision-refiner"
    assert result["goals"][0]["certified"]


def test_a_candidate_test_of_a_prover_is_executed(tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(HEADER + UNSAFE)
    (tmp_path / "alone.yml").write_text(ALONE)
    result = gia("run", "alone.yml", "p.c", "--time", "60s", "--json", cwd=tmp_path).json
    assert result["verdict"] == "false"
    assert result["goals"][0]["by"] == "predicate"
    assert "12345" in (tmp_path / "gia-out/p.c/test-suite/testcase-1.xml").read_text()
