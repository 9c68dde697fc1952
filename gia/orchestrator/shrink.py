"""The smallest files with which a command still ends as it does: a delta debugger for GIA files (``gia shrink``).

Files that can be read are made smaller as automata (:mod:`gia.automaton.shrinking`); if they cannot, or if the command
ends otherwise once they are written in canonical form, their lines are taken away.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from msgspec import Struct, field

from gia.automaton.shrinking import Automata, minimised, shrunk
from gia.errors import GiaError, InputError, Position
from gia.exchange.gia_xml import gia_bytes, read_gia

TIMED_OUT = "timeout"
"""The status of a command that was ended because it took too long."""

Status = int | str
"""An exit status, minus the number of a signal, or :data:`TIMED_OUT`."""


class Wanted(Struct, frozen=True):
    """What is to stay: how the command ends and, if ``saying`` is not empty, a text that it prints."""

    status: Status
    saying: str = ""


class Shrinker(Struct):
    """Minimises the contents of some files; ``smallest`` is what was found so far, also after an interruption.

    ``command`` is what is run, without a shell: ``{}`` stands for all files, ``{1}`` for the first one. It may take
    ``limit`` seconds each time. When ``deadline`` (a value of ``time.monotonic``) has passed, nothing more is tried.
    """

    command: str
    paths: Sequence[Path]
    limit: float
    deadline: float
    smallest: tuple[bytes, ...] = ()
    runs: int = 0
    _known: dict[tuple[bytes, ...], bool] = field(default_factory=dict)

    def wanted(self, status: int | None, saying: str) -> Wanted:
        """How the command ends now, which has to be ``status`` if that is given, and say ``saying``.

        Raises :class:`InputError` if it does not, or if a file cannot be read.
        """
        self.smallest = tuple(map(_content, self.paths))
        found, output = self._run(self.smallest)
        if status is None and found == 0 and not saying:
            hint = "give the status that is to stay with --status, or a text that it prints with --saying"
            raise InputError("the command ends with status 0: there is no failure to keep", hint=hint)
        if status is not None and found != status:
            raise InputError(f"the command ends with status {found}, not with {status}:\n{output.strip()[-2000:]}")
        if saying not in output:
            raise InputError(f"the command does not print {saying!r}, but:\n{output.strip()[-2000:]}")
        return Wanted(found, saying)

    def minimise(self, wanted: Wanted) -> tuple[bytes, ...]:
        """The smallest contents that were found until the deadline."""
        given = self.smallest
        self._minimise(wanted)
        if sum(map(len, self.smallest)) >= sum(map(len, given)):  # the canonical form may be the longer one
            self.smallest = given
        return self.smallest

    def _minimise(self, wanted: Wanted) -> None:
        try:
            automata = tuple(read_gia(path) for path in self.paths)
            canonical = tuple(gia_bytes(automaton) for automaton in automata)
        except GiaError:
            self._shrink_lines(wanted)
            return
        if self._holds(canonical, wanted):
            shrunk(automata, lambda found: self._holds_for(found, wanted))
        else:
            self._shrink_lines(wanted)

    def _holds_for(self, automata: Automata, wanted: Wanted) -> bool:
        try:
            contents = tuple(gia_bytes(automaton) for automaton in automata)
        except GiaError:  # not every automaton can be written
            return False
        return self._holds(contents, wanted)

    def _shrink_lines(self, wanted: Wanted) -> None:
        """Take lines away, from one file after the other, as long as that makes anything smaller."""
        before = -1
        while before != (before := sum(map(len, self.smallest))):
            for index in range(len(self.smallest)):
                minimised(self.smallest[index].splitlines(keepends=True), self._lines_hold(index, wanted))

    def _lines_hold(self, index: int, wanted: Wanted) -> Callable[[list[bytes]], bool]:
        others = self.smallest

        def holds(lines: list[bytes]) -> bool:
            return self._holds((*others[:index], b"".join(lines), *others[index + 1 :]), wanted)

        return holds

    def _holds(self, contents: tuple[bytes, ...], wanted: Wanted) -> bool:
        """Whether the command ends as wanted with these contents; then they are the smallest."""
        if contents not in self._known:
            if monotonic() >= self.deadline:
                return False
            status, output = self._run(contents)
            self._known[contents] = status == wanted.status and wanted.saying in output
        if self._known[contents]:
            self.smallest = contents
        return self._known[contents]

    def _run(self, contents: tuple[bytes, ...]) -> tuple[Status, str]:
        """Runs the command on files with these contents, in a directory of their own; its end and its output."""
        self.runs += 1
        with tempfile.TemporaryDirectory(prefix="gia-shrink-") as scratch:
            files = []
            for number, (path, content) in enumerate(zip(self.paths, contents, strict=True), start=1):
                folder = Path(scratch) / str(number)
                folder.mkdir()
                (folder / path.name).write_bytes(content)
                files.append(str(folder / path.name))
            return _ended(command_line(self.command, files), self.limit)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", Position(str(path))) from error


def command_line(command: str, files: Sequence[str]) -> list[str]:
    """The words of a command with the names of the files; they are put at its end if it does not say where."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"the command cannot be read: {error}", hint="write it as for a shell") from error
    if not words:
        raise InputError("the command is empty")
    result: list[str] = []
    for word in words:
        numbered = word
        for number, file in enumerate(files, start=1):
            numbered = numbered.replace(f"{{{number}}}", file)
        result += files if numbered == "{}" else [numbered]
    return result if any(file in word for word in result for file in files) else [*result, *files]


def _ended(words: Sequence[str], limit: float) -> tuple[Status, str]:
    """Runs a command in a process group of its own, which does not outlive it."""
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
    except OSError as error:
        raise InputError(f"the command cannot be started: {error.strerror}", Position(words[0])) from error
    try:
        output, _ = process.communicate(timeout=limit)
    except BaseException as error:  # Ctrl-C as well must leave nothing behind
        with contextlib.suppress(ProcessLookupError):  # nothing of it may be left any more
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return TIMED_OUT, ""
        raise
    return process.returncode, output.decode(errors="replace")
