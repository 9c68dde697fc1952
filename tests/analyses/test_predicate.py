"""Predicate abstraction: what it hands over when it is not finished, its tests, and where its predicates come from."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest
from msgspec.structs import replace

from gia.analyses.predicate.abstraction import Abstraction
from gia.analyses.predicate.blocks import Blocks
from gia.analyses.predicate.counterexamples import Counterexamples
from gia.analyses.predicate.paths import InfeasiblePath
from gia.analyses.predicate.reachability import ReachabilityGraph
from gia.analyses.predicate.sources import SOURCES, predicates_for
from gia.analyses.predicate.states import as_expressions, covered, merged
from gia.analyses.proving.proof import Proof, begin
from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance
from gia.automaton.wellformed import violations
from gia.cfa.expressions import Storage, Variable, VariableReference
from gia.cfa.types import INT
from gia.cfa.writer import expression_to_gia
from gia.checker import certify
from gia.errors import InputError
from gia.exchange.suites.reading_tests import tests_of
from gia.native import Missing, Runner, compile_instrumented
from gia.orchestrator.handover.intake import as_claims
from gia.smt.solvers.solver import Result
from tests.analyses.machines import LATER
from tests.checker.programs import branches, load_text

EVEN = """int main(void) {
  unsigned x = 0;
  while (__VERIFIER_nondet_int())
    x += 2;
  if (x == 5)
    return 1;
  return 0;
}
"""
GUESS = """int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int() == 77)
    x += __VERIFIER_nondet_int() & 3;
  if (x == 6)
    return 1;
  return 0;
}
"""


def request(tmp_path: Path, text: str, goal: str, seconds: float, **options: str) -> ActorRequest:
    loaded = load_text(tmp_path, text)
    goals = tuple(found for found in branches(loaded) if found.id == goal)
    gia = initial_gia(loaded.program, goals)
    return ActorRequest(loaded, goals, gia, monotonic() + seconds, tmp_path, options)


def proof_of(asked: ActorRequest) -> Proof:
    proof = begin(asked)
    assert proof is not None
    return proof


def test_an_unfinished_abstraction_is_handed_over(tmp_path: Path):
    asked = request(tmp_path, EVEN, "main:7:3:then", 1.5, sources="strongest")  # values only: it never ends
    found = ACTORS["predicate"].load()(asked)
    assert not violations(found)
    assert found.accepting(Acceptance.UT)
    frontier = [state.invariant.text for state in found.states if state.accept is Acceptance.CAND and state.invariant]
    assert frontier
    assert any("x" in text for text in frontier)


def test_feasible_counterexamples_are_tests_to_execute(tmp_path: Path):
    asked = request(tmp_path, GUESS, "main:7:3:then", 20)
    found = ACTORS["predicate"].load()(asked)
    assert not found.accepting(Acceptance.RT)
    (test,) = tests_of(as_claims(found), asked.loaded.program)
    program = compile_instrumented(asked.loaded, tmp_path)
    with Runner() as runner:
        execution = runner.run(program, test.inputs, missing=Missing.ZERO)
    assert execution.covered_edges & asked.goals[0].edges


@pytest.mark.parametrize("name", sorted(SOURCES.keys() - {"modes"}))
def test_facts_of_a_source_exclude_the_path_in_the_abstraction(name: str, tmp_path: Path):
    proof = proof_of(request(tmp_path, EVEN, "main:7:3:then", 30))
    (head,) = proof.shape.cuts
    (claim,) = proof.claims_of(proof.goals[0])
    blocks = Blocks(proof)
    path = InfeasiblePath(blocks, Counterexamples(proof), (head, head), claim)
    found = predicates_for(path, [name], 0)
    assert found is not None
    facts = found.facts
    assert any(facts)
    graph = ReachabilityGraph(blocks, Abstraction(blocks), {head: [fact for known in facts for fact in known]})
    hit = graph.explore([claim])
    assert hit is None or len(hit.node.path) > 3


NESTED = """int main(void) {
  int a, b = 20, c = 20;
  for (a = 0; a < 20; ++a)
    for (b = 0; b < 20; ++b)
      for (c = 0; c < 20; ++c) {
      }
  if (a != 20 || b != 20 || c != 20)
    return 1;
  return 0;
}
"""


def test_nested_counters_are_not_unrolled(tmp_path: Path):
    asked = request(tmp_path, NESTED, "main:9:3:then", 60, sources="loops")
    proof = proof_of(asked)
    assert len(proof.shape.cuts) == 3
    reports: list[str] = []
    found = ACTORS["predicate"].load()(replace(asked, report=reports.append))
    assert not violations(found)
    assert certify(asked.loaded.program, found, asked.goals, deadline=monotonic() + 60).certified == {"main:9:3:then"}
    assert any(", 1 refinements, 1 goals proven" in line for line in reports)


@pytest.mark.parametrize(
    ("source", "text", "goal"), [("loops", NESTED, "main:9:3:then"), ("modes", LATER, "main:9:10:else")]
)
def test_invariants_of_loops_are_inductive_for_all_blocks_between_them(
    source: str, text: str, goal: str, tmp_path: Path
):
    proof = proof_of(request(tmp_path, text, goal, 60))
    blocks = Blocks(proof)
    (claim,) = proof.claims_of(proof.goals[0])
    (outermost,) = proof.induction.block(None, proof.deadline).exits
    found = SOURCES[source](InfeasiblePath(blocks, Counterexamples(proof), (outermost,), claim))
    assert found is not None
    assert set(found.loops) == set(proof.shape.cuts)
    for start in (None, *found.loops):
        known = [] if start is None else [blocks.at_start(start, fact) for fact in found.loops[start]]
        block = blocks.block(start)
        for cut in block.exits:
            for fact in found.loops[cut]:
                assert blocks.implies(start, [*known, blocks.guard(start, cut)], blocks.at_exit(start, cut, fact))
        if claim in block.guards:
            assert blocks.ask(start, [*known, block.guards[claim]]) is Result.UNSAT


def test_a_source_of_modes_finds_nothing_without_modes(tmp_path: Path):
    proof = proof_of(request(tmp_path, EVEN, "main:7:3:then", 30))
    (head,), (claim,) = proof.shape.cuts, proof.claims_of(proof.goals[0])
    assert SOURCES["modes"](InfeasiblePath(Blocks(proof), Counterexamples(proof), (head, head), claim)) is None


def test_a_state_machine_takes_one_refinement(tmp_path: Path):
    asked = request(tmp_path, LATER, "main:9:10:else", 60)
    reports: list[str] = []
    found = ACTORS["predicate"].load()(replace(asked, report=reports.append))
    assert certify(asked.loaded.program, found, asked.goals, deadline=monotonic() + 60).certified == {"main:9:10:else"}
    assert any(", 1 refinements, 1 goals proven" in line for line in reports)


def test_an_unknown_source_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="guessing"):
        ACTORS["predicate"].load()(request(tmp_path, EVEN, "main:7:3:then", 5, sources="guessing"))


def test_cubes_that_differ_in_one_sign_are_merged():
    a, b = (VariableReference(Variable(name, INT, Storage.LOCAL, "main")) for name in "ab")
    both = [frozenset({(a, True), (b, sign)}) for sign in (True, False)]
    state = merged([*both, frozenset({(a, False), (b, True)})])
    assert covered(state, merged([*both[:1], frozenset({(a, False), (b, True)}), both[1]]))
    assert [expression_to_gia(e, "main") for e in as_expressions([merged(both)])] == ["a"]
    assert [expression_to_gia(e, "main") for e in as_expressions([])] == ["0"]


LONG = """int main(void) {
  int x = 0;
  while (x < 2000)
    x++;
  if (x == 2000)
    return 1;
  return 0;
}
"""


@pytest.mark.parametrize(("rounds", "result"), [(1999, Result.UNSAT), (2001, Result.SAT), (2002, Result.UNSAT)])
def test_a_counterexample_may_be_long(rounds: int, result: Result, tmp_path: Path):
    proof = proof_of(request(tmp_path, LONG, "main:7:3:then", 60))
    (head,) = proof.shape.cuts
    (claim,) = proof.claims_of(proof.goals[0])
    assert Counterexamples(proof).judge((head,) * rounds, claim).result is result
