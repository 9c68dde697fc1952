"""Whether an execution goes on after a signed overflow: it wraps (DESIGN §9), but C leaves undefined what happens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct

from gia.cache import FolderCache
from gia.errors import Position
from gia.native.build import compile_instrumented
from gia.native.crashes import crash_of
from gia.native.execution import Limits, Outcome, Tracing
from gia.native.runner import Runner

if TYPE_CHECKING:
    from gia.frontend import LoadedProgram


class Overflow(Struct, frozen=True):
    """Signed arithmetic overflows; ``after`` is the last decision before, if it is known."""

    after: Position | None


def overflow_before(
    goals: Collection[int],
    loaded: LoadedProgram,
    inputs: Sequence[str],
    directory: Path,
    *,
    deadline: float,
    cache: FolderCache | None = None,
) -> Overflow | None:
    """The first signed overflow of an execution, if it comes before all of the CFA edges ``goals``.

    ``inputs`` are literals with which the program reaches one of ``goals``, where overflow wraps. The compiler may also
    have made something else of the program because nothing overflows (``x + 1 > x`` holds): if none of ``goals`` is
    reached now, the execution was one with an overflow. ``None`` also if the deadline is too near to find out.
    :class:`~gia.errors.ToolError` if the compiler cannot find out.
    """
    seconds = max(0.0, deadline - monotonic())
    built = compile_instrumented(loaded, directory, watch=goals, overflow_ends=True, cache=cache, seconds=seconds)
    with Runner() as runner:
        limits = Limits(wall=max(0.0, deadline - monotonic()))
        execution = runner.run(built, inputs, limits=limits, tracing=Tracing.FULL)
    if execution.covered_edges & frozenset(goals) or execution.outcome is Outcome.TIMEOUT:
        return None
    crash = crash_of(loaded.program, execution)
    return Overflow(crash.after if crash else None)
