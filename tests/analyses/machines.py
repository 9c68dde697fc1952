"""A state machine for the tests of several analyses."""

from __future__ import annotations

LATER = """int main(void) {
  int s = 3, next, hit = __VERIFIER_nondet_int();
  while (1) {
    if (s == 3) { next = hit ? 5 : 7; s = 4; }
    else if (s == 4) s = next;
    else if (s == 5) { next = 3; s = 4; }
    else if (s == 7) return 0;
    else
      return 1;
  }
}
"""
"""What ``next`` is before it is set may be anything; where it matters it was set. No execution reaches
the last ``else``.
"""
