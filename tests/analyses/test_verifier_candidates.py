"""Where candidate invariants come from: intervals, comparisons, equations in samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from gia.analyses.proving.candidates.congruences import congruences
from gia.analyses.proving.candidates.differences import difference_bounds
from gia.analyses.proving.candidates.equations import equations, equations_with_products
from gia.analyses.proving.candidates.houdini import Vocabulary, candidates_at
from gia.analyses.proving.candidates.intervals import interval_candidates
from gia.analyses.proving.proof import Stage, begin, prove
from gia.analyses.proving.samples import consistent
from gia.analyses.proving.sampling import draw_samples
from gia.analyses.proving.stages import comparisons, intervals, sampled_equations
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.status import goal_status
from gia.cfa.expressions import Expression, Storage, Variable, VariableReference
from gia.cfa.supergraph import Node, Supergraph
from gia.cfa.types import INT, LONG_LONG, SIGNED_CHAR, UNSIGNED_INT, IntegerType
from gia.cfa.writer import expression_to_gia
from gia.exchange.suites.tests_gia import test_to_gia
from gia.frontend import LoadedProgram
from gia.native import Runner, compile_instrumented
from gia.smt import terms as t
from gia.smt.encoding.encoder import Encoder
from gia.smt.encoding.state import SymbolicState
from gia.smt.invariants.blocks import skeleton
from gia.smt.invariants.control_graph import InlinedGraph, visible_variables
from gia.smt.invariants.induction import Induction
from gia.smt.solvers import make_solver
from gia.verdict import GoalStatus
from tests.checker.programs import branches, load_text

LOOP = """static int total = 5;
int main(void) {
  unsigned char c = 200;
  int n = __VERIFIER_nondet_int(), i = 0, j = 0;
  while (i < 10) {
    i += 2;
    j -= 1;
    c++;
    if (n > 0 && total < 50) total++;
  }
  if (total > 99)
    return 1;
  return 0;
}
"""


class Prepared:
    """A program with its skeleton and blocks; all branches are goals."""

    def __init__(self, loaded: LoadedProgram) -> None:
        self.program = loaded.program
        self.supergraph = Supergraph(self.program)
        goals = frozenset(number for goal in branches(loaded) for number in goal.edges)
        self.shape = skeleton(self.program, InlinedGraph(self.supergraph), goals)
        self.encoder = Encoder(self.program)
        self.induction = Induction(self.shape, self.encoder, make_solver)

    @property
    def cut(self) -> Node:
        (cut,) = self.shape.cuts
        return cut

    def variables(self) -> tuple[Variable, ...]:
        return self.integers(self.cut)

    def integers(self, cut: Node) -> tuple[Variable, ...]:
        found = visible_variables(self.supergraph, cut)
        return tuple(variable for variable in found if isinstance(variable.type, IntegerType))

    def places(self) -> dict[Node, tuple[Expression, ...]]:
        return {cut: references(self.integers(cut)) for cut in self.shape.cuts}


def references(variables: Sequence[Variable]) -> tuple[VariableReference, ...]:
    return tuple(map(VariableReference, variables))


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    return Prepared(load_text(tmp_path, LOOP))


def test_intervals_find_the_bounds_of_the_loop(prepared: Prepared):
    found = interval_candidates(prepared.program, prepared.supergraph, prepared.shape, monotonic() + 10)
    texts = {expression_to_gia(expression, "main") for expression in found[prepared.cut]}
    assert {"i >= 0", "i <= 11"} <= texts
    assert any("total >= 5" in text for text in texts)
    assert any("total <= 50" in text for text in texts)
    fixpoint = prepared.induction.fixpoint(found, prepared.shape.claims, monotonic() + 10)
    assert {expression_to_gia(e, "main") for e in fixpoint.invariants[prepared.cut]} >= {"i >= 0", "i <= 11"}


@pytest.mark.parametrize(
    "condition",
    [
        "n < size - 1 && MORE",
        "(n < size - 1) & (c != 10)",
        "n < size - 1 && MORE && c != 10 && !(c == 4 || MORE)",
        "!(n >= size - 1 || !MORE)",
    ],
)
def test_intervals_know_what_held_before_the_rest_of_a_condition_was_asked(condition: str, tmp_path: Path):
    text = f"""int main(void) {{
      int n = 0, c = 0, size = 20;
      while ({condition}) {{ c = MORE; n++; }}
      return n;
    }}"""
    prepared = Prepared(load_text(tmp_path, text.replace("MORE", "__VERIFIER_nondet_int()")))
    found = interval_candidates(prepared.program, prepared.supergraph, prepared.shape, monotonic() + 10)
    assert {"n >= 0", "n <= 19"} <= {expression_to_gia(expression, "main") for expression in found[prepared.cut]}


def test_samples_are_reachable_and_filter_candidates(prepared: Prepared):
    variables = prepared.variables()
    places = prepared.places()
    samples = draw_samples(prepared.induction, places, seed=3, most=20, deadline=monotonic() + 10)
    seen = samples.values[prepared.cut]
    assert len(seen) >= 6
    names = [variable.name for variable in variables]
    for sample in seen:
        state = dict(zip(names, sample, strict=True))
        assert state["i"] in range(0, 11, 2)
        assert t.signed(state["j"], 32) == -state["i"] // 2
    edges = list(prepared.program.edges())
    candidates = candidates_at(Vocabulary.of(prepared.program, edges), references(variables), 500)
    kept = consistent(prepared.induction, samples, prepared.cut, candidates, monotonic() + 10)
    texts = {expression_to_gia(expression, "main") for expression in kept}
    assert "i >= 0" in texts
    assert "i == 0" not in texts
    linear = {expression_to_gia(e, "main") for e in equations(references(variables), list(seen))}
    assert any("i" in text and "j" in text for text in linear)


DRIFTING = """int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  unsigned char c = __VERIFIER_nondet_uchar() & 3;
  while (__VERIFIER_nondet_int()) { x += 10; y -= 10; c++; }
  return x == 20 && y == 0;
}
"""


def test_bounds_of_differences_hold_in_the_samples(tmp_path: Path):
    prepared = Prepared(load_text(tmp_path, DRIFTING))
    samples = draw_samples(prepared.induction, prepared.places(), seed=3, most=20, deadline=monotonic() + 10)
    vocabulary = Vocabulary.of(prepared.program, list(prepared.program.edges()))
    places, seen = samples.places[prepared.cut], list(samples.values[prepared.cut])
    bounds = tuple(difference_bounds(vocabulary, places, seen))
    assert bounds
    assert consistent(prepared.induction, samples, prepared.cut, bounds, monotonic() + 10) == bounds


RARE = """int main(void) {
  for (;;) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    if (x + y + z == 123456789)
      while (__VERIFIER_nondet_int()) x++;
  }
}
"""


def test_drawing_ends_where_a_cut_point_is_reached_by_nothing(tmp_path: Path):
    """No square of a number is 3, whatever wraps around."""
    never = Prepared(load_text(tmp_path, RARE.replace("x + y + z == 123456789", "x * x == 3")))
    samples = draw_samples(never.induction, never.places(), seed=3, most=20, deadline=float("inf"))
    few, many = sorted(len(found) for found in samples.values.values())
    assert few == 0
    assert many >= 20


def test_executions_are_aimed_at_what_random_ones_miss(tmp_path: Path):
    rare = Prepared(load_text(tmp_path, RARE))
    samples = draw_samples(rare.induction, rare.places(), seed=3, most=20, deadline=float("inf"))
    outer, inner = rare.shape.cuts
    assert len(samples.values[outer]) >= 20
    assert len(samples.values[inner]) >= 10
    assert all((x + y + z) % (1 << 32) >= 123456789 for x, y, z in samples.values[inner])
    assert len({y for _, y, _ in samples.values[inner]}) > 1


AIMED = """int main(void) {
  int low = __VERIFIER_nondet_int(), mid = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  if (!(low == 0 && mid >= 1 && high == 2 * mid)) return 0;
  while (mid > 0) {
    low = low + 1;
    high = high - 1;
    mid = mid - 1;
  }
  if (low != high) return 1;
  return 0;
}
"""


def test_equations_are_found_behind_conditions_that_are_hard_to_meet(tmp_path: Path):
    loaded = load_text(tmp_path, AIMED)
    goals = branches(loaded)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 20, tmp_path)
    found = prove(request, [Stage("intervals", intervals), Stage("equations", sampled_equations)])
    status = goal_status(loaded.program, found, goals)
    assert [goal.id for goal in goals if status[goal.id] is GoalStatus.UNREACHABLE] == ["main:11:3:then"]


def test_nothing_is_noted_where_nobody_looks(tmp_path: Path):
    """Invariants may exclude a cut point that an execution of the formulas comes to."""
    rare = Prepared(load_text(tmp_path, RARE))
    for looked_at in rare.places().items():
        samples = draw_samples(rare.induction, dict([looked_at]), seed=3, most=20, deadline=monotonic() + 10)
        assert samples.values.keys() == {looked_at[0]}


def test_tests_get_where_random_inputs_do_not(tmp_path: Path):
    """Inputs go to the reads to which the execution comes, in its order; after the last one, it goes on at random."""
    rare = Prepared(load_text(tmp_path, RARE))
    _, inner = rare.shape.cuts
    inputs = [1, 2, 3, 7, 123456789 - 7, 0, 5, 5, 0]
    samples = draw_samples(
        rare.induction, rare.places(), seed=3, most=20, deadline=monotonic() + 10, tests=[[], inputs]
    )
    assert list(samples.values[inner])[:3] == [(x, 123456789 - 7, 0) for x in (7, 8, 9)]


def test_the_tests_of_the_gia_are_executed(tmp_path: Path):
    loaded = load_text(tmp_path, RARE)
    goals = branches(loaded)
    with Runner() as runner:
        execution = runner.run(compile_instrumented(loaded, tmp_path), ["7", "123456782", "0", "5"])
    gia = test_to_gia(loaded.program, execution, goals)
    request = ActorRequest(loaded, goals, gia, monotonic() + 10, tmp_path)
    proof = begin(request)
    assert proof is not None
    list(sampled_equations(proof))
    assert [len(found) > 1 for found in proof.samples.values.values()] == [True, True]


SUMS = """int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 1000, i;
  long long sum = 0;
  int a[1000];
  for (i = 0; i < n; i++) a[i] = 3;
  for (i = 0; i < n; i++) sum = sum + a[i];
  return 0;
}
"""


def test_samples_know_what_was_written_to_arrays(tmp_path: Path):
    sums = Prepared(load_text(tmp_path, SUMS))
    places = sums.places()
    samples = draw_samples(sums.induction, places, seed=3, most=20, deadline=monotonic() + 10)
    _, second = sorted(sums.shape.cuts, key=lambda cut: cut.location)
    found = [expression_to_gia(e, "main") for e in equations(places[second], list(samples.values[second]))]
    assert "(unsigned long long)sum == 3ULL * (unsigned long long)i" in found


def test_the_limit_on_candidates_is_kept(prepared: Prepared):
    vocabulary = Vocabulary.of(prepared.program, list(prepared.program.edges()))
    for limit in (0, 1, 17):
        assert len(candidates_at(vocabulary, references(prepared.variables()), limit)) <= limit


ROBOT = """struct place { int x, y; };
struct robot { struct place at; int wide; unsigned char heading; };
static void turn(struct robot *r) { r->heading = (r->heading + 1) % 4; }
static void go(struct robot *r) {
  struct place *p = &r->at;
  if (r->heading == 0) { if (p->x + 1 < r->wide) p->x++; }
  else if (r->heading == 2) { if (p->x > 0) p->x--; }
}
int main(void) {
  struct robot r = { { 0, 0 }, 10, 0 };
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) turn(&r); else go(&r);
    if (r.at.x == -5) return 1;
    if (r.at.x == 12) return 2;
    if (r.heading == 7) return 3;
    if (r.at.x == 9) return 4;
  }
  return 0;
}
"""


TABLE = """struct table { int items[4]; int count; };
static int put(struct table *t, int item) {
  if (t->count == 4) return 0;
  t->items[t->count++] = item;
  return 1;
}
int main(void) {
  struct table t = { { 0 }, 0 };
  while (__VERIFIER_nondet_int()) {
    if (!put(&t, __VERIFIER_nondet_int())) t.count = 1;
    if (t.count == 6) return 1;
    if (t.count == -3) return 2;
    if (t.count == 4 && __VERIFIER_nondet_int()) return 3;
  }
  return 0;
}
"""
TANK = """struct tank { double level; float rate; };
static float slope(float step, float by) { return step == 0 ? -1.5f : by / step; }
static void fill(struct tank *t, float by) {
  if (!(by >= 0.0f)) return;
  t->level += by * t->rate;
  if (t->level > 100.0) t->level = 100.0;
}
int main(void) {
  struct tank t = { 0, 0.5f };
  float step = 1;
  while (__VERIFIER_nondet_int()) {
    float by = __VERIFIER_nondet_float();
    if (slope(step, 1) == -1.5f) return 1;
    fill(&t, by);
    if (t.level > 200.0) return 2;
    if (t.level < -1) return 3;
    if (t.level > 50) return 4;
  }
  return 0;
}
"""
COMPARED = [
    (ROBOT, [False, False, True, True, True, False]),
    (TABLE, [False, False, True, True, False]),
    (TANK, [False, True, True, True, False]),
]


@pytest.mark.parametrize(("text", "expected"), COMPARED, ids=["robot", "table", "tank"])
def test_fields_and_floats_are_compared_with_what_they_meet(text: str, expected: list[bool], tmp_path: Path):
    loaded = load_text(tmp_path, text)
    goals = tuple(goal for goal in branches(loaded) if goal.function == "main" and goal.outcome == "then")
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 20, tmp_path)
    stages = [Stage("equations in samples", sampled_equations), Stage("comparisons", comparisons)]
    answer = prove(request, stages)
    statuses = goal_status(loaded.program, answer, goals)
    unreachable = [statuses[goal.id] is GoalStatus.UNREACHABLE for goal in goals]
    assert unreachable == expected


@pytest.mark.parametrize("seed", range(20))
def test_equations_hold_in_their_samples(seed: int, prepared: Prepared):
    random = Random(seed)
    types = random.choices([INT, UNSIGNED_INT, LONG_LONG], k=3)
    variables = [Variable(name, type_, Storage.LOCAL, "main") for name, type_ in zip("abc", types, strict=True)]
    factors = [random.randrange(-3, 4) for _ in range(3)]
    rows = []
    for _ in range(random.randrange(2, 12)):
        first, second = random.randrange(50), random.randrange(50)
        rows.append((first, second, factors[0] * first + factors[1] * second + factors[2] & (1 << types[2].width) - 1))
    for equation in equations(references(variables), rows):
        for row in rows:
            values = {
                ((), f"main::{v.name}"): t.bv_const(n, type_.width)
                for v, type_, n in zip(variables, types, row, strict=True)
            }
            assert prepared.encoder.condition(equation, SymbolicState(t.TRUE, values, {}), ()).is_true


@pytest.mark.parametrize("seed", range(20))
def test_congruences_hold_in_their_samples(seed: int, prepared: Prepared):
    random = Random(seed)
    types = random.choices([INT, UNSIGNED_INT, SIGNED_CHAR, LONG_LONG], k=2)
    variables = [Variable(name, type_, Storage.LOCAL, "main") for name, type_ in zip("ab", types, strict=True)]
    modulus, rest = random.choice([2, 3, 4, 6, 12]), random.randrange(12)
    rows = []
    for _ in range(20):
        numbers = [modulus * random.randrange(-9, 10) + rest * (place + 1) for place in range(2)]
        rows.append(tuple(number & (1 << type_.width) - 1 for number, type_ in zip(numbers, types, strict=True)))
    found = list(congruences(references(variables), rows))
    assert found or modulus in (3, 6)
    for congruence in found:
        for row in rows:
            values = {
                ((), f"main::{v.name}"): t.bv_const(n, type_.width)
                for v, type_, n in zip(variables, types, row, strict=True)
            }
            assert prepared.encoder.condition(congruence, SymbolicState(t.TRUE, values, {}), ()).is_true


def test_congruences_of_one_variable_and_of_two_are_found():
    variables = tuple(Variable(name, INT, Storage.LOCAL, "main") for name in ("i", "j", "k"))
    samples = [(3 * i + 1, i, (5 * i + 4) & 0xFFFFFFFF) for i in range(20)]
    found = [expression_to_gia(e, "main") for e in congruences(references(variables), samples)]
    assert found == [
        "i % 3 == 1",
        "k % 5 == 4",
        "(((unsigned int)i - (unsigned int)j) & 1U) == 1U",
        "(((unsigned int)i + (unsigned int)j) & 3U) == 1U",
        "(((unsigned int)i - (unsigned int)k) & 1U) == 1U",
        "(((unsigned int)i + (unsigned int)k) & 7U) == 5U",
        "(((unsigned int)j - (unsigned int)k) & 3U) == 0U",
        "(((unsigned int)j + (unsigned int)k) & 1U) == 0U",
    ]


def test_nothing_is_guessed_from_one_sample():
    variables = [Variable("a", INT, Storage.LOCAL, "main")]
    assert not list(equations(references(variables), [(7,)]))
    assert not list(congruences(references(variables), [(7,)]))


def test_a_part_of_a_sum_is_not_greater_than_the_sum(tmp_path: Path):
    text = """int main(void) {
      int n = 0; unsigned hits = 0, misses = 0;
      while (n < 5000 && __VERIFIER_nondet_int()) { n++; if (__VERIFIER_nondet_int()) hits++; else misses++; }
      if (hits > 5000) return 1;
      return 0;
    }"""
    loaded = load_text(tmp_path, text)
    goals = [branches(loaded)[-2]]
    assert goals[0].id.endswith("then")
    stages = [Stage("intervals", intervals), Stage("equations", sampled_equations), Stage("comparisons", comparisons)]
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 10, tmp_path)
    status = goal_status(loaded.program, prove(request, stages), goals)
    assert list(status.values()) == [GoalStatus.UNREACHABLE]


def test_equations_with_products_hold_in_all_samples_and_are_found():
    variables = tuple(Variable(name, INT, Storage.LOCAL, "main") for name in ("i", "sum", "other"))
    samples = [(i, i * (i + 1) // 2, (7 * i * i * i) % 50) for i in range(40)]
    found = [expression_to_gia(e, "main") for e in equations_with_products(references(variables), samples)]
    assert found == ["2U * (unsigned int)sum == (unsigned int)i * (unsigned int)i + (unsigned int)i"]


def test_a_stage_proposes_something_where_none_before_it_had_the_time(tmp_path: Path):
    loaded = load_text(tmp_path, LOOP)
    goals = branches(loaded)
    gia = initial_gia(loaded.program, goals)
    request = ActorRequest(loaded, goals, gia, monotonic() + 20, tmp_path)
    answer = prove(request, [Stage("comparisons", comparisons)])
    statuses = goal_status(loaded.program, answer, goals)
    assert GoalStatus.UNREACHABLE in statuses.values()
