"""Library functions after which a program does what its graph does not show.

Nothing can be proven about a program that may call one: its functions may be entered at any time, its memory may
change, or it may compute something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from gia.cfa.expressions import written_constant
from gia.cfa.mentions import reachable_functions
from gia.cfa.operations import Call

if TYPE_CHECKING:
    from gia.cfa.graph import Edge, Program

_CONTROL = """
pthread_create thrd_create vfork clone pthread_atfork pthread_key_create tss_create signal ssignal sigaction sigset
bsd_signal sysv_signal __sysv_signal atexit on_exit at_quick_exit __cxa_atexit makecontext setcontext swapcontext
timer_create mq_notify getaddrinfo_a fopencookie register_printf_function register_printf_specifier
register_printf_type argp_parse fts_open fts64_open _obstack_begin _obstack_begin_1 mcheck mcheck_pedantic
"""
ROUNDING = frozenset({"fesetround", "fesetenv", "feupdateenv"})
"""They may change how arithmetic rounds from then on."""
_KEEPING: Mapping[str, int | None] = {
    "setbuf": 1,
    "setbuffer": 1,
    "setvbuf": 1,
    "fmemopen": 0,
    **dict.fromkeys(("open_memstream", "open_wmemstream", "initstate", "setstate", "strtok")),
    **dict.fromkeys(("aio_read", "aio_read64", "aio_write", "aio_write64", "aio_fsync", "aio_fsync64")),
    **dict.fromkeys(("lio_listio", "lio_listio64", "profil")),
}
"""They keep a pointer, through which other functions or the system write later. With each goes the number of the
argument that is null if they do not, ``None`` if they always do. (``strtok`` is meant where it has no model.)"""

HIDING: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(_CONTROL.split(), "code may run at times that the program does not show")
    | dict.fromkeys(ROUNDING, "floating-point arithmetic may round in other ways than the program shows")
    | dict.fromkeys(_KEEPING, "memory may change at times that the program does not show")
)
"""What each of the functions does, by its name.

``fork`` is none of them: each process runs the program alone, whatever ``fork`` has returned.
"""
_STARTING = frozenset({"pthread_create", "thrd_create", "clone", "vfork", "fork"})
"""They start a thread or a process, and so end a test: what follows is not what the program does elsewhere."""


def hidden(program: Program) -> tuple[Edge, str] | None:
    """The first call after which the program does what its graph does not show, and what; ``None`` if there is none."""
    return next(iter(program.derived(hiding_calls)), None)


def hiding_calls(program: Program) -> tuple[tuple[Edge, str], ...]:
    """All of these calls that an execution may come to, in the order of their edges, and what each hides."""
    found = [(edge, _hidden_by(call)) for edge, call in _library_calls(program)]
    return tuple((edge, what) for edge, what in found if what is not None)


class Limit(NamedTuple):
    """What cannot be found out because of a call: about ``everything``, or only of what is executed after it."""

    edge: Edge
    text: str
    everything: bool


def limits_of(program: Program) -> Iterator[Limit]:
    """The calls that limit what can be found out about the program; those that hide something are among them."""
    for edge, call in _library_calls(program):
        what, is_end = _hidden_by(call), call.function in _STARTING
        if what is not None:
            found = ": nothing is proven, and tests end here" if is_end else ", so nothing is proven"
            yield Limit(edge, f"{call.function}: {what}{found}", True)
        elif is_end:
            yield Limit(edge, f"{call.function}: what the other process does is not known, so tests end here", False)


def _library_calls(program: Program) -> list[tuple[Edge, Call]]:
    """The calls of functions without a body that an execution may come to, in the order of their edges."""
    entered = program.derived(reachable_functions)
    edges = sorted((e for name in entered for e in program.functions[name].edges), key=lambda edge: edge.number)
    calls = [(edge, edge.operation) for edge in edges if isinstance(edge.operation, Call)]
    return [(edge, call) for edge, call in calls if call.function not in program.functions]


def _hidden_by(call: Call) -> str | None:
    """What a call of a library function hides, ``None`` if nothing."""
    place = _KEEPING.get(call.function)
    if place is not None and place < len(call.arguments) and written_constant(call.arguments[place]) == 0:
        return None
    return HIDING.get(call.function)
