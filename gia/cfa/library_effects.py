"""What functions of the library write, and what the pointers that they return lead to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gia.cfa.expressions import StringLiteral, walk
from gia.cfa.operations import Call

_NO_EFFECT = frozenset(
    {
        "__assert_fail",
        "abort",
        "exit",
        "atoi",
        "atol",
        "clock",
        "close",
        "fclose",
        "fflush",
        "fnmatch",
        "fputc",
        "fputs",
        "free",
        "getenv",
        "getpid",
        "isatty",
        "memchr",
        "perror",
        "putc",
        "putchar",
        "puts",
        "rand",
        "random",
        "setbuf",
        "sleep",
        "srand",
        "srandom",
        "strchr",
        "strcoll",
        "strcspn",
        "strpbrk",
        "strrchr",
        "strspn",
        "strstr",
        "usleep",
    }
)
"""They write nothing that the program can read through a name or pointer that it has; their result is arbitrary."""

_PRINTING: Mapping[str, int] = {
    **dict.fromkeys(("printf", "vprintf"), 0),
    **dict.fromkeys(("warn", "warnx", "vwarn", "vwarnx"), 0),
    **dict.fromkeys(("fprintf", "dprintf", "vfprintf", "vdprintf", "syslog", "vsyslog", "err", "errx"), 1),
    "error": 2,
}
"""They print; with each goes which argument is the format."""
_STORING_DIRECTIVE = re.compile(rb"%[^%a-zA-Z]*[hlqjzt]*n")

READING_TEXT = frozenset(
    {"index", "memcmp", "rindex", "strcasecmp", "strcmp", "strlen", "strncasecmp", "strncmp", "strnlen"}
)
"""They read what their arguments lead to, and write nothing."""
WRITING_TEXT = frozenset({"memset", "stpcpy", "strcat", "strcpy", "strncat", "strncpy"})
"""They write characters to where their first argument leads."""
COPYING = frozenset({"memcpy", "memmove", "mempcpy"})
"""They copy bytes from where their second argument leads to where the first one does."""
GIVING_BACK = frozenset({"memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat"})
"""Their result is their first argument."""
FINDING = frozenset({"strchr", "strrchr", "strstr", "strpbrk", "memchr", "index", "rindex", "stpcpy", "mempcpy"})
"""Their result points into what their first argument points to, or is null."""


def without_effect(name: str, operation: Call) -> bool:
    """Whether a function leaves memory alone; printing does unless ``%n`` may occur in the format."""
    return name in _NO_EFFECT or (name in _PRINTING and not may_store(operation, _PRINTING[name]))


def may_store(operation: Call, place: int) -> bool:
    """Whether ``%n`` may occur in the format, which is an argument of the call."""
    formats = operation.arguments[place : place + 1]
    literals = [part for argument in formats for part in walk(argument) if isinstance(part, StringLiteral)]
    return not literals or any(_STORING_DIRECTIVE.search(literal.data) for literal in literals)
