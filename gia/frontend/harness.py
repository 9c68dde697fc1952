"""Testing one function without a ``main`` of its own: a ``main`` that calls it with inputs.

Parameters of arithmetic type are inputs. A pointer to a complete type points to one object of that type, whose parts
are inputs. Parts of structs that are pointers are null. Global variables that the program declares and never defines
are defined, and are inputs as well. The program's own ``main`` is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pycparser import c_ast

from gia.cfa.types import ArrayType, CType, FloatType, IntegerType, PointerType, StructType, TypeTable
from gia.errors import Position
from gia.frontend.context import NotSupportedError
from gia.frontend.library import INPUT_PREFIX
from gia.frontend.preprocess import PreprocessedSource
from gia.frontend.syntax import Node

HARNESS_FILE = "<entry>"
"""The name of the file that the added code says it stands in."""

MOST_INPUTS = 4096
"""The most inputs that one object may need."""

_INPUTS: Mapping[str, str] = {
    "_Bool": "bool",
    "char": "char",
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned int": "uint",
    "long": "long",
    "unsigned long": "ulong",
    "long long": "longlong",
    "unsigned long long": "ulonglong",
    "float": "float",
    "double": "double",
    "long double": "double",
}
"""The type names at the end of the input functions, by type."""

_RESULTS: Mapping[str, str] = {"bool": "_Bool", **{stem: name for name, stem in reversed(list(_INPUTS.items()))}}


class Harness:
    """The text of a ``main`` that calls the function ``definition``.

    ``parameters`` are its parameters' types in the CFA, ``externs`` the variables without a definition.
    """

    def __init__(
        self,
        definition: Node,
        parameters: tuple[CType, ...],
        externs: Mapping[str, CType],
        types: TypeTable,
        position: Position,
    ) -> None:
        self._types = types
        self._position = position
        self._used: set[str] = set()
        self._count = 0
        lines: list[str] = []
        for name, type_ in externs.items():
            lines += self._fill(name, type_)
        arguments = [self._parameter(definition, index, type_, lines) for index, type_ in enumerate(parameters)]
        lines.append(f"{definition.decl.name}({', '.join(arguments)});")
        declarations = [f"extern {_RESULTS[stem]} {INPUT_PREFIX}{stem}(void);" for stem in sorted(self._used)]
        definitions = [f"__typeof__({name}) {name};" for name in externs]
        self.text = "\n".join([*declarations, *definitions, "int main(void)", "{", *lines, "return 0;", "}", ""])

    def _parameter(self, definition: Node, index: int, type_: CType, lines: list[str]) -> str:
        """Add what prepares an argument; the argument."""
        node = definition.decl.type.args.params[index]
        name = f"__gia_argument_{index + 1}"
        if isinstance(type_, PointerType) and isinstance(type_.target, IntegerType | FloatType | StructType):
            lines.append(f"static {self._spelling(node.type.type)} {name};")
            lines += self._fill(name, type_.target)
            return f"&{name}"
        if isinstance(type_, IntegerType | FloatType | StructType):
            lines.append(f"{self._spelling(node.type)} {name};")
            lines += self._fill(name, type_)
            return name
        raise self._unsupported(f"parameter {index + 1} of {definition.decl.name} has a type that cannot be an input")

    def _spelling(self, node: Node) -> str:
        """The type of a parameter as the source names it."""
        if isinstance(node, c_ast.TypeDecl):
            if isinstance(node.type, c_ast.IdentifierType):
                return " ".join(node.type.names)
            for class_, keyword in ((c_ast.Struct, "struct"), (c_ast.Union, "union"), (c_ast.Enum, "enum")):
                if isinstance(node.type, class_) and node.type.name:
                    return f"{keyword} {node.type.name}"
        raise self._unsupported("a parameter has a type that cannot be an input")

    def _fill(self, place: str, type_: CType) -> Iterator[str]:
        """Statements that make every part of an object an input."""
        match type_:
            case IntegerType(name=name) | FloatType(name=name) if name in _INPUTS:
                self._count += 1
                if self._count > MOST_INPUTS:
                    raise self._unsupported(f"{place} needs too many inputs")
                self._used.add(_INPUTS[name])
                yield f"{place} = {INPUT_PREFIX}{_INPUTS[name]}();"
            case PointerType():
                yield f"{place} = 0;"
            case ArrayType(element=element, length=int() as length):
                for index in range(length):
                    yield from self._fill(f"{place}[{index}]", element)
            case StructType(tag=tag, is_union=is_union) if tag in self._types.layouts:
                fields = self._types.layouts[tag].fields
                if is_union and fields:
                    fields = (max(fields, key=lambda field: self._types.size_of(field.type)),)
                for field in fields:
                    inner = place if field.name.startswith("$") else f"{place}.{field.name}"
                    yield from self._fill(inner, field.type)
            case _:
                raise self._unsupported(f"{place} has a type that cannot be an input")

    def _unsupported(self, message: str) -> NotSupportedError:
        return NotSupportedError(message, self._position, "write a main that calls the function")


def with_harness(source: PreprocessedSource, harness: Harness, own_main: tuple[int, int] | None) -> PreprocessedSource:
    """The source without its own ``main``, which has the extent ``own_main``, and with the harness at its end."""
    text = source.text
    if own_main is not None:
        begin, end = own_main
        text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    head = f'{text.rstrip()}\n# 1 "{HARNESS_FILE}"\n'
    offsets, places, system = list(source.offsets), list(source.places), list(source.system)
    offset = len(head)
    for number, line in enumerate(harness.text.splitlines(keepends=True), 1):
        offsets.append(offset)
        places.append(Position(HARNESS_FILE, number, 1))
        system.append(False)
        offset += len(line)
    return replace(source, text=head + harness.text, offsets=offsets, places=places, system=system)
