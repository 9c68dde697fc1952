"""A program of control-flow automata as C: the inverse of the front end.

The output is one translation unit without ``#include`` that gcc and clang compile. It behaves as the program does: the
same inputs in the same order, the same calls of library functions, the same layout of all data. A function's body is
its graph: a label per location that is jumped to, ``goto`` between them, and locals declared at the start. Names are
those of :mod:`gia.cfa.naming`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from gia.cfa.c_expressions import expression_to_c, expression_to_gia
from gia.cfa.c_types import declaration, static_assertion, struct_closure, struct_definition
from gia.cfa.expressions import Expression, FunctionReference, Member, Subscript, Variable, VariableReference, walk
from gia.cfa.function_writer import FunctionWriter, Lines
from gia.cfa.graph import EdgeReference, Function, Initialiser, Program
from gia.cfa.naming import ProgramNames, ScopedNames
from gia.cfa.operations import Call, Halt, Input, Unmodelled, operands_of
from gia.cfa.types import INT, VOID, CType, FunctionType, StructType
from gia.errors import InternalError

__all__ = ["WrittenText", "expression_to_c", "expression_to_gia", "write_c", "write_c_with_goals"]


NO_MARKS: Mapping[int, str] = MappingProxyType({})


def write_c(program: Program, *, line_directives: bool = True, marks: Mapping[int, str] = NO_MARKS) -> str:
    """The program as C text; with ``line_directives`` every statement has its position in the original source.

    ``marks`` are C statements that are executed whenever the edge with that number is.

    The text is meant for the data model of the program (a static assertion refuses another one) and for a compiler
    with ``-fwrapv``. Everything but the entry function has internal linkage, so that nothing is confused with a
    function of the library that has the same name.
    """
    return _ProgramWriter(program, line_directives, marks).text()


class WrittenText(Struct, frozen=True):
    """A program as C text, and where its edges are in it.

    ``decisions`` has, for the edges of decisions, the ids that they have as goals of the text; ``edges`` the edge whose
    text begins in a line, by the number of that line in the text itself (from 1).
    """

    text: str
    decisions: Mapping[EdgeReference, Sequence[str]]
    edges: Mapping[int, EdgeReference]


def write_c_with_goals(program: Program, *, head: str = "") -> WrittenText:
    """The program as C text, behind the lines of ``head``."""
    writer = _ProgramWriter(program, line_directives=True, marks=NO_MARKS, head=head)
    text = writer.text()
    ids: dict[EdgeReference, list[str]] = {}
    seen: Counter[str] = Counter()
    for function, outcomes in writer.outcomes:
        for reference, line, outcome in outcomes:
            name = f"{function}:{line}:{_COLUMN}:{outcome}"
            seen[name] += 1
            ids.setdefault(reference, []).append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return WrittenText(text, ids, writer.lines.edges)


_COLUMN = 3
"""Where statements begin in the output."""


class _ProgramWriter:
    """Writes one program, from the types to the function bodies."""

    def __init__(self, program: Program, line_directives: bool, marks: Mapping[int, str], head: str = "") -> None:
        self.outcomes: list[tuple[str, list[tuple[EdgeReference, int, str]]]] = []
        self.program = program
        self.lines = Lines(line_directives)
        self.head = head
        self.marks = marks
        self.code = " ".join(edge.operation.code for edge in program.edges() if isinstance(edge.operation, Unmodelled))
        self.words = frozenset(re.findall(r"[A-Za-z_]\w*", self.code))
        self.expressions = tuple(_expressions(program))
        defined = {initialiser.variable for initialiser in program.statics}
        mentioned = dict.fromkeys(
            found.variable
            for expression in self.expressions
            for found in walk(expression)
            if isinstance(found, VariableReference) and found.variable.is_static
        )
        self.undefined = tuple(variable for variable in mentioned if variable not in defined)
        self.names = ProgramNames(program, self.undefined)

    def text(self) -> str:
        """The whole translation unit."""
        lines = self.lines
        if self.head:
            lines.add(self.head)
        scope = self.names.at_file_scope()
        pointer = self.program.types.data_model.pointer_width // 8
        lines.add(static_assertion(f"sizeof(void *) == {pointer} /* {self.program.types.data_model} */"))
        external = self._external_declarations()
        self._write_structs(lines, scope, external)
        for name, type_ in external.items():
            lines.add(f"extern {declaration(type_, name, scope)};")
        for variable in self.undefined:
            lines.add(f"extern {declaration(variable.type, scope.variable(variable), scope)};")
        for function in self.program.functions.values():
            lines.add(f"{self._head(function, scope)};")
        self._write_statics(lines, scope)
        for function in self.program.functions.values():
            names = self.names.inside(function)
            lines.add("")
            lines.add(self._head(function, names, function.parameters))
            body = FunctionWriter(self.program, function, names, lines, self.marks)
            body.write()
            self.outcomes.append((names.function(function.name), body.outcomes))
        return lines.text()

    def _write_structs(self, lines: Lines, scope: ScopedNames, external: Mapping[str, FunctionType]) -> None:
        """Declarations of all structs that are mentioned, then definitions of the complete ones."""
        types: list[CType] = [*external.values()]
        types += [initialiser.variable.type for initialiser in self.program.statics]
        types += [variable.type for variable in self.undefined]
        for function in self.program.functions.values():
            types += [function.type, *(variable.type for variable in (*function.parameters, *function.locals))]
        types += [found.type for expression in self.expressions for found in walk(expression)]
        table = self.program.types
        structs = struct_closure(dict.fromkeys(types), table)
        for struct in structs:
            lines.add(f"{scope.type(struct)};")
        for struct in structs:
            if struct.tag in table.layouts:
                lines.add(struct_definition(struct, table, scope).rstrip("\n"))

    def _external_declarations(self) -> dict[str, FunctionType]:
        """The functions without a body that are used, by name, with the types to declare them with."""
        found: dict[str, FunctionType] = {}
        mentioned = (
            part.name
            for expression in self.expressions
            for part in walk(expression)
            if isinstance(part, FunctionReference)
        )
        for name in (*mentioned, *(name for name in self.program.externals if name in self.words)):
            if name in self.program.externals:
                found[name] = self.program.externals[name].type
        for edge in self.program.edges():
            match edge.operation:
                case Input(function=name, type=type_):
                    found[name] = FunctionType(type_, ())
                    if name in self.program.externals and self.program.externals[name].type.parameters:
                        found[name] = FunctionType(type_, (), unspecified=True)  # inputs do not depend on arguments
                case Halt(function="__VERIFIER_assume"):
                    found["__VERIFIER_assume"] = FunctionType(VOID, (INT,))
                case Call(function=name, arguments=arguments) | Halt(function=name, arguments=arguments):
                    guessed = FunctionType(VOID, tuple(argument.type for argument in arguments))
                    known = self.program.externals.get(name)
                    found.setdefault(name, guessed if known is None else known.type)
        found.setdefault("abort", FunctionType(VOID, ()))  # ends paths that must not go on
        return {
            name: type_
            for name, type_ in sorted(found.items())
            if name not in self.program.functions and not name.startswith("__builtin_")
        }

    def _head(self, function: Function, names: ScopedNames, parameters: Iterable[Variable] | None = None) -> str:
        """The declaration of a function, with the names of the parameters if they are given."""
        linkage = "" if function.name in (self.program.entry, "main") else "static "
        name = names.function(function.name)
        if parameters is None:
            type_ = function.type
            if type_.variadic:
                type_ = FunctionType(type_.result, tuple(parameter.type for parameter in function.parameters))
            return linkage + declaration(type_, name, names)
        shown = [declaration(parameter.type, names.variable(parameter), names) for parameter in parameters]
        if not shown and not function.type.unspecified:
            shown.append("void")
        return linkage + declaration(function.type.result, f"{name}({', '.join(shown)})", names)

    def _write_statics(self, lines: Lines, scope: ScopedNames) -> None:
        """Tentative definitions of all static objects, since one may hold the address of another; then their values.

        An object whose type the program does not complete can only be declared.
        """
        for initialiser in self.program.statics:
            type_ = initialiser.variable.type
            incomplete = isinstance(type_, StructType) and type_.tag not in self.program.types.layouts
            linkage = "extern" if incomplete else "static"
            lines.add(f"{linkage} {declaration(type_, scope.variable(initialiser.variable), scope)};")
        for initialiser in self.program.statics:
            if initialiser.assignments:
                variable = initialiser.variable
                head = declaration(variable.type, scope.variable(variable), scope)
                lines.add(f"static {head} = {_initial_value(initialiser, scope)};")


def _initial_value(initialiser: Initialiser, names: ScopedNames) -> str:
    """The right-hand side of a definition: a value, or a list with designators."""
    shown = []
    for target, value in initialiser.assignments:
        text = expression_to_c(value, names)
        if isinstance(target, VariableReference):
            return text
        shown.append(f"{_designator(target, names)} = {text}")
    return "{" + ", ".join(shown) + "}"


def _designator(target: Expression, names: ScopedNames) -> str:
    """``.field[3]`` for the part of a variable that ``target`` is."""
    result = ""
    while not isinstance(target, VariableReference):
        match target:
            case Member(base=base, field=field):
                result, target = f".{names.member(field)}{result}", base
            case Subscript(array=array, index=index):
                result, target = f"[{expression_to_c(index, names)}]{result}", array
            case _:
                raise InternalError(f"{target} is no part of a static object")
    return result


def _expressions(program: Program) -> Iterator[Expression]:
    """All expressions that occur in a program."""
    for initialiser in program.statics:
        for target, value in initialiser.assignments:
            yield target
            yield value
    for edge in program.edges():
        yield from operands_of(edge.operation)
