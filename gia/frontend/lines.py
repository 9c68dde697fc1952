"""Lines as compilers count them: only a newline ends one, and a form feed, say, is a blank."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its newline; the last one may have none."""
    return _LINE.findall(text)
