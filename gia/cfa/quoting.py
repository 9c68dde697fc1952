"""File names as ``#line`` directives and line markers have them."""

from __future__ import annotations


def quoted(file: str) -> str:
    """The name between quotes, in which quotes and backslashes are escaped."""
    escaped = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
