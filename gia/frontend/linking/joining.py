"""The declarations of several units, one after the other, as one unit."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from gia.frontend.linking.meanings import Meanings
from gia.frontend.linking.names import Renaming
from gia.frontend.linking.tokens import Space, Token
from gia.frontend.linking.units import Declaration, TranslationUnit
from gia.frontend.linking.writing import PlacedText


def joined(units: Sequence[TranslationUnit], meanings: Meanings, renamings: Sequence[Renaming]) -> str:
    """The text of all units.

    What an earlier declaration said is left out, a second definition of a tag becomes a mention of it. Pragmas stay, as
    they hold for what follows.
    """
    text = PlacedText()
    said: set[Hashable] = set()
    defined: set[int] = set()
    for unit in units:
        new = {(found.space, found.name): found.new for found in renamings if found.file == unit.path}
        for declaration in unit.declarations:
            says = meanings.of_declaration(declaration, unit)
            left_out = range(len(declaration.tokens)) if says in said else _known(declaration, unit, meanings, defined)
            said.add(says)
            _write(text, unit, _kept(declaration, left_out), new)
        for _ in range(unit.open_packs):
            text.add_line("#pragma pack(pop)")
        if unit.open_packs or unit.limit:
            text.add_line("#pragma pack()")
    return text.text()


def _known(declaration: Declaration, unit: TranslationUnit, meanings: Meanings, defined: set[int]) -> Collection[int]:
    """The indices of the tokens that define tags once more; those that are defined here become ``defined``."""
    found: set[int] = set()
    for specifier in declaration.specifiers:
        meaning = meanings.of(unit.names[Space.TAG, specifier.tag])
        if specifier.first in found:
            continue
        if meaning in defined:
            found.update(specifier.body)
        defined.add(meaning)
    return found


def _kept(declaration: Declaration, left_out: Collection[int]) -> list[Token]:
    return [token for i, token in enumerate(declaration.tokens) if token.is_pragma or i not in left_out]


def _write(text: PlacedText, unit: TranslationUnit, tokens: Sequence[Token], new: dict[tuple[Space, str], str]) -> None:
    end = 0
    for token in tokens:
        if token.is_pragma:
            text.add_line(token.text)
            continue
        name = token.text if token.space is None else new.get((token.space, token.text), token.text)
        place, is_system = unit.source.position(token.start), unit.source.in_system_header(token.start)
        text.add(name, place, is_system=is_system, is_apart=token.start > end)
        end = token.end
