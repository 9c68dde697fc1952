"""Testing one function without a ``main`` of its own: a ``main`` that calls it with inputs.

Parameters are inputs, as are the global variables that the unit declares and never defines (they are defined here), and
those that it defines without an initial value and uses (if they are small). The program's own ``main`` is taken out.

A pointer points, as one more input decides, to new objects, to nothing, or to an object of its type that is there
already. New objects have inputs as their parts. How many there are depends on the type only (:data:`BYTES`,
:data:`NUMBERS`); after :data:`DEEPEST` pointers, or :data:`MANY_INPUTS` inputs, there are no more new ones. A pointer
to a function points to one that returns inputs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy

from pycparser import c_ast
from pycparserext.ext_c_generator import GnuCGenerator

from gia.cfa.types import (
    CHAR,
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    StructType,
    TypeTable,
    VoidType,
)
from gia.errors import Position
from gia.frontend.edits import Edit, edited
from gia.frontend.library import INPUT_PREFIX
from gia.frontend.lowering.context import NotSupportedError
from gia.frontend.parsing.syntax import Node
from gia.frontend.preprocess import PreprocessedSource

HARNESS_FILE = "<entry>"
"""The name of the file that the added code says it stands in."""

MOST_INPUTS = 4096
"""The most inputs that there may be."""

MANY_INPUTS = 256
"""When there are so many, pointers lead to no more new objects."""

DEEPEST = 3
"""So many pointers in a row lead to new objects."""

BYTES = 8
"""The length of the new array that a pointer to characters, or to ``void``, points to; it ends in a zero."""

NUMBERS = 4
"""The length of that for other numbers. Of all other types there is one object."""

LARGEST_GLOBAL = 256
"""Bytes of a variable that is an input although the unit defines it; larger ones keep the value 0."""

MOST_OLD = 4
"""To so many objects that exist already a pointer may point."""

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
    """The text of a ``main`` that calls the function ``name``, which has the type ``function``.

    ``externs`` are the variables without a definition, ``globals_`` others that are inputs; ``declared`` are functions
    without a body that return structs, with the beginnings of their definitions, which are written here. ``names`` has
    the names that ``typedef`` gives to types without a tag, by their tags in the CFA.
    """

    def __init__(
        self,
        name: str,
        function: FunctionType,
        *,
        externs: Mapping[str, CType],
        globals_: Mapping[str, CType],
        declared: Mapping[str, tuple[str, StructType]],
        types: TypeTable,
        names: Mapping[str, str],
        position: Position,
    ) -> None:
        self._types = types
        self._names = names
        self._position = position
        self._used: set[str] = set()
        self._count = 0
        self._place = "a global variable"
        self._objects: dict[CType, list[str]] = defaultdict(list)
        self._stubs: list[str] = []
        lines: list[str] = []
        small = {variable: type_ for variable, type_ in globals_.items() if types.size_of(type_) <= LARGEST_GLOBAL}
        for variable, type_ in {**externs, **small}.items():
            lines += self._fill(variable, type_)
        bodies = [line for found, (head, type_) in declared.items() for line in self._body(found, head, type_)]
        arguments = []
        for number, type_ in enumerate(function.parameters, 1):
            argument = f"__gia_argument_{number}"
            self._place = f"parameter {number} of {name}"
            lines += [f"{self._declared(type_, argument)};", *self._fill(argument, type_)]
            arguments.append(argument)
        lines.append(f"{name}({', '.join(arguments)});")
        declarations = [f"extern {_RESULTS[stem]} {INPUT_PREFIX}{stem}(void);" for stem in sorted(self._used)]
        definitions = [f"__typeof__({variable}) {variable};" for variable in externs]
        main = ["int main(void)", "{", *lines, "return 0;", "}", ""]
        self.text = "\n".join([*declarations, *definitions, *self._stubs, *bodies, *main])

    def _declared(self, type_: CType, name: str) -> str:
        """A declaration of ``name``."""
        match type_:
            case IntegerType() | FloatType():
                return f"{type_.name} {name}"
            case VoidType():
                return f"void {name}"
            case StructType(tag=tag):
                return f"{self._names.get(tag, str(type_))} {name}"
            case PointerType(target=target):
                inner = f"(*{name})" if isinstance(target, FunctionType | ArrayType) else f"*{name}"
                return self._declared(target, inner)
            case ArrayType(element=element, length=length):
                return self._declared(element, f"{name}[{'' if length is None else length}]")
            case FunctionType(result=result, parameters=parameters, variadic=variadic, unspecified=unspecified):
                listed = [self._declared(parameter, f"p{n}") for n, parameter in enumerate(parameters)]
                listed += ["..."] if variadic else []
                return self._declared(result, f"{name}({', '.join(listed) or ('' if unspecified else 'void')})")

    def _fill(self, place: str, type_: CType, depth: int = 0) -> Iterator[str]:
        """Statements that make every part of an object an input."""
        match type_:
            case IntegerType(name=name) | FloatType(name=name) if name in _INPUTS:
                yield f"{place} = {self._input(_INPUTS[name])};"
            case PointerType(target=FunctionType() as function):
                yield f"{place} = {self._stub(function)};"
            case PointerType(target=target):
                yield from self._point(place, CHAR if isinstance(target, VoidType) else target, depth)
            case ArrayType(element=element, length=int() as length):
                for index in range(length):
                    yield from self._fill(f"{place}[{index}]", element, depth)
            case StructType(tag=tag, is_union=is_union) if tag in self._types.layouts:
                fields = self._types.layouts[tag].fields
                if is_union and fields:
                    fields = (max(fields, key=lambda field: self._types.size_of(field.type)),)
                for field in fields:
                    inner = place if field.name.startswith("$") else f"{place}.{field.name}"
                    yield from self._fill(inner, field.type, depth)
            case _:
                raise self._unsupported()

    def _input(self, stem: str) -> str:
        """A call that reads an input."""
        self._count += 1
        if self._count > MOST_INPUTS:
            raise self._unsupported("needs too many inputs")
        self._used.add(stem)
        return f"{INPUT_PREFIX}{stem}()"

    def _point(self, place: str, target: CType, depth: int) -> Iterator[str]:
        """Statements that choose where a pointer points.

        It is read from an array: a decision would be one of the program.
        """
        known = self._objects[target]
        choices = ["0", *known[:MOST_OLD]]
        if depth < DEEPEST and self._count < MANY_INPUTS and self._is_complete(target):
            name = f"__gia_object_{sum(map(len, self._objects.values())) + 1}"
            length = {8: BYTES}.get(target.width, NUMBERS) if isinstance(target, IntegerType | FloatType) else 1
            yield f"static {self._declared(ArrayType(target, length), name)};"
            known.append(name)
            choices.insert(0, name)
            filled = length - 1 if length == BYTES else length
            for index in range(filled):
                yield from self._fill(f"{name}[{index}]", target, depth + 1)
        if len(choices) == 1:
            yield f"{place} = 0;"
        else:
            chosen = f"__gia_choices[{self._input('uchar')} % {len(choices)}]"
            yield f"{{ void *__gia_choices[] = {{ {', '.join(choices)} }}; {place} = {chosen}; }}"

    def _is_complete(self, type_: CType) -> bool:
        """Whether there can be an object of a type."""
        if isinstance(type_, StructType):
            named = type_.tag in self._names or "$" not in type_.tag
            return named and type_.tag in self._types.layouts
        return not isinstance(type_, FunctionType)

    def _body(self, name: str, head: str, type_: StructType) -> Iterator[str]:
        """The definition of a function whose result is made of inputs; nothing if that cannot be."""
        self._place = f"the value of {name}"
        objects, self._objects = self._objects, defaultdict(list)  # those of main have no names here
        try:
            filled = list(self._fill("__gia_result", type_, DEEPEST))
        except NotSupportedError:
            return
        finally:
            self._objects = objects
        yield from (f"{head} {{", f"{self._declared(type_, '__gia_result')};", *filled, "return __gia_result;", "}")

    def _stub(self, function: FunctionType) -> str:
        """The name of a new function of that type, whose result is an input."""
        name = f"__gia_function_{len(self._stubs) + 1}"
        match function.result:
            case VoidType():
                body = ""
            case IntegerType(name=result) | FloatType(name=result) if result in _INPUTS:
                body = f"return {self._input(_INPUTS[result])}; "
            case PointerType():
                body = "return 0; "
            case _:
                raise self._unsupported()
        self._stubs.append(f"static {self._declared(function, name)} {{ {body}}}")
        return name

    def _unsupported(self, reason: str = "has a type that cannot be an input") -> NotSupportedError:
        return NotSupportedError(f"{self._place} {reason}", self._position, "write a main that calls the function")


def with_harness(source: PreprocessedSource, harness: Harness, own_main: tuple[int, int] | None) -> PreprocessedSource:
    """The source without its own ``main``, which has the extent ``own_main``, and with the harness at its end."""
    blank = [] if own_main is None else [Edit(*own_main, re.sub(r"[^\n]", " ", source.text[slice(*own_main)]))]
    return edited(source, blank, tail=harness.text, file=HARNESS_FILE)


def definition_of(declaration: Node) -> str:
    """The beginning of a definition of a declared function: its declaration with names for all parameters."""
    copied = deepcopy(declaration)
    copied.storage = []
    copied.type.attributes = c_ast.ExprList([])
    copied.type.asm = None
    for number, parameter in enumerate(copied.type.args.params if copied.type.args is not None else []):
        outer: Node = getattr(parameter, "type", None)
        inner = outer
        while inner is not None and not isinstance(inner, c_ast.TypeDecl):
            inner = getattr(inner, "type", None)
        is_void = inner is outer and getattr(getattr(inner, "type", None), "names", None) == ["void"]
        if inner is not None and inner.declname is None and not is_void:
            inner.declname = f"__gia_parameter_{number}"
    text: str = GnuCGenerator().visit(copied)
    return text
