"""The files by which a run and a running actor of gia tell each other something: all in the actor's folder.

Nobody waits for an answer that may never come: an actor that knows nothing of a file, or cannot read it, works as if it
were alone.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

LOOK = 0.02
"""Seconds between two looks at what a file answers."""


class Beside(Struct, frozen=True):
    """The folder of an actor, and what stands there about those that run beside it."""

    folder: Path

    @property
    def at_work(self) -> Path:
        """Exists while other actors run as well and none waits for a core."""
        return self.folder / "others-at-work"

    @property
    def decided(self) -> Path:
        """Names the goals that others have decided since the actor was started, one per line; replaced as a whole."""
        return self.folder / "decided-by-others"

    @property
    def core_wanted(self) -> Path:
        """Exists while somebody waits for the core of the actor, or has it.

        It holds the number of the request, and the seconds for which the core is needed.
        """
        return self.folder / "core-wanted"

    @property
    def core_given(self) -> Path:
        """Written by an actor that has stopped until the request with this number is over."""
        return self.folder / "core-given"
