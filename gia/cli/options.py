"""What several commands share: options, how their texts become values, what Ctrl-C does."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Timer, get_ident
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Literal, ParamSpec, TypeVar

import typer

from gia.errors import GiaError

if TYPE_CHECKING:
    from gia.orchestrator.facts.task import TaskRequest

DataModelName = Literal["ILP32", "LP64"]

Program = Annotated[
    Path, typer.Argument(metavar="PROGRAM", help="A .c or .i file, or a task definition (.yml, format 2.0).")
]
Specification = Annotated[
    str | None,
    typer.Option(
        "--spec",
        metavar="NAME|FILE.prp",
        help="branches, atomic, statements, error-call or unreach-call, or a property file.",
        show_default=False,
    ),
]
DataModelOption = Annotated[
    DataModelName | None, typer.Option(help="Widths of the integer types; LP64 if no task definition says otherwise.")
]
Entry = Annotated[
    str | None, typer.Option(metavar="FUNCTION", help="Where the program starts, if not in main.", show_default=False)
]
Atomic = Annotated[bool, typer.Option("--atomic", help="Branches, and both outcomes of each atom of && and ||.")]

Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where it goes.", show_default="standard output")
]

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")


class InterruptionError(GiaError):
    """Somebody pressed Ctrl-C, or asked the process to end."""


def interruptible(command: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
    """The command with Ctrl-C as an error like others, with exit status 1."""

    @functools.wraps(command)
    def wrapped(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
        try:
            return command(*args, **kwargs)
        except KeyboardInterrupt:
            raise InterruptionError("interrupted") from None

    return wrapped


@contextmanager
def keeping(place: Path, hint: str | None = None) -> Iterator[None]:
    """Work of which something is kept when Ctrl-C ends it: the error says where, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise InterruptionError(f"interrupted; what was found until now is in {place}", hint=hint) from None


@contextmanager
def ended_at(deadline: float, error: GiaError) -> Iterator[None]:
    """Work of the main thread that is ended as Ctrl-C would, and fails with ``error``, at a ``time.monotonic()``."""
    over = Event()

    def end(number: int, frame: FrameType | None) -> None:
        if not over.is_set():
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, end)
    timer = Timer(max(0.0, deadline - monotonic()), signal.pthread_kill, (get_ident(), signal.SIGALRM))
    timer.daemon = True
    try:
        timer.start()
        yield
    except KeyboardInterrupt:
        if monotonic() < deadline:
            raise
        raise error from None
    finally:
        over.set()
        timer.cancel()
        if timer.ident is not None:
            timer.join()  # no signal comes after that
        signal.signal(signal.SIGALRM, before)


def task_request(
    program: Path, specification: str | None, data_model: str | None, entry: str | None, atomic: bool = False
) -> TaskRequest:
    """What was asked for, as a value."""
    from gia.cfa.types import DataModel
    from gia.orchestrator.facts.task import TaskRequest

    return TaskRequest(program, specification, DataModel(data_model) if data_model else None, entry, atomic)


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """``k=v`` texts as a mapping. Raises :class:`~gia.errors.InputError` for a text without ``=``."""
    from gia.errors import InputError

    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"{option} {text}: this is not of the form NAME=VALUE")
        found[key] = value
    return found


def write_text(text: str, output: Path | None) -> None:
    """To the file, which is replaced when the new one is complete, or to the standard output."""
    if output is None:
        typer.echo(text, nl=not text.endswith("\n"))
        return
    from gia.orchestrator.store import explained, write_whole

    with explained(output):
        write_whole(output, text.encode())
