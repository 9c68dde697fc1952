"""The table behind ``isdigit`` and its kin: glibc's macros look into it instead of calling a function."""

from __future__ import annotations

from gia.smt.encoding.memory import MemoryObject
from gia.smt.encoding.world import World
from gia.smt.terms import Term, bv_add, bv_const, const_array

_FIRST = -128
"""The table is indexed by -128 … 255; negative characters belong to no class."""


def character_classes(world: World) -> Term:
    """The value of ``__ctype_b_loc()``: the address of a pointer to the entry of character 0, in the C locale."""
    table = world.library_object("ctype table", 2 * (256 - _FIRST), _table)
    pointer_size = world.pointer_width // 8
    middle = bv_add(table, bv_const(-2 * _FIRST, world.pointer_width))
    return world.library_object(
        "ctype pointer",
        pointer_size,
        lambda width: MemoryObject(
            "ctype pointer",
            pointer_size,
            pointer_size,
            {0: middle},
            const_array(width, bv_const(0, 8 * pointer_size)),
            width,
        ),
    )


def _table(pointer_width: int) -> MemoryObject:
    cells = {2 * (code - _FIRST): bv_const(_flags(code), 16) for code in range(128)}
    base = const_array(pointer_width, bv_const(0, 16))
    return MemoryObject("ctype table", 2 * (256 - _FIRST), 2, cells, base, pointer_width)


def _flags(code: int) -> int:
    """The classes of an ASCII character as the bits of a little-endian machine."""
    character = chr(code)
    printable = 32 <= code < 127
    upper, lower, digit = "A" <= character <= "Z", "a" <= character <= "z", "0" <= character <= "9"
    alphanumeric = upper or lower or digit
    classes = (
        upper,
        lower,
        upper or lower,
        digit,
        digit or character in "abcdefABCDEF",
        character in " \t\n\v\f\r",
        printable,
        printable and character != " ",
        character in " \t",
        not printable,
        printable and character != " " and not alphanumeric,
        alphanumeric,
    )
    bits = sum(1 << place for place, member in enumerate(classes) if member)
    return (bits & 0xFF) << 8 | bits >> 8
