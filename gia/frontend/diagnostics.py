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


def value_is_input(function: str, *, has_effect: bool) -> str:
    """What is assumed of a function without a body that has a result; with an effect on what it is given, or none."""
    effect = ", and what its pointers lead to as unknown" if has_effect else ""
    return f"the function {function} has no body: its value is taken as an input{effect}"
