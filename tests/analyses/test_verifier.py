"""The verifier proves what it should, and nothing that is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic

import pytest
from msgspec.structs import replace

from gia.analyses.proving import stages, verifier
from gia.analyses.proving.proof import Candidates, Proof, Stage, begin
from gia.analyses.request import ActorRequest, Others
from gia.automaton.initial import initial_gia
from gia.automaton.model import Acceptance
from gia.automaton.status import goal_status
from gia.automaton.wellformed import violations
from gia.cfa.wto import order
from gia.checker import check_claims
from gia.smt.invariants.control_graph import check_deadline
from gia.smt.solvers.bitwuzla_solver import BitwuzlaSolver
from gia.smt.solvers.solver import Result
from gia.smt.terms import Term
from gia.verdict import GoalStatus
from tests.checker.programs import EXAMPLES, branches, load_text, proven, verify, verify_until
from tests.shared import SHARED, needs_shared

FURTHER: dict[str, tuple[str, frozenset[str]]] = {
    "sum of numbers": (  # an equation with a product, which no bit-level solver shows to be inductive
        """int main(void) {
  int n = __VERIFIER_nondet_int(), sum = 0, i = 1;
  if (n < 1 || n > 1000) return 0;
  while (i <= n) { sum += i; i++; }
  if (2 * sum != n * (n + 1))
    return 1;
  return 0;
}
""",
        frozenset({"main:7:3:then"}),
    ),
    "pointers that are null": (  # what a condition depends on, also where it has another name
        """struct state { int type; const int *lookup; const int *set; };
static int a;
static void next(struct state *s, const int *other) {
  int c = __VERIFIER_nondet_int();
  if (c == 5 && s->lookup)
    c = 7;
  if (!s->set)
    c = 8;
  if (other)
    s->type = *other;
  s->type = c & 1;
}
int main(void) {
  struct state s;
  const int *kept = 0, *other = &a;
  s.lookup = kept; s.set = other;
  next(&s, other);
  while (s.type == 1)
    next(&s, kept);
  if (kept == s.set)
    return 1;
  return 0;
}
""",
        frozenset({"next:7:3:then", "next:9:3:then", "main:22:3:then"}),
    ),
    "structures in an array, through pointers": (
        """struct account { int balance; };
static void take(struct account *a, int amount) {
  if (amount > 0 && amount <= a->balance) a->balance -= amount;
}
int main(void) {
  struct account accounts[3] = { { 100 }, { 0 }, { 50 } };
  while (__VERIFIER_nondet_int()) {
    struct account *a = &accounts[__VERIFIER_nondet_uint() % 3];
    take(a, __VERIFIER_nondet_int());
    if (a->balance < 0)
      return 1;
  }
  return 0;
}
""",
        frozenset({"main:12:5:then"}),
    ),
    "bounds of a product": (  # that x stays positive follows only from the equation, which has two solutions for x
        """int main(void) {
  int x = 1, y = 0;
  while (y < 1000 && __VERIFIER_nondet_int()) {
    x = x + y;
    y = y + 1;
  }
  if (x < y)
    return 1;
  return 0;
}
""",
        frozenset({"main:9:3:then"}),
    ),
    "remainders": (  # however often it wraps around
        """int main(void) {
  int x = 1, y = 1;
  unsigned i = 0;
  while (__VERIFIER_nondet_int() && i < 300) {
    x = x + 2 * __VERIFIER_nondet_int();
    y = y + 2 * __VERIFIER_nondet_int();
    i = i + 3;
    if (x + y == 1)
      return 1;
  }
  if (i % 3)
    return 2;
  return 0;
}
""",
        frozenset({"main:10:5:then", "main:13:3:then"}),
    ),
    "conditions of the program": (  # the loop keeps what the conditions before it say about three variables
        """int main(void) {
  int header = __VERIFIER_nondet_int(), whole = __VERIFIER_nondet_int(), element = __VERIFIER_nondet_int();
  if (header <= 0 || header >= 1000 || whole <= 0 || whole >= 1000 || element <= 0 || element >= 1000) return 0;
  if (whole < header) return 0;
  int position = header, left = whole - header;
  if (left < 2 * element) return 0;
  for (int i = 0; i < element && left > 2; i++) {
    if (position < 0 || position + 1 >= whole)
      return 1;
    position += 2;
  }
  return 0;
}
""",
        frozenset({"main:10:5:then"}),
    ),
    "short loops": (  # as many neighbours as there are, at any place, whatever was counted before
        """static unsigned char cells[50][50];
static int neighbours(int y, int x) {
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if ((dy || dx) && cells[y + dy][x + dx]) n++;
  return n;
}
int main(void) {
  int total = 0;
  while (__VERIFIER_nondet_int()) {
    int y = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
    if (y < 1 || y > 48 || x < 1 || x > 48) continue;
    cells[y][x] = !cells[y][x];
    int n = neighbours(y, x);
    if (n > 8)
      return 1;
    if (n == 8 && total < 1000) total++;
  }
  return 0;
}
""",
        frozenset({"main:18:5:then"}),
    ),
    "comparisons in modes": (  # on which side of its target the lift is depends on its direction
        """enum state { IDLE, UP, DOWN };
static struct { enum state state; int floor, target; } lift;
int main(void) {
  while (1) {
    int called = __VERIFIER_nondet_int();
    switch (lift.state) {
    case IDLE:
      if (called < 0 || called > 4) return 0;
      lift.target = called;
      lift.state = called > lift.floor ? UP : called < lift.floor ? DOWN : IDLE;
      break;
    case UP: if (++lift.floor == lift.target) lift.state = IDLE; break;
    case DOWN: if (--lift.floor == lift.target) lift.state = IDLE; break;
    }
    if (lift.floor < 0 || lift.floor > 4)
      return 1;
  }
}
""",
        frozenset({"main:6:3:else", "main:8:5:none", "main:17:5:then"}),
    ),
    "a condition as a whole": (  # its opposite holds before the loop, and so behind it
        """int main(void) {
  int d = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), n = 0;
  if (m < 1 || m > 12 || d < 1 || d > (m == 4 || m == 6 ? 30 : 31)) return 0;
  while (__VERIFIER_nondet_int()) n++;
  if (d == 31 && (m == 4 || m == 6))
    return 1;
  return n;
}
""",
        frozenset({"main:7:3:then"}),
    ),
    "variable arguments": (  # going through them changes nothing else
        """#include <stdarg.h>
static int level;
static int sum(int n, ...) {
  va_list first, second; va_start(first, n); va_copy(second, first); int s = 0;
  while (n-- > 0) s += va_arg(second, int);
  va_end(first); va_end(second);
  return s;
}
int main(void) {
  int k = 3; level = 2;
  if (sum(k, 1, __VERIFIER_nondet_int(), 2) == 7) k = 4;
  if (level != 2)
    return 1;
  if (k < 3)
    return 2;
  return 0;
}
""",
        frozenset({"main:14:3:then", "main:16:3:then"}),
    ),
    "frames": (  # the caller's variable has to be known inside the callee's loop
        """static int most(void) {
  int c = 0;
  for (int j = 0; j < 20; j++)
    if (__VERIFIER_nondet_int() == c) c++;
  return c;
}
int main(void) {
  int r = 0;
  for (int i = 0; i < 4; i++) {
    int t = most();
    if (t > r) r = t;
  }
  if (r < 0)
    return 1;
  return 0;
}
""",
        frozenset({"main:15:3:then"}),
    ),
    "linear": (  # an equation between variables that nothing compares
        """int main(void) {
  unsigned x = 0, y = 0;
  while (__VERIFIER_nondet_int()) {
    x += 2;
    y += 1;
  }
  if (x != 2 * y)
    return 1;
  return 0;
}
""",
        frozenset({"main:9:3:then"}),
    ),
    "unrolled": (  # needs the contents of an array: no invariant over scalars
        """int table[6];
int main(void) {
  int n = __VERIFIER_nondet_int(), s = 0;
  if (n < 0 || n > 6) return 0;
  for (int i = 0; i < n; i++) table[i] = i * i;
  for (int i = 0; i < n; i++) s += table[i];
  if (s > 55)
    return 1;
  return 0;
}
""",
        frozenset({"main:9:3:then"}),
    ),
    "wrapping": (  # true of unbounded integers only
        """int main(void) {
  int i = 1;
  while (__VERIFIER_nondet_int()) i++;
  if (i < 0)
    return 1;
  return 0;
}
""",
        frozenset(),
    ),
    "widths": (
        """int main(void) {
  unsigned char c = 0;
  unsigned long long big = 1;
  while (__VERIFIER_nondet_int()) {
    c++;
    big = big % 1000 + 1;
  }
  if (c > 255)
    return 1;
  if (big > 1000)
    return 2;
  return 0;
}
""",
        frozenset({"main:10:3:then", "main:12:3:then"}),
    ),
    "the error number": (  # writing it changes nothing else; functions of the library may, and strtol says that it does
        """#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
static int count;
int main(void) {
  errno = 0;
  if (errno) return 1;
  long large = strtol("99999999999999999999", 0, 10);
  if (errno != ERANGE) return 2;
  if (count) return 3;
  errno = 0;
  FILE *file = fopen("/no/such/file", "r");
  if (errno == ENOENT) return 4;
  return file && large;
}
""",
        frozenset({"main:9:3:then", "main:11:3:then", "main:12:3:then"}),
    ),
    "numbers of arguments": (  # calls that C does not define, but that do call; missing arguments may be anything
        """#include <stdarg.h>
static int seen;
static void two(int x, int y) { if (x == 5) seen = 1; if (y == 77) seen = 2; if (x == 6) seen = 3; }
static int sum(int n, int m, ...) { va_list l; va_start(l, m); n = n ? va_arg(l, int) : m; va_end(l); return n; }
static void call(void (*some)()) { some(5); }
int main(void) {
  int (*one)(int) = (int (*)(int))sum;
  call(two);
  if (one(0) == 42) return 1;
  ((void (*)(int, int, int))two)(5, 6, 7);
  return seen;
}
""",
        frozenset({"two:5:33:else", "two:5:78:then", "sum:6:70:then"}),
    ),
    "functions of others": (  # they may change what they are given, and call it
        """struct s { int a, *q; };
struct pair { int x; long y; void *z; };
int read_sensor(int *v), change(struct s *p), show(const char *text, int n), ask(int (*f)(int)), deep(int **p);
struct pair get(int *n);
int *place(struct s *p);
static int called(int x) { if (x == 3) return 1; return 0; }
static int never(int x) { if (x == 3) return 1; return 0; }
int main(void) {
  int v = 0, w = 0, u = 0, t = 0, *p = &u;
  char text[2] = "a";
  struct s s = {0, &w}, other = {0, 0};
  read_sensor(&v);
  if (v == 17) return 1;
  change(&s);
  if (s.a == 17) return 2;
  if (w == 17) return 3;
  if (other.a == 17) return 4;
  show(text, 5);
  if (text[0] == 'b') return 5;
  deep(&p);
  if (u == 17) return 6;
  struct pair got = get(&t);
  if (got.x == 5 && got.y == 6 && got.z) return 7;
  if (t == 1) return 8;
  int *from = place(&other);
  if (from != 0 && other.a == 17) return 9;
  return ask(called);
}
""",
        frozenset({"main:19:3:then", "main:21:3:then", "never:9:27:then", "never:9:27:else"}),
    ),
    "functions of others that are given structs": (  # what pointers in them lead to may change
        """struct list { int val; struct list *next; };
struct plain { int val; };
struct table { int size; struct { void (*run[2])(int); } in; };
void change(struct list n), keep(struct plain p), install(struct table *t);
int change_too(struct list n), install_too(struct table t);
static void first(int x) { if (x == 5) return; }
static void second(int x) { if (x == 5) return; }
static void stored(int x) { if (x == 5) return; }
int main(void) {
  struct list b = {2, 0}, c = {3, 0}, d = {4, 0}, a = {1, &b}, e = {1, &c}, f = {1, &d};
  struct plain p = {7};
  struct table t = {2, {{first}}}, u = {2, {{second}}};
  void (*never)(int) = stored;
  keep(p);
  if (p.val != 7) return 1;
  change(a);
  if (b.val != 2) return 2;
  if (a.val != 1) return 3;
  change_too(e);
  if (c.val != 3) return 4;
  change_three(f);
  if (d.val != 4) return 5;
  if (never != stored) return 6;
  install(&t);
  return install_too(u);
}
""",
        frozenset({"main:17:3:then", "main:20:3:then", "main:25:3:then"}),
    ),
    "functions of others call back in any order, also if they never return": (
        """void use_both(void (*)(short *), int (*)(short *)), last(void (*)(int)) __attribute__((noreturn));
static int state;
static void second(short *x) { if (state == 0) state = 1; }
static int first(short *x) { if (state == 1) state = 2; return 0; }
static void at_end(int a) { if (state == 3) return; if (a == 5) return; }
int main(void) {
  use_both(second, first);
  if (state == 2) return 2;
  if (state == 3) return 3;
  last(at_end);
  if (state == 1) return 4;
}
""",
        frozenset({"main:13:3:then", "main:13:3:else"}),
    ),
    "functions of others may keep what they are given, and call back when memory is another": (
        """struct table { void (*run)(int, int); };
void keep(void (*)(int)), last(struct table *) __attribute__((noreturn));
static int mode;
static void kept(int a) { if (mode == 5) return; }
static void in_table(int a, int b) { if (a == b) return; }
int main(void) {
  struct table t = { in_table };
  if (mode) return 1;
  keep(kept);
  mode = 5;
  last(&t);
}
""",
        frozenset({"main:10:3:then"}),
    ),
    "functions of others call each other back": (
        """struct more { void (*run)(long, long, long); };
struct loop { void (*again)(struct loop *, void (*)(struct loop *)); struct more in; };
void use(struct loop *, void (*)(struct loop *, void (*)(struct loop *)));
void outside(struct loop *, void (*)(struct loop *)), run_it(void (*)(void (*)(void (*)(void))));
void outside_too(void (*)(void (*)(void)));
static int ran;
static void inner(long a, long b, long c) { ran = 1; }
int main(void) {
  struct more stored = { inner };
  if (ran) return 3;
  run_it(outside_too);
  use(0, outside);
  if (ran) return 4;
}
""",
        frozenset({"main:12:3:then"}),
    ),
    "functions of others that no prototype tells of": (
        """int old();
static int called(int x) { if (x == 3) return 1; return 0; }
int main(void) {
  int declared(int *v);
  int v = 0, w = 0, u = 0;
  old(v, u);
  if (u == 17) return 1;
  old(&v);
  if (v == 17) return 2;
  implicit(&w, 5);
  if (w == 17) return 3;
  implicit("text");
  if (u == 17) return 4;
  declared(&u);
  if (u == 17) return 5;
  return old(called, 2);
}
""",
        frozenset({"main:9:3:then", "main:15:3:then"}),
    ),
}


@pytest.mark.parametrize("name", sorted({**EXAMPLES, **FURTHER}))
def test_exactly_the_unreachable_branches_are_proven(name: str, tmp_path: Path):
    """All of them are, beside goals that are reached; and these are not when they alone are asked for."""
    text, unreachable = {**EXAMPLES, **FURTHER}[name]
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    assert unreachable <= {goal.id for goal in goals}
    found = verify_until(loaded, goals, unreachable, tmp_path, seconds=6 if unreachable else 1)
    reached = tuple(goal for goal in goals if goal.id not in unreachable)
    wrong = verify(loaded, reached, tmp_path, seconds=1)
    assert not proven(loaded, wrong, reached)
    assert not violations(found)
    assert not found.accepting(Acceptance.RT)
    assert not found.accepting(Acceptance.CAND)
    assert proven(loaded, found, goals) == unreachable
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 10).certified == unreachable


CHANNELS = """struct channel { int level, alarm; };
static struct channel channels[4];
int main(void) {
  int alarms = 0;
  for (;;) {
    int sum = 0, active = 0;
    for (int i = 0; i < 4; i++) {
      int level = __VERIFIER_nondet_int();
      channels[i].level = level < 0 ? 0 : level > 1000 ? 1000 : level;
      if (channels[i].level > 900 && !channels[i].alarm) { channels[i].alarm = 1; alarms++; }
      else if (channels[i].level < 100 && channels[i].alarm) { channels[i].alarm = 0; alarms--; }
      sum += channels[i].level;
      active += channels[i].alarm;
    }
    if (sum > 4000)
      return 1;
    if (active != alarms)
      return 2;
  }
}
"""


def test_what_is_counted_in_the_elements_of_a_small_array_agrees_with_a_counter(tmp_path: Path):
    loaded = load_text(tmp_path, CHANNELS)
    wanted = {"main:17:5:then", "main:19:5:then"}
    goals = tuple(goal for goal in branches(loaded) if goal.id in wanted)
    found = verify(loaded, goals, tmp_path)
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 20).certified == wanted


COUNTERS = """struct counts { int up; struct { int down; } inner; };
int main(void) {
  int totals[2] = {0, 0}, n = __VERIFIER_nondet_int(), i;
  struct counts counts = {0, {0}};
  for (i = 0; i < n; i++) { totals[1] += 1; counts.up += 3; counts.inner.down -= 2; }
  if (counts.up + counts.inner.down != totals[1] EXTRA) return 1;
  return 0;
}
"""


@pytest.mark.parametrize(("extra", "expected"), [("", GoalStatus.UNREACHABLE), ("|| i == 5", GoalStatus.OPEN)])
def test_equations_speak_of_memory(extra: str, expected: GoalStatus, tmp_path: Path):
    loaded = load_text(tmp_path, COUNTERS.replace("EXTRA", extra))
    goals = tuple(goal for goal in branches(loaded) if goal.id.endswith("then"))[-1:]
    found = verify(loaded, goals, tmp_path, 20.0 if expected is GoalStatus.UNREACHABLE else 4.0)
    assert goal_status(loaded.program, found, goals) == {goals[0].id: expected}


CHECKED = """#define CHECK(holds) do { if (!(holds)) wrong = 1; } while (0)
int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0, k = 0, wrong = 0;
  while (i < n) { i++; k++; }
  for (int j = 0; j < n; j++) {
    CHECK(k > 0);
    k--;
  }
  return wrong;
}
"""


def test_the_loop_of_a_macro_needs_no_invariant(tmp_path: Path):
    """The evidence says nothing of its last edge, and yet covers the paths that lead over it."""
    loaded = load_text(tmp_path, CHECKED)
    goals = tuple(goal for goal in branches(loaded) if goal.id == "main:8:5:then")
    heads = order(loaded.program.functions["main"]).heads
    proof = begin(ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 5, tmp_path))
    assert proof is not None
    assert (len(proof.cuts), len(heads)) == (2, 3)
    found = verify(loaded, goals, tmp_path)
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 10).certified == {g.id for g in goals}


def test_decided_goals_are_no_work(tmp_path: Path):
    loaded = load_text(tmp_path, FURTHER["linear"][0])
    goals = tuple(goal for goal in branches(loaded) if goal.id in FURTHER["linear"][1])
    known = verify(loaded, goals, tmp_path)
    request = ActorRequest(loaded, goals, known, monotonic() + 5, tmp_path)
    assert verifier.run(request) is verifier.NOTHING


def test_without_time_nothing_is_claimed(tmp_path: Path):
    loaded = load_text(tmp_path, FURTHER["linear"][0])
    goals = branches(loaded)
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() - 1, tmp_path)
    assert verifier.run(request) is verifier.NOTHING


def test_progress_is_reported(tmp_path: Path):
    loaded = load_text(tmp_path, FURTHER["linear"][0])
    goals = branches(loaded)
    lines: list[str] = []
    verify_until(loaded, goals, FURTHER["linear"][1], tmp_path, 6, report=lines.append)
    assert any("1 of 4" in line for line in lines)


def test_what_is_not_known_of_pointers_in_loops_is_reported_of_goals_that_stay_open(tmp_path: Path):
    text = """int main(void) {
  int *p = (int *)(long)__VERIFIER_nondet_long();
  while (__VERIFIER_nondet_int()) {
    if (*p == 1)
      return 1;
  }
  return 0;
}
"""
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    lines: list[str] = []
    request = ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 10, tmp_path)
    verifier.run_interval(replace(request, report=lines.append))
    told = [line for line in lines if line.startswith("not modelled: ") and "where it leads is not known" in line]
    (line,) = told
    assert ":6:5: " in line


@needs_shared
@pytest.mark.parametrize(
    ("name", "unreachable"),
    [
        ("gia_fig2", {"main:11:5:then"}),
        ("crabs_unreach", {"call:14:3:then"}),
        ("bite_valves", {"getStatusOfValve:12:3:then"}),
        ("coveritest_foo", {"main:8:5:then"}),
    ],
)
def test_programs_of_the_papers(name: str, unreachable: set[str], tmp_path: Path):
    text = (SHARED / "benchmarks" / "papers" / f"{name}.c").read_text()
    loaded = load_text(tmp_path, "#line 1\n" + text)
    goals = branches(loaded)
    found = verify(loaded, goals, tmp_path, seconds=5)
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 10).certified == unreachable


def test_a_stage_without_end_leaves_time_to_the_others_and_is_run_again(tmp_path: Path):
    loaded = load_text(tmp_path, FURTHER["linear"][0])
    goals = branches(loaded)
    proof = begin(ActorRequest(loaded, goals, initial_gia(loaded.program, goals), monotonic() + 20, tmp_path))
    assert proof is not None
    run: list[str] = []

    def endless(proof: Proof) -> Iterator[Candidates]:
        run.append("endless")
        while run.count("endless") == 1:
            check_deadline(proof.deadline)
        yield {}

    def last(proof: Proof) -> Iterator[Candidates]:
        run.append("last")
        yield from stages.no_candidates(proof)

    deadline = proof.deadline
    proof.search((Stage("endless", endless), Stage("last", last, 15)))
    assert run == ["endless", "last", "endless"]
    assert proof.open_goals
    assert proof.deadline == deadline


class Unsure(BitwuzlaSolver):
    """A solver that knows of no formula whether it has a model."""

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Result:
        answer = super().check(assumptions, timeout)
        return Result.UNKNOWN if answer is Result.SAT else answer


def test_short_programs_are_decided_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """If each goal is: else what is found soon would keep the stages from looking at what is left."""
    text = """int main(void) {
  unsigned n = __VERIFIER_nondet_uint() % 4, sum = 0;
  for (unsigned i = 0; i < n; i++) sum += i;
  if (sum > 3) return 1;
  return 0;
}
"""
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    for solver, first in ((BitwuzlaSolver, "short unrolling: 1 of 4"), (Unsure, "intervals: 0 of 4")):
        monkeypatch.setattr(stages, "make_solver", solver)
        lines: list[str] = []
        found = verify_until(loaded, goals, frozenset({"main:6:3:then"}), tmp_path, 20, report=lines.append)
        assert lines[0].startswith(first)
        assert proven(loaded, found, goals) == {"main:6:3:then"}


class Told(Others):
    """Others that have decided some goals."""

    goals: frozenset[str] = frozenset()

    def decided(self) -> frozenset[str]:
        return self.goals


def test_a_long_execution_without_inputs_is_followed_to_its_end(tmp_path: Path):
    """Whether elements are swapped in a round depends on all rounds before: no invariant says so."""
    text = """int numbers[90];
int main(void) {
  int seed = 1, sorted;
  for (int i = 0; i < 90; i++) numbers[i] = seed = (seed * 133 + 81) % 8095;
  for (int i = 0; i < 89; i++) {
    sorted = 1;
    for (int j = 0; j < 89 - i; j++)
      if (numbers[j] > numbers[j + 1]) {
        int held = numbers[j];
        numbers[j] = numbers[j + 1];
        numbers[j + 1] = held;
        sorted = 0;
      }
    if (sorted) break;
  }
  if (numbers[7] != 528) return 1;
  return 0;
}
"""
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    found = verify(loaded, goals, tmp_path, 60.0)
    assert proven(loaded, found, goals) == {"main:7:3:else", "main:18:3:then"}
    assert check_claims(loaded.program, found, goals, deadline=monotonic() + 60).certified == proven(
        loaded, found, goals
    )


def test_a_program_is_unrolled_once_more_when_tests_have_reached_other_goals(tmp_path: Path):
    """The second loop has no end; it matters only as long as the goal behind it is open."""
    text = """int main(void) {
  int n = 0;
  for (int i = 0; i < 100; i++) n += 3;
  if (n != 300) return 1;
  while (__VERIFIER_nondet_int()) n++;
  if (n == 777) return 2;
  return 0;
}
"""
    loaded = load_text(tmp_path, text)
    goals = branches(loaded)
    told = Told()
    start = initial_gia(loaded.program, goals)
    proof = begin(ActorRequest(loaded, goals, start, monotonic() + 20, tmp_path, others=told))
    assert proof is not None
    assert list(stages.complete_unrolling(proof))
    assert not list(stages.complete_unrolling(proof))
    told.goals = frozenset(goal.id for goal in goals if goal.line > 6)
    assert list(stages.complete_unrolling(proof))
    assert [goal.id for goal in goals if proof.is_proven(goal)] == ["main:6:3:then"]
