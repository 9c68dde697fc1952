"""The C compiler: where it is, what it can do, and how external programs are run."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.errors import ToolError

COMPILER = "gcc"
"""The compiler that preprocesses, checks and compiles; its semantics of C is the reference."""


class Compiler(Struct, frozen=True):
    """A C compiler: the path of its executable and the first line of what it says about its version."""

    path: str
    version: str


class Completed(Struct, frozen=True):
    """What a program left when it ended: its exit status (negative: the signal) and its output."""

    returncode: int
    stdout: bytes
    stderr: bytes

    @property
    def messages(self) -> str:
        """Standard error as text."""
        return self.stderr.decode("utf-8", "replace")


def run_tool(argv: Sequence[str], *, timeout: float, cwd: Path | None = None, stdin: bytes | None = None) -> Completed:
    """Run a program to its end and return what it said.

    ``timeout`` is in seconds of wall time; when it has passed, the program and all that it started
    (its process group) are killed and :class:`ToolError` is raised. :class:`ToolError` too if the
    program cannot be started. An exit status other than 0 is no error here.
    """
    try:
        process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except OSError as error:
        raise ToolError(f"{argv[0]} cannot be started: {error.strerror}", hint=f"is {argv[0]} installed?") from error
    with process:
        try:
            stdout, stderr = process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired as error:
            raise ToolError(f"{argv[0]} did not end within {timeout:g} s") from error
        finally:
            _kill_group(process)
    return Completed(process.returncode, stdout, stderr)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the process, if it still runs, and everything that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


@lru_cache(maxsize=1)
def find_compiler() -> Compiler:
    """The C compiler; :class:`ToolError` with the command that installs it if there is none."""
    path = shutil.which(COMPILER)
    if path is None:
        raise ToolError(f"the C compiler {COMPILER} is not installed", hint=f"sudo apt-get install {COMPILER}")
    output = run_tool([path, "--version"], timeout=20).stdout.decode("utf-8", "replace")
    return Compiler(path, output.partition("\n")[0].strip())


def data_model_options(model: DataModel) -> tuple[str, ...]:
    """The compiler's options that select a data model, and floats without the extra precision of the x87.

    They also decide what macros such as ``FLT_EVAL_METHOD`` mean.
    """
    return ("-m32", "-msse2", "-mfpmath=sse") if model is DataModel.ILP32 else ("-m64",)


@lru_cache(maxsize=4)
def require_data_model(compiler: Compiler, model: DataModel) -> None:
    """:class:`ToolError` unless ``compiler`` can make executables for ``model``."""
    with tempfile.TemporaryDirectory() as directory:
        output = Path(directory) / "probe"
        options = data_model_options(model)
        command = [compiler.path, *options, "-x", "c", "-o", str(output), "-"]
        done = run_tool(command, timeout=60, stdin=b"#include <stdlib.h>\nint main(void) { return abs(0); }\n")
    if done.returncode != 0:
        raise ToolError(
            f"{compiler.path} cannot compile for the data model {model} ({options[0]})",
            hint="sudo apt-get install gcc-multilib",
        )
