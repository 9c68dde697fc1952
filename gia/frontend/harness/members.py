"""What parameters, or the fields of a struct, say about each other by their order, types and names.

In C a length belongs to a pointer only by agreement. ``f(const char *text, size_t length)`` reads outside of any object
that does not have ``length`` elements, which is no behaviour of ``f``. So what is called like a length or an index, and
stands beside something that has elements, is at most their number; what is called like an end leads into the object
that the pointer before it leads to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from gia.cfa.types import CHAR, ArrayType, CType, FloatType, IntegerType, PointerType, StructType, VoidType

ROOM: Final = 65_536
"""The length of a new array of characters or numbers: more than 16 bits can say."""
OBJECTS: Final = 16
"""The length of a new array of anything else."""

_LENGTHS: Final = frozenset(
    [
        *("n", "m", "l", "len", "length", "size", "sz", "cap", "capacity", "limit", "max", "avail", "used", "bytes"),
        *("i", "j", "k", "index", "idx", "pos", "position", "off", "offset"),
    ]
)
_PLACES: Final = frozenset({"start", "begin", "end", "first", "last"})
"""They say a length if they are numbers; pointers that are called so lead to characters or numbers."""
_COUNTS: Final = frozenset({"num", "count", "cnt", "nmemb", "nr", "argc"})
_LENGTH_ENDINGS: Final = ("len", "length", "size", "bytes", "offset", "pos", "idx", "cap")
_ENDS: Final = frozenset({"end", "limit", "last", "stop"})
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Member(Struct, frozen=True):
    """A parameter or a field: what it is called, how it is reached, and what it is.

    ``most`` is the largest value that it has as a length, ``start`` the place of the pointer of which it is the end;
    ``counted`` says that a length counts the objects to which it points.
    """

    name: str
    place: str
    type: CType
    most: int | None = None
    start: str | None = None
    counted: bool = False


def related(members: Sequence[Member]) -> list[Member]:
    """The members with what they are to each other."""
    lengths = _lengths(members)
    counted = {beside for beside, _ in lengths.values()}
    return [
        replace(
            member,
            most=lengths[index][1] if index in lengths else None,
            start=_start(members, index),
            counted=index in counted,
        )
        for index, member in enumerate(members)
    ]


def lengths_of(members: Sequence[Member]) -> dict[int, int]:
    """Which of the members says how many elements there are, by that which has the elements; the nearest one before."""
    found: dict[int, int] = {}
    for index, (beside, _) in _lengths(members).items():
        found.setdefault(beside, index)
    return found


def _lengths(members: Sequence[Member]) -> dict[int, tuple[int, int]]:
    """The members that are lengths, with what :func:`_length` says of them."""
    return {index: found for index in range(len(members)) if (found := _length(members, index)) is not None}


def words_of(name: str) -> list[str]:
    """The words of which a name is made, in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def _start(members: Sequence[Member], index: int) -> str | None:
    """The place of the pointer that leads to the beginning of what this one leads to the end of."""
    member = members[index]
    if not (isinstance(member.type, PointerType) and _is_number(member.type.target)):
        return None
    if _ENDS.isdisjoint(words_of(member.name)[-1:]):
        return None
    return next((other.place for other in reversed(members[:index]) if other.type == member.type), None)


def _length(members: Sequence[Member], index: int) -> tuple[int, int] | None:
    """Beside which member a length, or a pointer to one, stands, the nearest one before or else behind it, and how many
    elements that has."""
    member = members[index]
    if not is_length(member):
        return None
    is_count = not _COUNTS.isdisjoint(words_of(member.name))
    for beside in (*reversed(range(index)), *range(index + 1, len(members))):
        match members[beside].type:
            case PointerType(target=target) if _is_number(target) and not is_length(members[beside]):
                return beside, ROOM - 1
            case PointerType(target=PointerType() | StructType()) if is_count or _counts(member, members[beside]):
                return beside, OBJECTS
            case ArrayType(length=int() as most):
                return beside, most
    return None


def _counts(length: Member, pointer: Member) -> bool:
    """Whether a length says how many pointers a pointer leads to, or structs: then it is called after the pointer, as
    ``pointsSize`` is after ``points``. Another may be one in bytes, and so may what is itself behind a pointer."""
    if not (isinstance(length.type, IntegerType) and isinstance(pointer.type, PointerType)):
        return False
    words = words_of(pointer.name)
    is_called_after = bool(words) and words_of(length.name)[: len(words)] == words
    return is_called_after or isinstance(pointer.type.target, PointerType)


def is_length(member: Member) -> bool:
    """Whether this is a length, or a pointer to one."""
    words = words_of(member.name)
    match member.type:
        case IntegerType(is_bool=False):
            known = _LENGTHS | _COUNTS | _PLACES
        case PointerType(target=IntegerType(width=width)) if width > CHAR.width:
            known = _LENGTHS | _COUNTS
        case _:
            return False
    return not known.isdisjoint(words) or any(word.endswith(_LENGTH_ENDINGS) for word in words)


def _is_number(type_: CType) -> bool:
    return isinstance(type_, IntegerType | FloatType | VoidType)
