"""Small programs with the goals that no execution reaches, and helpers to prove and check them."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from gia.analyses import verifier
from gia.analyses.request import ActorRequest
from gia.automaton.initial import initial_gia
from gia.automaton.model import Automaton
from gia.cfa.goals import Criterion, Goal, goals_of
from gia.cfa.types import DataModel
from gia.frontend import LoadedProgram, load

HEADER = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n"

EXAMPLES: dict[str, tuple[str, frozenset[str]]] = {
    "constant": (
        "int main(void) {\n  int x = 1;\n  if (x)\n    x = 2;\n  return 0;\n}\n",
        frozenset({"main:5:3:else"}),
    ),
    "counter": (
        "int main(void) {\n  int n = __VERIFIER_nondet_int(), i = 0;\n  while (i < n)\n    i++;\n"
        "  if (i < 0)\n    return 1;\n  return 0;\n}\n",
        frozenset({"main:7:3:then"}),
    ),
    "wrap": (
        "int main(void) {\n  int i = __VERIFIER_nondet_int();\n  int j = i + 1;\n  if (j < i)\n    return 1;\n  return 0;\n}\n",
        frozenset(),
    ),
    "callee": (
        "static int count;\nstatic void step(int limit) {\n  for (int j = 0; j < 9; j++)\n    if (count < limit) count++;\n}\n"
        "int main(void) {\n  for (int i = 0; i < 5; i++)\n    step(7);\n  if (count > 7)\n    return 1;\n  return 0;\n}\n",
        frozenset({"main:11:3:then"}),
    ),
    "uncalled": (
        "static int never(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n"
        "int main(void) {\n  int (*volatile p)(int) = 0;\n  (void)p;\n  if (__VERIFIER_nondet_int())\n    return 1;\n  return 0;\n}\n",
        frozenset({"never:4:3:then", "never:4:3:else"}),
    ),
    "recursive": (
        "static int depth(int n) {\n  if (n <= 0)\n    return 0;\n  return depth(n - 1) + 1;\n}\n"
        "int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x > 3 && x < 3)\n    return 1;\n  depth(x);\n"
        "  if (x == x + 1)\n    return 2;\n  return 0;\n}\n",
        frozenset({"main:10:3:then", "main:13:3:then"}),
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
