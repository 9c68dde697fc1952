"""Intervals of numbers, wherever they are: in variables, in structures and behind pointers."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving.candidates.congruences import strides
from gia.analyses.proving.candidates.intervals import interval_candidates
from gia.cfa.writer import expression_to_gia
from tests.analyses.test_verifier_candidates import Prepared
from tests.checker.programs import load_text

STACK = """struct stack { int items[20]; int top; };
extern int __VERIFIER_nondet_int(void);
static void push(struct stack *s, int item) { if (s->top < 20) s->items[s->top++] = item; }
static int pop(struct stack *s) { return s->top == 0 ? 0 : s->items[--s->top]; }
int main(void) {
  struct stack s;
  s.top = 0;
  for (;;) { if (__VERIFIER_nondet_int()) push(&s, 1); else pop(&s); }
}
"""
TWO = """struct counter { int n; };
extern int __VERIFIER_nondet_int(void);
static void next(struct counter *c, int most) { if (c->n < most) c->n++; }
int main(void) {
  struct counter a = {0}, b = {7};
  for (;;) { next(&a, 3); next(&b, 9); }
}
"""
EITHER = """struct counter { int n; } a, b = {3};
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct counter *c = __VERIFIER_nondet_int() ? &a : &b;
  for (;;) c->n = 5;
}
"""
HELD = """struct counter { int n; } both[2] = {{1}, {2}};
struct holder { struct counter *to; } one = {&both[0]}, two = {&both[1]};
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct holder *h = __VERIFIER_nondet_int() ? &one : &two;
  for (;;) h->to->n = 5;
}
"""
ADDRESS = """extern int __VERIFIER_nondet_int(void);
static void read(int *to) { *to = __VERIFIER_nondet_int(); }
int main(void) {
  int n = 8, unknown = 1;
  read(&n);
  read(&unknown);
  if (n < 2 || n > 6) return 1;
  for (;;) __VERIFIER_nondet_int();
}
"""
COPIED = """extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
struct inner { short low; int high; };
int main(void) {
  struct { struct inner in[2]; int more; } all, copy;
  memset(&all, 0, sizeof all);
  all.in[1].high = 4;
  copy = all;
  for (;;) __VERIFIER_nondet_int();
}
"""
UNION = """extern int __VERIFIER_nondet_int(void);
union { int number; unsigned char bytes[4]; } u;
struct { int before; int after; } s;
int main(void) {
  u.number = 3;
  u.bytes[1] = 1;
  s.before = 1; s.after = 2;
  for (;;) __VERIFIER_nondet_int();
}
"""
ERRORS = """struct config { int port; };
extern int __VERIFIER_nondet_int(void);
static int set(struct config *c, int port) {
  c->port = port;
  if (c->port < 1) return -1;
  if (c->port > 99) return -2;
  return 0;
}
int main(void) {
  struct config c = {80};
  for (;;) { int failed = set(&c, __VERIFIER_nondet_int()); if (failed) return 1; }
}
"""
CALLED = """struct shape { int kind; int (*area)(const struct shape *); };
extern int __VERIFIER_nondet_int(void);
static int circle(const struct shape *s) { return 3 * s->kind; }
static int square(const struct shape *s) { return s->kind; }
int main(void) {
  struct shape all[4];
  int n = 0, total = 0;
  while (n < 4) { all[n].kind = 1; all[n].area = __VERIFIER_nondet_int() ? circle : square; n++; }
  for (int i = 0; i < n; i++) total = all[i].area(&all[i]) > 2;
  return total;
}
"""
FILLED = """extern unsigned long __VERIFIER_nondet_ulong(void);
extern int __VERIFIER_nondet_int(void);
struct { int before; char text[64]; int after; } s, other;
int main(void) {
  s.before = 1; s.after = 2; other.after = 3;
  for (;;) {
    char *p = (char *)&s + 3 * __VERIFIER_nondet_ulong();
    __builtin_memset(p, 1, __VERIFIER_nondet_ulong());
  }
}
"""
UNKNOWN = """extern int __VERIFIER_nondet_int(void);
extern void (*handler)(void);
int seen = 1;
int main(void) {
  for (;;) handler();
}
"""


def texts(prepared: Prepared) -> tuple[set[str], set[str]]:
    """What is proposed and what is kept, at the cut points in ``main``."""
    found = interval_candidates(prepared.program, prepared.supergraph, prepared.shape, monotonic() + 10)
    kept = prepared.induction.fixpoint(found, prepared.shape.claims, monotonic() + 20).invariants
    here = [cut for cut in prepared.shape.cuts if not cut.context]
    proposed, held = ({expression_to_gia(e, "main") for cut in here for e in each[cut]} for each in (found, kept))
    return proposed, held


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param(STACK, {"s.top >= 0", "s.top <= 20"}, id="a structure that functions are given"),
        pytest.param(TWO, {"a.n <= 3", "a.n >= 0", "b.n >= 7", "b.n <= 9"}, id="the same function for two structures"),
        pytest.param(EITHER, {"$$a.n >= 0", "$$a.n <= 5", "$$b.n >= 3", "$$b.n <= 5"}, id="one of two structures"),
        pytest.param(HELD, {"$$both[0LL].n <= 5", "$$both[1LL].n <= 5"}, id="one of two that structures hold"),
        pytest.param(ADDRESS, {"n >= 2", "n <= 6"}, id="a variable whose address is given away"),
        pytest.param(
            COPIED, {"copy.in[1LL].high == 4", "copy.in[0LL].high == 0", "all.in[1LL].high == 4"}, id="copies"
        ),
        pytest.param(UNION, {"$$s.before == 1", "$$s.after == 2"}, id="neighbours"),
        pytest.param(FILLED, {"$$other.after == 3"}, id="so many bytes as an input says"),
        pytest.param(ERRORS, {"c.port >= 1", "c.port <= 99"}, id="a result tells what was written"),
        pytest.param(CALLED, {"n <= 4", "n >= 0", "i <= 4"}, id="a call through a pointer to known functions"),
    ],
)
def test_bounds_are_found_and_hold(text: str, kept: set[str], tmp_path: Path):
    prepared = Prepared(load_text(tmp_path, text))
    assert kept <= texts(prepared)[1]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        pytest.param(EITHER, {"$$a.n == 5", "$$b.n == 5"}, id="one of two structures"),
        pytest.param(HELD, {"$$both[0LL].n == 1", "$$both[1LL].n == 2"}, id="one of two that structures hold"),
        pytest.param(ADDRESS, {"n == 8", "unknown == 1"}, id="a variable whose address is given away"),
        pytest.param(UNION, {"$$u.number == 3"}, id="bytes of a number"),
        pytest.param(UNKNOWN, {"$$seen == 1"}, id="unknown functions"),
    ],
)
def test_what_may_have_changed_is_not_proposed(text: str, wrong: set[str], tmp_path: Path):
    assert not wrong & texts(Prepared(load_text(tmp_path, text)))[0]


@pytest.mark.parametrize(
    ("steps", "congruence"),
    [
        ("n += 6; if (n >= 8) n -= 8;", "((unsigned int)n & 1U) == 0U"),
        ("n += 4; if (__VERIFIER_nondet_int()) n = 8;", "((unsigned int)n & 3U) == 0U"),
        ("n += 9; if (n > 90) n = 3;", "n % 3 == 0"),
        ("n += 2; if (__VERIFIER_nondet_int()) n = 1;", None),
        ("n += 2; if (__VERIFIER_nondet_int()) n = __VERIFIER_nondet_int();", None),
        ("n += n;", None),
    ],
)
def test_a_variable_that_goes_on_by_constants_has_a_stride(steps: str, congruence: str | None, tmp_path: Path):
    text = f"extern int __VERIFIER_nondet_int(void); int main(void) {{ int n = 0; for (;;) {{ {steps} }} }}"
    prepared = Prepared(load_text(tmp_path, text))
    found = [expression_to_gia(e, "main") for v, e in strides(prepared.program) if v.name == "n"]
    assert found == ([] if congruence is None else [congruence])


def test_a_static_variable_begins_where_its_initialiser_says(tmp_path: Path):
    text = "unsigned odd = 5, even; int main(void) { for (;;) { odd += 2; even += 2; } }"
    prepared = Prepared(load_text(tmp_path, text))
    found = {v.name: expression_to_gia(e, "main") for v, e in strides(prepared.program)}
    assert found == {"odd": "($$odd & 1U) == 1U", "even": "($$even & 1U) == 0U"}
