"""What functions of the library write, and what the pointers that they return lead to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gia.cfa.expressions import Expression, StringLiteral, walk
from gia.cfa.operations import Call
from gia.cfa.types import PointerType

_NAMES = """
__assert_fail abort access asctime atof atoi atol atoll chdir chmod chown clearerr clock close closedir closelog creat
ctime difftime dup dup2 execl execle execlp execv execve execvp exit faccessat fchdir fchmod fchmodat fchown fchownat
fclose fdopen fdopendir feof feof_unlocked ferror ferror_unlocked fflush fgetc fgetc_unlocked fileno fnmatch fopen
fopen64 fputc fputc_unlocked fputs fputs_unlocked fputwc fputws free freopen fseek fseeko fsetpos fsync ftell ftello
ftruncate fwrite fwrite_unlocked getc getc_unlocked getchar getenv getgrgid getgrnam getlogin getpid getpwnam getpwuid
getw gmtime index isatty lchown link linkat localtime lseek mblen memchr memcmp mkdir mkdirat mkfifo mknod nl_langinfo
open open64 openat opendir openlog pathconf pclose perror popen putc putc_unlocked putchar puts putw pwrite rand random
readdir realloc reallocarray remove rename renameat rewind rewinddir rindex rmdir secure_getenv setbuf setenv setlinebuf
setlocale setvbuf sleep srand srandom strcasecmp strchr strcmp strcoll strcspn strdup strerror strlen strncasecmp
strncmp strndup strnlen strpbrk strrchr strspn strstr symlink symlinkat system truncate ttyname umask ungetc unlink
unlinkat unsetenv usleep wcscmp wcslen wcsncmp write
"""
_NO_EFFECT = frozenset(_NAMES.split())
"""They write nothing that the program can read through a name, or a pointer to what it has made; their result is
arbitrary. (What such a pointer leads to may be overwritten by the next call: it is never known.)"""

_PRINTING: Mapping[str, int] = {
    **dict.fromkeys(("printf", "vprintf"), 0),
    **dict.fromkeys(("warn", "warnx", "vwarn", "vwarnx"), 0),
    **dict.fromkeys(("fprintf", "dprintf", "vfprintf", "vdprintf", "syslog", "vsyslog", "err", "errx"), 1),
    "error": 2,
}
"""They print; with each goes which argument is the format."""
_STORING_DIRECTIVE = re.compile(rb"%[^%a-zA-Z]*[hlqjzt]*n")

PRINTING_INTO: Mapping[str, int] = {
    **dict.fromkeys(("sprintf", "vsprintf"), 1),
    **dict.fromkeys(("snprintf", "vsnprintf"), 2),
}
"""They print to where their first argument leads; with each goes which argument is the format."""
COPYING_TEXT = frozenset({"stpcpy", "strcpy"})
"""They copy a text to where their first argument leads, and no more than that."""
_WRITING_TEXT = COPYING_TEXT | {"memset", "strcat", "strncat", "strncpy"}
COPYING = frozenset({"memcpy", "memmove", "mempcpy"})
"""They copy bytes from where their second argument leads to where the first one does."""
GIVING_BACK = frozenset({"memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "strncat"})
"""Their result is their first argument."""
FINDING = frozenset(
    ["strchr", "strrchr", "strstr", "strpbrk", "memchr", "index", "rindex", "stpcpy", "mempcpy", "fgets", "mkdtemp"]
)
"""Their result points into what their first argument points to, or is null."""
_FILLED_FIRST = """
fgets fgets_unlocked fread fread_unlocked getentropy gethostname getrandom mkdtemp mkstemp mktime pipe rand_r sigaddset
sigdelset sigemptyset sigfillset strftime sysinfo timegm times uname wait wcstombs
"""
_FILLED_SECOND = """
fgetpos fstat fstatvfs getrlimit getrusage lstat nanosleep pread read readlink recv stat statvfs tcgetattr ttyname_r
waitpid
"""
_FILLED_THIRD = "fstatat inet_pton readlinkat regerror"
_FILLING: Mapping[str, int] = {
    name: place for place, names in enumerate((_FILLED_FIRST, _FILLED_SECOND, _FILLED_THIRD)) for name in names.split()
}
"""They write bytes that come from elsewhere; with each goes which argument says where to."""

_LIMITS: Mapping[str, int] = {
    **dict.fromkeys(("snprintf", "vsnprintf", "fgets", "gethostname", "getrandom", "getentropy", "strftime"), 1),
    **dict.fromkeys(("memset", "memcpy", "memmove", "mempcpy", "strncpy", "pread", "read", "readlink", "recv"), 2),
    **dict.fromkeys(("ttyname_r", "wcstombs"), 2),
    **dict.fromkeys(("readlinkat", "regerror"), 3),
}


def library_function(operation: Call) -> str:
    """The name of the function that is called, without what makes it the compiler's own one."""
    return operation.function.removeprefix("__builtin_")


def without_effect(operation: Call) -> bool:
    """Whether a function leaves memory alone; printing does unless ``%n`` may occur in the format."""
    name = library_function(operation)
    return name in _NO_EFFECT or (name in _PRINTING and not may_store(operation, _PRINTING[name]))


def destination(operation: Call) -> Expression | None:
    """The pointer from which on a function writes bytes, if that is all that it does to memory."""
    name, arguments = library_function(operation), operation.arguments
    place = _FILLING.get(name, 0)
    if not (place < len(arguments) and isinstance(arguments[place].type, PointerType)):
        return None
    if name in PRINTING_INTO:
        return None if may_store(operation, PRINTING_INTO[name]) else arguments[0]
    return arguments[place] if name in _FILLING or name in _WRITING_TEXT | COPYING else None


def limit_of(operation: Call) -> Expression | None:
    """The argument that says how many bytes such a function writes at most."""
    place = _LIMITS.get(library_function(operation))
    return operation.arguments[place] if place is not None and place < len(operation.arguments) else None


def may_store(operation: Call, place: int) -> bool:
    """Whether ``%n`` may occur in the format, which is an argument of the call."""
    formats = operation.arguments[place : place + 1]
    literals = [part for argument in formats for part in walk(argument) if isinstance(part, StringLiteral)]
    return not literals or any(_STORING_DIRECTIVE.search(literal.data) for literal in literals)
