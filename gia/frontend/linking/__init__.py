"""One program of several files: what a linker does (ISO C 5.1.1.2, phase 8), done to text.

The declarations of all units follow each other in one preprocessed file, in which each token keeps its place in the
source. What would have the name of something else gets a name of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from gia.automaton.bulk import bulk_allocation
from gia.cfa.types import DataModel
from gia.errors import GiaError, InputError, Position
from gia.frontend.linking.joining import joined
from gia.frontend.linking.meanings import Meanings
from gia.frontend.linking.names import Renaming, renamings
from gia.frontend.linking.units import Definition, TranslationUnit, read_unit
from gia.frontend.preprocess import check_syntax
from gia.frontend.preprocessed import by_line_markers
from gia.frontend.stack import with_deep_stack

__all__ = ["LinkedProgram", "Renaming", "link"]


class LinkedProgram(Struct, frozen=True):
    """Preprocessed C of one unit, and the names that are not those of the source."""

    text: str
    renamings: tuple[Renaming, ...]


def link(paths: Sequence[Path], data_model: DataModel) -> LinkedProgram:
    """Make one unit of several files of C.

    Raises :class:`InputError` if one of them is no C, if two define the same, if a function of another one is called
    without a declaration, or if they declare something in different ways; another :class:`GiaError` if one is C that
    the front end does not support.
    """
    _require_distinct(paths)
    with bulk_allocation():
        return _linked([_read(number, path, data_model) for number, path in enumerate(paths)], data_model)


def _linked(units: Sequence[TranslationUnit], data_model: DataModel) -> LinkedProgram:
    _require_single_definitions(units)
    _require_declarations(units)
    meanings = Meanings(units)
    changed = renamings(units, meanings)
    text = joined(units, meanings, changed)
    _check_together(text, data_model)
    return LinkedProgram(text, tuple(changed))


def _read(number: int, path: Path, data_model: DataModel) -> TranslationUnit:
    return with_deep_stack(lambda: read_unit(number, path, data_model))


def _require_distinct(paths: Sequence[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        file = path.resolve()
        if file in seen:
            also = "" if seen[file] == path else f", as {seen[file]} as well"
            raise InputError(f"this file is given twice{also}", Position(str(path)))
        seen[file] = path


def _require_single_definitions(units: Sequence[TranslationUnit]) -> None:
    found: dict[str, Definition] = {}
    for unit in units:
        for name, definition in unit.definitions.items():
            earlier = found.setdefault(name, definition)
            if earlier is definition or (earlier == definition and definition.is_inline):
                continue
            message = f"{name} is defined here, and in {earlier.place}"
            raise InputError(message, definition.place, "give the files of one program only, each thing defined once")


def _require_declarations(units: Sequence[TranslationUnit]) -> None:
    """A function that is called without a declaration is not the one of another unit: C knows no type of it."""
    definitions = {name: definition for unit in units for name, definition in unit.definitions.items()}
    for unit in units:
        for name, place in unit.implicit.items():
            if name in definitions:
                message = f"{name} is called without a declaration, and defined in {definitions[name].place}"
                raise InputError(message, place, f"declare it in {unit.path}, or include its header")


def _check_together(text: str, data_model: DataModel) -> None:
    """:class:`InputError` if the files, each of which is C, declare something in different ways."""
    try:
        check_syntax(by_line_markers(text, ""), Path("the linked program"), data_model)
    except GiaError as problem:
        message = problem.message.replace("the program is not C:", "the files do not fit together:")
        hint = "what several files declare must have the same type in all of them"
        raise InputError(message, problem.position, hint) from None
