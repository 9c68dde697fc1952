"""Recursive functions: what their contracts decide, and what no contract may decide."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest
from msgspec.structs import replace

from gia.automaton.model import Acceptance, Automaton
from gia.automaton.status import goal_status
from gia.automaton.trimming import leading_to
from gia.automaton.wellformed import violations
from gia.cfa.types import DataModel
from gia.checker import certify
from gia.exchange.gia_xml import read_gia, write_gia
from gia.frontend import LoadedProgram, load
from gia.verdict import GoalStatus
from tests.checker.programs import HEADER, branches, load_text, verify

PROGRAMS: dict[str, tuple[str, frozenset[str]]] = {
    "McCarthy's function": (
        """static int f(int x) { if (x > 100) return x - 10; return f(f(x + 11)); }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 101) return 0;
  if (f(x) != 91)
    return 1;
  return 0;
}
""",
        frozenset({"main:7:3:then"}),
    ),
    "values by induction": (
        """static int fib(int n) { if (n < 2) return n < 1 ? 0 : 1; return fib(n - 1) + fib(n - 2); }
int main(void) { __VERIFIER_nondet_int();
  if (fib(20) == 6765)
    return 0;
  return 1;
}
""",
        frozenset({"main:5:3:else"}),
    ),
    "inside the recursion": (
        """static void f(int n) {
  if (n < 3) return;
  if (n > 10)
    n = 3;
  f(n - 1);
}
int main(void) { f(10); return 0; }
""",
        frozenset({"f:5:3:then"}),
    ),
    "globals": (
        """static int depth, most;
static void walk(int n) {
  depth++;
  if (depth > 0 && n > 0 && __VERIFIER_nondet_int()) walk(n - 1);
  depth--;
}
int main(void) {
  walk(__VERIFIER_nondet_int());
  if (depth != 0)
    return 1;
  if (most != 0)
    return 2;
  return 0;
}
""",
        frozenset({"main:11:3:then", "main:13:3:then"}),
    ),
    "an end that returns nothing": (
        """static int add(int m, int n) {
  if (n == 0) return m;
  if (n > 0) return add(m + 1, n - 1);
  if (n < 0) return add(m - 1, n + 1);
}
int main(void) {
  int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (m < 0 || n < 0 || m > 1000000 || n > 1000000) return 0;
  if (add(m, n) != m + n)
    return 1;
  return 0;
}
""",
        frozenset({"main:11:3:then"}),
    ),
    "values for all arguments that there may be": (
        """static int fib(int n) { if (n < 1) return 0; if (n == 1) return 1; return fib(n - 1) + fib(n - 2); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 46 || n < -46) return 0;
  if (fib(n) < n - 1)
    return 1;
  return 0;
}
""",
        frozenset({"main:7:3:then"}),
    ),
    "recursive descent": (
        """static int token;
static void next(void) { token = __VERIFIER_nondet_int(); }
static int sum(void);
static int factor(void) {
  if (token == 1) { next(); int n = sum(); if (token != 2) return 0; next(); return n; }
  if (token == 3) { next(); return -factor(); }
  if (token == 4) { next(); return factor(); }
  next();
  return 1;
}
static int term(void) {
  int n = factor();
  for (;;) {
    if (token != 5 && token != 6) return n;
    next();
    n *= factor();
  }
}
static int sum(void) {
  int n = term();
  while (token == 7 || token == 8) { next(); n += term(); }
  return n;
}
int main(void) { next(); return sum(); }
""",
        frozenset({"term:15:3:else"}),
    ),
    "products, path by path": (
        """static int multiply(int n, int m) {
  if (m < 0) return multiply(n, -m);
  if (m == 0) return 0;
  return n + multiply(n, m - 1);
}
int main(void) {
  int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
  if (m < 0 || n < 0 || m > 46340 || n > 46340) return 0;
  if (multiply(m, n) != multiply(n, m))
    return 1;
  return 0;
}
""",
        frozenset({"main:11:3:then"}),
    ),
    "before a call that never returns": (
        """static int f(int x) { return f(x + 1); }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 5)
    x = 6;
  f(x);
  if (x == 7)
    return 1;
  return 0;
}
""",
        frozenset({"main:9:3:then", "main:9:3:else"}),
    ),
    "a structure that all calls share": (
        """struct state { int type; const int *lookup; int depth; };
static void next(struct state *s) {
  int c = __VERIFIER_nondet_int();
  if (c == 5 && s->lookup)
    c = 7;
  s->type = c & 1;
}
static void expression(struct state *s) {
  while (s->type == 1) {
    next(s);
    if (s->type == 0 && s->depth < 4) { s->depth++; expression(s); s->depth--; }
  }
}
static int parse(const int *lookup) {
  struct state s;
  s.lookup = lookup; s.depth = 0;
  next(&s);
  expression(&s);
  if (s.lookup)
    return 1;
  return s.type;
}
int main(void) { return parse(0); }
""",
        frozenset({"next:6:3:then", "parse:21:3:then"}),
    ),
    "a structure that one of the calls changes": (
        """struct state { int n; int *p; };
static void walk(struct state *s, int n) {
  if (n == 3) s->p = &s->n;
  if (n > 0) walk(s, n - 1);
}
int main(void) {
  struct state s = { 0, 0 };
  walk(&s, __VERIFIER_nondet_int());
  if (s.p)
    return 1;
  if (s.n)
    return 2;
  return 0;
}
""",
        frozenset({"main:13:3:then"}),
    ),
    "a structure in another frame": (
        """struct state { int n; };
static int walk(struct state *s, int n) {
  struct state own = { n };
  if (n > 0) return walk(n & 1 ? s : &own, n - 1);
  return s->n;
}
static int start(void) { struct state s = { 0 }; return walk(&s, __VERIFIER_nondet_int()); }
int main(void) {
  if (start())
    return 1;
  return 0;
}
""",
        frozenset(),
    ),
    "the same variable in another frame": (
        """static int f(int n, int *p) {
  int x = 5;
  if (n <= 0) return p == &x ? 2 : 3;
  if (f(n - 1, &x) == 3)
    return 1;
  return 0;
}
int main(void) { return f(__VERIFIER_nondet_int(), 0); }
""",
        frozenset(),
    ),
    "written by the callee": (
        """static int f(int n, int *p) {
  int x = 5;
  if (n <= 0) { *p = n; return 0; }
  f(n - 1, &x);
  if (x != 5)
    return 1;
  return 0;
}
int main(void) { int y; return f(__VERIFIER_nondet_int(), &y); }
""",
        frozenset(),
    ),
}


def loaded_text(text: str, folder: Path) -> LoadedProgram:
    source = folder / "program.c"
    source.write_text(HEADER + text)
    return load(source, data_model=DataModel.LP64)


def unreachable(loaded: LoadedProgram, found: Automaton) -> frozenset[str]:
    status = goal_status(loaded.program, found, branches(loaded))
    return frozenset(goal for goal, is_ in status.items() if is_ is GoalStatus.UNREACHABLE)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_contracts_decide_what_no_execution_reaches(name: str, tmp_path: Path):
    text, expected = PROGRAMS[name]
    loaded = loaded_text(text, tmp_path)
    goals = branches(loaded)
    found = verify(loaded, [goal for goal in goals if goal.id in expected] or goals, tmp_path, seconds=20)
    assert not violations(found)
    assert unreachable(loaded, found) == expected
    write_gia(found, tmp_path / "found.xml")
    again = read_gia(tmp_path / "found.xml")
    assert expected <= certify(loaded.program, again, goals, deadline=monotonic() + 60).certified


def test_nobody_is_told_of_invariants_that_belong_to_other_functions(tmp_path: Path):
    text = """static int twice(int n) { return n > 0 ? 2 + twice(n - 1) : 0; }
static void walk(const int *p, int n) { if (n > 0 && *p) n = 0; if (n > 0) walk(p, n - 1); }
int main(void) { int zero = 0; walk(&zero, twice(__VERIFIER_nondet_int() & 7)); return 0; }
"""
    loaded = loaded_text(text, tmp_path)
    goals = [goal for goal in branches(loaded) if goal.id == "walk:4:41:then"]
    found = verify(loaded, goals, tmp_path, seconds=20)
    report = certify(loaded.program, found, goals, deadline=monotonic() + 60)
    assert report.certified == {"walk:4:41:then"}
    assert report.remarks == ()


def test_a_wrong_contract_certifies_nothing(tmp_path: Path):
    text, expected = PROGRAMS["values by induction"]
    loaded = loaded_text(text, tmp_path)
    goals = [goal for goal in branches(loaded) if goal.id in expected]
    found = verify(loaded, goals, tmp_path, seconds=20)
    assert expected <= certify(loaded.program, found, goals, deadline=monotonic() + 60).certified
    states = [
        state._replace(invariant=state.invariant._replace(text=r"\result == 6765")) if state.invariant else state
        for state in found.states
    ]
    wrong = replace(found, states=tuple(states))
    assert not certify(loaded.program, wrong, goals, deadline=monotonic() + 60).certified


def test_what_a_contract_says_is_not_cut_off(tmp_path: Path) -> None:
    text = """static int none(int n) { return n > 0 ? none(n - 1) : 0; }
static int one(int n) { return n > 0 ? one(n - 2) : 1; }
int main(void) {
  while (__VERIFIER_nondet_int())
    if (none(__VERIFIER_nondet_int()) > 1)
      return 1;
  return one(__VERIFIER_nondet_int());
}
"""
    loaded = load_text(tmp_path, text)
    found = verify(loaded, branches(loaded), tmp_path, seconds=20)
    useful = leading_to(found, found.accepting(Acceptance.UT))
    assert {number for number, state in enumerate(found.states) if state.invariant is not None} <= useful
    certified = certify(loaded.program, found, branches(loaded), deadline=monotonic() + 60).certified
    assert certified == {"main:7:5:then"}
