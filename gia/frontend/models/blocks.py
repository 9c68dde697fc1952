"""The text of models: the blocks of C that a program needs, and the functions that are written for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.frontend import library
from gia.frontend.models import remembering
from gia.frontend.models.command_line import ARGUMENT_VECTOR
from gia.frontend.models.drivers import FAILS, Planned, Reader, Target
from gia.frontend.models.files import FORMS, Files
from gia.frontend.models.files import RELIED_ON as RELIED_ON_BY_FILES
from gia.frontend.models.printing import Printer
from gia.frontend.models.scanning import Scanner
from gia.frontend.models.streams import Looking
from gia.frontend.preprocess import without_comments

_BLOCK = re.compile(
    r"^/\*\*\* (?P<name>[@\w]+):(?P<needs>[^*]*)\*/\n(?P<text>.*?)(?=^/\*\*\* |\Z)", re.MULTILINE | re.DOTALL
)
_FUNCTION = re.compile(r"^(static [^;={}]*\))\n\{", re.MULTILINE)
_FILES = ("drivers.c", "files.c", "library.c", "strings.c")
_SOURCES = ("stdin", "text", "file")
_LOOKING_AHEAD = {"stdin_byte": "stdin_byte_ahead"}
_AFTER_NUMBERS = {"stdin_feof": "stdin_feof_look", "stdin_clearerr": "stdin_clearerr_look"}

_OUTSIDE = {
    "error_at_line": "extern void error_at_line(int, int, const char *, unsigned, const char *, ...);",
    "strcoll": "extern int strcoll(const char *, const char *);",
    "getenv": "extern char *getenv(const char *);",
    "strtod": "extern double strtod(const char *, char **);",
    "strtof": "extern float strtof(const char *, char **);",
    "__errno_location": "extern int *__errno_location(void);",
    "realloc": "extern void *realloc(void *, __gia_size);",
    "strchr": "extern char *strchr(const char *, int);",
    "strncmp": "extern int strncmp(const char *, const char *, __gia_size);",
    "strlen": "extern __gia_size strlen(const char *);",
    "strcmp": "extern int strcmp(const char *, const char *);",
    "strncpy": "extern char *strncpy(char *, const char *, __gia_size);",
    FAILS: f"extern void {FAILS}(const char *, const char *, unsigned, const char *) __attribute__((noreturn));",
    "fnmatch": "extern int fnmatch(const char *, const char *, int);",
}
"""Library functions that models call. What is beyond a model calls the first one, which ends the process with a
message; the values of the next two are arbitrary for the analyses, which do not know that it ends."""

RELIED_ON = frozenset(_OUTSIDE) - {FAILS} - remembering.RELIED_ON - RELIED_ON_BY_FILES
"""A program that defines one of these itself is left as it is."""


class Block(Struct, frozen=True):
    """A part of the library: the names of those that it needs, and its text."""

    needs: frozenset[str]
    text: str


@cache
def all_blocks() -> Mapping[str, Block]:
    """All blocks by name, in an order in which each comes behind those that it needs."""
    folder = files("gia.frontend") / "models"
    found: dict[str, Block] = {}
    for match in _BLOCK.finditer("".join((folder / name).read_text("utf-8") for name in _FILES)):
        sources = _SOURCES if "@" in match[0] else ("",)
        for source in sources:
            needs = frozenset(re.findall(r"[@\w]+", match["needs"].replace("@", source)))
            found[match["name"].replace("@", source)] = Block(needs, _plain(match["text"].replace("@", source)))
    return found


def _plain(text: str) -> str:
    """The text without comments and empty lines."""
    return "".join(f"{line.rstrip()}\n" for line in without_comments(text).splitlines() if line.strip())


class AddedText(Struct, frozen=True):
    """What is added to a program: declarations in one line before it, definitions behind it."""

    head: str
    tail: str


class Wanted(Struct, frozen=True):
    """The names of blocks that are called, formats that are read and written, variables of the environment, functions
    that look which stream they have, and files."""

    blocks: Collection[str]
    scanners: Sequence[Scanner]
    printers: Sequence[Printer]
    variables: Sequence[str]
    looking: Looking = Looking()
    files: Files | None = None
    drivers: Planned = Planned()


def added_text(wanted: Wanted, model: DataModel, declared: Collection[str]) -> AddedText:
    """The text of the models that are ``wanted``; ``declared`` are the names that the program declares itself."""
    used, scanners, variables = wanted.blocks, wanted.scanners, wanted.variables
    formats: list[Scanner | Printer | Reader | Target] = [*scanners, *wanted.printers, *wanted.drivers.added]
    own_files = wanted.files
    needed = frozenset(used).union(wanted.looking.blocks, *(made.needs for made in formats))
    needed |= own_files.blocks if own_files else frozenset()
    scans = any(scanner.source == "stdin" for scanner in scanners)
    forms = (_LOOKING_AHEAD if scans or "stdin_ungetc" in needed else {}) | (_AFTER_NUMBERS if scans else {})
    forms |= {} if own_files is None or own_files.are_read else FORMS
    names = _closed(needed, forms)
    written = [*wanted.looking.texts, *(own_files.functions("arguments" in names) if own_files else ())]
    written += [_getenv(variable) for variable in variables]
    definitions = [
        own_files.text("arguments" in names) if own_files else "",
        *(block.text for name, block in all_blocks().items() if name in names),
        *(made.text for made in formats),
        *written,
    ]
    inputs = {("int", library.STDIN_INPUT), ("int", library.ARGUMENTS_INPUT), ("char", library.CHARACTER_INPUT)}
    inputs |= {("unsigned char", library.MEMORY_INPUT)}
    inputs |= {("int", library.ENVIRONMENT_INPUT + variable) for variable in variables}
    inputs = inputs.union(*(made.inputs for made in scanners), *(made.inputs for made in wanted.drivers.added))
    inputs |= own_files.inputs("arguments" in names) if own_files else frozenset()
    text = "".join(definitions)
    lines = [f"extern {type_} {name}(void);" for type_, name in sorted(inputs) if f"{name}(" in text]
    lines += ["extern void __VERIFIER_assume(int);"] if "__VERIFIER_assume" not in declared else []
    size = "unsigned int" if model is DataModel.ILP32 else "unsigned long"
    head = [f"typedef {size} __gia_size;"]
    called = [name for name in _OUTSIDE if f"{name}(" in text or name in wanted.drivers.outside]
    head += [_OUTSIDE[name] for name in called if name not in declared]
    blocks = [all_blocks()[forms.get(name, name)] for name in sorted(used)]
    prototypes = [found for block in blocks for found in _FUNCTION.findall(block.text)]
    prototypes += [made.signature for made in formats]
    prototypes += [found for added in written for found in _FUNCTION.findall(added)]
    variable = [f"static void *{ARGUMENT_VECTOR};"] if "arguments" in names else []
    head += [f"{' '.join(prototype.split())};" for prototype in prototypes] + variable
    return AddedText(" ".join(head), "\n".join([*lines, text]))


def _closed(needed: frozenset[str], forms: Mapping[str, str]) -> frozenset[str]:
    """The blocks that are needed, those that they need, and so on; ``forms`` take the place of others."""
    found: set[str] = set()
    waiting = list(needed)
    while waiting:
        name = waiting.pop()
        name = forms.get(name, name)
        if name not in found:
            found.add(name)
            waiting += all_blocks()[name].needs
    return frozenset(found)


def _getenv(variable: str) -> str:
    """``getenv`` of one variable, whose value is the same each time."""
    return f"""\
static int __gia_known_{variable};
static char __gia_value_{variable}[24];

static char *__gia_getenv_{variable}(const char *name)
{{
    int n, kind;
    if (!__gia_known_{variable}) {{
        kind = {library.ENVIRONMENT_INPUT}{variable}();
        if ((unsigned)kind > 1u) {{
            error_at_line(1, 0, "gia", 0, "a longer value of {variable} than is modelled");
            return getenv("");
        }}
        __gia_known_{variable} = 1 + kind;
        if (kind)
            for (n = 0; n < 23; n++)
                __gia_value_{variable}[n] = {library.CHARACTER_INPUT}();
    }}
    if (__gia_known_{variable} == 1)
        return 0;
    return __gia_value_{variable};
}}
"""
