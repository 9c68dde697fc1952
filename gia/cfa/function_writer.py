"""The body of one function as C: labels, statements and ``goto``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gia.cfa.c_expressions import expression_to_c
from gia.cfa.c_types import declaration
from gia.cfa.expressions import Expression, LValue
from gia.cfa.goals import ERROR_LABEL, is_error_label
from gia.cfa.graph import Edge, EdgeReference, Function, Program
from gia.cfa.naming import ScopedNames, identifier
from gia.cfa.operations import Assign, Assume, Call, Declare, Halt, Input, Operation, Return, Skip, Unmodelled
from gia.cfa.quoting import quoted
from gia.cfa.types import ArrayType, CType, FunctionType, VoidType
from gia.cfa.wto import order
from gia.errors import InternalError

_NEVER_RETURN = frozenset({"abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail"})
"""Functions of which every C tool knows that they do not return."""

_WORD = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:\.|->)\s*\w+|(?:struct|union|enum)\s+\w+|[\w$]+""")
"""What may be a variable in C code: a word. Literals, members and tags are matched as a whole: they are none."""


class Lines:
    """Lines of C with ``#line`` directives wherever the position in the source is not what it would be without."""

    def __init__(self, directives: bool) -> None:
        self.edges: dict[int, EdgeReference] = {}
        """The edge whose text begins in a line of the output, by the number of that line."""
        self._directives = directives
        self._lines: list[str] = []
        self._written = 0
        self._file = ""
        self._line = 0

    def add(self, text: str) -> None:
        """Add text (one or more lines) that stands nowhere in the source."""
        self._lines.append(text)
        lines = 1 + text.count("\n")
        self._line += lines
        self._written += lines

    def add_at(self, edge: Edge, text: str) -> None:
        """Add the text of an edge."""
        line = edge.reference.line
        if self._directives and line and (self._file, self._line) != (edge.file, line):
            self._file, self._line = edge.file, line
            self._lines.append(f"#line {line} {quoted(edge.file)}")
            self._written += 1
        self.edges[self._written + 1] = edge.reference
        self.add(text)

    def text(self) -> str:
        """Everything, with a line end at the end."""
        return "\n".join(self._lines) + "\n"


class FunctionWriter:
    """Writes the body of ``function`` to ``lines``.

    ``marks`` are statements by the number of an edge: one is executed whenever the edge is, after the condition of a
    decision, before any other operation.
    """

    def __init__(
        self, program: Program, function: Function, names: ScopedNames, lines: Lines, marks: Mapping[int, str]
    ) -> None:
        self._program = program
        self._function = function
        self._names = names
        self._lines = lines
        self._marks = marks
        self._labelled: set[int] = set()
        self._has_error = False
        self.outcomes: list[tuple[EdgeReference, int, str]] = []
        """The outcomes of the conditions that are written, in their order: edge, line and ``then`` or ``else``."""
        self._stop = "for (;;) ;" if "abort" in program.functions else "abort();"
        """The statement that ends a path which does not go on, where the CFA promises that none comes."""

    def write(self) -> None:
        """The body in braces."""
        lines = self._lines
        lines.add("{")
        for variable in dict.fromkeys(self._function.locals):
            if not variable.is_static:
                lines.add(f"  {self._declaration(variable.type, self._names.variable(variable))};")
        emitted = _emission_order(self._function)
        following = [*emitted[1:], None]
        pieces = [self._location(location, after) for location, after in zip(emitted, following, strict=True)]
        for location, statements in zip(emitted, pieces, strict=True):
            if location in self._labelled:
                lines.add(f"L{location}:;")
            for edge, text in statements:
                lines.add_at(edge, f"  {text}")
            if not self._function.leaving[location]:
                lines.add(f"  {self._stop}")
        if self._function.exit in self._labelled:
            lines.add(f"L{self._function.exit}:;")
        lines.add("}")

    def _location(self, location: int, following: int | None) -> list[tuple[Edge, str]]:
        """The statements of a location: what its edges do, and jumps to where they lead unless that comes next."""
        edges = self._function.leaving[location]
        if len(edges) > 1 or any(isinstance(edge.operation, Assume) for edge in edges):
            return self._decision(edges, following)
        statements = []
        for edge in edges:
            if is_error_label(edge) and not self._has_error:
                self._has_error = True
                statements.append((edge, f"{ERROR_LABEL}:;"))
            statements += self._mark(edge)
            statements += [(edge, text) for text in self._statement(edge.operation) if text]
            if not isinstance(edge.operation, Return | Halt):
                statements += self._jump(edge, following)
        return statements

    def _decision(self, edges: Sequence[Edge], following: int | None) -> list[tuple[Edge, str]]:
        """A chain of conditional jumps for the assume edges that leave a location; one of them always holds."""
        remaining = list(edges)
        for edge in edges:  # the edge to what comes next is best taken by doing nothing
            if edge.target == following:
                remaining.remove(edge)
                remaining.append(edge)
                break
        statements = []
        for edge in remaining[:-1]:
            operation = edge.operation
            if not isinstance(operation, Assume):
                raise InternalError(f"an edge of a decision is no assumption: {edge.text}", edge.position)
            condition = self._expression(operation.condition)
            shown = condition if operation.outcome else f"!({condition})"
            jump = f"goto {self._label(edge.target)};"
            if edge.number in self._marks:
                jump = f"{{ {self._marks[edge.number]} {jump} }}"
            statements.append((edge, f"if ({shown}) {jump}"))
            self.outcomes.append((edge.reference, edge.reference.line, "then"))
        if statements:
            self.outcomes.append((remaining[-1].reference, remaining[-2].reference.line, "else"))
        return statements + self._mark(remaining[-1]) + self._jump(remaining[-1], following)

    def _mark(self, edge: Edge) -> list[tuple[Edge, str]]:
        return [(edge, self._marks[edge.number])] if edge.number in self._marks else []

    def _jump(self, edge: Edge, following: int | None) -> list[tuple[Edge, str]]:
        """The jump to where an edge leads, unless that comes next and the edge is no jump of the source itself."""
        is_statement = isinstance(edge.operation, Skip) and edge.number in self._function.statements
        if edge.target == following and not is_statement:
            return []
        return [(edge, f"goto {self._label(edge.target)};")]

    def _label(self, location: int) -> str:
        self._labelled.add(location)
        return f"L{location}"

    def _statement(self, operation: Operation) -> tuple[str, ...]:
        """What an operation other than an assumption does, as C statements."""
        match operation:
            case Assign(target=target, value=value) if isinstance(target.type, ArrayType):
                size = self._program.types.size_of(target.type)
                return (f"__builtin_memcpy({self._expression(target)}, {self._expression(value)}, {size});",)
            case Assign(target=target, value=value):
                return (f"{self._expression(target)} = {self._expression(value)};",)
            case Input(target=target, function=name):
                return (f"{self._assigned(target)}{self._names.function(name)}();",)
            case Call(target=target, function=name, arguments=arguments):
                shown = ", ".join(self._expression(argument) for argument in arguments)
                return (f"{self._assigned(target)}{self._callee(name, arguments)}({shown});",)
            case Return(value=None) if not isinstance(self._function.type.result, VoidType):
                return (f"goto {self._label(self._function.exit)};",)
            case Return(value=value):
                return ("return;" if value is None else f"return {self._expression(value)};",)
            case Halt(function="__VERIFIER_assume", arguments=()):
                return ("__VERIFIER_assume(0);", self._stop)
            case Halt(function=name, arguments=arguments):
                shown = ", ".join(self._expression(argument) for argument in arguments)
                return (f"{self._names.function(name)}({shown});", "" if name in _NEVER_RETURN else self._stop)
            case Unmodelled(code=code):
                return (self._code(code),)
            case Skip() | Declare():
                return ()
        raise InternalError(f"an assumption that is no decision: {operation}")

    def _code(self, code: str) -> str:
        """C code of an unmodelled operation, with the names of its variables replaced by those used here.

        There, locals and globals have their plain names (globals also ``$$x``), static locals are ``f__x``.
        """
        names: dict[str, str] = {}
        for variable, shown in self._names.statics.items():
            plain = identifier(variable.name)
            if variable.function is None:
                names |= {plain: shown, f"$${variable.name}": shown}
            else:
                names[f"{variable.function}__{plain}"] = shown
        for variable, shown in self._names.locals.items():
            names |= {identifier(variable.name): shown, variable.name: shown}
        return _WORD.sub(lambda found: names.get(found[0], found[0]), code)

    def _callee(self, name: str, arguments: Sequence[Expression]) -> str:
        """The function to call; old C allows a number of arguments that does not fit the definition."""
        shown = self._names.function(name)
        defined = self._program.functions.get(name)
        if defined is None or len(arguments) == len(defined.parameters):
            return shown
        return f"(({self._declaration(FunctionType(defined.type.result, (), unspecified=True), '(*)')}){shown})"

    def _assigned(self, target: LValue | None) -> str:
        return "" if target is None else f"{self._expression(target)} = "

    def _expression(self, expression: Expression) -> str:
        return expression_to_c(expression, self._names)

    def _declaration(self, type_: CType, name: str) -> str:
        return declaration(type_, name, self._names)


def _emission_order(function: Function) -> list[int]:
    """The locations to write: those that the entry reaches, in weak topological order, then the others with edges.

    The exit is left out, since ``return`` leads there, and so is where only an end of the program leads to.
    """
    reached, pending = {function.entry}, [function.entry]
    jumped_to = {function.entry}
    while pending:
        for edge in function.leaving[pending.pop()]:
            if edge.target not in reached:
                reached.add(edge.target)
                pending.append(edge.target)
    for edge in function.edges:
        if not isinstance(edge.operation, Return | Halt):
            jumped_to.add(edge.target)
    position = order(function).position
    written = [
        location
        for location, edges in function.leaving.items()
        if location != function.exit and (edges or location in jumped_to)
    ]
    return sorted(written, key=lambda location: (location not in reached, position[location]))
