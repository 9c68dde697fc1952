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

from gia.cfa.types import (
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
from gia.frontend.harness.members import Member, related
from gia.frontend.harness.objects import PREFIX, Objects, UnsupportedTypeError
from gia.frontend.harness.outputs import RESULT, Output, declaration, input_of, outputs_of, writing
from gia.frontend.library import effect_of
from gia.frontend.loaded import InputPlace
from gia.frontend.lowering.context import NotSupportedError
from gia.frontend.parsing.syntax import Node, c_text
from gia.frontend.preprocessed import PreprocessedSource
from gia.frontend.qualifiers import Qualifiers

HARNESS_FILE: Final = "<entry>"
"""The name of the file that the added code says it stands in."""

LARGEST_GLOBAL: Final = 256
"""Bytes of a variable that is an input although the unit defines it; larger ones keep the value 0."""


class Bodiless(Struct, frozen=True):
    """A function without a body: the beginning of a definition of it, its type, its parameters with their names there,
    through which of them it writes, and whether it may do so at all, or call what it is given.

    Numbers are not changed through pointers to ``const``, as is agreed in C.
    """

    head: str
    type: FunctionType
    parameters: tuple[tuple[str, CType], ...]
    outputs: tuple[Output, ...]
    has_effect: bool


class Unit(Struct, frozen=True):
    """A function that is to be called, and what it needs.

    ``parameters`` are the names of its parameters, as far as they have some. ``externs`` are the variables without a
    definition, with ``declarations`` of them, ``globals_`` others that are inputs; ``bodiless`` are functions that
    return, or write, what is made of inputs.
    ``names`` has the names that ``typedef`` gives to types without a tag, by their tags in the CFA; ``has_stdin`` says
    whether it knows standard input.
    """

    name: str
    type: FunctionType
    parameters: Sequence[str]
    externs: Mapping[str, CType]
    declarations: Mapping[str, str]
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
    externs = {name: objects.with_length(type_) for name, type_ in unit.externs.items()}
    for name, type_ in {**externs, **small}.items():
        lines += _supported(objects.fill(Member(name, name, type_)), unit, f"the variable {name}")
    bodies = [
        line
        for name, found in unit.bodiless.items()
        for line in _body(objects, name, found, found.outputs, writing(name, found.outputs))
    ]
    arguments = [f"{PREFIX}argument_{number}" for number in range(1, len(unit.type.parameters) + 1)]
    for number, member in enumerate(related(list(map(Member, unit.parameters, arguments, unit.type.parameters))), 1):
        lines += _supported(objects.argument(member), unit, f"parameter {number} of {unit.name}")
    call = f"{unit.name}({', '.join(arguments)})"
    result = unit.type.result
    if not isinstance(result, VoidType) and objects.is_complete(result):
        # Compilers leave out pure functions whose result nobody looks at.
        call = f"{objects.declared(result, f'volatile {PREFIX}value')} = {call}"
    lines.append(f"{call};")
    variables = [_definition(name, unit, type_) for name, type_ in externs.items()]
    before = [*objects.input_declarations(), *variables, *objects.prototypes(), *objects.functions, *bodies, ""]
    main = ["int main(void)", "{", *lines, "return 0;", "}", ""]
    places = objects.places(dict(zip(arguments, unit.parameters, strict=True)))
    return Harness("\n".join(before), "\n".join(main), places)


def _definition(name: str, unit: Unit, type_: CType) -> str:
    """The definition of a variable that is declared; an array without length has that of ``type_``."""
    if isinstance(type_, ArrayType) and type_ != unit.externs[name]:
        return f"__typeof__({name}[0]) {name}[{type_.length}];"
    return f"{unit.declarations[name]};"


def _supported(statements: Iterable[str], unit: Unit, what: str) -> list[str]:
    """Statements that make an object of inputs, if its type is supported."""
    try:
        return list(statements)
    except UnsupportedTypeError:
        message = f"{what} has a type that cannot be an input"
        raise NotSupportedError(message, unit.position, "write a main that calls the function") from None


def _body(objects: Objects, name: str, found: Bodiless, outputs: Iterable[Output], effects: Iterable[str]) -> list[str]:
    """The definition of a function whose result is made of inputs; nothing if that cannot be.

    ``effects`` are statements before, for which there are the inputs of ``outputs``.
    """
    result = found.type.result
    inputs = {output.parameter: output.type for output in outputs}
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
    return [*declarations, f"{found.head} {{", *effects, *returning, "}"]


def returning_inputs(
    functions: Mapping[str, Bodiless], types: TypeTable, names: Mapping[str, str]
) -> tuple[str, list[str]]:
    """Definitions of functions whose results are made of inputs, as far as there can be some, and their names.

    Each part has any value of its type, since the program is more than a unit: nothing is known of the other side. What
    a function does to the memory that it is given is left to one without a body and a result, which may do anything.
    """
    objects = Objects(types, names, unrelated=True)
    bodies = {name: _body(objects, name, found, (), _effect(name, found)) for name, found in functions.items()}
    defined = [name for name, body in bodies.items() if body]
    lines = [*objects.input_declarations(), *(line for name in defined for line in bodies[name])] if defined else []
    return "".join(f"{line}\n" for line in lines), defined


def _effect(name: str, found: Bodiless) -> list[str]:
    """Statements that may do to the memory what the function may do."""
    if not found.has_effect:
        return []
    names = [f"&{parameter}" if isinstance(type_, StructType) else parameter for parameter, type_ in found.parameters]
    types = ", ".join(f"__typeof__({shown})" for shown in names)
    return [f"void {effect_of(name)}({types});", f"{effect_of(name)}({', '.join(names)});"]


def with_harness(
    source: PreprocessedSource, made: Harness, own_main: tuple[int, int] | None, edits: Iterable[Edit]
) -> PreprocessedSource:
    """The source with these edits, without its own ``main`` of the extent ``own_main``, and with the harness."""
    begin, end = own_main or (0, 0)
    blank = [Edit(begin, end, re.sub(r"[^\n]", " ", source.text[begin:end]))] if own_main else []
    outside = [edit for edit in edits if not begin <= edit.start < end]
    return edited(edited(source, [*blank, *outside], tail=made.definitions), [], tail=made.main, file=HARNESS_FILE)


def bodiless(declaration: Node, type_: FunctionType, qualifiers: Qualifiers, types: TypeTable) -> Bodiless:
    """A declared function as it could be defined: its declaration with names for all parameters."""
    copied = deepcopy(declaration)
    copied.storage = []
    copied.type.attributes = c_ast.ExprList([])
    copied.type.asm = None
    names, writable, constant = [], [], []
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
        if isinstance(outer, c_ast.PtrDecl | c_ast.ArrayDecl):
            if not qualifiers.may_be_in(outer.type):
                writable.append(inner.declname)
            if "const" in getattr(outer.type, "quals", ()):
                constant.append(inner.declname)
    parameters = tuple(zip(names, type_.parameters, strict=False))
    outputs = outputs_of(declaration.name, parameters, writable)
    has_effect = any(_may_be_used(type_, name in constant, types) for name, type_ in parameters)
    return Bodiless(c_text(copied), type_, parameters, tuple(outputs), has_effect)


def _may_be_used(type_: CType, is_constant: bool, types: TypeTable) -> bool:
    """Whether what a parameter of a type leads to may be changed or called; not numbers that are constant."""
    if not isinstance(type_, PointerType):
        return types.has_pointers(type_)
    return not (is_constant and isinstance(type_.target, IntegerType | FloatType | VoidType))
