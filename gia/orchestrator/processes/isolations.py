"""Which process trees are limited in which way: plainly, in containers, or as it fits.

A container costs some tenths of a second. What is a part of gia is trusted not to write where it should not, and runs
the program under test in an isolation of its own (:mod:`gia.native.runner`); other people's tools are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from gia.orchestrator.processes.contained import Containment
from gia.orchestrator.processes.process import Cancellation, Ended, Isolation, Limits, Supervision

IsolationName = Literal["plain", "benchexec", "auto"]


class Isolations:
    """The isolation that ``name`` stands for: ``plain`` and ``benchexec`` for all; ``auto`` for gia's own actors the
    plain one, for the tools of others containers where they are possible. ``actors`` are those that will be run.

    Raises :class:`~gia.errors.ToolError` if containers are asked for and not possible.
    """

    def __init__(self, name: IsolationName, actors: Iterable[str] = ()) -> None:
        self._own: Isolation
        self._foreign: Isolation
        if name == "benchexec":
            containment = Containment()
            containment.require()
            self._own = self._foreign = containment
        else:
            plain = Supervision(actors)
            self._own = plain
            self._foreign = WherePossible(Containment(), plain) if name == "auto" else plain

    def of(self, *, foreign: bool) -> Isolation:
        """The one for the tools of others, or for what is a part of gia."""
        return self._foreign if foreign else self._own

    def close(self) -> None:
        """Ends everything that is still running."""
        self._own.close()

    def __enter__(self) -> Isolations:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WherePossible:
    """Containers; once one could not be made, the plain way, and what is run so says why."""

    def __init__(self, containment: Isolation, plain: Isolation) -> None:
        self._containment = containment
        self._plain = plain
        self._problem = ""

    def run(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        log: Path,
        limits: Limits,
        cancellations: Sequence[Cancellation] = (),
    ) -> Ended:
        """See :class:`~gia.orchestrator.processes.process.Isolation`."""
        if not self._problem:
            ended = self._containment.run(
                argv, directory=directory, log=log, limits=limits, cancellations=cancellations
            )
            if not ended.uncontained:
                return ended
            self._problem = ended.uncontained
        ended = self._plain.run(argv, directory=directory, log=log, limits=limits, cancellations=cancellations)
        return replace(ended, uncontained=self._problem)

    def close(self) -> None:
        """The isolations that are used here are closed by whoever made them."""
