"""What the front end tells the user besides errors."""

from __future__ import annotations

from msgspec import Struct

from gia.errors import Position


class Diagnostic(Struct, frozen=True, order=True):
    """A remark about a place of the program: what was assumed, or what is not modelled."""

    position: Position
    message: str

    def __str__(self) -> str:
        return f"{self.position}: {self.message}"
