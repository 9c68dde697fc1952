"""What a call of a built-in actor imports: loaded once for a run, instead of by each of its steps."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Final

from gia.analyses.registry import ACTORS

BUILTIN: Final = (sys.executable, "-P", "-m", "gia.cli.builtin")
"""How a call of a built-in actor begins; its name follows."""

_SHARED: Final = (
    "argparse",
    "gia.orchestrator.builtin",
    "gia.orchestrator.description.quantities",
    "gia.smt.solvers.bitwuzla_solver",
)
"""What all of them import."""


def modules_of(argv: Sequence[str]) -> list[str]:
    """The modules that a command will import; empty if it is not the call of a built-in actor by this Python."""
    name = argv[len(BUILTIN)] if len(argv) > len(BUILTIN) else ""
    if tuple(argv[: len(BUILTIN)]) != BUILTIN or name not in ACTORS:
        return []
    return modules_for([name])


def modules_for(actors: Iterable[str]) -> list[str]:
    """The modules that those of the actors will import that are built in."""
    own = [ACTORS[name].module for name in actors if name in ACTORS]
    return [*_SHARED, *own] if own else []
