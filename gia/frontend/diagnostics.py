"""What the front end tells the user besides errors."""

from __future__ import annotations

from dataclasses import dataclass

from gia.errors import Position


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """A remark about a place of the program: what was assumed, or what is not modelled."""

    position: Position
    message: str

    def __str__(self) -> str:
        return f"{self.position}: {self.message}"
