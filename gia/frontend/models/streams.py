"""Functions of a stream: those that have models, and functions that look which stream they are given.

A stream is standard input, an open file (:mod:`.files`), or another one (standard output and error; all that have no
model here), for which the function of the library is called.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct, field
from pycparser import c_ast

from gia.frontend.library import MODEL_PREFIX
from gia.frontend.models.printing import FilePrinter
from gia.frontend.models.scanning import Scanner
from gia.frontend.parsing.syntax import Node

STANDARD: Final = ("stdin", "stdout", "stderr")
READING: Final[Mapping[str, tuple[str, int]]] = {
    **dict.fromkeys(("getc", "fgetc", "getc_unlocked", "fgetc_unlocked", "_IO_getc"), ("getc", 0)),
    **{f"{name}{end}": (name, place) for name, place in (("fgets", 2), ("fread", 3)) for end in ("", "_unlocked")},
    **{f"{name}{end}": (name, 0) for name in ("feof", "ferror", "clearerr") for end in ("", "_unlocked")},
    "ungetc": ("ungetc", 1),
    "getline": ("getline", 2),
    "getdelim": ("getdelim", 3),
}
"""Functions of standard input and of files: their models, and which argument the stream is."""
OF_FILES: Final[Mapping[str, tuple[str, int]]] = {
    **{name: (name, 0) for name in ("fclose", "fseek", "ftell", "rewind", "fgetpos", "fsetpos", "setvbuf", "setbuf")},
    **dict.fromkeys(("fputc", "putc", "fputc_unlocked", "putc_unlocked", "_IO_putc"), ("fputc", 1)),
    **{f"{name}{end}": (name, place) for name, place in (("fputs", 1), ("fwrite", 3)) for end in ("", "_unlocked")},
    **{f"{name}{end}": (name, 0) for name in ("fflush", "fileno") for end in ("", "_unlocked")},
    "fprintf": ("fprintf", 0),
    "vfprintf": ("vfprintf", 0),
}
"""Functions that have models for files: these, and which argument the stream is."""

_SIGNATURES: Final[Mapping[str, tuple[str, str]]] = {
    "getc": ("int", "void *stream"),
    "ungetc": ("int", "int c, void *stream"),
    "feof": ("int", "void *stream"),
    "ferror": ("int", "void *stream"),
    "clearerr": ("void", "void *stream"),
    "fgets": ("char *", "char *text, int size, void *stream"),
    "fread": ("__gia_size", "void *target, __gia_size size, __gia_size count, void *stream"),
    "getline": ("long", "char **line, __gia_size *size, void *stream"),
    "getdelim": ("long", "char **line, __gia_size *size, int end, void *stream"),
    "fclose": ("int", "void *stream"),
    "fflush": ("int", "void *stream"),
    "fseek": ("int", "void *stream, long offset, int from"),
    "ftell": ("long", "void *stream"),
    "rewind": ("void", "void *stream"),
    "fgetpos": ("int", "void *stream, void *place"),
    "fsetpos": ("int", "void *stream, const void *place"),
    "fputc": ("int", "int c, void *stream"),
    "fputs": ("int", "const char *text, void *stream"),
    "fwrite": ("__gia_size", "const void *source, __gia_size size, __gia_size count, void *stream"),
    "fprintf": ("int", "void *stream, const char *format, ..."),
    "vfprintf": ("int", "void *stream, const char *format, __builtin_va_list values"),
    "setvbuf": ("int", "void *stream, char *buffer, int kind, __gia_size size"),
    "setbuf": ("void", "void *stream, char *buffer"),
    "fileno": ("int", "void *stream"),
}
"""The results and parameters of the models."""
_OF_STDIN: Final = frozenset(own for own, _ in READING.values())
_MOVING: Final = frozenset({"fseek", "rewind", "fsetpos"})
"""For standard input, these have a model only where files have."""


class StreamUse(Struct):
    """A call for a stream of which nothing is known, or such a function used as a value: its model, and the functions
    for the format of the call: those that read it, by the kinds of streams, or the one that prints it."""

    node: Node
    model: str
    scanners: dict[str, Scanner] = field(default_factory=dict)
    printer: FilePrinter | None = None

    @property
    def function(self) -> str:
        """The name of the function that looks which stream it has."""
        if self.printer is not None:
            return self.printer.name
        names = [made.name.removeprefix(MODEL_PREFIX) for made in self.scanners.values()]
        return _any_stream(names[0] if names else self.model)


class Looking(Struct, frozen=True):
    """Functions that look which stream they have, and the blocks that they need."""

    texts: tuple[str, ...] = ()
    blocks: frozenset[str] = frozenset()


class Streams(Struct, frozen=True):
    """What a stream of a program may be, of which only the run shows which one it is.

    ``stdin`` and ``files``: whether standard input and files, with models, are among them. ``others`` are standard
    streams without a model. Where files have none, there may be any others.
    """

    stdin: bool = False
    files: bool = False
    others: Collection[str] = ()

    def look(self, model: str) -> bool:
        """Whether a call with this model has to look which stream it has."""
        return self.files or (self.stdin and (model == "fscanf" or model in _OF_STDIN))

    def functions(self, calls: Iterable[StreamUse]) -> Looking:
        """The functions that look which stream they have, for all these calls."""
        found: dict[str, str] = {}
        blocks = {"file_use"} if self.files else set[str]()
        for call in calls:
            if call.scanners:
                found[call.function] = self._scanner(call)
            elif call.printer is not None:
                found[call.function] = self._printer(call.printer)
                blocks |= {"file_write", "file_print"}
            else:
                for model in (call.model, "vfprintf") if call.model == "fprintf" else (call.model,):
                    found[_any_stream(model)] = self._function(model)
                    blocks |= self._blocks(model)
        return Looking(tuple(found.values()), frozenset(blocks))

    # ------------------------------------------------------------------ parts
    def _is_stdin(self, model: str) -> bool:
        return self.stdin and (model in _OF_STDIN or (model in _MOVING and self.files))

    def _blocks(self, model: str) -> frozenset[str]:
        """The blocks of the library that such a function needs."""
        found = {f"file_{model}"} if self.files and model != "fprintf" else set[str]()
        return frozenset(found | ({f"stdin_{model}"} if self._is_stdin(model) else set()))

    def _function(self, model: str) -> str:
        """The definition of the function for a model."""
        result, parameters = _SIGNATURES[model]
        head = f"static {result} {_any_stream(model)}({parameters})"
        if model == "fprintf":
            return f"{head}\n{{\n{self._printing()}}}\n"
        return f"{head}\n{{\n{self._looking(model, result != 'void', _names(parameters))}}}\n"

    def _printer(self, printer: FilePrinter) -> str:
        """The definition of the function that prints a format."""
        others = self._unless_file(f"return fprintf(stream, format{printer.arguments});", self.others)
        lines = [printer.signature, "{", *others, f"{MODEL_PREFIX}file_use(stream);"]
        return "\n".join(lines) + f"\n{printer.body}}}\n"

    def _scanner(self, call: StreamUse) -> str:
        """The definition of the function that reads a format."""
        scanners = call.scanners
        shape = next(iter(scanners.values()))
        head = shape.signature.replace(f"{shape.name}(", f"{call.function}(")
        own, lines = ", ".join(shape.names), []
        if self.stdin:
            lines.append(f"if (stream == (void *)stdin) return {scanners['stdin'].name}({own});")
        pointers = ", ".join(name for name in shape.names if not name.startswith("n"))
        lines += self._unless_file(f"return fscanf({pointers});", self.others)
        if self.files:
            lines += [f"{MODEL_PREFIX}file_use(stream);", f"return {scanners['file'].name}({own});"]
        return "\n".join([head, "{", *lines, "}", ""])

    def _looking(self, model: str, returns: bool, arguments: str) -> str:
        """The body of a function that looks which stream it has."""
        others, lines = list(self.others), []
        if self._is_stdin(model):
            lines.append(_if("stream == (void *)stdin", f"{MODEL_PREFIX}stdin_{model}({arguments})", returns))
            others = [name for name in others if name != "stdin"]
        if model == "fflush":
            lines += ["if (!stream) return fflush(0);"]
        call = f"{model}({arguments})"
        lines += self._unless_file(f"return {call};" if returns else f"{{ {call}; return; }}", others)
        if self.files:
            own = f"{MODEL_PREFIX}file_{model}({arguments});"
            lines += [f"{MODEL_PREFIX}file_use(stream);", f"return {own}" if returns else own]
        return "".join(f"{line}\n" for line in lines)

    def _unless_file(self, statement: str, others: Collection[str]) -> list[str]:
        """A statement for the streams that have no model."""
        if not self.files:
            return [statement]
        found = " | ".join(f"(stream == (void *){name})" for name in others)
        return [f"if ({found}) {statement}"] if found else []

    def _printing(self) -> str:
        """The body of ``fprintf``."""
        lines = ["__builtin_va_list values;", "int n;", "__builtin_va_start(values, format);"]
        lines += [f"n = {_any_stream('vfprintf')}(stream, format, values);"]
        return "\n".join([*lines, "__builtin_va_end(values);", "return n;", ""])


def _any_stream(model: str) -> str:
    return f"{MODEL_PREFIX}any_{model}"


def _if(condition: str, call: str, returns: bool) -> str:
    return f"if ({condition}) return {call};" if returns else f"if ({condition}) {{ {call}; return; }}"


def _names(parameters: str) -> str:
    return ", ".join(parameter.split()[-1].lstrip("*") for parameter in parameters.split(","))


def is_standard(node: Node | None) -> bool:
    """Whether it is the name of a standard stream."""
    return isinstance(node, c_ast.ID) and node.name in STANDARD


def is_stdin(node: Node | None) -> bool:
    """Whether it is the name of standard input."""
    return isinstance(node, c_ast.ID) and node.name == "stdin"
