"""The actors ``symex``, ``bmc`` and ``bmc-proofs``: two directions, and merging that changes no answer."""

from pathlib import Path

import pytest

from gia.automaton.model import Acceptance
from gia.verdict import GoalStatus
from tests.analyses.test_tester import open_goals, program, run_actor

SORTED = """
int main(void) {
  int a[3], swaps = 0;
  for (int i = 0; i < 3; i++) a[i] = __VERIFIER_nondet_int();
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (a[j] > a[j + 1]) { int t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; swaps++; }
  if (swaps == 3) { if (a[1] == 77) return 1; }
  if (a[0] > a[2]) return 2;
  return 0;
}"""
IMPOSSIBLE = "main:10:3:then"


@pytest.mark.parametrize(("actor", "options"), [("symex", {}), ("symex", {"merging": "no"}), ("bmc", {})])
def test_what_is_possible_is_reached(actor: str, options: dict[str, str], tmp_path: Path) -> None:
    found, status = run_actor(actor, program(tmp_path, SORTED), tmp_path, 25, options=options)
    assert not found.accepting(Acceptance.UT)
    assert open_goals(status) == [IMPOSSIBLE]


def test_states_that_meet_are_merged(tmp_path: Path) -> None:
    lines: dict[str, str] = {}
    for merging in ("yes", "no"):
        report: list[str] = []
        run_actor("symex", program(tmp_path, SORTED), tmp_path, 25, options={"merging": merging}, report=report.append)
        lines[merging] = report[-1]
    assert " 0 merged" in lines["no"]
    assert " 0 merged" not in lines["yes"]
    states = {merging: int(line.split(" states")[0].split()[-1]) for merging, line in lines.items()}
    assert states["yes"] < states["no"]


def test_a_complete_bound_is_a_proof_for_the_other_direction(tmp_path: Path) -> None:
    found, status = run_actor("bmc-proofs", program(tmp_path, SORTED), tmp_path, 25)
    assert not found.accepting(Acceptance.RT)
    assert [name for name, state in status.items() if state is GoalStatus.UNREACHABLE] == [IMPOSSIBLE]
