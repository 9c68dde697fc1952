"""Complete unrolling keeps to its deadline: no question to the solver may take longer than what is left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving.unrolling import unroll
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.supergraph import Supergraph
from gia.cfa.types import DataModel
from gia.frontend import load
from gia.smt.encoding.encoder import Encoder, Mode
from gia.smt.invariants.blocks import skeleton
from gia.smt.invariants.control_graph import InlinedGraph
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
    supergraph = Supergraph(program)
    shape = skeleton(program, InlinedGraph(supergraph), edges, limit=1000, deadline=monotonic() + 60)
    clock = Clock()
    monkeypatch.setattr("gia.analyses.proving.unrolling.monotonic", lambda: clock.now)
    monkeypatch.setattr("gia.smt.invariants.control_graph.monotonic", lambda: clock.now)
    solver = Slow(clock, 3.0)
    found = unroll(supergraph, shape, Encoder(program, Mode.OVER), solver, solver.deadline)
    assert found is not None
    assert solver.asked
    assert all(timeout <= left for timeout, left in solver.asked)
    assert edges <= found.feasible
