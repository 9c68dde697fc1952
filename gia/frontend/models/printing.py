"""The formats of ``sprintf``, ``snprintf`` and ``fprintf`` to files (ISO C 7.21.6.1) as functions in C that write what
they describe.

For each format one function is written, on the blocks of ``models/library.c``. Numbers with a point, pointers, wide
characters, and a width that is an argument have no model.

Deviation: a null pointer in place of a text is written as glibc 2.36 does it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from msgspec import Struct
from pycparser import c_ast

from gia.cfa.types import DataModel
from gia.frontend.library import MODEL_PREFIX
from gia.frontend.models.arguments import arguments_of, literal_of, string_of
from gia.frontend.models.scanning import FormatError
from gia.frontend.parsing.syntax import Node, within

FORMAT_PLACE: Final = {"sprintf": 1, "snprintf": 2}
"""Which argument the format is."""

_DIRECTIVE = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*|\*))?"
    rb"(?P<length>hh|h|ll|l|q|j|z|t|)(?P<kind>[diouxXcs%])"
)
_ANY_DIRECTIVE = re.compile(
    rb"%[-+ #0']*(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|q|j|z|t|L|)(?P<kind>[diouxXcsfFeEgGaAp%])"
)
_NONE: Final = -1
_LARGEST: Final = 1000
"""Fields of more characters have no model."""
_SHOWING: Final = frozenset(
    {"printf", "fprintf", "puts", "fputs", "perror", "sprintf", "snprintf", "free", "syslog", "write", "fwrite"}
)
"""What these are given does not decide how the program goes on."""


class Directive(Struct, frozen=True):
    """A part of a format: a ``literal`` text (kind empty), or a conversion, with -1 for no precision, -2 for ``*``."""

    kind: str
    literal: bytes = b""
    flags: str = ""
    width: int = 0
    precision: int = _NONE
    length: str = ""


_FROM_ARGUMENT: Final = -2


def parse_format(format_: bytes) -> tuple[Directive, ...]:
    """The directives of a format, which has no zero at its end. :class:`FormatError` if one has no model."""
    found: list[Directive] = []
    place = 0
    while place < len(format_):
        end = format_.find(b"%", place)
        end = len(format_) if end < 0 else end
        if end > place:
            found.append(Directive("", format_[place:end]))
            place = end
            continue
        match = _DIRECTIVE.match(format_, place)
        if match is None:
            raise FormatError.at(format_, place)
        found.append(_conversion(match))
        place = match.end()
    return tuple(found)


def _conversion(match: re.Match[bytes]) -> Directive:
    kind, length = match["kind"].decode(), match["length"].decode().replace("q", "ll")
    written = match["precision"]
    precision = _NONE if written is None else _FROM_ARGUMENT if written == b"*" else int(written or b"0")
    width = int(match["width"] or b"0")
    if kind == "%":
        if len(match[0]) > 2:
            raise FormatError("a percent sign with a width is not modelled")
        return Directive("", b"%")
    if (kind in "cs" and length) or (kind != "s" and precision == _FROM_ARGUMENT) or max(width, precision) > _LARGEST:
        raise FormatError(f"the conversion {match[0].decode()!r} is not modelled")
    return Directive(kind, b"", match["flags"].decode(), width, precision, length)


class Printer(Struct, frozen=True):
    """A function that writes a format to a text, by the name of the function that it is a model of."""

    name: str
    function: str
    directives: tuple[Directive, ...]
    model: DataModel

    @property
    def parameters(self) -> list[str]:
        """The types of the arguments behind the format."""
        found: list[str] = []
        for directive in self.directives:
            if directive.precision == _FROM_ARGUMENT:
                found.append("int")
            if directive.kind == "s":
                found.append("const char *")
            elif directive.kind:
                found.append("int" if directive.length in ("", "h", "hh") else self._type(directive))
        return found

    @property
    def signature(self) -> str:
        """The declaration of the function, without a semicolon."""
        leading = ["char *text", *(["__gia_size size"] if self.function == "snprintf" else []), "const char *format"]
        own = [f"{type_} p{number}" for number, type_ in enumerate(self.parameters, 1)]
        return f"static int {self.name}({', '.join([*leading, *own])})"

    @property
    def needs(self) -> frozenset[str]:
        """The blocks of the library of models that the function needs."""
        blocks = {"": "put", "s": "put_text", "c": "put_pad"}
        return frozenset({"put", *(blocks.get(directive.kind, "put_digits") for directive in self.directives)})

    @property
    def text(self) -> str:
        """The definition of the function."""
        begin = ["__gia_size n = 0;"]
        if self.function == "sprintf":
            begin.append("__gia_size size = -1;")
        if any(directive.kind not in ("", "s", "c") for directive in self.directives):
            begin.append("char digits[24]; int count, sign;")
        body = [*begin, *self._body(), "if (size) text[n < size ? n : size - 1] = 0;", "return (int)n;"]
        return "\n".join([self.signature, "{", *body, "}"]) + "\n"

    def _body(self) -> Iterator[str]:
        number = 0
        for directive in self.directives:
            precision = str(directive.precision)
            if directive.precision == _FROM_ARGUMENT:
                number += 1
                precision = f"p{number}"
            number += bool(directive.kind)
            left = int("-" in directive.flags)
            match directive.kind:
                case "":
                    yield from (f"n = __gia_put(text, size, n, {byte});" for byte in directive.literal)
                case "c":
                    pad = f"n = __gia_put_pad(text, size, n, {directive.width - 1}, 32);"
                    put = f"n = __gia_put(text, size, n, p{number});"
                    parts = [put, pad] if left else [pad, put]
                    yield from parts if directive.width > 1 else [put]
                case "s":
                    yield f"n = __gia_put_text(text, size, n, p{number}, {directive.width}, {precision}, {left});"
                case _:
                    yield from self._number(directive, f"p{number}", left)

    def _number(self, directive: Directive, value: str, left: int) -> Iterator[str]:
        type_ = self._type(directive)
        unsigned = type_ if type_.startswith("unsigned ") else f"unsigned {type_}"
        unsigned = unsigned.replace("unsigned signed", "unsigned")
        base = {"o": 8, "x": 16, "X": 16}.get(directive.kind, 10)
        letters = 39 if directive.kind == "x" else 7
        plus = 43 if "+" in directive.flags else 32 if " " in directive.flags else 0
        signed = directive.kind in "di"
        yield "{"
        yield f"{type_} given = ({type_}){value};"
        yield f"{unsigned} rest = ({unsigned})given;"
        yield "count = 0; sign = 0;"
        if signed:
            yield f"sign = {plus};"
            yield f"if (given < 0) {{ rest = ({unsigned})-rest; sign = 45; }}"
        yield "while (rest != 0) {"
        digit = f"(int)(rest % {base}u)"
        yield f"int digit = {digit};"
        yield f"digits[count] = (char)(digit + 48{f' + (digit > 9) * {letters}' if base == 16 else ''});"
        yield f"count++; rest = ({unsigned})(rest / {base}u);"
        yield "}"
        prefix = 0
        if "#" in directive.flags and base == 16:
            prefix = ord(directive.kind)
        octal = int("#" in directive.flags and base == 8)
        zeros = int("0" in directive.flags and not left and directive.precision == _NONE)
        precision = 1 if directive.precision == _NONE else directive.precision
        yield f"n = __gia_put_digits(text, size, n, digits, count, sign, count ? {prefix} : 0, {directive.width}, "
        yield f"{precision if not octal else f'count < {precision} ? {precision} : count + 1'}, {left}, {zeros});"
        yield "}"

    def _type(self, directive: Directive) -> str:
        return _type_of_number(directive.kind, directive.length, self.model)


def _type_of_number(kind: str, length: str, model: DataModel) -> str:
    """The type of the number that a conversion writes."""
    if kind == "c":
        return "int"
    word = "int" if model is DataModel.ILP32 else "long"
    wide = "long long" if model is DataModel.ILP32 else "long"
    types = {"hh": "char", "h": "short", "": "int", "l": "long", "ll": "long long", "j": wide, "z": word, "t": word}
    signed = kind in "di"
    if length == "hh":
        return "signed char" if signed else "unsigned char"
    return ("" if signed else "unsigned ") + types[length]


class FilePrinter(Struct, frozen=True):
    """A function that prints a format to a file: by a model, if there is an exact one, else by the library's.

    ``parameters`` are the types of the arguments behind the format.
    """

    name: str
    format: bytes
    parameters: tuple[str, ...]
    exact: Printer | None = None

    @property
    def signature(self) -> str:
        """The declaration of the function, without a semicolon."""
        own = [f"{type_} p{number}" for number, type_ in enumerate(self.parameters, 1)]
        return f"static int {self.name}({', '.join(['void *stream', 'const char *format', *own])})"

    @property
    def arguments(self) -> str:
        """What it is given, behind the format."""
        return "".join(f", p{number}" for number, _ in enumerate(self.parameters, 1))

    @property
    def body(self) -> str:
        """What it does with a file that is in use."""
        function = self.exact.name if self.exact else "snprintf"
        printed = f"{function}(__gia_printed, 1024, {literal_of(self.format)}{self.arguments})"
        return f"__gia_file_write();\nreturn __gia_file_print({printed});\n"


class FileFormats:
    """The functions for the formats that a program prints to files."""

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._found: dict[bytes, FilePrinter | None] = {}

    @property
    def printers(self) -> list[Printer]:
        """The exact models among them."""
        return [made.exact for made in self._found.values() if made is not None and made.exact is not None]

    def printer(self, arguments: Sequence[Node]) -> FilePrinter | None:
        """The function for a call of ``fprintf``; ``None`` if its format is not known, or does not fit."""
        format_ = string_of(arguments[1]) if len(arguments) > 1 else None
        if format_ is None:
            return None
        if format_ not in self._found:
            self._found[format_] = self._made(format_, len(self._found) + 1)
        made = self._found[format_]
        return made if made is not None and len(made.parameters) == len(arguments) - 2 else None

    def _made(self, format_: bytes, number: int) -> FilePrinter | None:
        name = f"{MODEL_PREFIX}any_fprintf_{number}"
        try:
            exact = Printer(f"{MODEL_PREFIX}fprintf_{number}", "snprintf", parse_format(format_), self._model)
            return FilePrinter(name, format_, tuple(exact.parameters), exact)
        except FormatError:
            types = _argument_types(format_, self._model)
            return None if types is None else FilePrinter(name, format_, types)


def _argument_types(format_: bytes, model: DataModel) -> tuple[str, ...] | None:
    """The types of the arguments for a format; ``None`` if one is not known."""
    found: list[str] = []
    place = format_.find(b"%")
    while place >= 0:
        match = _ANY_DIRECTIVE.match(format_, place)
        if match is None:
            return None
        kind, length = match["kind"].decode(), match["length"].decode().replace("q", "ll")
        found += ["int" for part in (match["width"], match["precision"]) if part == b"*"]
        if (kind in "csp" and length) or (kind in "diouxX" and length == "L"):
            return None
        if kind in "fFeEgGaA":
            found.append("long double" if length == "L" else "double")
        elif kind in "sp":
            found.append("const char *" if kind == "s" else "const void *")
        elif kind != "%":
            found.append("int" if length in ("", "h", "hh") else _type_of_number(kind, length, model))
        place = format_.find(b"%", match.end())
    return tuple(found)


def calls_with_models(nodes: Sequence[Node], known: Collection[str], model: DataModel) -> list[tuple[Node, Printer]]:
    """The calls among all nodes of a program that get models, and these; ``known``: which names mean the library's."""
    shown = _only_shown(nodes)
    printers: dict[tuple[str, bytes], Printer] = {}
    found: list[tuple[Node, Printer]] = []
    for call in nodes:
        name = getattr(call.name, "name", None) if isinstance(call, c_ast.FuncCall) else None
        if name not in FORMAT_PLACE or name not in known or id(call) in shown:
            continue
        arguments, place = arguments_of(call), FORMAT_PLACE[name]
        format_ = string_of(arguments[place]) if place < len(arguments) else None
        if format_ is None:
            continue
        try:
            made = Printer(f"{MODEL_PREFIX}{name}_{len(printers) + 1}", name, parse_format(format_), model)
        except FormatError:
            continue
        if len(made.parameters) == len(arguments) - place - 1:
            found.append((call, printers.setdefault((name, format_), made)))
    return found


def _only_shown(nodes: Sequence[Node]) -> frozenset[int]:
    """The calls (by ``id``) whose results are not used and that write to an array which is printed at most."""
    calls = [node for node in nodes if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)]
    shown: set[int] = set()
    for node in nodes:
        if isinstance(node, c_ast.UnaryOp) and node.op == "sizeof":
            shown |= {id(part) for part in within(node) if isinstance(part, c_ast.ID)}
    for call in calls:
        if call.name.name in _SHOWING and call.args is not None:
            shown |= {id(argument) for argument in call.args.exprs if isinstance(argument, c_ast.ID)}
    arrays = {node.name for node in nodes if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.ArrayDecl)}
    others = {node.name for node in nodes if isinstance(node, c_ast.ID) and id(node) not in shown}
    others |= {node.name for node in nodes if isinstance(node, c_ast.Decl) and node.name not in arrays}
    alone = _statements(nodes)
    return frozenset(
        id(call)
        for call in calls
        if id(call) in alone and call.args is not None and getattr(call.args.exprs[0], "name", None) in arrays - others
    )


def _statements(nodes: Sequence[Node]) -> set[int]:
    """The nodes (by ``id``) that are statements of their own."""
    found: set[int] = set()
    for node in nodes:
        parts = [getattr(node, name, None) for name in ("stmt", "iftrue", "iffalse")]
        for name in ("block_items", "stmts"):
            listed = getattr(node, name, None)
            parts += listed if isinstance(listed, list) else []
        found |= {id(part) for part in parts if isinstance(part, c_ast.FuncCall)}
    return found
