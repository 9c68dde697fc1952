"""Other names for what would have the name of something else once units are one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from gia.frontend.linking.meanings import Meanings
from gia.frontend.linking.tokens import Space
from gia.frontend.linking.units import Kind, TranslationUnit


class Renaming(Struct, frozen=True):
    """In ``file``, and what it includes, ``name`` is called ``new``."""

    file: Path
    space: Space
    name: str
    new: str

    def __str__(self) -> str:
        what = "the tag " if self.space is Space.TAG else ""
        return f"{self.file}: {what}{self.name} is called {self.new}"


def renamings(units: Sequence[TranslationUnit], meanings: Meanings) -> list[Renaming]:
    """The names that change, in the order of units.

    What all units share keeps its name; else the first unit that has a name keeps it. A type has no name of a parameter
    of old.
    """
    names = _Names(units)
    shared = {(Space.ORDINARY, name) for unit in units for name in unit.outside}
    shared |= {key for unit in units for key, entity in unit.names.items() if entity.kind is Kind.EXTERNAL}
    parameters = {name for unit in units for name in unit.old_parameters}
    keepers: dict[tuple[Space, str], int] = {}
    given: dict[tuple[int, str], str] = {}
    found = []
    for unit in units:
        for (space, name), entity in unit.names.items():
            if entity.kind is Kind.EXTERNAL:
                continue
            meaning = meanings.of(entity)
            is_taken = (space, name) in shared or (entity.kind is Kind.TYPE and name in parameters)
            if not is_taken and keepers.setdefault((space, name), meaning) == meaning:
                continue
            if (meaning, name) not in given:
                given[meaning, name] = names.new(name, unit.path)
            found.append(Renaming(unit.path, space, name, given[meaning, name]))
    return found


class _Names:
    """All names of some units, and those that were given."""

    def __init__(self, units: Sequence[TranslationUnit]) -> None:
        self._used = {token.text for unit in units for token in unit.tokens if token.space is not None}

    def new(self, name: str, path: Path) -> str:
        """A name that is not used, made of one and of the file that it is of."""
        stem = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
        new, number = f"{name}__{stem}", 1
        while new in self._used:
            number += 1
            new = f"{name}__{stem}{number}"
        self._used.add(new)
        return new
