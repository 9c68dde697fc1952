"""What of the tools that an actor needs is installed, in which version, and how to get the rest."""

from __future__ import annotations

import shutil
from functools import lru_cache
from importlib.util import find_spec

from msgspec import Struct

from gia.errors import GiaError
from gia.orchestrator.description.actor import BENCHEXEC_HINT, Actor, Need
from gia.toolchain import run_tool
from gia.tools.bench_exec import BenchExecTool

VERSION_SECONDS = 20.0


class Finding(Struct, frozen=True):
    """One need: the path where it was found (empty if it was not), what it says of its version, what to do."""

    executable: str
    path: str
    version: str
    hint: str

    def __str__(self) -> str:
        if not self.path:
            return f"{self.executable}: not found; {self.hint}"
        return f"{self.executable}: {self.path}{f', {self.version}' if self.version else ''}"


def examine_needs(actor: Actor) -> tuple[Finding, ...]:
    """What became of each need of an actor, that of its module of BenchExec included."""
    found = [_find(need) for need in actor.description.needs]
    module = actor.description.run.benchexec
    if module is not None:
        found.insert(0, _benchexec(module, actor.description.run.hint))
    return tuple(found)


def _find(need: Need) -> Finding:
    path = shutil.which(need.executable) or ""
    return Finding(need.executable, path, _version(path, need.version) if path else "", need.hint)


@lru_cache(maxsize=64)
def _version(path: str, arguments: tuple[str, ...]) -> str:
    """The first line with a digit that the tool prints; empty if it prints none."""
    try:
        done = run_tool([path, *arguments], timeout=VERSION_SECONDS)
    except GiaError:
        return ""
    lines = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").splitlines()
    shown = (_plain(line) for line in lines)
    return next((line[:80] for line in shown if any(character.isdigit() for character in line)), "")


def _plain(line: str) -> str:
    """A line without what colours it."""
    kept = "".join(character for character in line if character.isprintable())
    for code in ("[0m", "[1;92m", "[0;36m", "[1;94m"):
        kept = kept.replace(code, "")
    return kept.strip()


def _benchexec(module: str, hint: str) -> Finding:
    if find_spec("benchexec") is None:
        return Finding("benchexec", "", "", BENCHEXEC_HINT)
    try:
        tool = BenchExecTool(module, hint)
        return Finding(tool.name, tool.executable(), tool.version(), "")
    except GiaError as error:
        return Finding(f"the tool of BenchExec's module {module}", "", "", error.hint or error.message)
