"""The formats of ``scanf``, ``fscanf`` and ``sscanf`` (ISO C 7.21.6.2) as functions in C that read what they describe.

For each format one function is written, on the blocks of ``models/library.c``. A number of standard input about which
nothing is known yet is one input, of its type, instead of the inputs that are its digits: whatever value it has, there
is a text for it. What follows a number is restricted to what can follow it. So testers and provers see the number and
not the loop over its digits.

Deviation: what glibc 2.36 does counts where the standard leaves something open (values that do not fit; a number that
ends where an exponent should be).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from gia.cfa.types import DataModel
from gia.frontend.library import MODEL_PREFIX
from gia.frontend.models.arguments import string_of
from gia.frontend.parsing.syntax import Node

_CONVERSION = re.compile(
    rb"%(?P<suppress>\*?)(?P<width>\d*)(?P<length>hh|h|ll|l|q|j|z|t|L|)"
    rb"(?P<kind>\[\^?\]?[^\]]*\]|[diouxXeEfFgGaAcsn%])",
    re.DOTALL,
)
_SPACE: Final = b" \t\n\v\f\r"
UNBOUNDED: Final = -1

_SIGNED: Final = {"hh": "signed char", "h": "short", "": "int", "l": "long", "ll": "long long"}
_STEMS: Final = {
    "signed char": "schar",
    "short": "short",
    "int": "int",
    "long": "long",
    "long long": "longlong",
    "float": "float",
    "double": "double",
}


class FormatError(Exception):
    """A format that has no model; the message says why."""

    @classmethod
    def at(cls, format_: bytes, place: int) -> FormatError:
        """The conversion that begins at ``place`` has no model."""
        shown = format_[place : place + 4].decode(errors="replace")
        return cls(f"the conversion at {shown!r} is not modelled")


class Directive(Struct, frozen=True):
    """A part of a format: white space (kind ``" "``), a ``literal`` byte (kind ``""``), or a conversion.

    ``kind`` of a conversion is its letter, ``[`` for a set; ``members`` are the bytes of the set. ``width`` is -1 where
    there is none.
    """

    kind: str
    literal: int = 0
    suppressed: bool = False
    width: int = UNBOUNDED
    length: str = ""
    members: frozenset[int] = frozenset()

    @property
    def stores(self) -> bool:
        """Whether it takes an argument."""
        return self.kind not in ("", " ", "%") and not self.suppressed

    @property
    def is_text(self) -> bool:
        """Whether it stores characters."""
        return self.kind in ("s", "c", "[")

    @property
    def most(self) -> int:
        """How many bytes it stores at most as a text; -1 if any number."""
        if self.kind == "c":
            return 1 if self.width == UNBOUNDED else self.width
        return UNBOUNDED if self.width == UNBOUNDED else self.width + 1


def parse_format(format_: bytes) -> tuple[Directive, ...]:
    """The directives of a format, which has no zero at its end. :class:`FormatError` if one has no model."""
    found: list[Directive] = []
    place = 0
    while place < len(format_):
        byte = format_[place]
        if byte in _SPACE:
            if not found or found[-1].kind != " ":
                found.append(Directive(" "))
            place += 1
        elif byte != ord("%"):
            if byte > 127:
                raise FormatError("it has a character that is not ASCII")
            found.append(Directive("", literal=byte))
            place += 1
        else:
            match = _CONVERSION.match(format_, place)
            if match is None:
                raise FormatError.at(format_, place)
            found.append(_conversion(match))
            place = match.end()
    return tuple(found)


def _conversion(match: re.Match[bytes]) -> Directive:
    kind = match["kind"].decode("latin-1")
    length = {"q": "ll"}.get(match["length"].decode(), match["length"].decode())
    width = int(match["width"]) if match["width"] else UNBOUNDED
    letter = "[" if kind[0] == "[" else {"X": "x"}.get(kind, kind)
    letter = "f" if letter in "eEfFgGaA" else letter
    wide = length not in ("", "l") if letter == "f" else letter in "sc[%" and length
    if wide or width == 0 or (letter == "%" and match.end() - match.start() > 2):
        raise FormatError(f"the conversion {match[0].decode(errors='replace')!r} is not modelled")
    members = _members(match["kind"][1:-1]) if letter == "[" else frozenset[int]()
    return Directive(letter, 0, bool(match["suppress"]), width, length, members)


def _members(text: bytes) -> frozenset[int]:
    """The bytes of a set, without its brackets; ``-`` between two bytes is a range."""
    negated = text.startswith(b"^")
    text = text.removeprefix(b"^")
    found: set[int] = set()
    place = 0
    while place < len(text):
        if place + 2 < len(text) and text[place + 1] == ord("-") and text[place] <= text[place + 2]:
            found.update(range(text[place], text[place + 2] + 1))
            place += 3
        else:
            found.add(text[place])
            place += 1
    return frozenset(range(256)) - found if negated else frozenset(found)


class Scanner(Struct, frozen=True):
    """A function that reads a format from a ``source``, ``stdin``, ``file`` or ``text``."""

    name: str
    source: str
    directives: tuple[Directive, ...]
    model: DataModel
    leading: tuple[str, ...]
    """The parameters before the pointers: a stream or a string, and the format."""

    @property
    def stored(self) -> tuple[Directive, ...]:
        """The directives that take an argument."""
        return tuple(directive for directive in self.directives if directive.stores)

    @property
    def signature(self) -> str:
        """The declaration of the function, without a semicolon. After all pointers come the sizes of texts."""
        return f"static int {self.name}({', '.join(self._parameters)})"

    @property
    def names(self) -> list[str]:
        """The names of its parameters."""
        return [parameter.split()[-1].lstrip("*") for parameter in self._parameters]

    @property
    def needs(self) -> frozenset[str]:
        """The blocks of the library of models that the function needs."""
        source = self.source
        needed = {f"{source}_byte", f"{source}_back", f"{source}_skip", f"{source}_start"}
        for directive in self.directives:
            if directive.kind in ("d", "u"):
                needed |= {f"{source}_decimal", "stdin_no_integer"} if source == "stdin" else {f"{source}_decimal"}
            elif directive.kind in ("i", "o", "x"):
                needed.add(f"{source}_based")
            elif directive.kind == "f":
                needed |= {f"{source}_float", "float" if directive.length == "" else "double"}
                needed |= {"stdin_no_float"} if source == "stdin" else set()
            if directive.kind in "diuox" and directive.kind:
                needed.add(self._converter(directive))
        return frozenset(needed)

    @property
    def inputs(self) -> frozenset[tuple[str, str]]:
        """Type and name of the functions that read numbers as inputs."""
        return frozenset(
            (self._type(directive), _number_input(self._type(directive)))
            for directive in self.directives
            if self._may_be_input(directive)
        )

    @property
    def text(self) -> str:
        """The definition of the function."""
        begin = ["int c;"]
        if self.source == "text":
            begin.append("__gia_text = (const unsigned char *)text;")
        if any(directive.is_text for directive in self.directives):
            begin.insert(0, "__gia_size n;")
        lines = [self.signature, "{", *begin, *self._body(), "}"]
        return "\n".join(lines) + "\n"

    # ------------------------------------------------------------------ parts
    @property
    def _parameters(self) -> list[str]:
        pointers = [f"void *p{number}" for number, _ in enumerate(self.stored, 1)]
        sizes = [f"__gia_size n{number}" for number, stored in enumerate(self.stored, 1) if stored.is_text]
        return [*self.leading, *pointers, *sizes]

    def _body(self) -> Iterator[str]:
        done = number = 0
        for place, directive in enumerate(self.directives):
            number += directive.stores
            failed = f"return {done or -1};"
            match directive.kind:
                case " ":
                    following = self.directives[place + 1].kind if place + 1 < len(self.directives) else ""
                    if following not in ("d", "i", "u", "o", "x", "f", "s", "%"):  # those skip it themselves
                        yield f"__gia_{self.source}_skip();"
                case "" | "%":
                    byte = directive.literal if directive.kind == "" else ord("%")
                    reading = "byte" if directive.kind == "" else "start"
                    yield f"c = __gia_{self.source}_{reading}();"
                    yield f"if (c < 0) {failed}"
                    yield f"if (c != {byte}) {{ __gia_{self.source}_back(c); return {done}; }}"
                case "n":
                    if directive.stores:
                        type_ = self._type(directive)
                        yield f"*({type_} *)p{number} = ({type_})(__gia_text - (const unsigned char *)text);"
                case "c":
                    yield from self._characters(directive, number, failed)
                case "s" | "[":
                    yield from self._string(directive, number, failed, done)
                case "f":
                    yield from self._float(directive, number, failed, done)
                case _:
                    yield from self._integer(directive, number, failed, done)
            done += directive.stores and directive.kind != "n"
        yield f"return {done};"

    def _characters(self, directive: Directive, number: int, failed: str) -> Iterator[str]:
        yield f"for (n = 0; n < {directive.most}; n++) {{"
        yield f"c = __gia_{self.source}_byte();"
        yield f"if (c < 0) {{ if (n == 0) {failed} break; }}"
        if directive.stores:
            yield from self._store(number, "n")
        yield "}"

    def _store(self, number: int, behind: str) -> Iterator[str]:
        """Store the byte; writing behind the end of an array is not defined, so the run ends."""
        yield f"if ({behind} >= n{number}) __builtin_trap();"
        yield f"((char *)p{number})[n] = (char)c;"

    def _string(self, directive: Directive, number: int, failed: str, done: int) -> Iterator[str]:
        inside = "((c >= 0) & (c != 32) & ((unsigned)c - 9u > 4u))"
        if directive.kind == "[":
            inside = _membership(directive.members)
        yield f"c = __gia_{self.source}_{'start' if directive.kind == 's' else 'byte'}();"
        yield f"if (c < 0) {failed}"
        if directive.kind == "[":
            yield f"if (!{inside}) {{ __gia_{self.source}_back(c); return {done}; }}"
        yield "n = 0;"
        yield f"while {inside} {{"
        if directive.stores:
            yield from self._store(number, "n + 1")
        yield "n++;"
        if directive.width != UNBOUNDED:
            yield f"if (n == {directive.width}) {{ c = -2; break; }}"
        yield f"c = __gia_{self.source}_byte();"
        yield "}"
        if directive.stores:
            yield f"((char *)p{number})[n] = 0;"
        yield f"__gia_{self.source}_back(c);"

    def _integer(self, directive: Directive, number: int, failed: str, done: int) -> Iterator[str]:
        function = "decimal" if directive.kind in ("d", "u") else "based"
        base = {"i": ", 0", "o": ", 8", "x": ", 16"}.get(directive.kind, "")
        type_ = self._type(directive)
        yield f"c = __gia_{self.source}_start();"
        yield f"if (c < 0) {failed}"
        if self._may_be_input(directive):
            yield "if (__gia_free) {"
            yield f"if ((unsigned)c - 48u > 9u) {{ __gia_stdin_no_integer(c); return {done}; }}"
            yield f"{f'*({type_} *)p{number} = ' if directive.stores else ''}{_number_input(type_)}();"
            yield "__gia_after = 1;"
            yield "} else {"
        yield f"if (!__gia_{self.source}_{function}(c, {directive.width}{base})) return {done};"
        if directive.stores:
            yield f"*({type_} *)p{number} = ({type_})__gia_{self._converter(directive)}();"
        if self._may_be_input(directive):
            yield "}"

    def _float(self, directive: Directive, number: int, failed: str, done: int) -> Iterator[str]:
        type_ = self._type(directive)
        yield f"c = __gia_{self.source}_start();"
        yield f"if (c < 0) {failed}"
        if self._may_be_input(directive):
            yield "if (__gia_free) {"
            yield f"if ((unsigned)c - 48u > 9u) {{ __gia_stdin_no_float(c); return {done}; }}"
            yield f"{type_} x = {_number_input(type_)}();"
            if directive.stores:
                yield f"*({type_} *)p{number} = x;"
            yield "__gia_after = (x - x == 0) | (x != x) * 3;"
            yield "} else {"
        yield f"if (!__gia_{self.source}_float(c, {directive.width})) return {done};"
        if directive.stores:
            yield f"*({type_} *)p{number} = __gia_{type_}();"
        if self._may_be_input(directive):
            yield "}"

    # ------------------------------------------------------------------ types
    def _may_be_input(self, directive: Directive) -> bool:
        """Whether a number may be an input of its own."""
        return self.source == "stdin" and directive.kind in ("d", "u", "f") and directive.width == UNBOUNDED

    def _type(self, directive: Directive) -> str:
        """The type of what a conversion stores."""
        if directive.kind == "f":
            return "double" if directive.length == "l" else "float"
        word = "int" if self.model is DataModel.ILP32 else "long"
        type_ = {"j": "long long" if self.model is DataModel.ILP32 else "long", "z": word, "t": word}.get(
            directive.length
        ) or _SIGNED.get(directive.length)
        if type_ is None:
            raise FormatError(f"the length {directive.length} is not modelled")
        if directive.kind in ("d", "i", "n"):
            return type_
        return "unsigned char" if type_ == "signed char" else f"unsigned {type_}"

    def _converter(self, directive: Directive) -> str:
        """The block that makes the value of what was read."""
        signed = directive.kind in ("d", "i")
        long = self.model is DataModel.ILP32 and self._type(directive).endswith("long long")
        return ("" if signed else "u") + ("longlong" if long or directive.length == "ll" else "long")


class Formats:
    """The functions for the formats that a program reads."""

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._found: dict[tuple[str, str, bytes], Scanner] = {}

    @property
    def scanners(self) -> list[Scanner]:
        """All of them."""
        return list(self._found.values())

    def scanner(self, name: str, source: str, arguments: Sequence[Node], place: int) -> Scanner:
        """The function for a call of ``name``, whose format is the argument at a ``place``; :class:`FormatError` if
        it has no model."""
        literal = string_of(arguments[place]) if place < len(arguments) else None
        if literal is None:
            raise FormatError("it is no string literal")
        key = (name, source, literal)
        if key not in self._found:
            leading = {"scanf": (), "fscanf": ("void *stream",), "sscanf": ("const char *text",)}[name]
            made = f"{MODEL_PREFIX}{name}_{len(self._found) + 1}"
            parameters = (*leading, "const char *format")
            self._found[key] = scanner(made, source, parse_format(literal), self._model, parameters)
        if len(arguments) - place - 1 != len(self._found[key].stored):
            raise FormatError("the number of arguments does not fit")
        return self._found[key]


def scanner(
    name: str, source: str, directives: Sequence[Directive], model: DataModel, leading: tuple[str, ...]
) -> Scanner:
    """The function for a format; :class:`FormatError` if it has no model for this source."""
    made = Scanner(name, source, tuple(directives), model, leading)
    if source != "text" and any(directive.kind == "n" for directive in directives):
        raise FormatError("the conversion '%n' is modelled only for texts")
    assert made.text
    return made


def _number_input(type_: str) -> str:
    """The function that reads a number of that type."""
    unsigned = type_.startswith("unsigned ")
    stem = "char" if type_ == "unsigned char" else _STEMS[type_.removeprefix("unsigned ")]
    return f"__VERIFIER_nondet_stdin_{'u' if unsigned else ''}{stem}"


def _membership(members: frozenset[int]) -> str:
    """An expression that says whether the byte ``c`` (-1: none) is one of these."""
    ranges: list[tuple[int, int]] = []
    for member in sorted(members):
        if ranges and ranges[-1][1] == member - 1:
            ranges[-1] = (ranges[-1][0], member)
        else:
            ranges.append((member, member))
    tests = [f"(c == {low})" if low == high else f"((unsigned)c - {low}u <= {high - low}u)" for low, high in ranges]
    return f"({' | '.join(tests) or '0'})"
