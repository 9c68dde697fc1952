"""A built-in actor as a black box of its own: what ``gia actor run NAME`` does.

It knows what its files say and nothing else: the engine gives a built-in actor no privileged access.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, process_time

from msgspec import Struct, field
from msgspec.structs import replace

from gia import __version__
from gia.analyses.registry import ACTORS
from gia.analyses.request import ActorRequest, Others
from gia.automaton.initial import edge_texts
from gia.automaton.model import ActorRecord, Automaton
from gia.cfa.types import DataModel
from gia.errors import InputError, ToolError
from gia.exchange.gia_xml import read_gia, write_gia
from gia.orchestrator.description.names import nearest
from gia.orchestrator.facts.task import TaskRequest, kept_builds, load_task_of_actor
from gia.orchestrator.overdue import ended_when_overdue


class BuiltinCall(Struct, frozen=True):
    """The arguments of one call; ``started`` is the :func:`time.monotonic` from which ``seconds`` count.

    ``called`` is what the program is called wherever it is mentioned, if its path ends so.
    """

    name: str
    program: Path
    specification: str
    gia: Path | None
    out: Path
    seconds: float
    started: float
    data_model: DataModel | None = None
    entry: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    called: Path | None = None
    others: Others = field(default_factory=Others)


class Publisher:
    """Writes down what an actor has found so far: at once, but so seldom that it costs little of the actor's time."""

    def __init__(self, write: Callable[[Automaton], None], *, interval: float = 0.25, share: float = 0.05) -> None:
        self._write = write
        self._interval = interval
        self._share = share
        self._next = 0.0
        self.has_written = False
        self.is_writing = False
        self._pending: Callable[[], Automaton] | None = None

    def __call__(self, found: Callable[[], Automaton]) -> bool:
        """Writes what ``found()`` returns unless that was done only just now; whether it did."""
        started = monotonic()
        self._pending = found
        if started < self._next:
            return False
        self.flush()
        ended = monotonic()
        self._next = ended + max(self._interval, (ended - started) / self._share)
        return True

    def answer(self, found: Automaton) -> None:
        """Writes the last answer."""
        self._pending = lambda: found
        self.flush()

    def leave(self, nothing: Automaton) -> bool:
        """Writes what was held back, or ``nothing`` if there never was anything; not while that is being done."""
        if self.is_writing:
            return False
        self.flush()
        if not self.has_written:
            self._write(nothing)
        return True

    def flush(self) -> None:
        """Writes what was held back."""
        if self._pending is None:
            return
        self.is_writing = True
        try:
            self._write(self._pending())
        finally:
            self.is_writing = False
        self._pending = None
        self.has_written = True


def run_builtin(call: BuiltinCall, report: Callable[[str], None], *, supervised: bool = False) -> None:
    """Runs the actor and writes what it found. Without a GIA it starts from nothing.

    The answer so far is written every now and then as a whole, so that an actor that is killed has not lost it. What
    another program could not do before the end of the time is no error, but is reported. ``supervised``: who asks this
    process to end also ends its children.
    Raises :class:`InputError` for an unknown actor, or a GIA that was made for another program.
    """
    entry = ACTORS.get(call.name)
    if entry is None:
        raise InputError(f"there is no built-in actor {call.name!r}", hint=nearest(call.name, ACTORS))
    known = read_gia(call.gia) if call.gia is not None else None
    asked = TaskRequest(call.program, call.specification, call.data_model, call.entry, name=call.called)
    task = load_task_of_actor(asked, known, call.gia)
    seed = call.options.get("seed", "0")
    if not seed.isdecimal():
        raise InputError(f"the seed must be a whole number, not {seed!r}")

    def write(found: Automaton) -> None:
        wall, cpu = round(monotonic() - call.started, 3), round(process_time(), 3)
        record = ActorRecord(call.name, __version__, entry.direction, wall, cpu)
        metadata = replace(task.initial.metadata, actors=(record,))
        write_gia(replace(found, metadata=metadata, edge_texts=edge_texts(task.program, found)), call.out)

    publisher = Publisher(write)

    def leave(calling: bool) -> bool:
        left = publisher.leave(task.initial)
        if left and calling:  # else it may be printing something
            report("it ends inside of a call that does not return: what was written down before is the answer")
        if left:
            shutil.rmtree(scratch, ignore_errors=True)
        return left

    with tempfile.TemporaryDirectory(prefix="gia-actor-") as scratch:
        request = ActorRequest(
            loaded=task.loaded,
            goals=task.goals,
            gia=known or task.initial,
            deadline=call.started + call.seconds,
            directory=Path(scratch),
            options=call.options,
            seed=int(seed),
            report=report,
            publish=publisher,
            flush=publisher.flush,
            builds=kept_builds(),
            one_suffices=task.criterion.is_verification,
            others=call.others,
        )
        try:
            with ended_when_overdue(request.deadline, leave, asked=supervised):
                publisher.answer(entry.load()(request))
        except KeyboardInterrupt:  # asked to end: there is a moment left for what was held back
            publisher.flush()
            raise
        except ToolError as error:
            if request.seconds_left > 0.0:
                raise
            report(f"the time is over: {error}")
            publisher.leave(task.initial)
