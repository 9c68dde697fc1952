"""Loops that end soon wherever they are entered: which they are, and what unrolling them proves."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving import stages
from gia.analyses.proving.ending_loops import MOST_ROUNDS, ending_loops
from gia.analyses.proving.proof import Proof, Stage, begin
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.cfa.wto import order
from gia.checker import certify
from gia.smt.invariants.rounds import Rounds
from tests.checker.programs import branches, load_text

AROUND = """%s
int main(void) {
  while (__VERIFIER_nondet_int()) {
    unsigned x = __VERIFIER_nondet_uint();
    %s
  }
  return 0;
}
"""
ENDING = {
    "text": (
        "static int commas(const char *s) { int n = 0; while (*s) { if (*s == ',') n++; s++; } return n; }",
        'if (commas("a,b,c") != 2) return 1;',
        [5],
    ),
    "digits": (
        "static int digits(unsigned v) { int n = 1; while (v >= 10) { v /= 10; n++; } return n; }",
        "if (digits(x) > 10) return 1;",
        [9],
    ),
    "bits": (
        "static int bits(unsigned v) { int n = 0; while (v) { v &= v - 1; n++; } return n; }",
        "if (bits(x) > 32) return 1;",
        [32],
    ),
    "search": (
        """static int search(const int *a, int n, int x) {
  int low = 0, high = n - 1;
  while (low <= high) {
    int m = low + (high - low) / 2;
    if (a[m] == x) return m;
    if (a[m] < x) low = m + 1; else high = m - 1;
  }
  return -1;
}
static const int primes[6] = {2, 3, 5, 7, 11, 13};""",
        "int k = search(primes, 6, x); if (k > 5 || (x == 7 && k != 3)) return 1;",
        [3],
    ),
    "one in another": (
        """static int rows(int n) {
  int sum = 0;
  while (n > 0) {
    for (int k = n < 4 ? n : 4; k > 0; k = k / 2) sum++;
    n -= 2;
  }
  return sum;
}""",
        "if (rows(4) != 5) return 1;",
        [2, 3],
    ),
    "entered at two places": (
        "static int half(int v) { int n = 0; while (v > 0) { v -= 2; n++; } return n; }",
        "int a = half(6), b = half(x & 3); if (a != 3 || b > 2) return 1;",
        [3],
    ),
}
OTHERS = {
    "without end": "int n = 0; while (x != n) n++; if (n != x) return 1;",
    "too long": f"int n = 0; while (n <= {MOST_ROUNDS}) n++; if (n != {MOST_ROUNDS + 1}) return 1;",
    "not always": "int n = 0; while (n < 5 || (x == 7 && n < 1000)) n++; if (n < 5) return 1;",
    "another in it": "int n = x & 1; while (n < 3) { n++; while (__VERIFIER_nondet_int()) x++; } if (n < 3) return 1;",
}


def prepared(folder: Path, functions: str, text: str) -> tuple[Proof, ActorRequest]:
    loaded = load_text(folder, AROUND % (functions, text))
    goals = branches(loaded)
    gia = initial_gia(loaded.program, goals)
    request = ActorRequest(loaded, goals, gia, monotonic() + 60, folder)
    proof = begin(request, contracts=True)
    assert proof is not None
    return proof, request


def unrolled(proof: Proof, monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """The heads of the loops that are unrolled because they end soon, and how often they go round."""
    found: dict[int, int] = {}
    made = Rounds.of

    def noted(supergraph, others=None):
        found.update(others or {})
        return made(supergraph, others or {})

    monkeypatch.setattr(Rounds, "of", noted)
    proof.search((Stage("no invariants", stages.no_candidates), Stage("loops that end soon", ending_loops)))
    return found


@pytest.mark.parametrize("name", ENDING)
def test_loops_that_end_soon_need_no_invariants(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions, text, rounds = ENDING[name]
    proof, request = prepared(tmp_path, functions, text)
    assert sorted(unrolled(proof, monkeypatch).values()) == rounds
    wanted = {goal.id for goal in request.goals if goal.id.startswith("main") and goal.id.endswith("then")}
    proven = [goal for goal in request.goals if proof.is_proven(goal)]
    assert {goal.id for goal in proven} & wanted
    report = certify(proof.program, proof.automaton(), proven, deadline=monotonic() + 60)
    assert report.certified == {goal.id for goal in proven}


def test_nothing_has_to_be_known_before(tmp_path: Path) -> None:
    """As if the stages before had no time."""
    functions, text, _ = ENDING["bits"]
    proof, request = prepared(tmp_path, functions, text)
    proof.search((Stage("loops that end soon", ending_loops),))
    assert [goal for goal in request.goals if proof.is_proven(goal)]


@pytest.mark.parametrize("name", OTHERS)
def test_other_loops_are_left(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof, _ = prepared(tmp_path, "", OTHERS[name])
    assert not unrolled(proof, monkeypatch)


def test_what_is_known_stays_known(tmp_path: Path) -> None:
    """The first goal is proven by the bounds of a variable, which are those of each round as well."""
    text = (
        "if (used > 4) return 1; used = 0; for (unsigned k = x & 7; k > 0; k /= 2) { used++; if (used > 3) return 2; }"
    )
    proof, request = prepared(tmp_path, "static int used;", text)
    proof.search((Stage("no invariants", stages.no_candidates), Stage("intervals", stages.intervals)))
    before = {goal.id for goal in request.goals if proof.is_proven(goal)}
    known = {(cut.context, cut.location): set(kept) for cut, kept in proof.invariants.items()}
    (head,) = {
        head
        for head in order(proof.program.functions["main"]).heads
        for cut in proof.cuts
        if cut.location == head and len(order(proof.program.functions["main"]).nest[head]) == 2
    }
    unrolled = proof.unrolled({head: 3})
    assert before == {goal.id for goal in request.goals if proof.is_proven(goal)}
    for cut, kept in unrolled.invariants.items():
        assert set(kept) == known.get((cut.context, cut.location), set())
    unrolled.add({})
    proven = [goal for goal in request.goals if proof.is_proven(goal)]
    assert before < {goal.id for goal in proven}
    report = certify(proof.program, proof.automaton(), proven, deadline=monotonic() + 60)
    assert report.certified == {goal.id for goal in proven}
