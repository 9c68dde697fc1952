"""What docstrings and pages refer to is there."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

IN_CODE = re.compile(r":(?:mod|class|func|meth|data|attr):`~?([\w.]+)`")
ON_PAGES = re.compile(r"`(gia(?:\.[a-z_]+)+)`")
FILES = {"gia.xml"}


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            if part in getattr(found, "__annotations__", {}):
                return True
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return False


def absolute(name: str, path: Path) -> str:
    """The full name of a module that is named from within its package."""
    return ".".join(path.relative_to(ROOT).parent.parts) + name if name.startswith(".") else name


@pytest.mark.parametrize("path", sorted((ROOT / "gia").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings(path: Path) -> None:
    named = {absolute(name, path) for name in IN_CODE.findall(path.read_text()) if name.startswith(("gia.", "."))}
    assert [name for name in sorted(named) if not exists(name)] == []


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.name
)
def test_pages(path: Path) -> None:
    assert [name for name in ON_PAGES.findall(path.read_text()) if name not in FILES and not exists(name)] == []
