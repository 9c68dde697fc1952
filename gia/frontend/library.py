"""What is known about functions without a body: the C library, the verification functions, the compiler's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gia.cfa.expressions import Variable
from gia.cfa.graph import EFFECT_SUFFIX
from gia.cfa.type_names import type_named
from gia.cfa.types import INT, CType, DataModel, FunctionType
from gia.frontend.compiler_functions import type_of_builtin
from gia.frontend.library_names import LIBRARY

INPUT_PREFIX = "__VERIFIER_nondet_"
MEMORY = f"{INPUT_PREFIX}memory"
"""``void __VERIFIER_nondet_memory(void *start, size_t size)``: every byte is an input; it has a model."""
MEMORY_INPUT = f"{INPUT_PREFIX}memory_byte"
"""The input function of that model."""
FUZZ_TARGET = "LLVMFuzzerTestOneInput"
"""What libFuzzer calls with each input."""
FUZZ_INITIALISE = "LLVMFuzzerInitialize"
"""What it calls once before, if that is defined."""
MODEL_PREFIX = "__gia_"
"""The beginning of the names in text that is added to a program."""
STDIN_INPUT = f"{INPUT_PREFIX}stdin"
"""The input function of models that reads a byte of standard input; whatever is no byte stands for its end. Followed by
``_`` and a type it reads a number of that type from there, which takes the place of the byte read before."""
ARGUMENTS_INPUT = f"{INPUT_PREFIX}argc"
"""The input function of models that reads the number of arguments, the name of the program included."""
ENVIRONMENT_INPUT = f"{INPUT_PREFIX}getenv_"
"""Followed by the name of a variable: 1 if the environment has it, else 0."""
CHARACTER_INPUT = f"{INPUT_PREFIX}character"
"""The input function of models that reads a character of an argument or of the environment."""
FILE_INPUT = f"{INPUT_PREFIX}file_"
"""Followed by what stands for the name of a file (:func:`gia.frontend.models.files.file_name`): the input function of
models that says whether there is such a file."""
FILE_BYTE_INPUT = f"{INPUT_PREFIX}byte_of_file_"
"""The same for the bytes that it has at first; whatever is no byte stands for its end."""
CHARACTERS = 23
"""So many characters these have at most; so many inputs each of them is."""
BEYOND = "error_at_line"
"""The library function that models call where they end; its last argument says what is beyond."""
ARBITRARY = frozenset({"strcoll", "getenv"})
"""The library functions whose results stand in models for arbitrary values."""
ASSUME = frozenset({"__VERIFIER_assume"})
ERROR_FUNCTIONS = frozenset({"reach_error", "__VERIFIER_error", "__assert_fail", "__assert_perror_fail", "__assert"})
"""Functions whose call is the error; without a body they do not return."""

STACK_ALLOCATION = frozenset({"alloca", "__builtin_alloca"})

HALTING = frozenset(
    [
        "abort",
        "exit",
        "_exit",
        "_Exit",
        "quick_exit",
        "__builtin_abort",
        "__builtin_exit",
        "__builtin_trap",
        "__builtin_unreachable",
        "longjmp",
        "_longjmp",
        "siglongjmp",
        "__builtin_longjmp",
        "__longjmp_chk",
        "__chk_fail",
        "__fortify_fail",
        "__stack_chk_fail",
    ]
)
"""Functions that do not return to their caller."""

HALTING_UNLESS_ZERO = frozenset({"error"})
"""Functions that end the run, with the status that their first argument is, unless that is zero.

``error_at_line`` does so, too, but is not known to: in models it stands for what is beyond them (``BEYOND``), where the
program goes on.
"""

RETURNING_TWICE = frozenset(["setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "__builtin_setjmp"])

_OF_THE_COMPILER = ("__builtin_", "__sync_", "__atomic_")

VARIABLE_ARGUMENTS = frozenset(
    [
        "__builtin_va_start",
        "__builtin_va_end",
        "__builtin_va_copy",
        "va_start",
        "va_end",
        "va_copy",
        "__builtin_next_arg",
    ]
)

INPUTS_OF_LIBRARY = frozenset({"rand", "random"})
"""Library functions that count as inputs when the program does not define them."""
LARGEST_RANDOM = 0x7FFFFFFF
"""The largest value that they have; the least is 0. One that no header declares may have any value of its type."""

MACROS = {"assert": "<assert.h>"}
"""Macros of the library, with their headers: taken as functions of the program, they would stop nothing."""

FROM_OUTSIDE = frozenset(
    [
        "fgetc", "fgets", "fread", "fscanf", "getc", "getc_unlocked", "getchar", "getchar_unlocked", "getdelim",
        "getenv", "getline", "gets", "read", "scanf", "secure_getenv", "vfscanf", "vscanf",
        "_IO_getc", "_IO_gets", "__uflow", "__underflow", "__read",
        *(f"__{name}_chk" for name in ("fgets", "fgets_unlocked", "fread", "fread_unlocked", "gets", "read")),
        *(f"__isoc{year}_{name}" for year in (99, 23) for name in ("fscanf", "scanf", "vfscanf", "vscanf")),
    ]
)  # fmt: skip
"""Library functions that read what no test supplies, unless they have a model: standard input, files, environment."""

_OF_OTHERS = """
system popen posix_spawn posix_spawnp execl execlp execle execv execvp execvpe execve fexecve ptrace
socket socketpair getaddrinfo
chmod fchmod fchmodat chown fchown lchown fchownat utime utimes futimes lutimes utimensat futimens
setuid setgid seteuid setegid setreuid setregid setresuid setresgid setgroups initgroups setsid setpgid setpgrp
nice setpriority setrlimit sched_setscheduler sched_setaffinity chroot mount umount
shm_open shm_unlink sem_open mq_open shmget semget msgget memfd_create
epoll_create epoll_create1 eventfd signalfd timerfd_create inotify_init inotify_init1
"""
REFUSED = frozenset(_OF_OTHERS.split())
"""Library functions that can only fail while tests are executed: they start other programs, ask for a network, change
rights of files, the identity or the limits of the process, or need other system calls that are not allowed."""


def limits_of(function: str, parameters: Sequence[Variable]) -> Mapping[Variable, Variable]:
    """The parameters of a function from which on it writes limited numbers of bytes, with those that say how many.

    In text that is added to a program that is ``size`` for ``text``, ``n1`` for ``p1``, and so on.
    """
    if not function.startswith(MODEL_PREFIX):
        return {}
    named = {parameter.name: parameter for parameter in parameters}
    limits = {"text": "size", **{name: f"n{name[1:]}" for name in named if name[0] == "p" and name[1:].isdigit()}}
    return {named[name]: named[limit] for name, limit in limits.items() if {name, limit} <= named.keys()}


def reads_text(function: str) -> bool:
    """Whether an input function reads characters."""
    return function == CHARACTER_INPUT or reads_stream(function)


def reads_stream(function: str) -> bool:
    """Whether it reads a byte of standard input or a file, or says that there is none."""
    return function == STDIN_INPUT or function.startswith(FILE_BYTE_INPUT)


def implicit_type(name: str, model: DataModel) -> FunctionType:
    """The type of a function that is called without a declaration: the compiler's own, or ``int name()``."""
    return type_of_builtin(name, model) or FunctionType(INT, (), unspecified=True)


def type_of_input(name: str, model: DataModel) -> CType | None:
    """The type that an input function has by its name; ``None`` if that says nothing, or it is another function."""
    return type_named(name.removeprefix(INPUT_PREFIX), model) if name.startswith(INPUT_PREFIX) else None


def is_unknown_builtin(name: str, model: DataModel) -> bool:
    """Whether this is the name of a function of the compiler that is not known here."""
    return name.startswith(_OF_THE_COMPILER) and type_of_builtin(name, model) is None


def effect_of(name: str) -> str:
    """The name of a function without a result that does what an unknown function of that name, which has one, may do
    to the memory that it is given."""
    return f"{name}{EFFECT_SUFFIX}"


def library_name(name: str) -> str:
    """The library function that one of the compiler's own names (``__builtin_memcpy``) stands for, else ``name``."""
    plain = name.removeprefix("__builtin_")
    return plain if plain in LIBRARY else name


def is_library(name: str, in_system_header: bool) -> bool:
    """Whether a function without a body is one of the library."""
    return in_system_header or name in LIBRARY or name.startswith("__builtin_")
