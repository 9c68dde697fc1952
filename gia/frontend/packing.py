"""``#pragma pack``: how many bytes the alignment of members is limited to (GCC manual, *Structure-Layout Pragmas*)."""

from __future__ import annotations

import re
from typing import Final

from gia.frontend.parsing.syntax import Node

_PACK: Final = re.compile(r"pack\s*\(([^)]*)\)")


class PackStack:
    """The limits of a translation unit, up to some place in it."""

    def __init__(self) -> None:
        self._limits: list[int] = [0]

    @property
    def limit(self) -> int:
        """The largest alignment of members that are declared here, in bytes; 0 if there is no limit."""
        return self._limits[-1]

    @property
    def depth(self) -> int:
        """How many limits are kept for a later ``pop``."""
        return len(self._limits) - 1

    def take_in(self, pragma: Node) -> None:
        """Go on behind a pragma; those that are about something else mean nothing here."""
        found = _PACK.match(pragma_text(pragma).strip())
        if found is None:
            return
        words = [word.strip() for word in found[1].split(",")]
        value = int(words[-1]) if words[-1].isdigit() else 0
        if words[0] == "push":
            self._limits.append(value or self._limits[-1])
        elif words[0] != "pop":
            self._limits[-1] = value
        elif len(self._limits) > 1:
            self._limits.pop()


def pragma_text(node: Node) -> str:
    """What stands behind ``#pragma``, or in ``_Pragma("…")``."""
    return node.string if isinstance(node.string, str) else str(node.string.value).strip('"')
