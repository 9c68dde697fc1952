r"""What a witness can say of what is known: invariants in the words of the source, and the inputs of a test.

A witness states C expressions over the variables that are in scope at a place in the text. Our expressions also speak
of variables of other functions, temporaries and hidden names. What cannot be said is left out where that makes the
statement weaker, never wrong, and it is reported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from gia.cfa.c_expressions import expression_to_gia
from gia.cfa.expressions import (
    Binary,
    Expression,
    FunctionReference,
    LValue,
    Result,
    Storage,
    Variable,
    VariableReference,
    variables_of,
    walk,
)
from gia.cfa.graph import Edge, Program
from gia.cfa.operations import Assign, Call, Declare, Input
from gia.cfa.quantified import is_quantified
from gia.cfa.types import INT, FloatType, IntegerType
from gia.errors import Position
from gia.exchange.source.program_places import DoLoop, ProgramPlaces
from gia.exchange.suites.input_assumptions import equation
from gia.exchange.witness.model import Invariant, Place
from gia.exchange.witness.writer import ReturnedInput
from gia.frontend.library import MODEL_PREFIX
from gia.native.execution import InputValue
from gia.native.literals import parse_literal

Alternatives = Sequence[Sequence[Expression]]
"""A disjunction of conjunctions."""


class InvariantExport:
    """Turns invariants of locations into those of a witness; ``notes`` say what was lost."""

    def __init__(self, places: ProgramPlaces) -> None:
        self._places = places
        self._program = places.program
        self.notes: dict[str, None] = {}

    def invariants(self, found: Mapping[int, Sequence[Alternatives]]) -> tuple[Invariant, ...]:
        """The invariants that can be stated, sorted by their places; all that is found of a location holds there."""
        stated: dict[tuple[str, Place], dict[str, None]] = {}
        for location, known in found.items():
            for alternatives in _joined(known):
                for kind, place, value in self._stated(location, alternatives, found):
                    stated.setdefault((kind, place), {})[value] = None
        kept = (Invariant(kind, place, _all(values)) for (kind, place), values in stated.items())
        return tuple(sorted(kept, key=lambda each: (each.place.line, each.place.column, each.value)))

    def _stated(
        self, location: int, alternatives: Alternatives, found: Mapping[int, Sequence[Alternatives]]
    ) -> Iterator[tuple[str, Place, str]]:
        loop = self._places.loops.get(location)
        place = loop or self._statement(location)
        around = self._places.do_loops.get(location, ())
        for do_loop in around:
            for value in self._at_do(do_loop, alternatives, list(_joined(found.get(do_loop.decision, ())))):
                yield "loop_invariant", do_loop.place, value
        if place is not None:
            value = self._value(place, alternatives)
            if value:
                yield "loop_invariant" if loop else "location_invariant", place, value
        elif not around:
            function = self._program.function_of_location[location]
            self.notes[f"an invariant inside a statement of {function} is left out: it has no place in the text"] = None

    def _value(self, place: Place, alternatives: Alternatives) -> str:
        """What can be said of the alternatives at a place; empty if it is nothing."""
        texts: dict[str, None] = {}
        for conjuncts in alternatives:
            parts = [part for conjunct in conjuncts for part in _conjuncts(conjunct)]
            said = [part for part in dict.fromkeys(parts) if self._can_be_said(part, place)]
            if not said:
                return ""
            texts[_conjunction(said, place.function, self._program)] = None
        return next(iter(texts)) if len(texts) == 1 else " || ".join(f"({text})" for text in texts)

    def _at_do(self, loop: DoLoop, alternatives: Alternatives, decision: Sequence[Alternatives]) -> Iterator[str]:
        """What holds both where a round of a ``do`` begins and where its condition is evaluated.

        Tools differ in which of the two they take for the head of the loop. Where the condition is evaluated, what
        holds at the begin of a round holds if there is another one; some of it (``decision``) holds anyway.
        """
        anyway = {conjunct for known in decision if len(known) == 1 for conjunct in known[0]}
        if len(alternatives) == 1:
            value = self._value(loop.place, [[each for each in alternatives[0] if each in anyway]])
            if value:
                yield value
            alternatives = [[each for each in alternatives[0] if each not in anyway]]
        value = self._value(loop.place, alternatives)
        if not value or not self._can_be_said(loop.again.condition, loop.place):
            return
        condition = expression_to_gia(loop.again.condition, loop.place.function, self._program)
        yield f"{'!' if loop.again.outcome else ''}({condition}) || ({value})"

    def _statement(self, location: int) -> Place | None:
        """The first character of the statement that begins at a location."""
        function = self._program.function_of_location[location]
        for edge in self._program.functions[function].leaving[location]:
            begin = self._places.text.statement_begin((edge.reference.line, edge.reference.column))
            if begin is None or edge.file != self._program.main_file:
                continue
            place = Place(edge.file, *begin, function)
            if self._places.statement_starts(place) == [location]:
                return place
        return None

    def _can_be_said(self, expression: Expression, place: Place) -> bool:
        """Whether all that an expression mentions has its name in scope at the place."""
        for part in walk(expression):
            if isinstance(part, Result | FunctionReference):
                return self._lost(expression, place, "what an input or a function is")
        if is_quantified(expression):
            return self._lost(expression, place, "all elements of an array or all blocks")
        for variable in sorted(variables_of(expression), key=str):
            if not self._in_scope(variable, place):
                return self._lost(expression, place, f"{variable.name}, which is not in scope")
        return True

    def _lost(self, expression: Expression, place: Place, why: str) -> bool:
        text = expression_to_gia(expression, place.function, self._program)
        self.notes[f"{place}: {text} is left out: it speaks of {why}"] = None
        return False

    def _in_scope(self, variable: Variable, place: Place) -> bool:
        if variable.storage in (Storage.TEMPORARY, Storage.GHOST) or "$" in variable.name:
            return False
        if variable.name.startswith(MODEL_PREFIX):
            return False
        if variable.function is None:
            return not self._is_hidden(variable.name, place.function)
        if variable.function != place.function:
            return False
        if variable.storage is Storage.PARAMETER:
            return not self._is_hidden(f"{variable.name}$2", place.function)
        return self._declared_around(variable, place)

    def _is_hidden(self, name: str, function: str) -> bool:
        """Whether a local of the function has that name."""
        return name in self._local_names.get(function, ())

    @cached_property
    def _local_names(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for function in self._program.functions.values():
            found[function.name] = {variable.name for variable in (*function.parameters, *function.locals)}
        for static in self._program.statics:
            if static.variable.function is not None:
                found.setdefault(static.variable.function, set()).add(static.variable.name)
        return {name: frozenset(names) for name, names in found.items()}

    def _declared_around(self, variable: Variable, place: Place) -> bool:
        """Whether the block in which a local is declared contains the place, and no other declaration hides it."""
        if self._is_hidden(f"{variable.name}$2", place.function):
            return False
        declared = self._declarations.get(variable)
        at = self._places.text.offset((place.line, place.column))
        if declared is None or at is None:
            return False
        condition = self._places.text.loop_condition((place.line, place.column))
        until = self._places.text.offset(condition[1]) if condition else None
        begin, end = self._places.text.block_around(declared)
        return begin < at < end and declared < (until or at)

    @cached_property
    def _declarations(self) -> Mapping[Variable, int]:
        """Where each local comes into being: at its declaration, or where it is initialised there."""
        found: dict[Variable, int] = {}
        for edge in self._program.edge_list:
            variable = _introduced(edge)
            if variable is not None and variable not in found and edge.file == self._program.main_file:
                offset = self._places.text.offset((edge.reference.line, edge.reference.column))
                if offset is not None:
                    found[variable] = offset
        return found


def _joined(known: Sequence[Alternatives]) -> Iterator[Alternatives]:
    """Statements that hold together, those that are no disjunctions as one."""
    plain = [conjunct for alternatives in known if len(alternatives) == 1 for conjunct in alternatives[0]]
    if plain:
        yield [plain]
    yield from (alternatives for alternatives in known if len(alternatives) > 1)


def _all(values: Collection[str]) -> str:
    return next(iter(values)) if len(values) == 1 else " && ".join(f"({value})" for value in values)


def _introduced(edge: Edge) -> Variable | None:
    """The variable that an edge declares or gives a value."""
    match edge.operation:
        case Declare(variable=variable):
            return variable
        case Assign(target=target) | Input(target=target) | Call(target=target):
            return _base(target)
    return None


def _base(target: LValue | None) -> Variable | None:
    """The variable of which an lvalue is a part."""
    if isinstance(target, VariableReference):
        return target.variable
    found = next((part for part in walk(target) if isinstance(part, VariableReference)), None) if target else None
    return None if found is None else found.variable


def _conjuncts(expression: Expression) -> Iterator[Expression]:
    """The operands of ``&&`` at the top of an expression, from left to right."""
    pending = [expression]
    while pending:
        current = pending.pop()
        if isinstance(current, Binary) and current.operator == "&&":
            pending += [current.right, current.left]
        else:
            yield current


def _conjunction(expressions: Sequence[Expression], scope: str, program: Program) -> str:
    together = expressions[0]
    for expression in expressions[1:]:
        together = Binary("&&", together, expression, INT)
    return expression_to_gia(together, scope, program)


# ---- inputs

_LARGEST = (1 << 63) - 1


MOST_STATED: Final = 10_000
"""Inputs in one witness."""


def stated_inputs(
    places: ProgramPlaces, reads: Sequence[int | None], inputs: Iterable[tuple[str, str]]
) -> tuple[list[ReturnedInput], list[str]]:
    """The inputs of a test whose places and values a witness can state, and a note on each other one.

    At most :data:`MOST_STATED` are stated: with fewer inputs, a witness describes more executions, that of the test
    among them.

    ``reads`` are the numbers of the edges that read them, ``inputs`` their types and literals.
    """
    program = places.program
    found, notes = [], []
    for index, (number, (_, literal)) in enumerate(zip(reads, inputs, strict=False), start=1):
        if index > MOST_STATED:
            notes.append(f"the inputs after the first {MOST_STATED} are left out")
            break
        edge = program.edge_list[number] if number is not None else None
        if edge is None or not isinstance(edge.operation, Input):
            notes.append(f"input {index} ({literal}) is left out: it is not read by a call of an input function")
            continue
        closing = places.closing_of(edge) if edge.file == program.main_file else None
        constant = _constant(edge.operation, literal)
        if closing is None or constant is None:
            what = "the place of its call" if closing is None else f"its value {literal}"
            notes.append(f"{edge.position}: input {index} is left out: a witness cannot state {what}")
            continue
        scope, line = edge.reference.function, edge.reference.line
        found.append(ReturnedInput(Position(edge.file, *closing), scope, constant, edge.operation.function, line))
    return found, notes


def _constant(operation: Input, literal: str) -> str | None:
    r"""The constant that ``\result`` is compared with; ``None`` if there is none."""
    bits = parse_literal(literal).bits(operation.type)
    match operation.type:
        case IntegerType(width=width) as type_ if width <= 64:
            number = type_.number(bits)
            if number == -_LARGEST - 1:
                return f"(-{_LARGEST}LL - 1)"
            return f"{number}ULL" if number > _LARGEST else str(number)
        case FloatType():
            text = equation(InputValue(operation.function, operation.type, bits))
            stated = re.fullmatch(r"\\result == (.*)", text)
            return stated[1] if stated else None
    return None
