"""Functions of the library that fail in the isolation of executions and not elsewhere.

The linker's ``--wrap`` puts ours around them, since else tests would show what no user ever sees.

Files can be made in the directory of the execution only. It stands for ``/tmp`` as well: names are taken from there to
the directory, and ``tmpfile`` makes its file in it. What is refused (:data:`gia.frontend.library.REFUSED`) ends the run
if the program looks at the result; few programs mind if ``system("clear")`` has failed.
"""

from __future__ import annotations

from typing import Final

from gia.cfa.graph import Program
from gia.cfa.operations import Call
from gia.frontend.library import REFUSED
from gia.native.stubs import define_ending

_OF_NAMES: Final = """
open open64 creat creat64 fopen fopen64 freopen freopen64 unlink remove rmdir mkdir opendir chdir
stat stat64 lstat lstat64 access truncate truncate64 readlink mkfifo mknod
mkstemp mkstemp64 mkostemp mkostemp64 mkstemps mkstemps64 mkostemps mkostemps64
"""
_NAMED: Final = frozenset(_OF_NAMES.split())
"""Functions whose first argument is the name of a file."""
_MAKING_NAMES: Final = frozenset({"mkdtemp", "mktemp"})
"""Those that give it back when they have filled it in."""
_NAMED_TWICE: Final = frozenset({"rename", "link", "symlink"})
"""Those whose first two arguments are names of files."""
_ANONYMOUS: Final = frozenset({"tmpfile", "tmpfile64"})
_LARGE: Final = "64"
"""How the names end that headers give to functions of files for ``_FILE_OFFSET_BITS=64``."""
_USED: Final = frozenset({"mkstemp", "unlink", "fdopen"})
"""What our ``tmpfile`` calls."""

_INSIDE = """\
static const char *__gia_inside(const char *path)
{
    const char *rest = path;
    for (const char *begin = "/tmp"; *begin; begin++)
        if (!rest || *rest++ != *begin)
            return path;
    if (*rest && *rest != '/')
        return path;
    while (*rest == '/')
        rest++;
    return *rest ? rest : ".";
}
"""
_TMPFILE = """\
extern int __gia_mkstemp(char *) __asm__("mkstemp"), __gia_unlink(const char *) __asm__("unlink");
extern void *__gia_fdopen(int, const char *) __asm__("fdopen");
static void *__gia_temporary(void)
{
    char name[] = "gia-XXXXXX";
    int file = __gia_mkstemp(name);
    if (file < 0)
        return 0;
    __gia_unlink(name);
    return __gia_fdopen(file, "w+");
}
"""


def wrapped_functions(program: Program) -> tuple[str, ...]:
    """The functions of the library that are called and get one of ours around them, as the linker names them."""
    own = {name for name, external in program.externals.items() if external.is_input} | program.functions.keys()
    known = _NAMED | _MAKING_NAMES | _NAMED_TWICE | (frozenset() if own & _USED else _ANONYMOUS) | _looked_at(program)
    called = program.externals.keys() & known - own
    return tuple(sorted({*called, *(f"{name}{_LARGE}" for name in called if f"{name}{_LARGE}" in known)}))


def _looked_at(program: Program) -> frozenset[str]:
    """The functions that are refused whose results the program uses."""
    refused = REFUSED & program.externals.keys()
    calls = (edge.operation for edge in program.edge_list if refused and isinstance(edge.operation, Call))
    return frozenset(call.function for call in calls if call.target is not None and call.function in refused)


def define_wrappers(names: tuple[str, ...]) -> str:
    """Their definitions, which stand behind those of inputs (:func:`gia.native.stubs.define_inputs`).

    Arguments and results are handed on as words, as the System V ABI allows.
    """
    if not names:
        return ""
    temporary = _TMPFILE if _ANONYMOUS.intersection(names) else ""
    return _INSIDE + temporary + "".join(_wrapper(number, name) for number, name in enumerate(names))


def _wrapper(number: int, name: str) -> str:
    if name in REFUSED:
        return define_ending(f"__gia_wrapper_{number}", f"__wrap_{name}")
    head = f"__gia_wrapper_{number}(long a, long b, long c, long d)"
    real = f"__gia_real_{number}"
    declarations = (
        f'extern long {real}(long, long, long, long) __asm__("__real_{name}");\nlong {head} __asm__("__wrap_{name}");\n'
    )
    if name in _ANONYMOUS:
        return f"{declarations}long {head} {{ return (long)__gia_temporary(); }}\n"
    first = "(long)__gia_inside((const char *)a)"
    second = "(long)__gia_inside((const char *)b)" if name in _NAMED_TWICE else "b"
    found = f"{real}({first}, {second}, c, d)"
    return f"{declarations}long {head} {{ return {f'{found} ? a : 0' if name in _MAKING_NAMES else found}; }}\n"
