"""Functions that look at the clock, and drawn numbers that have a model: which of their calls get one.

What they give is no business of the program: without models, a test would reach a goal at certain times only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from pycparser import c_ast

from gia.frontend.library import INPUT_PREFIX
from gia.frontend.models.arguments import arguments_of, constant_of
from gia.frontend.parsing.syntax import Node, within

FUNCTIONS: Final = {
    **dict.fromkeys(("clock", "drand48", "lrand48", "mrand48"), 0),
    "time": 1,
    **dict.fromkeys(("gettimeofday", "clock_gettime"), 2),
}
"""By their numbers of arguments."""
INPUTS: Final = frozenset(
    {
        ("long", f"{INPUT_PREFIX}time"),
        ("long", f"{INPUT_PREFIX}microseconds"),
        ("long", f"{INPUT_PREFIX}nanoseconds"),
        ("long", f"{INPUT_PREFIX}clock"),
        ("long long", f"{INPUT_PREFIX}drand48"),
        ("int", f"{INPUT_PREFIX}lrand48"),
        ("int", f"{INPUT_PREFIX}mrand48"),
    }
)
"""The types and names of the input functions of these models."""
_CLOCKS: Final = range(4)
"""Those of ``clock_gettime``: the time, the time since some day, and the times of the process and of the thread."""
_SEEDING: Final = frozenset({"srand", "srandom", "srand48"})
"""They decide nothing, since what is drawn afterwards is an input."""


def calls_with_models(nodes: Sequence[Node], known: Collection[str]) -> list[Node]:
    """The calls among all nodes of a program that get models; ``known``: which names mean what headers declare."""
    named = [node for node in nodes if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)]
    calls = [node for node in named if node.name.name in known]
    seeds = {id(node) for call in calls if call.name.name in _SEEDING for node in within(call) if _only_tells(node)}
    return [call for call in calls if _fits(call) and id(call) not in seeds]


def _fits(call: Node) -> bool:
    """Whether a call is one of these functions as headers declare them, of a known clock and without a time zone."""
    arguments, name = arguments_of(call), call.name.name
    if FUNCTIONS.get(name) != len(arguments):
        return False
    return (name != "gettimeofday" or _is_null(arguments[1])) and (
        name != "clock_gettime" or constant_of(arguments[0]) in _CLOCKS
    )


def _only_tells(node: Node) -> bool:
    """Whether it is a call that stores nothing: its value is all that it has for others."""
    return isinstance(node, c_ast.FuncCall) and all(map(_is_null, arguments_of(node)))


def _is_null(node: Node) -> bool:
    """Whether it is a null pointer as people write it: ``0``, ``NULL``, ``(time_t *)0``."""
    return _is_null(node.expr) if isinstance(node, c_ast.Cast) else constant_of(node) == 0
