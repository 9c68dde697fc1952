"""Testing one function without a ``main`` of its own: a ``main`` that calls it with inputs.

Parameters are inputs, as are the global variables that the unit declares and never defines (they are defined here), and
those that it defines without an initial value and uses (if they are small). Functions without a body that return
structs or pointers get one that returns inputs. What pointers lead to: :mod:`gia.frontend.harness.objects`. The
program's own ``main`` is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Final

from msgspec import Struct
from pycparser import c_ast
from pycparserext.ext_c_generator import GnuCGenerator

from gia.cfa.types import CType, FloatType, FunctionType, IntegerType, TypeTable, VoidType
from gia.errors import Position
from gia.frontend.edits import Edit, edited
from gia.frontend.harness.members import Member, related
from gia.frontend.harness.objects import PREFIX, Objects, UnsupportedTypeError
from gia.frontend.harness.outputs import RESULT, Output, declaration, input_of, outputs_of, writing
from gia.frontend.loaded import InputPlace
from gia.frontend.lowering.context import NotSupportedError
from gia.frontend.parsing.syntax import Node
from gia.frontend.preprocess import PreprocessedSource
from gia.frontend.qualifiers import Qualifiers

HARNESS_FILE: Final = "<entry>"
"""The name of the file that the added code says it stands in."""

LARGEST_GLOBAL: Final = 256
"""Bytes of a variable that is an input although the unit defines it; larger ones keep the value 0."""


class Bodiless(Struct, frozen=True):
    """A function without a body: the beginning of a definition of it, its type, its parameters with their names there,
    and through which of them it writes."""

    head: str
    type: FunctionType
    parameters: tuple[tuple[str, CType], ...]
    outputs: tuple[Output, ...]


class Unit(Struct, frozen=True):
    """A function that is to be called, and what it needs.

    ``parameters`` are the names of its parameters, as far as they have some. ``externs`` are the variables without a
    definition, ``globals_`` others that are inputs; ``bodiless`` are functions that return, or write, what is made of
    inputs.
    ``names`` has the names that ``typedef`` gives to types without a tag, by their tags in the CFA; ``has_stdin`` says
    whether it knows standard input.
    """

    name: str
    type: FunctionType
    parameters: Sequence[str]
    externs: Mapping[str, CType]
    globals_: Mapping[str, CType]
    bodiless: Mapping[str, Bodiless]
    types: TypeTable
    names: Mapping[str, str]
    has_stdin: bool
    position: Position


class Harness(Struct, frozen=True):
    """The text of a ``main`` that calls a function with inputs, and what these are, in their order.

    ``definitions`` come before it. There may be decisions in them, which are none of the user's.
    """

    definitions: str
    main: str
    places: tuple[InputPlace, ...]


def harness(unit: Unit) -> Harness:
    """A ``main`` for the function."""
    objects = Objects(unit.types, unit.names, unit.has_stdin)
    lines: list[str] = []
    small = {name: type_ for name, type_ in unit.globals_.items() if unit.types.size_of(type_) <= LARGEST_GLOBAL}
    for name, type_ in {**unit.externs, **small}.items():
        lines += _supported(objects.fill(Member(name, name, type_)), unit, f"the variable {name}")
    bodies = [line for name, found in unit.bodiless.items() for line in _body(objects, name, found)]
    arguments = [f"{PREFIX}argument_{number}" for number in range(1, len(unit.type.parameters) + 1)]
    for number, member in enumerate(related(list(map(Member, unit.parameters, arguments, unit.type.parameters))), 1):
        lines += _supported(objects.argument(member), unit, f"parameter {number} of {unit.name}")
    call = f"{unit.name}({', '.join(arguments)})"
    result = unit.type.result
    if not isinstance(result, VoidType) and objects.is_complete(result):
        # Compilers leave out pure functions whose result nobody looks at.
        call = f"{objects.declared(result, f'volatile {PREFIX}value')} = {call}"
    lines.append(f"{call};")
    variables = [f"__typeof__({variable}) {variable};" for variable in unit.externs]
    before = [*objects.input_declarations(), *variables, *objects.prototypes(), *objects.functions, *bodies, ""]
    main = ["int main(void)", "{", *lines, "return 0;", "}", ""]
    places = objects.places(dict(zip(arguments, unit.parameters, strict=True)))
    return Harness("\n".join(before), "\n".join(main), places)


def _supported(statements: Iterable[str], unit: Unit, what: str) -> list[str]:
    """Statements that make an object of inputs, if its type is supported."""
    try:
        return list(statements)
    except UnsupportedTypeError:
        message = f"{what} has a type that cannot be an input"
        raise NotSupportedError(message, unit.position, "write a main that calls the function") from None


def _body(objects: Objects, name: str, found: Bodiless) -> list[str]:
    """The definition of a function whose result and outputs are made of inputs; nothing if that cannot be."""
    result = found.type.result
    inputs = {output.parameter: output.type for output in found.outputs}
    if isinstance(result, IntegerType | FloatType):
        called = RESULT
        while called in inputs:  # a parameter may be called so
            called += "_"
        inputs[called] = result
        returning = [f"return {input_of(name, called)}();"]
    else:
        try:
            returning = objects.result(result, found.parameters)
        except UnsupportedTypeError:
            return []
    declarations = [declaration(name, what, type_) for what, type_ in inputs.items()]
    return [*declarations, f"{found.head} {{", *writing(name, found.outputs), *returning, "}"]


def with_harness(source: PreprocessedSource, made: Harness, own_main: tuple[int, int] | None) -> PreprocessedSource:
    """The source without its own ``main``, which has the extent ``own_main``, and with the harness at its end."""
    blank = [] if own_main is None else [Edit(*own_main, re.sub(r"[^\n]", " ", source.text[slice(*own_main)]))]
    return edited(edited(source, blank, tail=made.definitions), [], tail=made.main, file=HARNESS_FILE)


def bodiless(declaration: Node, type_: FunctionType, qualifiers: Qualifiers) -> Bodiless:
    """A declared function as it could be defined: its declaration with names for all parameters."""
    copied = deepcopy(declaration)
    copied.storage = []
    copied.type.attributes = c_ast.ExprList([])
    copied.type.asm = None
    names, writable = [], []
    for number, parameter in enumerate(copied.type.args.params if copied.type.args is not None else []):
        outer: Node = getattr(parameter, "type", None)
        inner = outer
        while inner is not None and not isinstance(inner, c_ast.TypeDecl):
            inner = getattr(inner, "type", None)
        is_void = inner is outer and getattr(getattr(inner, "type", None), "names", None) == ["void"]
        if inner is None or is_void:
            continue
        if inner.declname is None:
            inner.declname = f"{PREFIX}parameter_{number}"
        names.append(inner.declname)
        if isinstance(outer, c_ast.PtrDecl | c_ast.ArrayDecl) and not qualifiers.may_be_in(outer.type):
            writable.append(inner.declname)
    parameters = tuple(zip(names, type_.parameters, strict=False))
    outputs = outputs_of(declaration.name, parameters, writable)
    return Bodiless(GnuCGenerator().visit(copied), type_, parameters, tuple(outputs))
