"""The variables of the C library (glibc 2.36): they have values that no initialiser gives, and functions that change
them.

A program that defines one itself shares it with the library (the linker takes its definition for both).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_SETTERS: Final = {
    "optarg optind opterr optopt": "getopt getopt_long getopt_long_only argp_parse",
    "environ": "setenv unsetenv putenv clearenv",
    "timezone daylight tzname": "tzset localtime localtime_r mktime timelocal strftime strftime_l wcsftime wcsftime_l"
    " ctime ctime_r getdate getdate_r strptime strptime_l",
    "signgam": "lgamma lgammaf lgammal gamma gammaf gammal",
    "error_message_count": "error error_at_line",
    "getdate_err": "getdate",
    "program_invocation_name program_invocation_short_name": "argp_parse",
    "re_syntax_options": "re_set_syntax",
    "stdin stdout stderr error_one_per_line error_print_progname argp_program_version argp_program_version_hook"
    " argp_program_bug_address argp_err_exit_status in6addr_any in6addr_loopback obstack_alloc_failed_handler"
    " obstack_exit_failure": "",
}
VARIABLES: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(setters.split()) for names, setters in _SETTERS.items() for name in names.split()
}
"""By the name of a variable, the functions that change it."""

_ALIASES: Final = {
    f"{prefix}{name}" for name in ("environ", "timezone", "daylight", "tzname") for prefix in ("_", "__")
}
_OF_THE_LINKER: Final = re.compile(r"__(start|stop)_\w+|_?(end|edata|etext)|__bss_start|__executable_start|_DYNAMIC")


def set_by(function: str) -> tuple[str, ...]:
    """The variables that a function of the library may change."""
    return tuple(name for name, setters in VARIABLES.items() if function in setters)


def reason_against(name: str) -> str | None:
    """Why a variable that is declared, and not defined, is not supported."""
    if name in _ALIASES:
        return f"{name}, another name of a variable of the library, is not supported"
    return f"{name}, a symbol that the linker defines, is not supported" if _OF_THE_LINKER.fullmatch(name) else None
