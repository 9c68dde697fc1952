"""Concolic testing: every order finds what can be found, what is proven is left out, and switches change no answer."""

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.request import ActorRequest
from gia.analyses.testing.campaign import UNCONTROLLED, campaign
from gia.analyses.testing.concolic import ConcolicSearch
from gia.analyses.testing.distances import Nearness
from gia.analyses.testing.orders import Candidate, Search, make_order
from gia.analyses.testing.path_solver import PathSolver
from gia.analyses.testing.symbolic_path import SymbolicPath
from gia.automaton.initial import initial_gia
from gia.automaton.model import ANY, Acceptance, Automaton, State, Transition
from gia.cfa.goals import Criterion, goals_of
from gia.cfa.types import DataModel
from gia.errors import InputError
from gia.exchange.obstacles import read_obstacles
from gia.frontend import load
from tests.analyses.test_tester import open_goals, program, run_actor

MAZE = """
int main(void) {
  unsigned char key[4]; int matched = 0;
  for (int i = 0; i < 4; i++) key[i] = __VERIFIER_nondet_uchar();
  for (int i = 0; i < 4; i++) if (key[i] == (i * 37 + 11)) matched++;
  if (matched == 4) return 1;
  int x = __VERIFIER_nondet_int();
  if (x * 3 == 2999997) { if (x % 7 == 3) return 2; return 3; }
  switch (x) { case 5: return 4; case -123456: return 5; }
  return 0;
}"""
"""`x % 7 == 3` is impossible there: 999999 is a multiple of 7."""


@pytest.mark.parametrize("search", list(Search))
def test_every_order_finds_what_can_be_found(search: Search, tmp_path: Path) -> None:
    options = {"search": search.value}
    found, status = run_actor("concolic", program(tmp_path, MAZE), tmp_path, 25, options=options)
    assert not found.accepting(Acceptance.UT)
    assert [goal for goal in open_goals(status) if not goal.startswith("main:9:27")] == []


@pytest.mark.parametrize("switch", ["slicing", "caching", "incremental"])
def test_what_makes_queries_fast_changes_no_answer(switch: str, tmp_path: Path) -> None:
    path = program(tmp_path, MAZE)
    _, fast = run_actor("concolic", path, tmp_path, 25)
    _, slow = run_actor("concolic", path, tmp_path, 25, options={switch: "no"})
    assert fast == slow


def test_the_same_seed_gives_the_same_tests(tmp_path: Path) -> None:
    path = program(tmp_path, MAZE.replace("if (x % 7 == 3) return 2;", ""))
    first, status = run_actor("concolic", path, tmp_path, 60, seed=7, options={"search": "random-branch"})
    again, _ = run_actor("concolic", path, tmp_path, 60, seed=7, options={"search": "random-branch"})
    assert open_goals(status) == []
    assert first == again


def searched(path: Path, directory: Path, known: Automaton | None = None) -> ConcolicSearch:
    """A search that has come to its end."""
    return search_and_open(path, directory, known)[0]


def search_and_open(path: Path, directory: Path, known: Automaton | None = None) -> tuple[ConcolicSearch, set[str]]:
    """A search that has come to its end, and the goals that are open then."""
    loaded = load(path, data_model=DataModel.LP64)
    goals = goals_of(loaded.program, Criterion.BRANCHES)
    gia = known or initial_gia(loaded.program, goals)
    request = ActorRequest(loaded, goals, gia, monotonic() + 30, directory)
    with campaign(request) as found:
        search = ConcolicSearch(found, Search.CFG, 0, PathSolver())
        search.search(monotonic() + 25)
        return search, {goal.id for goal in found.open.values()}


def test_models_take_the_path_that_they_are_made_for(tmp_path: Path) -> None:
    search = searched(program(tmp_path, MAZE), tmp_path)
    assert search.runs > 10
    assert (search.missed, search.diverged) == (0, 0)


def test_what_no_input_decides_is_not_negated(tmp_path: Path) -> None:
    text = """int main(void) { int unset; int x = __VERIFIER_nondet_int();
      if (unset) x++; if (x > 70000) return 1; return 0; }"""
    search = searched(program(tmp_path, text), tmp_path)
    assert search.uncontrolled > 0
    assert search.missed == 0


def test_what_is_proven_infeasible_is_not_negated(tmp_path: Path) -> None:
    path = program(tmp_path, MAZE)
    loaded = load(path, data_model=DataModel.LP64)
    (edge,) = [e for e in loaded.program.edge_list if (e.reference.line, e.reference.branch) == (10, "case 5")]
    proof = Automaton(
        (State(), State(accept=Acceptance.UT)),
        (Transition(0, 0, ANY), Transition(0, 1, frozenset({edge.reference})), Transition(1, 1, ANY)),
    )
    with_proof, without = searched(path, tmp_path, proof), searched(path, tmp_path)
    assert with_proof.pruned > without.pruned
    for search, reached in ((with_proof, False), (without, True)):
        assert (edge.number in search.covered) is reached


def candidates_of(path: SymbolicPath) -> list[Candidate]:
    """All decisions of a path that could fall differently."""
    return [
        Candidate(path, position, other)
        for position, decision in enumerate(path.decisions)
        for other in decision.others
    ]


def test_orders_hand_out_each_candidate_once(tmp_path: Path) -> None:
    search = searched(program(tmp_path, MAZE), tmp_path)
    candidates = candidates_of(search.run(()))
    assert len(candidates) > 5
    for name in Search:
        order = make_order(name, 3, 1000)
        order.add(candidates, 1, Nearness())
        given = [order.next(Nearness()) for _ in candidates]
        assert order.next(Nearness()) is None
        assert sorted(c.position for c in given if c) == sorted(c.position for c in candidates)


def test_a_decision_that_is_an_open_goal_itself_is_negated_first(tmp_path: Path) -> None:
    """Even if there is no other one behind it."""
    search = searched(program(tmp_path, MAZE), tmp_path)
    candidates = candidates_of(search.run(()))
    near = {candidate.alternative.target.location: place for place, candidate in enumerate(candidates, 1)}
    for wanted in candidates:
        behind = wanted.alternative.target.location
        distances = {location: far for location, far in near.items() if location != behind}
        nearness = Nearness(frozenset({wanted.alternative.edge}), distances)
        order = make_order(Search.CFG, 3, 1000)
        order.add(candidates, 1, nearness)
        first = order.next(nearness)
        assert first is not None
        assert first.alternative.edge == wanted.alternative.edge


def test_what_is_not_modelled_is_said_with_its_place(tmp_path: Path) -> None:
    lines: list[str] = []
    text = """extern double sin(double);
      int main(void) { double d = sin(__VERIFIER_nondet_int()); if (d > 0.5) return 1; return 0; }"""
    _, status = run_actor("concolic", program(tmp_path, text), tmp_path, 5, report=lines.append)
    assert open_goals(status) == []
    assert any("program.c:3" in line and "sin" in line for line in lines)


@pytest.mark.parametrize("type_", ["int", "float", "long long"])
def test_what_a_library_function_gave_stands_for_its_result(type_: str, tmp_path: Path) -> None:
    """The goal needs a relation between an input and the result for another one, which nobody describes."""
    text = f"""extern double sin(double); extern long strtol(const char *, char **, int);
      extern char *strpbrk(const char *, const char *);
      int main(void) {{ int y = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
        {type_} mixed = ({type_})(1000.0 * sin(y)) + strtol("41", 0, 10);
        if (!strpbrk("abc", "xyz") && x * 3 - (int)mixed == 777777) return 1;
        return 0; }}"""
    search = searched(program(tmp_path, text), tmp_path)
    assert not search._campaign.open
    assert (search.missed, search.diverged) == (0, 0)
    assert {reason for _, reason in search.unmodelled} >= {"the result of sin is not modelled"}


def test_runs_become_longer_when_nothing_is_decided_before_they_are_cut(tmp_path: Path) -> None:
    text = """int main(void) { int last = 0; for (int i = 0; i < 150; i++) last = __VERIFIER_nondet_int();
      if (last == 123456789) return 1; return 0; }"""
    assert not searched(program(tmp_path, text), tmp_path)._campaign.open


def test_unknown_orders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="generational"):
        run_actor("concolic", program(tmp_path, MAZE), tmp_path, 5, options={"search": "fast"})


HALF_INITIALISED = """
int main(void) {
  int number, x = __VERIFIER_nondet_int();
  if (x > 10)
    number = x;
  if (number == 5000)
    return 1;
  if (x < 0) {
    int other;
    if (other == 5)
      return 2;
  }
  return x * x == 12347 ? 3 : 0;
}"""


@pytest.mark.parametrize("actor", ["concolic", "tester"])
def test_what_no_input_decides_is_named(actor: str, tmp_path: Path) -> None:
    """It is `other`, which is never 5 by chance, but not `number`, and not that no square is 12347."""
    lines: list[str] = []
    _, status = run_actor(actor, program(tmp_path, HALF_INITIALISED), tmp_path, 5, report=lines.append)
    assert open_goals(status) == ["main:11:5:then", "main:14:25:then"]
    assert read_obstacles(lines).undecided == {"main:11:5:then": UNCONTROLLED}
