"""Wrong command lines, told as other errors are: what is wrong, and what to do."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any, cast

import typer
from typer.main import get_command

from gia.cli.app import app_for
from gia.errors import InputError

_UsageError = cast(type[Exception], typer.BadParameter.__mro__[1])
"""Of click, or of typer's own copy of it, which does not export this class."""


def call(arguments: Sequence[str]) -> None:
    """Does what the command line says. Raises :class:`InputError` if it cannot be understood."""
    try:
        status = get_command(app_for(arguments))([*arguments], prog_name="gia", standalone_mode=False)
    except _UsageError as error:
        raise _explained(error) from None
    if status:
        sys.exit(status)


def _explained(error: Any) -> InputError:
    """The error of typer as ours."""
    message = error.format_message()
    if message.startswith("Usage: "):  # a group of commands without a command is answered with its help
        print(message, file=sys.stderr)
        sys.exit(InputError.exit_status)
    message = " ".join(message.replace("Value error, ", "").split()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "gia"
    hint = f"`{command} --help` says what can be given"
    if option := getattr(error, "option_name", None) if error.ctx else None:
        from gia.orchestrator.description.names import nearest

        message = f"no such option: {option}"
        known = [name for parameter in error.ctx.command.params for name in parameter.opts if name.startswith("--")]
        hint = nearest(option, known)
    if files := _files_too_many(message):
        hint = f"for one program of several files: `gia link FIRST {files} -o PROGRAM.i`"
    return InputError(f"{command}: {message[0].lower()}{message[1:]}", hint=hint)


def _files_too_many(message: str) -> str:
    """The files of C that an error names as arguments too many."""
    found = re.fullmatch(r"Got unexpected extra argument\S* \((.*)\)", message)
    words = found[1].split() if found is not None else []
    return " ".join(words) if all(word.endswith((".c", ".i")) for word in words) else ""
