"""What functions of the library write, and what the pointers that they return lead to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gia.cfa.expressions import Expression, StringLiteral, walk
from gia.cfa.operations import Call
from gia.cfa.types import PointerType

_NO_EFFECT = frozenset(
    {
        "__assert_fail",
        "abort",
        "atoi",
        "atol",
        "clock",
        "close",
        "exit",
        "fclose",
        "fflush",
        "fnmatch",
        "fputc",
        "fputs",
        "free",
        "getenv",
        "getpid",
        "index",
        "isatty",
        "memchr",
        "memcmp",
        "perror",
        "putc",
        "putchar",
        "puts",
        "rand",
        "random",
        "rindex",
        "setbuf",
        "sleep",
        "srand",
        "srandom",
        "strcasecmp",
        "strchr",
        "strcmp",
        "strcoll",
        "strcspn",
        "strlen",
        "strncasecmp",
        "strncmp",
        "strnlen",
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

PRINTING_INTO: Mapping[str, int] = {
    **dict.fromkeys(("sprintf", "vsprintf"), 1),
    **dict.fromkeys(("snprintf", "vsnprintf"), 2),
}
"""They print to where their first argument leads; with each goes which argument is the format."""
COPYING_TEXT = frozenset({"stpcpy", "strcpy"})
"""They copy a text to where their first argument leads, and no more than that."""
_WRITING_TEXT = COPYING_TEXT | {"memset", "strcat", "strncat", "strncpy"}
COPYING = frozenset({"memcpy", "memmove", "mempcpy"})
"""They copy bytes from where their second argument leads to where the first one does."""
GIVING_BACK = frozenset({"memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat"})
"""Their result is their first argument."""
FINDING = frozenset({"strchr", "strrchr", "strstr", "strpbrk", "memchr", "index", "rindex", "stpcpy", "mempcpy"})
"""Their result points into what their first argument points to, or is null."""

_LIMITS: Mapping[str, int] = {
    **dict.fromkeys(("snprintf", "vsnprintf"), 1),
    **dict.fromkeys(("memset", "memcpy", "memmove", "mempcpy", "strncpy"), 2),
}


def library_function(operation: Call) -> str:
    """The name of the function that is called, without what makes it the compiler's own one."""
    return operation.function.removeprefix("__builtin_")


def without_effect(operation: Call) -> bool:
    """Whether a function leaves memory alone; printing does unless ``%n`` may occur in the format."""
    name = library_function(operation)
    return name in _NO_EFFECT or (name in _PRINTING and not may_store(operation, _PRINTING[name]))


def writes_first(operation: Call) -> bool:
    """Whether all that a function does to memory is to write bytes from where its first argument leads on."""
    if not (operation.arguments and isinstance(operation.arguments[0].type, PointerType)):
        return False
    name = library_function(operation)
    if name in PRINTING_INTO:
        return not may_store(operation, PRINTING_INTO[name])
    return name in _WRITING_TEXT | COPYING


def limit_of(operation: Call) -> Expression | None:
    """The argument that says how many bytes such a function writes at most."""
    place = _LIMITS.get(library_function(operation))
    return operation.arguments[place] if place is not None and place < len(operation.arguments) else None


def may_store(operation: Call, place: int) -> bool:
    """Whether ``%n`` may occur in the format, which is an argument of the call."""
    formats = operation.arguments[place : place + 1]
    literals = [part for argument in formats for part in walk(argument) if isinstance(part, StringLiteral)]
    return not literals or any(_STORING_DIRECTIVE.search(literal.data) for literal in literals)
