"""Unrolling: it keeps to its deadline and limits, and follows recursion to where it ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving.unrolling import COMPLETE, SHORT, Limits, Unrolling, unroll
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term

PROGRAM = """extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y = x * x;
  if (y == 7) return 1;
  if (y == 8) return 2;
  if (y == 9) return 3;
  return 0;
}
"""


class Clock:
    """A clock that the solver moves on."""

    now = 0.0


class Slow(BitwuzlaSolver):
    """A solver that uses all the time that it is given, and notes what was left when it was asked."""

    def __init__(self, clock: Clock, deadline: float) -> None:
        super().__init__()
        self.clock, self.deadline = clock, deadline
        self.asked: list[tuple[float, float]] = []

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        assert timeout is not None
        self.asked.append((timeout, self.deadline - self.clock.now))
        self.clock.now += timeout
        return Result.UNKNOWN


def test_no_question_takes_longer_than_what_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.c"
    path.write_text(PROGRAM)
    program = load(path, data_model=DataModel.LP64).program
    goals = goals_of(program, Criterion.BRANCHES)
    edges = frozenset(number for goal in goals for number in goal.edges)
    clock = Clock()
    monkeypatch.setattr("gia.analyses.proving.unrolling.monotonic", lambda: clock.now)
    monkeypatch.setattr("gia.smt.invariants.control_graph.monotonic", lambda: clock.now)
    solver = Slow(clock, 3.0)
    found = unroll(program, edges, Encoder(program, Mode.OVER), solver, solver.deadline)
    assert found is not None
    assert solver.asked
    assert all(timeout <= left for timeout, left in solver.asked)
    assert edges <= found.feasible


def unrolled(
    tmp_path: Path, text: str, limits: Limits = COMPLETE
) -> tuple[Unrolling | None, dict[str, frozenset[int]], float]:
    """The unrolling of a program, the edges of its goals, and how many seconds it took."""
    path = tmp_path / "p.c"
    path.write_text(text)
    program = load(path, data_model=DataModel.LP64).program
    goals = {goal.id: goal.edges for goal in goals_of(program, Criterion.BRANCHES)}
    started = monotonic()
    encoder, deadline = Encoder(program, Mode.OVER), started + 60
    found = unroll(program, frozenset().union(*goals.values()), encoder, BitwuzlaSolver(), deadline, limits=limits)
    return found, goals, monotonic() - started


ACKERMANN = """int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
int main(void) {
  if (ackermann(2, 3) != 9) return 1;
  return 0;
}
"""
MUTUAL = """extern int __VERIFIER_nondet_int(void);
int odd(unsigned n);
int even(unsigned n) {
  if (n > 7) return 3;
  return n == 0 ? 1 : odd(n - 1);
}
int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
int main(void) {
  unsigned n = __VERIFIER_nondet_int();
  if (n < 8 && even(n) == (n & 1)) return 1;
  return 0;
}
"""
FRAMES = """extern int __VERIFIER_nondet_int(void);
int fill(int *outer, int n) {
  int own = n;
  if (n > 3) return 0;
  if (outer != 0 && *outer != n - 1) return 1;
  fill(&own, n + 1);
  if (own != n) return 2;
  if (outer) *outer = n - 1;
  return 3;
}
int main(void) { return fill(0, __VERIFIER_nondet_int() & 3); }
"""


@pytest.mark.parametrize(
    ("text", "unreachable"),
    [
        (ACKERMANN, {"main:7:3:then"}),
        (MUTUAL, {"even:4:3:then", "main:10:3:then"}),
        (FRAMES, {"fill:5:3:then", "fill:7:3:then"}),
    ],
    ids=["ackermann", "mutual", "frames"],
)
def test_recursion_is_followed_to_where_it_ends(text: str, unreachable: set[str], tmp_path: Path) -> None:
    found, goals, _ = unrolled(tmp_path, text)
    assert found is not None
    assert {goal for goal, edges in goals.items() if not edges & found.feasible} == unreachable


@pytest.mark.parametrize("step", ["n - 1", "n + 1"])
def test_recursion_that_does_not_end_soon_is_given_up(step: str, tmp_path: Path) -> None:
    text = f"""extern int __VERIFIER_nondet_int(void);
int down(int n) {{
  if (n == 0) return 0;
  return down({step});
}}
int main(void) {{ return down(__VERIFIER_nondet_int()); }}
"""
    found, _, seconds = unrolled(tmp_path, text)
    assert found is None
    assert seconds < 30
    assert unrolled(tmp_path, text.replace("__VERIFIER_nondet_int()", "100000"))[0] is None


LOOP = """extern int __VERIFIER_nondet_int(void);
int main(void) {{
  int n = 0;
  for (int i = 0; i < {end}; i++) n += 3;
  if (n > 60) return 1;
  return 0;
}}
"""


@pytest.mark.parametrize(
    ("end", "is_short"),
    [
        ("16", True),
        ("17", False),
        ("(__VERIFIER_nondet_int() & 3)", True),
        ("(__VERIFIER_nondet_int() & 7)", False),
    ],
)
def test_what_ends_soon_is_unrolled_within_the_short_limits(end: str, is_short: bool, tmp_path: Path) -> None:
    text = LOOP.format(end=end)
    assert (unrolled(tmp_path, text, SHORT)[0] is not None) is is_short
    found, goals, _ = unrolled(tmp_path, text)
    assert found is not None
    assert not goals["main:5:3:then"] & found.feasible
    assert unrolled(tmp_path, text, Limits(5, 16, 16, 1.0))[0] is None


def test_hard_questions_are_no_reason_to_wait_within_the_short_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.c"
    path.write_text(LOOP.format(end="(__VERIFIER_nondet_int() & 3)"))
    program = load(path, data_model=DataModel.LP64).program
    edges = frozenset(number for goal in goals_of(program, Criterion.BRANCHES) for number in goal.edges)
    clock = Clock()
    monkeypatch.setattr("gia.analyses.proving.unrolling.monotonic", lambda: clock.now)
    monkeypatch.setattr("gia.smt.invariants.control_graph.monotonic", lambda: clock.now)
    solver = Slow(clock, 60.0)
    assert unroll(program, edges, Encoder(program, Mode.OVER), solver, 60.0, limits=SHORT) is None
    assert 0.0 < clock.now <= SHORT.seconds


def test_what_leads_to_no_goal_is_left_out(tmp_path: Path) -> None:
    """The second loop has no end, but only what is behind it depends on that; of that, nothing is said."""
    text = """extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = 0;
  for (int i = 0; i < 100; i++) n += 3;
  if (n != 300) return 1;
  while (__VERIFIER_nondet_int()) n++;
  if (n == 300) return 2;
  return 0;
}
"""
    path = tmp_path / "p.c"
    path.write_text(text)
    program = load(path, data_model=DataModel.LP64).program
    goals = {goal.id: goal.edges for goal in goals_of(program, Criterion.BRANCHES)}
    wanted = goals["main:5:3:then"] | goals["main:5:3:else"]
    found = unroll(program, wanted, Encoder(program, Mode.OVER), BitwuzlaSolver(), monotonic() + 60)
    assert found is not None
    assert found.excluded == goals["main:5:3:then"]
    everything = frozenset().union(*goals.values())
    assert unroll(program, everything, Encoder(program, Mode.OVER), BitwuzlaSolver(), monotonic() + 60) is None
