"""The command line: parse, call, render, exit status (DESIGN §6). One module per group of verbs."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from gia.automaton.bulk import bulk_allocation
from gia.errors import GiaError

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOBODY_READS = frozenset({errno.EPIPE, errno.EIO})
"""Of writing to a pipe, to a terminal, whose other side was closed."""
_MOMENT = 0.01
"""Seconds."""
_ALWAYS_HEARD = frozenset({signal.SIGTERM, signal.SIGALRM})


def main() -> None:
    """The command ``gia``."""
    guarded(_run)


def guarded(command: Callable[[], None]) -> None:
    """Run a command. Exit status: 0 done, 1 it could not be done, 2 input or arguments are wrong."""
    with _interruptions():
        _explained(command)


def _run() -> None:
    with bulk_allocation():
        from gia.cli.usage import call

    call(sys.argv[1:])


def _explained(command: Callable[[], None]) -> None:
    try:
        command()
    except GiaError as error:
        _complain(f"error: {error}", error.exit_status)
    except KeyboardInterrupt:
        _complain("interrupted", 1)
    except OSError as error:
        if error.errno in _NOBODY_READS and error.filename is None:
            _be_quiet()
            sys.exit(1)
        if error.errno in _NO_ROOM:
            _be_quiet()
            _complain(f"error: {error.filename or 'the output'}: cannot be written: {error.strerror}", 1)
        _complain(_bug_report(), 1)
    except Exception:  # the one place where a bug ends: reported, never shown as a traceback
        _complain(_bug_report(), 1)


@contextmanager
def _interruptions() -> Iterator[None]:
    """A polite request to end is treated as Ctrl-C; none is lost where Python drops exceptions.

    A terminal that is closed asks to end too, but not below ``nohup``, which has SIGHUP ignored.
    """
    usual = {signal.SIGHUP: signal.SIG_DFL, signal.SIGINT: signal.default_int_handler}
    heard = {number for number, handler in usual.items() if signal.getsignal(number) is handler}
    interruptions = _Interruptions()
    handlers = {number: signal.signal(number, interruptions.interrupt) for number in _ALWAYS_HEARD | heard}
    hooks = sys.unraisablehook, sys.excepthook
    sys.unraisablehook, sys.excepthook = interruptions.in_destructor, _in_callback
    try:
        yield
    finally:
        sys.excepthook = hooks[1]
        if not interruptions.have_come:  # the exception that ends Python keeps what was left half made until then
            sys.unraisablehook = hooks[0]
        for number, handler in handlers.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # a terminal that is closed is not opened again
                signal.signal(number, handler)


class _Interruptions:
    """What signals and exceptions in destructors mean for each other."""

    def __init__(self) -> None:
        self.have_come = False

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """The handler of signals."""
        self.have_come = True
        if number == signal.SIGHUP:  # the shell and the kernel both tell that the terminal is closed, while all is kept
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    def in_destructor(self, ignored: sys.UnraisableHookArgs) -> None:
        """Ctrl-C in a destructor comes again when that has ended.

        After it, destructors of what it has left half made may fail, which means nothing.
        """
        if ignored.exc_type is KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, _MOMENT)
        elif not self.have_come:
            sys.__unraisablehook__(ignored)


def _in_callback(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Ctrl-C in what a solver calls comes again when the solver has returned."""
    if kind is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    else:
        sys.__excepthook__(kind, error, traceback)


def _complain(message: str, status: int) -> None:
    print(message, file=sys.stderr)
    sys.exit(status)


def _be_quiet() -> None:
    """Nobody can read our output any more; Python must not complain about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug_report() -> str:
    """Writes the traceback to a file and says where."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="gia-error-", suffix=".txt", delete=False) as file:
        traceback.print_exc(file=file)
    last = traceback.format_exc().strip().splitlines()[-1]
    return f"internal error: {last}\n  hint: this is a bug in gia; please report it together with {file.name}"
