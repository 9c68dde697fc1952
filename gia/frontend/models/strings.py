"""Functions of memory and strings that the analyses do not know themselves: their models call those that they know."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from gia.frontend.models.arguments import calls_as_declared
from gia.frontend.parsing.syntax import Node

FUNCTIONS: Final = {
    **dict.fromkeys(("bzero", "explicit_bzero", "strchrnul", "strcasestr"), 2),
    **dict.fromkeys(("bcopy", "mempcpy", "memrchr", "stpncpy", "strlcpy", "strlcat"), 3),
    **dict.fromkeys(("memccpy", "memmem"), 4),
}
"""By their numbers of arguments."""
_RELIED_ON: Final = frozenset(
    {"memset", "memmove", "memcpy", "memcmp", "memchr", "strchr", "strlen", "strncpy", "strncasecmp"}
)
"""Their models call these."""


def calls_with_models(calls: Sequence[Node], declared: Collection[str], defined: Collection[str]) -> list[Node]:
    """Those of the calls that get models.

    ``declared``: the names that mean what headers of the system declare; ``defined``: those that the program defines.
    """
    if not _RELIED_ON.isdisjoint(defined):
        return []
    return calls_as_declared(calls, FUNCTIONS, declared)
