"""What a proof needs is found: claims stay proven with it alone, and with solvers that know nothing else."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.cfa.expressions import VariableReference, walk
from gia.smt import terms as t
from gia.smt.encoding.encoder import Encoder
from gia.smt.invariants import cores
from gia.smt.invariants.control_graph import OutOfTimeError
from gia.smt.invariants.cores import needed_invariants
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import SolverKind, make_solver
from gia.smt.solvers.solver import Result
from tests.smt.guesses import Guesses, guessed
from tests.smt.random_terms import RandomTerms

PROGRAMS = {
    "two loops": """int main(void) {
  int a = 0, b = 0, c = 0, n = __VERIFIER_nondet_int();
  while (n > 0 && a < 3) { a++; if (n & 1) b = 2; n /= 2; }
  while (__VERIFIER_nondet_int()) { if (b > 2) { c = 1; } if (a > 3) return 1; if (c > 0) return 2; }
  return 0; }
""",
    "a loop that is never reached": """int main(void) {
  int a = 0, b = 0, c = 0, n = __VERIFIER_nondet_int();
  while (n > 0) { n /= 2; b = b ? 0 : 2; }
  if (n > 0) while (n < 100) { n += 1; c = 1; }
  if (c) a = 1;
  return a; }
""",
    "called in a loop": """int next(int x) { return x > 4 ? 0 : x + 1; }
int main(void) {
  int a = 0, b = 1, c = 3;
  while (__VERIFIER_nondet_int()) { a = next(a); b = next(b); if (a == 5 && c < 3) return 1; }
  return a > 5; }
""",
}
COMPARISONS = tuple((operator, number) for operator in ("<=", ">=", "!=") for number in range(-1, 7))


def prepared(name: str, directory: Path) -> Guesses:
    """A program with guesses at its loops."""
    return guessed(PROGRAMS[name], directory, COMPARISONS, ("a", "b", "c", "n", "x"))


@pytest.mark.parametrize("seconds", [cores.SECONDS, -1.0], ids=["decided", "undecided"])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_claims_are_proven_by_what_they_need(
    name: str, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each claim alone, and all together; what is not decided in time needs all that is known."""
    monkeypatch.setattr(cores, "SECONDS", seconds)
    program, shape, candidates, induction = prepared(name, tmp_path)
    known = induction.fixpoint(candidates, shape.claims, monotonic() + 60)
    assert known.proven
    for claims in [*({claim} for claim in sorted(known.proven, key=str)), known.proven]:
        needed = needed_invariants(induction, known.invariants, claims, monotonic() + 60)
        assert needed.keys() == known.invariants.keys()
        assert all(set(kept) <= set(known.invariants[cut]) for cut, kept in needed.items())
        again = Induction(shape, Encoder(program), make_solver).fixpoint(needed, claims, monotonic() + 60)
        assert again.proven >= claims
        assert {cut: set(kept) for cut, kept in again.invariants.items()} == {c: set(k) for c, k in needed.items()}
        if seconds > 0:
            assert sum(map(len, needed.values())) < sum(map(len, known.invariants.values())) / 4


def test_what_has_nothing_to_do_with_a_claim_is_not_needed(tmp_path: Path) -> None:
    program, shape, candidates, induction = prepared("two loops", tmp_path)
    known = induction.fixpoint(candidates, shape.claims, monotonic() + 60)
    claims = {claim for claim in known.proven if "a > 3" in program.edge_list[claim.edge].text}
    assert claims
    needed = needed_invariants(induction, known.invariants, claims, monotonic() + 60)
    found = [part for kept in needed.values() for expression in kept for part in walk(expression)]
    assert {part.variable.name for part in found if isinstance(part, VariableReference)} == {"a"}


def test_there_is_a_deadline(tmp_path: Path) -> None:
    _, shape, candidates, induction = prepared("two loops", tmp_path)
    known = induction.fixpoint(candidates, shape.claims, monotonic() + 60)
    with pytest.raises(OutOfTimeError):
        needed_invariants(induction, known.invariants, known.proven, monotonic() - 1)


@pytest.mark.parametrize("kind", list(SolverKind))
@pytest.mark.parametrize("seed", range(20))
def test_the_core_of_a_query_has_no_model(seed: int, kind: SolverKind) -> None:
    source = RandomTerms(seed)
    solver, other = make_solver(kind, cores=True), make_solver(kind)
    x = t.bv_variable("x", 8)
    solver.add(t.equal(x, t.bv_const(1, 8)))
    other.add(t.equal(x, t.bv_const(1, 8)))
    assumptions = [source.boolean(2).raw for _ in range(6)] + [t.equal(x, t.bv_const(seed % 4, 8))]
    if solver.check(assumptions) is Result.UNSAT:
        core = solver.core()
        assert core <= set(assumptions)
        assert other.check([term for term in assumptions if term in core]) is Result.UNSAT
    assert solver.check([t.FALSE, assumptions[0]]) is Result.UNSAT
    assert t.FALSE in solver.core()
