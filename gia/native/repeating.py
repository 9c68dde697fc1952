"""Whether executions of a program may share a process (``runtime/repeat.c``), and what has to be put back between them.

Memory always is. Open files, handlers of signals and the directory of the process are where the program calls
functions that may change them. Some functions change more than that. What the filter of system calls refuses no
function changes: sockets, other processes, permissions, limits.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from gia.cfa.graph import ExternalFunction, Program
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
_OF_MEMORY: Final = frozenset(_NAMES.split()) | ASSUME | ERROR_FUNCTIONS
_FAMILIES: Final = (
    r"(?:str|mem|mempcpy|stp)[a-z]+|(?:is|to)[a-z]+|__ctype_\w+|__isoc23_strto\w+|__builtin_\w+|__(?:sync|atomic)_\w+"
    r"|(?:a?(?:sin|cos|tan)h?|atan2|exp[2m]?1?|log(?:10|2|1p|b)?|pow|sqrt|cbrt|hypot|f?abs|floor|ceil|fmod|l?l?r?round"
    r"|trunc|l?l?rint|nearbyint|f(?:min|max|dim|ma)|remainder|copysign|nan|ldexp|frexp|modf|scalbl?n)[fl]?"
)
"""Functions of strings and characters, of the compiler, and of numbers. Few programs need it: it is compiled late."""
_LASTING: Final = (
    r"mmap\w*|munmap|mremap|mprotect|remap_file_pages|shm\w+|sem_open|m(?:un)?lock\w*|backtrace\w*"
    r"|dl\w+|iconv_open|newlocale|d?c?n?gettext|bindtextdomain|pthread_(?:exit|cancel)|initgroups|getaddrinfo|getnameinfo"
    r"|get(?:serv|proto|net|host(?!name)|rpc|alias)\w*"
    r"|u?alarm|setitimer|timer\w+|aio_\w+|lio_listio\w*|mq_notify"
)
"""Functions that map memory, as what loads libraries or catalogues does, or let something happen later.

Those that look for users and groups may load a library, too, on some machines: there it is loaded in each execution
until there is no room for it, and then it knows no users.
"""


class Change(IntEnum):
    """What an execution may change, each besides the one before."""

    MEMORY = 0
    PROCESS = 1
    MORE = 2


def possible_change(program: Program) -> Change:
    """What the functions that a program calls and does not define may change."""
    return max((_change(name, external) for name, external in program.externals.items()), default=Change.MEMORY)


def is_repeatable(program: Program) -> bool:
    """Whether all that executions change is put back, so that they may share a process."""
    return possible_change(program) is not Change.MORE


def _change(name: str, external: ExternalFunction) -> Change:
    if external.is_input or name in _OF_MEMORY or library_name(name) in _OF_MEMORY or re.fullmatch(_FAMILIES, name):
        return Change.MEMORY
    return Change.MORE if re.fullmatch(_LASTING, name) else Change.PROCESS
