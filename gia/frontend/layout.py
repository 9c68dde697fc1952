"""Layouts of structs and unions in memory as gcc makes them on x86 (System V ABI, GNU attributes, ``#pragma pack``)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from gia.cfa.types import ArrayType, CType, Field, Layout, StructType, TypeTable, is_of_unknown_length


class MemberDeclaration(Struct, frozen=True):
    """A member before it is placed: ``bits`` of a bit-field, the least alignment that was asked for, packed or not.

    ``named`` is the least alignment that the name of its type brings with it.
    """

    name: str
    type: CType
    bits: int | None = None
    aligned: int = 1
    packed: bool = False
    named: int = 1


class Placement(Struct, frozen=True):
    """What is asked for the whole: packed, a least alignment, and the cap that ``#pragma pack`` sets (0: none)."""

    packed: bool = False
    aligned: int = 1
    pack: int = 0


def lay_out(
    members: Sequence[MemberDeclaration], is_union: bool, types: TypeTable, placement: Placement | None = None
) -> Layout:
    """Place the members; an array without a length at the end takes no space.

    ``ValueError`` if the size of a member is not known.
    """
    asked = placement or Placement()
    fields: list[Field] = []
    position = size = 0  # bits
    alignment = asked.aligned
    for member in members:
        packed = asked.packed or member.packed
        natural = max(types.align_of(_aligned_part(member.type)), member.named)
        own = _alignment(member, natural, packed, asked.pack)
        start = 0 if is_union else position
        bits = _size(member.type, types) * 8 if member.bits is None else member.bits
        if member.bits is None:
            start = _round_up(start, own * 8)
        elif member.bits == 0:
            start = _round_up(start, natural * 8)
        else:
            start = _round_up(start, _asked(member, asked.pack) * 8) if member.aligned > 1 else start
            if not (packed or asked.pack) and _straddles(start, bits, natural * 8, types, member):
                start = _round_up(start, natural * 8)
        if member.name:
            alignment = max(alignment, own)
            fields.append(_field(member, start, types))
        position = start + bits
        size = max(size, position)
    return Layout(_round_up(size, alignment * 8) // 8, alignment, tuple(fields))


def _alignment(member: MemberDeclaration, natural: int, packed: bool, pack: int) -> int:
    """The alignment that a member asks for; a bit-field under ``#pragma pack`` is never packed further."""
    if member.bits is not None:
        return max(min(natural, pack) if pack else 1 if packed else natural, _asked(member, pack))
    own = max(1 if packed else natural, member.aligned)
    return min(own, pack) if pack else own


def _asked(member: MemberDeclaration, pack: int) -> int:
    """The alignment that an attribute of the member asks for, as far as ``#pragma pack`` lets it."""
    return min(member.aligned, pack) if pack else member.aligned


def _field(member: MemberDeclaration, start: int, types: TypeTable) -> Field:
    if member.bits is None:
        return Field(member.name, member.type, start // 8)
    unit = types.align_of(member.type) * 8
    offset = start // unit * unit
    if start - offset + member.bits > types.size_of(member.type) * 8:
        offset = start // 8 * 8
    return Field(member.name, member.type, offset // 8, start - offset, member.bits)


def _straddles(start: int, bits: int, alignment: int, types: TypeTable, member: MemberDeclaration) -> bool:
    """Whether a bit-field would occupy more storage units of its type than the type has (gcc: excess_unit_span)."""
    unit = types.size_of(member.type) * 8
    return (start % alignment + bits + alignment - 1) // alignment > unit // alignment


def _aligned_part(type_: CType) -> CType:
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def _size(type_: CType, types: TypeTable) -> int:
    if is_of_unknown_length(type_):
        return 0
    if isinstance(type_, StructType) and type_.tag not in types.layouts:
        raise ValueError(f"the size of the incomplete type {type_} is not known")
    return types.size_of(type_)


def _round_up(value: int, unit: int) -> int:
    return (value + unit - 1) // unit * unit
