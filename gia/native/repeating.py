"""Whether executions of a program may share a process (``runtime/repeat.c``): if it changes nothing but its memory."""

from __future__ import annotations

import re
from typing import Final

from gia.cfa.graph import Program
from gia.frontend.library import ASSUME, ERROR_FUNCTIONS, library_name

_NAMES: Final = """
abort exit _exit _Exit assert_fail __assert_fail malloc calloc realloc free aligned_alloc reallocarray
abs labs llabs div ldiv lldiv atoi atol atoll atof strtol strtoll strtoul strtoull strtod strtof strtold
rand srand random srandom rand_r drand48 lrand48 srand48 qsort bsearch getenv time clock difftime fnmatch
__errno_location error_at_line perror printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts putchar
fputs fputc putc putchar_unlocked fwrite fflush setbuf setvbuf sscanf __isoc99_sscanf __isoc23_sscanf
bcmp bcopy bzero index rindex ffs setjmp _setjmp longjmp _longjmp toascii localtime gmtime mktime strftime ctime asctime
system sleep usleep nanosleep isatty getpid getuid
"""
"""They change nothing but memory, or write at most. (The filter of system calls lets ``system`` fail.)"""
_OF_MEMORY: Final = frozenset(_NAMES.split())
_FAMILIES: Final = (
    r"(?:str|mem|mempcpy|stp)[a-z]+|(?:is|to)[a-z]+|__ctype_\w+|__isoc23_strto\w+|__builtin_\w+|__(?:sync|atomic)_\w+"
    r"|(?:a?(?:sin|cos|tan)h?|atan2|exp[2m]?1?|log(?:10|2|1p|b)?|pow|sqrt|cbrt|hypot|f?abs|floor|ceil|fmod|l?l?r?round"
    r"|trunc|l?l?rint|nearbyint|f(?:min|max|dim|ma)|remainder|copysign|nan|ldexp|frexp|modf|scalbl?n)[fl]?"
)
"""Functions of strings and characters, of the compiler, and of numbers. Few programs need it: it is compiled late."""


def is_repeatable(program: Program) -> bool:
    """Whether the functions that a program calls and does not define change nothing but memory, and write at most."""
    known = _OF_MEMORY | ASSUME | ERROR_FUNCTIONS
    return all(
        external.is_input or name in known or library_name(name) in known or re.fullmatch(_FAMILIES, name) is not None
        for name, external in program.externals.items()
    )
