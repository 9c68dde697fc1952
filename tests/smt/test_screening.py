"""Claims and invariants that are asked for piece by piece, or in two steps, are those that are found at once."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

import pytest

from gia.smt.invariants import block_solver, control_graph, induction, screening
from gia.smt.invariants.fixpoint import Fixpoint
from gia.smt.invariants.screening import Screening
from gia.smt.solvers import make_solver
from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term
from tests.smt.guesses import guessed

RULES = """int main(void) {
  int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int(), r = 0, n = 4, a = 0, b = 0, c = 0, other = 0;
  if (p < 0 || p > 3 || q < 0 || q > 5) return 0;
  while (n > 0) {
    n--;
    a = __VERIFIER_nondet_int(); b = __VERIFIER_nondet_int(); c = __VERIFIER_nondet_int();
    if (p >= 3 && r + 3 <= 6 && b == c) { if (a < b) { p -= 3; r += 3; } }
    if (p >= 3 && r + 3 <= 6 && c == b) { if (a < c) { p -= 3; r += 3; } }
    if (p >= 3 && r + 3 <= 6 && a == c) { if (b < a) { p -= 3; r += 3; } }
    if (p >= 3 && r + 3 <= 6 && c == a) { if (b < c) { p -= 3; r += 3; } }
    if (q >= 5 && r + 3 <= 6 && a == b) { if (c < a) { q -= 4; r += 3; } }
    if (q >= 5 && r + 3 <= 6 && b == a) { if (c < b) { q -= 4; r += 3; } }
    if (other) { r = -1; }
  }
  return r == 9;
}
"""


def prepared(tmp_path, solver=make_solver):
    """The claims of the program, and candidates for its loop."""
    comparisons = (("==", 0), (">=", 0), (">=", 1), ("<=", 3), ("<=", 5), ("<=", 6))
    found = guessed(RULES, tmp_path, comparisons, ("p", "q", "r", "other"), solver)
    return found.shape, found.candidates, found.induction


def lines(shape, fixpoint: Fixpoint):
    edges = {arc.edge.number: arc.edge for arcs in shape.arcs.values() for arc in arcs}
    return sorted(edges[claim.edge].position.line for claim in fixpoint.proven)


def one_by_one(self, chosen):
    """As if the solver did not know whether one of several formulas can hold."""
    return ask(self, chosen) if len(chosen) == 1 else Result.UNKNOWN


ask = Screening._ask


def test_piece_by_piece_the_same_is_proven_as_at_once(tmp_path, monkeypatch):
    shape, candidates, at_once = prepared(tmp_path)
    expected = at_once.fixpoint(candidates, shape.claims, monotonic() + 60)
    assert lines(shape, expected) == [10, 12, 14, 15]  # with the two lines of declarations before
    _, _, pieces = prepared(tmp_path)
    monkeypatch.setattr(Screening, "_ask", one_by_one)
    found = pieces.fixpoint(candidates, shape.claims, monotonic() + 60)
    assert lines(shape, found) == lines(shape, expected)
    assert found.invariants == expected.invariants
    assert not found.undecided


def test_what_is_given_is_kept_and_helps(tmp_path):
    shape, candidates, at_once = prepared(tmp_path)
    expected = at_once.fixpoint(candidates, shape.claims, monotonic() + 60)
    _, _, steps = prepared(tmp_path)
    half = {cut: [e for e in found if e.operator == ">="] for cut, found in candidates.items()}
    first = steps.fixpoint(half, shape.claims, monotonic() + 60)
    assert first.proven < expected.proven
    second = steps.fixpoint(candidates, shape.claims - first.proven, monotonic() + 60, first)
    assert second.proven == expected.proven
    for cut, kept in expected.invariants.items():
        assert set(second.invariants[cut]) == set(kept)


@pytest.mark.parametrize("queries", [12, 20, 30, 45])
def test_what_is_proven_before_the_time_is_over_is_kept(tmp_path, monkeypatch, queries):
    """The clock ticks with each query, so that the time ends somewhere between the claims."""
    ticks = 0

    class Ticking(BitwuzlaSolver):
        def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
            nonlocal ticks
            ticks += 1
            return super().check(assumptions)

    shape, candidates, at_once = prepared(tmp_path)
    expected = at_once.fixpoint(candidates, shape.claims, monotonic() + 60)
    known = at_once.fixpoint(candidates, (), monotonic() + 60)
    monkeypatch.setattr(Screening, "_ask", one_by_one)
    for module in (block_solver, control_graph, induction, screening):
        monkeypatch.setattr(module, "monotonic", lambda: float(ticks))
    _, _, again = prepared(tmp_path, Ticking)
    found = again.fixpoint({}, shape.claims, float(queries), known)
    assert found.invariants == known.invariants
    assert found.proven <= expected.proven
    assert found.interrupted == (found.proven < expected.proven)
    assert not found.interrupted or found.undecided


@pytest.mark.parametrize("share", [0.0, 0.001])
def test_claims_that_take_too_long_are_asked_for_when_the_invariants_are_known(tmp_path, monkeypatch, share):
    """Without time for them before, no invariant relies on what they exclude; in the end all are decided."""
    shape, candidates, at_once = prepared(tmp_path)
    expected = at_once.fixpoint(candidates, shape.claims, monotonic() + 60)
    known = at_once.fixpoint(candidates, (), monotonic() + 60)
    monkeypatch.setattr(induction, "CLAIMS_SHARE", share)
    _, _, late = prepared(tmp_path)
    found = late.fixpoint(candidates, shape.claims, monotonic() + 60)
    assert found.proven <= expected.proven
    assert found.proven
    assert not found.interrupted
    for cut, kept in known.invariants.items():
        assert set(found.invariants[cut]) >= set(kept)
