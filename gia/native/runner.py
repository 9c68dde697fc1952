"""Runs instrumented programs in isolation, thousands of times if need be.

A program under test is hostile. Each run happens in a child of the program's own server process
(see ``runtime/server.c``), with limits on time, memory, output and files, in a fresh directory, without
the means to make processes, to use the network or to signal others. The server outlives its
children and ends when this process closes its end of a pipe, be it by dying.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from gia.native.build import InstrumentedProgram
from gia.native.execution import Execution, InputValue, Limits, Missing, Tracing, Uninitialised
from gia.native.fuzzing import FuzzBatch, FuzzRequest
from gia.native.server import Request, Server


class Runner:
    """Runs programs, one at a time. A context manager: leaving it ends all processes.

    A runner keeps one server process for each program that it has run. It belongs to one thread.
    """

    def __init__(self) -> None:
        self._servers: dict[tuple[Path, Uninitialised], Server] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server processes. The runner can be used again."""
        for server in self._servers.values():
            server.close()
        self._servers.clear()

    def run(
        self,
        program: InstrumentedProgram,
        inputs: Sequence[InputValue | str] = (),
        *,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        missing: Missing = Missing.STOP,
        seed: int | None = None,
        dictionary: Sequence[int | float] = (),
        tracing: Tracing = Tracing.SEGMENTS,
        goals: Collection[frozenset[int]] = (),
        shared: bool = False,
    ) -> Execution:
        """Run ``program`` once and say what it did.

        ``inputs`` are read in this order, whatever functions read them; a literal takes the type of the
        function that reads it. ``missing`` says what happens when they are used up; a ``seed`` implies
        :attr:`Missing.RANDOM`. ``dictionary``: values that random inputs are drawn from, too. ``goals`` are sets of
        edges: a run that goes on is ended, as if its time were over, soon after it has covered an edge of each.
        ``shared``: a run in the process of earlier ones will do, if the program changes nothing but memory. That is
        faster, tells no exit code and no resources, and what it shows counts only if a run without it shows it, too.
        :class:`InputError` for a string that is no literal, :class:`ToolError` if nothing can be run.
        """
        mode = Missing.RANDOM if seed is not None else missing
        return self._server(program).run(Request(inputs, limits, mode, seed or 0, dictionary, tracing, goals, shared))

    def fuzz(self, program: InstrumentedProgram, request: FuzzRequest) -> FuzzBatch:
        """Run ``program`` many times on inputs that change; :class:`ToolError` if nothing can be run."""
        return self._server(program).fuzz(request)

    def _server(self, program: InstrumentedProgram) -> Server:
        """The server of a program, started if need be."""
        key = (program.binary, program.uninitialised)
        server = self._servers.get(key)
        if server is None or not server.alive:
            server = self._servers[key] = Server(program)
        return server
