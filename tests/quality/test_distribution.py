"""What is handed on is whole."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ALWAYS_INCLUDED = {"README.md", "pyproject.toml", ".gitignore"}


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="this is no clone")
def test_a_source_distribution_holds_what_the_repository_holds() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tracked = {path.partition("/")[0] for path in listed.splitlines()} - ALWAYS_INCLUDED
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    included = {path.removeprefix("/") for path in build["targets"]["sdist"]["include"]}
    assert included == {name for name in tracked if not name.startswith(".")}
