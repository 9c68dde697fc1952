"""The verifier proves what programs do with all elements of arrays, and `gia check` certifies it."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from gia.analyses.proving.candidates.array_text import ArrayText
from gia.cfa.expressions import Binary
from gia.cfa.types import UNSIGNED_INT
from gia.checker import certify
from tests.checker.programs import branches, load_text, verify

PROGRAMS = {
    "initialised": (
        """int a[1000];
int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 0 || n > 1000) return 0;
  for (i = 0; i < n; i++) a[i] = 42;
  for (i = 0; i < n; i++)
    if (a[i] != 42)
      return 1;
  return 0;
}
""",
        "main:9:5:then",
    ),
    "copied through pointers to the heap": (
        """#include <stdlib.h>
int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 1 || n > 1000) return 0;
  int *a = malloc(n * sizeof(int)), *b = calloc(n, sizeof(int));
  for (i = 0; i < n; i++) a[i] = __VERIFIER_nondet_int();
  for (i = 0; i < n; i++) b[i] = a[i];
  for (i = 0; i < n; i++)
    if (b[i] != a[i])
      return 1;
  return 0;
}
""",
        "main:11:5:then",
    ),
    "products": (
        """int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  long long a[n], i;
  for (i = 0; i < n; i++) a[i] = i * i + 2;
  for (i = 0; i < n; i++) a[i] = a[i] - 2;
  for (i = 0; i < n; i++)
    if (a[i] != i * i)
      return 1;
  return 0;
}
""",
        "main:10:5:then",
    ),
    "found in a callee": (
        """static int find(int *p, int m, int e) {
  int i = 0;
  while (i < m && p[i] != e) i++;
  return i;
}
int main(void) {
  int a[100], i, e = __VERIFIER_nondet_int();
  for (i = 0; i < 100; i++) a[i] = __VERIFIER_nondet_int();
  int r = find(a, 100, e);
  for (i = 0; i < r; i++)
    if (a[i] == e)
      return 1;
  return 0;
}
""",
        "main:13:5:then",
    ),
    "a pointer that was null": (
        """#include <stdlib.h>
static int *a, n;
static void fill(void) { for (int i = 0; i < n; i++) a[i] = 3; }
int main(void) {
  n = __VERIFIER_nondet_int();
  if (n < 1 || n > 1000) return 0;
  a = malloc(n * sizeof(int));
  fill();
  for (int i = 0; i < n; i++)
    if (a[i] != 3)
      return 1;
  return 0;
}
""",
        "main:12:5:then",
    ),
    "a sum": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 1 || n > 100000) return 0;
  int a[n];
  long long sum[1];
  for (i = 0; i < n; i++) a[i] = 2;
  sum[0] = 0;
  for (i = 0; i < n; i++) sum[0] = sum[0] + a[i];
  if (sum[0] > 2 * n)
    return 1;
  return 0;
}
""",
        "main:11:3:then",
    ),
    "tiles of two, in two branches each": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), least = __VERIFIER_nondet_int(), big = 7, small = 3, i;
  if (n < 2 || n > 1000 || n % 2) return 0;
  int a[n];
  for (i = 1; i <= n / 2; i++) {
    if (big >= least) a[2 * i - 2] = big; else a[2 * i - 2] = 0;
    if (small >= least) a[2 * i - 1] = small; else a[2 * i - 1] = 0;
  }
  for (i = 0; i < n; i++)
    if (!(a[i] >= least || a[i] == 0))
      return 1;
  return 0;
}
""",
        "main:12:5:then",
    ),
    "from both ends": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 1 || n > 1000) return 0;
  int a[2 * n], b[2 * n];
  for (i = 0; i < 2 * n; i++) a[i] = __VERIFIER_nondet_int();
  for (i = 0; i < n; i++) {
    b[2 * n - (i + 1)] = a[2 * n - (i + 1)];
    b[i] = a[i];
  }
  for (i = 0; i < 2 * n; i++)
    if (b[i] != a[i])
      return 1;
  return 0;
}
""",
        "main:13:5:then",
    ),
    "backwards, two at a time": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 2 || n > 1000) return 0;
  int a[n];
  for (i = n - 2; i >= 0; i--) {
    a[i] = i;
    a[i + 1] = i + 1;
  }
  for (i = 0; i < n; i++)
    if (a[i] < i)
      return 1;
  return 0;
}
""",
        "main:12:5:then",
    ),
    "pairs of inputs": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 1 || n > 1000) return 0;
  int a[n], b[n];
  for (i = 0; i < n; i++) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x <= y) return 0;
    a[i] = x;
    b[i] = y;
  }
  for (i = 0; i < n; i++)
    if (a[i] <= b[i])
      return 1;
  return 0;
}
""",
        "main:14:5:then",
    ),
    "made of earlier ones": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 1 || n > 1000) return 0;
  int a[n];
  a[0] = 0;
  for (i = 1; i < n; i++) a[i] = a[i - 1] + i;
  for (i = 0; i < n; i++)
    if (2 * a[i] != i * i + i)
      return 1;
  return 0;
}
""",
        "main:10:5:then",
    ),
    "a matrix": (
        """int a[300][500], b[300][500];
int main(void) {
  for (int i = 0; i < 300; i++) for (int j = 0; j < 500; j++) a[i][j] = __VERIFIER_nondet_int();
  for (int i = 0; i < 300; i++) for (int j = 0; j < 500; j++) b[i][j] = a[i][j] + 1;
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 500; j++)
      if (b[i][j] != a[i][j] + 1)
        return 1;
  return 0;
}
""",
        "main:9:7:then",
    ),
    "a matrix of variable length": (
        """int main(void) {
  int rows = 300, columns = 500, i, j;
  int a[rows][columns], b[rows][columns];
  for (i = 0; i < rows; i++) for (j = 0; j < columns; j++) a[i][j] = __VERIFIER_nondet_int();
  for (i = 0; i < rows; i++) for (j = 0; j < columns; j++) b[i][j] = a[i][j];
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      if (b[i][j] != a[i][j])
        return 1;
  return 0;
}
""",
        "main:10:7:then",
    ),
    "what depends on row and column": (
        """static int a[256][512];
int main(void) {
  for (int i = 0; i < 256; i++) for (int j = 0; j < 512; j++) a[i][j] = i + j;
  for (int i = 0; i < 256; i++)
    for (int j = 0; j < 512; j++)
      if (a[i][j] != i + j)
        return 1;
  return 0;
}
""",
        "main:8:7:then",
    ),
    "flags in any order, and their sum": (
        """int lamp[8];
int lit(void) {
  int n = 0;
  for (int i = 0; i < 8; i++) n += lamp[i];
  return n;
}
int main(void) {
  int k;
  while ((k = __VERIFIER_nondet_int()) >= 0) {
    if (k < 8) lamp[k] = !lamp[k];
    if (lit() > 8)
      return 1;
  }
  return 0;
}
""",
        "main:13:5:then",
    ),
    "fields and states of elements through pointers": (
        """enum state { OFF, ON, BROKEN };
struct lamp { enum state state; int hours; } lamps[20];
void use(struct lamp *l) {
  if (l->state == OFF) l->state = ON;
  else if (l->state == ON) {
    l->hours++;
    l->state = l->hours > 100 ? BROKEN : OFF;
  }
}
int main(void) {
  int k;
  while ((k = __VERIFIER_nondet_int()) >= 0) {
    if (k >= 20) continue;
    use(&lamps[k]);
    if (lamps[k].hours > 101 || lamps[k].state > BROKEN)
      return 1;
  }
  return 0;
}
""",
        "main:17:5:then",
    ),
    "elements that count": (
        """int seen[26];
int main(void) {
  int n = __VERIFIER_nondet_int(), i;
  if (n < 0 || n > 1000) return 0;
  for (i = 0; i < n; i++) {
    int c = __VERIFIER_nondet_int();
    if (c >= 0 && c < 26) seen[c]++;
  }
  for (i = 0; i < 26; i++)
    if (seen[i] > n)
      return 1;
  return 0;
}
""",
        "main:12:5:then",
    ),
}
"""Programs with a branch that no execution reaches."""

CHANGES = {
    "initialised": ("for (i = 0; i < n; i++) a[i] = 42;", "for (i = 1; i < n; i++) a[i] = 42;"),
    "from both ends": ("b[i] = a[i];", "b[i] = a[i - (i == n - 1)];"),
    "backwards, two at a time": ("i = n - 2;", "i = n - 3;"),
    "made of earlier ones": ("a[0] = 0;", "a[0] = 2 * (n > 9);"),
    "found in a callee": ("return i;", "return i + (i < m);"),
    "a pointer that was null": ("fill();", "fill(); a[n - 1] = 4;"),
    "flags in any order, and their sum": ("!lamp[k]", "2 * !lamp[k]"),
    "fields and states of elements through pointers": ("l->hours > 100", "l->hours > 101"),
    "elements that count": ("seen[c]++", "seen[c] += 1 + (c == 7)"),
    "a matrix of variable length": ("b[i][j] = a[i][j];", "b[i][j] = a[i][j - (i == 299)];"),
}
"""What is replaced in some of them by what, so that the branch can be reached."""


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_what_holds_of_all_elements_is_proven_and_certified(name: str, tmp_path: Path):
    text, unreachable = PROGRAMS[name]
    loaded = load_text(tmp_path, text)
    goals = tuple(goal for goal in branches(loaded) if goal.id == unreachable)
    assert goals
    found = verify(loaded, goals, tmp_path, seconds=240)
    assert certify(loaded.program, found, goals, deadline=monotonic() + 240).certified == {unreachable}
    if name in CHANGES:  # the proof of one program is none of another
        old, new = CHANGES[name]
        assert old in text
        changed = load_text(tmp_path, text.replace(old, new))
        wanted = tuple(goal for goal in branches(changed) if goal.id == unreachable)
        assert wanted
        assert not certify(changed.program, found, wanted, deadline=monotonic() + 3).certified


def test_elements_that_are_made_of_themselves_have_no_closed_form(tmp_path: Path):
    text = """int main(void) {
  int a[1000], b[1000], i;
  for (i = 0; i < 999; i++) { a[i] = a[i] + 1; b[i] = b[i + 1] * b[i + 1] + a[i]; }
  if (a[3] == 5) return 1;
  return 0;
}
"""
    loaded = load_text(tmp_path, text)
    program = loaded.program
    facts = ArrayText(program, program.edge_list).facts
    assert all(isinstance(fact, Binary) for fact in facts)
    assert not [fact for fact in facts if isinstance(fact, Binary) and fact.left.type == UNSIGNED_INT]
