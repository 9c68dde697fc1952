"""Small programs with the goals that no execution reaches, and helpers to prove and check them."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from gia.analyses.proving import verifier
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.model import Automaton
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n"

EXAMPLES: dict[str, tuple[str, frozenset[str]]] = {
    "constant": (
        """int main(void) {
  int x = 1;
  if (x)
    x = 2;
  return 0;
}
""",
        frozenset({"main:5:3:else"}),
    ),
    "counter": (
        """int main(void) {
  int n = __VERIFIER_nondet_int(), i = 0;
  while (i < n)
    i++;
  if (i < 0)
    return 1;
  return 0;
}
""",
        frozenset({"main:7:3:then"}),
    ),
    "wrap": (
        """int main(void) {
  int i = __VERIFIER_nondet_int();
  int j = i + 1;
  if (j < i)
    return 1;
  return 0;
}
""",
        frozenset(),
    ),
    "callee": (
        """static int count;
static void step(int limit) {
  for (int j = 0; j < 9; j++)
    if (count < limit) count++;
}
int main(void) {
  for (int i = 0; i < 5; i++)
    step(7);
  if (count > 7)
    return 1;
  return 0;
}
""",
        frozenset({"main:11:3:then"}),
    ),
    "uncalled": (
        """static int never(int x) {
  if (x)
    return 1;
  return 2;
}
int main(void) {
  int (*volatile p)(int) = 0;
  (void)p;
  if (__VERIFIER_nondet_int())
    return 1;
  return 0;
}
""",
        frozenset({"never:4:3:then", "never:4:3:else"}),
    ),
    "recursive": (
        """static int depth(int n) {
  if (n <= 0)
    return 0;
  return depth(n - 1) + 1;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 3 && x < 3)
    return 1;
  depth(x);
  if (x == x + 1)
    return 2;
  return 0;
}
""",
        frozenset({"main:10:3:then", "main:13:3:then"}),
    ),
    "recursion that ends": (
        """static int calls;
static int sum(int *to, int n) {
  int here = 0;
  calls++;
  if (n == 0)
    return 0;
  *to = sum(&here, n - 1) + here;
  if (here > 4)
    return 1;
  return n;
}
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  int y = 0;
  sum(&y, x % 4);
  if (y == 3 || calls > 4)
    return 2;
  if (y == 2 && calls != 3)
    return 3;
  return 0;
}
""",
        frozenset({"sum:10:3:then", "main:20:3:then"}),
    ),
}
"""Name: the text behind :data:`HEADER`, and the ids of the branches that no execution reaches."""


def load_text(directory: Path, text: str) -> LoadedProgram:
    """The program of a text."""
    path = directory / "program.c"
    path.write_text(HEADER + text)
    return load(path, data_model=DataModel.LP64)


def branches(loaded: LoadedProgram) -> tuple[Goal, ...]:
    """The branch goals of a program."""
    return goals_of(loaded.program, Criterion.BRANCHES)


def verify(loaded: LoadedProgram, goals: tuple[Goal, ...], directory: Path, seconds: float = 20.0) -> Automaton:
    """What the built-in verifier proves."""
    gia = initial_gia(loaded.program, goals)
    return verifier.run(ActorRequest(loaded, goals, gia, monotonic() + seconds, directory))
