"""Types by their names in C, and by those that the input functions of verification tasks have for them.

Source of the latter: the rules of SV-COMP 2026, ``__VERIFIER_nondet_X()``, and the benchmark programs (``uchar``,
``unsigned_char``).
"""

from __future__ import annotations

from collections.abc import Iterable

from gia.cfa import types
from gia.cfa.types import CType, DataModel, FloatType, IntegerType, PointerType


def type_named(name: str, model: DataModel) -> CType | None:
    """The type that a C type name, or the end of an input function's name, stands for; ``None`` if it is not known."""
    plain = " ".join(name.split())
    if plain in ("pointer", "pchar") or plain.endswith("*"):
        return PointerType(types.VOID)
    for known in _types(model):
        if plain == known.name:
            return known
    return _aliases(model).get(plain)


def _types(model: DataModel) -> Iterable[IntegerType | FloatType]:
    return (
        *(types.BOOL, types.CHAR, types.SIGNED_CHAR, types.UNSIGNED_CHAR, types.SHORT, types.UNSIGNED_SHORT),
        *(types.INT, types.UNSIGNED_INT, types.long_type(model), types.long_type(model, signed=False)),
        *(types.LONG_LONG, types.UNSIGNED_LONG_LONG, types.INT128, types.UNSIGNED_INT128),
        *(types.FLOAT, types.DOUBLE, types.LONG_DOUBLE),
    )


def _aliases(model: DataModel) -> dict[str, IntegerType]:
    """Other names of integer types, and the ends of the names of input functions."""
    long, unsigned_long = types.long_type(model), types.long_type(model, signed=False)
    return {
        "bool": types.BOOL,
        "uchar": types.UNSIGNED_CHAR,
        "unsigned_char": types.UNSIGNED_CHAR,
        "u8": types.UNSIGNED_CHAR,
        "ushort": types.UNSIGNED_SHORT,
        "u16": types.UNSIGNED_SHORT,
        "uint": types.UNSIGNED_INT,
        "unsigned": types.UNSIGNED_INT,
        "u32": types.UNSIGNED_INT,
        "ulong": unsigned_long,
        "size_t": unsigned_long,
        "sector_t": unsigned_long,
        "loff_t": types.LONG_LONG,
        "longlong": types.LONG_LONG,
        "ulonglong": types.UNSIGNED_LONG_LONG,
        "pthread_t": unsigned_long,
        "int128": types.INT128,
        "uint128": types.UNSIGNED_INT128,
        "ptrdiff_t": long,
    }
