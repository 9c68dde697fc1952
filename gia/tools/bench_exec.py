"""Tool-info modules of BenchExec: each knows the command line of one tool, and how to read its answer.

The modules drive the archives of the competitions, not what a distribution packages. They are stateful: the instance
that made the command must be the one that reads the output.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.errors import InputError, ToolError

INSTALL = "pip install 'gia[benchexec]'"


class ToolTask(Struct, frozen=True):
    """What a tool is asked: paths, its own options, seconds of wall time, bytes of memory (``None``: no limit)."""

    program: Path
    property_file: Path
    data_model: DataModel
    arguments: tuple[str, ...]
    seconds: float
    memory: int | None


class BenchExecTool:
    """One tool, for one question."""

    def __init__(self, module: str, hint: str = "") -> None:
        """Loads the module, of BenchExec or (with a dot in its name) of anybody; ``hint``: how to install the tool.

        Raises :class:`ToolError` if BenchExec is missing, :class:`InputError` if there is no such module.
        """
        self._adapter: Any
        try:
            self._adapter = import_module("benchexec.tooladapter")
        except ImportError:
            raise ToolError("BenchExec is not installed", hint=INSTALL) from None
        name = module if "." in module else f"benchexec.tools.{module.replace('-', '_')}"
        try:
            self._tool = self._adapter.adapt_to_current_version(import_module(name).Tool())
        except (ImportError, AttributeError) as error:
            raise InputError(f"there is no tool-info module {module!r}: {error}") from None
        self._base = self._adapter.CURRENT_BASETOOL
        self._hint = hint or "get the tool's archive from its authors, and put its folder on PATH"

    @property
    def name(self) -> str:
        """The name of the tool."""
        return str(self._tool.name())

    def executable(self) -> str:
        """The path of the tool's executable on ``PATH``; :class:`ToolError` if it is not there."""
        try:
            return str(self._tool.executable(self._base.ToolLocator(use_path=True, use_current=True)))
        except Exception as error:  # modules raise what they like
            message = f"{self.name} is not installed ({str(error).splitlines()[0]})"
            raise ToolError(message, hint=self._hint) from None

    def version(self) -> str:
        """What the tool says about its version, empty if nothing."""
        try:
            return str(self._tool.version(self.executable()))
        except Exception:  # as above; a version is not worth a failure
            return ""

    def command(self, task: ToolTask) -> list[str]:
        """The command line. Raises :class:`ToolError`."""
        language = {"language": "C", "data_model": task.data_model.value}
        asked = self._base.Task.with_files([str(task.program)], property_file=str(task.property_file), options=language)
        limits = self._base.ResourceLimits(cputime=max(1, int(task.seconds)), memory=task.memory)
        executable = self.executable()
        try:
            return [str(word) for word in self._tool.cmdline(executable, list(task.arguments), asked, limits)]
        except Exception as error:  # as above
            raise ToolError(f"{self.name} cannot be asked this: {error}") from None

    def verdict(self, command: Sequence[str], output: str, status: int, *, signalled: bool, timeout: bool) -> str:
        """``true``, ``false``, or what the module makes of the output otherwise."""
        util: Any = import_module("benchexec.util")
        code = util.ProcessExitCode.create(signal=status) if signalled else util.ProcessExitCode.create(value=status)
        lines = self._base.RunOutput(output.splitlines(keepends=True))
        run = self._base.Run(list(command), code, lines, "walltime" if timeout else None)
        try:
            answer = str(self._tool.determine_result(run))
        except Exception as error:  # as above
            raise ToolError(f"the output of {self.name} cannot be read: {error}") from None
        return "false" if answer.startswith("false") else answer
