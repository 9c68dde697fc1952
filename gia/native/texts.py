"""Calls that compare texts: the fuzzer is shown what is compared.

In place of ``strcmp(a, b)`` stands ``__gia_observed_strcmp(a, b)``. It calls the same function, tells the runtime what
that was given and has found (``runtime/texts.c``), and gives the result back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from gia.cfa.operations import Call
from gia.cfa.types import CType, IntegerType, PointerType
from gia.frontend.library import library_name
from gia.native import layout

PREFIX: Final = "__gia_observed_"
"""What is put before the name of a function."""

_TEXT = "const void *"
_SIZE = "__gia_bytes "


class _Comparison(Struct, frozen=True):
    """A function of the library: the types of its result and its parameters, and the call that tells of them.

    In that, ``a``, ``b`` and ``n`` are the arguments, ``given`` is the result.
    """

    result: str
    parameters: tuple[str, ...]
    told: str


_EQUAL, _BYTES, _CONTAINED = layout.TEXT_EQUAL, layout.TEXT_EQUAL_BYTES, layout.TEXT_CONTAINED
_TWO_TEXTS: Final = _Comparison("int ", (_TEXT, _TEXT), f"__gia_compared(a, b, -1, {_EQUAL}, !given)")
_TWO_PARTS: Final = _Comparison("int ", (_TEXT, _TEXT, _SIZE), f"__gia_compared(a, b, n, {_EQUAL}, !given)")
_TWO_BLOCKS: Final = _Comparison("int ", (_TEXT, _TEXT, _SIZE), f"__gia_compared(a, b, n, {_BYTES}, !given)")
_TEXT_IN_TEXT: Final = _Comparison("char *", (_TEXT, _TEXT), f"__gia_compared(a, b, -1, {_CONTAINED}, given != 0)")
_CHARACTER_IN_TEXT: Final = _Comparison("char *", (_TEXT, "int "), "__gia_searched(a, b, given != 0)")

_COMPARISONS: Final = {
    "strcmp": _TWO_TEXTS,
    "strcasecmp": _TWO_TEXTS,
    "strncmp": _TWO_PARTS,
    "strncasecmp": _TWO_PARTS,
    "memcmp": _TWO_BLOCKS,
    "bcmp": _TWO_BLOCKS,
    "strstr": _TEXT_IN_TEXT,
    "strchr": _CHARACTER_IN_TEXT,
    "strrchr": _CHARACTER_IN_TEXT,
    "index": _CHARACTER_IN_TEXT,
    "rindex": _CHARACTER_IN_TEXT,
}

_RUNTIME: Final = f"""\
typedef __typeof__(sizeof 0) {_SIZE};
extern void __gia_compared(const void *, const void *, {_SIZE}, int, int), __gia_searched(const void *, int, int);
"""


def compares_texts(call: Call, spelling: str, result: CType) -> bool:
    """Whether a call, which is spelt so, is one of these functions and called as the library declares it.

    ``result`` is the type that the program says the function has: old programs may not declare it at all.
    """
    known = _COMPARISONS.get(library_name(spelling))
    if known is None or library_name(call.function) != library_name(spelling):
        return False
    if len(call.arguments) != len(known.parameters) or not _agrees(known.result, result):
        return False
    return all(map(_agrees, known.parameters, (argument.type for argument in call.arguments)))


def _agrees(spelling: str, type_: CType) -> bool:
    if spelling.endswith("*"):
        return isinstance(type_, PointerType)
    return isinstance(type_, IntegerType) and (spelling != "int " or type_.width == 32)


def define_observers(spellings: Iterable[str]) -> str:
    """Definitions of what stands in the place of these functions, which may be spelt ``__builtin_…``."""
    defined = [_observer(spelling) for spelling in sorted(set(spellings))]
    return _RUNTIME + "".join(defined) if defined else ""


def _observer(spelling: str) -> str:
    name = library_name(spelling)
    known = _COMPARISONS[name]
    names = "abn"[: len(known.parameters)]
    parameters = ", ".join(type_ + name for type_, name in zip(known.parameters, names, strict=True))
    return (
        f"static __inline__ __attribute__((always_inline, unused)) {known.result}{PREFIX}{spelling}({parameters})\n"
        f"{{ {known.result}given = __builtin_{name}({', '.join(names)}); {known.told}; return given; }}\n"
    )
