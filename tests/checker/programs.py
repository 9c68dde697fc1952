"""Small programs with the goals that no execution reaches, and helpers to prove and check them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from msgspec.structs import replace

from gia.analyses.proving import verifier
from gia.analyses.request import ActorRequest, Others, report_nothing
from gia.automaton.initial import initial_gia
from gia.automaton.model import Automaton
from gia.automaton.status import goal_status
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load
from gia.verdict import GoalStatus

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


class _Enough(Others):
    """Others who decide all that is left as soon as some goals are proven."""

    def __init__(self, loaded: LoadedProgram, goals: tuple[Goal, ...], wanted: frozenset[str]) -> None:
        self.loaded = loaded
        self.goals = goals
        self.wanted = wanted
        self.is_enough = False

    def publish(self, found: Callable[[], Automaton]) -> bool:
        self.is_enough = bool(self.wanted) and self.wanted <= proven(self.loaded, found(), self.goals)
        return True

    def decided(self) -> frozenset[str]:
        return frozenset(goal.id for goal in self.goals) if self.is_enough else frozenset()


def proven(loaded: LoadedProgram, found: Automaton, goals: tuple[Goal, ...]) -> frozenset[str]:
    """The goals that an automaton claims to be unreachable."""
    status = goal_status(loaded.program, found, goals)
    return frozenset(name for name, known in status.items() if known is GoalStatus.UNREACHABLE)


def verify_until(
    loaded: LoadedProgram,
    goals: tuple[Goal, ...],
    wanted: frozenset[str],
    directory: Path,
    seconds: float,
    *,
    report: Callable[[str], None] = report_nothing,
) -> Automaton:
    """What the built-in verifier has proven when it has proven some goals, or when the time is used up."""
    gia = initial_gia(loaded.program, goals)
    enough = _Enough(loaded, goals, wanted)
    enough.publish(lambda: gia)
    request = ActorRequest(loaded, goals, gia, monotonic() + seconds, directory, report=report)
    return verifier.run(replace(request, publish=enough.publish, others=enough))
