"""Style, types and import contracts are tests like all others."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def passes(*command: str) -> None:
    """The tool of this environment finds nothing."""
    tool = shutil.which(command[0], path=str(Path(sys.executable).parent))
    if tool is None:
        pytest.skip(f"{command[0]} is not installed: pip install -e '.[dev]'")
    found = subprocess.run([tool, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_style() -> None:
    passes("ruff", "check", ".")


def test_types() -> None:
    passes("mypy")


def test_import_contracts() -> None:
    passes("lint-imports", "--no-cache")
