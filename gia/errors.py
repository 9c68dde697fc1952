"""Errors by blame, and the exit status of each.

Every error that a person may see derives from :class:`GiaError`. It says what is wrong, where
(``file:line:column`` as far as known) and what to do next. The command line turns it into one
message on standard error and into the exit status of its class.
"""

from __future__ import annotations

from msgspec import Struct


class Position(Struct, frozen=True, order=True):
    """A place in a text file; line and column count from 1, 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


class GiaError(Exception):
    """Something went wrong that the user should read about.

    ``exit_status`` is 1 (the work could not be done) or 2 (the input or the arguments are wrong).
    """

    exit_status = 1

    def __init__(self, message: str, position: Position | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
        self.hint = hint

    def __str__(self) -> str:
        where = f"{self.position}: " if self.position else ""
        todo = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{where}{self.message}{todo}"


class InputError(GiaError):
    """The user's input or arguments are wrong: a missing file, a program that is not C, a bad option."""

    exit_status = 2


class DocumentError(InputError):
    """A document in one of the exchange formats (GIA, witness, test suite, property) is malformed."""


class CompositionError(InputError):
    """A composition or an actor description is wrong."""


class ToolError(GiaError):
    """An external program (compiler, tester, verifier) is missing or failed."""


class InternalError(GiaError):
    """A bug in gia itself: an invariant that its own code guarantees does not hold."""
