"""The types of the functions that gcc knows by itself: ``__builtin_…``, and library functions without a declaration.

Source: GCC manual, *Built-in functions provided by GCC*. A signature is written with a letter for each type: the
result, then the parameters; a point stands for further arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from gia.cfa.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LONG_DOUBLE,
    LONG_LONG,
    UNSIGNED_INT,
    UNSIGNED_LONG_LONG,
    UNSIGNED_SHORT,
    VOID,
    CType,
    DataModel,
    FunctionType,
    PointerType,
    long_type,
)
from gia.frontend.conversions import size_type

PREFIX: Final = "__builtin_"
_UNSPECIFIED: Final = "?"

_REAL = """
d d: acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor lgamma log log10 log1p
     log2 logb nearbyint rint round roundeven significand sin sinh sqrt tan tanh tgamma trunc j0 j1 y0 y1
d dd: atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder scalb
d ddd: fma
d dI: frexp
d dD: modf
d di: ldexp powi scalbn
d dl: scalbln
d ddI: remquo
d de: nexttoward
d id: jn yn
v dDD: sincos
i d: finite ilogb iceil ifloor irint iround
l d: lceil lfloor lrint lround
q d: llceil llfloor llrint llround
"""
"""Functions of ``double``. Those of ``float`` end in f, of ``long double`` in l."""

_OTHERS = """
i i: abs ffs clrsb isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper
     isxdigit toascii tolower toupper putchar
l l: labs
q q: llabs
i l: ffsl clrsbl
i q: ffsll clrsbll
i u: clz ctz popcount parity
i m: clzl ctzl popcountl parityl
i w: clzll ctzll popcountll parityll
h h: bswap16
u u: bswap32
k k: bswap64
p z: malloc alloca
p zz: calloc aligned_alloc alloca_with_align
p pz: realloc
v p: free
p pcz: memcpy memmove mempcpy
p piz: memset
p ciz: memchr
i ccz: bcmp memcmp
v cpz: bcopy
v pz: bzero
p pczz: __memcpy_chk __memmove_chk __mempcpy_chk
p pizz: __memset_chk
s st: strcpy strcat stpcpy
s stz: strncpy strncat stpncpy __strcpy_chk __strcat_chk __stpcpy_chk
s stzz: __strncpy_chk __strncat_chk __stpncpy_chk
s ti: strchr strrchr index rindex
s tt: strstr strpbrk
i tt: strcmp strcasecmp
i ttz: strncmp strncasecmp
z tt: strcspn strspn
z t: strlen
z tz: strnlen
s t: strdup
s tz: strndup
i t: puts
i t.: printf scanf
i st.: sprintf
i szt.: snprintf
i tt.: sscanf
v: abort trap unreachable
v i: exit _Exit _exit
p u: return_address frame_address
p cz.: assume_aligned
b iiI: sadd_overflow ssub_overflow smul_overflow
b llL: saddl_overflow ssubl_overflow smull_overflow
b qqQ: saddll_overflow ssubll_overflow smulll_overflow
b uuU: uadd_overflow usub_overflow umul_overflow
b mmM: uaddl_overflow usubl_overflow umull_overflow
b wwW: uaddll_overflow usubll_overflow umulll_overflow
"""

_GENERIC = """
i: isnormal signbit fpclassify classify_type setjmp
   fprintf vprintf vfprintf vsprintf vsnprintf vscanf vsscanf fscanf fputs fputc putc
   __printf_chk __fprintf_chk __sprintf_chk __snprintf_chk __vprintf_chk __vsprintf_chk __vsnprintf_chk
z: fwrite
b: add_overflow sub_overflow mul_overflow add_overflow_p sub_overflow_p mul_overflow_p
v: longjmp prefetch va_start va_end va_copy
"""
"""Functions whose parameters have no fixed types, or types that have no letter here."""


def type_of_builtin(name: str, model: DataModel) -> FunctionType | None:
    """The type of a function that gcc knows without a declaration, ``None`` if it has none under this name."""
    signature = SIGNATURES.get(name.removeprefix(PREFIX))
    if signature is None:
        return None
    letters = _letters(model)
    result, _, parameters = signature.partition(" ")
    if parameters == _UNSPECIFIED:
        return FunctionType(letters[result], (), unspecified=True)
    types = tuple(letters[letter] for letter in parameters.removesuffix("."))
    return FunctionType(letters[result], types, variadic=parameters.endswith("."))


def _letters(model: DataModel) -> Mapping[str, CType]:
    letters: dict[str, CType] = {
        "v": VOID,
        "b": BOOL,
        "h": UNSIGNED_SHORT,
        "i": INT,
        "u": UNSIGNED_INT,
        "l": long_type(model),
        "m": long_type(model, signed=False),
        "q": LONG_LONG,
        "w": UNSIGNED_LONG_LONG,
        "z": size_type(model),
        "k": long_type(model, signed=False) if model is DataModel.LP64 else UNSIGNED_LONG_LONG,  # uint64_t
        "f": FLOAT,
        "d": DOUBLE,
        "e": LONG_DOUBLE,
        "p": PointerType(VOID),
        "c": PointerType(VOID),  # of const
        "s": PointerType(CHAR),
        "t": PointerType(CHAR),  # of const
    }
    return letters | {letter.upper(): PointerType(letters[letter]) for letter in "fdeiulmqw"}


def _entries(table: str) -> Iterator[tuple[str, str]]:
    """The signature and the name of each function of a table."""
    signature = ""
    for line in table.strip().splitlines():
        head, colon, names = line.rpartition(":")
        signature = head if colon else signature
        yield from ((signature, name) for name in names.split())


def _signatures() -> Mapping[str, str]:
    found = {name: f"{result} {_UNSPECIFIED}" for result, name in _entries(_GENERIC)}
    found |= {name: signature for signature, name in _entries(_OTHERS)}
    for signature, name in _entries(_REAL):
        for suffix, letter in (("", "d"), ("f", "f"), ("l", "e")):
            found[name + suffix] = signature.replace("d", letter).replace("D", letter.upper())
    return found


SIGNATURES: Final = _signatures()
"""The signature of each function, by its name without the prefix; ``?`` stands for parameters that are not known."""
