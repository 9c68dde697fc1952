"""How objects of a C type are divided into scalars: what :mod:`gia.smt.encoding.memory` keeps as cells."""

from __future__ import annotations

from math import gcd

from msgspec import Struct

from gia.cfa.types import ArrayType, CType, StructType, TypeTable

_MOST_PIECES = 4096


class ObjectLayout(Struct, frozen=True):
    """The division of a type: see the functions of these names.

    ``size`` is that of an object of this type, ``None`` if it may be larger than the type.
    """

    type: CType
    size: int | None
    unit: int
    pieces: list[tuple[int, int]] | None


def layout_of(type_: CType, types: TypeTable) -> ObjectLayout:
    """Everything that memory needs to know about a type."""
    size = None if _may_have_more(type_, types) else size_of(type_, types)
    return ObjectLayout(type_, size, unit_of(type_, types), pieces_of(type_, types))


def _may_have_more(type_: CType, types: TypeTable) -> bool:
    """Whether an initialiser may make an object larger than its type: that of a flexible array member (ISO C 6.7.2.1)
    or, in GNU C, of a last member that is an array of no elements."""
    if not isinstance(type_, StructType) or type_.tag not in types.layouts:
        return False
    fields = types.layouts[type_.tag].fields
    last = fields if type_.is_union else fields[-1:]
    return any(
        not field.type.length if isinstance(field.type, ArrayType) else _may_have_more(field.type, types)
        for field in last
    )


def size_of(type_: CType, types: TypeTable) -> int | None:
    """Bytes of a type, ``None`` if that is not known before the program runs."""
    try:
        return types.size_of(type_)
    except ValueError:
        return None


def pieces_of(type_: CType, types: TypeTable) -> list[tuple[int, int]] | None:
    """Pairs ``(offset, size)`` that tile the type: its scalars, and the padding between them byte by byte.

    ``None`` if the size is not known or the type has too many scalars. Of a union the largest member counts;
    bit-fields are tiled by bytes.
    """
    size = size_of(type_, types)
    if size is None:
        return None
    scalars: list[tuple[int, int]] = []
    if not _collect(type_, 0, types, scalars):
        return None
    result: list[tuple[int, int]] = []
    place = 0
    for offset, length in sorted(scalars):
        result.extend((gap, 1) for gap in range(place, offset))
        result.append((offset, length))
        place = offset + length
    result.extend((gap, 1) for gap in range(place, size))
    return result


def _collect(type_: CType, offset: int, types: TypeTable, found: list[tuple[int, int]]) -> bool:
    """Add the scalars of a type that begins at ``offset``; false if there are too many."""
    match type_:
        case ArrayType(element=element, length=int() as length):
            stride = types.size_of(element)
            return length <= _MOST_PIECES and all(
                _collect(element, offset + place * stride, types, found) for place in range(length)
            )
        case StructType(tag=tag) if tag in types.layouts:
            members = [member for member in types.layouts[tag].fields if member.bit_width is None]
            members = [member for member in members if size_of(member.type, types)]
            if type_.is_union and members:
                members = [max(members, key=lambda member: types.size_of(member.type))]
            return all(_collect(member.type, offset + member.offset, types, found) for member in members)
    found.append((offset, types.size_of(type_)))
    return len(found) <= _MOST_PIECES


def unit_of(type_: CType, types: TypeTable) -> int:
    """The element size for an object's array: the largest power of two that divides all scalars and their offsets.

    0 if nothing is known about the type.
    """
    inner = type_
    while isinstance(inner, ArrayType):
        inner = inner.element
    if not isinstance(inner, StructType):
        size = size_of(inner, types)
        return size & -size if size else 0
    if inner.tag not in types.layouts:
        return 0
    found: list[tuple[int, int]] = []
    if not _collect(inner, 0, types, found) or any(
        member.bit_width is not None for member in types.layouts[inner.tag].fields
    ):
        return 1
    unit = gcd(types.layouts[inner.tag].size, *(number for scalar in found for number in scalar))
    return unit & -unit if unit else 1
