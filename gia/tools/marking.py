"""Goals that a tool for C can see: a statement at each place that is to be reached, or proven unreachable.

A tool that knows only one property (no call of ``reach_error``) becomes a tool for every criterion so: the property of
the marked program is that no open goal is reached.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from gia.cfa.goals import ERROR_FUNCTIONS, Goal
from gia.cfa.graph import Program
from gia.cfa.writer import write_c


class Mark(StrEnum):
    """How goals are marked."""

    REACH_ERROR = "reach-error"
    """A call of ``reach_error``, which does not return."""
    STATEMENT = "statement"
    """A statement without meaning, for tools that count a branch as new where it executes something new."""
    ACSL_CHECK = "acsl-check"
    r"""An annotation ``check gia_goal_N: \false;``: proven where the place is unreachable."""
    CBMC_ASSERT = "cbmc-assert"
    """A failing assertion ``gia_goal_N``."""
    ESBMC_ASSERT = "esbmc-assert"
    """The same for ESBMC."""
    CBMC_COVER = "cbmc-cover"
    """A cover goal ``gia_goal_N``."""


LABEL: Final = "gia_goal_"
"""The name of mark number N is this and N."""

_STATEMENTS: Final = MappingProxyType(
    {
        Mark.REACH_ERROR: "gia_reached_{number}();",
        Mark.STATEMENT: f"{LABEL}reached = {{number}};",
        Mark.ACSL_CHECK: f"/*@ check {LABEL}{{number}}: \\false; */",
        Mark.CBMC_ASSERT: f'__CPROVER_assert(0, "{LABEL}{{number}}");',
        Mark.ESBMC_ASSERT: f'__ESBMC_assert(0, "{LABEL}{{number}}");',
        Mark.CBMC_COVER: f"__CPROVER_cover(1); /* {LABEL}{{number}} */",
    }
)
_OWN_ERRORS: Final = re.compile(rf"\b({'|'.join(ERROR_FUNCTIONS[:2])})\b")


class MarkedProgram(Struct, frozen=True):
    """C text with marks. ``goals[n]`` is the id of the goal that mark number n stands for; a goal that is not among
    them has no place left in the program."""

    text: str
    goals: tuple[str, ...]


def write_marked(program: Program, original: Program, goals: Sequence[Goal], mark: Mark) -> MarkedProgram:
    """The text of ``program``, which a reducer made of ``original``, with a mark at each of ``goals`` of the original.

    Error functions of the program itself get other names where ``reach_error`` is to mean a goal.
    """
    numbers = {original.edge_list[edge].reference: number for number, goal in enumerate(goals) for edge in goal.edges}
    marks = {}
    found: set[int] = set()
    for edge in program.edges():
        number = numbers.get(edge.reference)
        if number is not None:
            marks[edge.number] = _STATEMENTS[mark].format(number=number)
            found.add(number)
    text = write_c(program, line_directives=False, marks=marks)
    if mark is Mark.STATEMENT:
        text = f"static volatile int {LABEL}reached;\n{text}"
    if mark is Mark.REACH_ERROR:
        text = _with_reach_error(program, text)
    return MarkedProgram(text, tuple(goal.id if n in found else "" for n, goal in enumerate(goals)))


def _with_reach_error(program: Program, text: str) -> str:
    """The text in which ``reach_error`` is what the marks call, and the program's own error functions are others."""
    text = _OWN_ERRORS.sub(r"gia_own_\1", text)
    stop = "for (;;) ;" if "abort" in program.functions else "abort();"
    head = "" if "abort" in program.functions else "extern void abort(void);\n"
    head += f"void reach_error(void) {{ {stop} }}\n"
    return head + re.sub(r"\bgia_reached_\d+\(\);", "reach_error();", text)
