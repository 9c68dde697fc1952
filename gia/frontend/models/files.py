"""Files that a program opens by their names: the plan of their models, and what of these differs between programs.

A file is what its name says: two names are two files, and nobody but the program changes them. There are as many as
there are names in the text of the program, one for each argument, and a few for other names. The inputs of a file are
called after it: ``__VERIFIER_nondet_file_data_2etxt`` says whether there is ``data.txt`` (0: no; 2: it can neither be
opened nor made; else: yes), ``__VERIFIER_nondet_byte_of_file_data_2etxt`` what it has.

Either all that a program does with files has a model, or nothing has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from msgspec import Struct
from pycparser import c_ast

from gia.frontend import library
from gia.frontend.models.arguments import arguments_of, literal_of, string_of
from gia.frontend.models.streams import OF_FILES, READING
from gia.frontend.parsing.syntax import Node

OPENING: Final = {"fopen": 2, "fopen64": 2, "remove": 1, "unlink": 1, "rename": 2, "access": 2}
"""Functions of the names of files, and their numbers of arguments."""
_PATHS: Final = {"rename": 2}
"""How many of these are names, if not one."""
_OTHER_FUNCTIONS: Final = """
open open64 openat creat creat64 stat stat64 lstat lstat64 fstatat statx __xstat __lxstat truncate truncate64 link
linkat symlink symlinkat readlink renameat renameat2 unlinkat faccessat chmod chdir fchdir chroot mkstemp mkostemp
tmpfile tmpfile64 tmpnam tempnam mktemp fdopen popen freopen freopen64 fmemopen open_memstream fopencookie fcloseall
getw putw fgetwc getwc fgetws ungetwc fputwc putwc fputws fwprintf vfwprintf fwscanf vfwscanf fwide vfscanf
__isoc99_vfscanf __isoc23_vfscanf flockfile ftrylockfile funlockfile setbuffer setlinebuf
fork vfork clone execl execlp execle execv execvp execve execvpe posix_spawn posix_spawnp pthread_create thrd_create
opendir fdopendir scandir ftw nftw glob dlopen fseeko ftello fseeko64 ftello64 fgetpos64 fsetpos64
"""
"""What opens, changes or finds files in ways that have no model, or has a stream that is none of ours."""
_APART: Final = frozenset(_OTHER_FUNCTIONS.split())
_HARMLESS_COMMANDS: Final = frozenset(
    {"cls", "clear", "pause", "color", "title", "chcp", "sleep", "stty", "tput", "mode"}
)
"""Commands that do nothing with files."""
_MOVED: Final = frozenset({"ftell", "fgetpos", "fseek", "fsetpos", "rewind"})
_ODD: Final = re.compile(rb"\./|//|[./]\Z|\A\Z")
_LIKELY: Final = re.compile(rb"[\w/-]+\.\w+")
_MOST_LIKELY: Final = 8
_SPECIAL: Final = re.compile(rb"/(?:dev|proc|sys)/")

RELIED_ON: Final = frozenset({"strcmp", "strncpy", "strchr", "vsnprintf", "vfprintf", "fnmatch"})
"""Functions that these models call, and the functions that look at streams."""

_OTHERS: Final = "abcd"
"""Files whose names are neither in the text nor arguments, by what they are called."""
ARGUMENTS: Final = 6
"""So many arguments may be names of files."""
IMPOSSIBLE: Final = 2
"""The input that says that a file can neither be opened nor made."""
LARGEST: Final = 16384
"""So many bytes a file has at most, as in ``files.c``."""
FORMS: Final = {name: f"{name}_unread" for name in ("file_put", "file_append", "file_print")}
"""Which blocks stand for others if nothing that is written is read."""


class Files(Struct, frozen=True):
    """The files of a program: the names in its text, also what only looks like a name; the calls in which they stand
    and what is called instead; whether there are other names, and whether anything that is written can be read."""

    names: tuple[bytes, ...]
    calls: tuple[tuple[Node, str], ...]
    others: bool
    are_read: bool

    def functions(self, arguments: bool) -> list[str]:
        """The definitions of the functions that are called instead, and of one that they call."""
        made = {made: _wrapper(made, self.names, call) for call, made in self.calls}
        return [*made.values(), *([self._finding(arguments)] if self.others else [])]

    @property
    def blocks(self) -> frozenset[str]:
        """The blocks that they need."""
        return frozenset({"file_lose", *(f"file_{_model(call.name.name)}" for call, _ in self.calls)})

    def inputs(self, arguments: bool) -> frozenset[tuple[str, str]]:
        """Type and name of the input functions."""
        names = [_input_name(name) for name in self._keys(arguments)]
        prefixes = (library.FILE_INPUT, library.FILE_BYTE_INPUT)
        return frozenset(("int", f"{prefix}{name}") for prefix in prefixes for name in names)

    def text(self, arguments: bool) -> str:
        """What the blocks build on; ``arguments``: whether those of ``main`` have a model."""
        keys = self._keys(arguments)
        count = len(keys)
        names = ", ".join(literal_of(key) if isinstance(key, bytes) else "0" for key in keys)
        return "\n".join(
            [
                *(f"static {type_} __gia_file_{name}[{count}];" for name, type_ in _VARIABLES.items()),
                f"enum {{ __gia_files = {count} }};",
                f"static char __gia_streams[{count}];",
                f"static unsigned char __gia_file_bytes[{count}][{LARGEST}];",
                f"static const char *__gia_file_name[{count}] = {{{names}}};",
                f"static int __gia_file_of_name[{count}] = {{{', '.join(map(str, range(count)))}}};",
                _choosing("input", library.FILE_INPUT, keys),
                _choosing("byte_input", library.FILE_BYTE_INPUT, keys),
            ]
        )

    # ------------------------------------------------------------------ parts
    def _keys(self, arguments: bool) -> list[bytes | str]:
        """The names of files, and what stands for names that are not known."""
        unknown = [*map(str, range(1, ARGUMENTS + 1 if arguments else 1)), *_OTHERS]
        return [*self.names, *(unknown if self.others else [])]

    def _finding(self, arguments: bool) -> str:
        """The function that finds the file of a name."""
        known = len(self.names)
        others = known + (ARGUMENTS if arguments else 0)
        unknown = others - known + len(_OTHERS)
        of_arguments = (
            f"""\
    for (n = 0; n < {ARGUMENTS}; n++)
        if ((path == __gia_argument[n]) & (__gia_file_name[{known} + n] == 0))
            number = {known} + n;
"""
            if arguments
            else ""
        )
        return f"""\
{"static char __gia_argument[6][24];" if arguments else ""}
static char __gia_paths[{unknown}][256];
static int __gia_file_named(const char *path)
{{
    int n, number = {known + unknown};
    for (n = 0; n < {known + unknown}; n++)
        if (__gia_file_name[n])
            if (strcmp(__gia_file_name[n], path) == 0)
                return n;
    for (n = {others}; n < {known + unknown}; n++)
        if (!__gia_file_name[n]) {{
            number = n;
            break;
        }}
{of_arguments}\
    if (number < {known + unknown})
        strncpy(__gia_paths[number - {known}], path, 255);
    if ((number == {known + unknown}) | (fnmatch("/*", path, 0) == 0) | (fnmatch("*./*", path, 0) == 0) |
        (fnmatch("*//*", path, 0) == 0) | (fnmatch("*[/.]", path, 0) == 0)) {{
        error_at_line(1, 0, "gia", 0, "a name of a file that is not modelled");
        for (n = 0; n < {known + unknown}; n++)
            __gia_file_lose(n);
        number = {known + unknown - 1};
    }}
    __gia_file_name[number] = __gia_paths[number - {known}];
    return number;
}}
"""


_VARIABLES: Final = {
    "state": "int",  # whether it is there: 0: not known, 1: no, 2: yes, 3: it cannot be
    "size": "long",  # so many bytes are known,
    "whole": "int",  # and there are no others
    "lost": "int",  # the analyses know nothing of it
    "open": "int",
    "reads": "int",  # what its stream is for
    "writes": "int",
    "appends": "int",
    "position": "long",
    "at_end": "int",  # what feof and ferror say
    "failed": "int",
    "ahead": "int",  # the byte that was put back, plus 1; 0: none
    "last": "int",  # what was done last: 1: something was read, 2: written; 0: neither
}
"""What is known of a file: the names of arrays with an element for each, and their types."""


def planned(
    nodes: Sequence[Node], calls: Sequence[Node], defined: Collection[str], declared: Collection[str]
) -> Files | str | None:
    """The files of a program with all these ``nodes``: ``None`` if it opens none, a reason why they have no model.

    ``defined`` are the names that it defines or declares as variables, ``declared`` all that it declares;
    ``nodes`` are without the names of local variables.
    """
    if not any(call.name.name in ("fopen", "fopen64") and call.name.name not in defined for call in calls):
        return None
    names = {node.name for node in nodes if isinstance(node, c_ast.ID)}
    functions = {*OPENING, *READING, *OF_FILES}
    called = {id(call.name) for call in calls if _fits(call)}
    values = [node.name for node in nodes if isinstance(node, c_ast.ID) and id(node) not in called]
    found = sorted({*(names & _APART), *OPENING.keys() & set(values)} - set(defined))
    commands = [call for call in calls if call.name.name == "system" and not _is_harmless(call)]
    taken = sorted((functions | RELIED_ON) & set(defined))
    if found or commands or taken or "stdin" not in declared:
        name = [*found, *(["system"] if commands else []), *taken, "stdio.h"][0]
        return f"{name} is {'defined by the program' if name in taken else 'not modelled together with files'}"
    literals = sorted({text for call in calls if call.name.name in OPENING for text in _literals(call) if text})
    special = next((text for text in literals if _SPECIAL.match(text)), None)
    if special is not None:
        return f"{special.decode(errors='replace')} is no ordinary file"
    opening = [call for call in calls if call.name.name in OPENING]
    others = any(None in _literals(call) for call in opening)
    if others:
        literals = sorted({*literals, *_likely_names(nodes)})
    reads = [own for own, _ in READING.values() if own not in ("feof", "ferror", "clearerr")]
    reading = {*(name for name, (own, _) in READING.items() if own in reads), *_MOVED}
    reading |= {name for name in names if name.endswith("fscanf")}
    made = tuple((call, _made(literals, call)) for call in opening)
    return Files(tuple(literals), made, others, not reading.isdisjoint(names))


def file_name(suffix: str) -> bytes | int | None:
    """What the name of an input function says behind ``FILE_INPUT`` or ``FILE_BYTE_INPUT``: the name of a file, the
    number of the argument that is its name, or ``None`` if the name is not known."""
    if suffix.startswith("_") and len(suffix) == 2:
        return int(suffix[1]) if suffix[1].isdecimal() else None
    return re.sub(r"_([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), suffix).encode("latin-1")


def _input_name(key: bytes | str) -> str:
    """What an input function is called behind its prefix."""
    if isinstance(key, str):
        return f"_{key}"
    return "".join(chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"_{byte:02x}" for byte in key)


def _literals(call: Node) -> list[bytes | None]:
    """The names in a call; ``None`` for what is no plain name."""
    return [_plain(string_of(node)) for node in arguments_of(call)[: _PATHS.get(call.name.name, 1)]]


def _plain(text: bytes | None) -> bytes | None:
    while text is not None and text.startswith(b"./"):
        text = text[2:].lstrip(b"/")
    return None if text is None or _ODD.search(text) or len(text) > 100 else text


def _likely_names(nodes: Sequence[Node]) -> list[bytes]:
    """The first texts of the program that may be names of files. That a file has such a name is found out when it is
    opened: here, it is only given inputs that are called after it."""
    texts = (_plain(string_of(node)) for node in nodes if isinstance(node, c_ast.Constant))
    return list(dict.fromkeys(text for text in texts if text and _LIKELY.fullmatch(text)))[:_MOST_LIKELY]


def _fits(call: Node) -> bool:
    """Whether a call has as many arguments as the function has parameters, if it is one of names."""
    return OPENING.get(call.name.name, len(arguments_of(call))) == len(arguments_of(call))


def _is_harmless(call: Node) -> bool:
    """Whether a call of ``system`` does nothing with files."""
    text = string_of(arguments_of(call)[0]) if len(arguments_of(call)) == 1 else None
    words = [] if text is None else text.decode("latin-1").lower().split()
    return bool(words) and words[0] in _HARMLESS_COMMANDS and not re.search(rb"[<>|;&`$]", text or b"")


def _model(name: str) -> str:
    return {"fopen": "opened", "fopen64": "opened", "unlink": "remove"}.get(name, name)


def _made(names: Sequence[bytes], call: Node) -> str:
    """The name of the function that a call has instead: one for each combination of names."""
    numbers = ["any" if text is None else str(names.index(text) + 1) for text in _literals(call)]
    return f"{library.MODEL_PREFIX}{_model(call.name.name)}_{'_'.join(numbers)}"


def _wrapper(made: str, names: Sequence[bytes], call: Node) -> str:
    """The definition of that function."""
    model, literals = _model(call.name.name), _literals(call)
    result, rest, behind = {
        "opened": ("void *", ", const char *mode", ", mode"),
        "access": ("int", ", int kind", ", kind"),
    }.get(model, ("int", "", ""))
    paths = ["path", "other"][: len(literals)]
    parameters = ", ".join(f"const char *{path}" for path in paths) + rest
    lines = [f"int file_of_{path};" for path in paths]
    for path, text in zip(paths, literals, strict=True):
        if text is None:
            failed = "0" if model == "opened" else "-1"
            lines.append(f"if (!{path}[0]) {{ *__errno_location() = 2; return {failed}; }}")
        found = f"__gia_file_named({path})" if text is None else str(names.index(text))
        lines.append(f"file_of_{path} = {found};")
    given = ", ".join(f"file_of_{path}" for path in paths) + behind
    head = f"static {result} {made}({parameters})"
    return "\n".join([head, "{", *lines, f"return __gia_file_{model}({given});", "}", ""])


def _choosing(name: str, prefix: str, keys: Sequence[bytes | str]) -> str:
    """The function that reads an input of the file with a number."""
    *first, last = [f"return {prefix}{_input_name(key)}();" for key in keys]
    lines = [f"if (file == {number}) {line}" for number, line in enumerate(first)]
    return "\n".join([f"static int __gia_file_{name}(int file)", "{", *lines, last, "}"])
