"""Functions that tell of clocks, of the process and its user, and drawn numbers: which of their calls get a model.

What they give is no business of the program: without models, a test would reach a goal at certain times only, or for
certain users.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from pycparser import c_ast

from gia.frontend.models.arguments import arguments_of, calls_as_declared, constant_of
from gia.frontend.parsing.syntax import Node, within

_OF_PROCESS: Final = frozenset({"getpid"})
_OF_USER: Final = frozenset({"getuid", "geteuid", "getgid", "getegid"})
FUNCTIONS: Final = {
    **dict.fromkeys(("clock", "drand48", "lrand48", "mrand48", *sorted(_OF_PROCESS | _OF_USER)), 0),
    "time": 1,
    **dict.fromkeys(("gettimeofday", "clock_gettime"), 2),
}
"""By their numbers of arguments."""
_CLOCKS: Final = range(4)
"""Those of ``clock_gettime``: the time, the time since some day, and the times of the process and of the thread."""
_OTHER_PROCESS: Final = frozenset({"fork", "vfork", "clone", "daemon"})
_OTHER_USER: Final = frozenset(
    f"set{which}" for which in ("uid", "euid", "reuid", "resuid", "gid", "egid", "regid", "resgid", "fsuid", "fsgid")
)
"""The models tell the same each time: there is none beside what may change it."""
_SEEDING: Final = frozenset({"srand", "srandom", "srand48"})
"""They decide nothing, since what is drawn afterwards is an input."""


def calls_with_models(calls: Sequence[Node], known: Collection[str]) -> list[Node]:
    """Those of the calls that get models; ``known``: which names mean what headers declare."""
    called = {call.name.name for call in calls}
    changing = (_OF_PROCESS if called & _OTHER_PROCESS else frozenset()) | (
        _OF_USER if called & _OTHER_USER else frozenset()
    )
    own = [call for call in calls if call.name.name in known and call.name.name not in changing]
    seeds = {id(node) for call in own if call.name.name in _SEEDING for node in within(call) if _only_tells(node)}
    return [call for call in calls_as_declared(own, FUNCTIONS, known) if _fits(call) and id(call) not in seeds]


def _fits(call: Node) -> bool:
    """Whether a call is of a known clock, and without a time zone."""
    arguments, name = arguments_of(call), call.name.name
    return (name != "gettimeofday" or _is_null(arguments[1])) and (
        name != "clock_gettime" or constant_of(arguments[0]) in _CLOCKS
    )


def _only_tells(node: Node) -> bool:
    """Whether it is a call that stores nothing: its value is all that it has for others."""
    return isinstance(node, c_ast.FuncCall) and all(map(_is_null, arguments_of(node)))


def _is_null(node: Node) -> bool:
    """Whether it is a null pointer as people write it: ``0``, ``NULL``, ``(time_t *)0``."""
    return _is_null(node.expr) if isinstance(node, c_ast.Cast) else constant_of(node) == 0
