"""Functions that are given a function and call it: sorting and searching."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from gia.frontend.models.arguments import calls_as_declared
from gia.frontend.parsing.syntax import Node

FUNCTIONS: Final = {"qsort": 4, "bsearch": 5}
"""By their numbers of arguments."""
_RELIED_ON: Final = frozenset({"malloc", "free", "memcpy"})
"""Their models call these."""


def calls_with_models(calls: Sequence[Node], known: Collection[str], defined: Collection[str]) -> list[Node]:
    """Those of the calls that get models.

    ``known``: which names mean the library's; ``defined``: the names that the program defines.
    """
    if not _RELIED_ON.isdisjoint(defined):
        return []
    return calls_as_declared(calls, FUNCTIONS, known)
