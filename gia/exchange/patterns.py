"""File names and patterns, as task definitions and descriptions of actors give them."""

from __future__ import annotations

import glob
import os
from pathlib import Path


def matching(folder: Path, name: str) -> list[Path]:
    """What is called ``name`` in a folder, or else what the pattern ``name`` matches there, sorted.

    Any text is a pattern: what no file can be called (too long, with a null byte) matches nothing.
    """
    if os.path.exists(folder / name):
        return [folder / name]
    if "\0" in name or os.path.isabs(name):
        return []
    found = glob.glob(name, root_dir=folder, recursive=True, include_hidden=True)
    return sorted({folder / path for path in found})
