"""The types that keywords name (ISO C 6.7.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gia.cfa.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    INT128,
    LONG_DOUBLE,
    LONG_LONG,
    SHORT,
    SIGNED_CHAR,
    UNSIGNED_CHAR,
    UNSIGNED_INT,
    UNSIGNED_INT128,
    UNSIGNED_LONG_LONG,
    UNSIGNED_SHORT,
    VOID,
    CType,
    DataModel,
    long_type,
)
from gia.frontend.operators import TypingError

_FLOAT_NAMES = {
    "float": FLOAT,
    "double": DOUBLE,
    "long double": LONG_DOUBLE,
    "_Float32": FLOAT,
    "_Float64": DOUBLE,
    "_Float32x": DOUBLE,
    "_Float64x": LONG_DOUBLE,
}
_INTEGER_NAMES = {
    "char": CHAR,
    "signed char": SIGNED_CHAR,
    "unsigned char": UNSIGNED_CHAR,
    "short": SHORT,
    "unsigned short": UNSIGNED_SHORT,
    "int": INT,
    "unsigned int": UNSIGNED_INT,
    "long long": LONG_LONG,
    "unsigned long long": UNSIGNED_LONG_LONG,
    "__int128": INT128,
    "unsigned __int128": UNSIGNED_INT128,
    "_Bool": BOOL,
}
_KEYWORDS = frozenset(
    {"void", "_Bool", "char", "short", "int", "long", "signed", "unsigned", "__int128", "__int128_t", "__uint128_t"}
    | {"float", "double", "_Float32", "_Float64", "_Float32x", "_Float64x"}
)
_SPELLINGS = {"__signed": "signed", "__signed__": "signed"}
"""How else gcc lets keywords be written."""


class OpaqueTypeError(TypingError):
    """A type that the front end does not know (complex numbers, 128-bit floats, vectors)."""


def basic_type(names: Iterable[str], model: DataModel) -> CType:
    """The type that a list of keywords names, in any order."""
    count = Counter(_SPELLINGS.get(name, name) for name in names)
    if not count.keys() <= _KEYWORDS:
        raise OpaqueTypeError(f"the type {' '.join(names)} is not supported")
    if count["void"]:
        return VOID
    for name in ("_Float32", "_Float64", "_Float32x", "_Float64x", "float"):
        if count[name]:
            return _FLOAT_NAMES[name]
    if count["double"]:
        return LONG_DOUBLE if count["long"] else DOUBLE
    if count["__int128_t"] or count["__uint128_t"]:
        return INT128 if count["__int128_t"] else UNSIGNED_INT128
    core = next((name for name in ("char", "short", "_Bool", "__int128") if count[name]), "int")
    if core == "int" and count["long"]:
        if count["long"] == 1:
            return long_type(model, signed=not count["unsigned"])
        core = "long long"
    prefix = "unsigned " if count["unsigned"] else "signed " if core == "char" and count["signed"] else ""
    return _INTEGER_NAMES[prefix + core]
