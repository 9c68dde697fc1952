"""Which names of several units mean the same.

Names with external linkage mean the same everywhere. Types, tags and enumerators do if they are defined in the same
words, and what these words name means the same (ISO C 6.2.7 asks for compatible types, of which this is the part that
headers bring about). So do functions that each unit has for itself (``static`` functions of a header) if they stand in
one place, and neither they nor what they use remember anything: their copies differ in nothing but their address.

The words of types may name each other in a circle. So this is the coarsest partition in which the names of a class
agree, found by refinement as the states of an automaton are (Moore 1956): all that are defined in the same words are
one class at first, and classes are split by the classes of the names in their words until none is split any more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from gia.frontend.linking.tokens import Token
from gia.frontend.linking.units import Declaration, Entity, Kind, TranslationUnit


class Meanings:
    """The classes of all names of file scope of some units."""

    def __init__(self, units: Sequence[TranslationUnit]) -> None:
        self._complete: Final = _complete_tags(units)
        self._classes: Final = self._refined(units)

    def of(self, entity: Entity) -> int:
        """The class of a name: those that mean the same have the same number."""
        return self._classes[self._defined(entity)]

    def of_declaration(self, declaration: Declaration, unit: TranslationUnit) -> Hashable:
        """What a declaration says: those of which this is equal say the same."""
        named = [unit.entity(token) for token in declaration.tokens]
        classes = tuple(self.of(entity) for entity in named if entity is not None)
        is_name = tuple(entity is not None for entity in named)
        return declaration.limit, _texts(declaration.tokens), is_name, classes

    def _defined(self, entity: Entity) -> Entity:
        """For a tag without a definition: the one that defines it, in another unit."""
        if entity.kind is Kind.TAG and not entity.words and not entity.is_own:
            return self._complete.get((entity.keyword, entity.name), entity)
        return entity

    def _refined(self, units: Sequence[TranslationUnit]) -> dict[Entity, int]:
        owned = [(unit, e) for unit in units for e in unit.names.values() if self._defined(e) is e]
        named = {entity: self._named(unit, entity) for unit, entity in owned}
        classes = _numbered((entity, _definition(unit, entity)) for unit, entity in owned)
        number = 0
        while number < (number := len(set(classes.values()))):
            classes = _numbered((e, (classes[e], *(classes[name] for name in names))) for e, names in named.items())
        return classes

    def _named(self, unit: TranslationUnit, entity: Entity) -> list[Entity]:
        """The names in the words of a definition that tell whether it means the same as another."""
        if not _is_told_by_words(entity):
            return []
        found = dict.fromkeys(name for token in entity.words if (name := unit.entity(token)) is not None)
        return [self._defined(name) for name in found]


def _numbered(keyed: Iterable[tuple[Entity, Hashable]]) -> dict[Entity, int]:
    """The entities whose keys are equal get the same number."""
    numbers: dict[Hashable, int] = {}
    return {entity: numbers.setdefault(key, len(numbers)) for entity, key in keyed}


def _complete_tags(units: Sequence[TranslationUnit]) -> dict[tuple[str, str], Entity]:
    """For each tag, what defines it first."""
    found: dict[tuple[str, str], Entity] = {}
    for unit in units:
        for entity in unit.names.values():
            if entity.kind is Kind.TAG and entity.words:
                found.setdefault((entity.keyword, entity.name), entity)
    return found


def _is_told_by_words(entity: Entity) -> bool:
    match entity.kind:
        case Kind.TYPE:
            return not entity.is_system
        case Kind.TAG | Kind.ENUMERATOR:
            return bool(entity.words)
        case Kind.FUNCTION:
            return bool(entity.words) and not entity.is_own
    return False


def _definition(unit: TranslationUnit, entity: Entity) -> Hashable:
    """What must be equal for two entities to mean the same.

    A name that the system defines as a type is the same type in each file: it may be defined in several headers, and
    the compiler sees to it that all say the same.
    """
    name = entity.kind, entity.keyword, entity.name
    if _is_told_by_words(entity):
        place = entity.place if entity.kind is Kind.FUNCTION else None
        return name, entity.limit, place, _texts(entity.words)
    is_everywhere = entity.kind in {Kind.EXTERNAL, Kind.TYPE, Kind.TAG} and not entity.is_own
    return name, None if is_everywhere else unit.number


def _texts(tokens: Iterable[Token]) -> tuple[str, ...]:
    return tuple(token.text for token in tokens)
