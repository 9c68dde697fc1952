"""Each prover alone: what it decides on examples, always with evidence that the checker accepts."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance, Automaton
from gia.automaton.status import goal_status
from gia.automaton.union import union
from gia.automaton.wellformed import violations
from gia.cfa.goals import Goal
from gia.checker import certify, check_claims
from gia.frontend import LoadedProgram
from gia.verdict import GoalStatus
from tests.checker.programs import EXAMPLES, branches, load_text

DELAYED = """int main(void) {
  unsigned p = 8, q = 8, r = 8;
  while (__VERIFIER_nondet_int()) {
    r = q;
    q = p;
    p = __VERIFIER_nondet_uint() | 8u;
    if (!(r & 8u))
      return 1;
  }
  return 0;
}
"""
"""A bit that needs the two iterations before: no comparison of variables says it."""

STATES = """int main(void) {
  int s = 0, n = 0;
  while (__VERIFIER_nondet_int()) {
    if (s == 0) s = 4;
    else if (s == 4) s = 9;
    else if (s == 9) s = 0;
    else
      return 1;
  }
  if (s == 7)
    return 2;
  return 0;
}
"""
TWO_LOOPS = """int main(void) {
  unsigned x = 0, y = 0, n = __VERIFIER_nondet_uint();
  while (x < n) { x++; y++; }
  while (x > 0) {
    x--;
    y--;
  }
  if (y != 0)
    return 1;
  return 0;
}
"""
FLAG = """int main(void) {
  int locked = 0, old = 0, new = 1;
  while (new != old) {
    if (locked)
      return 1;
    locked = 1;
    old = new;
    if (__VERIFIER_nondet_int()) {
      locked = 0;
      new++;
    }
  }
  if (!locked)
    return 2;
  return 0;
}
"""
CHOICES = """int main(void) {
  int mode = __VERIFIER_nondet_int() ? 2 : 5, steps = 0;
  while (__VERIFIER_nondet_int()) {
    if (mode == 2) mode = 9;
    else if (mode == 9) mode = 5;
    steps++;
    if (mode == 3)
      return 1;
    if (steps > 1000) break;
  }
  if (mode == 7)
    return 2;
  return 0;
}
"""
"""A variable with two values at once."""

PROGRAMS: dict[str, tuple[str, frozenset[str]]] = {
    **EXAMPLES,
    "delayed": (DELAYED, frozenset({"main:9:5:then"})),
    "states": (STATES, frozenset({"main:8:10:else", "main:12:3:then"})),
    "choices": (CHOICES, frozenset({"main:9:5:then", "main:13:3:then"})),
    "flag": (FLAG, frozenset({"main:6:5:then", "main:15:3:then"})),
    "two loops": (TWO_LOOPS, frozenset({"main:10:3:then"})),
}
PROVEN = {
    "interval": {"constant", "counter", "callee"},
    "chc": {"constant", "counter", "callee", "states", "two loops"},
    "predicate": {"constant", "counter", "callee", "states", "two loops", "flag", "uncalled"},
    "value": {"constant", "states", "choices", "uncalled"},
    "kinduction": {"constant", "counter", "callee", "states", "two loops", "delayed"},
}
"""The programs whose unreachable goals the actor is to prove."""


def ask(
    actor: str,
    loaded: LoadedProgram,
    goals: tuple[Goal, ...],
    folder: Path,
    known: Automaton | None = None,
    *,
    seconds: float = 20,
) -> Automaton:
    """What an actor answers within some seconds."""
    gia = known or initial_gia(loaded.program, goals)
    return ACTORS[actor].load()(ActorRequest(loaded, goals, gia, monotonic() + seconds, folder))


def unreachable_by(loaded: LoadedProgram, found: Automaton, goals: tuple[Goal, ...]) -> frozenset[str]:
    """The goals that the automaton claims unreachable."""
    status = goal_status(loaded.program, found, goals)
    return frozenset(name for name, known in status.items() if known is GoalStatus.UNREACHABLE)


@pytest.mark.parametrize(
    ("actor", "name"), [(actor, name) for actor, names in PROVEN.items() for name in sorted(names)]
)
def test_what_an_actor_is_for_it_proves_with_evidence(actor: str, name: str, tmp_path: Path):
    text, unreachable = PROGRAMS[name]
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    wanted = tuple(goal for goal in goals if goal.id in unreachable)
    found = ask(actor, loaded, wanted, tmp_path, seconds=90)  # most need less than one, on a machine that is not busy
    assert not violations(found)
    assert not found.accepting(Acceptance.RT)
    assert unreachable <= unreachable_by(loaded, found, goals)
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 20).certified >= unreachable


@pytest.mark.parametrize("actor", sorted(PROVEN))
def test_variables_that_are_declared_only_may_have_any_value(actor: str, tmp_path: Path):
    loaded = load_text(
        tmp_path,
        "extern int number, *pointer;\nextern struct { char a[3]; } whole;\nint zero, *where = &number;\n"
        "int main(void) {\n  if (number == 5)\n    return 1;\n  if (pointer)\n    return 2;\n"
        "  if (whole.a[1] == 7 && *where == 3)\n    return 3;\n  if (zero)\n    return 4;\n  return 0;\n}\n",
    )
    goals = branches(loaded)
    assert unreachable_by(loaded, ask(actor, loaded, goals, tmp_path), goals) <= {"main:13:3:then"}


def test_the_name_of_a_function_is_no_literal(tmp_path: Path):
    loaded = load_text(
        tmp_path,
        'static const char *name(void) { return __func__; }\nint main(void) {\n  const char *literal = "name";\n'
        "  if (name() == literal)\n    return 1;\n  if (name() != name())\n    return 2;\n  return 0;\n}\n",
    )
    goals = branches(loaded)
    assert unreachable_by(loaded, ask("bmc-proofs", loaded, goals, tmp_path), goals) == {"main:8:3:then"}


def test_induction_without_depth_is_too_weak_for_what_k_induction_proves(tmp_path: Path):
    loaded = load_text(tmp_path, DELAYED)
    goals = tuple(goal for goal in branches(loaded) if goal.id == "main:9:5:then")
    assert not unreachable_by(loaded, ask("interval", loaded, goals, tmp_path), goals)


def test_invariants_are_handed_over_where_they_decide_nothing(tmp_path: Path):
    loaded = load_text(tmp_path, TWO_LOOPS)
    goals = branches(loaded)
    wanted = tuple(goal for goal in goals if goal.id == "main:10:3:then")
    found = ask("invariants", loaded, tuple(goal for goal in goals if goal not in wanted), tmp_path)
    assert not violations(found)
    assert found.accepting(Acceptance.CAND)
    conditions = [state.invariant.text for state in found.states if state.invariant]
    assert any("x == y" in text or "y == x" in text for text in conditions), conditions
    # and whoever reads them needs no search of their own
    known = union([initial_gia(loaded.program, goals), found])
    assert not unreachable_by(loaded, ask("interval", loaded, wanted, tmp_path), wanted)
    assert unreachable_by(loaded, ask("interval", loaded, wanted, tmp_path, known), wanted)


def test_evidence_of_one_actor_is_none_for_a_weaker_automaton(tmp_path: Path):
    loaded = load_text(tmp_path, DELAYED)
    goals = branches(loaded)
    claim = tuple(goal for goal in goals if goal.id == "main:9:5:else")
    found = ask("kinduction", loaded, tuple(goal for goal in goals if goal.id == "main:9:5:then"), tmp_path)
    assert not certify(loaded.program, found, claim, deadline=monotonic() + 10).certified
