"""Finding the compiler and running programs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gia import toolchain
from gia.cfa.types import DataModel
from gia.errors import ToolError


def test_the_compiler_is_found_and_compiles_for_both_data_models() -> None:
    compiler = toolchain.find_compiler()
    assert "gcc" in compiler.version
    for model in DataModel:
        toolchain.require_data_model(compiler, model)


def test_a_missing_compiler_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda name: None)
    toolchain.find_compiler.cache_clear()
    with pytest.raises(ToolError, match="not installed") as caught:
        toolchain.find_compiler()
    assert caught.value.hint == "sudo apt-get install gcc"
    toolchain.find_compiler.cache_clear()


def test_a_compiler_that_cannot_link_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as caught:
        toolchain.require_data_model(toolchain.Compiler("/bin/false", "none"), DataModel.ILP32)
    assert caught.value.hint == "sudo apt-get install gcc-multilib"


def test_output_status_and_input() -> None:
    done = toolchain.run_tool(["sh", "-c", "cat; echo problem >&2; exit 3"], timeout=10, stdin=b"text")
    assert (done.returncode, done.stdout, done.messages) == (3, b"text", "problem\n")


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(ToolError, match="cannot be started"):
        toolchain.run_tool(["/nonexistent/program"], timeout=10)


def test_a_program_that_does_not_end_is_killed_with_all_it_started(tmp_path: Path) -> None:
    started = time.monotonic()
    with pytest.raises(ToolError, match="did not end within"):
        toolchain.run_tool(["sh", "-c", "sleep 60 & sleep 60"], timeout=0.3)
    assert time.monotonic() - started < 5
